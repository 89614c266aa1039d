//! Runs a shader in a world: its groups in order, the waves of a group in turns.

use std::mem;
use std::time::Instant;

use gcnsim_device::groups::{Groups, Runner};
pub use gcnsim_engine::StoppedWave;
use gcnsim_engine::observe::{At, Needs, Observer, Observers, Step};
use gcnsim_engine::{Engine, EngineError, EngineKind, GroupEnd, Member, Run, RunOptions, Status, WaveGroup};
use gcnsim_isa::Note;
use gcnsim_loader::Stage;
use gcnsim_machine::outcome::{Detail, MEMORY, PC_OUT_OF_RANGE};
use gcnsim_machine::world::{Contents, Inputs, PageStock, Stores, World};
use gcnsim_machine::{Context, Outcome, Wave};

use crate::observe::{Classes, Observations, WaveObservations};
use crate::setup::{self, Group, LDS, Setup, SetupError};
use crate::subject::Subject;

/// Budget of a wave in instructions, if the user gives none.
pub const DEFAULT_BUDGET: u64 = 16_000_000;
/// Most instructions of a wave in the first run of two, which makes pages.
const FIRST_OF_TWO: u64 = 1_000_000;

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
#[non_exhaustive]
pub struct SyntheticRun {
    /// The run. Its notes include those of the environment.
    pub run: Run,
    /// Whether a wave wanted more memory than a run may touch.
    pub is_full: bool,
    /// The stage of the shader.
    pub stage: Stage,
    /// The world of the run.
    pub world: World,
    /// What memory held before, but for what the file and its environment put there.
    pub contents: Contents,
    /// The last wave of the last group that has begun, in its last state. The observations have its exports and
    /// messages.
    pub last: Option<Box<Wave>>,
    /// The observations of the waves.
    pub observations: Observations,
    /// Numbers and hashes of the observations, by class.
    pub classes: Classes,
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
        Ok(self.run_set_up(subject, setup, world, max_insts, &mut Observers::none()))
    }

    /// Runs a shader that is set up, and shows the run to observers.
    pub fn run_set_up(
        &mut self,
        subject: &Subject,
        setup: Setup,
        world: World,
        max_insts: Option<u64>,
        observers: &mut Observers<'_>,
    ) -> SyntheticRun {
        let budget = max_insts.unwrap_or(DEFAULT_BUDGET);
        let scene = setup.scene(subject);
        let mut pieces = subject.pieces();
        pieces.extend(setup.pieces);
        let stock = self.take_stock(world);
        let contents = Contents { world, buffers: setup.buffers.into(), scratch: setup.undefined };
        let inputs = Inputs { contents: contents.clone(), pieces, descriptors: setup.descriptors };
        let mut context = Context::in_world(inputs, setup.lds_bytes, stock);
        context.apertures = setup.apertures;
        // Compiled code leaves an access to a page that is not there to the interpreter, and with it much of the code
        // that follows. So if compiled code is to be checked, a first run makes the pages.
        let options = self.engine.options();
        let is_twofold = (options.engine == EngineKind::Check || options.hot == 0) && observers.is_empty();
        let session = self.engine.session(&subject.program);
        let lds = LdsStart { fill: setup.undefined, is_input: setup.lds_is_input };
        let in_world = |groups: Vec<Group>| InWorld {
            count: groups.len(),
            groups: groups.into_iter(),
            begun: Vec::new(),
            lds,
            coverage: setup.coverage,
            observations: Observations::default(),
            last: None,
        };
        if is_twofold {
            // Restores everything but the pages that the first run has touched. Pages that are touched after its budget
            // are made in the run itself.
            let snapshot = context.snapshot();
            let (mut nobody, groups) = (OnInterpreter, in_world(setup.groups.clone()));
            let mut observers = Observers::one(&mut nobody);
            let mut runner = Runner::new(groups, session, &mut context, u64::MAX);
            runner.limit_waves(budget.min(FIRST_OF_TWO));
            runner.show(&scene, &mut observers);
            runner.all(setup.groups.iter().map(|group| group.id), |_| true);
            drop(runner);
            context.restore(&snapshot);
        }
        let ids: Vec<_> = setup.groups.iter().map(|group| group.id).collect();
        let mut runner = Runner::new(in_world(setup.groups), session, &mut context, u64::MAX);
        runner.limit_waves(budget);
        if !observers.is_empty() {
            runner.show(&scene, observers);
        }
        let start = Instant::now();
        runner.all(ids, |_| true);
        let (mut run, InWorld { mut observations, last, begun, .. }) = runner.finish(start);
        let last = last.map(|(_, wave)| wave);
        // Groups that waited for others have ended after them.
        observations.waves.sort_by_key(|wave| begun.iter().position(|id| *id == wave.group));
        run.notes = run.notes.or(setup.notes);
        run.notes.insert(Note::Synthetic);
        run.notes.insert_if(is_code_pointer(&run.outcome), Note::SyntheticCodePointer);
        let is_full = context.is_world_full();
        // The outputs of a local shader are what it leaves in LDS.
        let outputs = if subject.stage == Stage::Local { mem::take(&mut context.lds) } else { Default::default() };
        let (left, stock) = context.leave_world();
        self.stocks.push((world, stock));
        (observations.stores, observations.images) = (left.stores, left.images);
        add_lds(&mut observations.stores, &outputs, lds.fill);
        let classes = observations.classes();
        SyntheticRun { run, is_full, stage: subject.stage, world, contents, last, observations, classes }
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

    /// How the run ended.
    ///
    /// # Errors
    /// The failure of the simulator.
    pub fn ending(&self) -> Result<Ending, &EngineError> {
        let outcome = self.run.outcome.as_ref()?;
        Ok(match self.is_full {
            true => Ending::Memory(outcome.detail().copied().filter(|detail| detail.kind == MEMORY)),
            false => Ending::Guest(*outcome),
        })
    }
}

