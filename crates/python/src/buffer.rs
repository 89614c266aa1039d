//! Memory of a device that stays.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use gcnsim_device::{Buffer, Slice};

use super::device::Device;
use super::error::{OrError, error};
use super::view::View;

/// The class behind `gcnsim.Buffer`, without the buffer protocol (`export.rs`).
#[pyclass(frozen, subclass, name = "BufferBase", module = "gcnsim._gcnsim")]
pub(crate) struct BufferBase {
    pub(crate) memory: Buffer,
    #[pyo3(get)]
    device: Py<Device>,
    /// The name that faults and findings have for it.
    #[pyo3(get)]
    name: String,
}

#[pymethods]
impl BufferBase {
    /// Makes a buffer: Device.buffer(data, name).
    #[new]
    #[pyo3(signature = (device, data, name="buffer"))]
    fn new(device: &Bound<'_, Device>, data: &Bound<'_, PyAny>, name: &str) -> PyResult<BufferBase> {
        let owner = &device.get().device;
        let memory = if View::is_of(data) {
            let view = View::of(data).map_err(|problem| error(problem.value(data.py())))?;
            let memory = owner.alloc_named(name, view.len() as u64).or_error()?;
            memory.write(0, view.bytes()).or_error()?;
            memory
        } else {
            let bytes = data.extract::<u64>().map_err(|_| {
                error(format_args!("a buffer is made of an array, or of a number of bytes, not of {data}"))
            })?;
            owner.alloc_named(name, bytes).or_error()?
        };
        Ok(BufferBase { memory, device: device.clone().unbind(), name: name.to_owned() })
    }

    /// The address in the memory of the device.
    #[getter]
    fn address(&self) -> u64 {
        self.memory.address()
    }

    /// The size in bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.memory.len()
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.memory.len()).unwrap_or(usize::MAX)
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.Buffer {} at {:#x}: {} bytes>", self.name, self.memory.address(), self.memory.len())
    }

    /// read(dtype=None): the memory itself, without a copy: as an array of numpy with this dtype, without one as a
    /// memoryview of bytes. Later launches change it; .copy() keeps what it holds now.
    #[pyo3(signature = (dtype=None))]
    fn read<'py>(slf: &Bound<'py, Self>, dtype: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let Some(dtype) = dtype else { return Ok(PyMemoryView::from(slf.as_any())?.into_any()) };
        slf.py().import("numpy")?.call_method1("frombuffer", (slf, dtype))
    }

    /// tobytes(): a copy of all bytes.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, self.__len__(), |bytes| self.memory.read(0, bytes).or_error())
    }

    /// write(array, offset=0): copies the bytes of an array to byte `offset` of the buffer and on.
    #[pyo3(signature = (array, offset=0))]
    fn write(&self, array: &Bound<'_, PyAny>, offset: u64) -> PyResult<()> {
        let view = View::of(array)?;
        self.memory.write(offset, view.bytes()).or_error()
    }

    /// fill(byte=0): sets all bytes.
    #[pyo3(signature = (byte=0))]
    fn fill(&self, byte: u8) {
        self.memory.fill(byte);
    }

    /// at(offset): a pointer to byte `offset`, as an argument of a launch.
    fn at(slf: &Bound<'_, Self>, offset: u64) -> PyResult<Pointer> {
        let slice = slf.get().memory.slice(offset..).or_error()?;
        Ok(Pointer { slice, buffer: slf.clone().unbind().into_any() })
    }
}

/// A pointer into a buffer, as an argument: Buffer.at(offset).
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Pointer {
    pub(crate) slice: Slice,
    /// The buffer that it points into.
    #[pyo3(get)]
    buffer: Py<PyAny>,
}

#[pymethods]
impl Pointer {
    /// The address in the memory of the device.
    #[getter]
    fn address(&self) -> u64 {
        self.slice.address()
    }

    /// The number of bytes up to the end of the buffer.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.slice.len()
    }
}
