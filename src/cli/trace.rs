//! `--trace`: the reference interpreter, one instruction at a time.

use std::io::{self, Write};
use std::time::Instant;

use gcnsim_isa::{Arch, Program, WaveState, scalar_register_name};
use gcnsim_machine::Context;

use crate::Wave;
use crate::engine::RunStats;
use crate::interp::Interp;
use crate::outcome::Outcome;

/// Executes up to `limit` instructions and shows each with what it changed. [`Outcome::Budget`] means that the wave
/// could go on.
pub(super) fn trace(
    program: &Program,
    wave: &mut Wave,
    context: &mut Context,
    limit: u64,
    count_classes: bool,
    out: &mut dyn Write,
) -> io::Result<(Outcome, RunStats)> {
    let mut interp = Interp::new(program);
    interp.count_classes(count_classes);
    let mut run_ns = 0;
    let mut outcome = Outcome::Budget;
    for _ in 0..limit {
        let before = wave.state.clone();
        let start = Instant::now();
        outcome = interp.run_alone(wave, context, 1);
        run_ns += start.elapsed().as_nanos() as u64;
        let instruction = match program.fetch(before.pc & !3) {
            Ok(inst) => inst.to_string(),
            Err(error) => format!("<{error}>"),
        };
        let effects = match &outcome {
            Outcome::Budget => changes(program.arch(), &before, &wave.state),
            Outcome::Ended | Outcome::Halted => outcome.name().to_owned(),
            stopped => format!("not executed: {}", stopped.name()),
        };
        writeln!(out, "{}", format!("{:012x}  {instruction:<44}  {effects}", before.pc).trim_end())?;
        if outcome != Outcome::Budget {
            break;
        }
    }
    Ok((outcome, RunStats { run_ns, ..RunStats::default() }))
}

/// The registers that changed, with their new values, in order of code.
fn changes(arch: Arch, before: &WaveState, after: &WaveState) -> String {
    let mut changed = Vec::new();
    for (code, (was, is)) in before.sgpr.iter().zip(&after.sgpr).enumerate() {
        if was != is {
            changed.push(format!("{}={is:#x}", scalar_register_name(arch, code as u8)));
        }
    }
    for (name, was, is) in
        [("scc", before.scc, after.scc), ("mode", before.mode, after.mode), ("trapsts", before.trapsts, after.trapsts)]
    {
        if was != is {
            changed.push(format!("{name}={is:#x}"));
        }
    }
    changed.join(" ")
}
