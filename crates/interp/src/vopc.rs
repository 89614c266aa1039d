//! VOPC and the VOP3 form of vector compares: operands, destination, and everything around the test of the lanes.
//!
//! `R = 0; for each lane with EXEC[lane]: R[lane] = test`. R replaces the destination pair (VCC, or SDST in VOP3) and,
//! for V_CMPX, also EXEC. The tests themselves are in [`super::lanes`] and [`super::class`].

use gcnsim_isa::{Arch, Cmp, LANES, Mode, Note, OperandType, Pred, SourceKind, Vgpr, WaveState, reg};
use multiversion::multiversion;

use super::class::{Classed, test_classes};
use super::lanes::{Element, F16, F32, F64, Lanes, test_elements};
use super::op::{Exit, Op, Role, Step};
use super::register::set_register_pair;
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;

/// Bits of `Op::field`: modifiers of sources 0 and 1 (as in `Resolved::modifiers`), and whether the generation has GPR
/// indexing.
const ABS: [u16; 2] = [1, 2];
const NEG: [u16; 2] = [4, 8];
const HAS_GPR_IDX: u16 = 16;

/// The value of [`Op::field`] for a compare, besides its modifiers.
pub(super) fn field(arch: Arch) -> u16 {
    if arch.is_gcn12_or_later() { HAS_GPR_IDX } else { 0 }
}

/// Wraps the function of a compare. With VSKIP set the instruction is skipped. The function itself is never inlined:
/// otherwise its arrays of lanes would stay on the stack while the next instructions execute.
macro_rules! compare {
    ($function:expr) => {
        Step::body(|wave, ops, scc, env| {
            let [op, rest @ ..] = ops else { return Exit::end(scc) };
            if wave.state.mode & Mode::VSKIP == 0 {
                // SCC may be a source.
                wave.state.scc = scc as u32;
                $function(wave, op);
            }
            (op.next)(wave, rest, scc, env)
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
        T::f16 => compare!(v_cmp::<X, F16>),
        T::f32 => compare!(v_cmp::<X, F32>),
        T::f64 => compare!(v_cmp::<X, F64>),
        T::i16 => compare!(v_cmp::<X, i16>),
        T::u16 => compare!(v_cmp::<X, u16>),
        T::i32 => compare!(v_cmp::<X, i32>),
        T::u32 => compare!(v_cmp::<X, u32>),
        T::i64 => compare!(v_cmp::<X, i64>),
        T::u64 => compare!(v_cmp::<X, u64>),
        // No row has these compares (a test checks it).
        _ => Step::stop(Role::Stop),
    }
}

/// When MODE flushes denormal sources, they count as zeros of the same sign. It is noted if that changes the result.
#[inline(never)]
fn v_cmp<const WRITES_EXEC: bool, T: Element>(wave: &mut Wave, op: &Op) {
    let Wave { state, vgprs, .. } = wave;
    let (mut scalars, mut modified) = ([[None; 2]; 2], [None; 2]);
    let ([scalar0, scalar1], [modified0, modified1]) = (&mut scalars, &mut modified);
    let s0 = modify::<T>(source(state, vgprs, op, 0, T::WIDE, scalar0), op, 0, modified0);
    let s1 = modify::<T>(source(state, vgprs, op, 1, T::WIDE, scalar1), op, 1, modified1);
    let flush = state.mode & T::DENORM_IN == 0;
    let (result, changed) = test_elements::<T>(op.pred, s0, s1, flush);
    if changed & state.exec() != 0 {
        state.notes.insert(Note::CmpDenormFlush);
    }
    write_result::<WRITES_EXEC>(state, op, result);
}

/// S1 has 32 bits whatever the type of S0. Nothing is flushed.
#[inline(never)]
fn v_cmp_class<const WRITES_EXEC: bool, T: Element + Classed>(wave: &mut Wave, op: &Op) {
    let Wave { state, vgprs, .. } = wave;
    let (mut scalars, mut modified) = ([[None; 2]; 2], None);
    let [scalar0, scalar1] = &mut scalars;
    let s0 = modify::<T>(source(state, vgprs, op, 0, T::WIDE, scalar0), op, 0, &mut modified);
    let s1 = source(state, vgprs, op, 1, false, scalar1);
    let result = test_classes::<T>(s0, s1);
    write_result::<WRITES_EXEC>(state, op, result);
}

fn write_result<const WRITES_EXEC: bool>(state: &mut WaveState, op: &Op, lanes: u64) {
    let exec = state.exec();
    if exec == 0 {
        state.notes.insert(Note::VcmpExecZero);
    }
    set_register_pair(state, op.dst, lanes & exec);
    if WRITES_EXEC {
        state.set_exec(lanes & exec);
    }
}

/// Source `i`: the lanes of a VGPR or pair. A scalar is copied to all lanes of `scalar`.
#[inline(always)]
fn source<'a>(
    state: &mut WaveState,
    vgprs: &'a VgprFile,
    op: &Op,
    i: usize,
    wide: bool,
    scalar: &'a mut [Option<Vgpr>; 2],
) -> Lanes<'a> {
    if !op.src[i].is(SourceKind::Vgpr) {
        return broadcast(state, op, i, wide, scalar);
    }
    let number = vgpr_number(state, op, i, wide, vgprs.regs().len() as u32);
    let low = vgprs.lanes(number);
    if wide { Lanes { top: vgprs.lanes(number.wrapping_add(1)), rest: low } } else { Lanes { top: low, rest: low } }
}

