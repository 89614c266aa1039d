//! A launch of a kernel with arguments.

use std::sync::Arc;

use gcnsim_engine::{Observer, Observers, Run};
use gcnsim_isa::Note;
use gcnsim_machine::{Backing, Mapping};

use super::abi::{self, Addresses};
use super::args::{ArgValue, Places, objects_size};
use super::buffer::{Buffer, Slice};
use super::device::{Device, memory};
use super::dispatch::{Dispatch, Request};
use super::dispatch_error::DispatchError;
use super::geometry::Geometry;
use super::image::Image;
use super::module::Kernel;
use super::printf::{self, Printed};
use super::run::Progress;

/// Guest addresses of what belongs to one launch. They do not depend on buffers.
const KERNARG: u64 = 0x1000_0000;
const OBJECTS: u64 = 0x1800_0000;
const PACKET: u64 = 0x1c00_0000;
const QUEUE: u64 = 0x1c10_0000;
const PRINTF: u64 = 0x2000_0000;
/// Guest address of scratch, where nobody states another one.
pub const DEFAULT_SCRATCH: u64 = super::device::BEHIND_BUFFERS;
/// Most bytes of a kernarg segment; a larger one is an error.
pub const MOST_KERNARG: u64 = 16 << 20;
/// Size of the printf buffer in bytes, without its head.
const PRINTF_BYTES: u32 = 1 << 20;
/// Size of a page in bytes. Parts of the area have whole pages.
const PAGE: u64 = 4096;

/// The memory of what belongs to one launch. The next launch uses it again.
#[derive(Default)]
pub(crate) struct Area {
    kernarg: Option<Arc<Backing>>,
    objects: Option<Arc<Backing>>,
    packet: Option<Arc<Backing>>,
    queue: Option<Arc<Backing>>,
    printf: Option<Arc<Backing>>,
}

impl Area {
    const ADDRESSES: Addresses = Addresses {
        image: 0,
        kernarg: KERNARG,
        packet: PACKET,
        queue: QUEUE,
        scratch: DEFAULT_SCRATCH,
        printf: PRINTF,
    };
}

/// Puts bytes at the beginning of a part of the area, which gets as large as they need.
fn put(
    device: &Device,
    part: &mut Option<Arc<Backing>>,
    (name, base): (&str, u64),
    bytes: &[u8],
    size: u64,
) -> Result<(), DispatchError> {
    if part.as_ref().is_none_or(|part| (part.len() as u64) < size) {
        let larger = memory(name, &[], size.next_multiple_of(PAGE))?;
        device.unmap(base);
        let mapping = Mapping::new(base, name, larger.clone());
        device.map(Mapping { writable: base == PRINTF, ..mapping })?;
        *part = Some(larger);
    }
    if let Some(part) = part {
        part.write(0, bytes);
    }
    Ok(())
}

/// A launch of a kernel, to be completed and run.
///
/// ```
/// use std::sync::Arc;
/// use gcnsim_device::{Device, DeviceOptions};
/// use gcnsim_loader::{FileBytes, code_object::CodeObject};
///
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels/kernels-gfx900-v5-O2.co");
/// let object = Arc::new(CodeObject::parse(&FileBytes::read(&path)?)?);
/// let device = Device::new(object.arch, DeviceOptions::default());
/// let collatz = device.load(&object)?.kernel("collatz")?;
/// let steps = device.alloc(12)?;
/// let run = collatz.launch([3], [64]).arg(&steps).arg(6u32).budget(100_000).run()?;
/// assert_eq!(run.outcome, Ok(gcnsim_machine::Outcome::Ended));
/// // From 6, 7 and 8 it takes so many steps to 1.
/// assert_eq!(steps.to_vec(), [8, 0, 0, 0, 16, 0, 0, 0, 3, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Launch<'o> {
    kernel: Kernel,
    geometry: Option<Geometry>,
    values: Vec<ArgValue>,
    /// Buffers that arguments point to. They live as long as the launch.
    buffers: Vec<Buffer>,
    images: Vec<Image>,
    /// Where the text goes that the kernel prints.
    printed: Option<&'o mut Printed>,
    max_insts: Option<u64>,
    observers: Observers<'o>,
    progress: Progress<'o>,
    times_regions: bool,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub struct Argument {
    value: ArgValue,
    buffer: Option<Buffer>,
    image: Option<Image>,
}

