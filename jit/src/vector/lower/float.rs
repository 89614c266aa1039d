//! Floats: the host's instructions, which do what the notes say of numbers.
//!
//! What they do with NaNs is not relied on. A lane with a NaN result is not right, and its chunk is executed by kernels.
//! Most results need no test: a NaN that goes into another sum or product shows there.

use gcnsim_isa::table::{Vop1, Vop2, Vop3};
use gcnsim_isa::{Arch, Inst};

use super::Lowering;
use crate::kernels::valu::float::{Env, FloatMode, Rounding};
use crate::vector::list::{Action, Value};
use crate::vector::ops::Op;

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
/// 2^31.
const TWO_31: u32 = 0x4f00_0000;
/// Predicates of [`Op::CompareF32`].
const ORDERED: u8 = 7;
const NOT_BELOW: u8 = 0x1d;
/// The predicate of [`Op::CompareU32`].
const UNEQUAL: u8 = 4;

/// The control bits of MXCSR that instructions care about, and their values.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::vector) struct Mxcsr {
    care: u32,
    value: u32,
}

impl Mxcsr {
    /// Rust's: all exceptions masked, nearest even, denormals kept.
    pub const DEFAULT: u32 = 0x1f80;
    const SOURCES_ZERO: u32 = 1 << 6;
    const RESULTS_ZERO: u32 = 1 << 15;
    const ROUNDING: u32 = 3 << 13;

    /// The register's value, if it is not the default.
    pub fn special(self) -> Option<u32> {
        (self.value != 0).then_some(Mxcsr::DEFAULT | self.value)
    }

    /// With more needs; `None` if they contradict.
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
pub(super) struct Source {
    /// After modifiers.
    pub value: Value,
    /// Before them.
    plain: Value,
}

/// A binary64 source with its modifiers, in two registers.
#[derive(Clone, Copy)]
pub(super) struct Double {
    /// After modifiers.
    pub wide: [Value; 2],
    plain: Value,
}

/// What a float function gives: `None` if it is none for the opcode; else whether it takes the instruction.
type Taken = Option<Option<()>>;

impl Lowering<'_> {
    // What floats depend on.

