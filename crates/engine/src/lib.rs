//! Runs a program on the chosen engine.
//!
//! [`Engine::run`] interprets, counts arrivals over backward jumps, and compiles the region at a target that gets
//! hot (the tiered engine; `hot: 0` compiles at once). Compiled code stops before the budget could be overrun; the
//! interpreter finishes the last stretch, so the executed count is exact. Whatever compiled code does not
//! execute, it leaves to the interpreter, which names faults: there is one place that does.
#![deny(unsafe_code)]

#[cfg(feature = "jit")]
mod background;
mod code;
mod codes;
#[cfg(feature = "jit")]
mod compiled;
#[cfg(feature = "jit")]
mod crosscheck;
pub mod difference;
pub mod fault_file;
mod fields;
#[cfg(feature = "jit")]
mod gate;
mod group;
pub mod memory_file;
pub mod number;
pub mod observe;
pub mod observed_file;
mod options;
pub mod quote;
pub mod reach;
pub mod report;
mod result;
pub mod state_file;
#[cfg(feature = "jit")]
mod tiered;
mod turn;
pub mod value_file;
mod waves;
mod window;
pub mod xxh3;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gcnsim_isa::Program;
use gcnsim_machine::Context;

use code::Facts;
pub use code::{Code, Lease};
pub use codes::Codes;
#[cfg(feature = "jit")]
pub use compiled::{enter_region, new_compiler};
#[cfg(feature = "jit")]
pub use gate::Gate;
use gcnsim_interp::Interp;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;
pub use group::{Member, Status, StoppedWave, WaveGroup};
pub use observe::{At, Needs, Observer, Observers, Scene, Step};
pub use options::{DEFAULT_CHECKED_ENTRIES, DEFAULT_HOT, DEFAULT_REGION_MAX, RunOptions};
pub use result::{OneThread, Run};
#[cfg(feature = "jit")]
pub use tiered::{RegionProfile, compile_start};
pub use turn::{Spins, Steps, TURN, TurnEnd};
pub use waves::{GroupEnd, Watched};
pub use window::Window;

/// Which engine runs a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// The reference interpreter only.
    Interp,
    /// Tiered; the first 64 entries of every region are checked against the interpreter.
    Jit,
    /// Tiered, unchecked.
    JitNoCheck,
    /// Tiered, every slice of compiled execution checked.
    Check,
}

impl Default for EngineKind {
    /// The tiered engine; the interpreter in a build without it.
    fn default() -> EngineKind {
        if cfg!(feature = "jit") { EngineKind::Jit } else { EngineKind::Interp }
    }
}

impl EngineKind {
    /// Name in results: `interp`, `jit`, `check`.
    pub const fn name(self) -> &'static str {
        match self {
            EngineKind::Interp => "interp",
            EngineKind::Jit | EngineKind::JitNoCheck => "jit",
            EngineKind::Check => "check",
        }
    }
}

/// The cost of a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RunStats {
    /// Number of regions that were entered, by this run or others of its [`Lease`] or session: each counts once.
    pub regions_entered: u64,
    /// Number of regions that were compiled, or taken from another run.
    pub regions_compiled: u64,
    /// Time of compiling, in nanoseconds.
    pub compile_ns: u64,
    /// Time of checking compiled code against the interpreter, in nanoseconds.
    pub check_ns: u64,
    /// Time of execution alone, in nanoseconds.
    pub run_ns: u64,
    /// Number of slices of compiled execution that were checked.
    pub checks: u64,
    /// The part of `run_ns` that the interpreter took. It is measured if [`RunOptions::time_regions`] is set.
    pub interp_ns: u64,
    /// The part of `compile_ns` and `check_ns` that delayed the running thread.
    pub paused_ns: u64,
}

impl RunStats {
    /// Adds the cost of another run.
    pub fn add(&mut self, other: &RunStats) {
        let RunStats { regions_entered, regions_compiled, compile_ns, check_ns, run_ns, checks, interp_ns, paused_ns } =
            other;
        self.regions_entered += regions_entered;
        self.regions_compiled += regions_compiled;
        self.compile_ns += compile_ns;
        self.check_ns += check_ns;
        self.run_ns += run_ns;
        self.checks += checks;
        self.interp_ns += interp_ns;
        self.paused_ns += paused_ns;
    }

