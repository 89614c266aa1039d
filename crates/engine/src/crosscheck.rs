//! Compares compiled code with the interpreter, and makes the report when they disagree.

use std::fmt::Write as _;

use gcnsim_isa::{Inst, LANES, Program, WaveState, reg};
use gcnsim_jit::region::Jump;
use gcnsim_jit::{EqualMaxima, ExitCode, Frame, RegionKey};
use gcnsim_machine::{Context, Journal};

use super::compiled::{enter_region, new_compiler};
use super::{Divergence, RunOptions};
use crate::state_file::StateSpec;
use gcnsim_interp::Interp;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// A slice of compiled execution, and the result of the interpreter from the same state.
pub struct Slice<'a> {
    /// The wave before the slice.
    pub before: &'a Wave,
    /// The wave after the interpreter has run.
    pub expected: &'a Wave,
    /// How the interpreter stopped.
    pub outcome: Outcome,
    /// The wave after compiled code has run.
    pub actual: &'a Wave,
    /// How compiled code returned.
    pub exit: ExitCode,
    /// The fuel that compiled code was given, in instructions.
    pub fuel: u64,
    /// The computed jumps that the region was compiled with.
    pub observed: &'a [Jump],
    /// What the region was compiled with of maxima.
    pub maxima: EqualMaxima,
    /// The branches that the region was compiled for as easy to predict.
    pub predictable: &'a [u64],
    /// What each wrote outside the wave: first the interpreter, then compiled code.
    pub written: &'a [Journal; 2],
}

/// Whether both arrived at the same state, vector registers, PC, notes, counts, last executed address and kind of end.
pub fn agrees(expected: &Wave, outcome: Outcome, actual: &Wave, exit: ExitCode) -> bool {
    let same_end = match exit {
        ExitCode::Ended => outcome == Outcome::Ended,
        ExitCode::Halted => outcome == Outcome::Halted,
        ExitCode::Barrier => outcome == Outcome::Barrier,
        ExitCode::Leave | ExitCode::LeaveComputed | ExitCode::Fuel | ExitCode::Stopped => outcome == Outcome::Budget,
    };
    // Compiled code that runs out of fuel does not say what it executed last.
    let same_last = exit == ExitCode::Fuel || expected.last_pc == actual.last_pc;
    same_end
        && same_last
        && expected.state == actual.state
        && expected.vgprs == actual.vgprs
        && expected.observed == actual.observed
        && expected.executed == actual.executed
        && expected.classes == actual.classes
}

/// What compiled code and the interpreter did from the same wave. The wave after compiled code is elsewhere.
pub struct Round {
    /// How compiled code returned.
    pub exit: ExitCode,
    /// The wave after the interpreter has run.
    pub expected: Wave,
    /// How the interpreter stopped.
    pub outcome: Outcome,
    /// What each wrote outside the wave: first the interpreter, then compiled code.
    pub written: [Journal; 2],
    /// Whether both did the same.
    pub agrees: bool,
}

/// Rounds of a slice that did not agree. If the host writes memory meanwhile, it may be that both have read different
/// values. A mistake of ours repeats.
#[derive(Default)]
pub struct Differing {
    /// The wave after compiled code of the last round, and the round.
    last: Option<(Wave, Round)>,
    /// Number of rounds in a row that were like the one before.
    alike: u32,
    count: u32,
}

/// What follows from rounds that did not agree.
pub enum Judgement {
    /// They are run again, after what the interpreter wrote has been taken back.
    Again(Journal),
    /// Memory keeps changing, so nobody can tell. The interpreter's result stands.
    Interpreter(Wave, Outcome),
    /// It is a divergence.
    Diverged(Round),
}

/// Number of rounds in a row, all alike, after which it is not the host that makes the difference.
const ALIKE_ROUNDS: u32 = 16;
/// Most rounds of a slice.
const MOST_ROUNDS: u32 = 256;

impl Differing {
    /// Judges a round that did not agree. `actual` is the wave after compiled code.
    pub fn judge(&mut self, options: &RunOptions, actual: &Wave, round: Round) -> Judgement {
        if !options.host_writes {
            return Judgement::Diverged(round);
        }
        let is_alike = self.last.as_ref().is_some_and(|(last, before)| {
            is_same(last, actual)
                && is_same(&before.expected, &round.expected)
                && (before.exit, before.outcome) == (round.exit, round.outcome)
                && before.written.iter().zip(&round.written).all(|(one, other)| one.writes() == other.writes())
        });
        self.alike = if is_alike { self.alike + 1 } else { 0 };
        self.count += 1;
        if self.alike >= ALIKE_ROUNDS {
            return Judgement::Diverged(round);
        }
        if self.count >= MOST_ROUNDS {
            return Judgement::Interpreter(round.expected, round.outcome);
        }
        let written = round.written[0].clone();
        self.last = Some((actual.clone(), round));
        Judgement::Again(written)
    }
}

