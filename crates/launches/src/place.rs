//! Gives everything in a launch its guest address: the object's image, kernarg segment, packet, queue, scratch,
//! buffers.

use std::collections::HashMap;
use std::sync::Arc;

use gcnsim_device::abi::{self, Addresses};
use gcnsim_device::args::{self, ArgValue, Place, Places};
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{
    Device, DeviceOptions, Dispatch, DispatchError, MOST_KERNARG, Registers, Scratch, WAVE, load, memory, with_gap,
};
use gcnsim_isa::Program;
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_machine::{Backing, Mapping, pc_at};

use super::launch::{BufferSpec, RegistersSpec};
use super::room::Buffer;

/// Lowest guest address of a dispatch.
const FIRST: u64 = 0x1000_0000;
/// Size in bytes of a printf buffer that nothing reads, because the object has no format strings.
const UNREAD_PRINTF: u32 = 64 << 10;
/// Number of free bytes below the queue. They keep the addresses after them independent of the size of the printf
/// buffer, which is elsewhere.
const FREE: u64 = 64 << 10;
/// Limit of the addresses of everything but the printf buffer.
const END: u64 = (1 << 40) - (8 << 30);
/// Address of the printf buffer. It is far from everything else, so that stray accesses do not hit it. After it there
/// is room for the largest one.
const PRINTF: u64 = END;

/// A launch with addresses for everything, ready to run.
#[derive(Clone, Debug)]
pub struct PlacedLaunch {
    /// The dispatch on the memory of the launch.
    pub dispatch: Dispatch,
    /// Guest addresses of the parts.
    pub addresses: Addresses,
    /// LDS of a group in bytes, as the kernel and its arguments ask for it.
    pub lds: u32,
    /// Whether the places of arguments were guessed, because the object has no metadata.
    pub guessed: bool,
    /// The segments of the object.
    image: Vec<Mapping>,
    /// Places of buffers and images, and the address of the objects that arguments point to.
    places: Places,
    /// The printf buffer, if the kernel may print and its object has format strings.
    printf: Option<Arc<Backing>>,
}

/// Allocator of ascending guest addresses. It holds the next free one.
struct Layout(u64);

impl Layout {
    /// Takes `bytes` bytes, with unmapped bytes after them, and returns their address. An error says `what` they are
    /// for.
    fn take(&mut self, what: &str, bytes: u64) -> Result<u64, DispatchError> {
        let start = self.0;
        let end = with_gap(bytes).and_then(|bytes| start.checked_add(bytes));
        let end =
            end.filter(|&end| end <= END).ok_or_else(|| DispatchError::NoRoom { what: what.to_string(), bytes })?;
        self.0 = end;
        Ok(start)
    }
}

/// Puts code where kernels can read it: into the memory that has its addresses, or into a mapping of its own. Returns its
/// addresses if it is in memory.
fn place_code(
    device: &Device,
    given: &RegistersSpec,
    code: &[u8],
    mapped: &[Mapping],
) -> Result<Option<(u64, u64)>, DispatchError> {
    let len = code.len() as u64;
    let around = mapped.iter().find_map(|mapping| Some((mapping, mapping.place(given.base, len)?)));
    let Some((mapping, at)) = around else {
        device.map(Mapping::read_only(given.base, "code", memory("code", code, len)?))?;
        return Ok(None);
    };
    mapping.backing.write(at, code);
    Ok(Some((given.base, given.base.saturating_add(len))))
}

