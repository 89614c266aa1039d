//! Code objects on a device, and their kernels.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use gcnsim_loader::nearest;

use super::device::Device;
use super::error::error;
use super::launch::Request;
use super::run::Run;
use super::trace::Trace;

/// A code object on a device: Device.load(..). It maps names to kernels: `module["saxpy"]`, `list(module)`.
#[pyclass(frozen, mapping, module = "gcnsim")]
pub(crate) struct Module {
    /// The objects of the file.
    pub(crate) parts: Vec<gcnsim_device::Module>,
    #[pyo3(get)]
    pub(crate) device: Py<Device>,
}

impl Module {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(gcnsim_device::Module::kernels)
    }
}

#[pymethods]
impl Module {
    /// The kernel with this name: its symbol, or its name in C++ without its parameters if that is unique.
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        let found = self.parts.iter().find_map(|part| part.kernel(name).ok());
        let kernel = found.ok_or_else(|| {
            let near = nearest::question(name, self.names());
            let held: Vec<&str> = self.names().take(20).collect();
            let near = if near.is_empty() { format!("; there are {}", held.join(", ")) } else { near };
            error(format_args!("there is no kernel '{name}'{near}"))
        })?;
        Ok(Kernel { kernel, device: self.device.clone_ref(py) })
    }

    fn __contains__(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.kernel(name).is_ok())
    }

    fn __len__(&self) -> usize {
        self.names().count()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    /// keys(): the names of the kernels.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.names().collect::<Vec<_>>())
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.Module of {} kernels>", self.__len__())
    }
}

/// A kernel of a module: module["saxpy"].
///
/// kernel(grid, group, *args) launches it on `grid` work-items in groups of `group`: one to three numbers each, or one
/// int. Arguments, in the order of the source:
///
/// an array (anything with the buffer protocol)  for a pointer; what the kernel writes is in the array afterwards
/// Buffer, Buffer.at(offset), None               for a pointer
/// a number of numpy or ctypes                   for a value
/// int, float                                    for a value whose type the object states
/// local(nbytes)                                 for a pointer to LDS
/// Image, Sampler, Image.descriptor()            for images and samplers
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Kernel {
    pub(crate) kernel: gcnsim_device::Kernel,
    #[pyo3(get)]
    pub(crate) device: Py<Device>,
}

#[pymethods]
impl Kernel {
    /// The name: the symbol in the object.
    #[getter]
    fn name(&self) -> &str {
        self.kernel.name()
    }

    /// The arguments: a list of dicts with name, type, kind, size, as far as the object states them; None if it does
    /// not.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyDict>>>> {
        let Some(stated) = self.kernel.arguments() else { return Ok(None) };
        let dict = |arg: &&gcnsim_loader::code_object::metadata::Arg| {
            let dict = PyDict::new(py);
            dict.set_item("name", &arg.name)?;
            dict.set_item("type", &arg.type_name)?;
            dict.set_item("kind", format!("{:?}", arg.kind).to_lowercase())?;
            dict.set_item("size", arg.size)?;
            Ok(dict)
        };
        stated.iter().map(dict).collect::<PyResult<_>>().map(Some)
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.Kernel {}>", self.kernel.name())
    }

    /// Launches the kernel: launch(grid, group, *args) without options.
    #[pyo3(signature = (grid, group, *args))]
    fn __call__(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        group: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<Run> {
        Request::new(self, grid, group, args, None)?.run(py)
    }

    /// launch(grid, group, *args, offset=None, profile=False, sanitize=None, raise_=False): launches the kernel, and
    /// returns a Run.
    ///
    /// offset:   what is added to global ids: one to three numbers
    /// profile:  measures one run, and counts in a second one: Run.profile. On one thread
    /// sanitize: looks for mistakes in a further run: "race", "uninit", "bounds", with commas between them, or True for
    ///           all three: Run.findings
    /// raise_:   raises Fault if the launch does not end
    ///
    /// All runs start from the same memory, and leave what one launch leaves.
    #[pyo3(signature = (grid, group, *args, offset=None, profile=false, sanitize=None, raise_=false))]
    #[expect(clippy::too_many_arguments, reason = "they are those of the function in Python")]
    fn launch(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        group: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        offset: Option<&Bound<'_, PyAny>>,
        profile: bool,
        sanitize: Option<&Bound<'_, PyAny>>,
        raise_: bool,
    ) -> PyResult<Run> {
        let mut request = Request::new(self, grid, group, args, offset)?;
        request.profile = profile;
        request.sanitize(sanitize)?;
        let run = request.run(py)?;
        if raise_ { run.or_raise(py) } else { Ok(run) }
    }

    /// trace(grid, size, *args, group=(0, 0, 0), wave=0, most=100000, offset=None): launches the kernel on groups of
    /// `size` work-items, and returns the instructions that one wave executes, up to `most`: a Trace of Steps.
    #[pyo3(signature = (grid, size, *args, group=None, wave=0, most=100_000, offset=None))]
    #[expect(clippy::too_many_arguments, reason = "they are those of the function in Python")]
    fn trace(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        group: Option<&Bound<'_, PyAny>>,
        wave: u32,
        most: usize,
        offset: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Trace> {
        Request::new(self, grid, size, args, offset)?.trace(py, group, wave, most)
    }
}
