//! Helpers of the vector ALU: VOP1, VOP2, VOP3, VOP3P and VOPC over the 64 lanes of a wave.
//!
//! [`helper`] gives the [`ValuHelper`] of an instruction. Moves between lanes and registers (V_READLANE, V_WRITELANE,
//! V_READFIRSTLANE) have none: compiled code addresses the lane. SDWA and DPP forms are steps around the helper:
//!
//! | form | before | the helper | after |
//! |---|---|---|---|
//! | SDWA | [`sdwa::prepare_sdwa`] of parts of sources, to scratch lanes | to scratch lanes | [`sdwa::finish_sdwa`] |
//! | DPP | [`dpp::prepare_dpp`] of source 0 to scratch lanes | with the mask it returned for EXEC | |
//!
//! (With DST_SEL = DWORD an SDWA helper writes the destination, and nothing is left to do.)
//!
//! # Lane functions
//!
//! One function per instruction computes one lane. The machinery makes helpers of it, which the compiler vectorises for
//! each [`Level`]. The functions have these shapes:
//!
//! - integers, bits, moves: `fn v_xxx(s0, s1, ..) -> R`, or `fn v_xxx(c: &LaneControl, s0, ..) -> R`;
//! - floats: `fn v_xxx(m: &FloatMode, s0, .., notes: &mut u32) -> R`, before OMOD and CLAMP. A helper tries a
//!   [fast path](float::fast) for all lanes first, if there is one.
//!
//! Sources and `R` are `u16`, `u32`, `u64` or `[u32; 4]`: binary16 is `u16` bits, binary64 `u64` bits. ABS, NEG and the
//! choice of halves have been done. An accumulator (the old destination) is the last source. A lane mask that is read
//! is a `bool` after the sources. If there is a mask result besides the value, `R` is `(value, bool)`. `notes` has bits
//! of [`notes`]. Packed instructions have functions of one half. Sources of MIX are [`Mixed`]. Compares are tests of
//! two numbers, which have a loop over lanes of their own (`compare`).
//!
//! # Pointers
//!
//! Compiled code and segments are the only callers besides tests. The registers that they pass exist: a region demands
//! a number of VGPRs of a wave, and compiled code compares the numbers that it computes. If one is too large, the
//! source is v0, and the destination is scratch lanes of the frame. Those are aligned to 64 bytes, as the registers of
//! a [`VgprFile`](gcnsim_machine::VgprFile) are, and scalars to 8 at least. So bit 0 of an address is free.
//!
//! A helper reads all sources of a chunk of 16 lanes before it writes the results of the chunk, and no two lanes share
//! a dword. So a source may be the destination. DPP, which reads other lanes, moves them into scratch lanes first.
//!
//! Lane functions are safe code. Pointers are read and written in `operand`, `machine`, `compare`, `sdwa`, `dpp`,
//! `swap` and the levels of the host (`host`). No helper panics: unwinding through compiled code would abort.

mod bytes;
mod compare;
mod dot;
pub mod dpp;
mod flags;
pub mod float;
mod floats;
mod int;
mod integers;
mod lane;
mod machine;
pub mod notes;
mod operand;
pub mod sdwa;
pub mod share;
mod swap;

use gcnsim_isa::Inst;
use gcnsim_isa::table::Opcode;

pub use flags::Flags;
pub use lane::LaneControl;
pub use operand::Mixed;

use super::Level;

/// An instruction over the lanes of a wave.
///
/// - `d`: the lanes of the destination VGPR, 64 dwords, 64-byte aligned; further registers follow.
/// - `s0`, `s1`, `s2`: the lanes of a source in the same form. If bit 0 of the address is set, it is a scalar at the
///   address without that bit: one, two or four dwords as the operand requires, the same for all lanes. Ignored for
///   sources that the instruction does not have. An accumulator is the source after the last one: pass `d`.
/// - `exec`: the lanes to write. Others keep their values and raise no notes.
/// - `control`: modifiers, the mask that the instruction reads, MODE. Fields that [`Chosen`] does not ask for are
///   ignored.
///
/// Sources may overlap the destination in whole registers, in any way.
///
/// Returns the mask result (carries and similar, with bits of lanes outside `exec` 0), or 0 if there is none.
///
/// # Safety
///
/// The pointers are as described, to registers or scratch lanes that nothing else uses during the call. As many
/// registers as the instruction's operands have are readable; those at `d` are writable. Registers are initialised.
pub type ValuHelper = unsafe extern "C" fn(
    d: *mut u32,
    s0: *const u32,
    s1: *const u32,
    s2: *const u32,
    exec: u64,
    control: *mut Control,
) -> u64;

