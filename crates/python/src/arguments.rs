//! Python objects as arguments of a kernel.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyTuple};

use gcnsim_device::args::{ArgError, ArgValue};
use gcnsim_device::{Argument, Buffer, Device, Kernel};
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};

use super::buffer::{BufferBase, Pointer};
use super::error::{OrError, error};
use super::image::{Descriptor, Image, Sampler};
use super::types::{Bits, Number, Type};
use super::view::View;

/// `local(nbytes)`: dynamic LDS, for a pointer to LDS.
#[pyclass(frozen, name = "local", module = "gcnsim")]
pub(crate) struct Local {
    /// Size in bytes.
    #[pyo3(get)]
    nbytes: u32,
}

#[pymethods]
impl Local {
    #[new]
    fn new(nbytes: u32) -> Local {
        Local { nbytes }
    }

    fn __repr__(&self) -> String {
        format!("gcnsim.local({})", self.nbytes)
    }
}

/// The arguments of a launch, ready for the device.
pub(crate) struct Arguments {
    /// The arguments in order.
    pub(crate) list: Vec<Argument>,
    /// Arrays, each with its place in a buffer of the device.
    arrays: Vec<(View, Buffer, u64)>,
}

/// An argument, before arrays have their buffers.
enum Given {
    Ready(Argument),
    Array(View),
}

/// An argument that a kernel takes: its number, and what the metadata say of it.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    index: usize,
    stated: Option<&'a Arg>,
}

impl Arguments {
    /// Converts arguments for a kernel, and copies arrays to the device.
    pub(crate) fn new(kernel: &Kernel, given: &Bound<'_, PyTuple>) -> PyResult<Arguments> {
        let stated = kernel.arguments();
        if let Some(stated) = stated.as_ref().filter(|stated| stated.len() != given.len()) {
            let parameters = stated.iter().enumerate().map(|(index, arg)| Parameter { index, stated: Some(arg) });
            let names = parameters.map(|parameter| parameter.words()).collect::<Vec<_>>().join(", ");
            return Err(error(ArgError::Count { expected: stated.len(), names, given: given.len() }));
        }
        let parameter = |index| Parameter { index, stated: stated.as_ref().map(|stated| stated[index]) };
        let converted = given.iter().enumerate().map(|(index, object)| parameter(index).given(&object));
        let converted = converted.collect::<PyResult<Vec<Given>>>()?;
        let names: Vec<String> = (0..given.len()).map(|index| parameter(index).name()).collect();
        place(kernel.module().device(), converted, &names)
    }

    /// Copies what kernels have written back to the arrays.
    pub(crate) fn write_back(&mut self) -> PyResult<()> {
        for (view, buffer, at) in &mut self.arrays {
            if let Some(bytes) = view.bytes_mut() {
                buffer.read(*at, bytes).or_error()?;
            }
        }
        Ok(())
    }
}

/// Gives arrays their buffers: arrays that overlap, as `x` and `x[1:]` do, have one.
fn place(device: &Device, given: Vec<Given>, names: &[String]) -> PyResult<Arguments> {
    let mut ranges: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, given) in given.iter().enumerate() {
        if let Given::Array(view) = given {
            ranges.push((view.address()..view.address() + view.len(), index));
        }
    }
    ranges.sort_by_key(|(range, _)| range.start);
    let mut shared: Vec<(Range<usize>, Vec<usize>)> = Vec::new();
    for (range, index) in ranges {
        match shared.last_mut().filter(|(last, _)| range.start < last.end) {
            Some((last, indices)) => {
                last.end = last.end.max(range.end);
                indices.push(index);
            }
            None => shared.push((range, vec![index])),
        }
    }
    let view = |index: usize| match &given[index] {
        Given::Array(view) => Some(view),
        Given::Ready(_) => None,
    };
    let mut buffers: Vec<Option<(Buffer, u64)>> = vec![None; given.len()];
    for (range, indices) in shared {
        let views: Vec<&View> = indices.iter().filter_map(|&index| view(index)).collect();
        let buffer = buffer_of(device, &range, &views, &names[indices[0]])?;
        for (index, view) in indices.iter().zip(&views) {
            buffers[*index] = Some((buffer.clone(), (view.address() - range.start) as u64));
        }
    }
    let mut arguments = Arguments { list: Vec::new(), arrays: Vec::new() };
    for (given, buffer) in given.into_iter().zip(buffers) {
        match (given, buffer) {
            (Given::Array(view), Some((buffer, at))) => {
                arguments.list.push(buffer.slice(at..at + view.len() as u64).or_error()?.into());
                arguments.arrays.push((view, buffer, at));
            }
            (Given::Ready(argument), _) => arguments.list.push(argument),
            (Given::Array(_), None) => {}
        }
    }
    Ok(arguments)
}

