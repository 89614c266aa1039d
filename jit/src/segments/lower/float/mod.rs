//! Floats: the host's instructions, which do what the notes say of numbers.
//!
//! What they do with NaNs is not relied on. A lane with a NaN result is not right, and its chunk is executed by
//! helpers. Most results need no test: a NaN that goes into another sum or product shows there.

mod approximate;
mod arithmetic;
mod convert;
mod division;
mod double;
mod exp_log;
mod order;
mod trig;

use gcnsim_isa::Inst;
use gcnsim_isa::table::{Vop1, Vop2, Vop3};

use super::Lowering;
use crate::segments::list::Value;
use crate::segments::ops::Op;
pub(crate) use exp_log::Function;
use gcnsim_helpers::valu::float::{Env, FloatMode, Rounding};

const SIGN: u32 = 0x8000_0000;
const SIGN_64: u64 = 1 << 63;
const EXPONENT: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
/// 2^31.
const TWO_31: u32 = 0x4f00_0000;
/// Predicates of [`Op::CompareF32`].
const ORDERED: u8 = 7;
const NOT_BELOW: u8 = 0x1d;
/// Predicates of [`Op::CompareU32`] and [`Op::CompareI32`].
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const AT_MOST: u8 = 2;
const FALSE: u8 = 3;
const UNEQUAL: u8 = 4;

/// The control bits of MXCSR that the instructions of a segment need, and their values.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Mxcsr {
    care: u32,
    value: u32,
}

impl Mxcsr {
    /// MXCSR as Rust wants it: all exceptions masked, rounding to nearest even, denormals kept.
    pub const DEFAULT: u32 = 0x1f80;
    const SOURCES_ZERO: u32 = 1 << 6;
    const RESULTS_ZERO: u32 = 1 << 15;
    const ROUNDING: u32 = 3 << 13;

    /// The register's value, if it is not the default.
    pub fn special(self) -> Option<u32> {
        (self.value != 0).then_some(Mxcsr::DEFAULT | self.value)
    }

    /// These needs and further ones: the bits `care` must have `value`. `None` if they contradict.
    fn with(self, care: u32, value: u32) -> Option<Mxcsr> {
        let both = self.care & care;
        (self.value & both == value & both).then_some(Mxcsr { care: self.care | care, value: self.value | value })
    }

    fn of(env: Env) -> u32 {
        let rounding = match env.rounding {
            Rounding::Nearest => 0,
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::Zero => 3,
        };
        let sources = if env.keep_in { 0 } else { Mxcsr::SOURCES_ZERO };
        let results = if env.keep_out { 0 } else { Mxcsr::RESULTS_ZERO };
        rounding << 13 | sources | results
    }
}

/// A source with its modifiers.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// The value after modifiers.
    pub value: Value,
    /// The value before modifiers.
    plain: Value,
}

/// A binary64 source with its modifiers, in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Double {
    /// The value after modifiers.
    pub wide: [Value; 2],
    plain: Value,
}

/// The result of a family of lowerings: `None` if the opcode is not of the family, else whether the instruction is
/// taken.
type Taken = Option<Option<()>>;

