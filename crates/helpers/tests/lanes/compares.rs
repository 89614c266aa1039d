//! Compares every helper of a compare, on every level of this machine, with a definition for one lane. The definition
//! follows docs/gcn/compares.md. It takes floats apart into exact values and shares nothing with the helpers.
#![allow(unsafe_code)]

use std::cmp::Ordering;

use gcnsim_helpers::Level;
use gcnsim_helpers::valu::{self, Control, Direct, DirectFn};
use gcnsim_isa::table::{Opcode, Vopc};
use gcnsim_isa::{Arch, Inst, LANES, Note, Notes, OperandType, Pred, Vgpr, decode};
use gcnsim_random::Rng;

const TYPES: [OperandType; 9] = [
    OperandType::f16,
    OperandType::f32,
    OperandType::f64,
    OperandType::i16,
    OperandType::u16,
    OperandType::i32,
    OperandType::u32,
    OperandType::i64,
    OperandType::u64,
];

// --- the definition ---

struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    keep_denormals: u32,
}

fn format(ty: OperandType) -> Format {
    match ty {
        OperandType::f16 => Format { exponent_bits: 5, mantissa_bits: 10, keep_denormals: 1 << 6 },
        OperandType::f32 => Format { exponent_bits: 8, mantissa_bits: 23, keep_denormals: 1 << 4 },
        OperandType::f64 => Format { exponent_bits: 11, mantissa_bits: 52, keep_denormals: 1 << 6 },
        _ => panic!("{ty:?} is not a float"),
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Magnitude {
    Zero,
    /// `significand * 2^exponent`, where bit 63 is the top bit of the significand.
    Finite {
        exponent: i32,
        significand: u64,
        denormal: bool,
    },
    Infinite,
    Nan {
        quiet: bool,
    },
}

/// Returns the sign and the magnitude.
fn decode_float(ty: OperandType, bits: u64) -> (bool, Magnitude) {
    let Format { exponent_bits, mantissa_bits, .. } = format(ty);
    let mantissa = bits % (1 << mantissa_bits);
    let exponent = (bits >> mantissa_bits) % (1 << exponent_bits);
    let negative = (bits >> (mantissa_bits + exponent_bits)) % 2 == 1;
    let magnitude = if exponent == (1 << exponent_bits) - 1 {
        if mantissa == 0 { Magnitude::Infinite } else { Magnitude::Nan { quiet: mantissa >> (mantissa_bits - 1) == 1 } }
    } else {
        let denormal = exponent == 0;
        let (significand, exponent) =
            if denormal { (mantissa, 1) } else { (mantissa + (1 << mantissa_bits), exponent) };
        if significand == 0 {
            Magnitude::Zero
        } else {
            let shift = significand.leading_zeros();
            Magnitude::Finite { exponent: exponent as i32 - shift as i32, significand: significand << shift, denormal }
        }
    };
    (negative, magnitude)
}

/// Returns the order of two floats; `None` if they are unordered.
fn compare_floats(ty: OperandType, a: u64, b: u64, flush: bool) -> Option<Ordering> {
    let rank = |bits| {
        let (negative, magnitude) = decode_float(ty, bits);
        let (class, exponent, significand) = match magnitude {
            Magnitude::Nan { .. } => return None,
            Magnitude::Finite { denormal: true, .. } if flush => (0, 0, 0),
            Magnitude::Zero => (0, 0, 0),
            Magnitude::Finite { exponent, significand, .. } => (1, exponent, significand),
            Magnitude::Infinite => (2, 0, 0),
        };
        Some((negative, (class, exponent, significand)))
    };
    let ((a_negative, a), (b_negative, b)) = (rank(a)?, rank(b)?);
    if a.0 == 0 && b.0 == 0 {
        return Some(Ordering::Equal);
    }
    Some(match (a_negative, b_negative) {
        (false, false) => a.cmp(&b),
        (true, true) => b.cmp(&a),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    })
}

fn class(ty: OperandType, bits: u64) -> u32 {
    match decode_float(ty, bits) {
        (_, Magnitude::Nan { quiet: false }) => 0,
        (_, Magnitude::Nan { quiet: true }) => 1,
        (true, Magnitude::Infinite) => 2,
        (true, Magnitude::Finite { denormal: false, .. }) => 3,
        (true, Magnitude::Finite { denormal: true, .. }) => 4,
        (true, Magnitude::Zero) => 5,
        (false, Magnitude::Zero) => 6,
        (false, Magnitude::Finite { denormal: true, .. }) => 7,
        (false, Magnitude::Finite { denormal: false, .. }) => 8,
        (false, Magnitude::Infinite) => 9,
    }
}

fn expected(ty: OperandType, pred: Pred, a: u64, b: u64, flush: bool) -> bool {
    if pred == Pred::Class {
        return b >> class(ty, a) & 1 == 1;
    }
    let ordering = match ty {
        OperandType::i16 => Some((a as i16).cmp(&(b as i16))),
        OperandType::u16 => Some((a as u16).cmp(&(b as u16))),
        OperandType::i32 => Some((a as i32).cmp(&(b as i32))),
        OperandType::u32 => Some((a as u32).cmp(&(b as u32))),
        OperandType::i64 => Some((a as i64).cmp(&(b as i64))),
        OperandType::u64 => Some(a.cmp(&b)),
        _ => compare_floats(ty, a, b, flush && !matches!(pred, Pred::U | Pred::O)),
    };
    let is = |orderings: &[Ordering]| ordering.is_some_and(|ordering| orderings.contains(&ordering));
    use Ordering::{Equal, Greater, Less};
    match pred {
        Pred::F => false,
        Pred::Lt => is(&[Less]),
        Pred::Le => is(&[Less, Equal]),
        Pred::Eq => is(&[Equal]),
        Pred::Lg => is(&[Less, Greater]),
        Pred::Gt => is(&[Greater]),
        Pred::Ge => is(&[Greater, Equal]),
        Pred::O => is(&[Less, Equal, Greater]),
        Pred::U => !is(&[Less, Equal, Greater]),
        Pred::Nlt => !is(&[Less]),
        Pred::Nle => !is(&[Less, Equal]),
        Pred::Neq => !is(&[Equal]),
        Pred::Nlg => !is(&[Less, Greater]),
        Pred::Ngt => !is(&[Greater]),
        Pred::Nge => !is(&[Greater, Equal]),
        Pred::Tru => true,
        Pred::Class => unreachable!(),
    }
}

fn bits(test: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |result, lane| result | (test(lane) as u64) << lane)
}

// --- inputs ---

/// Returns the values of the type at which results change.
fn edges(ty: OperandType) -> Vec<u64> {
    if !ty.is_float() {
        let width = ty.bits();
        let all = u64::MAX >> (64 - width);
        let sign = 1 << (width - 1);
        let mut values = vec![0, 1, 2, all, all - 1, sign, sign + 1, sign - 1, sign - 2, all / 3];
        if width == 64 {
            values.extend([1 << 32, 1 << 31, (1 << 32) - 1, (1 << 32) + 1, all << 32, all << 31, sign | 1 << 31]);
            values.extend([sign | 0xffff_ffff, 0x7fff_ffff_0000_0000, 0x7fff_ffff_8000_0000]);
        }
        return values;
    }
    let Format { exponent_bits, mantissa_bits, .. } = format(ty);
    let top = (1 << exponent_bits) - 1;
    let all = (1 << mantissa_bits) - 1;
    let quiet = 1 << (mantissa_bits - 1);
    let one = top / 2;
    let mut mantissas = vec![0, 1, quiet, all];
    if mantissa_bits == 52 {
        mantissas.extend([1 << 32, 1 << 31, 0xffff_ffff]);
    }
    let mut values = Vec::new();
    for exponent in [0, 1, one, one + 1, top - 1, top] {
        values.extend(mantissas.iter().map(|mantissa| exponent << mantissa_bits | mantissa));
    }
    values.extend([quiet + 1, quiet - 1].map(|mantissa| top << mantissa_bits | mantissa));
    values.extend([2, quiet - 1]);
    let sign = 1 << (exponent_bits + mantissa_bits);
    values.iter().flat_map(|value| [*value, sign | value]).collect()
}

/// The lanes of a vector operand: values, with random bits where the type ignores them.
#[derive(Clone, Debug)]
struct Lanes([u64; LANES]);

impl Lanes {
    fn new(ty: OperandType, random: &mut Rng, mut value: impl FnMut(&mut Rng, usize) -> u64) -> Lanes {
        let used = u64::MAX >> (64 - ty.bits());
        Lanes(std::array::from_fn(|lane| {
            let value = value(random, lane) & used;
            value | random.bits64() & !used
        }))
    }

    fn registers(&self) -> [Vgpr; 2] {
        [0, 32].map(|shift| Vgpr(self.0.map(|value| (value >> shift) as u32)))
    }
}

/// Returns random lanes. Many are edges or close to `near`.
fn random_lanes(ty: OperandType, edges: &[u64], near: Option<&Lanes>, random: &mut Rng) -> Lanes {
    Lanes::new(ty, random, |random, lane| {
        let near = near.map_or(0, |near| near.0[lane]);
        match random.below(8) {
            0 => random.bits64(),
            1 => near,
            2 => near.wrapping_add(1),
            3 => near ^ 1 << (random.below(64)),
            4 => near & 0xffff_ffff | random.bits64() << 32,
            _ => random.pick(edges),
        }
    })
}

/// Returns class masks: all classes, none, single ones, and random bits.
fn random_masks(random: &mut Rng) -> Lanes {
    Lanes::new(OperandType::b32, random, |random, _| match random.below(4) {
        0 => 1 << (random.below(10)),
        1 => !(1 << (random.below(10))),
        _ => random.bits64(),
    })
}

// --- calls ---

const OTHER_NOTE: u64 = 1 << 63;

/// Returns the compares of a type that have a helper.
fn preds(ty: OperandType) -> Vec<Pred> {
    let rows = Vopc::ALL.iter().filter(|op| Opcode::Vopc(**op).desc().opcode_on(ARCH).is_some()).map(|op| op.cmp());
    let of_type = rows.filter(|cmp| cmp.ty == ty && !cmp.writes_exec).map(|cmp| cmp.pred);
    of_type.filter(|pred| !matches!(pred, Pred::F | Pred::Tru)).collect()
}

const ARCH: Arch = Arch::Gcn14;

/// The form of a source: whether it is a scalar, and its modifiers.
#[derive(Clone, Copy, Default, Debug)]
struct Form {
    scalar: bool,
    abs: bool,
    neg: bool,
}

/// Returns the compare in VOP3 form of v0 or s0 with v2 or s0.
fn instruction(ty: OperandType, pred: Pred, forms: [Form; 2]) -> Inst {
    let is_it = |op: &&Vopc| {
        let cmp = op.cmp();
        let number = Opcode::Vopc(**op).desc().opcode_on(ARCH);
        (cmp.ty, cmp.pred, cmp.writes_exec) == (ty, pred, false) && number.is_some()
    };
    let op = Vopc::ALL.iter().find(is_it).unwrap_or_else(|| panic!("no {pred:?} of {ty:?}"));
    let number = u32::from(Opcode::Vopc(*op).desc().opcode_on(ARCH).unwrap());
    let (mut first, mut second) = (0xd000_0000 | number << 16 | 106, 0);
    for (i, form) in forms.iter().enumerate() {
        first |= u32::from(form.abs) << (8 + i);
        second |= u32::from(form.neg) << (29 + i) | if form.scalar { 0 } else { 256 + 2 * i as u32 } << (9 * i);
    }
    decode(ARCH, first, Some(second)).unwrap()
}

#[repr(align(16))]
struct Scalar([u32; 4]);

/// Calls a helper, and the direct function if there is one. Scalars are the first lanes. Returns the mask that the
/// instruction writes, and notes.
fn call(level: Level, inst: &Inst, forms: [Form; 2], registers: [&[Vgpr; 2]; 2], mode: u32, exec: u64) -> (u64, u64) {
    let chosen = valu::helper(level, inst).unwrap();
    let scalars = registers.map(|[low, high]| Scalar([low.0[0], high.0[0], 0xdead_beef, 0xdead_beef]));
    let [a, b] = [0, 1].map(|i| match forms[i].scalar {
        true => scalars[i].0.as_ptr().wrapping_byte_add(1),
        false => registers[i].as_ptr().cast::<u32>(),
    });
    // Fields that the helper does not need hold garbage.
    let mut control =
        Control { flags: !0, mask_in: !0, mode: !0, arch: 77, fast: None, notes: [OTHER_NOTE, OTHER_NOTE] };
    if let Some(flags) = chosen.flags {
        control.flags = flags.0;
    }
    if chosen.fast.is_some() {
        control.mode = mode;
    }
    let mut unused = Vgpr([0x5555_5555; LANES]);
    // SAFETY: registers are 128 aligned dwords, scalars four.
    let mask = unsafe { (chosen.helper)(unused.0.as_mut_ptr(), a, b, std::ptr::dangling(), exec, &mut control) };
    assert_eq!((unused, mask & !exec), (Vgpr([0x5555_5555; LANES]), 0), "{inst:?}");
    assert_eq!(control.notes[1], OTHER_NOTE);
    if let Some(direct) = chosen.direct {
        let outcome = call_direct(direct, registers, mode, exec);
        assert_eq!(outcome, (mask, control.notes), "{inst:?} {forms:?} directly");
    }
    (if chosen.complement { exec & !mask } else { mask }, control.notes[0])
}

/// Calls a direct function. Returns the mask in active lanes, and notes.
fn call_direct(direct: Direct, registers: [&[Vgpr; 2]; 2], mode: u32, exec: u64) -> (u64, [u64; 2]) {
    let [s0, s1] = [0, 1].map(|i| match direct.scalars >> i & 1 {
        0 => registers[i].as_ptr().expose_provenance() as u64,
        _ => registers[i][0].0[0] as u64 | (registers[i][1].0[0] as u64) << 32,
    });
    let mut control =
        Control { flags: !0, mask_in: !0, mode: !0, arch: 77, fast: None, notes: [OTHER_NOTE, OTHER_NOTE] };
    // SAFETY: registers are 128 aligned dwords.
    let mask = unsafe {
        match direct.function {
            DirectFn::Sources(function) => function(s0, s1),
            DirectFn::Flushing(function) => function(s0, s1, exec, mode, &mut control),
        }
    };
    (mask & exec, control.notes)
}

/// Returns the value of a source in a lane, with its modifiers applied.
fn source(ty: OperandType, form: Form, lanes: &Lanes, lane: usize) -> u64 {
    let sign = 1u64 << (ty.bits() - 1);
    let value = lanes.0[if form.scalar { 0 } else { lane }];
    let value = if form.abs { value & !sign } else { value };
    if form.neg { value ^ sign } else { value }
}

/// Checks every level against the definition, for sources of some forms.
fn check_forms(ty: OperandType, pred: Pred, forms: [Form; 2], a: &Lanes, b: &Lanes, mode: u32, exec: u64) {
    let flush = ty.is_float() && mode & format(ty).keep_denormals == 0;
    let result = |flush| {
        bits(|lane| expected(ty, pred, source(ty, forms[0], a, lane), source(ty, forms[1], b, lane), flush)) & exec
    };
    let (kept, result) = (result(false), result(flush));
    let note = if kept != result { Notes::of(Note::CmpDenormFlush).low_words()[0] } else { 0 };
    let inst = instruction(ty, pred, forms);
    let is_direct = forms.iter().all(|form| !form.abs && !form.neg) && !forms.iter().all(|form| form.scalar);
    assert_eq!(valu::helper(Level::Portable, &inst).unwrap().direct.is_some(), is_direct, "{inst:?}");
    let (a_regs, b_regs) = (a.registers(), b.registers());
    for level in Level::available() {
        let outcome = call(level, &inst, forms, [&a_regs, &b_regs], mode, exec);
        let what = || format!("{level:?} {pred:?} {ty:?} {forms:?} mode {mode:#x} exec {exec:#x}\n{a:x?}\n{b:x?}");
        assert_eq!(outcome, (result, note | OTHER_NOTE), "{}", what());
    }
}

const VECTOR: Form = Form { scalar: false, abs: false, neg: false };
const SCALAR: Form = Form { scalar: true, abs: false, neg: false };

/// Checks a compare with two vectors, with the scalar of the first lane on each side, and with two scalars.
fn check(ty: OperandType, pred: Pred, a: &Lanes, b: &Lanes, mode: u32, exec: u64) {
    for forms in [[VECTOR, VECTOR], [SCALAR, VECTOR], [VECTOR, SCALAR], [SCALAR, SCALAR]] {
        check_forms(ty, pred, forms, a, b, mode, exec);
    }
}

// --- tests ---

#[test]
fn edge_values_in_all_pairs() {
    let random = &mut Rng::new(1);
    for ty in TYPES {
        let edges = edges(ty);
        let pairs: Vec<_> = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))).collect();
        for chunk in pairs.chunks(LANES) {
            let pair = |lane: usize| chunk[lane % chunk.len()];
            let a = Lanes::new(ty, random, |_, lane| pair(lane).0);
            let b = Lanes::new(ty, random, |_, lane| pair(lane).1);
            for op in preds(ty).into_iter().filter(|op| *op != Pred::Class) {
                for mode in [0, 0xf0] {
                    check(ty, op, &a, &b, mode, !0);
                }
            }
        }
    }
}

