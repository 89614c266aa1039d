//! Operand codes: which are legal where, and the values of the constants among them.
//!
//! ```text
//! 0..=127    scalar registers (SDST can name only these)     ISA manual, "scalar operands"
//! 128..=208  integers 0, 1..64, -1..-16
//! 235..=239  apertures (GCN 1.4)
//! 240..=248  floats 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi) (the last from GCN 1.2 on)
//! 249, 250   SDWA, DPP (SRC0 of vector instructions, GCN 1.2 on)
//! 251..=253  VCCZ, EXECZ, SCC
//! 254        LDS_DIRECT (vector SRC0)
//! 255        literal
//! 256..=511  VGPRs (vector sources only)
//! ```

use crate::arch::Arch;
use crate::state::reg;

/// Type of an operand: its width, the way in which a constant fills it, and the place of the constant.
#[allow(non_camel_case_types, missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OperandType {
    /// The operand is absent.
    none,
    b32,
    b64,
    u32,
    i32,
    u64,
    /// 64 bits; a literal is sign-extended.
    i64,
    f16,
    f32,
    /// 64 bits; a literal is the high half.
    f64,
    /// Four consecutive registers (V_MQSAD_U32_U8).
    b128,
    i16,
    u16,
    /// The class mask of V_CMP_CLASS_F16: 32 bits, except that inline floats are binary16.
    class16,
    /// SIMM16, sign-extended to 32 bits.
    simm,
    /// SIMM16, zero-extended to 32 bits.
    uimm,
    /// The dword after the instruction (S_SETREG_IMM32_B32).
    lit,
}

impl OperandType {
    /// Whether it takes two consecutive registers (or four).
    pub const fn is_wide(self) -> bool {
        matches!(self, OperandType::b64 | OperandType::u64 | OperandType::i64 | OperandType::f64 | OperandType::b128)
    }

    /// Number of registers that it takes; 0 if absent.
    pub const fn dwords(self) -> u32 {
        self.bits().div_ceil(32)
    }

    /// Whether it is a constant in a field of its own, and not an operand code.
    pub const fn is_immediate(self) -> bool {
        self.is_in_simm16() || matches!(self, OperandType::lit)
    }

    /// Whether it is in SIMM16.
    pub const fn is_in_simm16(self) -> bool {
        matches!(self, OperandType::simm | OperandType::uimm)
    }

    /// Whether it is a float type, to which ABS, NEG and CLAMP apply.
    pub const fn is_float(self) -> bool {
        matches!(self, OperandType::f16 | OperandType::f32 | OperandType::f64)
    }

    /// Width in bits; 0 if absent.
    pub const fn bits(self) -> u32 {
        match self {
            OperandType::none => 0,
            OperandType::f16 | OperandType::i16 | OperandType::u16 => 16,
            OperandType::b64 | OperandType::u64 | OperandType::i64 | OperandType::f64 => 64,
            OperandType::b128 => 128,
            _ => 32,
        }
    }
}

/// A source operand, resolved as far as the instruction alone allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// Scalar register by operand code 0..=127 (and the next one if the operand is 64 bits wide).
    Sgpr(u8),
    /// Vector register (and the next one if the operand is 64 bits wide).
    Vgpr(u8),
    /// A constant as the operand type sees it: low 16, 32 or all 64 bits, the rest zero.
    Imm(u64),
    /// 1 if VCC = 0.
    Vccz,
    /// 1 if EXEC = 0.
    Execz,
    /// The SCC bit.
    Scc,
    /// A dword from LDS, broadcast (not executed by this simulator yet).
    LdsDirect,
}

impl Src {
    /// The meaning of an operand code (0..=511) in an operand of a type. `literal` is the dword after the instruction.
    pub fn of_code(code: u32, ty: OperandType, literal: u32) -> Src {
        match code {
            0..=127 => Src::Sgpr(code as u8),
            251 => Src::Vccz,
            252 => Src::Execz,
            253 => Src::Scc,
            LDS_DIRECT => Src::LdsDirect,
            LITERAL => Src::Imm(literal_value(literal, ty)),
            FIRST_VGPR.. => Src::Vgpr((code - FIRST_VGPR) as u8),
            _ => Src::Imm(inline_constant(code, ty)),
        }
    }

