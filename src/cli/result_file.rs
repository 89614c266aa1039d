//! Files that results are written to.
//!
//! Results grow in `FILE.part`, which replaces FILE once they are complete. So whenever the process stops, FILE is
//! either unchanged or complete. `FILE.part` is locked while it grows, so that two processes do not write the same one.
//!
//! Existing results are replaced only if the user says so. Inputs are never replaced.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args;
use crate::batch::InputPath;

/// A file that results are written to.
pub(super) struct ResultFile {
    /// FILE. If it is a link, the file that the link leads to.
    pub path: PathBuf,
    /// `FILE.part`, or FILE itself if that is a pipe or a device.
    pub part: PathBuf,
}

impl ResultFile {
    /// Resolves the files of `--out FILE`, and touches none.
    ///
    /// # Errors
    /// FILE is a folder.
    pub fn new(path: &Path) -> anyhow::Result<ResultFile> {
        // The file that a link leads to will be replaced, not the link.
        let path = fs::canonicalize(path).ok().filter(|_| path.is_symlink()).unwrap_or_else(|| path.to_owned());
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => bail!("cannot write {}: is a directory", args::quoted(&path)),
            Ok(meta) if !meta.is_file() => Ok(ResultFile { part: path.clone(), path }),
            _ => Ok(ResultFile { part: with_suffix(&path, ".part"), path }),
        }
    }

    /// Whether FILE is a pipe or a device, which is written directly.
    pub fn is_stream(&self) -> bool {
        self.path == self.part
    }

    /// Checks that writing would not destroy existing results. `how` says in the message how the user can keep them.
    ///
    /// # Errors
    /// There are results.
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

    /// Opens `FILE.part` and keeps this many bytes of it, or all.
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
            // Some file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if let Some(bytes) = bytes {
            file.set_len(bytes).and_then(|()| file.seek(SeekFrom::End(0))).with_context(name)?;
        }
        Ok(file)
    }

    /// Renames `FILE.part` to FILE, because the results are complete.
    pub fn finish(&self) -> io::Result<()> {
        if self.is_stream() { Ok(()) } else { fs::rename(&self.part, &self.path) }
    }
}

/// Writes a whole file: it grows beside FILE, which it then replaces.
///
/// # Errors
/// FILE is a folder, or cannot be written.
pub(super) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let target = ResultFile::new(path)?;
    let mut file = target.open(Some(0))?;
    let written = file.write_all(bytes).and_then(|()| target.finish());
    if written.is_err() && !target.is_stream() {
        let _ = fs::remove_file(&target.part);
    }
    written.with_context(|| format!("cannot write {}", args::quoted(path)))
}

/// Whether a file exists and is not empty.
pub(super) fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// A path with a suffix added.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Refuses outputs that are inputs, and outputs that are the same file.
///
/// # Errors
/// The error names both files.
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
    // A file with only one name can be found only by that name, or by a link to it.
    let single = known.iter().all(|(_, id)| id.has_one_name);
    let resolved: Vec<_> = known.iter().map(|(path, _)| resolved(path)).collect();
    for input in inputs {
        if single && !resolved.iter().filter_map(|path| path.file_name()).any(|name| input.may_be_named(name)) {
            continue;
        }
        let path = input.path();
        let Some(input) = FileId::of(&path) else { continue };
        if let Some((output, _)) = known.iter().find(|(_, id)| *id == input) {
            let same = if *output == path { String::new() } else { format!(", as {}", args::quoted(&path)) };
            bail!("{} is read from{same}: it will not be written to", args::quoted(output));
        }
    }
    Ok(())
}

/// Identifies a regular file.
#[derive(Debug)]
struct FileId {
    /// Device and inode number, on systems that have these.
    number: Option<(u64, u64)>,
    /// On others, the path with all links resolved.
    path: Option<PathBuf>,
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
        Some(FileId { number, path: number.is_none().then(|| resolved(path)), has_one_name })
    }
}

/// A path with all links resolved.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl PartialEq for FileId {
    fn eq(&self, other: &FileId) -> bool {
        (self.number, &self.path) == (other.number, &other.path)
    }
}
