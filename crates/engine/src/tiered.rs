//! The tiered engine: interpreter first, compiled regions where it is hot, each checked against the interpreter.

mod branches;
mod known;
mod relay;

use std::sync::Arc;
use std::time::Instant;

use gcnsim_isa::Program;
use gcnsim_jit::cache::Lookup;
use gcnsim_jit::region::Jump;
use gcnsim_jit::{Compiler, EqualMaxima, ExitCode, Frame, JitError, MAX_CLASS_FUEL, Region, RegionKey};
use gcnsim_machine::{Context, SharedStores};

use super::background::{Background, OwnedKey, Progress};
use super::code::Facts;
use super::compiled::{enter_region, new_compiler};
use super::crosscheck::{self, Differing, Judgement, Round};
use super::gate::Gate;
use super::group::WaveGroup;
use super::turn::{Steps, TurnEnd};
use super::{EngineError, EngineKind, RunOptions, RunStats, STRETCH, Show};
use branches::Noting;
use gcnsim_interp::{HotCounters, Interp, Stop};
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;
pub use known::RegionProfile;
use known::{Done, Known, Leases};

/// Limit for the instructions in a checked slice, unless the region needs more to make progress.
const CHECK_SLICE: u64 = 4096;
/// Limits for the instructions in a checked slice of code that names VGPRs or accesses memory, when only the first
/// entries are checked: for the first quarter of these, and for the others. The interpreter takes up to a microsecond
/// for such an instruction.
const CHECK_SLICES_OF_LANES: [u64; 2] = [256, 64];

/// Limit for the regions of a run that are compiled again because a computed jump has another target.
const MAX_REBUILDS: u32 = 32;

/// Weight of a start of a run, in arrivals over backward jumps. It is above 1 because more code follows a start.
const STARTS: u32 = 16;

/// Limit for the computed jumps that are kept, because each region's key has a copy of them.
const MOST_OBSERVED: usize = 4096;

/// Number of regions of the largest size that may be compiled without credit.
const FREE_REGIONS: u64 = 2;

/// Programs and regions of fewer instructions are compiled in the foreground. That takes some milliseconds, and what is
/// reported can be reproduced.
const LEAST_IN_BACKGROUND: usize = 500;

/// Limit for the instructions between two polls of the background thread.
const SHORT_STRETCH: u64 = 1 << 15;

/// Limit for the interpreted instructions between two checks whether another thread wants to run alone. For compiled
/// instructions it is four times as large.
const GATED_STRETCH: u64 = 1024;

/// Most regions with which a session is kept for later leases. Only hostile programs have more: they run with ever
/// other values of MODE.
const MOST_KEPT_REGIONS: usize = 1 << 12;
/// Most addresses and jumps that a session may have counted if it is kept.
const MOST_KEPT_COUNTS: usize = 1 << 16;

/// The parts of the tiered engine that are kept from program to program.
#[derive(Default)]
pub struct Tiered {
    compiler: Option<Compiler>,
    /// The frame of compiled code, made when it is needed. It is large, and most programs are never compiled.
    frame: Option<Box<Frame>>,
    hot: HotCounters,
    known: Known,
    /// The gate that checks pass to run alone, if threads share memory.
    pub gate: Option<Arc<Gate>>,
}

impl Tiered {
    /// The regions of the last run, in the order of their compilation.
    pub fn profile(&self) -> &[RegionProfile] {
        &self.known.profile
    }

    /// Prepares for the runs of `program`.
    pub fn begin(&mut self, program: &Program, options: &RunOptions) {
        // A run that panicked has left its data.
        self.known.forget();
        self.known.profile.clear();
        self.known.leases = Leases::default();
        self.hot.reset(program, options.hot.max(1));
    }

    /// Begins a lease, with all that is known.
    pub fn pick_up(&mut self) {
        self.known.leases.number += 1;
        self.known.leases.regions_before = self.known.profile.len();
    }

