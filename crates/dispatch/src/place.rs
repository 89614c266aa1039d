//! Where everything lies in guest memory: the object's image, kernarg segment, packet, queue, scratch, buffers.

use std::sync::Arc;

use gcnsim_isa::Program;
use gcnsim_machine::{Access, Backing, Context, Grain, Mapping, Marks, SharedDevice, Space, canonical};

use super::abi::{self, Addresses};
use super::args::{self, ArgError, ArgValue};
use super::geometry::Geometry;
use super::image::image;
use super::printf::{self, Printed};
use super::room::backing;
use gcnsim_engine::report::NearReport;
use gcnsim_loader::code_object::metadata::Arg;
use gcnsim_loader::code_object::{CodeObject, Kernel};

/// Lowest guest address of a dispatch.
const FIRST: u64 = 0x1000_0000;
/// Least unmapped bytes between two things.
const GAP: u64 = 64 << 10;
/// Most bytes of a kernarg segment that are believed.
const MOST_KERNARG: u64 = 16 << 20;
/// Bytes of a printf buffer that nobody reads: there are no format strings.
const UNREAD_PRINTF: u32 = 64 << 10;
/// Room below the queue that stays free, so that addresses do not depend on the size of the printf buffer.
const FREE: u64 = 64 << 10;
/// Most bytes of a string of the guest.
const MOST_STRING: usize = 64 << 10;
/// Scratch of a group of so many bytes is not cleared but replaced.
const MUCH_SCRATCH: u64 = 4 << 20;
/// Everything but the printf buffer lies below this address.
const END: u64 = (1 << 40) - (8 << 30);
/// The printf buffer, far from all else: no stray access is near it. Behind it there is room for the largest one.
const PRINTF: u64 = END;
/// Granule of LDS in bytes: 256 on GCN 1.0, then 512.
fn lds_granule(arch: gcnsim_isa::Arch) -> u32 {
    if arch == gcnsim_isa::Arch::Gcn10 { 256 } else { 512 }
}

/// Most LDS of a group in bytes: 32 KiB on GCN 1.0, then 64 KiB.
pub fn most_lds(arch: gcnsim_isa::Arch) -> u32 {
    if arch == gcnsim_isa::Arch::Gcn10 { 32 << 10 } else { 64 << 10 }
}

/// A buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Arc<Backing>,
}

/// Why a dispatch cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// The arguments do not fit.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The group is larger than the kernel allows.
    #[error("a group of {given} work-items: the kernel allows {allowed}")]
    GroupTooLarge {
        /// Work-items of the group.
        given: u64,
        /// The most.
        allowed: u32,
    },
    /// The kernel wants groups of one size only.
    #[error("a group of {given:?} work-items: the kernel requires {required:?}")]
    GroupSize {
        /// Size of the group.
        given: [u32; 3],
        /// The only one.
        required: [u32; 3],
    },
    /// Too much LDS.
    #[error("{given} bytes of LDS: a group has at most {most}")]
    Lds {
        /// Static and dynamic LDS in bytes.
        given: u64,
        /// The most.
        most: u32,
    },
    /// The host has no room for it, or guest addresses do not suffice.
    #[error("no room for {what} of {bytes} bytes")]
    NoRoom {
        /// What.
        what: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// Scratch in elements of another size than 4 bytes (`private-element-size`).
    #[error("the kernel wants scratch in elements of {0} bytes")]
    PrivateElementSize(u32),
    /// What makes up a group of work-items is more than a hardware group.
    #[error("a group of {0} work-items: there are at most 1024 in one")]
    TooManyItems(u64),
}

/// A dispatch with addresses for everything.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The code, as the engines take it; entered at the kernel.
    pub program: Program,
    /// Addresses.
    pub addresses: Addresses,
    /// Bytes of LDS of a group, by what was asked for.
    pub lds: u32,
    /// Bytes of LDS of a group, as they are allocated.
    pub lds_allocated: u32,
    /// The places of arguments were guessed.
    pub guessed: bool,
    /// What answers accesses to addresses at which nothing lies.
    pub device: Option<SharedDevice>,
    /// What all waves see. The object's segments come first.
    shared: Vec<Mapping>,
    image_segments: usize,
    /// Address and size of each buffer.
    places: Vec<(String, u64, u64)>,
    waves_of_group: u32,
    wave_scratch: u64,
    apertures: Option<gcnsim_machine::Apertures>,
    /// The printf buffer, if the kernel may print.
    printf: Option<Arc<Backing>>,
}

