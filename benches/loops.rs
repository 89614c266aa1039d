//! Measures the loop suite: as C, compiled by the JIT with and without cross-checks, and interpreted. Elements are
//! instructions.
//!
//! Loops are scaled to about 60 ms a run (`GCNSIM_BENCH_FULL=1`: full length). Times are CPU time of execution only.
//! `--bench table` shows the times of compiling and checking.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::Samples;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use gcnsim_engine::EngineKind;

fn loops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loops");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(600));
    for of in common::suite() {
        let Samples { c, jit, interp } = of.samples;
        if let Some(native) = &of.native {
            let expected = of.expected(c);
            group.throughput(Throughput::Elements(expected.executed));
            group.bench_function(BenchmarkId::new("c", &of.name), |b| {
                b.iter_custom(|n| (0..n).map(|_| black_box(of.run_c(native, c, &expected))).sum());
            });
        }
        for (name, kind, iterations) in [
            ("jit", EngineKind::Jit, jit),
            ("jit-no-check", EngineKind::JitNoCheck, jit),
            ("interp", EngineKind::Interp, interp),
        ] {
            let expected = of.expected(iterations);
            group.throughput(Throughput::Elements(expected.executed));
            group.bench_function(BenchmarkId::new(name, &of.name), |b| {
                b.iter_custom(|n| (0..n).map(|_| black_box(of.run(kind, iterations, &expected)).run).sum());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, loops);
criterion_main!(benches);
