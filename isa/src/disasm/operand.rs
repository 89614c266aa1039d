//! Names of registers and constants.

use std::fmt::{self, Display, Formatter};

use crate::arch::Arch;
use crate::inst::Inst;
use crate::operand::{LDS_DIRECT, LITERAL, OperandType, first_ttmp, inline_constant};
use crate::state::reg;

/// VGPRs `first..first + count`: `v7`, `v[7:8]`.
pub(super) struct Vgprs(pub u32, pub u32);

impl Display for Vgprs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_tuple(f, "v", self.0, self.1)
    }
}

fn write_tuple(f: &mut Formatter<'_>, file: &str, first: u32, count: u32) -> fmt::Result {
    if count == 1 { write!(f, "{file}{first}") } else { write!(f, "{file}[{first}:{}]", first + count - 1) }
}

/// Scalar registers by operand code 0..=127: `s7`, `s[8:9]`, `vcc_lo`, `vcc`.
pub(super) struct Sgprs {
    pub arch: Arch,
    pub code: u32,
    pub count: u32,
}

impl Display for Sgprs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Sgprs { arch, code, count } = *self;
        let first_ttmp = first_ttmp(arch);
        if code < arch.sgpr_count() {
            return write_tuple(f, "s", code, count);
        }
        if code >= first_ttmp && code < reg::M0 as u32 {
            return write_tuple(f, "ttmp", code - first_ttmp, count);
        }
        let pair = match code {
            102 | 103 => "flat_scratch",
            104 | 105 if arch.is_gcn12_or_later() => "xnack_mask",
            104 | 105 => "flat_scratch",
            106 | 107 => "vcc",
            108 | 109 => "tba",
            110 | 111 => "tma",
            124 => return f.write_str("m0"),
            126 | 127 => "exec",
            _ => return write!(f, "ill_{code}"),
        };
        f.write_str(pair)?;
        f.write_str(match (count, code % 2) {
            (1, 0) => "_lo",
            (1, _) => "_hi",
            _ => "",
        })
    }
}

/// A source by operand code, with the literal if it has one.
pub(super) struct Source {
    pub arch: Arch,
    pub code: u32,
    pub ty: OperandType,
    pub literal: u32,
}

impl Source {
    /// Whether it is a number and not a register: it is written `neg(1.0)`, not `-1.0`.
    pub fn is_number(&self) -> bool {
        matches!(self.code, 128..=208 | 240..=248 | LITERAL)
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Source { arch, code, ty, literal } = *self;
        let count = ty.dwords().max(1);
        let name = match code {
            0..=127 => return write!(f, "{}", Sgprs { arch, code, count }),
            128..=192 => return write!(f, "{}", code - 128),
            193..=208 => return write!(f, "-{}", code - 192),
            240..=248 => return write_float(f, code, ty),
            235 => "src_shared_base",
            236 => "src_shared_limit",
            237 => "src_private_base",
            238 => "src_private_limit",
            239 => "src_pops_exiting_wave_id",
            251 => "src_vccz",
            252 => "src_execz",
            253 => "src_scc",
            LDS_DIRECT => "src_lds_direct",
            LITERAL => return write_literal(f, arch, literal, ty),
            256.. => return write!(f, "{}", Vgprs(code - 256, count)),
            _ => return write!(f, "ill_{code}"),
        };
        f.write_str(name)
    }
}

/// Writes the inline constant 240..=248. In a 16-bit integer operand it is the binary16 pattern, in hex.
fn write_float(f: &mut Formatter<'_>, code: u32, ty: OperandType) -> fmt::Result {
    if matches!(ty, OperandType::i16 | OperandType::u16) {
        return write!(f, "{:#x}", inline_constant(code, OperandType::f16));
    }
    f.write_str(match code {
        240 => "0.5",
        241 => "-0.5",
        242 => "1.0",
        243 => "-1.0",
        244 => "2.0",
        245 => "-2.0",
        246 => "4.0",
        247 => "-4.0",
        _ if ty.is_wide() => "0.15915494309189532",
        _ => "0.15915494",
    })
}

/// Writes a literal. If it equals an inline constant of the operand, that constant is written. In 64-bit operands LLVM
/// recognises only small positive integers.
pub(super) fn write_literal(f: &mut Formatter<'_>, arch: Arch, dword: u32, ty: OperandType) -> fmt::Result {
    if ty.is_wide() {
        return if dword <= 64 { write!(f, "{dword}") } else { write!(f, "{dword:#x}") };
    }
    let (value, integer) = match ty.bits() {
        16 => (dword & 0xffff, dword as i16 as i32),
        _ => (dword, dword as i32),
    };
    if (-16..=64).contains(&integer) {
        return write!(f, "{integer}");
    }
    let last = if arch.is_gcn12_or_later() { 248 } else { 247 };
    let is_16_bit_integer = matches!(ty, OperandType::i16 | OperandType::u16);
    match (240..=last).find(|&code| inline_constant(code, ty) == value as u64) {
        Some(code) if !is_16_bit_integer => write_float(f, code, ty),
        _ => write!(f, "{value:#x}"),
    }
}

impl Inst {
    /// Scalar registers named by a 7-bit field.
    pub(super) fn sgprs(&self, code: u32, count: u32) -> Sgprs {
        Sgprs { arch: self.arch, code, count }
    }

    /// A source given by its code.
    pub(super) fn source(&self, code: u32, ty: OperandType) -> Source {
        Source { arch: self.arch, code, ty, literal: self.words[1] }
    }

    /// Source `i`, which must have a code.
    pub(super) fn nth_source(&self, i: usize) -> Source {
        self.source(self.src_code(i).unwrap_or(0), self.src_type(i))
    }
}
