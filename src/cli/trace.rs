//! `--trace`: executes one instruction at a time on the reference interpreter.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gcnsim_isa::{Arch, FetchError, Inst, LANES, Program, WaveState, scalar_register_name};
use gcnsim_machine::Context;

use crate::codemap::direct_target;
use crate::engine::RunStats;
use crate::interp::Interp;
use crate::outcome::Outcome;
use crate::{VgprFile, Wave};

/// Executes up to `limit` instructions and shows each with its changes. Returns [`Outcome::Budget`] if the wave can
/// continue: the limit is reached, or `stop` is set.
pub(super) fn trace(
    program: &Program,
    wave: &mut Wave,
    context: &mut Context,
    limit: u64,
    count_classes: bool,
    stop: &AtomicBool,
    out: &mut dyn Write,
) -> io::Result<(Outcome, RunStats)> {
    let mut interp = Interp::new(program);
    interp.count_classes(count_classes);
    let mut run_ns = 0;
    let mut outcome = Outcome::Budget;
    for _ in 0..limit {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let step = Step::before(program, wave);
        let start = Instant::now();
        outcome = interp.run_alone(wave, context, 1);
        run_ns += start.elapsed().as_nanos() as u64;
        writeln!(out, "{}", step.line(&outcome, wave, 0, &[]))?;
        if outcome != Outcome::Budget {
            break;
        }
    }
    Ok((outcome, RunStats { run_ns, ..RunStats::default() }))
}

/// The state before an instruction, as far as the line of the instruction needs it.
pub(super) struct Step {
    arch: Arch,
    state: WaveState,
    inst: Result<Inst, FetchError>,
    /// The vector registers. `None` if the instruction cannot write any: copying and comparing them is slow.
    vgprs: Option<VgprFile>,
}

impl Step {
    /// Takes the state before the next instruction of `wave`.
    pub fn before(program: &Program, wave: &Wave) -> Step {
        let inst = program.fetch(wave.state.pc & !3);
        let vgprs = inst.as_ref().is_ok_and(writes_vgprs).then(|| wave.vgprs.clone());
        Step { arch: program.arch(), state: wave.state.clone(), inst, vgprs }
    }

    /// Returns the line: address, instruction, changes. Shown addresses are reduced by `moved`. `more` has the changes
    /// outside the wave.
    pub fn line(&self, outcome: &Outcome, wave: &Wave, moved: u64, more: &[String]) -> String {
        let pc = self.state.pc.wrapping_sub(moved);
        let instruction = match &self.inst {
            Ok(inst) => with_target(inst, pc & !3),
            Err(error) => format!("<{error}>"),
        };
        let effects = match outcome {
            Outcome::Budget | Outcome::Barrier => {
                let mut effects = changes(self.arch, &self.state, &wave.state);
                effects.extend(self.vgprs.iter().flat_map(|vgprs| vector_changes(vgprs, &wave.vgprs)));
                effects.extend_from_slice(more);
                let next = wave.state.pc.wrapping_sub(moved);
                effects.extend(self.inst.as_ref().ok().and_then(|inst| jump(inst, pc & !3, next)));
                effects.extend((*outcome == Outcome::Barrier).then(|| "waits".to_owned()));
                effects.join(" ")
            }
            Outcome::Ended | Outcome::Halted => outcome.name().to_owned(),
            stopped => format!("not executed: {}", stopped.name()),
        };
        format!("{pc:012x}  {instruction:<44}  {effects}").trim_end().to_owned()
    }
}

/// Returns the text of an instruction. Direct branches have their target, written like the addresses at the beginning
/// of lines.
fn with_target(inst: &Inst, pc: u64) -> String {
    match direct_target(inst, pc) {
        Some(target) => format!("{inst} -> {target:012x}"),
        None => inst.to_string(),
    }
}

/// Returns the text of the target `next`, if the instruction at `pc` is a computed jump that was taken.
fn jump(inst: &Inst, pc: u64, next: u64) -> Option<String> {
    let computed = direct_target(inst, pc).is_none() && next != pc.wrapping_add(inst.size().into());
    computed.then(|| format!("-> {next:012x}"))
}

/// Whether the instruction may write vector registers.
fn writes_vgprs(inst: &Inst) -> bool {
    !inst.desc().encoding.is_core()
}

/// Most groups of equal lanes that are shown of a vector register.
const MOST_RUNS: usize = 3;

/// Returns the vector registers that changed, with their new values. If all lanes changed to one value, it is `v3=0x1`.
/// Otherwise groups of changed lanes are shown, `v3[0..15]=0x1,[16]=0x2`, and the number of further changed lanes.
fn vector_changes(before: &VgprFile, after: &VgprFile) -> Vec<String> {
    let registers = before.regs().iter().zip(after.regs()).enumerate();
    let changed = registers.filter(|(_, (was, is))| was != is);
    changed.map(|(n, (was, is))| format!("v{n}{}", lanes(&was.0, &is.0))).collect()
}

fn lanes(was: &[u32; LANES], is: &[u32; LANES]) -> String {
    // `runs` are groups of lanes that changed to the same value: first lane, number of lanes, value.
    let mut runs: Vec<(usize, usize, u32)> = Vec::new();
    for lane in (0..LANES).filter(|&lane| was[lane] != is[lane]) {
        match runs.last_mut() {
            Some((first, len, value)) if *first + *len == lane && *value == is[lane] => *len += 1,
            _ => runs.push((lane, 1, is[lane])),
        }
    }
    if let [(0, LANES, value)] = runs[..] {
        return format!("={value:#x}");
    }
    let show = |&(first, len, value): &(usize, usize, u32)| match len {
        1 => format!("[{first}]={value:#x}"),
        _ => format!("[{first}..{}]={value:#x}", first + len - 1),
    };
    let mut text = runs.iter().take(MOST_RUNS).map(show).collect::<Vec<_>>().join(",");
    let more: usize = runs.iter().skip(MOST_RUNS).map(|(_, len, _)| len).sum();
    if more > 0 {
        text += &format!(",+{more} lanes");
    }
    text
}

/// Returns the registers that changed, with their new values, in order of code.
fn changes(arch: Arch, before: &WaveState, after: &WaveState) -> Vec<String> {
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
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_shown_in_runs() {
        let zero = [0; LANES];
        let filled = |f: &dyn Fn(usize) -> u32| std::array::from_fn::<u32, LANES, _>(f);
        assert_eq!(lanes(&zero, &[5; LANES]), "=0x5");
        assert_eq!(lanes(&zero, &filled(&|lane| (lane < 16) as u32)), "[0..15]=0x1");
        assert_eq!(lanes(&zero, &filled(&|lane| if lane == 63 { 9 } else { 0 })), "[63]=0x9");
        assert_eq!(lanes(&zero, &filled(&|lane| lane as u32)), "[1]=0x1,[2]=0x2,[3]=0x3,+60 lanes");
    }
}
