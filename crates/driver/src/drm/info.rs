//! DRM_AMDGPU_INFO: what the device is.

use std::sync::atomic::Ordering::SeqCst;

use gcnsim_isa::Arch;

use crate::chips::Chip;
use crate::clock;
use crate::gpu::Gpu;
use crate::ioctl::{Args, EFAULT, EINVAL, Errno};
use crate::tiles;

/// Size of the largest answer in bytes.
const MOST_ANSWER: usize = 1024;
/// Kinds of engines: graphics and compute.
const ENGINES: u32 = 2;

/// Most command buffers of a submission to graphics and to compute: what the kernel says (`amdgpu_ring_max_ibs`).
const MOST_IBS: [u32; ENGINES as usize] = [192, 125];

/// Queries.
mod query {
    pub const ACCEL_WORKING: u32 = 0x00;
    pub const HW_IP_INFO: u32 = 0x02;
    pub const HW_IP_COUNT: u32 = 0x03;
    pub const TIMESTAMP: u32 = 0x05;
    pub const FW_VERSION: u32 = 0x0e;
    pub const NUM_BYTES_MOVED: u32 = 0x0f;
    pub const VRAM_USAGE: u32 = 0x10;
    pub const GTT_USAGE: u32 = 0x11;
    pub const GDS_CONFIG: u32 = 0x13;
    pub const VRAM_GTT: u32 = 0x14;
    pub const READ_MMR_REG: u32 = 0x15;
    pub const DEV_INFO: u32 = 0x16;
    pub const VIS_VRAM_USAGE: u32 = 0x17;
    pub const NUM_EVICTIONS: u32 = 0x18;
    pub const MEMORY: u32 = 0x19;
    pub const SENSOR: u32 = 0x1d;
    pub const NUM_VRAM_CPU_PAGE_FAULTS: u32 = 0x1e;
    pub const VRAM_LOST_COUNTER: u32 = 0x1f;
    pub const VIDEO_CAPS: u32 = 0x21;
    pub const MAX_IBS: u32 = 0x22;
}

impl Gpu {
    /// DRM_AMDGPU_INFO.
    pub(super) fn info(&self, args: &mut Args) -> Result<(), Errno> {
        let (to, room, query, first, count) = (args.u64(0), args.u32(8), args.u32(12), args.u32(16), args.u32(20));
        let mut answer = [0; MOST_ANSWER];
        // There is no engine for video.
        if query == query::VIDEO_CAPS {
            return Err(EINVAL);
        }
        let len = self.answer_to(query, (first, count), &mut Args(&mut answer)).ok_or_else(|| {
            self.unknown(&format!("/dev/dri/renderD128: query {query:#x}"));
            EINVAL
        })?;
        let len = len.min(room as usize);
        self.program.write(to, &answer[..len]).then_some(()).ok_or(EFAULT)
    }

    /// Writes the answer to a query. Returns its length in bytes; `None` if the query is not known.
    fn answer_to(&self, query: u32, (first, count): (u32, u32), out: &mut Args) -> Option<usize> {
        let (vram, gtt) = (self.chip.memory << 20, self.chip.memory.max(4096) << 20);
        let kind = first;
        Some(match query {
            query::ACCEL_WORKING => {
                out.set_u32(0, 1);
                4
            }
            query::HW_IP_INFO => {
                if kind < ENGINES {
                    let [major, minor, _] = self.chip.version();
                    let rings = if kind == 0 { 1 } else { 0xf };
                    let fields = [(0, major), (4, minor), (16, 32), (20, 32), (24, rings)];
                    fields.into_iter().for_each(|(at, value)| out.set_u32(at, value));
                }
                32
            }
            query::HW_IP_COUNT => {
                out.set_u32(0, u32::from(kind < ENGINES));
                4
            }
            query::TIMESTAMP => {
                out.set_u64(0, clock::ticks());
                8
            }
            query::FW_VERSION => {
                // Versions that know all packets.
                out.set_u32(0, 0x1b1);
                out.set_u32(4, 53);
                8
            }
            query::VRAM_USAGE | query::VIS_VRAM_USAGE | query::GTT_USAGE => {
                out.set_u64(0, self.used_by_buffers());
                8
            }
            query::NUM_BYTES_MOVED | query::NUM_EVICTIONS | query::NUM_VRAM_CPU_PAGE_FAULTS => 8,
            query::GDS_CONFIG => {
                [0, 4].into_iter().for_each(|at| out.set_u32(at, 64 << 10));
                32
            }
            query::VRAM_GTT => {
                [(0, vram), (8, vram), (16, gtt)].into_iter().for_each(|(at, bytes)| out.set_u64(at, bytes));
                24
            }
            query::MEMORY => {
                // Three heaps: total, usable, used, the largest allocation.
                for (heap, bytes) in [vram, vram, gtt].into_iter().enumerate() {
                    let fields = [(0, bytes), (8, bytes), (16, self.used_by_buffers()), (24, bytes)];
                    fields.into_iter().for_each(|(at, value)| out.set_u64(32 * heap + at, value));
                }
                96
            }
            query::READ_MMR_REG => {
                let most = (MOST_ANSWER / 4) as u32;
                let list = first..first.saturating_add(count.min(most));
                list.enumerate().for_each(|(at, register)| out.set_u32(4 * at, register_of(self.chip, register)));
                4 * count.min(most) as usize
            }
            query::DEV_INFO => {
                describe(self.chip, out);
                368
            }
            query::SENSOR => {
                out.set_u32(0, self.chip.clock);
                4
            }
            query::VRAM_LOST_COUNTER => 4,
            query::MAX_IBS => {
                self.drm.is_recent.store(true, SeqCst);
                // For each kind of engine, of which there may be ten.
                MOST_IBS.into_iter().enumerate().for_each(|(kind, most)| out.set_u32(4 * kind, most));
                40
            }
            _ => return None,
        })
    }
}

