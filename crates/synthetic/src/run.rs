//! Runs a shader in a world: its groups in order, the waves of a group in turns.

use std::mem;
use std::time::Instant;

pub use gcnsim_engine::StoppedWave;
use gcnsim_engine::{
    Engine, EngineError, EngineKind, Group as Turns, Member, RunOptions, RunStats, Session, Status, Steps, TurnEnd,
};
use gcnsim_interp::Interp;
use gcnsim_isa::{Note, Notes, Program};
use gcnsim_loader::Stage;
use gcnsim_machine::outcome::{Detail, MEMORY, PC_OUT_OF_RANGE};
use gcnsim_machine::world::{PageStock, Stores, World};
use gcnsim_machine::{ClassCounts, Context, Outcome, Wave};

use crate::observe::{Classes, Observations, WaveObservations};
use crate::setup::{self, Group, LDS, Setup, SetupError};
use crate::subject::Subject;

/// Budget of a wave in instructions, if the user gives none.
pub const DEFAULT_BUDGET: u64 = 1_000_000;

/// How a run in a world ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The outcome of the first wave that stopped, or [`Outcome::Ended`] if all ended.
    Guest(Outcome),
    /// A wave wanted more memory than a run may touch. Results call this `budget`, with the kind `memory`. The detail
    /// is that of the access that stopped the wave.
    Memory(Option<Detail>),
}

/// The results of a shader in a world.
#[derive(Clone, Debug)]
pub struct SyntheticRun {
    /// How the run ended, or a failure of the simulator.
    pub outcome: Result<Ending, EngineError>,
    /// The wave that stopped, if not all ended.
    pub stopped: Option<Box<StoppedWave>>,
    /// Completed instructions of all waves.
    pub instructions: u64,
    /// Completed instructions by class, if they were counted.
    pub by_class: ClassCounts,
    /// Notes of all waves, and of the environment.
    pub notes: Notes,
    /// The stage of the shader.
    pub stage: Stage,
    /// The world of the run.
    pub world: World,
    /// The last wave that ran, in its last state. The observations have its exports and messages.
    pub last: Option<Box<Wave>>,
    /// The observations of the waves.
    pub observations: Observations,
    /// Numbers and hashes of the observations, by class.
    pub classes: Classes,
    /// Cost.
    pub stats: RunStats,
}

/// Runs waves instead of the engine, to observe them. [`Synthetic::run_watched`] calls it for each turn of each wave,
/// once or several times, in order.
///
/// It must change the wave only by running it. At a barrier or at the wave's end it must return the interpreter's
/// outcome.
pub trait Watch {
    /// Runs wave `index` of the group `group` until it ends, stops, waits at a barrier, or has executed `max` further
    /// instructions. `interp` is an interpreter of the program.
    fn run(
        &mut self,
        group: [u32; 3],
        index: u32,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        interp: &mut Interp,
    ) -> Outcome;
}

/// Runs shaders in worlds, one after the other, and keeps what can be reused between them. Each thread has its own.
pub struct Synthetic {
    engine: Engine,
    /// Pages of each world that a run was in.
    stocks: Vec<(World, PageStock)>,
}

impl Default for Synthetic {
    fn default() -> Synthetic {
        Synthetic::new(RunOptions::default())
    }
}

impl Synthetic {
    /// Returns a runner of shaders with options of the engine. The budget in the options is that of a wave.
    pub fn new(options: RunOptions) -> Synthetic {
        Synthetic { engine: Engine::new(options), stocks: Vec::new() }
    }

    /// Runs a shader in a world.
    ///
    /// # Errors
    /// [`SetupError`] if what the file says of the shader cannot be.
    pub fn run(&mut self, subject: &Subject, world: World) -> Result<SyntheticRun, SetupError> {
        let budget = self.engine.options().max_insts;
        self.run_up_to(subject, world, budget)
    }

    /// Runs a shader like [`Synthetic::run`], with the budget `max_insts` for each wave.
    ///
    /// # Errors
    /// As [`Synthetic::run`].
    pub fn run_up_to(
        &mut self,
        subject: &Subject,
        world: World,
        max_insts: Option<u64>,
    ) -> Result<SyntheticRun, SetupError> {
        let setup = setup::setup(subject, &world)?;
        Ok(self.run_set_up(subject, setup, world, max_insts))
    }

    /// Runs a shader that is set up.
    pub fn run_set_up(
        &mut self,
        subject: &Subject,
        setup: Setup,
        world: World,
        max_insts: Option<u64>,
    ) -> SyntheticRun {
        self.run_all(subject, setup, world, max_insts, None)
    }

    /// Runs a shader like [`Synthetic::run_set_up`]; `watch` runs the waves.
    pub fn run_watched(
        &mut self,
        subject: &Subject,
        setup: Setup,
        world: World,
        max_insts: Option<u64>,
        watch: &mut dyn Watch,
    ) -> SyntheticRun {
        self.run_all(subject, setup, world, max_insts, Some(watch))
    }

