//! The state in which a kernel starts: the kernarg segment, the dispatch packet, the queue, and the registers of each
//! wave.
//!
//! Sources: docs/gcn/kernel-arguments.md, docs/gcn/dispatch.md, docs/gcn/dispatch-example.md (which the tests repeat).

use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor};
use gcnsim_isa::{Arch, LANES, Vgpr, WaveState};
use gcnsim_machine::Apertures;

use super::args::Placed;
use super::geometry::{Geometry, WAVE};
use gcnsim_loader::code_object::Kernel;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind, Hidden};

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
/// Size of the head of a printf buffer in bytes: two dwords, of which the second one is the number of bytes behind them.
pub const PRINTF_HEAD: usize = 8;
/// Size of a queue object in bytes.
pub const QUEUE_SIZE: usize = 256;
/// Number of zero bytes that follow the kernarg segment, and that a kernel may read.
pub const KERNARG_PADDING: usize = 64;
/// Additional scratch of a work-item whose stack grows at run time, in bytes.
const DYNAMIC_STACK: u32 = 16 << 10;

/// Returns the apertures: the high dwords of the addresses that mean LDS and scratch. `None` on GCN 1.0, which has no
/// FLAT instructions.
pub fn apertures(arch: Arch, addresses: &Addresses) -> Option<Apertures> {
    let (shared, private) = match arch {
        Arch::Gcn10 => return None,
        Arch::Gcn11 | Arch::Gcn12 | Arch::Gfx810 => (0x2000_0000, 0x2000_0001),
        Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => (0x0001_0000, 0x0002_0000),
    };
    Some(Apertures { shared, private, hidden_private_base: addresses.scratch })
}

/// Returns the register SH_MEM_BASES: both apertures from GCN 1.4 on; 0 on older generations.
fn sh_mem_bases(arch: Arch) -> u32 {
    if arch.is_gcn14_or_later() { 0x0001_0002 } else { 0 }
}

/// Returns the scratch of a work-item in bytes, a multiple of 4.
pub fn private_size(kernel: &Kernel) -> u32 {
    let grows = kernel.descriptor.properties.dynamic_stack
        || kernel.metadata.as_ref().is_some_and(|metadata| metadata.dynamic_stack);
    let more = if grows { DYNAMIC_STACK } else { 0 };
    kernel.descriptor.private_segment_size.saturating_add(more).saturating_add(3) & !3
}

/// Returns the scratch of a wave in bytes, a multiple of 1024.
pub fn wave_scratch(kernel: &Kernel) -> u64 {
    (private_size(kernel) as u64 * WAVE as u64).next_multiple_of(1024)
}

