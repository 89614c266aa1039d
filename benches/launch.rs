//! Measures what the engine adds to a launch: taking a session that has run the code before, and running a group of one
//! wave of 21 scalar and vector instructions. Elements are launches.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcnsim::Wave;
use gcnsim_engine::{Code, EngineKind, Group, GroupEnd, Member, RunOptions, RunStats, Status};
use gcnsim_isa::{Arch, Program};
use gcnsim_machine::Context;

/// s_add_u32 s2, s0, s1, six times; v_add_f32 v1, v0, v0 and v_mul_f32 v2, v0, v1, seven times; s_endpgm.
fn program() -> Program {
    let words = [&[0x8002_0100; 6][..], &[0x0202_0100, 0x0a04_0300].repeat(7), &[0xbf81_0000]].concat();
    Program::from_words(Arch::Gcn14, &words)
}

fn launch(criterion: &mut Criterion) {
    let mut benches = criterion.benchmark_group("launch");
    benches.sample_size(50).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    benches.throughput(Throughput::Elements(1));
    for (name, engine) in [("interp", EngineKind::Interp), ("jit", EngineKind::Jit)] {
        let (code, options) = (Code::new(&program()), RunOptions { engine, ..RunOptions::default() });
        let (start, mut context) = (Wave::new(code.program()), Context::ready(0));
        let mut group = Group::new(vec![Member::new(start.clone())], 0);
        benches.bench_function(name, |b| {
            b.iter(|| {
                let (mut lease, mut stats) = (code.lease(&options), RunStats::default());
                group.begin(1_000);
                let Member { wave, status, .. } = &mut group.members[0];
                wave.state.clone_from(&start.state);
                (wave.executed, *status) = (0, Status::Ready);
                let end = lease.run_waves(&mut group, &mut context, None, None, &mut stats);
                assert_eq!(end, GroupEnd::Ended);
                assert_eq!(group.left, 1_000 - 21);
                stats
            });
        });
    }
    benches.finish();
}

criterion_group!(benches, launch);
criterion_main!(benches);
