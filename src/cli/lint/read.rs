//! Reads and lints files on several threads, and hands over the results in the order of the files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;

use super::super::args::{self, ArchSource};
use crate::batch::arch::arch_of_folders;
use crate::lint::file::{self, ObjectReport};
use crate::lint::{Linter, Options};
use crate::loader::{self, Shader, Skipped, TargetChoice};

/// How files are to be read.
pub(super) struct Reading {
    pub options: Options,
    pub arch: Option<TargetChoice>,
    pub from_path: bool,
    pub raw: bool,
}

/// The results for a file.
pub(super) struct FileReport {
    pub objects: Vec<ObjectReport>,
    pub remark: Option<String>,
    pub skipped: Vec<Skipped>,
    /// Whether the generation of the raw file is a guess.
    pub assumed_arch: bool,
}

/// The number of threads if the user names none.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Results that may wait for that of a file before them.
const AHEAD: usize = 1024;

/// Lints files on `jobs` threads. Calls `each` with every result, in the order of `files`.
///
/// # Errors
/// What `each` returns; then the other files are left out.
pub(super) fn all(
    files: &[PathBuf],
    reading: &Reading,
    jobs: usize,
    mut each: impl FnMut(&Path, Result<FileReport, String>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::sync_channel(AHEAD);
    thread::scope(|scope| {
        // The receiver is dropped at an error, and then the threads end, because nobody takes their results.
        let receive = receive;
        for _ in 0..jobs.min(files.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                let mut linter = Linter::new(reading.options.clone());
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(i) else { return };
                    let report = one(&mut linter, path, reading).map_err(|error| format!("{error:#}"));
                    if send.send((i, report)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let (mut waiting, mut at) = (BTreeMap::new(), 0);
        for (i, report) in receive.iter() {
            waiting.insert(i, report);
            while let Some(report) = waiting.remove(&at) {
                each(&files[at], report)?;
                at += 1;
            }
        }
        Ok(())
    })
}

fn one(linter: &mut Linter, path: &Path, reading: &Reading) -> anyhow::Result<FileReport> {
    let arch = reading.arch.map(|target| target.arch);
    let loaded = loader::load_as(path, loader::Reading { raw: reading.raw, arch })?;
    let sidecar = args::sidecar(path)?;
    let (default_arch, source) = args::arch_of(&loaded.entries[0], reading.arch, sidecar.as_ref());
    let folder_arch = || arch_of_folders(path.as_os_str().as_encoded_bytes()).filter(|_| reading.from_path);
    let (arch, assumed_arch) = match source {
        ArchSource::Stated => (default_arch, false),
        ArchSource::Default => folder_arch().map_or((default_arch, true), |arch| (arch, false)),
    };
    let offset = sidecar.as_ref().and_then(|sidecar| sidecar.entry).unwrap_or(0);
    let known = sidecar.as_ref().map_or_else(Shader::default, |sidecar| sidecar.shader());
    let objects = file::lint(linter, &loaded, arch, offset, &known).context("the file has changed")?;
    loaded.check_whole()?;
    Ok(FileReport { objects, remark: loaded.remark, skipped: loaded.skipped, assumed_arch })
}
