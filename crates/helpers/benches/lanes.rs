//! Measures the time per call of a vector helper through its function pointer, as compiled code calls it.
//!
//! `cargo bench -p gcnsim-helpers --bench lanes` measures all; a filter such as `-- 'lt_f32'` picks some. Operands are in
//! the L1 cache, and differ from call to call only as in a loop over the same registers. Names are
//! `op_type_shape/level`. With `flush` MODE flushes denormals and there are none; with `flush_denormals` there are
//! some.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use gcnsim_helpers::{Helper, HelperOp, Level};
use gcnsim_isa::{LANES, OperandType, Vgpr};

const KEEP: u32 = 0xf0;
const FLUSH: u32 = 0;

/// Arbitrary values around 1 for floats of each width. For wide types, half of the lanes have equal high halves.
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

fn bench(c: &mut Criterion, name: &str, helper: impl Fn(Level) -> Helper, a: &[Vgpr; 2], b: &[Vgpr; 2], mode: u32) {
    let mut group = c.benchmark_group(name);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400)).sample_size(30);
    for level in Level::available() {
        let (a_lanes, b_lanes) = (a.as_ptr().cast::<u32>(), b.as_ptr().cast::<u32>());
        let scalar = u64::from(a[1].0[0]) << 32 | u64::from(a[0].0[0]);
        let mut notes = 0;
        let helper = black_box(helper(level));
        group.bench_function(level.name(), |bencher| match helper {
            Helper::IntVV(f) => {
                // SAFETY: both operands are 128 aligned dwords.
                bencher.iter(|| unsafe { f(black_box(a_lanes), black_box(b_lanes)) })
            }
            Helper::IntSV(f) => {
                // SAFETY: the operand is 128 aligned dwords.
                bencher.iter(|| unsafe { f(black_box(scalar), black_box(b_lanes)) })
            }
            Helper::FloatVV(f) => {
                // SAFETY: both operands are 128 aligned dwords, notes is a local.
                bencher.iter(|| unsafe { f(black_box(a_lanes), black_box(b_lanes), mode, !0, &mut notes) })
            }
            Helper::FloatSV(f) => {
                // SAFETY: the operand is 128 aligned dwords, notes is a local.
                bencher.iter(|| unsafe { f(black_box(scalar), black_box(b_lanes), mode, !0, &mut notes) })
            }
        });
    }
    group.finish();
}

fn compares(c: &mut Criterion) {
    use OperandType as T;
    for ty in [T::u32, T::i32, T::f32, T::u16, T::i16, T::f16, T::i64, T::u64, T::f64] {
        let (a, b) = (operand(ty, 1), operand(ty, 2));
        for (op, name) in [(HelperOp::Lt, "lt"), (HelperOp::Eq, "eq"), (HelperOp::Ge, "ge")] {
            let helper = |level| gcnsim_helpers::helper(level, ty, op, false);
            bench(c, &format!("{name}_{ty:?}_vv"), helper, &a, &b, KEEP);
        }
        let helper = |level| gcnsim_helpers::helper(level, ty, HelperOp::Lt, true);
        bench(c, &format!("lt_{ty:?}_sv"), helper, &a, &b, KEEP);
    }
}

fn floats(c: &mut Criterion) {
    use OperandType as T;
    for ty in [T::f32, T::f16, T::f64] {
        let (mut a, b) = (operand(ty, 1), operand(ty, 2));
        bench(c, &format!("u_{ty:?}_vv"), |level| gcnsim_helpers::helper(level, ty, HelperOp::U, false), &a, &b, KEEP);
        let lt = |level| gcnsim_helpers::helper(level, ty, HelperOp::Lt, false);
        bench(c, &format!("lt_{ty:?}_vv_flush"), lt, &a, &b, FLUSH);
        bench(
            c,
            &format!("class_{ty:?}_vv"),
            |level| gcnsim_helpers::helper(level, ty, HelperOp::Class, false),
            &a,
            &b,
            KEEP,
        );
        for lane in 0..LANES / 4 {
            (a[0].0[4 * lane], a[1].0[4 * lane]) = (7, 0);
        }
        bench(c, &format!("lt_{ty:?}_vv_flush_denormals"), lt, &a, &b, FLUSH);
    }
}

fn class_with_scalar_mask(c: &mut Criterion) {
    for ty in [OperandType::f32, OperandType::f16, OperandType::f64] {
        let a = operand(ty, 1);
        let mut group = c.benchmark_group(format!("class_{ty:?}_vs"));
        group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400)).sample_size(30);
        for level in Level::available() {
            let helper = black_box(gcnsim_helpers::class_vs(level, ty));
            group.bench_function(level.name(), |bencher| {
                // SAFETY: the operand is 128 aligned dwords.
                bencher.iter(|| unsafe { helper(black_box(a.as_ptr().cast()), black_box(0x108)) })
            });
        }
    }
}

fn prepare(c: &mut Criterion) {
    let src = operand(OperandType::f64, 1);
    let mut dst = src;
    for ty in [OperandType::f32, OperandType::f64] {
        let flags = gcnsim_helpers::prepare_flags(ty, true, true);
        c.bench_function(&format!("prepare_vector_{ty:?}"), |bencher| {
            // SAFETY: both operands are 128 aligned dwords.
            bencher.iter(|| unsafe {
                gcnsim_helpers::prepare_vector(
                    black_box(src.as_ptr().cast()),
                    black_box(dst.as_mut_ptr().cast()),
                    flags,
                )
            })
        });
        c.bench_function(&format!("prepare_scalar_{ty:?}"), |bencher| {
            // SAFETY: the operand is 128 aligned dwords.
            bencher.iter(|| unsafe {
                gcnsim_helpers::prepare_scalar(black_box(1), black_box(dst.as_mut_ptr().cast()), flags)
            })
        });
    }
}

criterion_group!(benches, compares, floats, class_with_scalar_mask, prepare);
criterion_main!(benches);