impl Lowering<'_> {
    // MODE and MXCSR.

    /// MODE, if the segment knows it.
    pub(crate) fn float_mode(&mut self, inst: &Inst) -> Option<FloatMode> {
        let mode = self.options.mode?;
        self.uses_mode = true;
        Some(FloatMode::new(mode, inst.arch))
    }

    fn need(&mut self, care: u32, value: u32) -> Option<()> {
        self.mxcsr = self.mxcsr.with(care, value & care)?;
        Some(())
    }

    fn need_env(&mut self, env: Env) -> Option<()> {
        self.need(Mxcsr::SOURCES_ZERO | Mxcsr::RESULTS_ZERO | Mxcsr::ROUNDING, Mxcsr::of(env))
    }

    /// Records whether instructions take denormal sources as zero. `None` if an earlier one needs the opposite.
    pub(crate) fn need_flushing_of_sources(&mut self, zero: bool) -> Option<()> {
        self.need(Mxcsr::SOURCES_ZERO, if zero { Mxcsr::SOURCES_ZERO } else { 0 })
    }

    // Sources.

    /// A source after ABS and NEG.
    fn modified(&mut self, inst: &Inst, i: usize, value: Value, sign: u32) -> Value {
        let (abs, neg) = (inst.abs(i), inst.neg(i));
        let change = |bits: u32| if abs { bits & !sign } else { bits } ^ if neg { sign } else { 0 };
        if !abs && !neg {
            return value;
        }
        if let Some(bits) = self.list.constant(value) {
            return self.list.dword(change(bits));
        }
        let (op, bits) = match (abs, neg) {
            (true, true) => (Op::Or, sign),
            (true, false) => (Op::And, !sign),
            _ => (Op::Xor, sign),
        };
        let bits = self.list.dword(bits);
        self.list.binary(op, value, bits)
    }

    /// Source `i`, of 32 bits, with A source after ABS and NEG.
    pub(crate) fn signed_source(&mut self, inst: &Inst, i: usize) -> Option<Value> {
        let value = self.source(inst, i)?;
        Some(self.modified(inst, i, value, SIGN))
    }

    /// Source `i`, a binary32.
    pub(crate) fn float_source(&mut self, inst: &Inst, i: usize) -> Option<Source> {
        let plain = self.source(inst, i)?;
        Some(Source { value: self.modified(inst, i, plain, SIGN), plain })
    }

    /// Source `i`, a binary64.
    pub(crate) fn double_source(&mut self, inst: &Inst, i: usize) -> Option<Double> {
        let mut wide = self.pair_source(inst, i)?;
        let plain = wide[0];
        let (abs, neg) = (inst.abs(i), inst.neg(i));
        if abs || neg {
            let (op, bits) = match (abs, neg) {
                (true, true) => (Op::Or64, 1 << 63),
                (true, false) => (Op::And64, !0 >> 1),
                _ => (Op::Xor64, 1 << 63),
            };
            let bits = self.list.qword(bits);
            wide = wide.map(|value| self.list.binary(op, value, bits));
        }
        Some(Double { wide, plain })
    }

    /// Records that NaNs of the sources become NaNs of the result.
    fn spread_nans(&mut self, sources: &[Value]) {
        self.spreading.extend(sources.iter().copied().filter(|&value| value != Value::NONE));
    }

    // Results.

    /// Whether OMOD leaves results as they are.
    fn has_usual_output(inst: &Inst, m: &FloatMode, env: Env) -> bool {
        inst.omod() == 0 || m.ieee || env.keep_out
    }

    /// OMOD of a binary32 result, where it has an effect. The host rounds and flushes as [`Self::need_env`] says, so
    /// the result is no denormal, and half of it is none either. Zeros become +0, and NaNs stay NaNs.
    fn with_omod(&mut self, inst: &Inst, m: &FloatMode, result: Value) -> Value {
        if Self::has_usual_output(inst, m, m.single) {
            return result;
        }
        let factor = [1.0, 2.0, 4.0, 0.5f32][inst.omod() as usize & 3];
        let (zero, factor) = (self.list.dword(0), self.list.dword(factor.to_bits()));
        let is_other = self.list.test(Op::CompareF32, Value::NONE, result, zero, UNEQUAL);
        self.spread_nans(&[result]);
        self.list.merged(Op::MulF32, is_other, zero, result, factor)
    }

    /// Tests a binary32 result, clamps and writes it.
    fn write_float(&mut self, inst: &Inst, result: Value) -> Option<()> {
        self.list.require_number(result);
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    /// CLAMP of a number, in the order of integers.
    fn clamped(&mut self, inst: &Inst, number: Value) -> Value {
        if !inst.clamp() {
            return number;
        }
        let (zero, one) = (self.list.dword(0), self.list.dword(ONE));
        let number = self.list.binary(Op::MaxI32, number, zero);
        self.list.binary(Op::MinI32, number, one)
    }

    // Instructions.

    pub(crate) fn float_vop1(&mut self, inst: &Inst, op: Vop1) -> Taken {
        use Vop1::*;
        Some(match op {
            VCvtF32I32 => self.of_integer(inst, Op::FromI32),
            VCvtF32U32 => self.of_integer(inst, Op::FromU32),
            VCvtF32Ubyte0 => self.of_byte(inst, 0),
            VCvtF32Ubyte1 => self.of_byte(inst, 8),
            VCvtF32Ubyte2 => self.of_byte(inst, 16),
            VCvtF32Ubyte3 => self.of_byte(inst, 24),
            VCvtI32F32 => self.convert_i32(inst),
            VCvtU32F32 => self.convert_u32(inst),
            VCvtF32F16 => self.widen(inst),
            VCvtF16F32 => self.narrow(inst),
            VRcpF32 | VRcpIflagF32 => self.reciprocal(inst),
            VSqrtF32 => self.root(inst),
            VRsqF32 => self.reciprocal_root(inst),
            VExpF32 | VExpLegacyF32 => self.function(inst, Function::PowerOfTwo),
            VLogF32 | VLogLegacyF32 => self.function(inst, Function::Logarithm),
            VCvtF64I32 => self.double_of_integer(inst, true),
            VCvtF64U32 => self.double_of_integer(inst, false),
            VCvtI32F64 => self.integer_of_double(inst, true),
            VCvtU32F64 => self.integer_of_double(inst, false),
            VCvtF64F32 => self.double_of_single(inst),
            VCvtF32F64 => self.single_of_double(inst),
            VRcpF64 => self.reciprocal64(inst),
            VSqrtF64 => self.root64(inst),
            VRsqF64 => self.reciprocal_root64(inst),
            VSinF32 => self.function(inst, Function::Sine),
            VCosF32 => self.function(inst, Function::Cosine),
            VFrexpMantF32 => self.significand(inst),
            VFrexpExpI32F32 => self.power(inst),
            VFractF32 => self.fraction(inst),
            VCvtFlrI32F32 => self.floor_i32(inst),
            VRndneF32 => self.integral(inst, 8),
            VFloorF32 => self.integral(inst, 9),
            VCeilF32 => self.integral(inst, 10),
            VTruncF32 => self.integral(inst, 11),
            VRndneF64 => self.integral64(inst, 8),
            VFloorF64 => self.integral64(inst, 9),
            VCeilF64 => self.integral64(inst, 10),
            VTruncF64 => self.integral64(inst, 11),
            _ => return None,
        })
    }

    pub(crate) fn float_vop2(&mut self, inst: &Inst, op: Vop2) -> Taken {
        use Vop2::*;
        Some(match op {
            VAddF32 => self.arithmetic(inst, Op::AddF32, [0, 1]),
            VSubF32 => self.arithmetic(inst, Op::SubF32, [0, 1]),
            VSubrevF32 => self.arithmetic(inst, Op::SubF32, [1, 0]),
            VMulF32 => self.arithmetic(inst, Op::MulF32, [0, 1]),
            VMulLegacyF32 => self.legacy_product(inst),
            VMacF32 | VMadmkF32 | VMadakF32 => self.two_roundings(inst, false),
            VMacLegacyF32 => self.two_roundings(inst, true),
            VFmacF32 => self.fused(inst),
            VMinF32 => self.least(inst, false),
            VMaxF32 => self.least(inst, true),
            VLdexpF32 => self.scaled(inst),
            VCvtPkrtzF16F32 => self.narrow_two(inst),
            _ => return None,
        })
    }

    pub(crate) fn float_vop3(&mut self, inst: &Inst, op: Vop3) -> Taken {
        use Vop3::*;
        Some(match op {
            VMadF32 => self.two_roundings(inst, false),
            VMadLegacyF32 => self.two_roundings(inst, true),
            VFmaF32 => self.fused(inst),
            VDivScaleF32 => self.division_scale(inst),
            VDivFmasF32 => self.division_sum(inst),
            VDivFixupF32 => self.division_fixup(inst),
            VDivScaleF64 => self.division_scale64(inst),
            VDivFmasF64 => self.division_sum64(inst),
            VDivFixupF64 => self.division_fixup64(inst),
            VLdexpF64 => self.scaled64(inst),
            VMin3F32 => self.least3(inst, false),
            VMax3F32 => self.least3(inst, true),
            VMed3F32 => self.middle_float(inst),
            VLdexpF32 => self.scaled(inst),
            VCvtPkrtzF16F32 => self.narrow_two(inst),
            VAddF64 => self.arithmetic64(inst, Op::AddF64),
            VMulF64 => self.arithmetic64(inst, Op::MulF64),
            VFmaF64 => self.fused64(inst),
            VMinF64 => self.least64(inst, false),
            VMaxF64 => self.least64(inst, true),
            _ => return None,
        })
    }
}