/// The groups of a shader in a world.
struct InWorld {
    /// Number of all groups.
    count: usize,
    /// The groups that have not begun.
    groups: std::vec::IntoIter<Group>,
    /// The ids of those that have begun, in order.
    begun: Vec<[u32; 3]>,
    lds: LdsStart,
    /// Lanes of exports that count.
    coverage: u64,
    observations: Observations,
    /// The last wave of the last group, and the number of the group.
    last: Option<(usize, Box<Wave>)>,
}

impl Groups for InWorld {
    fn at_once(&self) -> usize {
        self.count
    }

    fn ends_in_vain(&self) -> bool {
        true
    }

    fn start(&mut self, id: [u32; 3], group: &mut WaveGroup, context: &mut Context) {
        self.begun.push(id);
        self.lds.fill(context);
        let waves = self.groups.next().map(|group| group.waves).unwrap_or_default();
        group.members = waves.into_iter().map(Member::new).collect();
    }

    fn show(&self) -> Option<impl Fn(&mut Context, usize)> {
        None::<fn(&mut Context, usize)>
    }

    fn end(&mut self, id: [u32; 3], group: &mut WaveGroup, end: &GroupEnd) {
        let number = self.begun.iter().position(|other| *other == id).unwrap_or(0);
        for (index, Member { mut wave, status, .. }) in mem::take(&mut group.members).into_iter().enumerate() {
            let outcome = match (end, status) {
                (GroupEnd::Stopped(at, Ok(outcome)), _) if *at == index => *outcome,
                (_, Status::Ended) => Outcome::Ended,
                (_, Status::Waits) => Outcome::Barrier,
                (_, Status::Ready) => Outcome::Budget,
            };
            self.observations.waves.push(WaveObservations {
                group: id,
                index: index as u32,
                outcome,
                instructions: wave.executed,
                observed: mem::take(&mut wave.observed),
                coverage: self.coverage,
                vgprs: wave.vgprs.regs().len(),
            });
            if self.last.as_ref().is_none_or(|(last, _)| *last <= number) {
                self.last = Some((number, Box::new(wave)));
            }
        }
    }
}

/// An observer with which the interpreter runs all waves.
struct OnInterpreter;

impl Observer for OnInterpreter {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        Needs { most: u64::MAX, writes: false }
    }

    fn after(&mut self, _at: &At<'_>, _step: &Step<'_>, _wave: &Wave, _context: &Context) {}
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

/// Whether a wave has jumped to an address where there is no code.
fn is_code_pointer(outcome: &Result<Outcome, EngineError>) -> bool {
    matches!(outcome, Ok(Outcome::Fault(detail)) if detail.kind == PC_OUT_OF_RANGE)
}