    /// The meaning of an operand code in a 16-bit operand of which either half can be selected. A constant is what a
    /// register would hold: an integer has the upper half of its 32 bits, and a float has 0 there. There is no literal.
    pub(crate) fn of_code_with_halves(code: u32, ty: OperandType) -> Src {
        match code {
            128..=208 => Src::of_code(code, OperandType::b32, 0),
            _ => Src::of_code(code, ty, 0),
        }
    }
}

/// Operand code of v0. The codes of the other VGPRs follow.
pub const FIRST_VGPR: u32 = 256;
/// Operand code of the literal.
pub const LITERAL: u32 = 255;
/// SRC0 code that announces SDWA (GCN 1.2 on).
pub const SDWA: u32 = 249;
/// SRC0 code that announces DPP (GCN 1.2 on).
pub const DPP: u32 = 250;
/// SRC0 code of LDS_DIRECT.
pub const LDS_DIRECT: u32 = 254;

/// Whether `code` (0..=127) is a scalar register of the generation.
pub const fn is_register(arch: Arch, code: u32) -> bool {
    match code {
        0..=103 | 106..=124 | 126 | 127 => true,
        104 | 105 => !matches!(arch, Arch::Gcn10),
        _ => false,
    }
}

/// Whether `code` (0..=127) can start a pair of scalar registers.
///
/// Odd pairs of s0..s101 and TTMP are accepted (note `odd-sgpr-pair`). Odd pairs of special registers, and pairs from
/// M0 on, are not.
pub const fn is_register_pair(arch: Arch, code: u32) -> bool {
    let pairs = match code {
        0..=101 => true,
        _ if code >= first_ttmp(arch) && code < reg::M0 as u32 => true,
        _ => code.is_multiple_of(2) && code != reg::M0 as u32,
    };
    pairs && is_register(arch, code)
}

/// First operand code of the TTMP registers.
pub(crate) const fn first_ttmp(arch: Arch) -> u32 {
    if arch.is_gcn14_or_later() { 108 } else { 112 }
}

/// Whether `code` (0..=127) can start a register tuple of `dwords`, as scalar memory and descriptors use them.
///
/// A tuple longer than a pair lies within s0..s103 or within 16 TTMP registers. As in LLVM, a special pair (VCC) may
/// stand for four registers. EXEC may not: no registers follow it.
pub const fn is_register_tuple(arch: Arch, code: u32, dwords: u32) -> bool {
    match dwords {
        0 | 1 => return is_register(arch, code),
        2 => return is_register_pair(arch, code),
        _ => {}
    }
    if code < 102 {
        return code + dwords <= 104;
    }
    if code >= first_ttmp(arch) && code < reg::M0 as u32 {
        return code + dwords <= first_ttmp(arch) + 16;
    }
    dwords <= 4 && code + dwords <= 128 && is_register_pair(arch, code)
}

/// Whether `code` (0..=255) can be a source of a scalar instruction, of one dword. Codes 249, 250 and 254 cannot; 255
/// can.
pub const fn is_scalar_source(arch: Arch, code: u32) -> bool {
    match code {
        0..=127 => is_register(arch, code),
        _ => is_scalar_constant(arch, code),
    }
}

/// Whether `code` (0..=255) can be a source of a scalar instruction, of two dwords.
pub const fn is_scalar_source_pair(arch: Arch, code: u32) -> bool {
    match code {
        0..=127 => is_register_pair(arch, code),
        _ => is_scalar_constant(arch, code),
    }
}

/// Whether `code` (128..=255) can be a source of a scalar instruction.
const fn is_scalar_constant(arch: Arch, code: u32) -> bool {
    match code {
        128..=208 => true,
        235..=239 => arch.is_gcn14_or_later(),
        240..=247 => true,
        248 => arch.is_gcn12_or_later(),
        251..=253 | LITERAL => true,
        _ => false,
    }
}

/// Classes of operand codes, as bits.
pub(crate) mod class {
    /// A scalar source of one register.
    pub const SCALAR: u8 = 1 << 0;
    /// A scalar source of two registers.
    pub const SCALAR_PAIR: u8 = 1 << 1;
    /// A scalar register.
    pub const REGISTER: u8 = 1 << 2;
    /// A pair of scalar registers.
    pub const REGISTER_PAIR: u8 = 1 << 3;
    /// SRC0 of a vector instruction, one register: LDS_DIRECT too.
    pub const VECTOR0: u8 = 1 << 4;
    /// Another vector source of one register.
    pub const VECTOR: u8 = 1 << 5;
    /// A vector source of two registers.
    pub const VECTOR_PAIR: u8 = 1 << 6;
    /// A vector source of four registers.
    pub const VECTOR_QUAD: u8 = 1 << 7;
}

