//! Float arithmetic of the vector ALU in every mode: one lane at a time, and whole registers at once where the host can
//! do it.
//!
//! A lane function takes its sources after selection, ABS and NEG, and returns the result before OMOD and CLAMP
//! ([`omod_f32`], [`clamp_f32`] and others). Binary16 is `u16` bits, binary32 `u32` bits, binary64 `u64` bits. All
//! arithmetic is on integers, so results do not depend on the host.
//!
//! | file | contents |
//! |---|---|
//! | `format` | the three formats: fields, classes, flushing of sources, NaN results |
//! | `soft` | exact numbers with a sticky bit: sum, product, fused sum, rounding into a format |
//! | `arith`, `minmax`, `integral`, `division`, `cube` | arithmetic |
//! | `roots`, `exp_log`, `trig` | correctly rounded approximations |
//! | `convert`, `packed` | conversions; packed, mixed and dot products |
//! | `modifiers` | OMOD and CLAMP |
//! | `fast` | whole registers with the host's float instructions |
//!
//! Rules: docs/gcn/valu-float-rules.md, docs/gcn/valu-float.md, docs/gcn/valu-packed.md.

mod arith;
mod convert;
mod cube;
mod division;
mod exp_log;
pub mod fast;
mod format;
mod integral;
mod minmax;
mod modifiers;
mod packed;
mod roots;
mod soft;
mod trig;

use gcnsim_isa::Arch;

pub use crate::host::{Env, Rounding};
pub use arith::*;
pub use convert::*;
pub use cube::*;
pub use division::*;
pub use exp_log::*;
pub use integral::*;
pub use minmax::*;
pub use modifiers::*;
pub use packed::*;
pub use roots::*;
pub use trig::*;

/// Everything that float instructions depend on besides their sources: MODE and the generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatMode {
    /// The environment of binary32: MODE\[1:0\] and MODE\[5:4\].
    pub single: Env,
    /// The environment of binary16 and binary64: MODE\[3:2\] and MODE\[7:6\].
    pub wide: Env,
    /// MODE\[9\]: signalling NaNs become quiet, and OMOD is off.
    pub ieee: bool,
    /// MODE\[8\]: CLAMP turns NaN into 0.
    pub dx10_clamp: bool,
    /// MODE\[23\] on GCN 1.4: a binary16 overflow gives the largest finite number.
    pub fp16_ovfl: bool,
    /// The generation.
    pub arch: Arch,
}

impl FloatMode {
    /// Takes a MODE word apart.
    pub fn new(mode: u32, arch: Arch) -> FloatMode {
        FloatMode {
            single: Env::new(mode, mode >> 4),
            wide: Env::new(mode >> 2, mode >> 6),
            ieee: mode >> 9 & 1 != 0,
            dx10_clamp: mode >> 8 & 1 != 0,
            fp16_ovfl: mode >> 23 & 1 != 0 && arch >= Arch::Gcn14,
            arch,
        }
    }
}
