//! Runs a shader in a world: its groups in order, the waves of a group in turns.

use std::time::Instant;

use gcnsim_engine::{Engine, EngineError, RunOptions, RunStats, Session};
use gcnsim_isa::{Note, Notes};
use gcnsim_loader::Stage;
use gcnsim_machine::outcome::PC_OUT_OF_RANGE;
use gcnsim_machine::world::{PageStock, World};
use gcnsim_machine::{ClassCounts, Context, Outcome, Wave};

use crate::observe::{Classes, Observations, WaveObservations};
use crate::setup::{self, Group, Setup, SetupError};
use crate::subject::Subject;

/// Budget of a wave in instructions, if the user gives none.
pub const DEFAULT_BUDGET: u64 = 1_000_000;

/// How a run in a world ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// As the first wave that stopped, or as all.
    Guest(Outcome),
    /// A wave wanted more memory than a run may touch. Results call it `budget`, kind `memory`.
    Memory,
}

/// What a shader has done in a world.
#[derive(Clone, Debug)]
pub struct SyntheticRun {
    /// How it ended, or a failure of the simulator.
    pub outcome: Result<Ending, EngineError>,
    /// The wave that stopped, if not all ended: its group, its number, and its last state.
    pub stopped: Option<([u32; 3], u32, Box<Wave>)>,
    /// Completed instructions of all waves.
    pub instructions: u64,
    /// Completed instructions by class, if they were counted.
    pub by_class: ClassCounts,
    /// Notes of all waves, and of the environment.
    pub notes: Notes,
    /// The stage.
    pub stage: Stage,
    /// The world.
    pub world: World,
    /// What the waves were observed to do.
    pub observations: Observations,
    /// The same as numbers and hashes.
    pub classes: Classes,
    /// Cost.
    pub stats: RunStats,
}

/// Runs shaders in worlds, one after the other, and keeps what can be reused between them. Each thread has its own.
pub struct Synthetic {
    engine: Engine,
    /// Pages of each world that was used.
    stocks: Vec<(World, PageStock)>,
}

impl Default for Synthetic {
    fn default() -> Synthetic {
        Synthetic::new(RunOptions::default())
    }
}

impl Synthetic {
    /// Runs with options of the engine. Their budget is one of a wave.
    pub fn new(options: RunOptions) -> Synthetic {
        Synthetic { engine: Engine::new(options), stocks: Vec::new() }
    }

    /// Runs a shader in a world.
    ///
    /// # Errors
    /// [`SetupError`] if what the file says of the shader cannot be.
    pub fn run(&mut self, subject: &Subject, world: World) -> Result<SyntheticRun, SetupError> {
        let setup = setup::setup(subject, &world)?;
        Ok(self.run_set_up(subject, setup, world))
    }

    /// Runs a shader that is set up.
    pub fn run_set_up(&mut self, subject: &Subject, setup: Setup, world: World) -> SyntheticRun {
        let budget = self.engine.options().max_insts.unwrap_or(DEFAULT_BUDGET);
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
            instructions: 0,
            by_class: ClassCounts::default(),
            notes,
            stage: subject.stage,
            world,
            observations: Observations::default(),
            classes: Classes::default(),
            stats: RunStats::default(),
        };
        let start = Instant::now();
        let mut session = self.engine.session(&subject.program);
        for group in setup.groups {
            let mut turns = Turns { session: &mut session, context: &mut context, budget, coverage: setup.coverage };
            if !turns.group(group, &mut run) {
                break;
            }
        }
        drop(session);
        run.stats.add_run_time(start, 0);
        if context.is_world_full() && run.outcome.is_ok() {
            run.outcome = Ok(Ending::Memory);
        }
        let (left, stock) = context.leave_world();
        self.stocks.push((world, stock));
        (run.observations.stores, run.observations.images) = (left.stores, left.images);
        run.classes = run.observations.classes();
        run
    }

    fn take_stock(&mut self, world: World) -> PageStock {
        let found = self.stocks.iter().position(|(other, _)| *other == world);
        found.map(|index| self.stocks.swap_remove(index).1).unwrap_or_default()
    }
}

impl SyntheticRun {
    /// The hash of all observations.
    pub fn state_hash(&self) -> u64 {
        self.classes.state_hash()
    }
}

/// Runs the waves of a group.
struct Turns<'a, 'e, 'p> {
    session: &'a mut Session<'e, 'p>,
    context: &'a mut Context,
    budget: u64,
    coverage: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Ready,
    Waits,
    Ended,
}

impl Turns<'_, '_, '_> {
    /// Runs a group. Returns whether all of its waves ended.
    fn group(&mut self, group: Group, run: &mut SyntheticRun) -> bool {
        self.context.lds.fill(0);
        let Group { id, mut waves } = group;
        let mut statuses = vec![Status::Ready; waves.len()];
        let stopped = self.turns(&mut waves, &mut statuses, run);
        if let Some((index, outcome)) = &stopped {
            run.stopped = Some((id, *index as u32, Box::new(waves[*index].clone())));
            run.notes.insert_if(is_code_pointer(outcome), Note::SyntheticCodePointer);
            run.outcome = outcome.clone().map(Ending::Guest);
        }
        for (index, (wave, status)) in waves.into_iter().zip(statuses).enumerate() {
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
                observed: wave.observed,
                coverage: self.coverage,
                vgprs: wave.vgprs.regs().len(),
            });
        }
        stopped.is_none()
    }

    /// Runs waves in the order of their numbers, each until it ends or waits. Returns the first that stops otherwise.
    fn turns(
        &mut self,
        waves: &mut [Wave],
        statuses: &mut [Status],
        run: &mut SyntheticRun,
    ) -> Option<(usize, Result<Outcome, EngineError>)> {
        while statuses.iter().any(|status| *status != Status::Ended) {
            for (index, (wave, status)) in waves.iter_mut().zip(statuses.iter_mut()).enumerate() {
                if *status != Status::Ready {
                    continue;
                }
                let left = self.budget.saturating_sub(wave.executed);
                match self.session.run_turn(wave, self.context, left, &mut run.stats) {
                    Ok(Outcome::Ended) => *status = Status::Ended,
                    Ok(Outcome::Barrier) => *status = Status::Waits,
                    outcome => return Some((index, outcome)),
                }
            }
            statuses.iter_mut().filter(|status| **status == Status::Waits).for_each(|status| *status = Status::Ready);
        }
        None
    }
}

/// Whether a wave has jumped to an address where there is no code.
fn is_code_pointer(outcome: &Result<Outcome, EngineError>) -> bool {
    matches!(outcome, Ok(Outcome::Fault(detail)) if detail.kind == PC_OUT_OF_RANGE)
}