    /// Ends a lease. Returns `false` if too much is known for the next one.
    pub fn put_down(&mut self) -> bool {
        self.gate = None;
        // A thread that has nothing to do need not wait for the next lease.
        self.known.background.take_if(|background| !background.is_busy());
        let Known { cache: _, profile, leaves, starts, strays, .. } = &self.known;
        profile.len() <= MOST_KEPT_REGIONS && leaves.len() + starts.len() + strays.len() <= MOST_KEPT_COUNTS
    }

    /// The share of this lease in the regions that were compiled or entered in it.
    pub fn profile_of_lease(&self) -> Vec<RegionProfile> {
        let Known { profile, leases, .. } = &self.known;
        let of_lease = |(region, (profile, last)): (usize, (&RegionProfile, &(Option<u64>, Done)))| match *last {
            (Some(number), before) if number == leases.number => Some(profile.since(before)),
            _ => (region >= leases.regions_before).then(|| profile.clone()),
        };
        profile.iter().zip(&leases.last).enumerate().filter_map(of_lease).collect()
    }

    /// Runs a wave of the program that [`Tiered::begin`] was told of until it has executed `end` instructions. What
    /// earlier waves taught is used again.
    pub fn run(&mut self, with: With<'_>, wave: &mut Wave, end: u64) -> Result<Outcome, EngineError> {
        self.with(with, |run| {
            run.end = end;
            let next = run.start(wave)?;
            run.go(wave, next)
        })
    }

    /// Runs the turn of a wave of a group.
    pub fn run_turn(
        &mut self,
        with: With<'_>,
        group: &mut WaveGroup,
        index: usize,
        left: u64,
    ) -> Result<TurnEnd, EngineError> {
        self.with(with, |run| {
            run.is_at_start = true;
            group.run_turn(index, left, run)
        })
    }

    /// Runs turns of waves of a group, from that of wave `index` on. See
    /// [`Session::run_group`](super::Session::run_group).
    pub fn run_group(
        &mut self,
        with: With<'_>,
        group: &mut WaveGroup,
        index: usize,
        show: Option<Show<'_>>,
    ) -> Option<(usize, Result<Outcome, EngineError>)> {
        self.with(with, |run| run.turns(group, index, show))
    }

    fn with<T>(&mut self, with: With<'_>, go: impl FnOnce(&mut TieredRun<'_>) -> T) -> T {
        let With { interp, facts, context, options, stats } = with;
        let paused = stats.compile_ns + stats.check_ns;
        let mut run = TieredRun {
            interp,
            context,
            facts,
            program: &facts.program,
            options,
            compiler: &mut self.compiler,
            frame: &mut self.frame,
            known: &mut self.known,
            hot: &mut self.hot,
            gate: self.gate.as_deref(),
            background_ns: 0,
            stats,
            is_at_start: false,
            start: 0,
            end: 0,
        };
        let result = go(&mut run);
        let background_ns = run.background_ns;
        stats.paused_ns += stats.compile_ns + stats.check_ns - paused;
        stats.compile_ns += background_ns;
        result
    }
}

/// What a run needs besides waves.
pub struct With<'a> {
    /// An interpreter of the program.
    pub interp: &'a mut Interp,
    /// The program, and what is known of it.
    pub facts: &'a Facts,
    /// What waves reach outside themselves.
    pub context: &'a mut Context,
    /// The settings.
    pub options: &'a RunOptions,
    /// The place that the cost is added to, except `run_ns`.
    pub stats: &'a mut RunStats,
}

struct TieredRun<'a> {
    interp: &'a mut Interp,
    context: &'a mut Context,
    facts: &'a Facts,
    program: &'a Program,
    options: &'a RunOptions,
    compiler: &'a mut Option<Compiler>,
    frame: &'a mut Option<Box<Frame>>,
    known: &'a mut Known,
    hot: &'a mut HotCounters,
    gate: Option<&'a Gate>,
    /// Time in nanoseconds that compiling took in the background.
    background_ns: u64,
    stats: &'a mut RunStats,
    /// Whether a turn that is not in a relay is about to begin.
    is_at_start: bool,
    /// Value of `wave.executed` at which the turn in a relay has begun.
    start: u64,
    /// Value of `wave.executed` at which the run stops.
    end: u64,
}

