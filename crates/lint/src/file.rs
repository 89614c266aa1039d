//! The findings about a file.

use gcnsim_isa::Arch;
use gcnsim_loader::object::Object;
use gcnsim_loader::{FileBytes, LoadError, Loaded, Shader};

use crate::{EntryReport, Linter};

/// The result for a code object of a file, or for a raw file.
#[derive(Debug)]
#[non_exhaustive]
pub struct ObjectReport {
    /// The object with the code of the entries.
    pub object: Object,
    /// The generation as which it was read.
    pub arch: Arch,
    /// The bytes of the object; `None` for a raw file.
    pub bytes: Option<FileBytes>,
    /// The results for its entries.
    pub entries: Vec<EntryReport>,
}

impl ObjectReport {
    /// Returns the bytes of an entry's own code.
    pub fn code_of(&self, entry: &EntryReport) -> &[u8] {
        let Some(section) = self.object.section_at(entry.address) else { return &[] };
        let at = |address: u64| address.saturating_sub(section.address) as usize;
        section.bytes.as_ref().get(at(entry.range.start)..at(entry.range.end)).unwrap_or_default()
    }

    /// Returns the address that listings show.
    pub fn shown(&self, pc: u64) -> u64 {
        self.object.section_at(pc).map_or(pc, |section| section.shown(pc))
    }
}

/// Lints all code objects of a file. `arch` is the generation of objects that do not state theirs; `offset` is the
/// offset of a raw file's entry in bytes; `known` is what is known of the shaders besides what the file says.
///
/// # Errors
/// [`LoadError`] as for loading. It happens only if the file has changed since.
pub fn lint(
    linter: &mut Linter,
    loaded: &Loaded,
    arch: Arch,
    offset: u64,
    known: &Shader,
) -> Result<Vec<ObjectReport>, LoadError> {
    let objects = loaded.objects(offset)?;
    let mut bytes = loaded.part_bytes().into_iter();
    let mut reports = Vec::new();
    for (object, xnack) in objects.into_iter().zip(loaded.xnack()) {
        let shader = |address: u64| {
            let is_it = |entry: &&gcnsim_loader::Entry| {
                let part = entry.part.as_ref().map(|part| part.name.as_str());
                // The one entry of a raw file has no name.
                part == object.part.as_deref() && (entry.address == address || entry.kernel.is_none())
            };
            let entry = loaded.entries.iter().find(is_it);
            entry.map_or(known.clone(), |entry| known.clone().or(&entry.shader))
        };
        let entries = linter.lint(&object, arch, xnack, &shader);
        let arch = object.arch.unwrap_or(arch);
        reports.push(ObjectReport { object, arch, bytes: bytes.next(), entries });
    }
    Ok(reports)
}
