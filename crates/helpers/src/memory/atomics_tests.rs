//! Tables of atomics. Expected values follow from docs/gcn/memory.md#atomic-operations and
//! docs/gcn/memory-check-values.md.

use super::Atomic::*;
use super::*;

/// Codes of notes.
type Codes<'a> = &'a [&'static str];

/// Atomic, MODE, old value, data, new value, notes.
type Case<'a> = (Atomic, u32, u64, [u64; 2], u64, Codes<'a>);

/// MODE that keeps all denormals.
const KEEP: u32 = 0xf0;

fn apply(atomic: Atomic, bytes: u8, mode: u32, old: u64, data: [u64; 2]) -> (u64, Vec<&'static str>) {
    let mut notes = Notes::NONE;
    let new = Operation { atomic, bytes, mode }.apply(old, data, &mut notes);
    (new, notes.codes())
}

#[test]
fn integers_of_32_bits() {
    let cases: &[(Atomic, u32, [u32; 2], u32)] = &[
        (Swap, 5, [9, 0], 9),
        (Cmpswap, 3, [7, 3], 7),
        (Cmpswap, 4, [7, 3], 4),
        (Cmpst, 3, [3, 7], 7),
        (Cmpst, 4, [3, 7], 4),
        (Add, 0xffff_ffff, [2, 0], 1),
        (Sub, 1, [2, 0], 0xffff_ffff),
        (Rsub, 1, [3, 0], 2),
        (Rsub, 3, [1, 0], 0xffff_fffe),
        (Smin, 0x8000_0000, [1, 0], 0x8000_0000),
        (Umin, 0x8000_0000, [1, 0], 1),
        (Smax, 0x8000_0000, [1, 0], 1),
        (Umax, 0x8000_0000, [1, 0], 0x8000_0000),
        (And, 12, [10, 0], 8),
        (Or, 12, [10, 0], 14),
        (Xor, 12, [10, 0], 6),
        (Inc, 5, [5, 0], 0),
        (Inc, 5, [6, 0], 6),
        (Inc, 0xffff_fffe, [0xffff_ffff, 0], 0xffff_ffff),
        (Inc, 0xffff_ffff, [0xffff_ffff, 0], 0),
        (Dec, 0, [9, 0], 9),
        (Dec, 10, [9, 0], 9),
        (Dec, 9, [9, 0], 8),
        (Mskor, 0b1111, [0b0110, 0b10000], 0b11001),
        (Wrap, 10, [4, 100], 6),
        (Wrap, 4, [4, 100], 0),
        (Wrap, 3, [4, 100], 103),
        (Wrap, 3, [4, 0xffff_ffff], 2),
    ];
    for &(atomic, old, data, new) in cases {
        let data = data.map(u64::from);
        assert_eq!(apply(atomic, 4, 0, old.into(), data), (new.into(), vec![]), "{atomic:?} {old} {data:?}");
    }
}

#[test]
fn integers_of_64_bits() {
    let top = 1 << 63;
    let cases: &[(Atomic, u64, [u64; 2], u64)] = &[
        (Swap, 5, [top, 0], top),
        (Cmpswap, top | 3, [7, top | 3], 7),
        (Cmpswap, top | 3, [7, 3], top | 3),
        (Add, 0xffff_ffff, [1, 0], 0x1_0000_0000),
        (Add, u64::MAX, [1, 0], 0),
        (Sub, 0x1_0000_0000, [1, 0], 0xffff_ffff),
        (Rsub, 1, [0, 0], u64::MAX),
        (Smin, top, [1, 0], top),
        (Umin, top, [1, 0], 1),
        (Smax, top, [1, 0], 1),
        (Umax, top, [1, 0], top),
        (And, top | 12, [top | 10, 0], top | 8),
        (Or, top, [10, 0], top | 10),
        (Xor, top, [top | 1, 0], 1),
        (Inc, 0xffff_ffff, [top, 0], 0x1_0000_0000),
        (Dec, 0x1_0000_0000, [top, 0], 0xffff_ffff),
        (Dec, 0, [top, 0], top),
        (Mskor, u64::MAX, [top | 1, 1], u64::MAX >> 1),
    ];
    for &(atomic, old, data, new) in cases {
        assert_eq!(apply(atomic, 8, 0, old, data), (new, vec![]), "{atomic:?} {old:x} {data:x?}");
    }
}

