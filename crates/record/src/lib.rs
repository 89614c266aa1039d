//! Records dispatches: each becomes a folder with a launch file that `run` and `batch` take, with the code that it
//! reached, what it read, and what it wrote as what is expected (docs/use/recordings.md).
//!
//! | module | has |
//! |---|---|
//! | `capture` | what a dispatch accessed, before and after |
//! | `code` | the code that it may have reached |
//! | `registers`, `kernel` | the two forms of a launch file |
//! | `folder` | files of a launch, contents once each |
//! | `list` | the list of a recording, which several processes may write |
//! | `replay` | whether a launch file that was written does the same again |
#![deny(unsafe_code)]

mod capture;
mod code;
mod folder;
mod kernel;
mod list;
mod registers;
mod replay;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gcnsim_device::{Dispatch, DispatchError, Request};
use gcnsim_engine::Run;
use gcnsim_loader::{FileBytes, means};
use serde_json::Value;

use capture::Capture;
use code::Codes;
use folder::Folder;
use kernel::Objects;
use list::{Line, List};
use replay::Replay;

/// Version of the lines of the list.
pub const SCHEMA: &str = "gcnsim.record.v1";

/// Why nothing is recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// There is something in the folder that is no recording.
    #[error("{}: there are files in this folder, and it is no recording", .0.display())]
    NotEmpty(PathBuf),
    /// The folder has a recording already.
    #[error("{}: there is a recording already", .0.display())]
    Exists(PathBuf),
    /// The system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
}

impl RecordError {
    /// Returns a function that adds the path to an error of the system.
    pub(crate) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> RecordError + use<> {
        let path = path.to_owned();
        move |error| RecordError::Io { path, error }
    }
}

/// What is known of a dispatch beside its registers.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Name for the folder and the list: that of the kernel in the source, for example.
    pub name: &'a str,
    /// LLVM's name of the chip.
    pub chip: &'a str,
    /// The code object that the code comes from, if it is known.
    pub object: Option<Object<'a>>,
    /// Guest address of the kernarg segment, if there is one.
    pub kernarg: Option<u64>,
    /// Guest address of the dispatch packet, if there is one.
    pub packet: Option<u64>,
    /// Work-items of the grid.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub group: [u32; 3],
    /// Address and size of each allocation.
    pub allocations: &'a [(u64, u64)],
}

/// A code object in guest memory.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// The bytes of the object.
    pub bytes: &'a FileBytes,
    /// Number that is added to an address of the object to get the guest address.
    pub moved: u64,
    /// Name of the kernel: the symbol of its function.
    pub kernel: &'a str,
}

/// A dispatch that ran.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// How it ran.
    pub run: Run,
    /// Name of its folder; `None` if it has none.
    pub folder: Option<String>,
    /// Why it has none.
    pub reason: Option<String>,
    /// What kept the list from being written.
    pub error: Option<RecordError>,
}

/// Why a launch has no folder.
struct NotWritten {
    reason: String,
    /// Whether it faults, and did not before.
    has_fault: bool,
}

/// Records dispatches into a folder. Several threads, and several processes, may record into one.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    limit: u64,
    only: Vec<String>,
    codes: Codes,
    objects: Objects,
    replay: Replay,
    list: Mutex<List>,
}

impl Recorder {
    /// Begins a recording in a folder, which is made if it does not exist. What is recorded has at most `limit` bytes;
    /// further dispatches have no folders.
    ///
    /// # Errors
    /// [`RecordError`] if there is anything in the folder, or it cannot be written.
    pub fn create(folder: &Path, limit: u64) -> Result<Recorder, RecordError> {
        std::fs::create_dir_all(folder).map_err(RecordError::at(folder))?;
        if List::path(folder).exists() {
            return Err(RecordError::Exists(folder.to_owned()));
        }
        let mut entries = std::fs::read_dir(folder).map_err(RecordError::at(folder))?;
        match entries.next() {
            Some(_) => Err(RecordError::NotEmpty(folder.to_owned())),
            None => Recorder::join(folder, limit),
        }
    }

