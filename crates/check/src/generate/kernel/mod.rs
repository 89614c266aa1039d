//! Whole dispatches: a kernel for several waves of several groups, with its buffers.
//!
//! A kernel begins with code that loads addresses, descriptors and offsets into the registers that
//! [`super::memory::MemoryStyle`] names. It takes them from a table in a buffer, which has them relative to the buffer
//! of data. The rest of the kernel is a random program, with barriers.
//!
//! In an *orderly* dispatch each group works on a part of the data of its own, and does nothing unusual. Its result
//! does not depend on the order of groups, so several threads may run it. In any other dispatch groups share the data.

pub mod object;
mod prologue;

use std::sync::Arc;

use gcnsim_isa::{Arch, WaveState};

use super::memory::{self, MemoryStyle};
use super::style::Style;
use super::{Case, Generator, Row, mutate, values};
use gcnsim_device::args::ArgValue;
use gcnsim_device::geometry::Geometry;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_machine::Wave;
use gcnsim_random::Rng;
use prologue::POOL;

/// The grid, the memory and the registers of a case that is a dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Work-items in each dimension.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub group: [u32; 3],
    /// Content of the data buffer.
    pub data: Arc<Vec<u8>>,
    /// Content of the table, from which the first instructions of the kernel load registers.
    pub table: Arc<Vec<u8>>,
    /// Size of a group's LDS, in bytes.
    pub lds: u32,
    /// Size of a work-item's scratch, in bytes.
    pub scratch: u32,
    /// Vector registers of a wave, a multiple of 4.
    pub vgprs: u32,
    /// Bits 12 to 19 of COMPUTE_PGM_RSRC1: modes of floats.
    pub float_mode: u32,
    /// Whether the result does not depend on the order of groups.
    pub orderly: bool,
}

/// Name of the kernel in its object.
pub const KERNEL: &str = "fuzz";
/// Names of the buffers, in the order of the arguments.
pub const BUFFERS: [&str; 2] = ["data", "table"];
/// Size of a group's part of the data in orderly dispatches, in bytes.
const PART: u32 = 4096;
/// Distance of the table from the data, in bytes: guest memory leaves a gap between buffers.
const TABLE_AT: u64 = 0x2_0000;

impl Launch {
    /// Returns the number of groups.
    pub fn groups(&self) -> u64 {
        self.geometry().grid().count()
    }

    fn geometry(&self) -> Geometry {
        Geometry { dimensions: 3, grid: self.grid, group: self.group, offset: [0; 3] }
    }

    /// Returns the launch as the dispatcher takes it.
    pub fn spec(&self) -> LaunchSpec {
        LaunchSpec {
            name: KERNEL.to_owned(),
            kernel: Some(KERNEL.to_owned()),
            geometry: self.geometry(),
            args: BUFFERS.map(ArgValue::buffer).to_vec(),
            buffers: Vec::new(),
            registers: None,
            expect: None,
            max_insts: None,
            text: String::new(),
        }
        .buffer(BUFFERS[0], self.data.to_vec())
        .buffer(BUFFERS[1], self.table.to_vec())
    }
}

/// Returns the sizes of the grid and of a group, in work-items.
fn sizes(rng: &mut Rng) -> ([u32; 3], [u32; 3]) {
    let group = rng.pick(&[
        [1, 1, 1],
        [16, 1, 1],
        [64, 1, 1],
        [64, 1, 1],
        [65, 1, 1],
        [128, 1, 1],
        [200, 1, 1],
        [256, 1, 1],
        [8, 8, 1],
        [16, 9, 1],
        [5, 7, 3],
        [4, 4, 8],
        [1, 96, 1],
    ]);
    let groups: [u32; 3] = match rng.below(6) {
        0 => [1, 1, 1],
        1..4 => [rng.between(2, 5), 1, 1],
        4 => [2, 2, 1],
        _ => [1, 2, 3],
    };
    let mut grid: [u32; 3] = std::array::from_fn(|i| groups[i] * group[i]);
    if rng.percent(60) {
        // The last group of a dimension is partial.
        let i = if group[1] > 1 && rng.percent(50) { 1 } else { 0 };
        grid[i] -= rng.below(group[i]);
    }
    (grid, group)
}