/// Gives out addresses one after the other.
struct Layout(u64);

impl Layout {
    /// Room for so many bytes, with unmapped bytes on both sides.
    fn take(&mut self, what: &str, bytes: u64) -> Result<u64, SetupError> {
        let start = self.0;
        let end = start.checked_add(bytes).and_then(|end| end.checked_add(GAP)?.checked_next_multiple_of(GAP));
        let end = end.filter(|&end| end <= END).ok_or_else(|| SetupError::NoRoom { what: what.to_string(), bytes })?;
        self.0 = end;
        Ok(start)
    }
}

impl Placed {
    /// Places a kernel with its arguments and buffers. Buffers lie in the order of their names. What the object can
    /// write is as it was `before`, in a launch on the same memory, or loaded afresh. A kernel that prints has a buffer
    /// of so many bytes for it.
    ///
    /// # Errors
    /// [`SetupError`] if anything does not fit.
    pub fn new(
        object: &CodeObject,
        kernel: &Kernel,
        geometry: &Geometry,
        values: &[ArgValue],
        buffers: &[Buffer],
        before: Option<&Placed>,
        printf_bytes: u32,
    ) -> Result<Placed, SetupError> {
        check_group(kernel, geometry)?;
        check_places(kernel)?;
        let arch = object.arch;
        let mut layout = Layout(FIRST);
        let (first, span) = object.span();
        // So that an address of the file and its place in memory have the same low bits.
        let offset = layout.take("the code object", (first & 0xfff) + span)?.wrapping_sub(first & !0xfff);
        let mut addresses = Addresses { image: offset, ..Addresses::default() };
        let image = image(object, addresses.image, kernel.entry)?;
        let mut shared = image.mappings;
        for (mapping, before) in shared.iter_mut().zip(before.map_or(&[][..], Placed::image)) {
            if mapping.writable {
                mapping.backing = before.backing.clone();
            }
        }
        let image_segments = shared.len();

        let mut ordered: Vec<&Buffer> = buffers.iter().collect();
        ordered.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        let kernarg_size = abi::kernarg_size(kernel).max(guessed_size(kernel, values));
        if kernarg_size > MOST_KERNARG {
            return Err(SetupError::NoRoom { what: "the kernarg segment".to_owned(), bytes: kernarg_size });
        }
        addresses.kernarg = layout.take("the kernarg segment", kernarg_size + abi::KERNARG_PADDING as u64)?;
        addresses.packet = layout.take("the packet", abi::PACKET_SIZE as u64)?;
        layout.take("the printf buffer", FREE)?;
        addresses.queue = layout.take("the queue", abi::QUEUE_SIZE as u64)?;
        let group_items = geometry.group_items().min(1024) as u32;
        let (waves_of_group, wave_scratch) = (group_items.div_ceil(64), abi::wave_scratch(kernel));
        addresses.scratch = layout.take("scratch", waves_of_group as u64 * wave_scratch)?;
        let mut places = Vec::new();
        for buffer in ordered {
            let base = layout.take(&format!("buffer '{}'", buffer.name), buffer.bytes.len() as u64)?;
            places.push((buffer.name.clone(), base, buffer.bytes.len() as u64));
            shared.push(Mapping::new(base, buffer.name.as_str(), buffer.bytes.clone(), true));
        }
        let printf_bytes = if object.printf.is_empty() { UNREAD_PRINTF } else { printf_bytes };
        let printf_size = printf::HEAD as u64 + u64::from(printf_bytes);
        addresses.printf = PRINTF;

        let buffer_at = |name: &str| place_of(&places, name);
        let mut placed = args::place(kernel, values, kernarg_size, &buffer_at)?;
        let lds = u64::from(kernel.descriptor.group_segment_size).saturating_add(placed.dynamic_lds);
        if lds > most_lds(arch) as u64 {
            return Err(SetupError::Lds { given: lds, most: most_lds(arch) });
        }
        let lds = lds as u32;
        abi::hidden_arguments(&mut placed, kernel, object.version, arch, geometry, &addresses);
        placed.kernarg.resize(kernarg_size as usize + abi::KERNARG_PADDING, 0);
        let packet = abi::packet(kernel, geometry, lds, &addresses);
        let queue = abi::queue(arch, &addresses);
        for (name, base, bytes) in [
            ("kernarg", addresses.kernarg, &placed.kernarg[..]),
            ("packet", addresses.packet, &packet),
            ("queue", addresses.queue, &queue),
        ] {
            let memory = backing(name, bytes.len() as u64)?;
            memory.write(0, bytes);
            shared.push(Mapping::new(base, name, Arc::new(memory), false));
        }
        let mut printf = None;
        if abi::has_printf(kernel) {
            // Its second dword is the number of bytes behind both.
            let buffer = backing("the printf buffer", printf_size)?;
            buffer.write(4, &printf_bytes.to_le_bytes());
            let buffer = Arc::new(buffer);
            shared.push(Mapping::new(addresses.printf, "printf", buffer.clone(), true));
            printf = Some(buffer).filter(|_| !object.printf.is_empty());
        }

        let (code, base) = image.code;
        let entry = addresses.image.wrapping_add(kernel.entry).wrapping_sub(base);
        Ok(Placed {
            program: Program::new(arch, Arc::new(code), base, entry),
            addresses,
            lds,
            lds_allocated: lds.next_multiple_of(lds_granule(arch)),
            guessed: placed.guessed,
            device: None,
            shared,
            image_segments,
            places,
            waves_of_group,
            wave_scratch,
            apertures: abi::apertures(arch, &addresses),
            printf,
        })
    }