    /// Goes on with a recording, which may be one that other processes write, or begins one.
    ///
    /// # Errors
    /// [`RecordError`] if it cannot be written.
    pub fn join(folder: &Path, limit: u64) -> Result<Recorder, RecordError> {
        std::fs::create_dir_all(folder).map_err(RecordError::at(folder))?;
        let list = List::open(folder)?;
        Ok(Recorder {
            folder: folder.to_owned(),
            limit,
            only: Vec::new(),
            codes: Codes::default(),
            objects: Objects::default(),
            replay: Replay::default(),
            list: Mutex::new(list),
        })
    }

    /// Records only kernels with one of these in their name; others have no folders.
    #[must_use]
    pub fn only(mut self, names: impl IntoIterator<Item = String>) -> Recorder {
        self.only.extend(names);
        self
    }

    /// Returns the folder of the recording.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a dispatch, on one thread, and records it. It has no folder if `disturbed` says afterwards why memory may
    /// have changed meanwhile.
    ///
    /// # Errors
    /// [`DispatchError`] if it cannot run.
    pub fn run(
        &self,
        dispatch: &Dispatch,
        about: &About<'_>,
        request: Request<'_, '_>,
        disturbed: &dyn Fn() -> Option<String>,
    ) -> Result<Recorded, DispatchError> {
        let max_insts = request.max_insts;
        let code = self.codes.reached(dispatch, about, &self.objects);
        let kernarg_size = self.objects.kernarg_size(about);
        let traced = Request { observers: &mut *request.observers, ..request };
        let traced = dispatch.run_traced(traced, |run, accessed| {
            let is_alone = || disturbed().map_or(Ok(()), Err);
            let capture = is_alone().map(|()| Capture::new(dispatch, about, kernarg_size, &code, &accessed));
            (run, capture.and_then(|capture| is_alone().map(|()| capture)))
        });
        let (run, capture) = match traced {
            Ok(traced) => traced,
            // There is no memory for marks. Nothing has run.
            Err(error @ DispatchError::NoRoom { .. }) => {
                let run = dispatch.run_beside(request)?;
                return Ok(self.note(about, run, error.to_string()));
            }
            Err(error) => return Err(error),
        };
        let recorded = capture.and_then(|capture| self.record(dispatch, about, max_insts, &run, code, &capture));
        let (form, folder) = match recorded {
            Ok((form, folder)) => (Some(form), Ok(folder)),
            Err(reason) => (None, Err(reason)),
        };
        Ok(self.finish(about, run, form, folder))
    }

    /// Adds the line of a dispatch that ran and has no folder, with the reason.
    pub fn note(&self, about: &About<'_>, run: Run, reason: String) -> Recorded {
        self.finish(about, run, None, Err(reason))
    }

    fn list(&self) -> MutexGuard<'_, List> {
        // Nobody panics halfway through a change.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns why a dispatch is not recorded, if that is known before it runs.
    pub fn refusal(&self, about: &About<'_>) -> Option<String> {
        let names = || [Some(about.name), about.object.map(|object| object.kernel)].into_iter().flatten();
        let is_named = |wanted: &String| names().any(|name| name.contains(wanted.as_str()) || means(name, wanted));
        if !self.only.is_empty() && !self.only.iter().any(is_named) {
            return Some("not asked for".to_owned());
        }
        (self.list().bytes() >= self.limit).then(|| self.over())
    }

    fn over(&self) -> String {
        format!("the recording has its {} bytes", self.limit)
    }

