//! `--trace`: shows the instructions that waves execute, with their changes.

use std::io::{self, Write};

use gcnsim_isa::{Arch, FetchError, Inst, LANES, Program, WaveState, scalar_register_name};
use gcnsim_machine::{Context, Place, Space};

use crate::{VgprFile, Wave};
use gcnsim_batch::quote;
use gcnsim_engine::observe::{At, Needs, Observer, Step as Done};
use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::codemap::direct_target;
use gcnsim_machine::outcome::Outcome;

/// Most writes that a line of a trace shows.
const MOST_WRITES: usize = 3;

/// Shows the first instructions of a run.
pub(super) struct Tracer<'o> {
    out: &'o mut dyn Write,
    /// Number of instructions that it may still show.
    left: u64,
    of: Of,
    /// What the lines so far are about: the wave, and the source line.
    wave: Option<([u32; 3], u32)>,
    line: Option<String>,
    /// The state before the instruction that runs.
    step: Option<Step>,
    /// The error at writing a line, if there was one. Nothing is shown after it.
    pub error: Option<io::Error>,
}

/// What is traced.
pub(super) enum Of {
    /// A wave that is alone, so that barriers do not hold it up.
    Program,
    /// The waves of a shader in a world.
    Waves,
    /// A wave of a launch. It shows the source lines of the code, and what the wave writes.
    Launch(SourceLines),
}

impl<'o> Tracer<'o> {
    /// Shows up to `limit` instructions on `out`.
    pub fn new(out: &'o mut dyn Write, limit: u64, of: Of) -> Tracer<'o> {
        Tracer { out, left: limit, of, wave: None, line: None, step: None, error: None }
    }

    /// Whether it shows further instructions.
    pub fn goes_on(&self) -> bool {
        self.left > 0 && self.error.is_none()
    }

    fn write(&mut self, line: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.out, "{line}").err();
        }
    }

    /// Writes what the next line is about, if that is new.
    fn write_place(&mut self, at: &At<'_>, pc: u64) {
        match &self.of {
            Of::Program => {}
            Of::Waves => {
                if self.wave.replace((at.group, at.index)) != Some((at.group, at.index)) {
                    let [x, y, z] = at.group;
                    self.write(&format!("group {x},{y},{z} wave {}", at.index));
                }
            }
            Of::Launch(lines) => {
                let source = lines.at(at.scene.address_of_file(pc));
                if let Some(source) = source.filter(|source| self.line.as_ref() != Some(source)) {
                    self.write(&source);
                    self.line = Some(source);
                }
            }
        }
    }
}

impl Observer for Tracer<'_> {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        match (self.goes_on(), &self.of) {
            (true, Of::Launch(_)) => Needs::WRITES,
            (true, Of::Program | Of::Waves) => Needs::STEPS,
            (false, Of::Waves) => Needs { most: u64::MAX, writes: false },
            (false, Of::Program | Of::Launch(_)) => Needs::NOTHING,
        }
    }

    fn before(&mut self, at: &At<'_>, wave: &mut Wave, _context: &mut Context) {
        self.step = self.goes_on().then(|| Step::before(&at.scene.program, wave));
    }

    fn after(&mut self, at: &At<'_>, done: &Done<'_>, wave: &Wave, context: &Context) {
        let Some(step) = self.step.take() else { return };
        self.left -= 1;
        self.write_place(at, done.pc);
        let outcome = match (&self.of, done.outcome) {
            (Of::Program, Outcome::Barrier) => Outcome::Budget,
            (_, outcome) => outcome,
        };
        self.write(&step.line(&outcome, wave, at.scene.moved, &written(done.writes, &context.space)));
    }
}

/// Returns the text of each write outside the wave: `y+0x10=0x2a`, `lds+0x0=0x1`.
fn written(writes: &[gcnsim_machine::Write], space: &Space) -> Vec<String> {
    let show = |write: &gcnsim_machine::Write| {
        let value = u64::from_le_bytes(write.new);
        match write.place {
            Place::Memory => match space.mappings().iter().find(|m| m.place(write.address, 1).is_some()) {
                Some(mapping) => {
                    format!("{}+{:#x}={value:#x}", quote::text(&mapping.name), write.address - mapping.base)
                }
                None => format!("{:#x}={value:#x}", write.address),
            },
            Place::Lds => format!("lds+{:#x}={value:#x}", write.address),
            Place::Gds => format!("gds+{:#x}={value:#x}", write.address),
            Place::Image => format!("image {}+{:#x}={value:#x}", write.address >> 32, write.address as u32),
        }
    };
    let mut shown: Vec<String> = writes.iter().take(MOST_WRITES).map(show).collect();
    if writes.len() > MOST_WRITES {
        shown.push(format!("+{} writes", writes.len() - MOST_WRITES));
    }
    shown
}

/// The state before an instruction, as far as the line of the instruction needs it.
struct Step {
    arch: Arch,
    state: WaveState,
    inst: Result<Inst, FetchError>,
    /// The vector registers. `None` if the instruction cannot write any: copying and comparing them is slow.
    vgprs: Option<VgprFile>,
}

impl Step {
    /// Takes the state before the next instruction of `wave`.
    fn before(program: &Program, wave: &Wave) -> Step {
        let inst = program.fetch(wave.state.pc & !3);
        let vgprs = inst.as_ref().is_ok_and(writes_vgprs).then(|| wave.vgprs.clone());
        Step { arch: program.arch(), state: wave.state.clone(), inst, vgprs }
    }

    /// Returns the line: address, instruction, changes. Shown addresses are reduced by `moved`. `more` has the changes
    /// outside the wave.
    fn line(&self, outcome: &Outcome, wave: &Wave, moved: u64, more: &[String]) -> String {
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