/// Returns a register that drivers ask for: how addresses, tiles and banks are laid out.
fn register_of(chip: &Chip, register: u32) -> u32 {
    const ADDRESSES: u32 = 0x263e;
    const TILES: u32 = 0x2644;
    const BANKS: u32 = 0x2664;
    const MEMORY: u32 = 0x9d8;
    match register {
        ADDRESSES => chip.addresses,
        _ if chip.arch().is_gcn14_or_later() => 0,
        TILES..BANKS => tiles::modes(chip.arch()).get((register - TILES) as usize).copied().unwrap_or(0),
        BANKS..0x2674 => tiles::BANKS,
        MEMORY => 0x7111,
        _ => 0,
    }
}

/// Writes `drm_amdgpu_info_device`.
fn describe(chip: &Chip, out: &mut Args) {
    let arch = chip.arch();
    let is_gcn14 = arch.is_gcn14_or_later();
    let numbers = [
        (0, chip.device),
        (8, chip.external),
        (12, chip.revision),
        (16, family(chip)),
        (20, chip.engines),
        (24, chip.arrays),
        (28, clock::FREQUENCY),
        (48, chip.compute_units()),
        (120, ((1u64 << chip.pipes) - 1) as u32),
        (124, chip.pipes),
        (128, 8),
        (160, 4096),
        (164, 2 << 20),
        (168, 4096),
        (172, 32 << 10),
        // The kind of memory: HBM or GDDR5.
        (176, if chip.memory_width >= 1024 { 6 } else { 5 }),
        (180, chip.memory_width),
        (188, u32::from(is_gcn14)),
        (240, 64),
        (244, 256),
        (248, chip.units),
        (252, chip.caches),
        (256, if is_gcn14 { 32 } else { 0 }),
        (260, if is_gcn14 { 1792 } else { 0 }),
        (264, if is_gcn14 { 32 } else { 16 }),
    ];
    numbers.into_iter().for_each(|(at, value)| out.set_u32(at, value));
    let last = if is_gcn14 { 1 << 47 } else { 0xff_ffe0_0000 };
    let wide =
        [(32, u64::from(chip.clock) * 1000), (40, u64::from(chip.memory_clock) * 1000), (144, 2 << 20), (152, last)];
    wide.into_iter().for_each(|(at, value)| out.set_u64(at, value));
    for engine in 0..chip.engines as usize {
        for array in 0..chip.arrays as usize {
            let at = 4 * (4 * engine + array);
            out.set_u32(56 + at, (1 << chip.units) - 1);
            out.set_u32(272 + at, (1 << chip.units) - 1);
        }
    }
    // Fused: an APU shares memory with the host.
    const FUSION: u64 = 1;
    out.set_u64(136, if chip.is_apu { FUSION } else { 0 });
    if is_gcn14 {
        out.set_u64(336, 0xffff_8000_0000_0000);
        out.set_u64(344, 0xffff_ffff_ffe0_0000);
    }
}

/// Number of the family of a chip (AMDGPU_FAMILY).
fn family(chip: &Chip) -> u32 {
    match (chip.arch(), chip.is_apu) {
        (Arch::Gcn10, _) => 110,
        (Arch::Gcn11, false) => 120,
        (Arch::Gcn11, true) => 125,
        (Arch::Gcn12 | Arch::Gfx810, false) => 130,
        (Arch::Gcn12 | Arch::Gfx810, true) => 135,
        (Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141, false) => 141,
        (Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141, true) => 142,
    }
}
