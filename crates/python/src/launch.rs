//! Launches.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use gcnsim_device::printf::Printed;
use gcnsim_device::{Dispatch, DispatchError, Launch};
use gcnsim_engine::Observer;
use gcnsim_launches::findings::Findings;
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::profile::{Counter, Profile, Timed};
use gcnsim_sanitize::{Checks, Sanitizer};

use super::arguments::Arguments;
use super::device::Device;
use super::error::{OrError, error, of_engine};
use super::interrupt::Guard;
use super::module::Kernel;
use super::run::Run;
use super::trace::{Collector, Trace};

/// A launch that is asked for.
pub(crate) struct Request<'k> {
    kernel: &'k Kernel,
    grid: Vec<u32>,
    group: Vec<u32>,
    offset: [u64; 3],
    arguments: Arguments,
    pub(crate) profile: bool,
    sanitize: Option<Checks>,
}

/// What a launch has given.
pub(crate) struct Given {
    pub(crate) run: gcnsim_engine::Run,
    pub(crate) dispatch: Dispatch,
    pub(crate) printed: Printed,
    /// The profile as JSON.
    pub(crate) profile: Option<String>,
    pub(crate) findings: Option<Findings>,
}

/// Returns one to three numbers: an int, or a sequence of ints.
fn sizes<'py, T: FromPyObjectOwned<'py>>(what: &str, given: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    let wrong = || error(format_args!("{what}={given}: one to three numbers are expected, as in (1024,)"));
    if let Ok(one) = given.extract::<T>() {
        return Ok(vec![one]);
    }
    let list = given.try_iter().map_err(|_| wrong())?.map(|item| item?.extract::<T>().map_err(Into::into));
    let list = list.collect::<PyResult<Vec<T>>>().map_err(|_| wrong())?;
    if (1..=3).contains(&list.len()) { Ok(list) } else { Err(wrong()) }
}

/// Returns three numbers, of which those that are not given are `rest`.
fn three<T: Copy>(list: &[T], rest: T) -> [T; 3] {
    std::array::from_fn(|axis| list.get(axis).copied().unwrap_or(rest))
}

impl<'k> Request<'k> {
    pub(crate) fn new(
        kernel: &'k Kernel,
        grid: &Bound<'_, PyAny>,
        group: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        offset: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Request<'k>> {
        let offset = offset.map(|offset| sizes("offset", offset)).transpose()?.unwrap_or_default();
        Ok(Request {
            kernel,
            grid: sizes("grid", grid)?,
            group: sizes("group", group)?,
            offset: three(&offset, 0),
            arguments: Arguments::new(&kernel.kernel, args)?,
            profile: false,
            sanitize: None,
        })
    }

    /// Sets the checks that are asked for: their names, True for all, None or False for none.
    pub(crate) fn sanitize(&mut self, checks: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(checks) = checks else { return Ok(()) };
        self.sanitize = match checks.extract::<bool>() {
            Ok(all) => all.then_some(Checks::ALL),
            Err(_) => Some(Checks::parse(&checks.extract::<String>()?).map_err(error)?),
        };
        Ok(())
    }

    pub(crate) fn run(self, py: Python<'_>) -> PyResult<Run> {
        let (kernel, result) = self.with_device(py, |request| request.runs())?;
        Ok(Run::new(kernel, result))
    }

    /// Runs the launch, and returns what one wave did.
    pub(crate) fn trace(
        self,
        py: Python<'_>,
        group: Option<&Bound<'_, PyAny>>,
        wave: u32,
        most: usize,
    ) -> PyResult<Trace> {
        let group = three(&group.map(|group| sizes("group", group)).transpose()?.unwrap_or_default(), 0);
        self.check_wave(group, wave)?;
        let lines = SourceLines::of(&self.kernel.kernel.module().object().bytes);
        let mut collector = Collector::new(group, wave, most, lines);
        let (kernel, result) = self.with_device(py, |request| request.once(Some(&mut collector), false))?;
        let run = Py::new(py, Run::new(kernel, result))?;
        Ok(Trace { steps: collector.steps, run })
    }

