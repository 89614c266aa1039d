//! VOPC and the VOP3 form of vector compares: operands, destination, and what surrounds the test of the lanes.
//!
//! `R = 0; for each lane with EXEC[lane]: R[lane] = test`. R replaces the destination pair (VCC, or SDST in VOP3) and, for
//! V_CMPX, also EXEC. The tests themselves are in [`super::lanes`].

use gcnsim_isa::{Arch, Cmp, LANES, Mode, Note, OperandType, Pred, SourceKind, reg};

use super::lanes::{self, F16, F32, F64, Float, Integer};
use super::op::{Op, Role, Step, go_on, set_register_pair};
use crate::wave::Wave;

/// Bits of `Op::field`: modifiers of sources 0 and 1 (as in `Resolved::modifiers`), and whether the generation has GPR indexing.
const ABS: [u16; 2] = [1, 2];
const NEG: [u16; 2] = [4, 8];
const HAS_GPR_IDX: u16 = 16;

/// What [`Op::field`] holds for a compare besides its modifiers.
pub(super) fn field(arch: Arch) -> u16 {
    if arch.is_gcn12_or_later() { HAS_GPR_IDX } else { 0 }
}

/// Wraps the function of a compare. With VSKIP set the instruction is passed over. The function itself is never inlined: its
/// arrays of lanes would lie on the stack while what follows executes.
macro_rules! compare {
    ($function:expr) => {
        Step::body(|wave, op, rest| {
            if wave.state.mode & Mode::VSKIP == 0 {
                $function(wave, op);
            }
            go_on(wave, rest);
        })
    };
}
/// The function of a compare. `signalling` changes exceptions only, which are not modelled.
pub(super) fn step(cmp: Cmp) -> Step {
    if cmp.writes_exec { select::<true>(cmp) } else { select::<false>(cmp) }
}

fn select<const X: bool>(cmp: Cmp) -> Step {
    use OperandType as T;
    let is_class = cmp.pred == Pred::Class;
    match cmp.ty {
        T::f16 if is_class => compare!(v_cmp_class::<X, F16>),
        T::f32 if is_class => compare!(v_cmp_class::<X, F32>),
        T::f64 if is_class => compare!(v_cmp_class::<X, F64>),
        T::f16 => compare!(v_cmp_float::<X, F16>),
        T::f32 => compare!(v_cmp_float::<X, F32>),
        T::f64 => compare!(v_cmp_float::<X, F64>),
        T::i16 => compare!(v_cmp_integer::<X, i16>),
        T::u16 => compare!(v_cmp_integer::<X, u16>),
        T::i32 => compare!(v_cmp_integer::<X, i32>),
        T::u32 => compare!(v_cmp_integer::<X, u32>),
        T::i64 => compare!(v_cmp_integer::<X, i64>),
        T::u64 => compare!(v_cmp_integer::<X, u64>),
        // No row compares these (a test says so).
        _ => Step::exit(Role::Stop),
    }
}

#[inline(never)]
fn v_cmp_integer<const WRITES_EXEC: bool, T: Integer>(wave: &mut Wave, op: &Op) {
    let s0 = source::<T::Bits>(wave, op, 0).map(T::from_bits);
    let s1 = source::<T::Bits>(wave, op, 1).map(T::from_bits);
    let result = lanes::test_integers(op.pred, &s0, &s1);
    write_result::<WRITES_EXEC>(wave, op, result);
}

/// Denormal sources count as zeros of the same sign when MODE flushes them; that is noted if it changes the result.
#[inline(never)]
fn v_cmp_float<const WRITES_EXEC: bool, T: Float>(wave: &mut Wave, op: &Op) {
    let s0 = float_source::<T>(wave, op, 0);
    let s1 = float_source::<T>(wave, op, 1);
    let mut result = lanes::test_floats::<T>(op.pred, &s0, &s1);
    let flush = wave.state.mode & T::DENORM_IN == 0;
    if flush && (lanes::has_denormal::<T>(&s0) || lanes::has_denormal::<T>(&s1)) {
        let kept = result;
        result = lanes::test_floats::<T>(op.pred, &s0.map(T::flush), &s1.map(T::flush));
        if (result ^ kept) & wave.state.exec() != 0 {
            wave.state.notes.insert(Note::CmpDenormFlush);
        }
    }
    write_result::<WRITES_EXEC>(wave, op, result);
}

