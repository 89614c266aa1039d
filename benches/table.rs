//! Prints the table of ratios: every loop of the suite as C (translated, and by hand), compiled by the JIT and
//! interpreted, in turns within one run.
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
    /// The ratios of the JIT to C, to C by hand and to the interpreter: medians of the ratios within a round.
    to_c: Option<f64>,
    to_hand: Option<f64>,
    to_interp: f64,
    compile: Duration,
    check: Duration,
}

fn measure(of: &Loop) -> Measured {
    let Samples { c: c_length, jit: jit_length, interp: interp_length } = of.samples;
    let [c_end, jit_end, interp_end] = [c_length, jit_length, interp_length].map(|n| of.expected(n));
    let speed = |end: &Expected, time: Duration| end.executed as f64 / time.as_nanos() as f64;
    let (mut c, mut jit, mut interp) = (Vec::new(), Vec::new(), Vec::new());
    let (mut to_c, mut to_hand, mut to_interp) = (Vec::new(), Vec::new(), Vec::new());
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
        if let Some(by_hand) = &of.by_hand {
            to_hand.push(jit_speed / speed(&c_end, of.run_by_hand(by_hand, c_length, &c_end)));
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
        to_hand: of.by_hand.as_ref().map(|_| median(&mut to_hand)),
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
    println!("| loop | C | --jit | --interp | jit / C | jit / C by hand | jit / interp | compile, ms | check, ms |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut all = Vec::new();
    for of in common::suite() {
        let m = measure(&of);
        println!(
            "| {} | {} | {:.2} | {:.2} | {} | {} | {:.1} | {:.2} | {:.2} |",
            m.name,
            optional(m.c, 2),
            m.jit,
            m.interp,
            optional(m.to_c, 2),
            optional(m.to_hand, 2),
            m.to_interp,
            m.compile.as_secs_f64() * 1e3,
            m.check.as_secs_f64() * 1e3,
        );
        all.push(m);
    }
    println!();
    for (what, with_compares) in [("scalar loops", false), ("loops with vector compares", true)] {
        let some = || all.iter().filter(|m| m.has_compares == with_compares);
        summary(what, some());
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
    summary("all", all.iter());
}

fn summary<'a>(what: &str, of: impl Iterator<Item = &'a Measured> + Clone) {
    let to = |what: &str, ratios: Vec<f64>| {
        let worst = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        format!("jit / {what} geometric mean {:.2}, worst {worst:.2}", geometric_mean(ratios))
    };
    println!(
        "{what}: {}; {}; jit / interp geometric mean {:.1}",
        to("C", of.clone().filter_map(|m| m.to_c).collect()),
        to("C by hand", of.clone().filter_map(|m| m.to_hand).collect()),
        geometric_mean(of.map(|m| m.to_interp)),
    );
}