/// Whether two waves are in one state.
fn is_same(one: &Wave, other: &Wave) -> bool {
    one.state == other.state
        && one.vgprs == other.vgprs
        && one.observed == other.observed
        && one.executed == other.executed
        && one.last_pc == other.last_pc
}

/// How compiled code would have returned where the interpreter has stopped.
pub fn exit_of(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Ended => ExitCode::Ended,
        Outcome::Halted => ExitCode::Halted,
        Outcome::Barrier => ExitCode::Barrier,
        Outcome::Budget => ExitCode::Fuel,
        Outcome::Unsupported(_) | Outcome::Fault(_) | Outcome::Trap(_) => ExitCode::Stopped,
    }
}

/// The divergence of a slice, with its report: where the states began to differ, states with `*` on differing rows,
/// guest code, IR and host code, and the command that runs the slice again. `context` has the memory that the
/// interpreter left.
pub fn diverged(program: &Program, context: &mut Context, options: &RunOptions, slice: &Slice<'_>) -> Divergence {
    let mut text = String::new();
    let before = slice.before;
    let executed = slice.actual.executed - before.executed;
    let _ = writeln!(
        text,
        "{} at {:#x}: {executed} instructions of compiled code ({:?}) against the interpreter ({})",
        program.arch(),
        before.state.pc,
        slice.exit,
        slice.outcome.name(),
    );
    context.undo(&slice.written[0]);
    let (pc, mnemonic) = match first_difference(program, context, options, slice, executed) {
        Some(First { pc, inst, expected, actual, written }) => {
            let _ = writeln!(text, "first differing instruction: {pc:#x}: {inst}");
            states(&mut text, None, &expected.state, &actual.state);
            vgprs(&mut text, &expected, &actual);
            memory(&mut text, &written);
            (pc, Some(inst.desc().mnemonic))
        }
        None => {
            let _ = writeln!(text, "every instruction agrees when compiled alone: the fault lies in their combination");
            (before.state.pc, None)
        }
    };
    let _ = writeln!(text, "\nstate before the slice, expected and actual state after it:");
    states(&mut text, Some(&before.state), &slice.expected.state, &slice.actual.state);
    vgprs(&mut text, slice.expected, slice.actual);
    memory(&mut text, slice.written);
    if slice.expected.classes != slice.actual.classes {
        let _ = writeln!(text, "* classes: {:?} {:?}", slice.expected.classes, slice.actual.classes);
    }
    if slice.expected.observed != slice.actual.observed {
        let counts = [slice.expected, slice.actual].map(|wave| {
            let observed = &wave.observed;
            (observed.export_count(), observed.message_count())
        });
        let _ = writeln!(text, "* exports and messages: {:?} {:?}", counts[0], counts[1]);
    }
    if slice.expected.last_pc != slice.actual.last_pc {
        let _ = writeln!(text, "* last executed: {:x?} {:x?}", slice.expected.last_pc, slice.actual.last_pc);
    }
    listing(&mut text, program, options, slice);
    rerun(&mut text, program, options, slice);
    Divergence { pc, mnemonic, report: text }
}

/// Writes how to run only this slice again: compiled at once, with the same fuel.
fn rerun(text: &mut String, program: &Program, options: &RunOptions, slice: &Slice<'_>) {
    let before = StateSpec { exports: None, messages: None, ..StateSpec::of_wave(slice.before) };
    let _ = writeln!(
        text,
        "\nrerun:\nsave as state.json: {}\ngcnsim --check --hot 0 --region-max {} --arch {} --base {:#x} --state \
         state.json --max-insts {}{} FILE",
        before.to_json_line(),
        options.region_max,
        program.arch(),
        program.base(),
        slice.fuel,
        if options.count_classes { " --json" } else { "" },
    );
}

/// The first instruction that differs, and both states after it.
struct First {
    pc: u64,
    inst: Inst,
    expected: Wave,
    actual: Wave,
    /// What each wrote outside the wave: first the interpreter, then compiled code.
    written: [Journal; 2],
}

/// Compiles the slice's instructions one by one and finds the first that differs, with both states after it.
fn first_difference(
    program: &Program,
    context: &mut Context,
    options: &RunOptions,
    slice: &Slice<'_>,
    executed: u64,
) -> Option<First> {
    let mut compiler = new_compiler(&options.clone().region_max(1)).ok()?;
    let mut interp = Interp::new(program);
    let mut wave = slice.before.clone();
    let mut frame = Frame::default();
    for _ in 0..executed {
        let pc = wave.state.pc;
        let mut actual = wave.clone();
        let key = RegionKey { pc, mode: wave.state.mode, observed: &[], maxima: slice.maxima, predictable: &[] };
        let region = compiler.compile(program, &key).ok()?;
        context.start_recording();
        let entered = region.map(|region| enter_region(&region, 0, &mut actual, context, &mut frame, 1));
        let written = context.stop_recording();
        context.undo(&written);
        let compiled = matches!(entered, Some(Ok(_)));
        context.start_recording();
        interp.run_in(&mut wave, context, 1);
        let written = [context.stop_recording(), written];
        if !compiled {
            return None;
        }
        if actual.state != wave.state
            || actual.vgprs != wave.vgprs
            || actual.observed != wave.observed
            || !written[0].differences(&written[1]).is_empty()
        {
            return Some(First { pc, inst: program.fetch(pc).ok()?, expected: wave, actual, written });
        }
    }
    None
}

