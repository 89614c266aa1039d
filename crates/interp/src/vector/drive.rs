//! Everything around the loops over lanes: fetching of sources, lane movement, modifiers, and writing under EXEC.
//!
//! [`PLAIN`] drivers handle registers, constants, ABS and NEG, OMOD and CLAMP. When MODE asks for something unusual
//! they hand over to the [`FULL`] drivers, which handle everything. There are three of each, for operands of up to one,
//! two and four dwords, so that common instructions touch no more memory than they need. All are compiled for AVX-512
//! and AVX2 too.
//!
//! All sources are read before anything is written: the results of all 64 lanes are put aside first.

use std::array;

use gcnsim_isa::{LANES, Mode, Note, Vgpr, WaveState, reg};
use multiversion::multiversion;

use super::body::{Call, Done};
use super::dpp::{enabled, movement};
use super::lane::LaneNotes;
use super::merge::Merge;
use super::op::{Flags, NO_REGISTER, Source, VectorFn, VectorOp};
use super::output;
use super::stage::Stage;
use crate::float::Fp;

/// Drivers by [`VectorOp::width`].
pub(super) const PLAIN: [VectorFn; 3] = [plain_1, plain_2, plain_4];
/// Drivers for everything else, by [`VectorOp::width`].
pub(super) const FULL: [VectorFn; 3] = [full_1, full_2, full_4];

macro_rules! drivers {
    ($($name:ident: $N:literal $FULL:literal;)*) => { $(
        #[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
        fn $name(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
            drive::<$N, $FULL>(op, state, vgprs)
        }
    )* };
}

drivers! {
    plain_1: 1 false;
    plain_2: 2 false;
    plain_4: 4 false;
    full_1: 1 true;
    full_2: 2 true;
    full_4: 4 true;
}

/// A register of zeros, for waves without any registers.
static ZERO: Vgpr = Vgpr([0; LANES]);

/// The numbers of an instruction's registers after GPR-index mode. `None` is past the last register.
pub(super) struct Numbers {
    pub source: [Option<usize>; 3],
    pub destination: Option<usize>,
}

#[inline(always)]
fn drive<const N: usize, const IS_FULL: bool>(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    let unusual = state.mode & op.unusual;
    if unusual != 0 {
        if unusual & Mode::VSKIP != 0 {
            return;
        }
        if !IS_FULL {
            return FULL[op.width()](op, state, vgprs);
        }
    }
    let numbers = if IS_FULL && unusual != 0 { indexed(op, state, vgprs.len()) } else { plain_numbers(op) };
    let exec = state.exec();
    if exec == 0 {
        state.notes.insert_if(op.flags.has(Flags::COMPARE), Note::VcmpExecZero);
        return write_mask(op, state, 0);
    }
    op.note_missing(state, vgprs);
    let fp = Fp::new(state.mode, op.arch);

    let (mut room0, mut room1, mut room2) = ([None; N], [None; N], [None; N]);
    let mut s0 = fetch(op, 0, numbers.source[0], state, vgprs, &mut room0);
    let mut s1 = fetch(op, 1, numbers.source[1], state, vgprs, &mut room1);
    let mut s2 = fetch(op, 2, numbers.source[2], state, vgprs, &mut room2);
    let old: [&Vgpr; N] = registers(vgprs, numbers.destination.unwrap_or(0));
    let mask = if op.mask == NO_REGISTER { None } else { Some(expanded(pair(state, op.mask))) };

    let mut active = exec;
    let mut moved = None;
    if IS_FULL && let Some(dpp) = op.dpp {
        let (movement, enabled) = (movement(dpp.ctrl), exec & enabled(dpp));
        let reached = movement.reached(exec);
        state.notes.insert_if(enabled & movement.in_range & !reached != 0, Note::DppInactiveSrc);
        s0[0] = movement.apply(s0[0], reached, &mut moved);
        active = if dpp.bound_ctrl { enabled } else { enabled & reached };
    }
    let mut staged = [None; 3];
    let [staged0, staged1, staged2] = &mut staged;
    if IS_FULL && op.flags.has(Flags::WIDENS) {
        let sources = op.stage.iter().zip([s0[0], s1[0], s2[0]]);
        let is_doubtful = |(stage, dwords): (&Stage, &Vgpr)| stage.meets_doubtful_halves(dwords, active, &fp);
        state.notes.insert_if(sources.map(is_doubtful).fold(false, |any, found| any | found), Note::MixF16Denorm);
    }
    modify::<N, IS_FULL>(op, 0, &fp, &mut s0, staged0);
    modify::<N, IS_FULL>(op, 1, &fp, &mut s1, staged1);
    modify::<N, IS_FULL>(op, 2, &fp, &mut s2, staged2);

    let mut out = [Vgpr([0; LANES]); N];
    let mut done = Done::default();
    if !IS_FULL || active != 0 {
        let call = Call {
            fp: &fp,
            clamp: op.output.saturate,
            pred: op.pred,
            active,
            mask: mask.as_ref().unwrap_or(&ZERO),
            s0: padded(s0),
            s1: padded(s1),
            s2: padded(s2),
            d: padded(old),
        };
        done = (op.body)(&call, &mut out);
    }
    if op.output.clamp || op.output.omod != 0 {
        state.notes.insert_if(output::is_limited(op.output, &fp, active, &out), Note::Fp16Ovfl);
        output::apply(op.output, &fp, &mut out);
    }
    if IS_FULL {
        let is_written = numbers.destination.is_some();
        let upper_half_matters = is_written && op.flags.has(Flags::NEW_UPPER_HALF) && has_upper_half(old[0], active);
        state.notes.insert_if(upper_half_matters, Note::Hi16New9);
        if op.merge != Merge::WHOLE {
            op.merge.apply(&mut out[0], old[0]);
        }
    }

    if let Some(first) = numbers.destination {
        for (i, out) in out.iter().enumerate().take(usize::from(op.vdst_dwords)) {
            write(vgprs, first + i, out, active);
        }
    }
    write_mask(op, state, done.mask & active);
    if done.notes != 0 {
        state.notes = state.notes.or(LaneNotes(done.notes).notes());
    }
}

