//! The instructions of a wave.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use gcnsim_engine::Observer;
use gcnsim_engine::observe::{At, Needs, Step as Done};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::steps::{Before, Change, written};
use gcnsim_machine::{Context, Wave};

use super::run::Run;

/// An instruction that a wave has executed.
#[pyclass(frozen, module = "gcnsim")]
#[derive(Clone)]
pub(crate) struct Step {
    /// The address in the file.
    #[pyo3(get)]
    pc: u64,
    /// The instruction.
    #[pyo3(get)]
    text: String,
    /// The source line, FILE:LINE, if the object states it.
    #[pyo3(get)]
    source: Option<String>,
    changes: Vec<Change>,
}

#[pymethods]
impl Step {
    /// What the instruction has changed: a dict. A scalar register has its new value; a vector register a list of 64
    /// values, one of each lane; memory and LDS ("y+0x10", "lds+0x0") up to 8 bytes as a number.
    #[getter]
    fn written<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for change in &self.changes {
            match change {
                Change::Scalar { name, value } => dict.set_item(name, value)?,
                Change::Vector { number, is, .. } => {
                    dict.set_item(format!("v{number}"), PyList::new(py, is.iter())?)?
                }
                Change::Written { place, value } => dict.set_item(place, value)?,
            }
        }
        Ok(dict)
    }

    fn __str__(&self) -> String {
        let changes: Vec<String> = self.changes.iter().map(Change::to_string).collect();
        format!("{:06x}  {:<44}  {}", self.pc, self.text, changes.join(" ")).trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.Step {:#x}: {}>", self.pc, self.text)
    }
}

/// The instructions that one wave of a launch has executed, in order: Kernel.trace(..). A sequence of Steps.
#[pyclass(frozen, sequence, module = "gcnsim")]
pub(crate) struct Trace {
    pub(crate) steps: Vec<Step>,
    /// The run of the launch.
    #[pyo3(get)]
    pub(crate) run: Py<Run>,
}

#[pymethods]
impl Trace {
    fn __len__(&self) -> usize {
        self.steps.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Step> {
        let place = if index < 0 { index + self.steps.len().cast_signed() } else { index };
        let step = usize::try_from(place).ok().and_then(|place| self.steps.get(place));
        step.cloned().ok_or_else(|| PyIndexError::new_err(format!("step {index} of {}", self.steps.len())))
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.Trace of {} steps>", self.steps.len())
    }
}

/// Notes what one wave does.
pub(crate) struct Collector {
    group: [u32; 3],
    wave: u32,
    most: usize,
    lines: SourceLines,
    before: Option<Before>,
    pub(crate) steps: Vec<Step>,
}

impl Collector {
    pub(crate) fn new(group: [u32; 3], wave: u32, most: usize, lines: SourceLines) -> Collector {
        Collector { group, wave, most, lines, before: None, steps: Vec::new() }
    }
}

impl Observer for Collector {
    fn needs(&mut self, at: &At<'_>, _wave: &Wave) -> Needs {
        let is_seen = at.group == self.group && at.index == self.wave && self.steps.len() < self.most;
        if is_seen { Needs::WRITES } else { Needs::NOTHING }
    }

    fn before(&mut self, at: &At<'_>, wave: &mut Wave, _context: &mut Context) {
        self.before = Some(Before::of(&at.scene.program, wave));
    }

    fn after(&mut self, at: &At<'_>, done: &Done<'_>, wave: &Wave, context: &Context) {
        let Some(before) = self.before.take().filter(|_| done.executed > 0) else { return };
        let pc = at.scene.address_of_file(done.pc);
        let mut changes = before.registers(wave);
        changes.extend(written(done.writes, &context.space));
        let text = before.inst.map_or_else(|error| format!("<{error}>"), |inst| inst.to_string());
        self.steps.push(Step { pc, text, source: self.lines.at(pc), changes });
    }
}