impl PlacedLaunch {
    /// Places a kernel with its arguments and buffers. Buffers have the order of their names. `before` is a launch on
    /// the same memory: writable parts of the object keep what it left there. Without it the object is loaded afresh.
    /// If the kernel may print, the printf buffer has `printf_bytes` bytes.
    ///
    /// # Errors
    /// [`DispatchError`] if anything does not fit.
    pub fn new(
        object: &CodeObject,
        kernel: &Kernel,
        geometry: &Geometry,
        (values, buffers): (&[ArgValue], &[Buffer]),
        before: Option<&PlacedLaunch>,
        options: &DeviceOptions,
        printf_bytes: u32,
    ) -> Result<PlacedLaunch, DispatchError> {
        abi::check(kernel, geometry)?;
        let device = Device::new(object.arch, options.clone());
        let mut layout = Layout(FIRST);
        let (first, span) = object.span();
        // The low 12 bits of a byte's address are the same in the file and in guest memory.
        let moved = layout.take("the code object", (first & 0xfff) + span)?.wrapping_sub(first & !0xfff);
        let mut addresses = Addresses { image: moved, ..Addresses::default() };
        let mut image = load::mappings(object, moved)?;
        let program = load::program(object, kernel, &image, moved);
        for (mapping, before) in image.iter_mut().zip(before.map_or(&[][..], |before| &before.image)) {
            if mapping.writable {
                mapping.backing = before.backing.clone();
            }
        }
        image.iter().try_for_each(|mapping| device.map(mapping.clone()))?;

        let kernarg_size = abi::kernarg_size_for(kernel, values);
        if kernarg_size > MOST_KERNARG {
            return Err(DispatchError::NoRoom { what: "the kernarg segment".to_owned(), bytes: kernarg_size });
        }
        addresses.kernarg = layout.take("the kernarg segment", kernarg_size + abi::KERNARG_PADDING as u64)?;
        addresses.packet = layout.take("the packet", abi::PACKET_SIZE as u64)?;
        layout.take("the printf buffer", FREE)?;
        addresses.queue = layout.take("the queue", abi::QUEUE_SIZE as u64)?;
        let wave_scratch = Scratch { address: 0, lane_bytes: abi::private_size(kernel) }.wave_bytes();
        let waves = geometry.group_items().min(1024).div_ceil(u64::from(WAVE));
        addresses.scratch = layout.take("scratch", waves * wave_scratch)?;
        let objects_size = args::objects_size(values);
        let objects = if objects_size > 0 { layout.take("descriptors", objects_size)? } else { 0 };
        let mut places = Places { arch: object.arch, objects, list: Vec::new() };
        let mut ordered: Vec<&Buffer> = buffers.iter().collect();
        ordered.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        for buffer in ordered {
            let size = buffer.bytes.len() as u64;
            let base = layout.take(&format!("buffer '{}'", buffer.name), size)?;
            places.list.push(Place { name: buffer.name.clone(), base, size, image: buffer.image.clone() });
            let mapping = Mapping::new(base, buffer.name.as_str(), buffer.bytes.clone());
            device.map(Mapping { is_buffer: true, ..mapping })?;
        }
        addresses.printf = PRINTF;

        let values = (values, kernarg_size);
        let prepared = abi::prepare(object, kernel, geometry, values, &places, &addresses, |_| {})?;
        for (name, base, bytes) in [
            ("kernarg", addresses.kernarg, &prepared.kernarg[..]),
            ("packet", addresses.packet, &prepared.packet),
            ("queue", addresses.queue, &prepared.queue),
            ("descriptors", objects, &prepared.objects),
        ] {
            if !bytes.is_empty() {
                device.map(Mapping::read_only(base, name, memory(name, bytes, bytes.len() as u64)?))?;
            }
        }
        let mut printf = None;
        if abi::has_printf(kernel) {
            // The second dword of the printf buffer is the number of bytes after its two head dwords.
            let bytes = if object.printf.is_empty() { UNREAD_PRINTF } else { printf_bytes };
            let size = abi::PRINTF_HEAD as u64 + u64::from(bytes);
            let buffer = memory("the printf buffer", &[[0; 4], bytes.to_le_bytes()].concat(), size)?;
            device.map(Mapping::new(addresses.printf, "printf", buffer.clone()))?;
            printf = Some(buffer).filter(|_| !object.printf.is_empty());
        }
        let mut dispatch = device.dispatch_code(options.codes.get(&program), prepared.registers)?;
        dispatch.moved = moved;
        Ok(PlacedLaunch { dispatch, addresses, lds: prepared.lds, guessed: prepared.guessed, image, places, printf })
    }