#[inline(always)]
pub(super) fn plain_numbers(op: &VectorOp) -> Numbers {
    let number = |source| if let Source::Vgpr(n) = source { usize::from(n) } else { 0 };
    Numbers { source: op.source.map(|source| Some(number(source))), destination: Some(usize::from(op.vdst)) }
}

/// Applies GPR-index mode: M0\[7:0\] is added to the numbers of the operands that M0\[15:12\] names. If the number is
/// past the last register, a source is v0, and nothing is written.
#[cold]
#[inline(never)]
pub(super) fn indexed(op: &VectorOp, state: &mut WaveState, count: usize) -> Numbers {
    let m0 = state.sgpr[reg::M0 as usize];
    let (offset, is_moved) = ((m0 & 0xff) as usize, |operand: usize| m0 >> (12 + operand) & 1 == 1);
    let notes = &mut state.notes;
    notes.insert_if(op.flags.has(Flags::EXTENDED), Note::GpridxOdd);
    let mut numbers = plain_numbers(op);
    for i in 0..3 {
        if matches!(op.source[i], Source::Vgpr(_)) && is_moved(i) {
            let first = numbers.source[i].unwrap_or(0) + offset;
            let is_inside = first + usize::from(op.dwords[i]) <= count;
            notes.insert_if(!is_inside, op.range_note());
            numbers.source[i] = is_inside.then_some(first);
        }
    }
    if op.vdst_dwords > 0 && is_moved(3) {
        notes.insert_if(op.flags.has(Flags::ACCUMULATES), Note::GpridxMac);
        let first = usize::from(op.vdst) + offset;
        let is_inside = first + usize::from(op.vdst_dwords) <= count;
        notes.insert_if(!is_inside, op.range_note());
        numbers.destination = is_inside.then_some(first);
    }
    numbers
}

/// Registers from a number on. Missing ones are replaced by others.
#[inline(always)]
fn registers<const N: usize>(vgprs: &[Vgpr], first: usize) -> [&Vgpr; N] {
    array::from_fn(|i| register(vgprs, first + i))
}

/// A register. If it does not exist, it is v0.
#[inline(always)]
pub(super) fn register(vgprs: &[Vgpr], number: usize) -> &Vgpr {
    vgprs.get(number).or(vgprs.first()).unwrap_or(&ZERO)
}

/// The dwords of source `i`. A scalar is copied to all lanes of `room`.
#[inline(always)]
fn fetch<'a, const N: usize>(
    op: &VectorOp,
    i: usize,
    number: Option<usize>,
    state: &WaveState,
    vgprs: &'a [Vgpr],
    room: &'a mut [Option<Vgpr>; N],
) -> [&'a Vgpr; N] {
    match op.source[i] {
        Source::None => [&ZERO; N],
        Source::Vgpr(_) => registers(vgprs, number.unwrap_or(0)),
        _ if op.dwords[i] == 1 => {
            let dword = scalar(op, i, state, 0);
            [room[0].insert(Vgpr([dword; LANES])); N]
        }
        _ => {
            let mut dwords = 0..;
            room.each_mut().map(|room| {
                let dword = scalar(op, i, state, dwords.next().unwrap_or(0));
                &*room.insert(Vgpr([dword; LANES]))
            })
        }
    }
}

