//! The loop suite: as C, compiled by the JIT with and without cross-checks, and interpreted. Elements are instructions.
//!
//! Loops are scaled to about 60 ms a run in C (`GCNSIM_BENCH_FULL=1`: full length), a tenth of the iterations for the
//! interpreter. Times are execution only; what compiling and checking take is in the table of `--bench table`.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::Loop;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use gcnsim::engine::EngineKind;

fn loops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loops");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(600));
    for of in common::suite() {
        let expected = of.expected(of.iterations);
        let short = (of.iterations / 10).max(1);
        let expected_short = of.expected(short);
        group.throughput(Throughput::Elements(expected.executed.unwrap_or(0)));
        if let Some(native) = &of.native {
            group.bench_function(BenchmarkId::new("c", &of.name), |b| {
                b.iter_custom(|n| (0..n).map(|_| black_box(of.run_c(native, of.iterations, &expected))).sum());
            });
        }
        for (name, kind) in [("jit", EngineKind::Jit), ("jit-no-check", EngineKind::JitNoCheck)] {
            group.bench_function(BenchmarkId::new(name, &of.name), |b| {
                b.iter_custom(|n| (0..n).map(|_| engine(&of, kind, of.iterations, &expected)).sum());
            });
        }
        group.throughput(Throughput::Elements(expected_short.executed.unwrap_or(0)));
        group.bench_function(BenchmarkId::new("interp", &of.name), |b| {
            b.iter_custom(|n| (0..n).map(|_| engine(&of, EngineKind::Interp, short, &expected_short)).sum());
        });
    }
    group.finish();
}

fn engine(of: &Loop, kind: EngineKind, iterations: u32, expected: &common::Expected) -> Duration {
    black_box(of.run(kind, iterations, expected)).run
}

criterion_group!(benches, loops);
criterion_main!(benches);
