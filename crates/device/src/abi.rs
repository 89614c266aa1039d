//! The state in which a kernel starts: the kernarg segment, the dispatch packet, the queue, and the registers of each
//! wave.
//!
//! Sources: docs/gcn/kernel-arguments.md, docs/gcn/dispatch.md, docs/gcn/dispatch-example.md (which the tests repeat).

use gcnsim_isa::Arch;
use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor};

use super::args::{self, ArgError, ArgValue, PlacedArgs, Places};
use super::dispatch::most_lds;
use super::dispatch_error::DispatchError;
use super::geometry::Geometry;
use super::registers::{Registers, Scratch};
use super::waves::apertures;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind, Hidden};
use gcnsim_loader::code_object::{CodeObject, Kernel};

/// Guest addresses of the parts of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Addresses {
    /// Distance from an address that the object states to the guest address where the byte is.
    pub image: u64,
    /// Kernarg segment.
    pub kernarg: u64,
    /// Dispatch packet.
    pub packet: u64,
    /// Queue object.
    pub queue: u64,
    /// Scratch of the first wave of a group.
    pub scratch: u64,
    /// Printf buffer.
    pub printf: u64,
}

/// Size of a dispatch packet in bytes.
pub const PACKET_SIZE: usize = 64;
/// Size of the head of a printf buffer in bytes: two dwords, of which the second one is the number of bytes behind
/// them.
pub const PRINTF_HEAD: usize = 8;
/// Size of a queue object in bytes.
pub const QUEUE_SIZE: usize = 256;
/// Number of zero bytes that follow the kernarg segment, and that a kernel may read.
pub const KERNARG_PADDING: usize = 64;
/// Additional scratch of a work-item whose stack grows at run time, in bytes.
const DYNAMIC_STACK: u32 = 16 << 10;

/// Returns the scratch of a work-item in bytes, a multiple of 4.
pub fn private_size(kernel: &Kernel) -> u32 {
    let grows = kernel.descriptor.properties.dynamic_stack
        || kernel.metadata.as_ref().is_some_and(|metadata| metadata.dynamic_stack);
    let more = if grows { DYNAMIC_STACK } else { 0 };
    kernel.descriptor.private_segment_size.saturating_add(more).saturating_add(3) & !3
}

/// Returns the size of the kernarg segment in bytes: the largest that the descriptor, the metadata or the arguments
/// state.
pub fn kernarg_size(kernel: &Kernel) -> u64 {
    let args = kernel.metadata.iter().flat_map(|metadata| &metadata.args);
    let end = args.map(|arg| arg.offset.saturating_add(arg.size)).max().unwrap_or(0);
    let metadata = kernel.metadata.as_ref().map_or(0, |metadata| metadata.kernarg_size);
    kernel.descriptor.kernarg_size.max(metadata).max(end)
}

/// Returns the size of the kernarg segment of a launch with these arguments, in bytes. They count if the kernel has no
/// metadata.
pub fn kernarg_size_for(kernel: &Kernel, values: &[ArgValue]) -> u64 {
    let guessed = match kernel.metadata {
        Some(_) => 0,
        None => ArgValue::Struct(values.to_vec()).layout().0,
    };
    kernarg_size(kernel).max(guessed)
}

/// Buffer into which little-endian numbers are written at offsets. A number that does not fit is left out.
struct Bytes<'a>(&'a mut [u8]);

impl Bytes<'_> {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        let place =
            usize::try_from(at).ok().and_then(|at| self.0.get_mut(at..)).and_then(|rest| rest.get_mut(..bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
    }

    fn u16(&mut self, at: u64, value: u32) {
        self.put(at, &(value as u16).to_le_bytes());
    }

    fn u32(&mut self, at: u64, value: u32) {
        self.put(at, &value.to_le_bytes());
    }

    fn u64(&mut self, at: u64, value: u64) {
        self.put(at, &value.to_le_bytes());
    }
}