    fn run_all(
        &mut self,
        subject: &Subject,
        setup: Setup,
        world: World,
        max_insts: Option<u64>,
        watch: Option<&mut dyn Watch>,
    ) -> SyntheticRun {
        let budget = max_insts.unwrap_or(DEFAULT_BUDGET);
        let mut pieces = subject.pieces();
        pieces.extend(setup.pieces);
        let stock = self.take_stock(world);
        let mut context = Context::in_world(world, pieces, setup.lds_bytes, stock);
        context.apertures = setup.apertures;
        let mut notes = setup.notes;
        notes.insert(Note::Synthetic);
        let mut run = SyntheticRun {
            outcome: Ok(Ending::Guest(Outcome::Ended)),
            stopped: None,
            last: None,
            instructions: 0,
            by_class: ClassCounts::default(),
            notes,
            stage: subject.stage,
            world,
            observations: Observations::default(),
            classes: Classes::default(),
            stats: RunStats::default(),
        };
        // Compiled code leaves an access to a page that is not there to the interpreter, and with it much of the code
        // that follows. So if compiled code is to be checked, a first run makes the pages.
        let options = self.engine.options();
        let is_twofold = options.engine == EngineKind::Check || options.hot == 0;
        let session = self.engine.session(&subject.program);
        let is_twofold = is_twofold && watch.is_none();
        let (coverage, lds) = (setup.coverage, LdsStart { fill: setup.lds_fill, is_input: setup.lds_is_input });
        let program = &subject.program;
        let mut runner = Runner { program, session, context: &mut context, budget, coverage, lds, watch };
        if is_twofold {
            runner.make_pages(&setup.groups);
        }
        let start = Instant::now();
        setup.groups.into_iter().all(|group| runner.group(group, &mut run));
        // The outputs of a local shader are what it leaves in LDS.
        let outputs = if run.stage == Stage::Local { mem::take(&mut context.lds) } else { Default::default() };
        run.stats.add_run_time(start, 0);
        if context.is_world_full()
            && let Ok(Ending::Guest(outcome)) = &run.outcome
        {
            run.outcome = Ok(Ending::Memory(outcome.detail().copied().filter(|detail| detail.kind == MEMORY)));
        }
        let (left, stock) = context.leave_world();
        self.stocks.push((world, stock));
        (run.observations.stores, run.observations.images) = (left.stores, left.images);
        add_lds(&mut run.observations.stores, &outputs, lds.fill);
        run.classes = run.observations.classes();
        run
    }

    fn take_stock(&mut self, world: World) -> PageStock {
        let found = self.stocks.iter().position(|(other, _)| *other == world);
        found.map(|index| self.stocks.swap_remove(index).1).unwrap_or_default()
    }
}

impl SyntheticRun {
    /// Returns the hash of all observations.
    pub fn state_hash(&self) -> u64 {
        self.classes.state_hash()
    }
}

/// Runs the waves of a group.
struct Runner<'a, 'w> {
    program: &'a Program,
    session: &'a mut Session,
    context: &'a mut Context,
    budget: u64,
    coverage: u64,
    lds: LdsStart,
    watch: Option<&'w mut (dyn Watch + 'w)>,
}

impl Runner<'_, '_> {
    /// Runs all groups on the interpreter, and restores everything but the pages of memory that they have touched.
    /// A wave has at most [`DEFAULT_BUDGET`] here. Pages that it touches after that are
    /// made in the run itself.
    fn make_pages(&mut self, groups: &[Group]) {
        let snapshot = self.context.snapshot();
        let budget = self.budget.min(DEFAULT_BUDGET);
        for Group { waves, .. } in groups {
            self.lds.fill(self.context);
            let mut group = turns_of(waves.clone());
            let (session, context, stats) = (&mut *self.session, &mut *self.context, &mut RunStats::default());
            let turn = |group: &mut Turns, index, left| session.interpret_turn(group, index, context, left, stats);
            if turns(&mut group, budget, turn).is_some() {
                break;
            }
        }
        self.context.restore(&snapshot);
    }

