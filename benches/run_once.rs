//! Measures programs that run once, from bytes to final state within a process. This is the cost of the JIT engine
//! where it does not compile. Elements are programs.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::assemble::kernel;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};

fn run_once(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("run_once");
    group.sample_size(50).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for insts in [40, 165, 300, 5000] {
        let program = kernel(7, insts, 12);
        group.throughput(Throughput::Elements(1));
        let mut expected = None;
        for (name, kind) in [("interp", EngineKind::Interp), ("jit", EngineKind::Jit)] {
            let options = RunOptions::default().engine(kind);
            group.bench_function(BenchmarkId::new(name, insts), |b| {
                b.iter(|| {
                    let mut wave = Wave::new(black_box(&program));
                    let result = Engine::new(options.clone()).run(&program, &mut wave);
                    assert_eq!(result.outcome, Ok(Outcome::Ended));
                    let executed = *expected.get_or_insert(wave.executed);
                    assert_eq!(wave.executed, executed);
                    wave
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, run_once);
criterion_main!(benches);
