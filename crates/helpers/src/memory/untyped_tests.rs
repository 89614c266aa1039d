//! Tests of which accesses the fast ways take, and that these do the same as the way lane by lane.

use std::sync::Arc;

use gcnsim_isa::{Arch, Vgpr, decode};
use gcnsim_machine::{Backing, Context, Guess, Mapping};

use super::super::{Machine, Scalars};
use super::*;
use crate::host::on_levels;

const BASE: u32 = 0x1_0000;
const BYTES: usize = 0x1000;
const ALL: u64 = !0;
const SOME: u64 = 0x8000_7ffe_0f0f_fff1;

/// An access, and whether a fast way takes it.
struct Case {
    arch: Arch,
    words: [u32; 2],
    base: [u32; 4],
    /// The register with the address, index or offset of each lane.
    low: fn(u32) -> u32,
    is_taken: bool,
}

/// GLOBAL on GCN 1.4: address v0 and s[0:1], data v[4:7], result v[8:11].
fn global(op: u32, low: fn(u32) -> u32, is_taken: bool) -> Case {
    let words = [0xdc00_8000 | op << 18, 8 << 24 | 4 << 8];
    Case { arch: Arch::Gcn14, words, base: [BASE, 0, 0, 0], low, is_taken }
}

/// A case of [`global`] with GLC.
fn returning(op: u32, low: fn(u32) -> u32, is_taken: bool) -> Case {
    let case = global(op, low, is_taken);
    Case { words: [case.words[0] | 1 << 16, case.words[1]], ..case }
}

/// MUBUF with the address registers v[0:1], the descriptor s[0:3], data v[4:7] and flags of the first word.
fn buffer(arch: Arch, op: u32, flags: u32, [stride, records]: [u32; 2], low: fn(u32) -> u32, is_taken: bool) -> Case {
    let words = [0xe000_0000 | op << 18 | flags, 128 << 24 | 4 << 8];
    Case { arch, words, base: [BASE, stride << 16, records, 0x2_4fac], low, is_taken }
}

const OFFEN: u32 = 1 << 12;
const IDXEN: u32 = 1 << 13;
const ADDR64: u32 = 1 << 15;

/// Executes an op of the type `O` by the fast way on a level; `None` if that does not take it.
fn run_fast<H: Host, O: Untyped>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Option<()> {
    let op = O::of(op)?;
    let moved = op.moved();
    match moved.data {
        Data::Load(data) => match data.bytes {
            1 => load::<_, O, 1>(host, op, moved, m),
            2 => load::<_, O, 2>(host, op, moved, m),
            4 => load::<_, O, 4>(host, op, moved, m),
            8 => load::<_, O, 8>(host, op, moved, m),
            12 => load::<_, O, 12>(host, op, moved, m),
            _ => load::<_, O, 16>(host, op, moved, m),
        },
        Data::Store(data) => match data.bytes {
            1 => store::<_, O, 1>(host, op, moved, m),
            2 => store::<_, O, 2>(host, op, moved, m),
            4 => store::<_, O, 4>(host, op, moved, m),
            8 => store::<_, O, 8>(host, op, moved, m),
            12 => store::<_, O, 12>(host, op, moved, m),
            _ => store::<_, O, 16>(host, op, moved, m),
        },
        Data::Atomic(..) => update::<_, O>(host, op, moved, m),
    }
}

/// The result of an instruction: whether it was done, registers, memory and notes.
type End = (bool, Vec<Vgpr>, Vec<u8>, Notes);

