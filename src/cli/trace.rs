//! `--trace`: shows the instructions that waves execute, with their changes.

use std::io::{self, Write};

use gcnsim_isa::Inst;
use gcnsim_machine::{Context, Space};

use crate::Wave;
use gcnsim_engine::observe::{At, Needs, Observer, Step as Done};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::steps::{Before, Change, written};
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
    step: Option<Before>,
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
        self.step = self.goes_on().then(|| Before::of(&at.scene.program, wave));
    }

    fn after(&mut self, at: &At<'_>, done: &Done<'_>, wave: &Wave, context: &Context) {
        let Some(step) = self.step.take() else { return };
        self.left -= 1;
        self.write_place(at, done.pc);
        let outcome = match (&self.of, done.outcome) {
            (Of::Program, Outcome::Barrier) => Outcome::Budget,
            (_, outcome) => outcome,
        };
        self.write(&line(&step, &outcome, wave, at.scene.moved, &shown_writes(done.writes, &context.space)));
    }
}

/// Returns the text of each write outside the wave: `y+0x10=0x2a`, `lds+0x0=0x1`.
fn shown_writes(writes: &[gcnsim_machine::Write], space: &Space) -> Vec<String> {
    let changes = written(&writes[..writes.len().min(MOST_WRITES)], space);
    let mut shown: Vec<String> = changes.iter().map(Change::to_string).collect();
    if writes.len() > MOST_WRITES {
        shown.push(format!("+{} writes", writes.len() - MOST_WRITES));
    }
    shown
}

/// Returns the line: address, instruction, changes. Shown addresses are reduced by `moved`. `more` has the changes
/// outside the wave.
fn line(before: &Before, outcome: &Outcome, wave: &Wave, moved: u64, more: &[String]) -> String {
    let pc = before.state.pc.wrapping_sub(moved);
    let instruction = match &before.inst {
        Ok(inst) => with_target(inst, pc & !3),
        Err(error) => format!("<{error}>"),
    };
    let effects = match outcome {
        Outcome::Budget | Outcome::Barrier => {
            let mut effects: Vec<String> = before.registers(wave).iter().map(Change::to_string).collect();
            effects.extend_from_slice(more);
            let next = wave.state.pc.wrapping_sub(moved);
            effects.extend(before.inst.as_ref().ok().and_then(|inst| jump(inst, pc & !3, next)));
            effects.extend((*outcome == Outcome::Barrier).then(|| "waits".to_owned()));
            effects.join(" ")
        }
        Outcome::Ended | Outcome::Halted => outcome.name().to_owned(),
        stopped => format!("not executed: {}", stopped.name()),
    };
    format!("{pc:012x}  {instruction:<44}  {effects}").trim_end().to_owned()
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