    /// Places a launch by registers: its code and its memory are where it says. `specs` are in the order of the launch;
    /// `buffers` hold their bytes.
    ///
    /// # Errors
    /// [`DispatchError`] if parts overlap.
    pub fn by_registers(
        object: &CodeObject,
        kernel: &Kernel,
        given: &RegistersSpec,
        code: &FileBytes,
        (specs, buffers): (&[BufferSpec], &[Buffer]),
        options: &DeviceOptions,
    ) -> Result<PlacedLaunch, DispatchError> {
        let device = Device::new(object.arch, options.clone());
        let mut places = Places { arch: object.arch, objects: 0, list: Vec::new() };
        let by_name: HashMap<&str, &Buffer> = buffers.iter().map(|buffer| (buffer.name.as_str(), buffer)).collect();
        let memory = || specs.iter().filter_map(|spec| Some((spec, spec.at?, *by_name.get(spec.name.as_str())?)));
        let (mut mapped, mut numbers): (Vec<Mapping>, HashMap<*const Backing, usize>) = Default::default();
        for (spec, at, buffer) in memory() {
            let size = buffer.size() as u64;
            places.list.push(Place { name: spec.name.clone(), base: at.base, size, image: None });
            match numbers.get(&Arc::as_ptr(&buffer.bytes)) {
                Some(&number) => mapped[number].writable |= at.writable,
                None => {
                    numbers.insert(Arc::as_ptr(&buffer.bytes), mapped.len());
                    let allocation = given.allocation_at(at.base).map(|index| &given.allocations[index]);
                    let name = allocation.map_or(&spec.name, |allocation| &allocation.name);
                    let base = at.base - buffer.offset() as u64;
                    let mapping = Mapping::new(base, name.as_str(), buffer.bytes.clone());
                    mapped.push(Mapping { is_buffer: true, writable: at.writable, ..mapping });
                }
            }
        }
        if let Some((from, to)) = place_code(&device, given, code.as_ref(), &mapped)? {
            let is_over = |base: u64, size: usize| base < to && from < base.saturating_add(size as u64);
            // Its own contents follow.
            for (_, _, buffer) in memory().filter(|(_, at, buffer)| is_over(at.base, buffer.size())) {
                buffer.bytes.clear(buffer.offset(), buffer.size());
            }
        }
        mapped.into_iter().try_for_each(|mapping| device.map(mapping))?;
        // As registers give it: 48 bits.
        let (base, pc) = (pc_at(given.base, 0), pc_at(given.registers.pc, 0));
        let program = Program::new(object.arch, Arc::new(code.clone()), base, pc.wrapping_sub(base));
        let mut dispatch =
            device.dispatch_code(options.codes.get(&program), Registers { pc, ..given.registers.clone() })?;
        dispatch.moved = pc.wrapping_sub(kernel.entry);
        let (lds, addresses) = (given.registers.lds_bytes, Addresses::default());
        Ok(PlacedLaunch { dispatch, addresses, lds, guessed: false, image: Vec::new(), places, printf: None })
    }

    /// The printf buffer, if the kernel may print text that can be read.
    pub fn printf_buffer(&self) -> Option<&Backing> {
        self.printf.as_deref()
    }

    /// Returns address and size in bytes of the buffer `name`.
    pub fn buffer_at(&self, name: &str) -> Option<(u64, u64)> {
        self.places.buffer(name).ok()
    }

    /// Returns the address of byte `at` of a buffer, or of the texels of an image without padding.
    pub fn address_of(&self, name: &str, at: u64) -> Option<u64> {
        match self.places.buffer(name) {
            Ok((base, _)) => base.checked_add(at),
            Err(_) => {
                let (base, _, layout) = self.places.image(name).ok()?;
                Some(base + layout.locate(at).0)
            }
        }
    }

    /// Returns the places of buffers and images.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Returns an address of the code as the file states it.
    pub fn address_of_file(&self, pc: u64) -> u64 {
        self.dispatch.address_of_file(pc)
    }
}
