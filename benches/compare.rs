//! Vector compares by type, in a loop of sixteen of them: called from compiled code, and interpreted. Elements are compares
//! (of 64 lanes each), times CPU time without compiling and checking.

mod common;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use common::assemble::{Assembler, Random, constant};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use gcnsim::engine::{Engine, EngineKind, RunOptions};
use gcnsim::isa::table::{Sop2, Sopc, Sopp, Vopc};
use gcnsim::isa::{Program, WaveState};
use gcnsim::{Outcome, Wave};
use gcnsim_bench_support::clock::thread_time;

const COMPARES: u32 = 16;
const COUNTER: u32 = 40;

/// MODE with denormal inputs kept or flushed for all types.
const KEPT: u32 = 0x3f0;
const FLUSHED: u32 = 0x300;

const CASES: [(&str, Vopc, u32); 14] = [
    ("u32", Vopc::VCmpLtU32, KEPT),
    ("i32", Vopc::VCmpGtI32, KEPT),
    ("f32", Vopc::VCmpLtF32, KEPT),
    ("f32-flushed", Vopc::VCmpLtF32, FLUSHED),
    ("u64", Vopc::VCmpLtU64, KEPT),
    ("i64", Vopc::VCmpGtI64, KEPT),
    ("f64", Vopc::VCmpLtF64, KEPT),
    ("f64-flushed", Vopc::VCmpLtF64, FLUSHED),
    ("u16", Vopc::VCmpLtU16, KEPT),
    ("i16", Vopc::VCmpGtI16, KEPT),
    ("f16", Vopc::VCmpLtF16, KEPT),
    ("class-f32", Vopc::VCmpClassF32, KEPT),
    ("class-f64", Vopc::VCmpClassF64, KEPT),
    ("class-f16", Vopc::VCmpClassF16, KEPT),
];

/// `s40` times sixteen compares of v0 (or v[0:1]) with v2 (or v[2:3]).
fn program(op: Vopc) -> Program {
    let mut code = Assembler::default();
    for _ in 0..COMPARES {
        code.vopc(op, 256, 2);
    }
    code.sop2(Sop2::SSubU32, COUNTER, COUNTER, constant(1));
    code.sopc(Sopc::SCmpLgU32, COUNTER, constant(0));
    code.branch(Sopp::SCbranchScc1, 0);
    code.finish()
}

fn wave(program: &Program, mode: u32, iterations: u32) -> Wave {
    let mut wave = Wave::new(program);
    wave.state.mode = mode;
    wave.state.sgpr[COUNTER as usize] = iterations;
    let mut random = Random::new(1);
    let file = Arc::make_mut(&mut wave.vgprs);
    for n in 0..4 {
        for lane in file.lanes_mut(n) {
            *lane = random.next() as u32;
        }
    }
    wave
}

/// One run; time of execution and final state.
fn run(program: &Program, mode: u32, iterations: u32, engine: EngineKind) -> (Duration, WaveState) {
    let mut wave = wave(program, mode, iterations);
    let start = thread_time();
    let result = Engine::new(RunOptions { engine, ..RunOptions::default() }).run(program, &mut wave);
    let time = thread_time() - start;
    assert_eq!(result.outcome, Ok(Outcome::Ended));
    (time.saturating_sub(Duration::from_nanos(result.stats.compile_ns)), wave.state)
}

fn compare(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compare");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(300));
    for (name, op, mode) in CASES {
        let program = program(op);
        for (engine_name, engine, iterations) in
            [("jit", EngineKind::JitNoCheck, 500_000), ("interp", EngineKind::Interp, 10_000)]
        {
            let (_, expected) = run(&program, mode, iterations, EngineKind::Interp);
            group.throughput(Throughput::Elements((COMPARES * iterations) as u64));
            group.bench_function(BenchmarkId::new(engine_name, name), |b| {
                b.iter_custom(|n| {
                    (0..n)
                        .map(|_| {
                            let (time, state) = run(black_box(&program), mode, iterations, engine);
                            assert_eq!(state, expected);
                            time
                        })
                        .sum()
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
