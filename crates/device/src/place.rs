//! Places everything in guest memory: the object's image, kernarg segment, packet, queue, scratch, buffers.

use std::sync::Arc;

use gcnsim_isa::Program;
use gcnsim_machine::{Access, Backing, Context, Grain, Mapping, Marks, SharedDevice, Space, canonical};

use super::abi::{self, Addresses, WaveSetup};
use super::args::{self, ArgError, ArgValue, Place, Places};
use super::geometry::Geometry;
use super::load::image;
pub use super::room::Buffer;
use super::room::backing;
pub use super::setup_error::SetupError;
use gcnsim_engine::Scene;
use gcnsim_engine::report::NearReport;
use gcnsim_loader::code_object::metadata::Arg;
use gcnsim_loader::code_object::{CodeObject, Kernel};

/// Lowest guest address of a dispatch.
const FIRST: u64 = 0x1000_0000;
/// Fewest unmapped bytes between two parts.
const GAP: u64 = 64 << 10;
/// Most bytes of a kernarg segment; a larger one is an error.
const MOST_KERNARG: u64 = 16 << 20;
/// Size in bytes of a printf buffer that nothing reads, because the object has no format strings.
const UNREAD_PRINTF: u32 = 64 << 10;
/// Number of free bytes below the queue. They keep the addresses after them independent of the size of the printf
/// buffer, which is elsewhere.
const FREE: u64 = 64 << 10;
/// Most bytes of a guest string that are read.
const MOST_STRING: usize = 64 << 10;
/// Fewest bytes of scratch of a group that are replaced between groups instead of cleared.
const MUCH_SCRATCH: u64 = 4 << 20;
/// Limit of the addresses of everything but the printf buffer.
const END: u64 = (1 << 40) - (8 << 30);
/// Address of the printf buffer. It is far from everything else, so that stray accesses do not hit it. After it there
/// is room for the largest one.
const PRINTF: u64 = END;
/// Returns the granule of LDS in bytes: 256 on GCN 1.0, otherwise 512.
fn lds_granule(arch: gcnsim_isa::Arch) -> u32 {
    if arch == gcnsim_isa::Arch::Gcn10 { 256 } else { 512 }
}

/// Returns the most LDS of a group in bytes: 32 KiB on GCN 1.0, otherwise 64 KiB.
pub fn most_lds(arch: gcnsim_isa::Arch) -> u32 {
    if arch == gcnsim_isa::Arch::Gcn10 { 32 << 10 } else { 64 << 10 }
}

/// A dispatch with addresses for everything.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The code as engines take it, with the kernel as its entry.
    pub program: Program,
    /// Guest addresses of the parts.
    pub addresses: Addresses,
    /// LDS of a group in bytes, as the kernel and its arguments ask for it.
    pub lds: u32,
    /// LDS of a group in bytes, as the hardware allocates it: a multiple of the granule.
    pub lds_allocated: u32,
    /// Whether the places of arguments were guessed, because the object has no metadata.
    pub guessed: bool,
    /// Device that answers accesses to addresses where nothing is mapped.
    pub device: Option<SharedDevice>,
    /// Mappings that all waves see. The segments of the object come first.
    shared: Vec<Mapping>,
    image_segments: usize,
    /// Places of buffers and images, and the address of the objects that arguments point to.
    places: Places,
    waves_of_group: u32,
    wave_scratch: u64,
    apertures: Option<gcnsim_machine::Apertures>,
    /// The printf buffer, if the kernel may print and its object has format strings.
    printf: Option<Arc<Backing>>,
}

/// Allocator of ascending guest addresses. It holds the next free one.
struct Layout(u64);

impl Layout {
    /// Takes `bytes` bytes, with unmapped bytes after them, and returns their address. An error says `what` they are
    /// for.
    fn take(&mut self, what: &str, bytes: u64) -> Result<u64, SetupError> {
        let start = self.0;
        let end = start.checked_add(bytes).and_then(|end| end.checked_add(GAP)?.checked_next_multiple_of(GAP));
        let end = end.filter(|&end| end <= END).ok_or_else(|| SetupError::NoRoom { what: what.to_string(), bytes })?;
        self.0 = end;
        Ok(start)
    }
}

