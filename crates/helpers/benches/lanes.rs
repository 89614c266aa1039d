//! Measures the time per call of the helper of a compare through its function pointer, as compiled code calls it.
//!
//! `cargo bench -p gcnsim-helpers --bench lanes` measures all; a filter such as `-- 'lt_f32'` picks some. Operands are
//! in the L1 cache, and differ from call to call only as in a loop over the same registers. Names are
//! `op_type_shape/level`. With `flush` MODE flushes denormals and there are none; with `flush_denormals` there are
//! some; with `abs` the first source has the modifier.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use gcnsim_helpers::Level;
use gcnsim_helpers::valu::{self, Control};
use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Arch, Inst, LANES, OperandType, Pred, Vgpr, decode};

const KEEP: u32 = 0xf0;
const FLUSH: u32 = 0;

/// Returns arbitrary values, around 1 for floats. For 64-bit integers, the high halves are 0 or 1.
fn operand(ty: OperandType, seed: u32) -> [Vgpr; 2] {
    let random = |lane: usize| (lane as u32).wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(40_503)) >> 7;
    let lanes = |value: &dyn Fn(usize) -> u32| Vgpr(std::array::from_fn::<_, LANES, _>(value));
    match ty {
        OperandType::f16 => [lanes(&|lane| 0x3800 + random(lane) % 0x800), lanes(&random)],
        OperandType::f32 => [lanes(&|lane| 0x3f00_0000 + random(lane) % 0x0100_0000), lanes(&random)],
        OperandType::f64 => [lanes(&random), lanes(&|lane| 0x3fe0_0000 + random(lane) % 0x0010_0000)],
        OperandType::i64 | OperandType::u64 => [lanes(&random), lanes(&|lane| random(lane) % 2)],
        _ => [lanes(&random), lanes(&random)],
    }
}

/// Returns the compare of a type in VOP3 form. `shape` has a letter for each source: `v` is a VGPR, `s` an SGPR.
fn compare(ty: OperandType, pred: Pred, shape: &str, abs: bool) -> Inst {
    let is_it = |op: &&Vopc| {
        let (cmp, desc) = (op.cmp(), gcnsim_isa::Opcode::Vopc(**op).desc());
        (cmp.ty, cmp.pred, cmp.writes_exec) == (ty, pred, false) && desc.opcode_on(Arch::Gcn14).is_some()
    };
    let op = Vopc::ALL.iter().find(is_it).unwrap();
    let number = gcnsim_isa::Opcode::Vopc(*op).desc().opcode_on(Arch::Gcn14).unwrap() as u32;
    let [s0, s1] = [0, 1].map(|i| if shape.as_bytes()[i] == b'v' { 256 } else { 0 });
    decode(Arch::Gcn14, 0xd000_0000 | number << 16 | (abs as u32) << 8 | 106, Some(s0 | s1 << 9)).unwrap()
}

/// Returns the first lane as a scalar. Its address is even, so that the tag of scalars can be added.
fn scalar(lanes: &[Vgpr; 2]) -> Box<[u64; 2]> {
    Box::new([u64::from(lanes[1].0[0]) << 32 | u64::from(lanes[0].0[0]), 0])
}

fn bench(c: &mut Criterion, name: &str, inst: &Inst, a: &[Vgpr; 2], b: &[Vgpr; 2], mode: u32) {
    let mut group = c.benchmark_group(name);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400)).sample_size(30);
    let scalars = [scalar(a), scalar(b)];
    let source = |i: usize, lanes: &[Vgpr; 2]| match inst.src(i) {
        gcnsim_isa::Src::Vgpr(_) => lanes.as_ptr().cast::<u32>(),
        _ => scalars[i].as_ptr().cast::<u32>().wrapping_byte_add(1),
    };
    for level in Level::available() {
        let chosen = valu::helper(level, inst).unwrap();
        let (helper, mut d) = (black_box(chosen.helper), Vgpr([0; LANES]));
        let flags = chosen.flags.map_or(0, |flags| flags.0);
        let mut control = Control { flags, mode, ..Control::default() };
        let (s0, s1, s2, d) = (source(0, a), source(1, b), a.as_ptr().cast::<u32>(), d.0.as_mut_ptr());
        group.bench_function(level.name(), |bencher| {
            // SAFETY: operands are 128 aligned dwords or aligned scalars; the rest are locals.
            bencher.iter(|| unsafe { helper(d, black_box(s0), black_box(s1), s2, !0, &mut control) })
        });
    }
    group.finish();
}

fn compares(c: &mut Criterion) {
    use OperandType as T;
    for ty in [T::u32, T::i32, T::f32, T::u16, T::i16, T::f16, T::i64, T::u64, T::f64] {
        let (a, b) = (operand(ty, 1), operand(ty, 2));
        for (pred, name) in [(Pred::Lt, "lt"), (Pred::Eq, "eq"), (Pred::Ge, "ge")] {
            bench(c, &format!("{name}_{ty:?}_vv"), &compare(ty, pred, "vv", false), &a, &b, KEEP);
        }
        bench(c, &format!("lt_{ty:?}_sv"), &compare(ty, Pred::Lt, "sv", false), &a, &b, KEEP);
    }
}

fn floats(c: &mut Criterion) {
    use OperandType as T;
    for ty in [T::f32, T::f16, T::f64] {
        let (mut a, b) = (operand(ty, 1), operand(ty, 2));
        let lt = compare(ty, Pred::Lt, "vv", false);
        bench(c, &format!("u_{ty:?}_vv"), &compare(ty, Pred::U, "vv", false), &a, &b, KEEP);
        bench(c, &format!("lt_{ty:?}_vv_flush"), &lt, &a, &b, FLUSH);
        bench(c, &format!("lt_{ty:?}_vv_abs"), &compare(ty, Pred::Lt, "vv", true), &a, &b, KEEP);
        bench(c, &format!("class_{ty:?}_vv"), &compare(ty, Pred::Class, "vv", false), &a, &b, KEEP);
        bench(c, &format!("class_{ty:?}_vs"), &compare(ty, Pred::Class, "vs", false), &a, &b, KEEP);
        for lane in 0..LANES / 4 {
            (a[0].0[4 * lane], a[1].0[4 * lane]) = (7, 0);
        }
        bench(c, &format!("lt_{ty:?}_vv_flush_denormals"), &lt, &a, &b, FLUSH);
    }
}

criterion_group!(benches, compares, floats);
criterion_main!(benches);
