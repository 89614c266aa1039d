//! Opens files of a list one at a time, in any order, with what lies beside them: for commands that do not run a batch.

use std::sync::Arc;

use gcnsim_isa::Arch;

use crate::arch::{ArchSource, RawFiles};
use crate::file::Place;
use crate::inputs::{Content, Inputs};
use crate::reader::{FileContent, FileReader};
use gcnsim_launches::beside::LaunchText;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::{FileBytes, LoadError, Loaded};

/// Why a file of a list cannot be opened. The text does not name the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Listing or unpacking found a problem.
    #[error("{what}")]
    Listed {
        /// The problem.
        what: String,
    },
    /// The file cannot be read or loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The launch file beside it cannot be read.
    #[error("{what}")]
    LaunchFile {
        /// What is wrong.
        what: String,
    },
    /// Its sidecar cannot be read.
    #[error("sidecar: {what}")]
    Sidecar {
        /// What is wrong.
        what: String,
    },
}

/// Opens files.
pub struct Opener {
    reader: FileReader,
    raw: RawFiles,
}

/// A file that has been opened.
#[non_exhaustive]
pub struct Opened {
    /// Bytes of the file.
    pub bytes: FileBytes,
    /// Entries of the file.
    pub loaded: Loaded,
    /// Sidecar of the file, if it has one.
    pub sidecar: Option<Arc<Sidecar>>,
    /// Launch file, if the file is a code object with one.
    pub launch: Option<LaunchText>,
    /// Whether the files that its launches name can be read. They cannot if the file is in an archive.
    pub has_folder: bool,
    /// The generation of entries that state none.
    pub arch: Arch,
    /// The source of the generation.
    pub arch_source: ArchSource,
}

impl Opener {
    /// Returns an opener. `raw` says how the files are read that are no code objects.
    pub fn new(raw: RawFiles) -> Opener {
        Opener { reader: FileReader::new(false, false), raw }
    }

    /// Opens file `index` of a list.
    ///
    /// # Errors
    /// [`OpenError`]: why it cannot be opened.
    pub fn open(&mut self, inputs: &Inputs, index: usize) -> Result<Opened, OpenError> {
        let input = &inputs.get(index);
        if let Content::Problem(number) = input.content {
            return Err(OpenError::Listed { what: inputs.problem(number).to_owned() });
        }
        let content = self.reader.read(inputs, index, index + 1)?;
        let (bytes, is_raw) = match content {
            FileContent::Raw(bytes, _) => (FileBytes::from(bytes.as_ref().as_ref().to_vec()), true),
            FileContent::Other(bytes) => (bytes, false),
        };
        let launches = if is_raw { Ok(None) } else { self.reader.launches(inputs, index) };
        let launch = launches.map_err(|what| OpenError::LaunchFile { what: what.to_string() })?;
        let sidecar = match launch {
            Some(_) => None,
            None => self.reader.sidecar(inputs, input).map_err(|what| OpenError::Sidecar { what: what.to_string() })?,
        };
        let (arch, arch_source) = self.raw.arch_of(input, sidecar.as_deref());
        let reading = self.raw.reading(Some(arch).filter(|_| arch_source != ArchSource::Guess));
        let loaded = gcnsim_loader::parse_as(bytes.clone(), reading)?;
        let has_folder = launch.as_ref().is_some_and(|launch| launch.has_folder);
        let launch = launch.map(|launch| launch.text);
        Ok(Opened { bytes, loaded, sidecar, launch, has_folder, arch, arch_source })
    }
}

impl Inputs {
    /// Whether an argument or a list named file `index`. Otherwise it was found in a folder or an archive.
    pub fn is_named(&self, index: usize) -> bool {
        matches!(self.get(index).place, Place::Anywhere)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_opened_with_what_lies_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("gfx803")).unwrap();
        fs::write(folder.path().join("gfx803/a.bin"), [0, 0, 0x81, 0xbf]).unwrap();
        fs::write(folder.path().join("gfx803/a.toml"), "max_insts = 7").unwrap();
        fs::write(folder.path().join("gfx803/b.bin"), [1, 2, 3]).unwrap();
        let inputs = Inputs::collect(&[folder.path()]).unwrap();
        let mut opener = Opener::new(RawFiles::default().arch_from_path());
        let opened = opener.open(&inputs, 0).unwrap();
        assert!(!inputs.is_named(0));
        assert_eq!((opened.arch, opened.arch_source), (Arch::Gcn12, ArchSource::User));
        assert_eq!(opened.sidecar.unwrap().max_insts, Some(7));
        assert_eq!((opened.loaded.entries.len(), opened.launch.is_none()), (1, true));
        assert!(opener.open(&inputs, 1).err().unwrap().to_string().contains("not a multiple of 4"));
    }
}
