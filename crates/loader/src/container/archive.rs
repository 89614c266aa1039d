//! `ar` archives: static libraries of objects. Member names are read in GNU's and BSD's form.

use object::read::archive::ArchiveFile;

use super::{Place, Walk};
use crate::bytes::FileBytes;
use crate::error::LoadError;
use crate::part::PartContent;

impl Walk {
    /// Adds the members of the archive `bytes`.
    pub(super) fn archive(&mut self, bytes: &FileBytes, place: &Place) -> Result<(), LoadError> {
        let data = bytes.as_ref();
        let broken = |at: u64, what: String| LoadError::Container { kind: "ar archive", offset: at, what };
        let archive = ArchiveFile::parse(data).map_err(|error| broken(0, format!("{error},")))?;
        let mut left = data.len() as u64;
        for member in archive.members() {
            let member = member.map_err(|error| broken(0, format!("{error},")))?;
            let name = format!("{}{}", place.prefix, String::from_utf8_lossy(member.name()));
            if member.is_thin() {
                let content = PartContent::Other("a thin archive names its members and does not hold them".into());
                self.push(name, Vec::new().into(), place, content)?;
                continue;
            }
            let (offset, size) = member.file_range();
            let range = offset.checked_add(size).filter(|&end| end <= data.len() as u64);
            let content = range.and_then(|end| bytes.slice(offset as usize..end as usize));
            let content = content.ok_or_else(|| broken(offset, format!("member '{name}' exceeds the file")))?;
            left = left.checked_sub(size).ok_or_else(|| broken(offset, format!("member '{name}' overlaps others")))?;
            let moved = |error: LoadError| error.moved(offset);
            self.named(name, content, &place.at(offset as usize)).map_err(moved)?;
        }
        Ok(())
    }
}