    /// MODE, if the segment knows it.
    pub(super) fn float_mode(&mut self, inst: &Inst) -> Option<FloatMode> {
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

    /// Instructions are to take denormal sources as zero, or not.
    pub(super) fn need_flushing_of_sources(&mut self, zero: bool) -> Option<()> {
        self.need(Mxcsr::SOURCES_ZERO, if zero { Mxcsr::SOURCES_ZERO } else { 0 })
    }

    // Sources.

    /// ABS and NEG.
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

    /// Source `i`, of 32 bits, with ABS and NEG.
    pub(super) fn signed_source(&mut self, inst: &Inst, i: usize) -> Option<Value> {
        let value = self.source(inst, i)?;
        Some(self.modified(inst, i, value, SIGN))
    }

    /// Source `i`, a binary32.
    pub(super) fn float_source(&mut self, inst: &Inst, i: usize) -> Option<Source> {
        let plain = self.source(inst, i)?;
        Some(Source { value: self.modified(inst, i, plain, SIGN), plain })
    }

    /// Source `i`, a binary64.
    pub(super) fn double_source(&mut self, inst: &Inst, i: usize) -> Option<Double> {
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

    /// NaNs of the sources will be NaNs of the result.
    fn spread_nans(&mut self, sources: &[Value]) {
        self.spreading.extend(sources.iter().copied().filter(|&value| value != Value::NONE));
    }

    // Results.

    /// OMOD and CLAMP are understood?
    fn has_usual_output(inst: &Inst, m: &FloatMode, env: Env) -> bool {
        inst.omod() == 0 || m.ieee || env.keep_out
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

    pub(super) fn float_vop1(&mut self, inst: &Inst, op: Vop1) -> Taken {
        use Vop1::*;
        Some(match op {
            VCvtF32I32 => self.from_integer(inst, Op::FromI32),
            VCvtF32U32 => self.from_integer(inst, Op::FromU32),
            VCvtF32Ubyte0 => self.from_byte(inst, 0),
            VCvtF32Ubyte1 => self.from_byte(inst, 8),
            VCvtF32Ubyte2 => self.from_byte(inst, 16),
            VCvtF32Ubyte3 => self.from_byte(inst, 24),
            VCvtI32F32 => self.to_i32(inst),
            VCvtU32F32 => self.to_u32(inst),
            VCvtF32F16 => self.widen(inst),
            VCvtF16F32 => self.narrow(inst),
            VRcpF32 | VRcpIflagF32 => self.reciprocal(inst),
            VSqrtF32 => self.root(inst),
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

    pub(super) fn float_vop2(&mut self, inst: &Inst, op: Vop2) -> Taken {
        use Vop2::*;
        Some(match op {
            VAddF32 => self.arithmetic(inst, Op::AddF32, [0, 1]),
            VSubF32 => self.arithmetic(inst, Op::SubF32, [0, 1]),
            VSubrevF32 => self.arithmetic(inst, Op::SubF32, [1, 0]),
            VMulF32 => self.arithmetic(inst, Op::MulF32, [0, 1]),
            VMacF32 | VMadmkF32 | VMadakF32 => self.two_roundings(inst),
            VFmacF32 => self.fused(inst),
            VMinF32 => self.least(inst, false),
            VMaxF32 => self.least(inst, true),
            VLdexpF32 => self.scaled(inst),
            VCvtPkrtzF16F32 => self.narrow_two(inst),
            _ => return None,
        })
    }

    pub(super) fn float_vop3(&mut self, inst: &Inst, op: Vop3) -> Taken {
        use Vop3::*;
        Some(match op {
            VMadF32 => self.two_roundings(inst),
            VFmaF32 => self.fused(inst),
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

    fn arithmetic(&mut self, inst: &Inst, op: Op, order: [usize; 2]) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_env(m.single)?;
        let [a, b] = [self.float_source(inst, order[0])?, self.float_source(inst, order[1])?];
        let result = self.list.binary(op, a.value, b.value);
        self.spread_nans(&[a.plain, b.plain]);
        self.write_float(inst, result)
    }

    /// S0, S1 and S2 or the accumulator.
    fn three_sources(&mut self, inst: &Inst) -> Option<[Source; 3]> {
        let third = if inst.src_count() == 3 {
            self.float_source(inst, 2)?
        } else {
            let value = self.vgpr(inst.vdst()?);
            Source { value, plain: value }
        };
        Some([self.float_source(inst, 0)?, self.float_source(inst, 1)?, third])
    }

    /// MAD: a product, then a sum; denormals are always zero.
    fn two_roundings(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_env(Env { keep_in: false, keep_out: false, ..m.single })?;
        let [a, b, c] = self.three_sources(inst)?;
        let product = self.list.binary(Op::MulF32, a.value, b.value);
        let sum = self.list.binary(Op::AddF32, product, c.value);
        self.spread_nans(&[a.plain, b.plain, c.plain]);
        self.write_float(inst, sum)
    }

    fn fused(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_env(m.single)?;
        let sources = self.three_sources(inst)?;
        let only_neg = |i: usize| i < inst.src_count() && inst.neg(i) && !inst.abs(i);
        // Signs of NaNs do not matter, so signs can be the operation's.
        let picked = [0, 1, 2].map(|i| if only_neg(i) { sources[i].plain } else { sources[i].value });
        let signs = ((only_neg(0) ^ only_neg(1)) as u8) << 1 | only_neg(2) as u8;
        let result = self.list.node(Action::Fused(false), picked, signs);
        self.spread_nans(&sources.map(|source| source.plain));
        self.write_float(inst, result)
    }

    /// S0 * 2^S1.
    fn scaled(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_env(m.single)?;
        let (a, power) = (self.float_source(inst, 0)?, self.source(inst, 1)?);
        // Powers that are not exact are beyond all numbers.
        let power = self.list.unary(Op::FromI32, power);
        let result = self.list.binary(Op::ScaleF32, a.value, power);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    /// An integral value; the immediate has the direction.
    fn integral(&mut self, inst: &Inst, imm: u8) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_flushing_of_sources(!m.single.keep_in)?;
        let a = self.float_source(inst, 0)?;
        let result = self.list.unary_imm(Op::RoundF32, a.value, imm);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    // Order.

    /// Does an instruction of the host take the least or greatest? It wants denormals as MODE has them.
    fn range_env(m: &FloatMode, env: Env) -> Option<bool> {
        let keeps = m.arch < Arch::Gcn14 || env.keep_in;
        match (keeps, env.keep_in && env.keep_out) {
            (true, true) => Some(false),
            (true, false) => None,
            (false, _) => Some(true),
        }
    }

    /// The least or greatest of two, and whether NaNs in it are to be looked for. -0 is below +0.
    fn lesser(&mut self, m: &FloatMode, a: Value, b: Value, greatest: bool) -> Option<Value> {
        if let Some(flush) = Self::range_env(m, m.single) {
            self.need_flushing_of_sources(flush)?;
            // The sign is that of the result of the comparison.
            let result = self.list.binary_imm(Op::RangeF32, a, b, 4 | greatest as u8);
            self.list.require_number(result);
            return Some(result);
        }
        // In the order of integers, which is the other way round for two negative numbers.
        self.list.require(Op::CompareF32, a, b, ORDERED);
        let (first, second) = if greatest { (Op::MaxI32, Op::MinI32) } else { (Op::MinI32, Op::MaxI32) };
        let signs = self.list.binary(Op::And, a, b);
        let negative = self.list.convert_mask(Op::MaskToBits, signs);
        let result = self.list.binary(first, a, b);
        Some(self.list.merged(second, negative, result, a, b))
    }

    fn least(&mut self, inst: &Inst, greatest: bool) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [a, b] = [self.float_source(inst, 0)?, self.float_source(inst, 1)?];
        let result = self.lesser(&m, a.value, b.value, greatest)?;
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    fn least3(&mut self, inst: &Inst, greatest: bool) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [a, b, c] = self.three_sources(inst)?;
        let first = self.lesser(&m, a.value, b.value, greatest)?;
        let result = self.lesser(&m, first, c.value, greatest)?;
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    fn middle_float(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [a, b, c] = self.three_sources(inst)?;
        self.list.require(Op::CompareF32, a.value, b.value, ORDERED);
        self.list.require(Op::CompareF32, c.value, c.value, ORDERED);
        let low = self.lesser(&m, a.value, b.value, false)?;
        let high = self.lesser(&m, a.value, b.value, true)?;
        let high = self.lesser(&m, high, c.value, false)?;
        let result = self.lesser(&m, low, high, true)?;
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    // Conversions.

    fn from_integer(&mut self, inst: &Inst, op: Op) -> Option<()> {
        let a = self.source(inst, 0)?;
        self.converted(inst, op, a)
    }

    fn from_byte(&mut self, inst: &Inst, shift: u32) -> Option<()> {
        let a = self.source(inst, 0)?;
        let byte = self.list.shift(Op::Shr, a, shift);
        let byte = if shift == 24 {
            byte
        } else {
            let low = self.list.dword(0xff);
            self.list.binary(Op::And, byte, low)
        };
        self.converted(inst, Op::FromU32, byte)
    }

    fn converted(&mut self, inst: &Inst, op: Op, integer: Value) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need(Mxcsr::ROUNDING, Mxcsr::of(m.single))?;
        let result = self.list.unary(op, integer);
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    fn to_i32(&mut self, inst: &Inst) -> Option<()> {
        let a = self.float_source(inst, 0)?.value;
        let is_number = self.list.test(Op::CompareF32, Value::NONE, a, a, ORDERED);
        // What does not fit is 0x80000000; one less at the upper end.
        let (limit, ones) = (self.list.dword(TWO_31), self.list.dword(!0));
        let result = self.list.zeroed(Op::ToI32, is_number, a);
        let above = self.list.test(Op::CompareF32, Value::NONE, a, limit, NOT_BELOW);
        let result = self.list.merged(Op::Add32, above, result, result, ones);
        self.write(inst, result)
    }

    fn to_u32(&mut self, inst: &Inst) -> Option<()> {
        let a = self.float_source(inst, 0)?.value;
        let zero = self.list.dword(0);
        // The second one if the first is NaN.
        let positive = self.list.binary(Op::MaxF32, a, zero);
        let result = self.list.unary(Op::ToU32, positive);
        self.write(inst, result)
    }

    /// Are binary16 denormals of conversions kept, without doubt?
    fn keeps_f16_denormals(m: &FloatMode) -> bool {
        m.arch < Arch::Gcn12 || m.wide.keep_in && m.wide.keep_out
    }

    fn widen(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) || !Self::keeps_f16_denormals(&m) || inst.op_sel() != 0 {
            return None;
        }
        let plain = self.source(inst, 0)?;
        let half = self.modified(inst, 0, plain, 0x8000);
        let words = self.list.unary(Op::NarrowTo16, half);
        let result = self.list.unary(Op::FromF16, words);
        self.write_float(inst, result)
    }

    /// A binary16 with zeros above; `imm` has the rounding.
    fn half_of(&mut self, number: Value, imm: u8) -> Value {
        let words = self.list.unary_imm(Op::ToF16, number, imm);
        self.list.unary(Op::WidenFrom16, words)
    }

    fn narrow(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        let is_nearest = [m.single, m.wide].iter().all(|env| env.rounding == Rounding::Nearest);
        let is_plain = !inst.clamp() && inst.omod() == 0 && inst.op_sel() == 0 && inst.writes_half().is_none();
        if !is_nearest || !is_plain || !Self::keeps_f16_denormals(&m) || m.fp16_ovfl {
            return None;
        }
        let a = self.float_source(inst, 0)?;
        let result = self.half_of(a.value, 0);
        self.write(inst, result)
    }

    fn narrow_two(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if inst.clamp() || inst.omod() != 0 || !Self::keeps_f16_denormals(&m) || m.fp16_ovfl {
            return None;
        }
        let [a, b] = [self.float_source(inst, 0)?, self.float_source(inst, 1)?];
        let [low, high] = [a, b].map(|x| self.half_of(x.value, 3));
        let high = self.list.shift(Op::Shl, high, 16);
        let result = self.list.binary(Op::Or, low, high);
        self.write(inst, result)
    }

    // Reciprocal and root: to nearest, denormals are always zero.

    /// A denormal as zero with its sign, where MXCSR does not say so.
    fn flushed(&mut self, env: Env, value: Value) -> Value {
        if !env.keep_in {
            return value;
        }
        let (exponent, sign) = (self.list.dword(EXPONENT), self.list.dword(SIGN));
        let tiny = self.list.test(Op::TestNot, Value::NONE, value, exponent, 0);
        self.list.merged(Op::And, tiny, value, value, sign)
    }

    /// MODE's treatment of denormals, if it treats sources and results alike; rounding to nearest.
    fn approximate_env(&mut self, inst: &Inst) -> Option<Env> {
        let m = self.float_mode(inst)?;
        let env = Env { rounding: Rounding::Nearest, ..m.single };
        if !Self::has_usual_output(inst, &m, m.single) || env.keep_in != env.keep_out {
            return None;
        }
        self.need_env(env)?;
        Some(env)
    }

    fn reciprocal(&mut self, inst: &Inst) -> Option<()> {
        let env = self.approximate_env(inst)?;
        let a = self.float_source(inst, 0)?;
        let one = self.list.dword(ONE);
        let divisor = self.flushed(env, a.value);
        let quotient = self.list.binary(Op::DivF32, one, divisor);
        let result = self.flushed(env, quotient);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    fn root(&mut self, inst: &Inst) -> Option<()> {
        let env = self.approximate_env(inst)?;
        let a = self.float_source(inst, 0)?;
        let number = self.flushed(env, a.value);
        let result = self.list.unary(Op::SqrtF32, number);
        // The root of -0 has a note.
        let minus_zero = self.list.dword(SIGN);
        self.list.require(Op::CompareU32, result, minus_zero, UNEQUAL);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    // Binary64.

    /// MODE, if it and the instruction's modifiers are what segments know.
    fn double_mode(&mut self, inst: &Inst) -> Option<FloatMode> {
        let m = self.float_mode(inst)?;
        let is_plain = !inst.clamp() && Self::has_usual_output(inst, &m, m.wide);
        is_plain.then_some(m)
    }

    /// Tests a binary64 result and writes it.
    fn write_double(&mut self, inst: &Inst, result: [Value; 2]) -> Option<()> {
        let first = self.list.nodes.len();
        let numbers = result.map(|x| self.list.test(Op::CompareF64, Value::NONE, x, x, ORDERED));
        let numbers = self.join_masks(numbers);
        self.list.require_mask(numbers);
        for node in &mut self.list.nodes[first..] {
            node.guard = result[0];
        }
        self.write_pair(inst, result)
    }

    fn arithmetic64(&mut self, inst: &Inst, op: Op) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_env(m.wide)?;
        let [a, b] = [self.double_source(inst, 0)?, self.double_source(inst, 1)?];
        let result = [0, 1].map(|i| self.list.binary(op, a.wide[i], b.wide[i]));
        self.spread_nans(&[a.plain, b.plain]);
        self.write_double(inst, result)
    }

    fn fused64(&mut self, inst: &Inst) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_env(m.wide)?;
        let [a, b, c] = [self.double_source(inst, 0)?, self.double_source(inst, 1)?, self.double_source(inst, 2)?];
        let result = [0, 1].map(|i| self.list.node(Action::Fused(true), [a.wide[i], b.wide[i], c.wide[i]], 0));
        self.spread_nans(&[a.plain, b.plain, c.plain]);
        self.write_double(inst, result)
    }

    fn integral64(&mut self, inst: &Inst, imm: u8) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_flushing_of_sources(!m.wide.keep_in)?;
        let a = self.double_source(inst, 0)?;
        let result = a.wide.map(|x| self.list.unary_imm(Op::RoundF64, x, imm));
        self.spread_nans(&[a.plain]);
        self.write_double(inst, result)
    }

    fn least64(&mut self, inst: &Inst, greatest: bool) -> Option<()> {
        let m = self.double_mode(inst)?;
        let flush = Self::range_env(&m, m.wide)?;
        self.need_flushing_of_sources(flush)?;
        let [a, b] = [self.double_source(inst, 0)?, self.double_source(inst, 1)?];
        let imm = 4 | greatest as u8;
        let result = [0, 1].map(|i| self.list.binary_imm(Op::RangeF64, a.wide[i], b.wide[i], imm));
        self.write_double(inst, result)
    }
}