/// Writes the hidden arguments into the kernarg segment, which has the explicit ones. `version` is that of the code
/// object. From version 5 on all of them are written as far as the segment reaches, whether the metadata lists them or
/// not.
fn hidden_arguments(
    placed: &mut PlacedArgs,
    kernel: &Kernel,
    version: u8,
    arch: Arch,
    geometry: &Geometry,
    addresses: &Addresses,
) {
    const ALL_OF_V5: [(u64, Hidden); 22] = [
        (0, Hidden::BlockCount(0)),
        (4, Hidden::BlockCount(1)),
        (8, Hidden::BlockCount(2)),
        (12, Hidden::GroupSize(0)),
        (14, Hidden::GroupSize(1)),
        (16, Hidden::GroupSize(2)),
        (18, Hidden::Remainder(0)),
        (20, Hidden::Remainder(1)),
        (22, Hidden::Remainder(2)),
        (40, Hidden::GlobalOffset(0)),
        (48, Hidden::GlobalOffset(1)),
        (56, Hidden::GlobalOffset(2)),
        (64, Hidden::GridDims),
        (72, Hidden::PrintfBuffer),
        (80, Hidden::HostcallBuffer),
        (88, Hidden::MultigridSync),
        (96, Hidden::Heap),
        (104, Hidden::DefaultQueue),
        (120, Hidden::DynamicLdsSize),
        (192, Hidden::PrivateBase),
        (196, Hidden::SharedBase),
        (200, Hidden::QueuePtr),
    ];
    /// Offset of the printf buffer's address in v4, in bytes from the first hidden argument. In v5 these bytes are
    /// reserved.
    const V4_PRINTF: u64 = 24;
    const ALL_OF_V4: [(u64, Hidden); 4] = [
        (0, Hidden::GlobalOffset(0)),
        (8, Hidden::GlobalOffset(1)),
        (16, Hidden::GlobalOffset(2)),
        (V4_PRINTF, Hidden::PrintfBuffer),
    ];
    let args = kernel.metadata.as_ref().map(|metadata| metadata.args.as_slice()).unwrap_or_default();
    let (block, dynamic_lds) = (placed.end.next_multiple_of(8), placed.dynamic_lds);
    let bytes = &mut Bytes(&mut placed.kernarg);
    let mut put = |at: u64, size: u64, hidden: Hidden| match hidden {
        Hidden::GlobalOffset(d) if size == 4 => bytes.u32(at, geometry.offset[d as usize] as u32),
        Hidden::GlobalOffset(d) => bytes.u64(at, geometry.offset[d as usize]),
        Hidden::BlockCount(d) => bytes.u32(at, geometry.grid[d as usize] / geometry.group[d as usize]),
        Hidden::GroupSize(d) => bytes.u16(at, geometry.group[d as usize]),
        Hidden::Remainder(d) => bytes.u16(at, geometry.grid[d as usize] % geometry.group[d as usize]),
        Hidden::GridDims => bytes.u16(at, geometry.dimensions),
        Hidden::PrintfBuffer => bytes.u64(at, addresses.printf),
        Hidden::DynamicLdsSize => bytes.u32(at, dynamic_lds as u32),
        Hidden::PrivateBase | Hidden::SharedBase => {
            let Some(apertures) = apertures(arch, addresses.scratch) else { return };
            bytes.u32(at, if hidden == Hidden::PrivateBase { apertures.private } else { apertures.shared });
        }
        Hidden::QueuePtr => bytes.u64(at, addresses.queue),
        Hidden::None
        | Hidden::HostcallBuffer
        | Hidden::DefaultQueue
        | Hidden::CompletionAction
        | Hidden::MultigridSync
        | Hidden::Heap => {}
    };
    let listed = args.iter().filter_map(|arg| match arg.kind {
        ArgKind::Hidden(hidden) => Some((arg.offset, arg.size, hidden)),
        _ => None,
    });
    // In v4 the address of the printf buffer is written only if the metadata lists it: its place may be that of another
    // argument.
    let all = match (version, kernel.metadata.is_some()) {
        (5.., _) => &ALL_OF_V5[..],
        (_, true) => &[],
        (_, false) => &ALL_OF_V4[..3],
    };
    all.iter().for_each(|&(at, hidden)| put(block + at, 8, hidden));
    // A kernel of v5 may be linked with a device library for v4, which looks for the printf buffer in the place of v4.
    let v4_printf = block + V4_PRINTF..block + V4_PRINTF + 8;
    let is_free = |arg: &Arg| arg.offset >= v4_printf.end || arg.offset.saturating_add(arg.size) <= v4_printf.start;
    if version >= 5 && kernel.metadata.is_some() && has_printf(kernel) && args.iter().all(is_free) {
        put(v4_printf.start, 8, Hidden::PrintfBuffer);
    }
    listed.for_each(|(at, size, hidden)| put(at, size, hidden));
}