    /// Adds the time since `start`, without compiling and checking, to `run_ns`. `paused` is what `paused_ns` was at
    /// `start`.
    pub fn add_run_time(&mut self, start: Instant, paused: u64) {
        self.run_ns += (start.elapsed().as_nanos() as u64).saturating_sub(self.paused_ns - paused);
    }
}

/// Compiled code and the interpreter disagree.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Divergence {
    /// Address of the first instruction that differs; that of the slice if none differs when compiled alone.
    pub pc: u64,
    /// The mnemonic of that instruction.
    pub mnemonic: Option<&'static str>,
    /// The report for people, with the command that reruns the slice. It has many lines.
    pub report: String,
}

/// A failure of the simulator.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The cross-check failed.
    #[error("compiled code and the interpreter disagree\n{}", .0.report)]
    Divergence(Box<Divergence>),
    /// A bug of the simulator.
    #[error("internal error: {0}")]
    Internal(String),
    /// [`RunOptions::stop`] became true. (No failure; the wave is in the middle of its program.)
    #[error("interrupted")]
    Interrupted,
}

impl EngineError {
    /// Name in results: `divergence`, `internal-error` or `interrupted`.
    pub const fn name(&self) -> &'static str {
        match self {
            EngineError::Divergence(_) => "divergence",
            EngineError::Internal(_) => "internal-error",
            EngineError::Interrupted => "interrupted",
        }
    }
}

/// How a run ended, and what it cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunResult {
    /// The guest's outcome, or a failure of the simulator.
    pub outcome: Result<Outcome, EngineError>,
    /// Cost.
    pub stats: RunStats,
}

/// Runs programs one after the other, and keeps what can be reused between them. Each thread has its own.
///
/// ```
/// use gcnsim_engine::{Engine, RunOptions};
/// use gcnsim_isa::{Arch, Program};
/// use gcnsim_machine::Outcome;
/// use gcnsim_machine::Wave;
/// // loop: s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop; s_endpgm
/// let words = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
/// let program = Program::from_words(Arch::Gcn14, &words);
/// let mut wave = Wave::new(&program);
/// wave.state.sgpr[0] = 100_000;
/// let result = Engine::new(RunOptions::default()).run(&program, &mut wave);
/// assert_eq!(result.outcome, Ok(Outcome::Ended));
/// assert_eq!((wave.state.sgpr[1], wave.executed), (705082704, 400_001));
/// ```
pub struct Engine {
    options: RunOptions,
    #[cfg(feature = "jit")]
    gate: Option<Arc<Gate>>,
    /// The last session, whose memory serves the next one.
    session: Option<Session>,
}

impl Engine {
    /// An engine with the given settings.
    pub fn new(options: RunOptions) -> Engine {
        Engine {
            options,
            #[cfg(feature = "jit")]
            gate: None,
            session: None,
        }
    }

    /// Lets turns run beside those of other engines with the same gate, but checks alone.
    #[cfg(feature = "jit")]
    pub fn share_gate(&mut self, gate: Arc<Gate>) {
        self.gate = Some(gate);
    }

    /// The settings.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// The profiles of the compiled regions of the last session, in the order of their compilation.
    #[cfg(feature = "jit")]
    pub fn profile(&self) -> &[RegionProfile] {
        self.session.as_ref().map_or(&[], |session| session.tiered.profile())
    }

    /// Runs the wave until it stops or the budget is used up. The budget counts from the call.
    pub fn run(&mut self, program: &Program, wave: &mut Wave) -> RunResult {
        self.run_up_to(program, wave, self.options.max_insts)
    }

    /// Runs the wave as [`Engine::run`] does, with the budget `max_insts`.
    pub fn run_up_to(&mut self, program: &Program, wave: &mut Wave, max_insts: Option<u64>) -> RunResult {
        self.session(program).run(wave, max_insts)
    }

