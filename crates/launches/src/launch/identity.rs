//! The identity of a launch: a SHA-256 over its text and its inputs.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::buffer::BufferSpec;
use super::{LaunchDraft, LaunchSpec, Outside};
use gcnsim_loader::FileBytes;

/// The size of a regular file in bytes; `None` for others.
fn size_of(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(Metadata::is_file).map(|meta| meta.len())
}

impl LaunchDraft {
    /// Returns the SHA-256 of launch `index` and its inputs: of its text without the name, and of the files that it
    /// reads. If launches share buffers, the launches before it and their inputs count, too. Returns `None` if the
    /// launch is wrong or a file cannot be read.
    pub fn sha256(&self, index: usize, folder: &Path, outside: Outside) -> Option<[u8; 32]> {
        self.sha256_unless(index, folder, outside, &|| false)
    }

    /// Returns what [`sha256`](LaunchDraft::sha256) returns, and `None` if `stops` returns true in the meantime. It is
    /// asked for every megabyte.
    pub fn sha256_unless(
        &self,
        index: usize,
        folder: &Path,
        outside: Outside,
        stops: &dyn Fn() -> bool,
    ) -> Option<[u8; 32]> {
        let (mut sha256, files) = self.inputs(index)?;
        for path in files.iter() {
            let at = folder.join(path);
            size_of(&at).filter(|_| outside.allows(folder, path))?;
            let bytes = FileBytes::read(&at).ok()?;
            sha256.update((bytes.as_ref().len() as u64).to_le_bytes());
            for piece in bytes.as_ref().chunks(1 << 20) {
                if stops() {
                    return None;
                }
                sha256.update(piece);
            }
        }
        Some(sha256.finalize().into())
    }

    /// Returns the number of bytes of the files that [`sha256`](LaunchDraft::sha256) covers; `None` if one is not
    /// there.
    pub fn file_bytes(&self, index: usize, folder: &Path) -> Option<u64> {
        let (_, files) = self.inputs(index)?;
        files.iter().map(|path| size_of(&folder.join(path))).sum()
    }

    /// The hash of the texts of launch `index` and those before it that count, and the files that these read.
    fn inputs(&self, index: usize) -> Option<(Sha256, Cow<'_, [PathBuf]>)> {
        if self.buffers.is_empty() {
            let mut alone = Inputs::default();
            part(&mut alone.sha256, self.buffers_text.as_bytes());
            alone.add(self.launches.get(index)?.1.as_ref().ok()?);
            return Some((alone.sha256, Cow::Owned(alone.files)));
        }
        let (sha256, count) = self.chain.get(index)?;
        Some((sha256.clone(), Cow::Borrowed(self.files.get(..*count)?)))
    }

    /// Fills `chain`, if launches share buffers, up to the first wrong launch: for each launch, the hash of the texts
    /// up to its own, and the number of files that these launches read. So [`sha256`](LaunchDraft::sha256) need not go
    /// over all launches each time; there may be very many.
    pub(super) fn link(mut self) -> LaunchDraft {
        if self.buffers.is_empty() {
            return self;
        }
        let mut inputs = Inputs::default();
        part(&mut inputs.sha256, self.buffers_text.as_bytes());
        inputs.add_files(self.buffers.iter().filter_map(BufferSpec::file_path));
        for launch in self.launches.iter().map_while(|(_, launch)| launch.as_ref().ok()) {
            inputs.add(launch);
            self.chain.push((inputs.sha256.clone(), inputs.files.len()));
        }
        self.files = inputs.files;
        self
    }
}

/// The hash of the texts of launches, and the files that these launches read.
#[derive(Default)]
struct Inputs {
    sha256: Sha256,
    /// The files, each once.
    files: Vec<PathBuf>,
    known: HashSet<PathBuf>,
}

impl Inputs {
    fn add(&mut self, launch: &LaunchSpec) {
        part(&mut self.sha256, launch.text.as_bytes());
        self.add_files(launch.files());
    }

    fn add_files<'a>(&mut self, files: impl Iterator<Item = &'a Path>) {
        for path in files {
            if self.known.insert(path.to_owned()) {
                self.files.push(path.to_owned());
            }
        }
    }
}

/// Hashes a part with its length, so that the hash depends on where the part ends.
fn part(sha256: &mut Sha256, bytes: &[u8]) {
    sha256.update((bytes.len() as u64).to_le_bytes());
    sha256.update(bytes);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::Syntax;
    use super::*;

    #[test]
    fn who_stops_gets_no_hash() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.bin"), vec![7; (5 << 20) + 1]).unwrap();
        let text = r#"{"launch": {"grid": 1, "group": 1, "buffers": {"x": {"file": "x.bin"}}}}"#;
        let draft = LaunchDraft::parse(text, Syntax::Json).unwrap();
        let asked = Cell::new(0);
        let until = |most: u32| {
            asked.set(0);
            let stops = || {
                asked.set(asked.get() + 1);
                asked.get() > most
            };
            draft.sha256_unless(0, folder.path(), Outside::Refused, &stops)
        };
        // Five megabytes and a byte are six pieces.
        assert_eq!((until(6), asked.get()), (draft.sha256(0, folder.path(), Outside::Refused), 6));
        assert!(until(6).is_some());
        for most in 0..6 {
            assert_eq!((until(most), asked.get()), (None, most + 1));
        }
    }
}