    /// May the kernel print?
    pub fn prints(&self) -> bool {
        self.printf.is_some()
    }

    /// What the kernel has printed; `formats` are those of its object. `None`: it cannot print.
    pub fn printed(&self, formats: &[Vec<u8>]) -> Option<Printed> {
        let buffer = self.printf.as_ref()?;
        let mut space = Space::default();
        self.shared.iter().filter(|mapping| mapping.len > 0).for_each(|mapping| space.map(mapping.clone()));
        // What nobody has written is not read: it may be large.
        let wanted = u32::from_le_bytes(buffer.read(0)) as usize;
        let mut bytes = vec![0; buffer.len()];
        let used = bytes.len().min(printf::HEAD.saturating_add(wanted));
        buffer.read_into(0, &mut bytes[..used]);
        Some(printf::printed(formats, &bytes, &|address| string_at(&space, address)))
    }

    /// Address and size in bytes of a buffer.
    pub fn buffer_at(&self, name: &str) -> Option<(u64, u64)> {
        place_of(&self.places, name)
    }

    /// Scratch of a group in bytes.
    pub fn group_scratch(&self) -> u64 {
        self.waves_of_group as u64 * self.wave_scratch
    }

    fn image(&self) -> &[Mapping] {
        &self.shared[..self.image_segments]
    }

    /// Memory that all threads share and that the kernel may write.
    pub fn writable(&self) -> impl Iterator<Item = &Arc<Backing>> {
        self.shared.iter().filter(|mapping| mapping.writable).map(|mapping| &mapping.backing)
    }

    /// The context of a thread that runs groups: LDS and scratch of its own, all else shared.
    ///
    /// # Errors
    /// [`SetupError::NoRoom`].
    pub fn context(&self) -> Result<Context, SetupError> {
        self.context_with(None)
    }

    /// The same, with marks of what groups access of all that is shared and can be written.
    ///
    /// # Errors
    /// [`SetupError::NoRoom`].
    pub fn marked_context(&self, grain: Grain) -> Result<Context, SetupError> {
        self.context_with(Some(grain))
    }

    fn context_with(&self, grain: Option<Grain>) -> Result<Context, SetupError> {
        let mut context = Context::ready(self.lds_allocated as usize);
        (context.apertures, context.device) = (self.apertures, self.device.clone());
        for mapping in self.shared.iter().filter(|mapping| mapping.len > 0) {
            let mut mapping = mapping.clone();
            if let (Some(grain), true) = (grain, mapping.writable) {
                let marks = Marks::new(mapping.len, grain);
                let marks = marks.ok_or(SetupError::NoRoom { what: "marks".to_owned(), bytes: mapping.len })?;
                mapping.marks = Some(Arc::new(marks));
            }
            context.space.map(mapping);
        }
        let bytes = self.group_scratch();
        if bytes > 0 {
            let scratch = Mapping::new(self.addresses.scratch, SCRATCH, Arc::new(backing(SCRATCH, bytes)?), true);
            context.space.map(Mapping { len: self.wave_scratch, ..scratch });
        }
        Ok(context)
    }

    /// Lets a wave see its slot of scratch, and no other.
    pub fn show_scratch(&self, context: &mut Context, wave: u32) {
        if let Some(scratch) = context.space.mapping_mut(SCRATCH) {
            let offset = wave as u64 * self.wave_scratch;
            (scratch.base, scratch.offset) = (self.addresses.scratch + offset, offset as usize);
        }
    }