/// Dword `n` of a scalar source.
#[inline(always)]
pub(super) fn scalar(op: &VectorOp, i: usize, state: &WaveState, n: usize) -> u32 {
    let low = |bit: bool| if n == 0 { u32::from(bit) } else { 0 };
    match op.source[i] {
        // Behind EXEC there are zeros.
        Source::Sgpr(code) => state.sgpr.get(usize::from(code) + n).copied().unwrap_or(0),
        Source::Vccz => low(state.vcc() == 0),
        Source::Execz => low(state.exec() == 0),
        Source::Scc => low(state.scc != 0),
        Source::Constant | Source::Vgpr(_) | Source::None => match n {
            0 => op.constant[i] as u32,
            1 => (op.constant[i] >> 32) as u32,
            // Integers are sign-extended to all bits above; floats fill 64 bits.
            _ if (-16..0).contains(&(op.constant[i] as i64)) => u32::MAX,
            _ => 0,
        },
    }
}

/// Applies selection, ABS and NEG to source `i`.
#[inline(always)]
fn modify<'a, const N: usize, const IS_FULL: bool>(
    op: &VectorOp,
    i: usize,
    fp: &Fp,
    source: &mut [&'a Vgpr; N],
    room: &'a mut Option<Vgpr>,
) {
    let stage = op.stage[i];
    // The index of the dword with the sign.
    let top = if N == 2 && op.dwords[i] == 2 { 1 } else { 0 };
    if IS_FULL {
        if stage != Stage::NONE {
            source[top] = stage.apply(source[top], fp, room);
        }
    } else if stage.has_signs() {
        source[top] = stage.with_signs(source[top], room);
    }
}

/// The dwords, filled up with copies of the last one.
#[inline(always)]
fn padded<const N: usize, const M: usize>(dwords: [&Vgpr; N]) -> [&Vgpr; M] {
    array::from_fn(|i| dwords[if i < N { i } else { N - 1 }])
}

/// All ones in lanes whose bit is set, and zeros in others.
#[inline(always)]
fn expanded(bits: u64) -> Vgpr {
    let mut lanes = Vgpr([0; LANES]);
    let (low, high) = lanes.0.split_at_mut(LANES / 2);
    // In halves, lanes are as wide as the bits that are tested.
    for (bits, lanes) in [(bits as u32, low), ((bits >> 32) as u32, high)] {
        for (lane, flag) in lanes.iter_mut().enumerate() {
            *flag = if bits >> lane & 1 == 1 { u32::MAX } else { 0 };
        }
    }
    lanes
}

/// Writes the active lanes of a register, if it exists.
#[inline(always)]
pub(super) fn write(vgprs: &mut [Vgpr], number: usize, values: &Vgpr, active: u64) {
    let Some(register) = vgprs.get_mut(number) else { return };
    if active == u64::MAX {
        *register = *values;
        return;
    }
    let active = expanded(active);
    for lane in 0..LANES {
        register.0[lane] = register.0[lane] & !active.0[lane] | values.0[lane] & active.0[lane];
    }
}

/// Whether an active lane has a bit of the upper half set.
#[inline(always)]
fn has_upper_half(old: &Vgpr, active: u64) -> bool {
    let active = expanded(active);
    (0..LANES).fold(0, |any, lane| any | old.0[lane] & active.0[lane]) > 0xffff
}

/// The pair of scalar registers at a code.
#[inline(always)]
fn pair(state: &WaveState, code: u8) -> u64 {
    let dword = |n: u8| u64::from(state.sgpr[usize::from((code + n) & 127)]);
    dword(0) | dword(1) << 32
}

/// Writes the mask result, if the instruction has one.
#[inline(always)]
fn write_mask(op: &VectorOp, state: &mut WaveState, lanes: u64) {
    if op.sdst == NO_REGISTER {
        return;
    }
    state.sgpr[usize::from(op.sdst & 127)] = lanes as u32;
    state.sgpr[usize::from((op.sdst + 1) & 127)] = (lanes >> 32) as u32;
    if op.flags.has(Flags::WRITES_EXEC) {
        state.set_exec(lanes);
    }
}
