//! Tests of which formatted accesses the fast ways take, and that these do the same as the way lane by lane.

use std::sync::Arc;

use gcnsim_isa::{Arch, decode};
use gcnsim_machine::{Backing, Context, Guess, Mapping};

use super::super::{Scalars, untyped::Untyped};
use super::*;
use crate::host::{Portable, on_levels};

const BASE: u32 = 0x1_0000;
const BYTES: usize = 0x1000;
const ALL: u64 = !0;
const SOME: u64 = 0x8000_7ffe_0f0f_fff1;
const ARCHS: [Arch; 4] = [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gcn14];

/// MTBUF with the index in v0, the descriptor s[0:3] and data v[4:7].
fn typed(arch: Arch, op: u32, data: u32, number: u32) -> MemoryOp {
    let shift = if arch.is_gcn12_or_later() { 15 } else { 16 };
    let first = 0xe800_2000 | (data | number << 4) << 19 | op << shift;
    MemoryOp::new(&decode(arch, first, Some(128 << 24 | 4 << 8)).unwrap()).unwrap()
}

/// The value of VGPR `n` in a lane. There are integers, fractions, large and small floats, infinities and NaNs.
fn value(n: u32, lane: usize) -> u32 {
    const SPECIAL: [u32; 12] =
        [0, 1, 127, 128, 300, !0, !0 - 200, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0x3f80_0000, 0x8000_0000];
    let (seed, scale) = (n * 64 + lane as u32, [1.0, 0.004, 300.0, 70000.0, 1e-7][lane % 5]);
    if lane.is_multiple_of(3) { SPECIAL[seed as usize % 12] } else { ((seed as f32 / 128.0 - 1.0) * scale).to_bits() }
}

/// A function from the number of a lane to its index.
type Index = fn(u32) -> u32;

/// The result of an instruction: whether it was done, registers, memory and notes.
type End = (bool, Vec<Vgpr>, Vec<u8>, Notes);

/// Executes an op by one of the ways.
fn end(op: &MemoryOp, index: Index, records: u32, exec: u64, way: impl Fn(&BufferOp, &mut Machine<'_>) -> bool) -> End {
    let mut context = Context::ready(0);
    let backing = Arc::new(Backing::zeroed(BYTES).unwrap());
    (0..BYTES).for_each(|at| backing.write(at, &[(at * 7 + at / 256) as u8]));
    context.space.map(Mapping::new(BASE.into(), "data", backing.clone()));
    let mut vgprs: Vec<Vgpr> = (0..12).map(|n| Vgpr(std::array::from_fn(|lane| value(n, lane)))).collect();
    vgprs[0].0 = std::array::from_fn(|lane| index(lane as u32));
    // GCN 1.2 counts records in bytes.
    let records = if op.arch == Arch::Gcn12 { 16 * records } else { records };
    let mut scalars = Scalars { exec, base: [BASE, 16 << 16, records, 0x2_4fac], ..Scalars::default() };
    let guess = Guess::default();
    let mut machine = Machine::of_test(op.arch, &mut scalars, &mut vgprs, &mut context, &guess);
    let is_done = way(BufferOp::of(op).unwrap(), &mut machine);
    let notes = machine.notes;
    (is_done, vgprs, backing.to_vec(), notes)
}

fn fast<H: Host>(host: H, op: &BufferOp, m: &mut Machine<'_>) -> bool {
    let Row::Formatted(formatted) = op.row else { return false };
    let done = if formatted.is_store { op.store_fast(host, m, formatted) } else { op.load_fast(host, m, formatted) };
    done.is_some()
}

/// Checks that the fast way takes an op on each level, and does what the way lane by lane does.
fn check(op: &MemoryOp, index: Index, records: u32, what: &str) {
    for exec in [ALL, SOME] {
        let expected = end(op, index, records, exec, |op, m| op.execute(m).is_ok());
        assert!(expected.0, "{what}: executed");
        let found = on_levels!(|host| end(op, index, records, exec, |op, m| fast(host, op, m)));
        for found in found {
            assert!(found.0, "{what}: taken");
            assert!(found.1 == expected.1, "{what}: registers");
            assert!(found.2 == expected.2, "{what}: memory");
            assert_eq!(found.3, expected.3, "{what}: notes");
        }
    }
}

#[test]
fn all_formats_are_taken() {
    let places: [(Index, u32); 4] = [(|l| l, 255), (|l| l * 37 % 64, 255), (|_| 7, 255), (|l| l, 40)];
    for arch in ARCHS {
        for (data, number) in (1..15).flat_map(|data| (0..8).map(move |number| (data, number))) {
            // Loads and stores of one to four components.
            for op in 0..8 {
                for (index, records) in places {
                    let op_of = typed(arch, op, data, number);
                    check(
                        &op_of,
                        index,
                        records,
                        &format!("{arch}, op {op}, format {data}, {number}, {records} records"),
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_out_of_memory_or_misaligned_is_not_taken() {
    for op in [3, 7] {
        let op = typed(Arch::Gcn14, op, 14, 7);
        for index in [(|l| 200 + l) as Index, |l| if l == 40 { 0x1000_0000 } else { l }] {
            let end = end(&op, index, !0, ALL, |op, m| fast(Portable, op, m));
            assert!(!end.0 && end.3 == Notes::NONE);
        }
    }
    let Row::Formatted(formatted) = BufferOp::of(&typed(Arch::Gcn14, 0, 4, 4)).unwrap().row else { panic!("a load") };
    assert_eq!((formatted.is_store, formatted.components), (false, 1));
    let misaligned = decode(Arch::Gcn14, 0xe800_2000 | (4 | 4 << 4) << 19 | 2, Some(128 << 24 | 4 << 8)).unwrap();
    assert!(!end(&MemoryOp::new(&misaligned).unwrap(), |l| l, 255, ALL, |op, m| fast(Portable, op, m)).0);
}