const ONE: u64 = 0x3f80_0000;
const TWO: u64 = 0x4000_0000;
const MINUS_ONE: u64 = 0xbf80_0000;
const MINUS_ZERO: u64 = 0x8000_0000;
const INFINITY: u64 = 0x7f80_0000;
const QUIET: u64 = 0x7fc0_0001;
const SIGNALLING: u64 = 0x7f80_0001;

#[test]
fn floats_of_vector_memory_are_compared_as_they_are() {
    let odd = vec!["atomic-fminmax"];
    let cases: &[(Atomic, u64, [u64; 2], u64, Codes)] = &[
        (Fmin, TWO, [ONE, 0], ONE, &[]),
        (Fmin, MINUS_ONE, [ONE, 0], MINUS_ONE, &[]),
        (Fmax, MINUS_ONE, [MINUS_ZERO, 0], MINUS_ZERO, &[]),
        (Fmax, MINUS_ZERO, [0, 0], MINUS_ZERO, &[]),
        (Fmin, 0, [MINUS_ZERO, 0], 0, &[]),
        (Fmin, SIGNALLING, [ONE, 0], SIGNALLING, &odd),
        (Fmax, ONE, [QUIET, 0], ONE, &odd),
        (Fmin, 2, [1, 0], 1, &odd),
        (Fmax, 0, [1, 0], 1, &odd),
        (Fcmpswap, 0, [7, MINUS_ZERO], 7, &[]),
        (Fcmpswap, ONE, [7, ONE], 7, &[]),
        (Fcmpswap, ONE, [7, MINUS_ONE], ONE, &[]),
        (Fcmpswap, QUIET, [7, QUIET], QUIET, &[]),
        (Fcmpswap, 1, [7, 0], 1, &[]),
    ];
    for &(atomic, old, data, new, notes) in cases {
        assert_eq!(apply(atomic, 4, 0, old, data), (new, notes.to_vec()), "{atomic:?} {old:x} {data:x?}");
    }
    let (one, two) = (0x3ff0 << 48, 0x4000 << 48);
    assert_eq!(apply(Fmin, 8, 0, two, [one, 0]), (one, vec![]));
    assert_eq!(apply(Fmax, 8, 0, 1, [2, 0]), (2, odd));
    assert_eq!(apply(Fcmpswap, 8, 0, 1 << 63, [5, 0]), (5, vec![]));
}

