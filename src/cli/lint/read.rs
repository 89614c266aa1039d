//! Reads and lints files on several threads, and hands over the results in the order of the files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;

use super::super::args::{self, ArchSource, RawArgs};
use super::sources::{Source, Sources};
use gcnsim_inputs::arch::arch_of_folders;
use gcnsim_inputs::{Opened, Opener};
use gcnsim_lint::file::{self, ObjectReport};
use gcnsim_lint::{Linter, Options};
use gcnsim_loader::{self as loader, Shader, Skipped};

/// The flags that say how files are read.
pub(super) struct Reading {
    pub options: Options,
    pub raw: RawArgs,
}

/// The results for a file.
pub(super) struct FileReport {
    pub objects: Vec<ObjectReport>,
    pub remark: Option<String>,
    pub skipped: Vec<Skipped>,
    /// Whether the generation of the raw file is a guess.
    pub assumed_arch: bool,
}

/// Returns the number of threads if the user names none.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Most results that wait for the result of a file before them.
const AHEAD: usize = 1024;

/// Lints files on `jobs` threads. Calls `each` with every result, in the order of `sources`.
///
/// # Errors
/// The error that `each` returns. The other files are then left out.
pub(super) fn all(
    sources: &Sources,
    reading: &Reading,
    jobs: usize,
    mut each: impl FnMut(&Path, Result<FileReport, String>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (files, next) = (&sources.all, AtomicUsize::new(0));
    let (send, receive) = mpsc::sync_channel(AHEAD);
    thread::scope(|scope| {
        // The receiver is dropped at an error, and then the threads end, because nobody takes their results.
        let receive = receive;
        for _ in 0..jobs.min(files.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                let mut linter = Linter::new(reading.options.clone());
                let mut opener = Opener::new(reading.raw.files());
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = files.get(i) else { return };
                    let report = match source {
                        Source::File(path) => one(&mut linter, path, reading).map_err(|error| format!("{error:#}")),
                        Source::Listed(list, index) => {
                            let opened = opener.open(&sources.lists[*list], *index);
                            opened.map_err(|error| error.to_string()).and_then(|opened| listed(&mut linter, opened))
                        }
                    };
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
                each(&sources.name(&files[at]), report)?;
                at += 1;
            }
        }
        Ok(())
    })
}

/// Lints a file of an archive or a list.
fn listed(linter: &mut Linter, opened: Opened) -> Result<FileReport, String> {
    let Opened { loaded, sidecar, arch, arch_source, .. } = opened;
    let assumed_arch = arch_source == gcnsim_inputs::ArchSource::Guess && loaded.entries[0].arch.is_none();
    let offset = sidecar.as_ref().and_then(|sidecar| sidecar.entry).unwrap_or(0);
    let known = sidecar.as_ref().map_or_else(Shader::default, |sidecar| sidecar.shader());
    let objects = file::lint(linter, &loaded, arch, offset, &known).map_err(|error| error.to_string())?;
    loaded.check_whole().map_err(|error| error.to_string())?;
    Ok(FileReport { objects, remark: loaded.remark, skipped: loaded.skipped, assumed_arch })
}

fn one(linter: &mut Linter, path: &Path, reading: &Reading) -> anyhow::Result<FileReport> {
    let arch = reading.raw.arch.map(|target| target.arch);
    let mut how = loader::Reading::default().arch(arch);
    how.raw = reading.raw.raw;
    let loaded = loader::load_as(path, how)?;
    let sidecar = args::sidecar(path)?;
    let (default_arch, source) = args::arch_of(&loaded.entries[0], reading.raw.arch, sidecar.as_ref());
    let folder_arch = || arch_of_folders(path.as_os_str().as_encoded_bytes()).filter(|_| reading.raw.arch_from_path);
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