    /// Checks that there is such a wave.
    fn check_wave(&self, group: [u32; 3], wave: u32) -> PyResult<()> {
        let (grid, size) = (three(&self.grid, 1), three(&self.group, 1));
        let groups: [u32; 3] = std::array::from_fn(|axis| grid[axis].div_ceil(size[axis].max(1)));
        let waves = size.iter().map(|&size| u64::from(size)).product::<u64>().div_ceil(64);
        if (0..3).all(|axis| group[axis] < groups[axis]) && u64::from(wave) < waves {
            return Ok(());
        }
        let [x, y, z] = groups;
        Err(error(format_args!("no wave {wave} in group {group:?}: there are {x} x {y} x {z} groups of {waves} waves")))
    }

    /// Runs something with the device for itself, detached from Python, and copies arrays back.
    fn with_device(
        mut self,
        py: Python<'_>,
        work: impl FnOnce(&Request<'_>) -> Result<Given, DispatchError> + Send,
    ) -> PyResult<(Py<Kernel>, Given)> {
        let device: &Device = self.kernel.device.get();
        let request = &self;
        let given = py.detach(|| {
            let _turn = device.turn.lock().unwrap_or_else(PoisonError::into_inner);
            device.stop.store(false, Ordering::SeqCst);
            let _guard = Guard::new(&device.stop);
            work(request)
        });
        let given = given.or_error()?;
        self.arguments.write_back()?;
        if let Err(failure) = &given.run.outcome {
            return Err(of_engine(py, failure));
        }
        let kernel = Kernel { kernel: self.kernel.kernel.clone(), device: self.kernel.device.clone_ref(py) };
        Ok((Py::new(py, kernel)?, given))
    }

    /// Runs the launch, and again from the same memory for whoever has to watch.
    fn runs(&self) -> Result<Given, DispatchError> {
        let device = self.kernel.kernel.module().device();
        let before = (self.profile || self.sanitize.is_some()).then(|| device.snapshot());
        let mut given = self.once(None, self.profile)?;
        let Some(before) = before.filter(|_| given.run.outcome.is_ok()) else { return Ok(given) };
        let object = self.kernel.kernel.module().object();
        let lines = SourceLines::of(&object.bytes);
        if self.profile {
            let mut counter = Counter::default();
            device.restore(&before);
            let counted = self.once(Some(&mut counter), false)?;
            let name = self.kernel.kernel.name();
            let timed = Timed { kernel: name, run: &given.run, dispatch: &given.dispatch };
            match Profile::new(name, object, &timed, &counter, &lines) {
                Ok(profile) => given.profile = Some(profile.to_json()),
                Err(failure) => given.run.outcome = Err(failure),
            }
            given.run.outcome = given.run.outcome.and(counted.run.outcome);
        }
        if let Some(checks) = self.sanitize.filter(|_| given.run.outcome.is_ok()) {
            let mut sanitizer = Sanitizer::of_kernel(checks, object, Some(self.kernel.kernel.name()));
            device.restore(&before);
            let watched = self.once(Some(&mut sanitizer), false)?;
            given.findings = Some(sanitizer.into_findings(&lines));
            given.run.outcome = given.run.outcome.and(watched.run.outcome);
        }
        Ok(given)
    }

    /// Runs the launch once.
    fn once(&self, observer: Option<&mut dyn Observer>, is_timed: bool) -> Result<Given, DispatchError> {
        let mut printed = Printed::default();
        let mut launch: Launch<'_> = self.kernel.kernel.launch(&self.grid, &self.group).offset(self.offset);
        for argument in &self.arguments.list {
            launch = launch.arg(argument.clone());
        }
        if let Some(observer) = observer {
            launch = launch.observe(observer);
        }
        if is_timed {
            launch = launch.time_regions();
        }
        let (run, dispatch) = launch.print_to(&mut printed).run_dispatch()?;
        Ok(Given { run, dispatch, printed, profile: None, findings: None })
    }
}