/// Executes a case by one of the ways.
fn end(case: &Case, exec: u64, is_alone: bool, way: impl Fn(&MemoryOp, &mut Machine<'_>) -> bool) -> End {
    let inst = decode(case.arch, case.words[0], Some(case.words[1])).unwrap();
    let op = MemoryOp::new(&inst).unwrap();
    let mut context = Context::ready(0);
    context.is_alone = is_alone;
    let backing = Arc::new(Backing::zeroed(BYTES).unwrap());
    (0..BYTES).for_each(|at| backing.write(at, &[(at * 7 + at / 256) as u8]));
    context.space.map(Mapping::new(BASE.into(), "data", backing.clone()));
    let mut vgprs: Vec<Vgpr> =
        (0..16u32).map(|n| Vgpr(std::array::from_fn(|lane| (n << 24) + 0x1_0203 * (lane as u32 % 60)))).collect();
    vgprs[0].0 = std::array::from_fn(|lane| (case.low)(lane as u32));
    vgprs[1].0 = [0; LANES];
    let mut scalars = Scalars { exec, base: case.base, ..Scalars::default() };
    let guess = Guess::default();
    let mut machine = Machine::of_test(case.arch, &mut scalars, &mut vgprs, &mut context, &guess);
    let is_done = way(&op, &mut machine);
    let notes = machine.notes;
    (is_done, vgprs, backing.to_vec(), notes)
}

fn by_lanes(op: &MemoryOp, m: &mut Machine<'_>) -> bool {
    op.run(m).is_ok()
}

fn fast<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> bool {
    let is_flat = matches!(op.action, super::super::Action::Flat(_));
    let done = if is_flat {
        run_fast::<_, super::super::flat::FlatOp>(host, op, m)
    } else {
        run_fast::<_, super::super::buffer::BufferOp>(host, op, m)
    };
    done.is_some()
}

#[track_caller]
fn check(cases: &[Case]) {
    for (number, case) in cases.iter().enumerate() {
        let start = end(case, ALL, true, |_, _| false);
        for exec in [ALL, SOME, 1 << 9] {
            let expected = end(case, exec, true, by_lanes);
            for is_alone in [true, false] {
                let found = on_levels!(|host| end(case, exec, is_alone, |op, m| fast(host, op, m)));
                for found in found {
                    let what = format!("case {number}, {:x?}, EXEC {exec:x}", case.words);
                    // With few lanes, those because of which the case is not taken may be inactive.
                    assert!(found.0 == case.is_taken || exec != ALL && !case.is_taken, "{what}: taken {}", found.0);
                    let end = if found.0 { &expected } else { &start };
                    assert!((&found.1, &found.2) == (&end.1, &end.2), "{what}: registers or memory");
                    assert!(!found.0 || found.3 == end.3, "{what}: notes {:?} or {:?}", found.3, end.3);
                }
            }
        }
    }
}

/// Loads and stores of 1, 2, 4, 8, 12 and 16 bytes.
const LOADS: [(u32, u32); 6] = [(16, 1), (18, 2), (20, 4), (21, 8), (22, 12), (23, 16)];
const STORES: [(u32, u32); 6] = [(24, 1), (26, 2), (28, 4), (29, 8), (30, 12), (31, 16)];

#[test]
fn elements_in_rows_in_one_place_and_anywhere_are_taken() {
    let rows: [fn(u32) -> u32; 6] = [|l| l, |l| 2 * l, |l| 4 * l, |l| 8 * l, |l| 12 * l, |l| 16 * l];
    for (at, row) in rows.into_iter().enumerate() {
        for op in [LOADS[at].0, STORES[at].0] {
            let anywhere: [fn(u32) -> u32; 6] =
                [row, |_| 77, |l| 63 * l + 5, |l| 3000 - 16 * l, |l| l % 5 * 40, |l| 9 * l];
            check(&anywhere.map(|low| global(op, low, true)));
        }
    }
}

/// Compilers load two neighbouring bytes together, so that elements of neighbouring lanes overlap.
#[test]
fn elements_that_overlap_are_taken_up_to_the_last_byte() {
    // The opcodes are ushort, sshort, short_d16 and short_d16_hi.
    for op in [18, 19, 36, 37] {
        let rows: [fn(u32) -> u32; 4] = [|l| l, |l| l + 5, |l| 0x1000 - 65 + l, |l| if l == 63 { 0xffe } else { l }];
        check(&rows.map(|low| global(op, low, true)));
        let outside: [fn(u32) -> u32; 2] = [|l| 0x1000 - 64 + l, |l| l.wrapping_sub(1)];
        check(&outside.map(|low| global(op, low, false)));
    }
    // Of what several lanes store to one byte, the last lane's stays.
    check(&[global(26, |l| l, true), global(26, |l| 64 - l, true), global(24, |l| l / 2, true)]);
}

#[test]
fn lanes_next_to_those_before_are_joined() {
    let rows: Lanes = std::array::from_fn(|lane| 96 * (lane as u32 / 16) + 4 * (lane as u32 % 16));
    let wraps: Lanes = std::array::from_fn(|lane| (4 * lane as u32).wrapping_sub(32));
    let mixed: Lanes = std::array::from_fn(|lane| [8, 8, 12, 4, 8, 9, 13, 20][lane % 8] + 64 * (lane as u32 / 8));
    let ones: Lanes = std::array::from_fn(|lane| lane as u32 + 7);
    for (at, step, joined) in [
        ([5; LANES], 4, !1),
        (rows, 4, 0xfffe_fffe_fffe_fffe),
        (rows, 2, 0),
        (wraps, 4, !1 & !(1 << 8)),
        (mixed, 4, 0x5656_5656_5656_5656),
        (ones, 1, !1),
        (ones, 2, 0),
    ] {
        let found = on_levels!(|host| fast::joined(host, &at, step));
        assert!(found.iter().all(|found| *found == joined), "{at:?} {step}: {found:x?}");
    }
}

#[test]
fn what_does_not_lie_in_memory_is_not_taken() {
    let ends: [fn(u32) -> u32; 3] = [|l| 0x1000 - 63 * 4 + 4 * l, |l| if l == 9 { 0xffd } else { 40 * l }, |_| 0xffd];
    for low in ends {
        check(&[global(20, low, false), global(28, low, false), global(66, low, false)]);
    }
    // Accesses to the last bytes are taken.
    check(&[global(20, |l| 0x1000 - 64 * 4 + 4 * l, true), global(23, |l| 0xff0 - 13 * l, true)]);
    // Accesses below the first byte are not.
    check(&[global(20, |l| (4 * l).wrapping_sub(4), false), global(31, |l| (40 * l).wrapping_sub(400), false)]);
}

#[test]
fn atomics_are_taken() {
    // The opcodes are swap, cmpswap, add, sub, smin, umax, xor, inc, dec. With 32 more they have 64 bits.
    for op in [64, 65, 66, 67, 68, 71, 74, 75, 76] {
        let places: [fn(u32) -> u32; 5] =
            [|l| 4 * l, |_| 40, |l| 4 * (l * 37 % 64), |l| l % 5 * 8, |l| 4 * (l % 2 + l / 2 * 2)];
        check(&places.map(|low| global(op, low, true)));
        check(&places.map(|low| returning(op, low, true)));
        let wide: [fn(u32) -> u32; 3] = [|l| 8 * l, |_| 48, |l| l % 7 * 16];
        check(&wide.map(|low| returning(op + 32, low, true)));
        check(&[returning(op, |l| 4 * l + 2, false), global(op + 32, |l| 4 * l, false)]);
    }
    // The places of some lanes differ only in high bits.
    check(&[returning(66, |l| 4 * (l % 32) + l / 32 * 0x800, true)]);
}

#[test]
fn buffers_are_taken_where_lanes_are_in_range_or_out_of_it() {
    for (arch, load, store, wide, add) in [
        (Arch::Gcn14, 20, 28, 23, 66),
        (Arch::Gcn12, 20, 28, 23, 66),
        (Arch::Gcn11, 12, 28, 14, 50),
        (Arch::Gcn10, 12, 28, 14, 50),
    ] {
        let raw = |op, records, low, is_taken| buffer(arch, op, OFFEN, [0, records], low, is_taken);
        for op in [load, store, add] {
            check(&[
                raw(op, 0x1000, |l| 4 * l, true),
                raw(op, 0x1000, |l| 40 * l, true),
                raw(op, 0x1000, |_| 40, true),
            ]);
            // Some lanes are out of range, or all.
            check(&[
                raw(op, 160, |l| 4 * l, true),
                raw(op, 160, |l| 4 * (l * 37 % 64), true),
                raw(op, 4, |_| 40, true),
            ]);
            // One lane is out of range in part.
            check(&[raw(op, 162, |l| 4 * l, false)]);
            let records = |low| buffer(arch, op, IDXEN, [8, 20], low, true);
            check(&[records(|l| l % 20), records(|l| l), records(|_| 7), records(|l| l.wrapping_mul(0x1000_0000))]);
        }
        check(&[
            raw(wide, 0x1000, |l| 16 * l, true),
            raw(wide, 160, |l| 16 * l, true),
            raw(wide, 168, |l| 16 * l, false),
        ]);
        // Addresses are misaligned. GCN 1.0 ignores their low bits, which the fast ways leave to others.
        check(&[raw(load, 0x1000, |l| 4 * l + 1, arch != Arch::Gcn10)]);
    }
}

#[test]
fn scratch_is_taken_whatever_its_stride() {
    // In scratch the dwords of 64 lanes lie side by side. From GCN 1.2 on `format`, the data format, is a part of the
    // stride.
    for (arch, load, store, add) in
        [(Arch::Gcn14, 20, 28, 66), (Arch::Gcn12, 20, 28, 66), (Arch::Gcn11, 12, 28, 50), (Arch::Gcn10, 12, 28, 50)]
    {
        for format in [0, 4, 15] {
            let scratch = |op, stride: u32, records, low, is_taken| {
                let case = buffer(arch, op, OFFEN, [stride | 1 << 15, records], low, is_taken);
                let word3 = 0xfac | 4 << 12 | format << 15 | 1 << 19 | 3 << 21 | 1 << 23;
                Case { base: [case.base[0], case.base[1], records, word3], ..case }
            };
            let is_bound = format != 0 || arch.is_gcn12_or_later();
            for op in [load, store, add] {
                check(&[
                    scratch(op, 0, 0x1000, |_| 32, is_bound),
                    scratch(op, 0, 0x1000, |l| l * 5 % 11 * 4, is_bound),
                    scratch(op, 64, 0x1000, |l| l % 3 * 16, is_bound),
                ]);
            }
            // These are out of range, but not by the rules of GCN 1.4.
            let is_taken = is_bound && arch.is_gcn14_or_later();
            check(&[scratch(load, 16, 63, |_| 12, is_taken), scratch(load, 16, 30, |_| 0, is_taken)]);
        }
    }
}

#[test]
fn addresses_in_two_registers_are_taken() {
    for arch in [Arch::Gcn10, Arch::Gcn11] {
        for op in [8, 12, 14, 24, 28, 30, 50] {
            let case = buffer(arch, op, ADDR64, [0, 0], |l| BASE + 16 * l, true);
            let base = [0, 0, 0, 0xf000];
            let far = Case { low: |_| 0, is_taken: false, base, ..case };
            check(&[Case { base, ..buffer(arch, op, ADDR64, [0, 0], |l| BASE + 16 * (l * 37 % 64), true) }, far]);
        }
    }
}
