//! Tests of which DS instructions the ways for all lanes at once take, and that these do the same as the way lane by
//! lane.

use gcnsim_isa::{Notes, Vgpr, decode};
use gcnsim_machine::{Context, Guess};

use super::super::super::Scalars;
use super::*;
use crate::host::on_levels;

/// Bytes of LDS.
const BYTES: u32 = 0x800;
const ALL: u64 = !0;
const MASKS: [u64; 4] = [ALL, 0x8000_7ffe_0f0f_fff1, 0x00ff_ffff_ffff_ff00, 1 << 9];

/// An instruction of GCN 1.4 or 1.2, and whether a fast way takes it.
#[derive(Clone, Copy)]
struct Case {
    arch: Arch,
    op: u32,
    offset: u32,
    /// The address register of each lane.
    address: fn(u32) -> u32,
    m0: u32,
    /// The first register of the result.
    to: u8,
    is_taken: bool,
}

/// Returns the op of a case. It has the address in v0, and as far as the instruction has them, data in v[4:7] and
/// v[8:11] and a result. A field that is not used must be 0, so the right one
/// of eight forms is the last one that the decoder takes.
fn decoded(Case { arch, op, offset, to, .. }: Case) -> MemoryOp {
    let fields = [0, 1, 2, 3, 4, 5, 6, 7].map(|used: u8| [0, 4 * (used & 1), 4 * (used & 2), to / 4 * (used & 4)]);
    let words = fields.map(|fields| [0xd800_0000 | op << 17 | offset, u32::from_le_bytes(fields)]);
    let inst = words.iter().rev().find_map(|words| decode(arch, words[0], Some(words[1])).ok());
    MemoryOp::new(&inst.unwrap()).unwrap()
}

/// The result of an instruction: whether it was done, registers, LDS and notes.
type End = (bool, Vec<Vgpr>, Vec<u8>, Notes);