    /// Runs the wave as [`Engine::run_up_to`] does, but with the guest memory and LDS of `context`.
    pub fn run_alone(
        &mut self,
        program: &Program,
        wave: &mut Wave,
        context: &mut Context,
        max_insts: Option<u64>,
    ) -> RunResult {
        self.session(program).run_alone(wave, context, max_insts)
    }

    /// Starts a session, which runs many waves of one program, in the memory of the last session.
    pub fn session(&mut self, program: &Program) -> &mut Session {
        if let Some(session) = &mut self.session {
            session.begin(program);
        }
        let session = self.session.get_or_insert_with(|| Session::new(program, self.options.clone()));
        #[cfg(feature = "jit")]
        session.share_gate(self.gate.clone());
        session
    }
}

/// A function that prepares a context for the turn of a wave. It gets the number of the wave in its group.
pub type Show<'a> = &'a dyn Fn(&mut Context, usize);

/// A program on an engine: predecoded code, compiled regions, counters and jumps seen are those of the program, and
/// serve all waves that run here. A wave that stopped for its budget may be run again, whatever ran in between.
///
/// A session is made for one caller ([`Session::new`], [`Code::fresh`]), or [leased](Code::lease).
pub struct Session {
    options: RunOptions,
    facts: Arc<Facts>,
    interp: Interp,
    /// Whether no run has failed or panicked.
    is_sound: bool,
    /// The context for [`Session::run`]. It is made for the first wave.
    context: Option<Box<Context>>,
    #[cfg(feature = "jit")]
    tiered: tiered::Tiered,
}

impl Session {
    /// A session of which nothing is known yet.
    pub fn new(program: &Program, options: RunOptions) -> Session {
        Session::of(Arc::new(Facts::of(program)), options)
    }

    fn of(facts: Arc<Facts>, options: RunOptions) -> Session {
        let mut session = Session {
            interp: Interp::new(&facts.program),
            facts,
            options,
            is_sound: true,
            context: None,
            #[cfg(feature = "jit")]
            tiered: tiered::Tiered::default(),
        };
        session.prepare();
        session
    }

    /// Begins with another program, of which nothing is known yet, in the memory of the last one.
    fn begin(&mut self, program: &Program) {
        self.interp.begin(program);
        match Arc::get_mut(&mut self.facts) {
            Some(facts) => *facts = Facts::of(program),
            None => self.facts = Arc::new(Facts::of(program)),
        }
        (self.context, self.is_sound) = (None, true);
        self.prepare();
    }

    fn prepare(&mut self) {
        if self.options.count_classes {
            self.interp.count_classes();
        }
        #[cfg(feature = "jit")]
        if self.options.engine != EngineKind::Interp {
            self.tiered.begin(&self.facts.program, &self.options);
        }
    }

    /// Begins a lease with these options, for which the session has been found.
    fn pick_up(&mut self, options: &RunOptions) {
        self.options.follow(options);
        #[cfg(feature = "jit")]
        self.tiered.pick_up();
    }

    /// Ends a lease. Keeps what is known of the program, but nothing of the waves that have run. Returns `false` if the
    /// session must not be used again.
    fn put_down(&mut self) -> bool {
        self.context = None;
        self.interp.forget_context();
        (self.options.stop, self.options.progress) = (None, None);
        #[cfg(feature = "jit")]
        if !self.tiered.put_down() {
            return false;
        }
        self.is_sound
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.facts.program
    }

    /// The settings.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// Lets turns run beside those of other sessions with the same gate, but checks alone; until the lease ends.
    #[cfg(feature = "jit")]
    pub fn share_gate(&mut self, gate: Option<Arc<Gate>>) {
        self.tiered.gate = gate;
    }

    /// The regions that were compiled or entered since the session was made or leased, in the order of their
    /// compilation, with what they have done since then.
    #[cfg(feature = "jit")]
    pub fn profile(&self) -> Vec<RegionProfile> {
        self.tiered.profile_of_lease()
    }

    /// Runs something. If that panics or fails, nobody gets the session after the lease.
    fn guarded<T>(&mut self, run: impl FnOnce(&mut Session) -> T, error: impl FnOnce(&T) -> Option<&EngineError>) -> T {
        let was_sound = std::mem::replace(&mut self.is_sound, false);
        let result = run(self);
        self.is_sound = was_sound && matches!(error(&result), None | Some(EngineError::Interrupted));
        result
    }