/// A compare whose sources have no modifiers, and of which one at most is a scalar. What compiled code passes is in
/// registers: a compare takes as long as a few stores and loads.
#[derive(Clone, Copy, Debug)]
pub struct Direct {
    /// The function.
    pub function: DirectFn,
    /// The sources that are scalars: bit `i` is that of source `i`.
    pub scalars: u8,
}

/// The function of a [`Direct`] compare.
///
/// - `s0`, `s1`: the address of the lanes of a source, or the bits of a scalar. Bits above those of its type are
///   ignored.
/// - `exec`: the lanes that raise notes.
/// - `mode`: MODE.
/// - `control`: notes are added here. Other fields are ignored.
///
/// Returns one bit per lane: whether the sources pass the test. EXEC does not matter.
///
/// # Safety
///
/// As for [`ValuHelper`], of registers; `control` may be written.
#[derive(Clone, Copy, Debug)]
pub enum DirectFn {
    /// Nothing but the sources decides.
    Sources(unsafe extern "C" fn(s0: u64, s1: u64) -> u64),
    /// MODE may flush denormals.
    Flushing(unsafe extern "C" fn(s0: u64, s1: u64, exec: u64, mode: u32, control: *mut Control) -> u64),
}

/// The inputs and outputs of a helper besides lanes.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct Control {
    /// In: [`Flags`] of the instruction.
    pub flags: u64,
    /// In: the lane mask that the instruction reads (VCC, or the pair in SRC2).
    pub mask_in: u64,
    /// In: MODE.
    pub mode: u32,
    /// In: the generation, `Arch as u32`.
    pub arch: u32,
    /// In: the fast path for the helper, if there is one. If all operands are binary64, it really has the shape
    /// [`float::fast::Fast64`].
    pub fast: Option<float::fast::Fast>,
    /// Out: the helper adds notes here, as in [`Notes`](gcnsim_isa::Notes).
    pub notes: [u64; 2],
}

impl Control {
    /// Adds lane notes.
    #[cold]
    fn raise(&mut self, lane_notes: u32) {
        for (bit, &note) in notes::LANE_NOTES.iter().enumerate() {
            if lane_notes >> bit & 1 == 1 {
                let number = note as usize;
                self.notes[number / 64] |= 1 << (number % 64);
            }
        }
    }
}

/// A helper, and the fields of [`Control`] that it looks at.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The function.
    pub helper: ValuHelper,
    /// The value of [`Control::flags`], if the helper looks at it.
    pub flags: Option<Flags>,
    /// Whether the helper looks at [`Control::mask_in`].
    pub mask_in: bool,
    /// The value of [`Control::fast`], if the helper looks at that, [`Control::mode`] and [`Control::arch`].
    pub fast: Option<Option<float::fast::Fast>>,
    /// Whether the instruction's mask result is the other lanes of EXEC.
    pub complement: bool,
    /// A function for the same compare that takes less time, if there is one.
    pub direct: Option<Direct>,
}

/// The helper of an instruction for a level (the portable one if this machine cannot run the level), and its inputs.
///
/// `None` for instructions without a helper: those that do nothing (V_NOP, V_CLREXCP), lane moves, compares whose
/// result is known (F, TRU), and undocumented ones. Source 0 of an interpolation is P10 or P20 of the attribute, or
/// what V_INTERP_MOV_F32 moves; source 2 is P0, the destination, or source 2. Those of 16 bits are widened before.
pub fn helper(level: Level, inst: &Inst) -> Option<Chosen> {
    if let Opcode::Vopc(op) = inst.opcode {
        return compare::helper(level, inst, op);
    }
    let flags = Flags::of(inst);
    let modified = !flags.is_plain(inst);
    let choice = machine::Choice { level, modified };
    let (helper, fast) = match integers::helper(choice, inst) {
        Some(helper) => (helper, None),
        None => (floats::helper(choice, inst)?, Some(floats::fast(level, inst))),
    };
    let looks_at_flags = modified || fast.is_some();
    Some(Chosen {
        helper,
        flags: looks_at_flags.then_some(flags),
        mask_in: inst.mask_src().is_some(),
        fast,
        complement: false,
        direct: None,
    })
}