#[inline(never)]
fn broadcast<'a>(
    state: &WaveState,
    op: &Op,
    i: usize,
    wide: bool,
    [low, high]: &'a mut [Option<Vgpr>; 2],
) -> Lanes<'a> {
    let value: u64 = op.scalar_source(state, state.scc != 0, i);
    let low = spread(value as u32, low);
    Lanes { top: if wide { spread((value >> 32) as u32, high) } else { low }, rest: low }
}

/// Copies a dword to all lanes. The stores are as wide as the loads of the test: the processor would wait for narrower
/// ones.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn spread(value: u32, lanes: &mut Option<Vgpr>) -> &[u32; LANES] {
    &lanes.insert(Vgpr([value; LANES])).0
}

/// Number of the VGPR of source `i`. In GPR-index mode M0\[7:0\] is added if M0\[12 + i\] is set. If the VGPR (or
/// either half of a pair) is past the wave's allocation, it is v0, and that is noted.
fn vgpr_number(state: &mut WaveState, op: &Op, i: usize, wide: bool, count: u32) -> u8 {
    let number = op.src[i].vgpr();
    let is_inside = |number: u32| number + (wide as u32) < count;
    let m0 = state.sgpr[reg::M0 as usize];
    let mode_on = op.field & HAS_GPR_IDX != 0 && state.mode & Mode::GPR_IDX_EN != 0;
    if !mode_on || m0 >> (12 + i) & 1 == 0 {
        let is_missing = !is_inside(number.into());
        state.notes.insert_if(is_missing && state.exec() != 0, Note::RegRange);
        return if is_missing { 0 } else { number };
    }
    let sum = number as u32 + (m0 & 0xff);
    if is_inside(sum) {
        return sum as u8;
    }
    state.notes.insert(Note::GprIdxRange);
    0
}

/// Source `i` of a float compare after ABS and NEG. If it has any of them, the changed dwords go to `modified`.
#[inline(always)]
fn modify<'a, T: Element>(lanes: Lanes<'a>, op: &Op, i: usize, modified: &'a mut Option<Vgpr>) -> Lanes<'a> {
    if T::SIGN == 0 || op.field & (ABS[i] | NEG[i]) == 0 {
        return lanes;
    }
    let abs = if op.field & ABS[i] != 0 { T::SIGN } else { 0 };
    let neg = if op.field & NEG[i] != 0 { T::SIGN } else { 0 };
    Lanes { top: with_signs(lanes.top, abs, neg, modified), ..lanes }
}

/// Clears the bits `abs` of all dwords, then flips the bits `neg`. It stores them as [`spread`] does.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn with_signs<'a>(top: &[u32; LANES], abs: u32, neg: u32, modified: &'a mut Option<Vgpr>) -> &'a [u32; LANES] {
    &modified.insert(Vgpr(top.map(|top| top & !abs ^ neg))).0
}