/// Returns the size of the kernarg segment in bytes: the largest that the descriptor, the metadata or the arguments
/// state.
pub fn kernarg_size(kernel: &Kernel) -> u64 {
    let args = kernel.metadata.iter().flat_map(|metadata| &metadata.args);
    let end = args.map(|arg| arg.offset.saturating_add(arg.size)).max().unwrap_or(0);
    let metadata = kernel.metadata.as_ref().map_or(0, |metadata| metadata.kernarg_size);
    kernel.descriptor.kernarg_size.max(metadata).max(end)
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
pub fn hidden_arguments(
    placed: &mut Placed,
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
            let Some(apertures) = apertures(arch, addresses) else { return };
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
pub fn packet(kernel: &Kernel, geometry: &Geometry, lds: u32, addresses: &Addresses) -> [u8; PACKET_SIZE] {
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
pub fn queue(arch: Arch, addresses: &Addresses) -> [u8; QUEUE_SIZE] {
    let mut queue = [0; QUEUE_SIZE];
    let mut bytes = Bytes(&mut queue);
    bytes.u32(4, 1);
    bytes.u64(8, addresses.packet);
    bytes.u32(24, 1);
    bytes.u64(56, 1);
    if let Some(apertures) = apertures(arch, addresses) {
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
pub fn scratch_resource(arch: Arch, scratch: u64) -> [u32; 4] {
    let word3 = match arch {
        Arch::Gcn10 | Arch::Gcn11 => 0x00ea_4fac,
        Arch::Gcn12 | Arch::Gfx810 => 0x00e8_0fac,
        Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => 0x00e0_0fac,
    };
    [scratch as u32, (scratch >> 32) as u32 & 0xffff | 1 << 31, u32::MAX, word3]
}

/// The values that all waves of a dispatch start with, and the kernel they come from.
#[derive(Clone, Debug)]
pub struct WaveSetup {
    arch: Arch,
    descriptor: KernelDescriptor,
    geometry: Geometry,
    entry: u64,
    private_size: u32,
    wave_scratch: u64,
    user_sgprs: Vec<u32>,
}

impl WaveSetup {
    /// Returns the values that all waves of a dispatch start with.
    pub fn new(kernel: &Kernel, arch: Arch, geometry: Geometry, addresses: &Addresses) -> WaveSetup {
        use CodeProperties as P;
        let properties = kernel.descriptor.properties;
        let private_size = private_size(kernel);
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
        for (i, groups) in (0..).zip(geometry.groups()) {
            if properties.has(P::GRID_GROUP_COUNT_X << i) {
                sgprs.push(groups);
            }
        }
        sgprs.resize(kernel.descriptor.rsrc2.user_sgprs() as usize, 0);
        WaveSetup {
            arch,
            descriptor: kernel.descriptor,
            geometry,
            entry: addresses.image.wrapping_add(kernel.entry),
            private_size,
            wave_scratch: wave_scratch(kernel),
            user_sgprs: sgprs,
        }
    }

    /// Returns the number of vector registers of a wave.
    pub fn vgprs(&self) -> usize {
        self.descriptor.rsrc1.vgprs() as usize
    }

    /// Returns the number of scalar registers, from s0 on, that the hardware sets before a wave starts.
    pub fn initial_sgprs(&self) -> u32 {
        let rsrc2 = self.descriptor.rsrc2;
        let ids = (0..3).filter(|&i| rsrc2.group_id(i)).count();
        (self.user_sgprs.len() + ids) as u32 + u32::from(rsrc2.group_info()) + u32::from(rsrc2.scratch())
    }

    /// Returns the number of vector registers, from v0 on, that the hardware sets before a wave starts.
    pub fn initial_vgprs(&self) -> u32 {
        self.descriptor.rsrc2.local_ids()
    }

    /// Returns the number of waves of the group with the id `group`.
    pub fn waves(&self, group: [u32; 3]) -> u32 {
        self.geometry.group_size(group).iter().product::<u32>().div_ceil(WAVE)
    }

    /// Returns the scratch of a wave, in bytes.
    pub fn wave_scratch(&self) -> u64 {
        self.wave_scratch
    }

    /// Returns the scratch of a work-item, in bytes.
    pub fn private_size(&self) -> u32 {
        self.private_size
    }

    /// Returns the scalar state with which wave number `wave` of the group with the id `group` starts.
    pub fn state(&self, group: [u32; 3], wave: u32) -> WaveState {
        let mut state = self.state_in_any(self.geometry.group_size(group), wave);
        self.set_group(group, &mut state);
        state
    }

    /// Returns the scalar state with which wave number `wave` of a group of `x` by `y` by `z` work-items starts, but for
    /// the [id of the group](WaveSetup::set_group).
    pub(super) fn state_in_any(&self, [x, y, z]: [u32; 3], wave: u32) -> WaveState {
        let rsrc2 = self.descriptor.rsrc2;
        let mut state = WaveState::zeroed();
        state.pc = self.entry;
        state.mode = self.descriptor.rsrc1.mode(self.arch);
        state.sh_mem_bases = sh_mem_bases(self.arch);
        let items = x * y * z;
        let info = items.div_ceil(WAVE) & 0x3f | (wave & 0x7ff) << 6 | ((wave == 0) as u32) << 31;
        let user = self.user_sgprs.iter().copied();
        let initial = user
            .chain(self.group_ids().map(|_| 0))
            .chain(rsrc2.group_info().then_some(info))
            .chain(rsrc2.scratch().then_some((wave as u64 * self.wave_scratch) as u32));
        state.sgpr.iter_mut().zip(initial).for_each(|(sgpr, value)| *sgpr = value);
        let lanes = (items - (wave * WAVE).min(items)).min(WAVE);
        state.set_exec(if lanes == WAVE { u64::MAX } else { (1 << lanes) - 1 });
        state
    }

    /// Sets the id of the group in the state with which a wave starts.
    #[inline]
    pub(super) fn set_group(&self, group: [u32; 3], state: &mut WaveState) {
        let sgprs = state.sgpr.iter_mut().skip(self.user_sgprs.len());
        sgprs.zip(self.group_ids()).for_each(|(sgpr, dimension)| *sgpr = group[dimension]);
    }

    /// The dimensions in which waves get the id of their group, ascending.
    #[inline]
    fn group_ids(&self) -> impl Iterator<Item = usize> {
        let rsrc2 = self.descriptor.rsrc2;
        (0..3).filter(move |&i| rsrc2.group_id(i as u32))
    }

    /// Returns the number of work-items of a group in each dimension.
    pub fn group_size(&self, group: [u32; 3]) -> [u32; 3] {
        self.geometry.group_size(group)
    }

    /// Returns the first vector registers of wave number `wave`: the local ids of its work-items, in a group of `x` by
    /// `y` by `z` work-items.
    pub fn local_ids(&self, [x, y, z]: [u32; 3], wave: u32) -> Vec<Vgpr> {
        let mut vgprs = vec![Vgpr([0; LANES]); self.descriptor.rsrc2.local_ids() as usize];
        for lane in 0..LANES as u32 {
            let item = wave * WAVE + lane;
            if item >= x * y * z {
                break;
            }
            let id = [item % x, item / x % y, item / x / y];
            for (vgpr, id) in vgprs.iter_mut().zip(id) {
                vgpr.0[lane as usize] = id;
            }
        }
        vgprs
    }
}

#[cfg(test)]
#[path = "abi_tests.rs"]
mod tests;