    /// Writes the folder of a dispatch that ran, in the first form that does the same again. Returns the form.
    fn record(
        &self,
        dispatch: &Dispatch,
        about: &About<'_>,
        max_insts: Option<u64>,
        run: &Run,
        code: code::Reached,
        capture: &Capture,
    ) -> Result<(&'static str, Folder), String> {
        let outcome = run.outcome.as_ref().map_err(|error| format!("{}: it did not end", error.name()))?;
        let expected = replay::Expected { outcome: outcome.name(), instructions: run.instructions };
        // Four times as much as it took is no end for all practical purposes.
        let most = max_insts.unwrap_or(u64::MAX).min(run.instructions.saturating_mul(4).max(1 << 20));
        let most = if outcome.name() == "budget" { max_insts.unwrap_or(most) } else { most };
        let finish = |launch: &mut Value| {
            launch["name"] = about.name.into();
            launch["max_insts"] = most.into();
            if outcome.name() != "ended" {
                launch["expect"]["outcome"] = outcome.name().into();
            }
        };
        let mut why = String::new();
        if let Some(launch) = self.objects.launch(dispatch, about, capture) {
            match self.write(launch, &finish, &expected, dispatch) {
                Ok(folder) => return Ok(("kernel", folder)),
                Err(NotWritten { reason, .. }) => why = reason,
            }
        }
        if let Some(reason) = &capture.refusal {
            return Err(reason.clone());
        }
        let mut next = Some(code);
        while let Some(code) = next.take() {
            let launch = registers::launch(dispatch, about, &code, capture);
            match self.write(launch, &finish, &expected, dispatch) {
                Ok(folder) => return Ok(("registers", folder)),
                Err(NotWritten { reason, has_fault }) => {
                    why = reason;
                    // It may have reached code that is not there.
                    next = if has_fault { code.whole(dispatch) } else { None };
                }
            }
        }
        Err(why)
    }

    /// Writes a launch file with what it names, and runs it.
    fn write(
        &self,
        launch: folder::Launch,
        finish: &dyn Fn(&mut Value),
        expected: &replay::Expected<'_>,
        dispatch: &Dispatch,
    ) -> Result<Folder, NotWritten> {
        let folder::Launch { mut tree, files } = launch;
        finish(&mut tree["launch"][0]);
        let left = self.limit.saturating_sub(self.list().bytes());
        let folder = Folder::write(&self.folder, &tree, files, left).map_err(|error| {
            let reason = match error {
                folder::Failed::TooLarge => self.over(),
                folder::Failed::Io(error) => error.to_string(),
            };
            NotWritten { reason, has_fault: false }
        })?;
        match self.replay.check(folder.path(), expected, dispatch) {
            Ok(()) => Ok(folder),
            Err(replay::Difference { what, has_fault }) => {
                let reason = format!("it does not do the same again ({what}): memory changed while it ran");
                Err(NotWritten { reason, has_fault })
            }
        }
    }

    /// Writes the line of a dispatch into the list.
    fn finish(
        &self,
        about: &About<'_>,
        run: Run,
        form: Option<&'static str>,
        folder: Result<Folder, String>,
    ) -> Recorded {
        let outcome = match &run.outcome {
            Ok(outcome) => outcome.name(),
            Err(error) => error.name(),
        };
        let (folder, mut reason) = match folder {
            Ok(folder) => (Some(folder), None),
            Err(reason) => (None, Some(reason)),
        };
        let line = Line {
            schema: SCHEMA,
            index: 0,
            name: about.name,
            kernel: about.object.map(|object| object.kernel),
            chip: about.chip,
            grid: about.grid,
            group: about.group,
            instructions: run.instructions,
            outcome,
            run_ns: run.stats.run_ns,
            form,
            folder: None,
            bytes: 0,
            reason: reason.as_deref(),
        };
        let added = self.list().add(line, folder);
        let (folder, error) = match added {
            Ok(folder) => (folder, None),
            Err(error) => {
                reason = Some(error.to_string());
                (None, Some(error))
            }
        };
        Recorded { run, folder, reason, error }
    }
}