#[test]
fn floats_of_shares_obey_mode() {
    let (odd, denormal): (&[_], &[_]) = (&["atomic-fminmax"], &["lds-float-denorm"]);
    let (none, both): (&[&str], &[_]) = (&[], &["atomic-fminmax", "lds-float-denorm"]);
    let cases: &[Case] = &[
        (MinF, KEEP, TWO, [ONE, 0], ONE, none),
        (MaxF, KEEP, TWO, [ONE, 0], TWO, none),
        (MinF, KEEP, MINUS_ONE, [0xc000_0000, 0], 0xc000_0000, none),
        (MinF, KEEP, 0, [MINUS_ZERO, 0], MINUS_ZERO, odd),
        (MaxF, KEEP, MINUS_ZERO, [0, 0], 0, odd),
        (MaxF, KEEP, 0, [MINUS_ZERO, 0], 0, odd),
        (MaxF, KEEP, 0, [0, 0], 0, none),
        (MinF, KEEP, SIGNALLING, [ONE, 0], ONE, odd),
        (MinF, KEEP, ONE, [SIGNALLING, 0], ONE, odd),
        (MaxF, KEEP, SIGNALLING, [QUIET + 4, 0], 0x7fc0_0001, odd),
        // Kept denormals are numbers like any other; flushed ones are zeros that are stored as they are.
        (MinF, KEEP, 2, [1, 0], 1, none),
        (MinF, 0, 2, [1, 0], 2, denormal),
        (MaxF, 0, 1, [2, 0], 1, denormal),
        (MaxF, 0x20, MINUS_ONE, [1, 0], 1, denormal),
        (MinF, 0, 1, [0x8000_0001, 0], 0x8000_0001, both),
        (CmpstF, KEEP, 0, [MINUS_ZERO, 7 << 23], 7 << 23, none),
        (CmpstF, KEEP, 1, [0, ONE], 1, none),
        (CmpstF, 0, 1, [0, ONE], ONE, denormal),
        (CmpstF, 0, ONE, [ONE, 0x8000_0001], MINUS_ZERO, denormal),
        (CmpstF, KEEP, ONE, [ONE, 0x8000_0001], 0x8000_0001, none),
        (CmpstF, 0, 1, [ONE, TWO], 1, denormal),
        (CmpstF, KEEP, QUIET, [QUIET, 7], QUIET, none),
    ];
    for &(atomic, mode, old, data, new, notes) in cases {
        assert_eq!(apply(atomic, 4, mode, old, data), (new, notes.to_vec()), "{atomic:?} {mode:x} {old:x} {data:x?}");
    }
    // MODE bit 6 is for binary64.
    assert_eq!(apply(MinF, 8, 0x40, 2, [1, 0]), (1, vec![]));
    assert_eq!(apply(MinF, 8, 0x30, 2, [1, 0]), (2, denormal.to_vec()));
    assert_eq!(apply(MaxF, 8, KEEP, 0x7ff0 << 48 | 1, [1, 0]), (1, odd.to_vec()));
    assert_eq!(apply(MaxF, 8, KEEP, 0xfff0 << 48 | 1, [0x7ff8 << 48, 0]), (0xfff8 << 48 | 1, odd.to_vec()));
}

#[test]
fn sums_of_shares() {
    let denormal: &[_] = &["lds-float-denorm"];
    let least_normal = 0x0080_0000;
    let cases: &[(u32, u64, u64, u64, &[&str])] = &[
        (KEEP, ONE, ONE, TWO, &[]),
        // 2^24 + 1 lies half-way and goes to the even one, 2^24 + 3 to 2^24 + 4.
        (KEEP, 0x4b80_0000, ONE, 0x4b80_0000, &[]),
        (KEEP, 0x4b80_0000, 0x4040_0000, 0x4b80_0002, &[]),
        (KEEP, ONE, MINUS_ONE, 0, &[]),
        (KEEP, MINUS_ZERO, MINUS_ZERO, MINUS_ZERO, &[]),
        (KEEP, 0x7f7f_ffff, 0x7f7f_ffff, INFINITY, &[]),
        (KEEP, INFINITY | MINUS_ZERO, INFINITY, 0x7fc0_0000, &[]),
        (KEEP, SIGNALLING, QUIET + 1, QUIET, &[]),
        (KEEP, ONE, SIGNALLING | MINUS_ZERO, 0xffc0_0001, &[]),
        (KEEP, 1, 2, 3, &[]),
        (0xe0, 1, least_normal, least_normal, denormal),
        (0xd0, least_normal | 1, least_normal | MINUS_ZERO, 0, denormal),
        (0xd0, least_normal, least_normal | MINUS_ZERO | 1, MINUS_ZERO, denormal),
        (0xe0, least_normal | 1, least_normal | MINUS_ZERO, 1, &[]),
        (0xd0, 1, least_normal, least_normal | 1, &[]),
    ];
    for &(mode, old, d, new, notes) in cases {
        assert_eq!(apply(AddF, 4, mode, old, [d, 0]), (new, notes.to_vec()), "{mode:x} {old:x} {d:x}");
    }
}