    /// Runs a group. Returns whether all of its waves ended.
    fn group(&mut self, group: Group, run: &mut SyntheticRun) -> bool {
        self.lds.fill(self.context);
        let Group { id, waves } = group;
        let mut group = turns_of(waves);
        let (session, context, stats, watch) =
            (&mut *self.session, &mut *self.context, &mut run.stats, &mut self.watch);
        let stopped = turns(&mut group, self.budget, |group, index, left| match watch {
            Some(watch) => {
                let (program, index_of_wave) = (self.program, index as u32);
                let mut steps = Watched { watch: &mut **watch, session, context, program, id, index: index_of_wave };
                group.run_turn(index, left, &mut steps)
            }
            None => session.run_turn(group, index, context, left, stats),
        });
        if let Some((index, outcome)) = &stopped {
            let stopped = StoppedWave { group: id, index: *index as u32, wave: group.members[*index].wave.clone() };
            run.stopped = Some(Box::new(stopped));
            run.notes.insert_if(is_code_pointer(outcome), Note::SyntheticCodePointer);
            run.outcome = outcome.clone().map(Ending::Guest);
        }
        for (index, Member { mut wave, status, .. }) in group.members.into_iter().enumerate() {
            run.notes = run.notes.or(wave.state.notes);
            run.instructions += wave.executed;
            run.by_class.0.iter_mut().zip(wave.classes.0).for_each(|(sum, n)| *sum += n);
            let outcome = match (&stopped, status) {
                (Some((at, Ok(outcome))), _) if *at == index => *outcome,
                (_, Status::Ended) => Outcome::Ended,
                (_, Status::Waits) => Outcome::Barrier,
                (_, Status::Ready) => Outcome::Budget,
            };
            run.observations.waves.push(WaveObservations {
                group: id,
                index: index as u32,
                outcome,
                instructions: wave.executed,
                observed: mem::take(&mut wave.observed),
                coverage: self.coverage,
                vgprs: wave.vgprs.regs().len(),
            });
            run.last = Some(Box::new(wave));
        }
        stopped.is_none()
    }
}

/// The contents of LDS at the beginning of a group.
#[derive(Clone, Copy)]
struct LdsStart {
    /// The dword that all of LDS is made of, if LDS is no input.
    fill: u32,
    /// Whether LDS is an input: data of the world.
    is_input: bool,
}

impl LdsStart {
    fn fill(self, context: &mut Context) {
        let world = context.world().copied().filter(|_| self.is_input);
        match (world, self.fill) {
            (Some(world), _) => {
                let dwords = context.lds.chunks_exact_mut(4).zip((LDS..).step_by(4));
                dwords.for_each(|(dword, at)| dword.copy_from_slice(&world.dword(at).to_le_bytes()));
            }
            (None, 0) => context.lds.fill(0),
            (None, fill) => {
                context.lds.chunks_exact_mut(4).for_each(|dword| dword.copy_from_slice(&fill.to_le_bytes()));
            }
        }
    }
}

/// Adds to `stores` what a group has left in LDS, which was made of the dword `fill` before.
fn add_lds(stores: &mut Stores, lds: &[u8], fill: u32) {
    let dwords = lds.chunks_exact(4).zip((LDS..).step_by(4)).filter(|(dword, _)| *dword != fill.to_le_bytes());
    for (dword, address) in dwords {
        (address..).zip(dword).for_each(|(address, byte)| stores.push(address, *byte));
    }
}

/// Returns the turns of waves that can all run.
fn turns_of(waves: Vec<Wave>) -> Turns {
    Turns::new(waves.into_iter().map(Member::new).collect(), u64::MAX)
}

/// Runs waves in turns until all have ended. `turn` runs the turn of a wave; it gets the group, the number of the wave,
/// and the number of instructions that are left to it. Returns the first wave that stops in another way, and its
/// outcome.
fn turns(
    group: &mut Turns,
    budget: u64,
    mut turn: impl FnMut(&mut Turns, usize, u64) -> Result<TurnEnd, EngineError>,
) -> Option<(usize, Result<Outcome, EngineError>)> {
    while group.is_running() {
        let Some(index) = group.next_turn() else {
            group.release();
            continue;
        };
        let left = budget.saturating_sub(group.members[index].wave.executed);
        let end = turn(group, index, left);
        group.members[index].status = match end {
            Ok(TurnEnd::Over) => continue,
            Ok(TurnEnd::Wave(Outcome::Ended)) => Status::Ended,
            Ok(TurnEnd::Wave(Outcome::Barrier)) => Status::Waits,
            end => return Some((index, end.map(TurnEnd::outcome))),
        };
    }
    None
}

/// A watch that runs a turn.
struct Watched<'a> {
    watch: &'a mut dyn Watch,
    session: &'a mut Session,
    context: &'a mut Context,
    program: &'a Program,
    id: [u32; 3],
    index: u32,
}

impl Steps for Watched<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn context(&mut self) -> &mut Context {
        self.context
    }

    fn run(&mut self, wave: &mut Wave, max: u64) -> Result<Outcome, EngineError> {
        Ok(self.watch.run(self.id, self.index, wave, self.context, max, self.session.interp()))
    }
}

/// Whether a wave has jumped to an address where there is no code.
fn is_code_pointer(outcome: &Result<Outcome, EngineError>) -> bool {
    matches!(outcome, Ok(Outcome::Fault(detail)) if detail.kind == PC_OUT_OF_RANGE)
}