impl Argument {
    pub(crate) fn of_image(value: ArgValue, image: &Image) -> Argument {
        Argument { value, buffer: Some(image.texels().clone()), image: Some(image.clone()) }
    }
}

impl<'o> Launch<'o> {
    pub(crate) fn new(kernel: &Kernel, grid: &[u32], group: &[u32]) -> Launch<'o> {
        Launch {
            kernel: kernel.clone(),
            geometry: Geometry::new(grid, group, &[]),
            values: Vec::new(),
            buffers: Vec::new(),
            images: Vec::new(),
            printed: None,
            max_insts: kernel.module().device().options().run.max_insts,
            observers: Observers::none(),
            progress: &|_| {},
            times_regions: false,
        }
    }

    /// Adds an argument: a number, a buffer, a part of a buffer, an image, a sampler, or an [`ArgValue`].
    pub fn arg(mut self, argument: impl Into<Argument>) -> Launch<'o> {
        let Argument { value, buffer, image } = argument.into();
        self.values.push(value);
        self.buffers.extend(buffer);
        self.images.extend(image);
        self
    }

    /// Sets where the text goes that the kernel prints. It replaces what is there.
    pub fn print_to(mut self, printed: &'o mut Printed) -> Launch<'o> {
        self.printed = Some(printed);
        self
    }

    /// Sets the offset that is added to global ids, in each dimension.
    pub fn offset(mut self, offset: [u64; 3]) -> Launch<'o> {
        self.geometry = self.geometry.map(|geometry| Geometry { offset, ..geometry });
        self
    }

    /// Sets the budget of all waves together, in instructions.
    pub fn budget(mut self, max_insts: u64) -> Launch<'o> {
        self.max_insts = Some(max_insts);
        self
    }

    /// Adds an observer. If there is any, one thread runs the launch.
    pub fn observe(mut self, observer: &'o mut dyn Observer) -> Launch<'o> {
        self.observers.add(observer);
        self
    }

    /// Sets a function that gets the number of groups that have ended.
    pub fn progress(mut self, progress: Progress<'o>) -> Launch<'o> {
        self.progress = progress;
        self
    }

    /// Measures the time of each region, on one thread.
    pub fn time_regions(mut self) -> Launch<'o> {
        self.times_regions = true;
        self
    }

    /// Runs the launch. How the guest ended is a value, [`Run::outcome`].
    ///
    /// # Errors
    /// [`DispatchError`] if it cannot run.
    pub fn run(self) -> Result<Run, DispatchError> {
        self.run_dispatch().map(|(run, _)| run)
    }

    /// Runs the launch as [`Launch::run`] does, and returns its dispatch, too: the registers, and the memory that it saw.
    ///
    /// # Errors
    /// [`DispatchError`] if it cannot run.
    pub fn run_dispatch(mut self) -> Result<(Run, Dispatch), DispatchError> {
        let device = self.kernel.module().device().clone();
        if !self.buffers.iter().all(|buffer| self.kernel.reaches(buffer)) {
            return Err(DispatchError::OtherDevice);
        }
        let running = device.running();
        let (mut dispatch, guessed) = self.set_up(&device)?;
        if self.times_regions {
            dispatch.time_regions();
        }
        let request = Request {
            max_insts: self.max_insts,
            observers: &mut self.observers,
            progress: self.progress,
            is_zero: &|_| false,
        };
        let mut run = dispatch.run_alone(request)?;
        if let Some(printed) = self.printed {
            *printed = printed_by(&device, &self.kernel, &dispatch);
        }
        drop(running);
        run.notes.insert_if(guessed, Note::KernargGuessed);
        run.notes.insert_if(self.kernel.stated().descriptor.properties.dynamic_stack, Note::DynamicStack);
        Ok((run, dispatch))
    }

    /// Writes the arguments into the area of the device.
    fn set_up(&self, device: &Device) -> Result<(Dispatch, bool), DispatchError> {
        let (kernel, module) = (self.kernel.stated(), self.kernel.module());
        let geometry = self.geometry.ok_or(DispatchError::NoGrid)?;
        abi::check(kernel, &geometry)?;
        let addresses = Addresses { image: module.moved(), ..Area::ADDRESSES };
        let mut list: Vec<_> = self.images.iter().map(Image::place).collect();
        list.sort_by(|one, other| one.name.cmp(&other.name));
        list.dedup_by(|one, other| one.name == other.name);
        let places = Places { arch: device.arch(), objects: OBJECTS, list };
        let size = abi::kernarg_size_for(kernel, &self.values);
        if size > MOST_KERNARG {
            return Err(DispatchError::NoRoom { what: "the kernarg segment".to_owned(), bytes: size });
        }
        let values = (&self.values[..], size);
        let prepared = abi::prepare(module.object(), kernel, &geometry, values, &places, &addresses, |_| {})?;
        let mut area = device.state().area.take().unwrap_or_default();
        let filled = fill(device, &mut area, kernel, &prepared, objects_size(&self.values));
        device.state().area = Some(area);
        filled?;
        let mut dispatch = device.dispatch_code(self.kernel.code().clone(), prepared.registers)?;
        dispatch.moved = module.moved();
        Ok((dispatch, prepared.guessed))
    }
}

