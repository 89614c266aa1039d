//! The result of a launch: how it ran, its buffers, and what is not as expected.

use std::sync::Arc;

use gcnsim_engine::difference::BufferDifference;
use gcnsim_engine::{OneThread, Run};
use gcnsim_loader::code_object::metadata::ArgKind;
use gcnsim_loader::code_object::{CodeObject, Kernel};

use serde::Serialize;

use super::launch::LaunchSpec;
use super::place::PlacedLaunch;
use super::room::Buffer;
use gcnsim_device::images::Shape;
use gcnsim_device::printf::Printed;

/// Returns the reason why one thread ran a launch for people, in words that follow *because*.
pub const fn why(one_thread: OneThread) -> &'static str {
    match one_thread {
        OneThread::Asked => "no more are asked for",
        OneThread::Groups => "there is one group",
        OneThread::Atomics => "its atomics can tell in which order groups run",
        OneThread::Gds => "the global data share can tell in which order groups run",
        OneThread::Jump => "it has a call or jump to a computed address, where atomics may be",
        OneThread::CheckedAtomics => "--check repeats atomics, which other threads must not see",
        OneThread::Peripheral => "a device sees the order of accesses",
        OneThread::NoRoom => "there is no room for scratch and marks of several",
        OneThread::Repeated => "groups may access the same bytes, or did not all end: it was repeated, group by group",
    }
}

/// A buffer after a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferResult {
    /// Name of the buffer.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Whether its bytes differ from those before the launch.
    pub changed: bool,
    /// XXH3-64 of its bytes.
    pub hash: u64,
    /// Type, sizes and format, if it is an image. Size and hash are those of its texels, without padding.
    pub image: Option<Shape>,
}

/// The results of a launch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaunchResult {
    /// The run: outcome, counts and cost.
    pub run: Run,
    /// The buffers and images after the run, by name.
    pub buffers: Vec<BufferResult>,
    /// XXH3-64 over the bytes of all buffers in the order of their names.
    pub state_hash: u64,
    /// Differences from the expected results.
    pub mismatches: Vec<Mismatch>,
    /// Whether the launch file states how the launch stopped, other than by its end, and all is as it expects.
    pub is_expected: bool,
    /// Text that the kernel has printed; `None` if it cannot print.
    pub printed: Option<Printed>,
    /// Kinds of arguments that the kernel lists, but launches do not provide: null pointers.
    pub unprovided: Vec<ArgKind>,
    /// Facts for the report.
    pub facts: Facts,
    /// The source line at which the launch stopped, if the object states it.
    pub source: Option<String>,
    /// Addresses of everything in the dispatch, for messages about faults.
    pub placed: Arc<PlacedLaunch>,
    pub(super) memory: Vec<Buffer>,
}

impl LaunchResult {
    /// Returns the bytes of a buffer, or the texels of an image without padding. (A buffer that launches share may have
    /// changed since this launch.)
    pub fn buffer(&self, name: &str) -> Option<Vec<u8>> {
        self.memory.iter().find(|buffer| buffer.name == name).map(Buffer::to_vec)
    }
}

/// A difference from the expected results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The outcome differs.
    Outcome {
        /// Name of the expected outcome.
        expected: String,
        /// Name of the actual outcome.
        actual: String,
    },
    /// The number of executed instructions differs.
    Instructions {
        /// Expected number.
        expected: u64,
        /// Actual number.
        actual: u64,
    },
    /// The contents of a buffer differ.
    Buffer(BufferDifference),
}

/// Facts about a dispatch: the field `dispatch` of results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Facts {
    /// The kernel.
    pub kernel: String,
    /// Work-items of the grid.
    pub grid: [u32; 3],
    /// Work-items of a group.
    pub group: [u32; 3],
    /// Number of groups.
    pub groups: u64,
    /// Number of waves.
    pub waves: u64,
    /// LDS of a group in bytes.
    pub lds_bytes: u32,
    /// Scratch of a work-item in bytes.
    pub scratch_bytes: u32,
    /// SGPRs of a wave.
    pub sgprs: u32,
    /// VGPRs of a wave.
    pub vgprs: u32,
}

impl Facts {
    /// Returns the facts of a launch.
    pub(super) fn new(object: &CodeObject, kernel: &Kernel, spec: &LaunchSpec, placed: &PlacedLaunch) -> Facts {
        let waves = placed.dispatch.waves();
        let (grid, rsrc1) = (waves.registers().grid, waves.registers().rsrc1);
        Facts {
            kernel: kernel.name.clone(),
            grid: spec.geometry.grid,
            group: spec.geometry.group,
            groups: grid.count(),
            waves: grid.wave_count(),
            lds_bytes: placed.lds,
            scratch_bytes: waves.registers().scratch.lane_bytes,
            sgprs: rsrc1.sgprs(object.arch),
            vgprs: waves.vgprs() as u32,
        }
    }
}