/// The next step of a run.
enum Next {
    Interpret,
    Enter(Lookup),
    /// Judge branches.
    Note(Noting),
    Done(Outcome),
}

impl TieredRun<'_> {
    /// Runs the wave from a step on until it stops or the budget is used up.
    fn go(&mut self, wave: &mut Wave, mut next: Next) -> Result<Outcome, EngineError> {
        loop {
            if self.options.is_stopped_at(wave.executed) {
                return Err(EngineError::Interrupted);
            }
            if let Some(gate) = self.gate {
                gate.give_way();
            }
            next = match next {
                Next::Done(outcome) => return Ok(outcome),
                Next::Interpret => {
                    let stretch = if self.poll()? { SHORT_STRETCH } else { self.stretch() };
                    let before = wave.executed;
                    let left = self.end - before;
                    let start = self.clock();
                    let stop = self.interp.run_counting(wave, self.context, left.min(stretch), self.hot);
                    self.stats.interp_ns += start.map_or(0, elapsed_ns);
                    self.known.interpreted += wave.executed - before;
                    match stop {
                        Stop::Done(Outcome::Budget) if wave.executed < self.end => Next::Interpret,
                        Stop::Done(outcome) => return Ok(outcome),
                        Stop::Hot => match self.branches_before(wave) {
                            Some(noting) => Next::Note(noting),
                            None => self.compiled(wave, true)?,
                        },
                    }
                }
                Next::Enter(lookup) => self.enter(wave, lookup)?,
                Next::Note(noting) => self.note_branches(wave, &noting)?,
            };
        }
    }

    /// Limit for the instructions before the run has to look at `stop` and the gate.
    fn stretch(&self) -> u64 {
        if self.gate.is_some() { GATED_STRETCH } else { STRETCH }
    }

    /// The time, if regions are timed.
    fn clock(&self) -> Option<Instant> {
        self.options.time_regions.then(Instant::now)
    }

    /// The first step of a run. Waves of a dispatch all begin at the same addresses, so these get hot, too.
    fn start(&mut self, wave: &Wave) -> Result<Next, EngineError> {
        self.known.runs += 1;
        if self.known.runs == 1 && self.options.hot > 0 {
            return if self.options.compile_start { self.compiled(wave, true) } else { Ok(Next::Interpret) };
        }
        if let Some(lookup @ Lookup::Region { .. }) = self.known.cache.get(&wave.state) {
            return Ok(Next::Enter(lookup));
        }
        let starts = self.known.starts.entry(wave.state.pc).or_default();
        *starts += 1;
        let is_often = *starts > self.options.hot / STARTS;
        if is_often || !self.known.cache.is_empty() { self.compiled(wave, is_often) } else { Ok(Next::Interpret) }
    }

    /// The region at the wave's PC, compiled if it is new and wanted.
    fn compiled(&mut self, wave: &Wave, compile: bool) -> Result<Next, EngineError> {
        let pc = wave.state.pc;
        let lookup = match self.known.cache.get(&wave.state) {
            Some(lookup) => lookup,
            None if compile && self.has_credit() && !self.ask(wave) => self.compile(wave)?,
            None => {
                if compile {
                    self.hot.postpone(pc);
                }
                return Ok(Next::Interpret);
            }
        };
        Ok(match lookup {
            Lookup::Region { .. } => Next::Enter(lookup),
            Lookup::Interpret => {
                self.hot.disable(pc);
                Next::Interpret
            }
        })
    }

    /// Whether another region may be compiled. Compiling an instruction costs as much as interpreting some thousands.
    /// So for every `hot` instructions that were interpreted one may be compiled (a loop that gets hot has earned
    /// itself), and a few regions on top. Thus compiling takes no more than a few times as long as interpreting did,
    /// however large the program is and however often regions include the same code.
    fn has_credit(&self) -> bool {
        let largest = (self.options.region_max as u64).min(self.program.word_count() as u64);
        match self.options.hot {
            0 => true,
            hot => {
                self.known.compiled + largest
                    <= FREE_REGIONS * self.options.region_max as u64
                        + (self.known.interpreted + self.hot.extra()) / hot as u64
            }
        }
    }

    /// The key of the region at the wave's PC.
    fn key(&mut self, wave: &Wave) -> OwnedKey {
        let jumps: Vec<Jump> = self.interp.computed_jumps().map(|(from, to)| Jump { from, to }).collect();
        self.observe(jumps);
        OwnedKey {
            pc: wave.state.pc,
            mode: wave.state.mode,
            observed: self.known.observed.clone(),
            maxima: EqualMaxima::of(&wave.state, wave.executed),
            predictable: self.known.branches.easy(wave.state.pc),
        }
    }

    /// Compiles the region at the wave's PC.
    fn compile(&mut self, wave: &Wave) -> Result<Lookup, EngineError> {
        let start = Instant::now();
        let key = self.key(wave);
        let region = region(self.compiler, self.facts, &key.get(), self.options)?;
        let lookup = self.add(key, region);
        self.stats.compile_ns += start.elapsed().as_nanos() as u64;
        Ok(lookup)
    }

    /// Has the region at the wave's PC compiled in the background, at once or later. Returns `false` if that is not
    /// possible.
    fn ask(&mut self, wave: &Wave) -> bool {
        let small = self.program.word_count().min(self.options.region_max as usize) < LEAST_IN_BACKGROUND;
        if !self.options.background || self.options.hot == 0 || small || self.known.is_alone {
            return false;
        }
        if self.known.background.as_ref().is_some_and(Background::is_busy) {
            return true;
        }
        let key = self.key(wave);
        if self.known.background.is_none() {
            self.known.background = Background::start(self.program, self.options);
        }
        match &mut self.known.background {
            Some(background) => background.ask(key),
            None => self.known.is_alone = true,
        }
        !self.known.is_alone
    }

    /// Takes a region that was compiled in the background. Returns whether the thread is still compiling.
    fn poll(&mut self) -> Result<bool, EngineError> {
        let Some(background) = &mut self.known.background else { return Ok(false) };
        match background.progress() {
            Progress::Idle => Ok(false),
            Progress::Busy => Ok(true),
            Progress::Ready(key, compiled) => {
                let region = compiled.map_err(internal)?;
                self.background_ns += region.as_ref().map_or(0, |region| region.compile_ns());
                self.add(key, region);
                Ok(false)
            }
            Progress::Lost => {
                self.known.is_alone = true;
                self.known.background = None;
                Ok(false)
            }
        }
    }

    fn add(&mut self, key: OwnedKey, region: Option<Arc<Region>>) -> Lookup {
        let lookup = self.known.cache.add(&key.get(), region.clone());
        if let Some(region) = region {
            for entry in region.entries() {
                self.hot.mark_compiled(entry.pc);
            }
            self.stats.regions_compiled += 1;
            self.known.compiled += region.inst_count() as u64;
            self.known.branches.add(key.pc);
            let OwnedKey { pc, mode, observed, maxima, predictable } = key;
            let (inst_count, compile_ns) = (region.inst_count() as u64, region.compile_ns());
            let profile = RegionProfile { pc, mode, observed, maxima, predictable, ..RegionProfile::default() };
            self.known.profile.push(RegionProfile { inst_count, compile_ns, ..profile });
            self.known.leases.last.push((None, Done::default()));
        }
        lookup
    }

    /// Enters a region once.
    fn enter(&mut self, wave: &mut Wave, lookup: Lookup) -> Result<Next, EngineError> {
        let Lookup::Region { region: number, entry } = lookup else { return Ok(Next::Interpret) };
        let left = self.end - wave.executed;
        let region = self.known.cache.region(number);
        let need = region.entries()[entry].need;
        if left < need || region.vgpr_count() > wave.vgprs.regs().len() {
            // The interpreter runs the last stretch, and a wave that does not have all registers that the code names.
            return Ok(Next::Done(self.interp.run_in(wave, self.context, left)));
        }
        if region.reaches_memory() {
            self.context.make_ready(self.program);
        }
        let before = self.known.profile[number].done();
        self.stats.regions_entered += self.known.leases.enter(number, before) as u64;
        let profile = &mut self.known.profile[number];
        profile.entered += 1;
        let (entered, unjudged) = (profile.entered, self.known.branches.left(number, profile.executed));
        let check = match self.options.engine {
            EngineKind::Check => true,
            EngineKind::Jit => entered <= self.options.checked_entries,
            EngineKind::JitNoCheck | EngineKind::Interp => false,
        };
        let mut fuel = left.min(4 * self.stretch()).min(unjudged).max(need);
        if region.counted_classes().is_some() {
            fuel = fuel.min(MAX_CLASS_FUEL);
        }
        let (before, start, checked) = (wave.executed, self.clock(), self.stats.check_ns);
        let exit = if check {
            let has_lanes = region.vgpr_count() > 0 || region.reaches_memory();
            let fuel = fuel.min(check_slice(self.options, has_lanes, entered).max(need));
            match self.gate {
                Some(gate) => gate.alone(|| self.checked_slice(wave, number, entry, fuel))?,
                None => self.checked_slice(wave, number, entry, fuel)?,
            }
        } else {
            enter_region(region, entry, wave, self.context, frame(self.frame), fuel).map_err(internal)?
        };
        let profile = &mut self.known.profile[number];
        profile.executed += wave.executed - before;
        profile.run_ns += start.map_or(0, elapsed_ns).saturating_sub(self.stats.check_ns - checked);
        self.after(wave, number, exit)
    }

    /// The step after an exit from a region.
    fn after(&mut self, wave: &mut Wave, region: usize, exit: ExitCode) -> Result<Next, EngineError> {
        match exit {
            ExitCode::Ended => Ok(Next::Done(Outcome::Ended)),
            ExitCode::Halted => Ok(Next::Done(Outcome::Halted)),
            ExitCode::Barrier => Ok(Next::Done(Outcome::Barrier)),
            _ if wave.executed == self.end => Ok(Next::Done(Outcome::Budget)),
            ExitCode::Fuel => match self.branches_again(region) {
                Some(noting) => Ok(Next::Note(noting)),
                None => self.compiled(wave, true),
            },
            // The interpreter finds the cause.
            ExitCode::Stopped => Ok(Next::Interpret),
            ExitCode::Leave => {
                let often = self.is_often(self.known.leaves.get(&wave.state.pc));
                *self.known.leaves.entry(wave.state.pc).or_default() += 1;
                self.compiled(wave, often)
            }
            ExitCode::LeaveComputed => {
                let jump = Jump { from: frame(self.frame).last_pc, to: wave.state.pc };
                let often = self.is_often(self.known.strays.get(&jump));
                *self.known.strays.entry(jump).or_default() += 1;
                let learnt = often && self.learn(jump, region);
                // The interpreter finds the way back to the region, which is then compiled anew.
                self.compiled(wave, often && (!learnt || self.options.hot == 0))
            }
        }
    }

    /// Whether `count` exits to one address are enough to compile a region there.
    fn is_often(&self, count: Option<&u32>) -> bool {
        count.copied().unwrap_or(0) >= self.options.hot / 8
    }

    /// Has a region compiled again that expects one more jump, unless that was tried often enough.
    fn learn(&mut self, jump: Jump, region: usize) -> bool {
        let useful = self.program.word_index(jump.to).is_some() && self.known.observed.binary_search(&jump).is_err();
        if !useful
            || self.known.observed.len() >= MOST_OBSERVED
            || self.known.rebuilds == MAX_REBUILDS
            || !self.has_credit()
        {
            return false;
        }
        // Jumps that are not yet frequent enough are added, too.
        let strays: Vec<Jump> = self.known.strays.keys().copied().collect();
        self.observe(strays);
        self.known.rebuilds += 1;
        self.known.cache.invalidate(region);
        true
    }

    fn observe(&mut self, jumps: impl IntoIterator<Item = Jump>) {
        let program = self.program;
        let room = MOST_OBSERVED.saturating_sub(self.known.observed.len());
        let known = &self.known.observed;
        let is_new = |jump: &Jump| program.word_index(jump.to).is_some() && known.binary_search(jump).is_err();
        let mut new: Vec<Jump> = jumps.into_iter().filter(is_new).collect();
        new.sort_unstable();
        new.dedup();
        new.truncate(room);
        self.known.observed.extend(new);
        self.known.observed.sort_unstable();
    }

    /// Whether the interpreter also stops at the wave's next instruction: memory refuses it, or its image descriptor
    /// says that it cannot be executed.
    fn stops(&mut self, wave: &Wave) -> bool {
        // Compiled code leaves to the interpreter what only a world allows.
        self.context.close_world();
        self.context.start_recording();
        let outcome = self.interp.run_in(&mut wave.clone(), self.context, 1);
        let written = self.context.stop_recording();
        self.context.undo(&written);
        self.context.open_world();
        matches!(outcome, Outcome::Fault(_) | Outcome::Unsupported(_))
    }

    /// Runs a [checked slice](Self::compared_slice). Exports and messages of earlier slices are set aside meanwhile, so
    /// that they are neither copied nor compared again. It is a function of its own so that its copies of the wave take
    /// no stack in turns without checks.
    #[cold]
    #[inline(never)]
    fn checked_slice(
        &mut self,
        wave: &mut Wave,
        number: usize,
        entry: usize,
        fuel: u64,
    ) -> Result<ExitCode, EngineError> {
        let earlier = wave.observed.set_aside();
        let exit = self.compared_slice(wave, number, entry, fuel);
        wave.observed.put_back(earlier);
        exit
    }

    /// Runs compiled code for up to `fuel` instructions, and the interpreter for as many from the same state. Compiled
    /// code leaves stores to memory that the host may look at to the interpreter, and nothing of them is taken back.
    fn compared_slice(
        &mut self,
        wave: &mut Wave,
        number: usize,
        entry: usize,
        fuel: u64,
    ) -> Result<ExitCode, EngineError> {
        let stores = self.context.space.guard(SharedStores::Refused);
        let before = wave.clone();
        self.stats.checks += 1;
        let mut differing = Differing::default();
        let exit = loop {
            let round = self.compare(wave, &before, (number, entry), fuel)?;
            if round.agrees {
                break Ok(round.exit);
            }
            match differing.judge(self.options, wave, round) {
                Judgement::Again(written) => {
                    self.context.undo(&written);
                    wave.clone_from(&before);
                }
                Judgement::Interpreter(expected, outcome) => {
                    *wave = expected;
                    break Ok(crosscheck::exit_of(outcome));
                }
                Judgement::Diverged(round) => break Err(self.diverged(wave, &before, number, fuel, &round)),
            }
        };
        self.context.space.guard(stores);
        exit
    }

    /// Runs compiled code from a wave, which is at an entry of a region, and the interpreter from a copy of the wave. The
    /// memory is that of the interpreter afterwards.
    fn compare(
        &mut self,
        wave: &mut Wave,
        before: &Wave,
        (number, entry): (usize, usize),
        fuel: u64,
    ) -> Result<Round, EngineError> {
        let region = self.known.cache.region(number).clone();
        self.context.start_recording();
        let exit = enter_region(&region, entry, wave, self.context, frame(self.frame), fuel);
        let written = self.context.stop_recording();
        let exit = exit.map_err(internal)?;
        let start = Instant::now();
        // The interpreter starts from the same memory. What it writes stays, because it is the same.
        self.context.undo(&written);
        let mut expected = before.clone();
        self.context.start_recording();
        let outcome = self.interp.run_in(&mut expected, self.context, wave.executed - before.executed);
        let written = [self.context.stop_recording(), written];
        let agrees = crosscheck::agrees(&expected, outcome, wave, exit)
            && written[0].differences(&written[1]).is_empty()
            && (exit != ExitCode::Stopped || self.stops(&expected));
        self.stats.check_ns += start.elapsed().as_nanos() as u64;
        Ok(Round { exit, expected, outcome, written, agrees })
    }

    /// The report of a divergence.
    fn diverged(&mut self, actual: &Wave, before: &Wave, number: usize, fuel: u64, round: &Round) -> EngineError {
        let profile = &self.known.profile[number];
        let slice = crosscheck::Slice {
            before,
            expected: &round.expected,
            outcome: round.outcome,
            actual,
            exit: round.exit,
            fuel,
            observed: &profile.observed,
            maxima: self.known.cache.region(number).maxima().unwrap_or_default(),
            predictable: &profile.predictable,
            written: &round.written,
        };
        EngineError::Divergence(Box::new(crosscheck::diverged(self.program, self.context, self.options, &slice)))
    }
}

