//! Measures compiling: kernels like real ones with 8 to 14 live SGPRs, and 300 instructions with 48. Elements are GCN
//! instructions. The size of the machine code and the speed-up by a second thread are printed first.

mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::assemble::kernel;
use common::median;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcnsim_bench_support::clock::thread_time;
use gcnsim_isa::Program;
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey};

fn compiler() -> Compiler {
    Compiler::new(CompileOptions::default()).expect("a compiler for this host")
}

/// The region at the entry of a program about which nothing is known.
fn key(program: &Program) -> RegionKey<'static> {
    RegionKey { pc: program.entry(), mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] }
}

/// Compiles each program from its entry. Returns the numbers of instructions and of bytes of machine code.
fn compile_all(compiler: &mut Compiler, programs: &[Program]) -> (usize, usize) {
    programs.iter().fold((0, 0), |(insts, bytes), program| {
        let region = compiler.compile(program, &key(program)).expect("it compiles").expect("a region");
        let sums = (insts + region.inst_count(), bytes + region.code_size());
        black_box(region);
        sums
    })
}

/// The groups of programs, by name.
fn corpora() -> [(&'static str, Vec<Program>); 2] {
    [
        ("kernels", (0..24).map(|i| kernel(i, [40, 80, 160, 300][i as usize % 4], 8 + 2 * (i as u32 % 4))).collect()),
        ("300-with-48-live", (0..4).map(|i| kernel(100 + i, 300, 48)).collect()),
    ]
}

/// The speed-up by a second thread: twice the time of one thread alone, divided by the longer of two at once. It is
/// measured in CPU time (median), because other work on the machine takes turns with the threads, and in wall time
/// (least of all rounds).
fn scaling(programs: &[Program]) -> [f64; 2] {
    let work = || {
        let mut compiler = compiler();
        let (cpu, wall) = (thread_time(), Instant::now());
        compile_all(&mut compiler, programs);
        [thread_time() - cpu, wall.elapsed()].map(|time| time.as_secs_f64())
    };
    let mut ratios = Vec::new();
    let (mut least_one, mut least_both) = (f64::MAX, f64::MAX);
    for _ in 0..25 {
        let one = work();
        let both = std::thread::scope(|scope| {
            let threads = [scope.spawn(work), scope.spawn(work)];
            threads.map(|thread| thread.join().expect("it compiles"))
        });
        ratios.push(2.0 * one[0] / both[0][0].max(both[1][0]));
        least_one = least_one.min(one[1]);
        least_both = least_both.min(both[0][1].max(both[1][1]));
    }
    [median(&mut ratios), 2.0 * least_one / least_both]
}

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(3));
    for (name, programs) in corpora() {
        let mut compiler = compiler();
        let (insts, bytes) = compile_all(&mut compiler, &programs);
        let [cpu, wall] = scaling(&programs);
        println!(
            "compile/{name}: {insts} instructions, {:.1} bytes of code each; two threads: {cpu:.2} times one by CPU \
             time, {wall:.2} by the wall clock",
            bytes as f64 / insts as f64,
        );
        group.throughput(Throughput::Elements(insts as u64));
        group.bench_function(name, |b| b.iter(|| compile_all(&mut compiler, &programs)));
    }
    group.finish();
}

criterion_group!(benches, compile);
criterion_main!(benches);