/// Whether the kernel may print: its metadata lists the printf buffer, or it has no metadata.
pub fn has_printf(kernel: &Kernel) -> bool {
    let is_printf = |arg: &Arg| arg.kind == ArgKind::Hidden(Hidden::PrintfBuffer);
    kernel.metadata.as_ref().is_none_or(|metadata| metadata.args.iter().any(is_printf))
}

/// Returns the dispatch packet.
fn packet(kernel: &Kernel, geometry: &Geometry, lds: u32, addresses: &Addresses) -> [u8; PACKET_SIZE] {
    let mut packet = [0; PACKET_SIZE];
    let mut bytes = Bytes(&mut packet);
    bytes.u16(0, 0x0b02);
    bytes.u16(2, geometry.dimensions);
    for (i, at) in [4, 6, 8].into_iter().enumerate() {
        bytes.u16(at, geometry.group[i]);
    }
    for (i, at) in [12, 16, 20].into_iter().enumerate() {
        bytes.u32(at, geometry.grid[i]);
    }
    bytes.u32(24, private_size(kernel));
    bytes.u32(28, lds);
    bytes.u64(32, addresses.image.wrapping_add(kernel.descriptor_address));
    bytes.u64(40, addresses.kernarg);
    packet
}

/// Returns the queue object, in which kernels find the apertures.
fn queue(arch: Arch, addresses: &Addresses) -> [u8; QUEUE_SIZE] {
    let mut queue = [0; QUEUE_SIZE];
    let mut bytes = Bytes(&mut queue);
    bytes.u32(4, 1);
    bytes.u64(8, addresses.packet);
    bytes.u32(24, 1);
    bytes.u64(56, 1);
    if let Some(apertures) = apertures(arch, addresses.scratch) {
        bytes.u32(64, apertures.shared);
        bytes.u32(68, apertures.private);
    }
    bytes.u32(136, 128);
    let resource = scratch_resource(arch, addresses.scratch);
    (0..).zip(resource).for_each(|(i, dword)| bytes.u32(144 + 4 * i, dword));
    bytes.u64(160, addresses.scratch);
    bytes.u32(180, 2);
    queue
}

/// Returns the buffer resource of scratch that begins at the address `scratch`.
fn scratch_resource(arch: Arch, scratch: u64) -> [u32; 4] {
    let word3 = match arch {
        Arch::Gcn10 | Arch::Gcn11 => 0x00ea_4fac,
        Arch::Gcn12 | Arch::Gfx810 => 0x00e8_0fac,
        Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => 0x00e0_0fac,
    };
    [scratch as u32, (scratch >> 32) as u32 & 0xffff | 1 << 31, u32::MAX, word3]
}

/// Returns the granule of LDS in bytes: 256 on GCN 1.0, otherwise 512.
fn lds_granule(arch: Arch) -> u32 {
    if arch == Arch::Gcn10 { 256 } else { 512 }
}

/// What a launch puts into memory and registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// The kernarg segment, with [zeros](KERNARG_PADDING) behind it.
    pub kernarg: Vec<u8>,
    /// The dispatch packet.
    pub packet: [u8; PACKET_SIZE],
    /// The queue object.
    pub queue: [u8; QUEUE_SIZE],
    /// The objects that arguments of images and samplers point to.
    pub objects: Vec<u8>,
    /// LDS of a group in bytes, as the kernel and its arguments ask for it.
    pub lds: u32,
    /// Whether the places of arguments were guessed, because the object has no metadata.
    pub guessed: bool,
    /// The registers.
    pub registers: Registers,
}