impl Placed {
    /// Places a kernel with its arguments and buffers. Buffers have the order of their names. `before` is a launch on
    /// the same memory: writable parts of the object keep what it left there. Without it the object is loaded afresh.
    /// If the kernel may print, the printf buffer has `printf_bytes` bytes.
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
        // The low 12 bits of a byte's address are the same in the file and in guest memory.
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
        let objects_size = args::objects_size(values);
        let objects = if objects_size > 0 { layout.take("descriptors", objects_size)? } else { 0 };
        let mut places = Places { arch, objects, list: Vec::new() };
        for buffer in ordered {
            let size = buffer.bytes.len() as u64;
            let base = layout.take(&format!("buffer '{}'", buffer.name), size)?;
            places.list.push(Place { name: buffer.name.clone(), base, size, image: buffer.image.clone() });
            shared.push(Mapping::new(base, buffer.name.as_str(), buffer.bytes.clone()));
        }
        let printf_bytes = if object.printf.is_empty() { UNREAD_PRINTF } else { printf_bytes };
        let printf_size = abi::PRINTF_HEAD as u64 + u64::from(printf_bytes);
        addresses.printf = PRINTF;

        let mut placed = args::place(kernel, values, kernarg_size, &places)?;
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
            ("descriptors", objects, &placed.objects),
        ] {
            if bytes.is_empty() {
                continue;
            }
            let memory = backing(name, bytes.len() as u64)?;
            memory.write(0, bytes);
            shared.push(Mapping::read_only(base, name, Arc::new(memory)));
        }
        let mut printf = None;
        if abi::has_printf(kernel) {
            // The second dword of the printf buffer is the number of bytes after its two head dwords.
            let buffer = backing("the printf buffer", printf_size)?;
            buffer.write(4, &printf_bytes.to_le_bytes());
            let buffer = Arc::new(buffer);
            shared.push(Mapping::new(addresses.printf, "printf", buffer.clone()));
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

    /// Whether the kernel may print text that can be read.
    pub fn prints(&self) -> bool {
        self.printf.is_some()
    }

    /// The printf buffer, if the kernel may print text that can be read.
    pub fn printf_buffer(&self) -> Option<&Backing> {
        self.printf.as_deref()
    }

    /// The guest string at `address`, up to its end or that of its mapping; `None` if nothing is mapped there.
    pub fn string_at(&self, address: u64) -> Option<Vec<u8>> {
        let mut space = Space::default();
        self.shared.iter().filter(|mapping| mapping.len > 0).for_each(|mapping| space.map(mapping.clone()));
        string_at(&space, address)
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

    /// Returns the scratch of a group in bytes.
    pub fn group_scratch(&self) -> u64 {
        self.waves_of_group as u64 * self.wave_scratch
    }

    fn image(&self) -> &[Mapping] {
        &self.shared[..self.image_segments]
    }

    /// Returns the backings that all threads share and that the kernel may write.
    pub fn writable(&self) -> impl Iterator<Item = &Arc<Backing>> {
        self.shared.iter().filter(|mapping| mapping.writable).map(|mapping| &mapping.backing)
    }

    /// Returns the context of a thread that runs groups. It has LDS and scratch of its own and shares everything else.
    ///
    /// # Errors
    /// [`SetupError::NoRoom`].
    pub fn context(&self) -> Result<Context, SetupError> {
        self.context_with(None)
    }

    /// Returns the context of a thread as [`Placed::context`] does, with marks of groups' accesses to writable shared
    /// memory, at the given grain.
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
            let scratch = Mapping::new(self.addresses.scratch, SCRATCH, Arc::new(backing(SCRATCH, bytes)?));
            context.space.map(Mapping { len: self.wave_scratch, moves: true, ..scratch });
        }
        Ok(context)
    }

    /// Maps the scratch of wave number `wave` in place of that of another wave.
    pub fn show_scratch(&self, context: &mut Context, wave: u32) {
        if let Some(scratch) = context.space.moving() {
            let offset = wave as u64 * self.wave_scratch;
            (scratch.base, scratch.offset) = (self.addresses.scratch + offset, offset as usize);
        }
    }

    /// Replaces the scratch of a group by untouched zeros, if it is large (`MUCH_SCRATCH`): to clear it would take
    /// longer than most groups work with it. Returns whether it was replaced.
    pub fn renew_scratch(&self, context: &mut Context) -> bool {
        let bytes = self.group_scratch();
        if bytes < MUCH_SCRATCH {
            return false;
        }
        match (context.space.moving(), usize::try_from(bytes).ok().and_then(Backing::zeroed)) {
            (Some(scratch), Some(fresh)) => scratch.backing = Arc::new(fresh),
            _ => return false,
        }
        true
    }

    /// Clears the scratch that [`Placed::show_scratch`] has mapped.
    pub fn clear_scratch(&self, context: &mut Context) {
        if let Some(scratch) = context.space.moving() {
            scratch.backing.clear(scratch.offset, scratch.len as usize);
        }
    }

    /// Returns the mapping nearest to an unmapped `address`, among those that wave number `wave` of a group sees.
    pub fn near(&self, address: u64, wave: u32) -> Option<NearReport> {
        let mut space = Space::default();
        self.shared.iter().filter(|mapping| mapping.len > 0).for_each(|mapping| space.map(mapping.clone()));
        if self.wave_scratch > 0 {
            let base = self.addresses.scratch + u64::from(wave) * self.wave_scratch;
            let scratch = Mapping::new(base, SCRATCH, Arc::new(Backing::zeroed(0)?));
            space.map(Mapping { len: self.wave_scratch, ..scratch });
        }
        let near = space.near(canonical(address))?;
        let side = if near.after { "after" } else { "before" };
        Some(NearReport { buffer: near.name.to_string(), distance: near.distance, side })
    }

    /// The facts that observers of a run want, whose waves start as `setup` says.
    pub fn scene(&self, setup: &WaveSetup) -> Scene {
        let buffers = self.places.list.iter();
        let mut buffers: Vec<_> = buffers.map(|place| (place.name.as_str().into(), place.base, place.size)).collect();
        buffers.sort_by_key(|(_, base, _)| *base);
        let scratch = self.addresses.scratch;
        Scene {
            moved: self.addresses.image,
            buffers,
            scratch: scratch..scratch + self.group_scratch(),
            wave_scratch: setup.wave_scratch(),
            groups_share_scratch: true,
            lds_bytes: self.lds_allocated as usize,
            lds_has_values: false,
            is_group_made_up: false,
            initial_sgprs: setup.initial_sgprs(),
            initial_vgprs: setup.initial_vgprs(),
            ..Scene::of_program(&self.program)
        }
    }

    /// Returns an address of the code as the file states it.
    pub fn address_of_file(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.addresses.image)
    }
}