/// Returns the text that a launch has printed.
fn printed_by(device: &Device, kernel: &Kernel, dispatch: &Dispatch) -> Printed {
    if !abi::has_printf(kernel.stated()) {
        return Printed::default();
    }
    let buffer = device.state().area.as_ref().and_then(|area| area.printf.clone());
    let formats = &kernel.module().object().printf;
    let text = |buffer: Arc<Backing>| printf::of_buffer(formats, &buffer, &|address| dispatch.string_at(address));
    buffer.map_or_else(Printed::default, text)
}

fn fill(
    device: &Device,
    area: &mut Area,
    kernel: &gcnsim_loader::code_object::Kernel,
    prepared: &abi::Prepared,
    objects: u64,
) -> Result<(), DispatchError> {
    let bytes = &prepared.kernarg;
    put(device, &mut area.kernarg, ("kernarg", KERNARG), bytes, bytes.len() as u64)?;
    put(device, &mut area.packet, ("packet", PACKET), &prepared.packet, abi::PACKET_SIZE as u64)?;
    put(device, &mut area.queue, ("queue", QUEUE), &prepared.queue, abi::QUEUE_SIZE as u64)?;
    if objects > 0 {
        put(device, &mut area.objects, ("descriptors", OBJECTS), &prepared.objects, objects)?;
    }
    if abi::has_printf(kernel) {
        let head = [[0; 4], PRINTF_BYTES.to_le_bytes()].concat();
        let size = abi::PRINTF_HEAD as u64 + u64::from(PRINTF_BYTES);
        put(device, &mut area.printf, ("printf", PRINTF), &head, size)?;
    }
    Ok(())
}

impl From<ArgValue> for Argument {
    fn from(value: ArgValue) -> Argument {
        Argument { value, buffer: None, image: None }
    }
}

impl From<&Buffer> for Argument {
    fn from(buffer: &Buffer) -> Argument {
        Argument { value: ArgValue::u64(buffer.address()), buffer: Some(buffer.clone()), image: None }
    }
}

impl From<Slice> for Argument {
    fn from(slice: Slice) -> Argument {
        Argument { value: ArgValue::u64(slice.address()), buffer: Some(slice.buffer().clone()), image: None }
    }
}

macro_rules! numbers {
    ($($number:ident)*) => {
        $(impl From<$number> for Argument {
            fn from(number: $number) -> Argument {
                Argument::from(ArgValue::$number(number))
            }
        })*
    };
}

numbers! { f32 f64 i32 i64 u32 u64 }
