//! Measures whole processes that run one program once: `gcnsim --jit FILE`, `gcnsim --interp FILE` and an empty
//! process, in turns. The results are medians of wall time and of the CPU time that the system charged.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use common::assemble::{Assembler, kernel};
use common::median;
use gcnsim_bench_support::clock::children_time;
use gcnsim_isa::{Program, Sop2};

const ROUNDS: usize = 150;

/// Runs a command. Returns milliseconds of wall time and of CPU time.
fn time(command: &mut Command) -> [f64; 2] {
    let (cpu, wall) = (children_time(), Instant::now());
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let times = [wall.elapsed(), children_time() - cpu].map(|time| time.as_secs_f64() * 1e3);
    assert!(status.expect("it starts").success());
    times
}

/// The medians of each column.
fn medians(rows: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|i| median(&mut rows.iter().map(|row| row[i]).collect::<Vec<_>>()))
}

/// Writes a program to a file in `folder`, and returns its path.
fn write(program: &Program, folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let words = (0..program.word_count()).filter_map(|i| program.word(i));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    std::fs::write(&path, bytes).expect("a file in the scratch directory");
    path
}

fn main() {
    let folder = tempfile::tempdir().expect("a scratch directory");
    let ten = {
        let mut code = Assembler::default();
        (0..9).for_each(|i| code.sop2(Sop2::SAddU32, i, i + 1, i + 2));
        code.finish()
    };
    println!("wall / CPU ms, medians of {ROUNDS}; ratios are medians of ratios within a turn");
    println!("| instructions | empty process | --interp | --jit | jit - empty | jit / interp |");
    println!("|--:|--:|--:|--:|--:|--:|");
    for (insts, program) in [(10, ten), (300, kernel(7, 300, 12)), (5_000, kernel(7, 5_000, 12))] {
        let file = write(&program, folder.path(), &format!("{insts}.bin"));
        let engine = |flag: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
            command.arg(flag).args(["--arch", "gcn1.4"]).arg(&file);
            command
        };
        let (mut empty, mut interp, mut jit) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            empty.push(time(&mut Command::new("true")));
            interp.push(time(&mut engine("--interp")));
            jit.push(time(&mut engine("--jit")));
        }
        let pairs = |a: &[[f64; 2]], b: &[[f64; 2]], f: fn(f64, f64) -> f64| {
            medians(&a.iter().zip(b).map(|(a, b)| [f(a[0], b[0]), f(a[1], b[1])]).collect::<Vec<_>>())
        };
        let ratio = pairs(&jit, &interp, |a, b| a / b);
        let above = pairs(&jit, &empty, |a, b| a - b);
        let [empty, interp, jit] = [&empty, &interp, &jit].map(|rows| medians(rows));
        let two = |[wall, cpu]: [f64; 2]| format!("{wall:.2} / {cpu:.2}");
        println!("| {insts} | {} | {} | {} | {} | {} |", two(empty), two(interp), two(jit), two(above), two(ratio));
    }
}
