//! The device.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use gcnsim_device::DeviceOptions;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{FileBytes, LoadError, TargetChoice, restore};

use super::error::{OrError, error};
use super::export::buffer_type;
use super::image::Image;
use super::module::Module;
use super::view::View;

/// Device(chip="gfx900", jobs=None, check=False, max_insts=None): a simulated GPU with memory of its own.
///
/// chip:      LLVM's name or a target id (gfx803, gfx906:xnack-), the name of an ASIC (fiji, vega10), or a generation
/// jobs:      most threads; None means all cores. Results are always those of one thread
/// check:     checks every execution of compiled code against the interpreter, and not the first 64 of each region
/// max_insts: most instructions of a launch; one that needs more has the outcome "budget"
///
/// Launches of one device run one after the other, whatever thread starts them. Two devices have nothing in common.
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Device {
    pub(crate) device: gcnsim_device::Device,
    target: TargetChoice,
    /// The flag that ends the launch that runs.
    pub(crate) stop: Arc<AtomicBool>,
    /// Who holds it has the device for several runs of one launch.
    pub(crate) turn: Mutex<()>,
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (chip="gfx900", jobs=None, check=false, max_insts=None))]
    fn new(chip: &str, jobs: Option<usize>, check: bool, max_insts: Option<u64>) -> PyResult<Device> {
        let target = chip.parse::<TargetChoice>().or_error()?;
        if jobs == Some(0) {
            return Err(error("jobs=0: a launch needs a thread; None means all cores"));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let engine = if check { EngineKind::Check } else { EngineKind::default() };
        let run = RunOptions::default().engine(engine).max_insts(max_insts).stop(stop.clone());
        let mut options = DeviceOptions::default().run(run);
        options.jobs = jobs;
        let device = gcnsim_device::Device::new(target.arch, options);
        Ok(Device { device, target, stop, turn: Mutex::default() })
    }

    /// The chip, or the generation if no chip was named.
    #[getter]
    fn chip(&self) -> String {
        self.target.to_string()
    }

    /// The generation: gcn1.0, gcn1.1, gcn1.2, gcn1.4 or gcn1.4.1.
    #[getter]
    fn arch(&self) -> &'static str {
        self.target.arch.name()
    }

    fn __repr__(&self) -> String {
        format!("gcnsim.Device({:?})", self.chip())
    }

    /// load(path_or_bytes): puts a code object on the device. It may be in a bundle, an archive, an executable of HIP;
    /// then the parts for the device's chip are taken.
    fn load(slf: &Bound<'_, Self>, file: &Bound<'_, PyAny>) -> PyResult<Module> {
        let (bytes, name) = if View::is_of(file) {
            (View::of(file)?.bytes().to_vec().into(), None)
        } else {
            let path: PathBuf = file.extract()?;
            let named = |problem: LoadError| error(format_args!("{}: {problem}", path.display()));
            (FileBytes::read_code(&path).map_err(named)?, Some(path.display().to_string()))
        };
        let device = slf.get();
        let objects = slf.py().detach(|| device.objects(&bytes));
        let named = |problem| match &name {
            Some(name) => error(format_args!("{name}: {problem}")),
            None => error(problem),
        };
        let objects = objects.map_err(named)?;
        let parts = objects.into_iter().map(|object| device.device.load(&Arc::new(object)).or_error());
        Ok(Module { parts: parts.collect::<PyResult<_>>()?, device: slf.clone().unbind() })
    }

    /// buffer(data, name="buffer"): memory that stays on the device. It holds a copy of an array; of a number it has
    /// so many bytes, which are 0. Faults and findings call it by its name.
    #[pyo3(signature = (data, name="buffer"))]
    fn buffer<'py>(slf: &Bound<'py, Self>, data: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        buffer_type(slf.py())?.call1((slf, data, name))
    }

    /// image(type, size, format, layers=None, levels=None, data=None): an image. Types, formats (Vulkan's names in
    /// lower case) and limits are those of launch files (docs/use/launch-contents.md): image("2d", (16, 8),
    /// "r8g8b8a8_unorm"). It holds a copy of the texels in `data`, or zeros.
    #[pyo3(signature = (r#type, size, format, layers=None, levels=None, data=None))]
    fn image(
        slf: &Bound<'_, Self>,
        r#type: &str,
        size: &Bound<'_, PyAny>,
        format: &str,
        layers: Option<u64>,
        levels: Option<u64>,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Image> {
        let keys = PyDict::new(slf.py());
        keys.set_item("type", r#type)?;
        keys.set_item("size", size)?;
        keys.set_item("format", format)?;
        for (key, count) in [("layers", layers), ("levels", levels)] {
            if let Some(count) = count {
                keys.set_item(key, count)?;
            }
        }
        Image::new(slf.get(), &keys, data)
    }
}

impl Device {
    /// Returns the code objects of a file that are for the device's chip.
    fn objects(&self, bytes: &FileBytes) -> Result<Vec<CodeObject>, LoadError> {
        let (bytes, _) = restore(bytes, Some(self.target.arch));
        Ok(CodeObject::choose_parts(&bytes, Some(&self.target), None)?.0)
    }
}