    /// Runs a wave of the program until it stops or the budget, which counts from the call, is used up. The wave is
    /// alone, so barriers do not hold it up. Its memory is the program's code and an LDS that the session makes.
    pub fn run(&mut self, wave: &mut Wave, max_insts: Option<u64>) -> RunResult {
        let mut context = self.context.take().unwrap_or_default();
        let result = self.run_alone(wave, &mut context, max_insts);
        self.context = Some(context);
        result
    }

    /// Runs a wave as [`Session::run`] does, but with the memory of `context`.
    pub fn run_alone(&mut self, wave: &mut Wave, context: &mut Context, max_insts: Option<u64>) -> RunResult {
        let mut stats = RunStats::default();
        RunResult { outcome: self.run_on(wave, context, max_insts, &mut stats), stats }
    }

    /// Runs a wave as [`Session::run_alone`] does, and adds the cost to `stats`.
    pub fn run_on(
        &mut self,
        wave: &mut Wave,
        context: &mut Context,
        max_insts: Option<u64>,
        stats: &mut RunStats,
    ) -> Result<Outcome, EngineError> {
        let end = wave.executed.saturating_add(max_insts.unwrap_or(u64::MAX));
        loop {
            match self.run_until(wave, context, end, stats) {
                Ok(Outcome::Barrier) => {}
                outcome => return outcome,
            }
        }
    }

    /// Runs a wave as [`Session::run_alone`] does, but ends with [`Outcome::Barrier`] where it has to wait for others.
    pub fn run_in(&mut self, wave: &mut Wave, context: &mut Context, max_insts: Option<u64>) -> RunResult {
        let end = wave.executed.saturating_add(max_insts.unwrap_or(u64::MAX));
        let mut stats = RunStats::default();
        RunResult { outcome: self.run_until(wave, context, end, &mut stats), stats }
    }

    /// The interpreter of the program, for callers that run waves in their own way.
    pub fn interp(&mut self) -> &mut Interp {
        &mut self.interp
    }

    /// Runs a wave as [`Session::run_in`] does, and adds the cost to `stats`, except `run_ns`: a turn may be shorter
    /// than reading the clock takes.
    pub fn run_stretch(
        &mut self,
        wave: &mut Wave,
        context: &mut Context,
        max_insts: u64,
        stats: &mut RunStats,
    ) -> Result<Outcome, EngineError> {
        let end = wave.executed.saturating_add(max_insts);
        #[cfg(feature = "jit")]
        if let Some(gate) = self.tiered.gate.clone() {
            let _turn = gate.enter();
            return self.run_untimed(wave, context, end, stats);
        }
        self.run_untimed(wave, context, end, stats)
    }

    /// Runs the turn of wave `index` of a group, which can run. If it ends at a barrier or with the program, the engine
    /// may run the turns that follow it, as long as each ends like that, too. `show` is called before each of these,
    /// with the context and the number of the wave. Returns the wave whose turn ended last and its outcome. The status
    /// of that wave is left to the caller; that of the others is up to date. Returns `None` if it has run all waves to
    /// their end. Adds the cost to `stats` except `run_ns`.
    fn run_group(
        &mut self,
        group: &mut WaveGroup,
        index: usize,
        context: &mut Context,
        show: Option<Show<'_>>,
        stats: &mut RunStats,
    ) -> Option<(usize, Result<Outcome, EngineError>)> {
        #[cfg(feature = "jit")]
        let gate = self.tiered.gate.clone().filter(|_| self.options.engine != EngineKind::Interp);
        #[cfg(feature = "jit")]
        let _turn = gate.as_ref().map(|gate| gate.enter());
        let _ = show;
        let Session { options, facts, interp, .. } = self;
        let (before, left) = (group.members[index].wave.executed, group.left_of(index));
        let end = match options.engine {
            EngineKind::Interp => {
                let program = &facts.program;
                group.run_turn(index, left, &mut Interpreted { interp, program, context, options, stats })
            }
            #[cfg(feature = "jit")]
            _ => {
                let with = tiered::With { interp, facts, context, options, stats };
                if group.each == u64::MAX {
                    return self.tiered.run_group(with, group, index, show);
                }
                self.tiered.run_turn(with, group, index, left)
            }
            #[cfg(not(feature = "jit"))]
            _ => Err(no_jit(&facts.program)),
        };
        group.left -= group.members[index].wave.executed - before;
        Some((index, end.map(TurnEnd::outcome)))
    }