/// S1 is 32 bits wide whatever the type of S0. Never flushes.
#[inline(never)]
fn v_cmp_class<const WRITES_EXEC: bool, T: Float>(wave: &mut Wave, op: &Op) {
    let s0 = float_source::<T>(wave, op, 0);
    let s1 = source::<u32>(wave, op, 1);
    let result = lanes::test_classes::<T>(&s0, &s1);
    write_result::<WRITES_EXEC>(wave, op, result);
}

fn write_result<const WRITES_EXEC: bool>(wave: &mut Wave, op: &Op, lanes: u64) {
    let exec = wave.state.exec();
    if exec == 0 {
        wave.state.notes.insert(Note::VcmpExecZero);
    }
    set_register_pair(&mut wave.state, op.dst, lanes & exec);
    if WRITES_EXEC {
        wave.state.set_exec(lanes & exec);
    }
}

/// Elements of a vector operand as they lie in registers: one lane of one VGPR, or of two.
pub(super) trait Bits: Copy {
    const WIDE: bool;
    fn from_scalar(value: u64) -> Self;
    fn from_halves(low: u32, high: u32) -> Self;
}

impl Bits for u32 {
    const WIDE: bool = false;

    fn from_scalar(value: u64) -> u32 {
        value as u32
    }

    fn from_halves(low: u32, _: u32) -> u32 {
        low
    }
}

impl Bits for u64 {
    const WIDE: bool = true;

    fn from_scalar(value: u64) -> u64 {
        value
    }

    fn from_halves(low: u32, high: u32) -> u64 {
        low as u64 | (high as u64) << 32
    }
}

/// Source `i`: the lanes of a VGPR or pair, or a scalar for all lanes.
fn source<B: Bits>(wave: &mut Wave, op: &Op, i: usize) -> [B; LANES] {
    if !op.src[i].is(SourceKind::Vgpr) {
        return [B::from_scalar(op.scalar_source(&wave.state, i)); LANES];
    }
    let number = vgpr_number::<B>(wave, op, i);
    let low = wave.vgprs.lanes(number);
    let high = if B::WIDE { wave.vgprs.lanes(number.wrapping_add(1)) } else { low };
    std::array::from_fn(|lane| B::from_halves(low[lane], high[lane]))
}

/// Number of the VGPR of source `i`, in GPR-index mode with M0\[7:0\] added if M0\[12 + i\] says so. Past v255 (for a pair, with either
/// half) it is v0, noted.
fn vgpr_number<B: Bits>(wave: &mut Wave, op: &Op, i: usize) -> u8 {
    let number = op.src[i].number();
    let m0 = wave.state.sgpr[reg::M0 as usize];
    let mode_on = op.field & HAS_GPR_IDX != 0 && wave.state.mode & Mode::GPR_IDX_EN != 0;
    if !mode_on || m0 >> (12 + i) & 1 == 0 {
        return number;
    }
    let sum = number as u32 + (m0 & 0xff);
    if sum + (B::WIDE as u32) <= 255 {
        return sum as u8;
    }
    wave.state.notes.insert(Note::GprIdxRange);
    0
}

/// Source `i` of a float compare, after ABS and NEG.
fn float_source<T: Float>(wave: &mut Wave, op: &Op, i: usize) -> [T::Bits; LANES] {
    let mut bits = source::<T::Bits>(wave, op, i);
    if op.field & ABS[i] != 0 {
        bits = bits.map(T::abs);
    }
    if op.field & NEG[i] != 0 {
        bits = bits.map(T::neg);
    }
    bits
}
