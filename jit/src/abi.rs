//! The contract between compiled code and its callers: entry signature, exit codes, the layout of what it touches.

use std::mem::offset_of;

use gcnsim_isa::{Vgpr, WaveState};

#[cfg(target_arch = "x86_64")]
use crate::segments::SegmentFrame;
pub use gcnsim_helpers::frame::{CLASS_WORDS, CLASSES_IN_WORD, Frame, MAX_CLASS_FUEL, UNCOUNTED_CLASS};
use gcnsim_helpers::memory::Scalars;
use gcnsim_helpers::valu::Control;

/// A region as a function. It reads and writes the wave's state, its vector registers and the frame, and
/// returns an [`ExitCode`].
pub type RegionFn = unsafe extern "C" fn(*mut WaveState, *mut Vgpr, *mut Frame) -> u32;

/// Why compiled code returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum ExitCode {
    /// PC is an address that the region does not contain (or an instruction that it does not execute).
    Leave = 0,
    /// The program ended; PC is at its S_ENDPGM.
    Ended = 1,
    /// The wave halted.
    Halted = 2,
    /// Too little fuel to go on from PC.
    Fuel = 3,
    /// As `Leave`, by a jump to a computed address: the region would be better if it knew the target.
    LeaveComputed = 4,
    /// The instruction at PC cannot be executed: memory does not allow what it wants.
    Stopped = 5,
    /// The wave waits for others of its group; PC is behind the S_BARRIER.
    Barrier = 6,
}

/// Number of bits of a raw exit code that are the [`ExitCode`]. The bits above are 0, or 1 more than the number of the
/// entry at which a wave goes on after a barrier.
const CODE_BITS: u32 = 8;

impl ExitCode {
    /// The exit code in a raw exit code, which is what compiled code returned.
    #[inline]
    pub(crate) fn from_raw(raw: u32) -> Option<ExitCode> {
        use ExitCode::{Barrier, Ended, Fuel, Halted, Leave, LeaveComputed, Stopped};
        const CODES: [ExitCode; 7] = [Leave, Ended, Halted, Fuel, LeaveComputed, Stopped, Barrier];
        CODES.get((raw & ((1 << CODE_BITS) - 1)) as usize).copied()
    }

    /// The raw exit code at a barrier. `entry` is the number of the entry at which the wave goes on, if the region has
    /// one there.
    pub(crate) fn barrier_at(entry: Option<usize>) -> u32 {
        ExitCode::Barrier as u32 | entry.map_or(0, |entry| entry as u32 + 1) << CODE_BITS
    }

    /// The number of the entry in a raw exit code.
    #[inline]
    pub(crate) fn entry_of(raw: u32) -> Option<usize> {
        (raw >> CODE_BITS).checked_sub(1).map(|entry| entry as usize)
    }
}

/// Byte offsets of fields, for loads and stores of compiled code.
pub(crate) mod offset {
    use super::*;

    pub const SCC: i32 = offset_of!(WaveState, scc) as i32;
    pub const MODE: i32 = offset_of!(WaveState, mode) as i32;
    pub const TRAPSTS: i32 = offset_of!(WaveState, trapsts) as i32;
    pub const SH_MEM_BASES: i32 = offset_of!(WaveState, sh_mem_bases) as i32;
    pub const PC: i32 = offset_of!(WaveState, pc) as i32;
    /// Two 64-bit words, the low one first. Compare helpers get the address of the low one.
    pub const NOTES: i32 = offset_of!(WaveState, notes) as i32;
    pub const FUEL: i32 = offset_of!(Frame, fuel) as i32;
    pub const CLOCK_END: i32 = offset_of!(Frame, clock_end) as i32;
    /// Offset of word `word` of the class counters.
    pub const fn classes(word: usize) -> i32 {
        (offset_of!(Frame, classes) + 8 * word) as i32
    }
    pub const LAST_PC: i32 = offset_of!(Frame, last_pc) as i32;
    pub const ENTRY: i32 = offset_of!(Frame, entry) as i32;
    pub const DROPPED: i32 = offset_of!(Frame, dropped) as i32;

    pub const VGPR_COUNT: i32 = offset_of!(Frame, vgpr_count) as i32;
    pub const DROPPED_LANES: i32 = offset_of!(Frame, dropped_lanes) as i32;
    #[cfg(target_arch = "x86_64")]
    pub const SEGMENT: i32 = offset_of!(Frame, segment) as i32;
    #[cfg(target_arch = "x86_64")]
    pub const SEGMENT_SGPR: i32 = SEGMENT + offset_of!(SegmentFrame, sgpr) as i32;
    #[cfg(target_arch = "x86_64")]
    pub const SEGMENT_MASKS: i32 = SEGMENT + offset_of!(SegmentFrame, masks) as i32;

    const MEMORY: i32 = offset_of!(Frame, memory) as i32;
    pub const MEMORY_EXEC: i32 = MEMORY + offset_of!(Scalars, exec) as i32;
    pub const MEMORY_BASE: i32 = MEMORY + offset_of!(Scalars, base) as i32;
    pub const MEMORY_IMAGE: i32 = MEMORY + offset_of!(Scalars, image) as i32;
    pub const MEMORY_SAMPLER: i32 = MEMORY + offset_of!(Scalars, sampler) as i32;
    pub const MEMORY_OFFSET: i32 = MEMORY + offset_of!(Scalars, offset) as i32;
    pub const MEMORY_M0: i32 = MEMORY + offset_of!(Scalars, m0) as i32;
    pub const MEMORY_FLAT_SCRATCH: i32 = MEMORY + offset_of!(Scalars, flat_scratch) as i32;
    pub const MEMORY_MODE: i32 = MEMORY + offset_of!(Scalars, mode) as i32;
    pub const MEMORY_COMPLETED: i32 = MEMORY + offset_of!(Scalars, completed) as i32;
    pub const MEMORY_DATA: i32 = MEMORY + offset_of!(Scalars, data) as i32;

    pub const CONTROL: i32 = offset_of!(Frame, control) as i32;
    pub const CONTROL_FLAGS: i32 = CONTROL + offset_of!(Control, flags) as i32;
    pub const CONTROL_MASK_IN: i32 = CONTROL + offset_of!(Control, mask_in) as i32;
    pub const CONTROL_MODE: i32 = CONTROL + offset_of!(Control, mode) as i32;
    pub const CONTROL_ARCH: i32 = CONTROL + offset_of!(Control, arch) as i32;
    pub const CONTROL_FAST: i32 = CONTROL + offset_of!(Control, fast) as i32;

    /// Offset of scalar operand `i`.
    pub const fn scalar(i: usize) -> i32 {
        (offset_of!(Frame, scalars) + i * size_of::<[u64; 2]>()) as i32
    }

    /// Offset of scalar register `code`.
    pub const fn sgpr(code: u8) -> i32 {
        offset_of!(WaveState, sgpr) as i32 + 4 * code as i32
    }

    /// Offset of scratch register `i`.
    pub const fn scratch(i: usize) -> i32 {
        (offset_of!(Frame, scratch) + i * size_of::<Vgpr>()) as i32
    }

    const _: () = assert!(sgpr(0) == 0 && sgpr(127) == 508);
    const _: () = assert!(cfg!(target_endian = "little"));
}