    /// Runs until `wave.executed` is `end`. Adds the cost to `stats`.
    fn run_until(
        &mut self,
        wave: &mut Wave,
        context: &mut Context,
        end: u64,
        stats: &mut RunStats,
    ) -> Result<Outcome, EngineError> {
        let (start, paused) = (Instant::now(), stats.paused_ns);
        let outcome = self.run_untimed(wave, context, end, stats);
        stats.add_run_time(start, paused);
        outcome
    }

    /// Runs until `wave.executed` is `end`. Adds the cost to `stats`, except `run_ns`.
    fn run_untimed(
        &mut self,
        wave: &mut Wave,
        context: &mut Context,
        end: u64,
        stats: &mut RunStats,
    ) -> Result<Outcome, EngineError> {
        let run = |session: &mut Session| match session {
            Session { options, interp, .. } if options.engine == EngineKind::Interp => {
                interpret(interp, wave, context, end, options, stats)
            }
            #[cfg(feature = "jit")]
            Session { options, facts, interp, tiered, .. } => {
                tiered.run(tiered::With { interp, facts, context, options, stats }, wave, end)
            }
            #[cfg(not(feature = "jit"))]
            Session { facts, .. } => Err(no_jit(&facts.program)),
        };
        self.guarded(run, |outcome| outcome.as_ref().err())
    }
}

#[cfg(not(feature = "jit"))]
fn no_jit(program: &Program) -> EngineError {
    EngineError::Internal(format!("this build has no JIT for {}", program.arch()))
}

/// The interpreter, as turns need it.
struct Interpreted<'a> {
    interp: &'a mut Interp,
    program: &'a Program,
    context: &'a mut Context,
    options: &'a RunOptions,
    stats: &'a mut RunStats,
}

impl Steps for Interpreted<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn context(&mut self) -> &mut Context {
        self.context
    }

    fn run(&mut self, wave: &mut Wave, max: u64) -> Result<Outcome, EngineError> {
        let end = wave.executed.saturating_add(max);
        interpret(self.interp, wave, self.context, end, self.options, self.stats)
    }

    fn step(&mut self, wave: &mut Wave) -> Result<Outcome, EngineError> {
        Ok(self.interp.run_in(wave, self.context, 1))
    }
}

fn interpret(
    interp: &mut Interp,
    wave: &mut Wave,
    context: &mut Context,
    end: u64,
    options: &RunOptions,
    stats: &mut RunStats,
) -> Result<Outcome, EngineError> {
    let start = options.time_regions.then(Instant::now);
    let outcome = loop {
        let outcome = interp.run_in(wave, context, (end - wave.executed).min(STRETCH));
        if outcome != Outcome::Budget || wave.executed == end {
            break Ok(outcome);
        }
        if options.is_stopped_at(wave.executed) {
            break Err(EngineError::Interrupted);
        }
    };
    stats.interp_ns += start.map_or(0, |start| start.elapsed().as_nanos() as u64);
    outcome
}

/// Limit for the instructions between two checks of [`RunOptions::stop`]: well below a second, even for vector
/// instructions.
pub(crate) const STRETCH: u64 = 1 << 25;

impl RunOptions {
    /// Reports the number of executed instructions as progress. Returns whether the run has to stop.
    pub(crate) fn is_stopped_at(&self, executed: u64) -> bool {
        if let Some(progress) = &self.progress {
            progress.store(executed, Ordering::Relaxed);
        }
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Runs one program with a new engine.
pub fn run(program: &Program, wave: &mut Wave, options: &RunOptions) -> RunResult {
    Engine::new(options.clone()).run(program, wave)
}
