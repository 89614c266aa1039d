//! New files beside the file whose name they will get. No file that was there is opened, followed or replaced
//! meanwhile.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{disk, keep_rights, with_suffix};

/// A file under construction. It gets its name when it is complete; until then, dropping it leaves nothing.
pub struct NewFile {
    file: File,
    /// Its own name in the folder of `path`; `None` if it has no name yet, so that not even `kill -9` leaves it.
    part: Option<PathBuf>,
    /// The name that it will get.
    path: PathBuf,
}

impl NewFile {
    /// Makes a file that is open for long: without a name where the system can do that.
    pub fn growing(path: &Path) -> io::Result<NewFile> {
        match nameless(path) {
            Some(file) => Ok(NewFile { file, part: None, path: path.to_owned() }),
            None => NewFile::named(path),
        }
    }

    /// Makes a file with an unused name, so that it does not have to be kept open.
    pub fn named(path: &Path) -> io::Result<NewFile> {
        let make = |part: &Path| OpenOptions::new().write(true).create_new(true).open(part);
        let (file, part) = with_unused_name(path, make)?;
        Ok(NewFile { file, part: Some(part), path: path.to_owned() })
    }

    /// Returns the open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Waits until the bytes are on the disk, then replaces the file at `path`.
    pub fn replace(mut self) -> io::Result<()> {
        let part = self.finished()?;
        name(&part, &self.path)
    }

    /// Waits until the bytes are on the disk, then gives the file its name, which must be unused.
    pub fn add(mut self) -> io::Result<()> {
        let part = self.finished()?;
        // Unlike a rename, a link replaces nothing.
        let linked = disk::link(&part, &self.path);
        if linked.is_ok() || self.path.symlink_metadata().is_ok() {
            let _ = fs::remove_file(&part);
            return linked;
        }
        name(&part, &self.path)
    }

    /// Closes the file. Returns its own name and the one that it will get by [`name`].
    pub fn close(mut self) -> io::Result<(PathBuf, PathBuf)> {
        let part = self.part_name()?;
        self.part = None;
        Ok((part, self.path.clone()))
    }

    fn finished(&mut self) -> io::Result<PathBuf> {
        // A file without a name is logged by the one that it will get.
        disk::sync(&self.file, &self.path)?;
        let part = self.part_name()?;
        self.part = None;
        Ok(part)
    }

    /// Returns the file's own name. A file without one gets it.
    fn part_name(&self) -> io::Result<PathBuf> {
        match &self.part {
            Some(part) => Ok(part.clone()),
            None => with_unused_name(&self.path, |part| link_nameless(&self.file, part)).map(|((), part)| part),
        }
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            let _ = fs::remove_file(part);
        }
    }
}

/// Renames `part`, whose bytes are on the disk, to `path`.
pub fn name(part: &Path, path: &Path) -> io::Result<()> {
    keep_rights(path, part);
    disk::rename(part, path).inspect_err(|_| drop(fs::remove_file(part)))
}

/// Calls `make` with names in the folder of `path` until one is unused.
fn with_unused_name<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    let mut number = 0u32;
    loop {
        let part = with_suffix(path, &format!(".part-{}-{number}", std::process::id()));
        match make(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            made => return Ok((made?, part)),
        }
    }
}

/// The name by which the process reaches a file that has none.
#[cfg(target_os = "linux")]
fn own_name(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Makes a file without a name in the folder of `path`. `None` if the file system does not have such files.
#[cfg(target_os = "linux")]
fn nameless(path: &Path) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    own_name(&file).symlink_metadata().is_ok().then_some(file)
}

#[cfg(target_os = "linux")]
fn link_nameless(file: &File, part: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, own_name(file), CWD, part, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_path: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link_nameless(_file: &File, _part: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
