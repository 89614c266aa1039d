//! Prints the table of ratios: every loop of the suite as C, compiled by the JIT and interpreted, in turns within one
//! run.
//!
//! `cargo bench --bench table -- [WORD...]` restricts it to loops whose names contain a word.

mod common;

use std::time::Duration;

use common::{Expected, Loop, Samples, geometric_mean, median};
use gcnsim_bench_support::native;
use gcnsim_engine::EngineKind;

/// Samples of each kind per loop.
const ROUNDS: usize = 7;

/// The medians of a loop's samples.
struct Measured {
    name: String,
    has_compares: bool,
    /// Speeds of C (if there is a compiler), compiled code and the interpreter, in instructions per nanosecond.
    c: Option<f64>,
    jit: f64,
    interp: f64,
    /// The ratios of the JIT to C and to the interpreter: medians of the ratios within a round.
    to_c: Option<f64>,
    to_interp: f64,
    compile: Duration,
    check: Duration,
}

fn measure(of: &Loop) -> Measured {
    let Samples { c: c_length, jit: jit_length, interp: interp_length } = of.samples;
    let [c_end, jit_end, interp_end] = [c_length, jit_length, interp_length].map(|n| of.expected(n));
    let speed = |end: &Expected, time: Duration| end.executed as f64 / time.as_nanos() as f64;
    let (mut c, mut jit, mut interp) = (Vec::new(), Vec::new(), Vec::new());
    let (mut to_c, mut to_interp) = (Vec::new(), Vec::new());
    let (mut compile, mut check) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let cost = of.run(EngineKind::Jit, jit_length, &jit_end);
        let jit_speed = speed(&jit_end, cost.run);
        jit.push(jit_speed);
        compile.push(cost.compile.as_secs_f64());
        check.push(cost.check.as_secs_f64());
        if let Some(native) = &of.native {
            let speed = speed(&c_end, of.run_c(native, c_length, &c_end));
            c.push(speed);
            to_c.push(jit_speed / speed);
        }
        let speed = speed(&interp_end, of.run(EngineKind::Interp, interp_length, &interp_end).run);
        interp.push(speed);
        to_interp.push(jit_speed / speed);
    }
    Measured {
        name: of.name.clone(),
        has_compares: of.has_compares(),
        c: of.native.as_ref().map(|_| median(&mut c)),
        jit: median(&mut jit),
        interp: median(&mut interp),
        to_c: of.native.as_ref().map(|_| median(&mut to_c)),
        to_interp: median(&mut to_interp),
        compile: Duration::from_secs_f64(median(&mut compile)),
        check: Duration::from_secs_f64(median(&mut check)),
    }
}

fn optional(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_string(), |v| format!("{v:.decimals$}"))
}

fn main() {
    println!("G instructions/s of CPU time, medians of {ROUNDS}; ratios are medians of ratios within a round");
    println!("C: {} {}", native::compiler_version().unwrap_or_default(), native::CC_OPTIONS.join(" "));
    println!();
    println!("| loop | C | --jit | --interp | jit / C | jit / interp | compile, ms | first-64 check, ms |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut all = Vec::new();
    for of in common::suite() {
        let m = measure(&of);
        println!(
            "| {} | {} | {:.2} | {:.2} | {} | {:.1} | {:.2} | {:.2} |",
            m.name,
            optional(m.c, 2),
            m.jit,
            m.interp,
            optional(m.to_c, 2),
            m.to_interp,
            m.compile.as_secs_f64() * 1e3,
            m.check.as_secs_f64() * 1e3,
        );
        all.push(m);
    }
    println!();
    for (what, with_compares) in [("scalar loops", false), ("loops with vector compares", true)] {
        let some = || all.iter().filter(|m| m.has_compares == with_compares);
        summary(what, some().filter_map(|m| m.to_c), some().map(|m| m.to_interp));
    }
    // The first 64 entries are checked, each for a slice of at most 4096 instructions, however long the loop goes on.
    // So the checks of a run of one second cost as much as those of a sample.
    if let Some(worst) = all.iter().max_by_key(|m| m.check) {
        let share = worst.check.as_secs_f64() * 100.0;
        println!(
            "first-64 checks: at most {:.2} ms ({}), {share:.2} % of a run of one second",
            share * 10.0,
            worst.name
        );
    }
    summary("all", all.iter().filter_map(|m| m.to_c), all.iter().map(|m| m.to_interp));
}

fn summary(what: &str, to_c: impl Iterator<Item = f64> + Clone, to_interp: impl Iterator<Item = f64>) {
    println!(
        "{what}: jit / C geometric mean {:.2}, worst {:.2}; jit / interp geometric mean {:.1}",
        geometric_mean(to_c.clone()),
        to_c.fold(f64::INFINITY, f64::min),
        geometric_mean(to_interp),
    );
}
