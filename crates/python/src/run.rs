//! What a launch gives.

use pyo3::prelude::*;

use gcnsim_device::Dispatch;
use gcnsim_device::printf::Printed;
use gcnsim_launches::findings::Findings;
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::report::{Stop, run_report};
use gcnsim_launches::why;
use gcnsim_loader::code_object::metadata::KernelMetadata;
use gcnsim_machine::Outcome;

use super::error::{Fault, of_json};
use super::launch::Given;
use super::module::Kernel;

/// What a launch gives. `bool(run)` says whether it ended.
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Run {
    #[pyo3(get)]
    kernel: Py<Kernel>,
    run: gcnsim_engine::Run,
    /// The dispatch of a run that did not end.
    stopped: Option<Box<Dispatch>>,
    printed: Printed,
    profile: Option<String>,
    findings: Option<Findings>,
}

impl Run {
    pub(crate) fn new(kernel: Py<Kernel>, given: Given) -> Run {
        let Given { run, dispatch, printed, profile, findings } = given;
        let stopped = (!run.has_ended()).then(|| Box::new(dispatch));
        Run { kernel, run, stopped, printed, profile, findings }
    }

    fn outcome_of(&self) -> Outcome {
        // A failure of the engine became an exception.
        self.run.outcome.clone().unwrap_or(Outcome::Budget)
    }

    /// The report of a run that did not end, as JSON.
    fn report(&self) -> Option<String> {
        let (dispatch, kernel) = (self.stopped.as_deref()?, &self.kernel.get().kernel);
        let object = kernel.module().object();
        let pc = self.run.outcome.as_ref().ok().and_then(Outcome::detail).map(|detail| detail.pc);
        let source = pc.and_then(|pc| SourceLines::of(&object.bytes).at(dispatch.address_of_file(pc)));
        let wants = kernel.stated().metadata.as_ref().map(KernelMetadata::unprovided).unwrap_or_default();
        let stop = Stop { dispatch, source: source.as_deref(), wants: &wants };
        let engine = dispatch.run_options().engine.name();
        serde_json::to_string(&run_report(object.arch.name(), engine, &self.run, &stop)).ok()
    }

    /// The outcome in words: with kind, access, address, place and nearest buffer of a fault.
    fn words(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.kernel.get().kernel.name().to_owned();
        let outcome = self.outcome_of();
        let detail = self.detail(py)?;
        let text = |key: &str| -> PyResult<Option<String>> {
            let value = detail.call_method1("get", (key,))?;
            if value.is_none() { Ok(None) } else { value.str()?.extract().map(Some) }
        };
        let mut words = format!("{name}: {}", outcome.name());
        if detail.is_none() {
            return Ok(words);
        }
        words += &text("kind")?.map_or(String::new(), |kind| format!(" ({kind})"));
        if let (Some(access), Some(bytes), Some(address)) = (text("access")?, text("bytes")?, text("address")?) {
            words += &format!(": {access} of {bytes} bytes at {address}");
        }
        if let Some(mnemonic) = text("mnemonic")? {
            words += &format!(", {mnemonic} at {}", text("pc")?.unwrap_or_default());
        }
        for (key, before) in [("source", ", "), ("group", ", group "), ("wave", " wave "), ("lane", " lane ")] {
            words += &text(key)?.map_or(String::new(), |value| before.to_owned() + value.trim_matches(['[', ']']));
        }
        let near = detail.call_method1("get", ("near",))?;
        if !near.is_none() {
            let get = |key: &str| near.get_item(key)?.str()?.extract::<String>();
            words += &match get("distance")?.as_str() {
                "0" => format!(", in {}", get("buffer")?),
                "1" => format!(", 1 byte {} {}", get("side")?, get("buffer")?),
                distance => format!(", {distance} bytes {} {}", get("side")?, get("buffer")?),
            };
        }
        Ok(words)
    }

    /// Returns the run if it ended, else raises it.
    pub(crate) fn or_raise(self, py: Python<'_>) -> PyResult<Run> {
        if self.run.has_ended() {
            return Ok(self);
        }
        let fault = Fault::new_err(self.words(py)?);
        fault.value(py).setattr("run", Py::new(py, self)?)?;
        Err(fault)
    }
}

#[pymethods]
impl Run {
    /// How it ended: "ended", "fault", "budget", "unsupported", "trap", "halted".
    #[getter]
    fn outcome(&self) -> &'static str {
        self.outcome_of().name()
    }

    /// Where and why a run stopped that did not end: the dict `detail` of results (docs/refer/results.md). None if it
    /// ended.
    #[getter]
    fn detail<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.report() {
            Some(report) => of_json(py, &report)?.get_item("detail"),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// The number of instructions that waves have completed.
    #[getter]
    fn instructions(&self) -> u64 {
        self.run.instructions
    }

    /// The codes of notes: choices of ours that a result depends on (docs/refer/fidelity.md).
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.run.notes.codes().iter().map(ToString::to_string).collect()
    }

    /// The text that the kernel has printed.
    #[getter]
    fn printed(&self) -> String {
        String::from_utf8_lossy(&self.printed.text).into_owned()
    }

    /// Why some of the printed text is missing; None if it is all there.
    #[getter]
    fn printed_missing(&self) -> Option<String> {
        self.printed.missing.as_ref().map(ToString::to_string)
    }

    /// The profile of launch(.., profile=True): a gcnsim.Profile. None without.
    #[getter]
    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(text) = &self.profile else { return Ok(None) };
        let profile = py.import("gcnsim._profile")?.getattr("Profile")?;
        profile.call1((of_json(py, text)?,)).map(Some)
    }

    /// The findings of launch(.., sanitize=..): a list of dicts (docs/use/sanitize.md). None without.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(findings) = &self.findings else { return Ok(None) };
        let text = serde_json::to_string(&findings.findings).map_err(super::error::error)?;
        of_json(py, &text).map(Some)
    }

    /// The findings as text for people. None without.
    #[getter]
    fn findings_text(&self) -> Option<String> {
        self.findings.as_ref().map(Findings::text)
    }

    /// Seconds in which waves ran, summed over all threads.
    #[getter]
    fn seconds(&self) -> f64 {
        self.run.stats.run_ns as f64 / 1e9
    }

    /// Seconds in which code was compiled.
    #[getter]
    fn compile_seconds(&self) -> f64 {
        self.run.stats.compile_ns as f64 / 1e9
    }

    /// Why one thread ran all groups, in words; None if several did.
    #[getter]
    fn one_thread(&self) -> Option<&'static str> {
        self.run.one_thread.map(why)
    }

    fn __bool__(&self) -> bool {
        self.run.has_ended()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<gcnsim.Run of {}, {} instructions>", self.words(py)?, self.run.instructions))
    }
}