/// Executes a case by one of the ways.
fn end(case: &Case, exec: u64, way: impl Fn(&ShareOp, &mut Machine<'_>) -> bool) -> End {
    let mut context = Context::ready(0);
    context.lds = (0..BYTES).map(|at| (at * 7 + at / 256) as u8).collect();
    let mut vgprs: Vec<Vgpr> =
        (0..16u32).map(|n| Vgpr(std::array::from_fn(|lane| (n << 24) + 0x1_0203 * (lane as u32 % 60)))).collect();
    vgprs[0].0 = std::array::from_fn(|lane| (case.address)(lane as u32));
    let mut scalars = Scalars { exec, m0: case.m0, mode: 0xf0, ..Scalars::default() };
    let guess = Guess::default();
    let mut machine = Machine::of_test(case.arch, &mut scalars, &mut vgprs, &mut context, &guess);
    let op = decoded(*case);
    let Action::Share(op) = &op.action else { panic!("not DS") };
    let is_done = way(op, &mut machine);
    let notes = machine.notes;
    (is_done, vgprs, context.lds.to_vec(), notes)
}

/// The way for all lanes at once that the helper of an instruction tries.
fn fast<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> bool {
    let taken = match (op.act, op.bytes) {
        (Act::Read(_), 1) => Read::<1>::take(host, op, m),
        (Act::Read(_), 2) => Read::<2>::take(host, op, m),
        (Act::Read(_), 4) => Read::<4>::take(host, op, m),
        (Act::Read(_), 8) => Read::<8>::take(host, op, m),
        (Act::Read(_), 12) => Read::<12>::take(host, op, m),
        (Act::Read(_), _) => Read::<16>::take(host, op, m),
        (Act::Write(_), 1) => Write::<1>::take(host, op, m),
        (Act::Write(_), 2) => Write::<2>::take(host, op, m),
        (Act::Write(_), 4) => Write::<4>::take(host, op, m),
        (Act::Write(_), 8) => Write::<8>::take(host, op, m),
        (Act::Write(_), 12) => Write::<12>::take(host, op, m),
        (Act::Write(_), _) => Write::<16>::take(host, op, m),
        (Act::Read2(_), 4) => Read2::<4, 8>::take(host, op, m),
        (Act::Read2(_), _) => Read2::<8, 16>::take(host, op, m),
        (Act::Write2(_), 4) => Write2::<4, 8>::take(host, op, m),
        (Act::Write2(_), _) => Write2::<8, 16>::take(host, op, m),
        _ => Update::take(host, op, m),
    };
    taken.is_some()
}

/// Checks that each way does what the way lane by lane does, or does not take the case and leaves registers and notes
/// as they were.
#[track_caller]
fn check(case: Case) {
    for exec in MASKS {
        let expected = end(&case, exec, |op, m| op.execute(m).is_ok());
        let start = end(&case, exec, |_, _| false);
        let found = on_levels!(|host| end(&case, exec, |op, m| fast(host, op, m)));
        for (number, found) in found.iter().enumerate() {
            let what = format!("{} offset {:x} EXEC {exec:x}, host {number}", case.op, case.offset);
            // With few lanes, those because of which the case is not taken may be inactive.
            assert!(found.0 == case.is_taken || exec != ALL && !case.is_taken, "{what}: taken {}", found.0);
            if found.0 {
                assert_eq!((&found.1, &found.2, found.3), (&expected.1, &expected.2, expected.3), "{what}");
            } else {
                assert_eq!((&found.1, found.3), (&start.1, start.3), "{what}");
            }
        }
    }
}

fn case(op: u32, offset: u32, address: fn(u32) -> u32) -> Case {
    Case { arch: Arch::Gcn14, op, offset, address, m0: 0, to: 12, is_taken: true }
}

/// Addresses in rows of all steps, in one place, in chunks, anywhere, misaligned, two lanes in each place, and in rows
/// of 16 or 8 lanes, all or only the first.
const ANYWHERE: [fn(u32) -> u32; 22] = [
    |l| 4 * l,
    |l| 8 * l,
    |l| 16 * l,
    |_| 44,
    |l| l / 16 * 64,
    |l| l % 16 * 16,
    |l| l * 37 % 64 * 24,
    |l| 1200 - 16 * l,
    |l| 17 * l + 3,
    |l| l / 2 * 32,
    |l| 7 * l,
    |l| l % 8 * 4 + l / 8 * 96,
    |l| l % 8 * 8 + l / 8 * 128,
    |l| l % 16 * 4 + l / 16 * 96,
    |l| l % 16 * 8 + (63 - l) / 16 * 200,
    |l| l % 16 * 12 + l / 32 * 8,
    |l| l % 16 * 16 + l / 16 * 272,
    |l| (128 * (l / 16)) ^ 16,
    |l| if l < 16 { 8 * l } else { l * 37 % 64 * 24 },
    |l| (64 * (l / 8)) ^ 8,
    |l| if l < 8 { 4 * l } else { l * 37 % 64 * 24 },
    |l| if l < 8 { 40 } else { 8 * l },
];

#[test]
fn reads_and_writes_are_taken_wherever_elements_lie() {
    // Reads and writes of b8, b16, b32, b64, b96 and b128.
    for op in [57, 58, 59, 60, 87, 90, 54, 118, 254, 255, 30, 31, 85, 13, 77, 222, 223] {
        ANYWHERE.into_iter().for_each(|address| check(case(op, 0, address)));
        ANYWHERE.into_iter().for_each(|address| check(case(op, 72, address)));
    }
}

#[test]
fn pairs_of_reads_are_taken() {
    // The pairs have elements of 4 bytes, of 8, and of 8 with offsets in steps of 64. Some pairs are neighbours.
    for (op, offset) in [(55, 0x100), (55, 0x0005), (55, 0x0705), (119, 0x201), (119, 0x0104), (120, 0x100)] {
        ANYWHERE.into_iter().for_each(|address| check(case(op, offset, address)));
    }
}

#[test]
fn pairs_of_writes_are_taken_where_lanes_do_not_meet() {
    for (op, offset) in [(14, 0x100), (78, 0x100)] {
        // Two elements that are neighbours are taken as one.
        ANYWHERE.into_iter().for_each(|address| check(case(op, offset, address)));
    }
    let apart: [fn(u32) -> u32; 3] = [|l| 16 * l, |l| l * 37 % 64 * 16, |l| 1008 - 16 * l];
    for (op, offset) in [(14, 0x0300), (14, 0x8001), (78, 0x8000), (15, 0x0400)] {
        apart.into_iter().for_each(|address| check(case(op, offset, address)));
    }
    // The addresses of all second elements have a bit that those of the first ones lack, so no lanes meet.
    let rows: [fn(u32) -> u32; 3] =
        [|l| l / 8 * 64 + l % 8 * 4, |l| (63 - l) / 8 * 64 + (63 - l) % 8 * 4, |l| l * 37 % 8 * 64 + l / 8 * 4];
    for offset in [0x0800, 0x0008, 0x1810] {
        rows.into_iter().for_each(|address| check(case(14, offset, address)));
    }
    let wide: [fn(u32) -> u32; 2] = [|l| l / 4 * 64 + l % 4 * 8, |l| l * 37 % 16 * 64 + l / 16 * 8];
    for offset in [0x0400, 0x0004, 0x0c08] {
        wide.into_iter().for_each(|address| check(case(78, offset, address)));
    }
    // The second element of a lane is the first one of another, so the order of lanes counts.
    let meets = |address| Case { is_taken: false, ..case(14, 0x0200, address) };
    check(meets(|l| 8 * l));
    check(meets(|l| 1000 - 8 * l));
    check(Case { is_taken: false, ..case(14, 0x0001, |l| 8 * l + l % 2 * 2) });
    check(Case { is_taken: false, ..case(14, 0x0402, |l| 8 * l) });
}

#[test]
fn reads_may_replace_the_address() {
    // Reads of 1, 4, 8, 12 and 16 bytes, and pairs of reads.
    for (op, offset) in [(58, 8), (54, 8), (118, 8), (254, 8), (255, 8), (55, 0x0700), (55, 0x0100), (119, 0x0700)] {
        ANYWHERE.into_iter().for_each(|address| check(Case { to: 0, ..case(op, offset, address) }));
    }
}

#[test]
fn addresses_of_inactive_lanes_do_not_matter() {
    for op in [54, 118, 255, 13, 77, 223, 0, 32] {
        check(Case { is_taken: false, ..case(op, 0, |l| if l == 1 { 0x9000_0000 } else { 16 * l }) });
        check(Case { is_taken: false, ..case(op, 0, |l| if l == 1 { 0x9000_0000 } else { l * 37 % 64 * 16 }) });
    }
}

#[test]
fn atomics_are_taken_where_elements_are_aligned() {
    // The opcodes are add, sub, rsub, inc, min, and, mskor, cmpst, cmpst_f32, max_f32, add_f32. With 32 more they
    // return the old value, with 64 more they have 64 bits.
    let four: [fn(u32) -> u32; 5] = [|l| 4 * l, |_| 40, |l| l * 37 % 64 * 4, |l| l % 5 * 8, |l| l / 2 * 4];
    let eight: [fn(u32) -> u32; 4] = [|l| 8 * l, |_| 48, |l| l * 37 % 64 * 8, |l| l % 7 * 16];
    for op in [0, 1, 2, 3, 5, 9, 12, 16, 17, 19, 21] {
        for returning in [0, 32] {
            four.into_iter().for_each(|address| check(case(op + returning, 4, address)));
            check(Case { is_taken: false, ..case(op + returning, 0, |l| 4 * l + 2) });
            if op != 21 {
                eight.into_iter().for_each(|address| check(case(op + returning + 64, 8, address)));
            }
        }
    }
    // The places of some lanes differ only in high bits, which the search for lanes that meet must tell apart.
    check(case(32, 0, |l| l % 32 * 4 + l / 32 * 1024));
}

#[test]
fn what_is_not_in_lds_is_not_taken() {
    let last = BYTES - 4;
    let out = |op, address| Case { is_taken: false, ..case(op, 0, address) };
    for op in [54, 13, 0] {
        check(out(op, |l| BYTES - 63 * 4 + 4 * l));
        check(out(op, |l| if l == 9 { BYTES } else { l * 37 % 64 * 4 }));
        check(out(op, |_| BYTES));
        check(out(op, |l| (4 * l).wrapping_sub(8)));
        check(out(op, |l| if l == 9 { 0x8000_0000 } else { 12 * l }));
        // The last bytes of LDS are taken.
        check(case(op, 0, |l| BYTES - 64 * 4 + 4 * l));
        check(case(op, 0, |l| BYTES - 4 - 12 * l));
        check(case(op, last, |_| 0));
        check(Case { is_taken: false, ..case(op, last, |_| 4) });
        // Sums with an offset wrap.
        check(case(op, 16, |l| (4 * l).wrapping_sub(16)));
        check(case(op, 16, |l| (l * 37 % 64 * 4).wrapping_sub(16)));
    }
    for op in [255, 223] {
        check(case(op, 0, |l| BYTES - 16 - 16 * l));
        check(out(op, |l| BYTES - 12 - 16 * l));
    }
    // The second of two elements is outside of LDS.
    check(Case { is_taken: false, ..case(55, 0xff00, |l| 1024 + 4 * l) });
    check(case(55, 0xff00, |l| 768 + 4 * l));
    check(case(55, 0x0305, |l| (l * 37 % 64 * 8).wrapping_sub(12)));
}

#[test]
fn m0_limits_what_is_taken_before_gcn_1_4() {
    let old = |op, m0, address, is_taken| Case { arch: Arch::Gcn12, m0, is_taken, ..case(op, 0, address) };
    for op in [54, 13, 0] {
        check(old(op, !0, |l| 4 * l, true));
        check(old(op, 256, |l| 4 * l, true));
        check(old(op, 255, |l| 4 * l, false));
        check(old(op, 512, |l| l * 37 % 64 * 8, true));
        check(old(op, 507, |l| l * 37 % 64 * 8, false));
        // Low bits of addresses are ignored, which the fast ways leave to others.
        check(old(op, !0, |l| 8 * l + 1, false));
    }
    check(old(255, !0, |l| 16 * l, true));
    check(old(255, !0, |l| 16 * l + 8, false));
}
