//! Images and samplers.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use gcnsim_device::images;
use gcnsim_launches::launch::{sampler_of_json, shape_of_json};

use super::device::Device;
use super::error::{OrError, error, to_json};
use super::view::View;

/// An image of a device: Device.image(type, size, format, ..). Its bytes are the texels row by row, layer by layer,
/// level by level, without padding.
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Image {
    pub(crate) texels: gcnsim_device::Image,
}

/// The eight dwords that describe an image, as an argument: Image.descriptor().
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Descriptor(pub(crate) gcnsim_device::Image);

impl Image {
    /// Makes an image of the keys that launch files have, and copies `data` to it.
    pub(crate) fn new(device: &Device, keys: &Bound<'_, PyDict>, data: Option<&Bound<'_, PyAny>>) -> PyResult<Image> {
        let shape = shape_of_json(&to_json(keys)?).or_error()?;
        let image = Image { texels: device.device.image(shape).or_error()? };
        if let Some(data) = data {
            let view = View::of(data)?;
            if view.len() as u64 != image.texels.len() {
                let (given, wanted) = (view.len(), image.texels.len());
                return Err(error(format_args!("{given} bytes: {shape} has {wanted} bytes")));
            }
            image.texels.write(0, view.bytes()).or_error()?;
        }
        Ok(image)
    }
}

#[pymethods]
impl Image {
    /// The address of the first texel in the memory of the device.
    #[getter]
    fn address(&self) -> u64 {
        self.texels.address()
    }

    /// The number of bytes of all texels, without padding.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.texels.len()
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.Image {} at {:#x}>", self.texels.shape(), self.texels.address())
    }

    /// read(dtype=None): a copy of the texels: an array of numpy with this dtype, without one bytes.
    #[pyo3(signature = (dtype=None))]
    fn read<'py>(&self, py: Python<'py>, dtype: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let len = usize::try_from(self.texels.len()).unwrap_or(usize::MAX);
        let bytes = PyBytes::new_with(py, len, |bytes| self.texels.read(0, bytes).or_error())?.into_any();
        match dtype {
            Some(dtype) => py.import("numpy")?.call_method1("frombuffer", (bytes, dtype)),
            None => Ok(bytes),
        }
    }

    /// write(array, offset=0): copies the bytes of an array to byte `offset` of the texels and on.
    #[pyo3(signature = (array, offset=0))]
    fn write(&self, array: &Bound<'_, PyAny>, offset: u64) -> PyResult<()> {
        self.texels.write(offset, View::of(array)?.bytes()).or_error()
    }

    /// descriptor(): the eight dwords of its descriptor, for kernels that take these and no image of OpenCL.
    fn descriptor(&self) -> Descriptor {
        Descriptor(self.texels.clone())
    }
}

/// Sampler(**keys): how kernels of OpenCL read an image. The keys are those of launch files
/// (docs/use/launch-contents.md): address, filter, mip, normalized, compare, border, min_lod, max_lod, lod_bias.
#[pyclass(frozen, module = "gcnsim")]
pub(crate) struct Sampler(pub(crate) images::Sampler);

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (**keys))]
    fn new(py: Python<'_>, keys: Option<&Bound<'_, PyDict>>) -> PyResult<Sampler> {
        let none = PyDict::new(py);
        sampler_of_json(&to_json(keys.unwrap_or(&none))?).or_error().map(Sampler)
    }

    fn __repr__(&self) -> String {
        format!("<gcnsim.{:?}>", self.0)
    }
}