#[test]
fn class_of_edge_values_with_every_single_class() {
    let random = &mut Rng::new(2);
    for ty in TYPES.into_iter().filter(|ty| ty.is_float()) {
        let edges = edges(ty);
        for chunk in edges.chunks(LANES) {
            let a = Lanes::new(ty, random, |_, lane| chunk[lane % chunk.len()]);
            for bit in 0..32 {
                let one = Lanes::new(OperandType::b32, random, |_, _| 1 << bit);
                check(ty, Pred::Class, &a, &one, 0, !0);
                let all_but_one = Lanes(one.0.map(|mask| !mask));
                check(ty, Pred::Class, &a, &all_but_one, 0, !0);
            }
        }
    }
}

#[test]
fn only_the_type_s_denormal_bit_of_mode_counts() {
    let random = &mut Rng::new(3);
    for ty in TYPES {
        let edges = edges(ty);
        for op in preds(ty) {
            let a = random_lanes(ty, &edges, None, random);
            let b = if op == Pred::Class { random_masks(random) } else { random_lanes(ty, &edges, Some(&a), random) };
            for bit in 0..32 {
                check(ty, op, &a, &b, 1 << bit, !0);
                check(ty, op, &a, &b, !(1 << bit), !0);
            }
        }
    }
}

#[test]
fn flush_is_noted_for_active_lanes_only() {
    let random = &mut Rng::new(4);
    for ty in TYPES.into_iter().filter(|ty| ty.is_float()) {
        for op in preds(ty).into_iter().filter(|op| *op != Pred::Class) {
            // A lane has two different denormals, or a denormal and zero; the others have ones.
            let one = ((1 << (format(ty).exponent_bits - 1)) - 1) << format(ty).mantissa_bits;
            for (x, y) in [(1, 2), (2, 1), (0, 1), (1, 0), (1, 1), (one, 1), (1, one)] {
                for special in 0..LANES {
                    let place = |value| move |_: &mut Rng, lane| if lane == special { value } else { one };
                    let a = Lanes::new(ty, random, place(x));
                    let b = Lanes::new(ty, random, place(y));
                    for exec in [0, !0, 1 << special, !(1 << special)] {
                        check(ty, op, &a, &b, 0, exec);
                    }
                }
            }
        }
    }
}