/// Returns the bytes of the guest string at `address`, up to its end or that of its mapping; `None` if nothing is
/// mapped there.
fn string_at(space: &Space, address: u64) -> Option<Vec<u8>> {
    let (mapping, at) = space.find(canonical(address), 1, Access::Load)?;
    let len = mapping.len - canonical(address).wrapping_sub(mapping.base);
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(MOST_STRING).min(MOST_STRING)];
    mapping.backing.read_into(at, &mut bytes);
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    Some(bytes)
}

/// Name of the mapping of scratch.
const SCRATCH: &str = "scratch";

/// Returns the size that the arguments take, in bytes, if the kernel has no metadata; otherwise 0.
fn guessed_size(kernel: &Kernel, values: &[ArgValue]) -> u64 {
    if kernel.metadata.is_some() {
        return 0;
    }
    ArgValue::Struct(values.to_vec()).layout().0
}

/// Checks that the explicit arguments are in the kernarg segment that descriptor and metadata declare.
fn check_places(kernel: &Kernel) -> Result<(), ArgError> {
    let declared = kernel.metadata.as_ref().map_or(0, |metadata| metadata.kernarg_size);
    let size = kernel.descriptor.kernarg_size.max(declared);
    let end = |arg: &Arg| arg.offset.saturating_add(arg.size);
    let outside = args::explicit(kernel).unwrap_or_default().into_iter().enumerate().find(|(_, arg)| end(arg) > size);
    match outside {
        // Descriptors of old versions state no size.
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