/// Makes what a launch puts into memory and registers: a descriptor and arguments become registers here, and nowhere
/// else. The kernarg segment has `size` bytes, at least [those that the kernel states](kernarg_size). `change` may
/// change the explicit arguments.
///
/// # Errors
/// [`DispatchError`] if the arguments do not fit the kernel, or a group needs too much LDS.
pub fn prepare(
    object: &CodeObject,
    kernel: &Kernel,
    geometry: &Geometry,
    (values, size): (&[ArgValue], u64),
    places: &Places,
    addresses: &Addresses,
    change: impl FnOnce(&mut PlacedArgs),
) -> Result<Prepared, DispatchError> {
    let arch = object.arch;
    let mut placed = args::place(kernel, values, size, places)?;
    change(&mut placed);
    let lds = u64::from(kernel.descriptor.group_segment_size).saturating_add(placed.dynamic_lds);
    let most = most_lds(arch);
    let lds = u32::try_from(lds).ok().filter(|&lds| lds <= most).ok_or(DispatchError::Lds { given: lds, most })?;
    hidden_arguments(&mut placed, kernel, object.version, arch, geometry, addresses);
    placed.kernarg.resize(size as usize + KERNARG_PADDING, 0);
    Ok(Prepared {
        kernarg: placed.kernarg,
        packet: packet(kernel, geometry, lds, addresses),
        queue: queue(arch, addresses),
        objects: placed.objects,
        lds,
        guessed: placed.guessed,
        registers: registers(&kernel.descriptor, kernel.entry, arch, geometry, addresses, (lds, private_size(kernel))),
    })
}

/// Checks that a kernel can run in groups of the size that `geometry` states.
///
/// # Errors
/// [`DispatchError`].
pub fn check(kernel: &Kernel, geometry: &Geometry) -> Result<(), DispatchError> {
    check_group(kernel, geometry)?;
    Ok(check_places(kernel)?)
}

/// Returns the registers with which a driver starts a kernel that its file states to begin at `entry`. Of LDS a group
/// has `lds` bytes, of scratch a work-item has `private_size`, a multiple of 4.
pub fn registers(
    descriptor: &KernelDescriptor,
    entry: u64,
    arch: Arch,
    geometry: &Geometry,
    addresses: &Addresses,
    (lds, private_size): (u32, u32),
) -> Registers {
    use CodeProperties as P;
    let properties = descriptor.properties;
    let mut sgprs: Vec<u32> = Vec::new();
    let pair = |value: u64| [value as u32, (value >> 32) as u32];
    if properties.has(P::PRIVATE_SEGMENT_BUFFER) {
        sgprs.extend(scratch_resource(arch, addresses.scratch));
    }
    for (bit, value) in [
        (P::DISPATCH_PTR, addresses.packet),
        (P::QUEUE_PTR, addresses.queue),
        (P::KERNARG_PTR, addresses.kernarg),
        (P::DISPATCH_ID, 0),
    ] {
        if properties.has(bit) {
            sgprs.extend(pair(value));
        }
    }
    if properties.has(P::FLAT_SCRATCH_INIT) {
        match arch.is_gcn14_or_later() {
            true => sgprs.extend(pair(addresses.scratch)),
            // The two dwords are the offset of scratch from the hidden base, which is 0, and the size of a
            // work-item's scratch in bytes.
            false => sgprs.extend([0, private_size]),
        }
    }
    if properties.has(P::PRIVATE_SEGMENT_SIZE) {
        sgprs.push(private_size);
    }
    let grid = geometry.grid();
    for (i, groups) in (0..).zip(grid.groups) {
        if properties.has(P::GRID_GROUP_COUNT_X << i) {
            sgprs.push(groups);
        }
    }
    sgprs.resize(descriptor.rsrc2.user_sgprs() as usize, 0);
    Registers {
        pc: addresses.image.wrapping_add(entry),
        rsrc1: descriptor.rsrc1,
        rsrc2: descriptor.rsrc2,
        user_sgprs: sgprs,
        grid,
        lds_bytes: lds.next_multiple_of(lds_granule(arch)),
        scratch: Scratch { address: addresses.scratch, lane_bytes: private_size },
    }
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

fn check_group(kernel: &Kernel, geometry: &Geometry) -> Result<(), DispatchError> {
    let given = geometry.group_items();
    if given > 1024 {
        return Err(DispatchError::TooManyItems(given));
    }
    if kernel.descriptor.properties.private_element_size != 4 && kernel.descriptor.private_segment_size > 0 {
        return Err(DispatchError::PrivateElementSize(kernel.descriptor.properties.private_element_size));
    }
    let Some(metadata) = &kernel.metadata else { return Ok(()) };
    if let Some(required) = metadata.required_group_size
        && required != geometry.group
    {
        return Err(DispatchError::GroupSize { given: geometry.group, required });
    }
    match metadata.max_group_size {
        Some(allowed) if given > allowed as u64 => Err(DispatchError::GroupTooLarge { given, allowed }),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "abi_tests.rs"]
mod tests;