/// Returns a buffer that holds what these views of one range hold. Kernels may store to it if one view may be written.
fn buffer_of(device: &Device, range: &Range<usize>, views: &[&View], name: &str) -> PyResult<Buffer> {
    if let ([only], true) = (views, views.iter().all(|view| view.is_read_only())) {
        return device.constant(name, only.bytes()).or_error();
    }
    if views.iter().all(|view| view.is_read_only()) {
        let mut bytes = vec![0; range.len()];
        for view in views {
            let at = view.address() - range.start;
            bytes[at..at + view.len()].copy_from_slice(view.bytes());
        }
        return device.constant(name, &bytes).or_error();
    }
    let buffer = device.alloc_named(name, range.len() as u64).or_error()?;
    for view in views {
        buffer.write((view.address() - range.start) as u64, view.bytes()).or_error()?;
    }
    Ok(buffer)
}

impl Parameter<'_> {
    fn name(&self) -> String {
        let name = self.stated.and_then(|stated| stated.name.clone());
        name.unwrap_or_else(|| format!("argument {}", self.index))
    }

    /// The argument in words: type and name, as far as they are known.
    fn words(&self) -> String {
        let Some(stated) = self.stated else { return "unnamed".to_owned() };
        match (&stated.type_name, &stated.name) {
            (Some(ty), Some(name)) => format!("{ty} {name}"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => "unnamed".to_owned(),
        }
    }

    fn error(&self, what: impl std::fmt::Display) -> PyErr {
        error(format_args!("argument {} ({}): {what}", self.index, self.words()))
    }

    fn kind(&self) -> Option<ArgKind> {
        self.stated.map(|stated| stated.kind)
    }

    /// The type of a number, a vector, or what a pointer points to.
    fn ty(&self) -> Option<Type> {
        Type::of_name(self.stated?.type_name.as_ref()?)
    }

    fn given(&self, object: &Bound<'_, PyAny>) -> PyResult<Given> {
        if let Some(argument) = self.of_device(object) {
            return Ok(Given::Ready(argument));
        }
        if View::is_of(object) {
            let view = View::of(object).map_err(|error| {
                self.error(format_args!(
                    "the array cannot be passed as it is ({}): pass numpy.ascontiguousarray(..), whose items lie one \
                     after the other, and copy back what the kernel writes",
                    error.value(object.py())
                ))
            })?;
            return self.of_memory(view);
        }
        if object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>() {
            return self.of_number(object).map(Given::Ready);
        }
        let ty = object.get_type().name()?;
        Err(self.error(format_args!(
            "a {ty} is nothing that a kernel takes: pass an array, a gcnsim.Buffer, a number of numpy, an int, a float"
        )))
    }

    /// Objects of this module, and None.
    fn of_device(&self, object: &Bound<'_, PyAny>) -> Option<Argument> {
        if object.is_none() {
            return Some(ArgValue::Null.into());
        }
        if let Ok(buffer) = object.cast::<BufferBase>() {
            return Some((&buffer.get().memory).into());
        }
        if let Ok(pointer) = object.cast::<Pointer>() {
            return Some(pointer.get().slice.clone().into());
        }
        if let Ok(local) = object.cast::<Local>() {
            return Some(ArgValue::Local(local.get().nbytes).into());
        }
        if let Ok(image) = object.cast::<Image>() {
            return Some((&image.get().texels).into());
        }
        if let Ok(descriptor) = object.cast::<Descriptor>() {
            return Some(descriptor.get().0.descriptor());
        }
        object.cast::<Sampler>().ok().map(|sampler| sampler.get().0.clone().into())
    }

    /// An object with memory: an array for a pointer, a value otherwise.
    fn of_memory(&self, view: View) -> PyResult<Given> {
        let is_value = match self.kind() {
            Some(ArgKind::ByValue) => true,
            Some(ArgKind::Buffer) => false,
            None => view.dimensions() == 0,
            Some(ArgKind::Local) => return Err(self.error("LDS has no contents: pass gcnsim.local(nbytes)")),
            Some(ArgKind::Image) => return Err(self.error("it takes an image: pass Device.image(..)")),
            Some(ArgKind::Sampler) => return Err(self.error("it takes a sampler: pass gcnsim.Sampler(..)")),
            Some(_) => return Err(self.error("no object of Python can be passed for it: pass None")),
        };
        let number = Number::of_format(&view.format(), view.item_bytes());
        if !is_value && view.dimensions() == 0 {
            return Err(self.error("it takes a pointer, and this is a number: pass an array of one item"));
        }
        self.check_type(&view, number, is_value)?;
        if !is_value {
            return Ok(Given::Array(view));
        }
        let align = number.map_or(1, |number| number.bytes as u64);
        Ok(Given::Ready(ArgValue::Bytes { bytes: view.bytes().to_vec(), align }.into()))
    }

    /// Checks the type of items, where both are known. Bytes may hold anything.
    fn check_type(&self, view: &View, found: Option<Number>, is_value: bool) -> PyResult<()> {
        let stated = self.stated.filter(|stated| is_value && stated.size != view.len() as u64);
        if let Some(stated) = stated.filter(|_| view.len() != 3 * view.item_bytes()) {
            let wanted = self.ty().map_or(String::new(), |ty| match ty.count {
                1 => format!(": pass numpy.{}(..)", ty.number.name()),
                count => format!(": pass an array of {count} items of {}", ty.number.name()),
            });
            return Err(self.error(format_args!("it has {} bytes, not {}{wanted}", stated.size, view.len())));
        }
        let (Some(found), Some(Type { number, .. })) = (found, self.ty()) else { return Ok(()) };
        let is_raw = found.bytes == 1 && view.dimensions() > 0;
        if is_raw || found.fits(number) {
            return Ok(());
        }
        let (found, wanted) = (found.name(), number.name());
        Err(self.error(match is_value {
            true => format!("it takes {wanted}, and this is {found}: pass numpy.{wanted}(..)"),
            false => format!(
                "it points to {wanted}, and the array holds {found}: pass x.astype('{wanted}'), or x.view('uint8') for \
                 the bytes as they are"
            ),
        }))
    }

    /// An int or a float of Python.
    fn of_number(&self, object: &Bound<'_, PyAny>) -> PyResult<Argument> {
        if let (Some(ArgKind::Buffer), Ok(address)) = (self.kind(), object.extract::<u64>()) {
            return Ok(ArgValue::u64(address).into());
        }
        let Some(Type { number, count: 1 }) = self.ty().filter(|_| self.kind() == Some(ArgKind::ByValue)) else {
            return Err(self.error("the object does not say its type: pass numpy.int32(..), numpy.float32(..), .."));
        };
        let bytes = if object.is_instance_of::<PyFloat>() {
            if number.bits != Bits::Float {
                return Err(self.error(format_args!("it takes {}, and {object} is a float", number.name())));
            }
            number.of_float(object.extract()?)
        } else {
            let bytes = object.extract::<i128>().ok().and_then(|value| number.of_integer(value));
            bytes.ok_or_else(|| self.error(format_args!("{object} has no room in {}", number.name())))?
        };
        Ok(ArgValue::Bytes { bytes, align: number.bytes as u64 }.into())
    }
}
