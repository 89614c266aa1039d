//! Floating point as the vector ALU computes it: binary16, binary32 and binary64 in all modes.
//!
//! Values are bit patterns. An operation decodes its operands ([`format`](mod@format)), computes the exact result as an
//! integer times a power of two ([`number`]) and rounds it once ([`round`]). Nothing depends on the arithmetic of the
//! host, except for [`fast`]: it computes whole registers in the ordinary modes, and gives the same bits or declines.
//!
//! Every function gets its lane ([`Lane`](super::vector::lane::Lane)), which holds the modes and takes the notes. ABS
//! and NEG have been applied to operands before; OMOD and CLAMP ([`output`]) are applied to results afterwards.
//!
//! Traps for the unwary:
//! - A result is denormal, and flushed, if it is below the smallest normal number after rounding *at full precision*.
//!   Rounding it to the coarser steps of denormals first could make it the smallest normal number.
//! - V_MAD_* rounds twice and flushes whatever the mode says.
//! - A NaN keeps its sign in a subtraction, where a number changes it.
//! - Each family of instructions treats denormals in its own way. [`Rule`] says how.

pub(super) mod arith;
pub(super) mod convert;
pub(super) mod divide;
pub(super) mod elementary;
pub(super) mod fast;
pub(super) mod format;
pub(super) mod nan;
pub(super) mod number;
pub(super) mod order;
pub(super) mod output;
pub(super) mod parts;
pub(super) mod round;
mod series;
pub(super) mod trig_preop;

pub(super) use format::{F16, F32, F64};
use gcnsim_isa::Arch;

use super::vector::lane::LaneNote;

/// A rounding direction, in the order of MODE's encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Round {
    /// To the nearest number; in the middle, to the one whose last bit is 0.
    Nearest,
    /// Towards +infinity.
    Up,
    /// Towards -infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl Round {
    fn of_mode(bits: u32) -> Round {
        [Round::Nearest, Round::Up, Round::Down, Round::Zero][bits as usize & 3]
    }
}

/// The settings of MODE and the generation that concern floats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fp {
    /// MODE\[1:0\]: rounding of binary32 results.
    pub round_f32: Round,
    /// MODE\[3:2\]: rounding of binary16 and binary64 results.
    pub round_f16_f64: Round,
    /// MODE\[4\]: denormal binary32 operands are kept; otherwise they become zeros.
    pub in_f32: bool,
    /// MODE\[5\]: denormal binary32 results are kept.
    pub out_f32: bool,
    /// MODE\[6\]: denormal binary16 and binary64 operands are kept.
    pub in_f16_f64: bool,
    /// MODE\[7\]: denormal binary16 and binary64 results are kept.
    pub out_f16_f64: bool,
    /// MODE\[8\]: CLAMP makes a NaN zero.
    pub dx10_clamp: bool,
    /// MODE\[9\]: signalling NaNs become quiet; OMOD has no effect.
    pub ieee: bool,
    /// MODE\[23\] of GCN 1.4: binary16 results that overflow become the largest finite number.
    pub fp16_ovfl: bool,
    /// The generation.
    pub arch: Arch,
}

impl Fp {
    /// Takes MODE apart.
    pub fn new(mode: u32, arch: Arch) -> Fp {
        let bit = |n: u32| mode >> n & 1 == 1;
        Fp {
            round_f32: Round::of_mode(mode),
            round_f16_f64: Round::of_mode(mode >> 2),
            in_f32: bit(4),
            out_f32: bit(5),
            in_f16_f64: bit(6),
            out_f16_f64: bit(7),
            dx10_clamp: bit(8),
            ieee: bit(9),
            fp16_ovfl: bit(23) && arch.is_gcn14_or_later(),
            arch,
        }
    }

    /// Whether all binary16 denormals are kept.
    fn keeps_f16(&self) -> bool {
        self.in_f16_f64 && self.out_f16_f64
    }
}

/// The rounding and the treatment of denormals in one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Direction of rounding.
    pub round: Round,
    /// Whether denormal operands are kept; otherwise they become zeros.
    pub keep_in: bool,
    /// Whether denormal results are kept.
    pub keep_out: bool,
    /// Whether a NaN result is made quiet.
    pub quiet: bool,
    /// The note to raise when a denormal is flushed.
    pub flush_note: Option<LaneNote>,
}

impl Rule {
    /// The rule with all denormals flushed, whatever MODE says.
    pub fn flushing(self) -> Rule {
        Rule { keep_in: false, keep_out: false, ..self }
    }

    /// The rule with all denormals flushed, and a note where MODE would keep them.
    pub fn flushing_with(self, note: LaneNote) -> Rule {
        let is_doubtful = self.keep_in || self.keep_out;
        Rule { flush_note: is_doubtful.then_some(note), ..self.flushing() }
    }

    /// The rule with rounding to nearest even, whatever MODE says.
    pub fn nearest(self) -> Rule {
        Rule { round: Round::Nearest, ..self }
    }
}

#[cfg(test)]
mod tests;