/// Whether the operand code (0..=511) is legal in any of the classes. Class 0 accepts everything.
pub(crate) fn is_in_class(arch: Arch, code: u32, classes: u8) -> bool {
    static CLASSES: [[u8; 512]; Arch::ALL.len()] = {
        let mut classes = [[0; 512]; Arch::ALL.len()];
        let mut arch = 0;
        while arch < Arch::ALL.len() {
            classes[arch] = classes_of_codes(Arch::ALL[arch]);
            arch += 1;
        }
        classes
    };
    classes == 0 || CLASSES[arch as usize][code as usize & 511] & classes != 0
}

const fn classes_of_codes(arch: Arch) -> [u8; 512] {
    let mut classes = [0; 512];
    let mut code = 0;
    while code < 512 {
        let c = code as u32;
        let mut set = 0;
        if c < 256 {
            if is_scalar_source(arch, c) {
                set |= class::SCALAR | class::VECTOR | class::VECTOR0;
            }
            if is_scalar_source_pair(arch, c) {
                set |= class::SCALAR_PAIR | class::VECTOR_PAIR;
                // A descriptor is four scalar registers, or a constant. Behind EXEC it has zeros.
                if c > 127 || c == reg::EXEC_LO as u32 || is_register_tuple(arch, c, 4) {
                    set |= class::VECTOR_QUAD;
                }
            }
            if c < 128 && is_register(arch, c) {
                set |= class::REGISTER;
            }
            if c < 128 && is_register_pair(arch, c) {
                set |= class::REGISTER_PAIR;
            }
            if c == LDS_DIRECT {
                set |= class::VECTOR0;
            }
        } else {
            set |= class::VECTOR | class::VECTOR0;
            if c + 2 <= 512 {
                set |= class::VECTOR_PAIR;
            }
            if c + 4 <= 512 {
                set |= class::VECTOR_QUAD;
            }
        }
        classes[code] = set;
        code += 1;
    }
    classes
}

/// Value of an inline constant (128..=208, 240..=248) or aperture (235..=239, read as 0) in an operand of a type.
///
/// Integers are sign-extended to the operand's width; floats are binary16, 32 or 64 by width (32 bits, low
/// half, for 16-bit integers: note `i16-float-inline`).
pub const fn inline_constant(code: u32, ty: OperandType) -> u64 {
    use OperandType as T;
    let wide = ty.is_wide();
    if code >= 240 && code <= 248 {
        let k = (code - 240) as usize;
        const F16: [u16; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
        const F32: [u32; 9] = [
            0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
        ];
        const F64: [u64; 9] = [
            0x3fe0000000000000,
            0xbfe0000000000000,
            0x3ff0000000000000,
            0xbff0000000000000,
            0x4000000000000000,
            0xc000000000000000,
            0x4010000000000000,
            0xc010000000000000,
            0x3fc45f306dc9c882,
        ];
        return match ty {
            T::f16 | T::class16 => F16[k] as u64,
            T::i16 | T::u16 => (F32[k] & 0xffff) as u64,
            _ if wide => F64[k],
            _ => F32[k] as u64,
        };
    }
    let int: i64 = match code {
        128..=192 => code as i64 - 128,
        193..=208 => 192 - code as i64,
        _ => 0,
    };
    truncate(int as u64, ty)
}

/// Value of a literal dword in an operand of a type (ISA manual, "literal constants").
pub const fn literal_value(dword: u32, ty: OperandType) -> u64 {
    // The computation has no branches, for code that decodes a lot.
    let sign = if matches!(ty, OperandType::i64) { (dword as i32 >> 31) as u32 } else { 0 };
    let shift = if matches!(ty, OperandType::f64) { 32 } else { 0 };
    truncate(((sign as u64) << 32 | dword as u64) << shift, ty)
}

/// The low bits, as many as an operand of the type has. All bits, if that is 0 or 64 or more.
const fn truncate(value: u64, ty: OperandType) -> u64 {
    value & u64::MAX >> (ty.bits().wrapping_neg() % 64)
}
