//! Measures decoding alone: every dword of the corpus programs at which an instruction begins. Elements are
//! instructions.

mod common;

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcnsim_isa::{Arch, Program};
use gcnsim_launches::sidecar::Sidecar;

/// Decodes from the first dword on. Returns the number of instructions, and a value that depends on each of them.
fn sweep(program: &Program) -> (u64, u64) {
    let (mut index, mut count, mut sum) = (0, 0, 0);
    while index < program.word_count() {
        let size = match program.decode_word(index) {
            Ok(inst) => {
                count += 1;
                sum += inst.opcode.desc().op[0] as u64;
                inst.size() as usize / 4
            }
            Err(_) => 1,
        };
        index += size;
    }
    (count, sum)
}

fn decode(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/programs");
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("corpus/programs").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "bin")
            && let (Ok(loaded), Ok(Some(sidecar))) = (gcnsim_loader::load(&path), Sidecar::beside(&path))
        {
            programs.push(loaded.entries[0].program(sidecar.arch.unwrap_or(Arch::Gcn14)));
        }
    }
    let expected: Vec<_> = programs.iter().map(sweep).collect();
    let mut group = criterion.benchmark_group("decode");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(expected.iter().map(|(count, _)| count).sum()));
    group.bench_function("corpus", |b| {
        b.iter(|| {
            for (program, expected) in programs.iter().zip(&expected) {
                assert_eq!(sweep(black_box(program)), *expected);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, decode);
criterion_main!(benches);