/// Writes a row for each register that is not zero or differs. `*` marks differences between the last two columns.
fn states(text: &mut String, before: Option<&WaveState>, expected: &WaveState, actual: &WaveState) {
    let mut row = |name: &str, values: [u64; 3]| {
        if values != [0; 3] || values[1] != values[2] {
            let mark = if values[1] == values[2] { ' ' } else { '*' };
            let _ = write!(text, "{mark} {name:8}");
            if before.is_some() {
                let _ = write!(text, " {:#18x}", values[0]);
            }
            let _ = writeln!(text, " {:#18x} {:#18x}", values[1], values[2]);
        }
    };
    let first = before.unwrap_or(expected);
    for code in 0..128u8 {
        let name = match code {
            reg::VCC_LO => "vcc_lo".to_string(),
            reg::VCC_HI => "vcc_hi".to_string(),
            reg::M0 => "m0".to_string(),
            reg::EXEC_LO => "exec_lo".to_string(),
            reg::EXEC_HI => "exec_hi".to_string(),
            _ => format!("s{code}"),
        };
        row(&name, [first, expected, actual].map(|s| s.sgpr[code as usize] as u64));
    }
    row("scc", [first, expected, actual].map(|s| s.scc as u64));
    row("mode", [first, expected, actual].map(|s| s.mode as u64));
    row("trapsts", [first, expected, actual].map(|s| s.trapsts as u64));
    row("pc", [first, expected, actual].map(|s| s.pc));
    for (word, name) in ["notes", "notes 64", "notes 128"].into_iter().enumerate() {
        row(name, [first, expected, actual].map(|s| s.notes.0[word]));
    }
}

/// Limit for the vector register lanes, and for the bytes of memory, in a report.
const MOST_LANES: usize = 64;

/// Lists the lanes of vector registers that differ.
fn vgprs(text: &mut String, expected: &Wave, actual: &Wave) {
    let pairs = expected.vgprs.regs().iter().zip(actual.vgprs.regs()).enumerate();
    let lanes = pairs.flat_map(|(n, (e, a))| (0..LANES).map(move |lane| (n, lane, e.0[lane], a.0[lane])));
    let mut differing = lanes.filter(|(_, _, expected, actual)| expected != actual);
    for (n, lane, expected, actual) in differing.by_ref().take(MOST_LANES) {
        let _ = writeln!(text, "* {:8} {expected:#18x} {actual:#18x}", format!("v{n}[{lane}]"));
    }
    match differing.count() {
        0 => {}
        more => writeln!(text, "* and {more} lanes more").unwrap_or_default(),
    }
}

/// Lists the bytes outside the wave that differ.
fn memory(text: &mut String, written: &[Journal; 2]) {
    let differences = written[0].differences(&written[1]);
    let show = |byte: Option<u8>| byte.map_or("unwritten".to_string(), |byte| format!("{byte:#04x}"));
    for byte in differences.iter().take(MOST_LANES) {
        let [expected, actual] = byte.bytes.map(show);
        let _ = writeln!(text, "* {} byte {:#x}: {expected} {actual}", byte.place.name(), byte.address);
    }
    if let Some(more @ 1..) = differences.len().checked_sub(MOST_LANES) {
        let _ = writeln!(text, "* and {more} bytes more");
    }
}

/// Writes guest code, Cranelift IR and host code of the region that the slice entered.
fn listing(text: &mut String, program: &Program, options: &RunOptions, slice: &Slice<'_>) {
    let Ok(mut compiler) = new_compiler(options) else { return };
    let &Slice { before, observed, maxima, predictable, .. } = slice;
    let key = RegionKey { pc: before.state.pc, mode: before.state.mode, observed, maxima, predictable };
    let Ok(Some(listing)) = compiler.listing(program, &key) else { return };
    let _ = writeln!(text, "\nguest code, Cranelift IR and host code:");
    let mut parts = listing.parts.iter();
    for block in &listing.plan.blocks {
        let _ = writeln!(text, "{:#x}:", block.pc);
        for (pc, inst) in &block.insts {
            let _ = writeln!(text, "    {pc:#06x}  {inst}");
            let Some(part) = parts.next() else { continue };
            part.clif.iter().for_each(|line| text.extend(["        ", line, "\n"]));
            part.host.iter().for_each(|line| text.extend(["                ; ", line, "\n"]));
        }
    }
}