impl Steps for TieredRun<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn context(&mut self) -> &mut Context {
        self.context
    }

    /// Goes on where the wave is: at the start of its turn, or behind a probe.
    fn run(&mut self, wave: &mut Wave, max: u64) -> Result<Outcome, EngineError> {
        self.end = wave.executed.saturating_add(max);
        let next = if std::mem::take(&mut self.is_at_start) { self.start(wave)? } else { self.compiled(wave, false)? };
        self.go(wave, next)
    }

    fn step(&mut self, wave: &mut Wave) -> Result<Outcome, EngineError> {
        Ok(self.interp.run_in(wave, self.context, 1))
    }
}

/// Limit for the instructions of a checked slice, at entry number `entered` (from 1) of a region that has vector or
/// memory instructions or not.
fn check_slice(options: &RunOptions, has_lanes: bool, entered: u64) -> u64 {
    match options.engine {
        EngineKind::Jit if has_lanes => CHECK_SLICES_OF_LANES[usize::from(4 * entered > options.checked_entries)],
        _ => CHECK_SLICE,
    }
}

/// The frame of compiled code. It is made on the stack of a function of its own, so that turns need no stack for it.
fn frame(frame: &mut Option<Box<Frame>>) -> &mut Frame {
    #[cold]
    #[inline(never)]
    fn new() -> Box<Frame> {
        Box::default()
    }
    frame.get_or_insert_with(new)
}