impl Case {
    /// Returns a dispatch that executes `featured` early.
    pub(super) fn dispatch(mut rng: Rng, arch: Arch, featured: Row) -> Case {
        let orderly = rng.percent(50);
        let (grid, group) = sizes(&mut rng);
        let mut launch = Launch {
            grid,
            group,
            data: Arc::default(),
            table: Arc::default(),
            lds: 0,
            scratch: memory::PRIVATE_BYTES,
            vgprs: rng.pick(&[48, 64, 64, 128, 256]),
            float_mode: if rng.percent(60) { 0xc0 } else { rng.below(256) },
            orderly,
        };
        let (groups, size) = (launch.groups() as u32, if orderly { PART } else { rng.pick(&[256, 1024, 4096]) });
        let style = kernel_style(&mut rng, arch, orderly, size);
        let memory = style.memory.clone().unwrap_or_else(|| MemoryStyle::of_kernel(0, size));
        let mut filled = Wave::from_state(WaveState::zeroed());
        memory.fill(&mut rng, arch, &mut filled);
        let len = if orderly { groups * PART } else { size };
        let data = (0..len / 4).flat_map(|_| values::edge32(&mut rng).to_le_bytes()).collect();
        (launch.data, launch.lds) = (Arc::new(data), memory.lds);
        launch.table = Arc::new(prologue::table(&memory, &filled));
        let mut generator = Generator::new(arch, rng, style);
        generator.prologue(&memory, &launch);
        let start = generator.asm.here();
        let mut words = generator.kernel(featured);
        let mut rng = generator.rng;
        if !orderly {
            let mut body = words.split_off(start);
            mutate(&mut body, &mut rng);
            words.extend(body);
        }
        Case {
            arch,
            words,
            base: 0,
            entry: 0,
            state: WaveState::initial(arch, 0),
            vgprs: gcnsim_machine::VgprFile::zeroed(),
            outside: StateSpec::default(),
            launch: Some(launch),
        }
    }
}

/// Returns the style of a kernel. Its registers are those that the prologue does not use.
fn kernel_style(rng: &mut Rng, arch: Arch, orderly: bool, size: u32) -> Style {
    let mut style = if orderly { Style::tame(rng).with_vectors() } else { Style::random(rng, arch) };
    style.size = style.size.min(120);
    (style.pool_first, style.pool_count) = (POOL.0, style.pool_count.min(POOL.1));
    (style.counters, style.returns) = (prologue::COUNTERS, prologue::RETURNS);
    style.saves = style.saves.map(|_| prologue::SAVES);
    let count = style.vgprs.1.min(24);
    style.vgprs = (0, count);
    let mut memory = MemoryStyle::of_kernel(count + 4, size);
    memory.lds = rng.pick(&[256, 1024, 1024, 4096, 0x4000]);
    memory.apertures = arch != Arch::Gcn10;
    memory.plain = orderly;
    if !orderly {
        memory.regions.push((TABLE_AT, 1024));
        memory.gds = rng.one_in(6);
        memory.wild = rng.pick(&[0, 0, 0, 1, 3, 10]);
    }
    style.memory = Some(memory);
    style.encodings[Style::MEMORY] = style.encodings.iter().sum::<u32>() / rng.between(1, 4);
    style.barriers = rng.pick(&[0, 3, 10]);
    style
}

impl MemoryStyle {
    /// Returns the style with one buffer at address 0. Kernels add the address of the data to their offsets.
    fn of_kernel(vgprs: u32, size: u32) -> MemoryStyle {
        MemoryStyle {
            regions: vec![(0, size)],
            lds: 1024,
            apertures: false,
            gds: false,
            sgprs: prologue::ADDRESSES,
            vgprs,
            wild: 0,
            wraps: false,
            plain: true,
            image_base: Some(prologue::IMAGE_BASE),
        }
    }
}