#[test]
fn random_lanes_follow_the_definition() {
    let random = &mut Rng::new(5);
    for ty in TYPES {
        let edges = edges(ty);
        for op in preds(ty) {
            for _ in 0..50 {
                let a = random_lanes(ty, &edges, None, random);
                let b =
                    if op == Pred::Class { random_masks(random) } else { random_lanes(ty, &edges, Some(&a), random) };
                let exec = random.bits64() & random.bits64();
                check(ty, op, &a, &b, random.pick(&[0, 1 << 4, 1 << 6, 0xf0]), exec);
            }
        }
    }
}

/// 10^5 pairs of vectors over all types; every predicate, mode and shape of each.
#[test]
fn levels_agree() {
    let random = &mut Rng::new(6);
    for ty in TYPES {
        let edges = edges(ty);
        let ops: Vec<_> = preds(ty);
        let mut a = random_lanes(ty, &edges, None, random);
        let mut a_regs = a.registers();
        for round in 0..100_000 / TYPES.len() {
            // In each round one of the two vectors is new.
            let b = random_lanes(ty, &edges, Some(&a), random);
            let b_regs = b.registers();
            let op = ops[round % ops.len()];
            let (mode, exec) = (random.pick(&[0, 0xf0]), random.bits64());
            let forms = [[VECTOR, VECTOR], [SCALAR, VECTOR], [VECTOR, SCALAR]][round % 3];
            let inst = instruction(ty, op, forms);
            let outcome = |level| call(level, &inst, forms, [&a_regs, &b_regs], mode, exec);
            let portable = outcome(Level::Portable);
            for level in Level::available() {
                assert_eq!(outcome(level), portable, "{level:?} {op:?} {ty:?} {mode:#x} {exec:#x}\n{a:x?}\n{b:x?}");
            }
            (a, a_regs) = (b, b_regs);
        }
    }
}

#[test]
fn modifiers() {
    let random = &mut Rng::new(7);
    for ty in TYPES.into_iter().filter(|ty| ty.is_float()) {
        let edges = edges(ty);
        for pred in preds(ty) {
            for which in 0..64 {
                let form = |bits: u32| Form { scalar: bits & 1 != 0, abs: bits & 2 != 0, neg: bits & 4 != 0 };
                let forms = [form(which & 7), form(which >> 3)];
                let forms =
                    if pred == Pred::Class { [forms[0], Form { abs: false, neg: false, ..forms[1] }] } else { forms };
                let a = random_lanes(ty, &edges, None, random);
                let b =
                    if pred == Pred::Class { random_masks(random) } else { random_lanes(ty, &edges, Some(&a), random) };
                check_forms(ty, pred, forms, &a, &b, random.pick(&[0, 0xf0]), random.bits64());
            }
        }
    }
}

#[test]
fn the_best_level_is_available() {
    assert!(Level::best().is_available());
    assert_eq!(Level::available().next(), Some(Level::Portable));
}