fn elapsed_ns(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

/// The region of `key`: one that an identical program has left, or one compiled here.
fn region(
    compiler: &mut Option<Compiler>,
    facts: &Facts,
    key: &RegionKey<'_>,
    options: &RunOptions,
) -> Result<Option<Arc<Region>>, EngineError> {
    let program = &facts.program;
    let compiler = match compiler {
        Some(compiler) => compiler,
        None => compiler.insert(new_compiler(options).map_err(internal)?),
    };
    let Some((shared, code)) = facts.shared(options) else {
        return Ok(compiler.compile(program, key).map_err(internal)?.map(Arc::new));
    };
    let compile_options = *compiler.options();
    let compile = || Ok(compiler.compile(program, key)?.map(Arc::new));
    shared.get_or_compile(code, &compile_options, key, compile).map_err(internal)
}

/// Compiles the code at which runs of `program` with this value of MODE begin, for engines with the same options that
/// [share](RunOptions::shared) regions with it. Such an engine waits for it if it begins meanwhile. It reports errors
/// itself. Returns the time that this took, in nanoseconds.
pub fn compile_start(program: &Program, mode: u32, options: &RunOptions) -> u64 {
    compile_start_of(&Facts::of(program), mode, options)
}

/// See [`Code::compile_start`](crate::Code::compile_start).
pub(crate) fn compile_start_of(facts: &Facts, mode: u32, options: &RunOptions) -> u64 {
    let (start, pc) = (Instant::now(), facts.program.entry());
    let key = RegionKey { pc, mode, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
    let _ = region(&mut None, facts, &key, options);
    elapsed_ns(start)
}

fn internal(error: JitError) -> EngineError {
    EngineError::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_checks_of_vector_code_are_shorter() {
        let options = |engine| RunOptions::default().engine(engine);
        let of = |engine, has_lanes| [1, 16, 17, 64].map(|entered| check_slice(&options(engine), has_lanes, entered));
        assert_eq!(of(EngineKind::Jit, true), [256, 256, 64, 64]);
        assert_eq!(of(EngineKind::Jit, false), [4096; 4]);
        assert_eq!(of(EngineKind::Check, true), [4096; 4]);
        // Two threads share the checks.
        let half = RunOptions::default().checked_entries(32);
        assert_eq!([8, 9, 32].map(|entered| check_slice(&half, true, entered)), [256, 64, 64]);
    }
}