    /// Replaces all scratch of a group by zeros that nobody has touched, if it is so much that clearing it would take
    /// longer than what most groups do with it.
    pub fn renew_scratch(&self, context: &mut Context) -> bool {
        let bytes = self.group_scratch();
        if bytes < MUCH_SCRATCH {
            return false;
        }
        match (context.space.mapping_mut(SCRATCH), usize::try_from(bytes).ok().and_then(Backing::zeroed)) {
            (Some(scratch), Some(fresh)) => scratch.backing = Arc::new(fresh),
            _ => return false,
        }
        true
    }

    /// Clears the slot of scratch that [`Placed::show_scratch`] has shown.
    pub fn clear_scratch(&self, context: &mut Context) {
        if let Some(scratch) = context.space.mapping_mut(SCRATCH) {
            scratch.backing.clear(scratch.offset, scratch.len as usize);
        }
    }

    /// What of all that a wave of a group sees is nearest to an address that is in none of it.
    pub fn near(&self, address: u64, wave: u32) -> Option<NearReport> {
        let mut space = Space::default();
        self.shared.iter().filter(|mapping| mapping.len > 0).for_each(|mapping| space.map(mapping.clone()));
        if self.wave_scratch > 0 {
            let base = self.addresses.scratch + u64::from(wave) * self.wave_scratch;
            let scratch = Mapping::new(base, SCRATCH, Arc::new(Backing::zeroed(0)?), true);
            space.map(Mapping { len: self.wave_scratch, ..scratch });
        }
        let near = space.near(canonical(address))?;
        let side = if near.after { "after" } else { "before" };
        Some(NearReport { buffer: near.name.to_string(), distance: near.distance, side })
    }

    /// An address of the code as the file states it.
    pub fn address_of_file(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.addresses.image)
    }
}

/// The bytes of a string, up to its end or that of what it lies in.
fn string_at(space: &Space, address: u64) -> Option<Vec<u8>> {
    let (mapping, at) = space.find(canonical(address), 1, Access::Load)?;
    let len = mapping.len - canonical(address).wrapping_sub(mapping.base);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(MOST_STRING).min(MOST_STRING)];
    mapping.backing.read_into(at, &mut bytes);
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    Some(bytes)
}

/// Address and size of a buffer, of a list in the order of names.
fn place_of(places: &[(String, u64, u64)], name: &str) -> Option<(u64, u64)> {
    let at = places.binary_search_by_key(&name, |place| place.0.as_str()).ok()?;
    places.get(at).map(|&(_, base, size)| (base, size))
}

/// Name of the mapping of scratch.
const SCRATCH: &str = "scratch";

/// Without metadata and a size in the descriptor: what the arguments take.
fn guessed_size(kernel: &Kernel, values: &[ArgValue]) -> u64 {
    if kernel.metadata.is_some() {
        return 0;
    }
    ArgValue::Struct(values.to_vec()).layout().0
}

/// Do the explicit arguments lie in the kernarg segment that descriptor and metadata declare?
fn check_places(kernel: &Kernel) -> Result<(), ArgError> {
    let declared = kernel.metadata.as_ref().map_or(0, |metadata| metadata.kernarg_size);
    let size = kernel.descriptor.kernarg_size.max(declared);
    let end = |arg: &Arg| arg.offset.saturating_add(arg.size);
    let outside = args::explicit(kernel).unwrap_or_default().into_iter().enumerate().find(|(_, arg)| end(arg) > size);
    match outside {
        // Old descriptors have no size.
        Some((index, arg)) if size > 0 => Err(ArgError::Outside { index, name: args::describe(arg), size }),
        _ => Ok(()),
    }
}

fn check_group(kernel: &Kernel, geometry: &Geometry) -> Result<(), SetupError> {
    let given = geometry.group_items();
    if given > 1024 {
        return Err(SetupError::TooManyItems(given));
    }
    if kernel.descriptor.properties.private_element_size != 4 && kernel.descriptor.private_segment_size > 0 {
        return Err(SetupError::PrivateElementSize(kernel.descriptor.properties.private_element_size));
    }
    let Some(metadata) = &kernel.metadata else { return Ok(()) };
    if let Some(required) = metadata.required_group_size
        && required != geometry.group
    {
        return Err(SetupError::GroupSize { given: geometry.group, required });
    }
    match metadata.max_group_size {
        Some(allowed) if given > allowed as u64 => Err(SetupError::GroupTooLarge { given, allowed }),
        _ => Ok(()),
    }
}
