//! What identifies a launch: SHA-256 of what it says and of what it reads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::buffer::{self, BufferSpec};
use super::{LaunchDraft, LaunchSpec};
use gcnsim_loader::FileBytes;

impl LaunchDraft {
    /// SHA-256 of a launch and its inputs: of its text without the name, and of the files that it reads. Where launches
    /// share buffers, those before it count, too. `None` if the launch is wrong or a file cannot be read.
    pub fn sha256(&self, index: usize, folder: &Path, allow_outside: bool) -> Option<[u8; 32]> {
        let mut alone = Inputs::default();
        let (mut sha256, files) = if self.buffers.is_empty() {
            part(&mut alone.sha256, self.buffers_text.as_bytes());
            alone.add(self.launches.get(index)?.1.as_ref().ok()?);
            (alone.sha256, &alone.files[..])
        } else {
            let (sha256, count) = self.chain.get(index)?;
            (sha256.clone(), self.files.get(..*count)?)
        };
        for path in files {
            if !allow_outside && !buffer::is_inside(path) {
                return None;
            }
            part(&mut sha256, FileBytes::read(&folder.join(path)).ok()?.as_ref());
        }
        Some(sha256.finalize().into())
    }

    /// Makes the chain of launches that share buffers, up to the first wrong one: for each, what it and those before it
    /// say, and how many files they read. There may be very many launches, so nobody looks at all for each.
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

/// What launches say, and the files that they read.
#[derive(Default)]
struct Inputs {
    sha256: Sha256,
    /// Each once.
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

/// Adds a part, so that it is clear where it ends.
fn part(sha256: &mut Sha256, bytes: &[u8]) {
    sha256.update((bytes.len() as u64).to_le_bytes());
    sha256.update(bytes);
}
