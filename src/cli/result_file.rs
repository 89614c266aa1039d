//! Files that results are written to.
//!
//! Results grow in `FILE.part`, which takes the place of FILE once they are complete: whatever stops the process, FILE
//! is what it was or complete. `FILE.part` is locked while it grows, so that two processes do not write the same one.
//!
//! What is there already is replaced only if the user says so, and what is read from never.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args;
use crate::batch::InputPath;

/// Where results go.
pub(super) struct ResultFile {
    /// FILE; where a link leads, if it is one.
    pub path: PathBuf,
    /// `FILE.part`; FILE itself if that is a pipe or a device.
    pub part: PathBuf,
}

impl ResultFile {
    /// The files that `--out FILE` speaks of. Nothing is touched.
    ///
    /// # Errors
    /// FILE is a folder.
    pub fn new(path: &Path) -> anyhow::Result<ResultFile> {
        // The file that a link leads to is to be replaced, not the link.
        let path = fs::canonicalize(path).ok().filter(|_| path.is_symlink()).unwrap_or_else(|| path.to_owned());
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => bail!("cannot write {}: is a directory", args::quoted(&path)),
            Ok(meta) if !meta.is_file() => Ok(ResultFile { part: path.clone(), path }),
            _ => Ok(ResultFile { part: with_suffix(&path, ".part"), path }),
        }
    }

    /// A pipe or a device: written to as it is.
    pub fn is_stream(&self) -> bool {
        self.path == self.part
    }

    /// Is there something that would be lost? `how` says what would save it.
    ///
    /// # Errors
    /// So it is.
    pub fn check_free(&self, how: &str) -> anyhow::Result<()> {
        if self.is_stream() {
            return Ok(());
        }
        if is_filled(&self.path) {
            bail!("{} is there already: --force replaces it{how}", args::quoted(&self.path));
        }
        if is_filled(&self.part) {
            let (part, path) = (args::quoted(&self.part), args::quoted(&self.path));
            bail!("{part} holds an unfinished {path}: --force begins anew{how}");
        }
        Ok(())
    }

    /// Opens `FILE.part`, with as many bytes of it as are to stay, or all.
    ///
    /// # Errors
    /// It cannot be opened, or another process writes it.
    pub fn open(&self, bytes: Option<u64>) -> anyhow::Result<File> {
        let name = || format!("cannot write {}", args::quoted(&self.part));
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&self.part).with_context(name)?;
        if self.is_stream() {
            return Ok(file);
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("{}: another process is writing it", name()),
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if let Some(bytes) = bytes {
            file.set_len(bytes).and_then(|()| file.seek(SeekFrom::End(0))).with_context(name)?;
        }
        Ok(file)
    }

    /// The results are complete: `FILE.part` becomes FILE.
    pub fn finish(&self) -> io::Result<()> {
        if self.is_stream() { Ok(()) } else { fs::rename(&self.part, &self.path) }
    }
}

/// A file with something in it.
pub(super) fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// A path with more behind it.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Refuses outputs that are read from, and outputs that are each other.
///
/// # Errors
/// Names both.
pub(super) fn check_outputs<'a>(outputs: &[&Path], inputs: impl Iterator<Item = InputPath<'a>>) -> anyhow::Result<()> {
    let known: Vec<_> = outputs.iter().filter_map(|path| Some((*path, FileId::of(path)?))).collect();
    for (number, (path, id)) in known.iter().enumerate() {
        if let Some((twin, _)) = known[..number].iter().find(|(_, other)| other == id) {
            bail!("{} and {} are the same file", args::quoted(twin), args::quoted(path));
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    // A file that has only one name is found under that, or by a link.
    let single = known.iter().all(|(_, id)| id.has_one_name);
    for InputPath { path, is_own_name } in inputs {
        let may_be = |(_, id): &&(&Path, FileId)| !single || !is_own_name || id.path.file_name() == path.file_name();
        if !known.iter().any(|known| may_be(&known)) {
            continue;
        }
        let Some(input) = FileId::of(&path) else { continue };
        if let Some((output, _)) = known.iter().find(|(_, id)| *id == input) {
            let same = if *output == path { String::new() } else { format!(", as {}", args::quoted(&path)) };
            bail!("{} is read from{same}: it will not be written to", args::quoted(output));
        }
    }
    Ok(())
}

/// What tells regular files apart.
#[derive(Debug)]
struct FileId {
    /// Device and number, where the system has those.
    number: Option<(u64, u64)>,
    /// Where links lead.
    path: PathBuf,
    has_one_name: bool,
}

impl FileId {
    fn of(path: &Path) -> Option<FileId> {
        let meta = fs::metadata(path).ok().filter(|meta| meta.is_file())?;
        #[cfg(unix)]
        let (number, has_one_name) = {
            use std::os::unix::fs::MetadataExt;
            (Some((meta.dev(), meta.ino())), meta.nlink() == 1)
        };
        #[cfg(not(unix))]
        let (number, has_one_name) = (None, meta.len() == u64::MAX);
        Some(FileId { number, path: fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()), has_one_name })
    }
}

impl PartialEq for FileId {
    fn eq(&self, other: &FileId) -> bool {
        match (self.number, other.number) {
            (Some(one), Some(other)) => one == other,
            _ => self.path == other.path,
        }
    }
}
