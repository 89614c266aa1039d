//! The steps that make a result file last: its bytes go to the disk, then it gets its name. Tests log them.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Waits until the bytes of `file`, whose path is `part`, are on the disk.
pub fn sync(file: &File, part: &Path) -> io::Result<()> {
    log(|| format!("sync {}", name(part)))?;
    file.sync_data()
}

/// Waits until all bytes of the file system of `file` are on the disk.
#[cfg(target_os = "linux")]
pub fn sync_all(file: &File) -> io::Result<()> {
    log(|| "sync all".to_string())?;
    Ok(rustix::fs::syncfs(file)?)
}

/// Renames `part` to `path`, and replaces a file of that name.
pub fn rename(part: &Path, path: &Path) -> io::Result<()> {
    log(|| format!("rename {} to {}", name(part), name(path)))?;
    fs::rename(part, path)
}

/// Gives `part` the further name `path`. A file of that name is an error.
pub fn link(part: &Path, path: &Path) -> io::Result<()> {
    log(|| format!("link {} to {}", name(part), name(path)))?;
    fs::hard_link(part, path)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Logs a step in tests. An error means that a test lets the step fail.
#[cfg(not(test))]
fn log(_step: impl Fn() -> String) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use logged::log;
#[cfg(test)]
pub use logged::{fail_syncs, take_log};

#[cfg(test)]
mod logged {
    use std::cell::{Cell, RefCell};
    use std::io;

    thread_local! {
        static STEPS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
        static FAILS: Cell<bool> = const { Cell::new(false) };
    }

    /// Adds a step to the log of this thread. A sync may have to fail.
    pub fn log(step: impl Fn() -> String) -> io::Result<()> {
        let step = step();
        if FAILS.get() && step.starts_with("sync") {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the disk is full"));
        }
        STEPS.with_borrow_mut(|steps| steps.push(step));
        Ok(())
    }

    /// Returns the steps of this thread since the last call.
    pub fn take_log() -> Vec<String> {
        STEPS.take()
    }

    /// Lets all syncs of this thread fail, or succeed again.
    pub fn fail_syncs(fail: bool) {
        FAILS.set(fail);
    }
}
