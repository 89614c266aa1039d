//! Observers of a run: who wants to see what waves do, instruction by instruction or in larger stretches.
//!
//! Any number of [observers](Observer) see one run. While one of them [needs](Needs) to see a wave, the interpreter
//! runs it, in stretches as short as the most curious one needs. While none does, the engine runs it as if nobody
//! looked. What a wave does is the same either way.

use std::ops::Range;
use std::sync::Arc;

use gcnsim_interp::Interp;
use gcnsim_isa::Program;
use gcnsim_machine::{Context, Journal, Outcome, Wave, Write};

use crate::turn::Steps;
use crate::{EngineError, RunStats, Session};

/// What an observer needs to see of a wave, from now on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Most instructions between two looks. 0: the observer does not look.
    pub most: u64,
    /// Whether the observer needs the [writes](Step::writes) outside the wave.
    pub writes: bool,
}

impl Needs {
    /// The observer does not look.
    pub const NOTHING: Needs = Needs { most: 0, writes: false };
    /// Each instruction.
    pub const STEPS: Needs = Needs { most: 1, writes: false };
    /// Each instruction with its writes outside the wave.
    pub const WRITES: Needs = Needs { most: 1, writes: true };

    fn and(self, other: Needs) -> Needs {
        let most = match (self.most, other.most) {
            (0, most) | (most, 0) => most,
            (one, two) => one.min(two),
        };
        Needs { most, writes: self.writes || other.writes }
    }
}

/// What does not change in a run: the program, and what waves find at their start.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The program.
    pub program: Program,
    /// Number that is subtracted from an address of the program to get that of the file.
    pub moved: u64,
    /// Number of SGPRs, from s0 on, that have a value at the start of a wave.
    pub initial_sgprs: u32,
    /// Number of VGPRs, from v0 on, that have a value at the start of a wave.
    pub initial_vgprs: u32,
    /// Names, guest addresses and sizes in bytes of buffers, by address.
    pub buffers: Vec<(Arc<str>, u64, u64)>,
    /// Addresses of the scratch of all waves.
    pub scratch: Range<u64>,
    /// Scratch of a wave in bytes; 0 if waves have none.
    pub wave_scratch: u64,
    /// Whether the first wave of each group has the first scratch.
    pub groups_share_scratch: bool,
    /// The bits of an address that count.
    pub address_bits: u64,
    /// LDS of a group in bytes.
    pub lds_bytes: usize,
    /// Whether LDS has values at the beginning of a group.
    pub lds_has_values: bool,
    /// Whether the size of groups is made up, so that accesses to LDS mean nothing.
    pub is_group_made_up: bool,
    /// Whether lanes may write the same byte of LDS in one instruction, as the work-items of a patch do with its
    /// outputs.
    pub lanes_agree: bool,
}

impl Scene {
    /// The scene of waves of a program that have no groups, no buffers and no scratch.
    pub fn of_program(program: &Program) -> Scene {
        Scene {
            program: program.clone(),
            moved: 0,
            initial_sgprs: 0,
            initial_vgprs: 0,
            buffers: Vec::new(),
            scratch: 0..0,
            wave_scratch: 0,
            groups_share_scratch: false,
            address_bits: u64::MAX,
            lds_bytes: 0,
            lds_has_values: true,
            is_group_made_up: true,
            lanes_agree: false,
        }
    }

    /// The address of the file for an address of the program.
    pub fn address_of_file(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.moved)
    }
}

/// A wave of a run.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// What does not change in the run.
    pub scene: &'a Scene,
    /// Id of the group.
    pub group: [u32; 3],
    /// Number of the wave in the group.
    pub index: u32,
}

/// What a wave has just done.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// PC before the first instruction.
    pub pc: u64,
    /// Number of instructions that have completed.
    pub executed: u64,
    /// How the wave has stopped; [`Outcome::Budget`] if it goes on.
    pub outcome: Outcome,
    /// The writes outside the wave, in order, if an observer needs them.
    pub writes: &'a [Write],
}

/// Sees what waves do. It must not change the wave or its context, except that a context may make what it is asked for.
pub trait Observer {
    /// What the observer needs to see of a wave that is about to go on.
    fn needs(&mut self, at: &At<'_>, wave: &Wave) -> Needs;

    /// A group begins, or goes on after others have run. Until the next call all waves are of this group.
    fn enter(&mut self, _scene: &Scene, _group: [u32; 3], _entry: Entry) {}

    /// The group that was entered last is set aside. It is entered again when it goes on, or when the run stops.
    fn set_aside(&mut self, _group: [u32; 3]) {}

    /// A wave is about to go on. Called if the observer looks.
    fn before(&mut self, _at: &At<'_>, _wave: &mut Wave, _context: &mut Context) {}

    /// A wave has gone on. Called if the observer looks.
    fn after(&mut self, at: &At<'_>, step: &Step<'_>, wave: &Wave, context: &Context);

    /// A wave has ended, or the run has stopped.
    fn over(&mut self, _at: &At<'_>, _wave: &Wave, _context: &Context) {}
}

/// How a group comes to have its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// It begins.
    Begins,
    /// It was set aside, and goes on, or the run stops.
    GoesOn,
}

/// The observers of a run.
#[derive(Default)]
pub struct Observers<'o>(Vec<Watcher<'o>>);

/// An observer, and whether it looks at the wave that runs.
struct Watcher<'o> {
    observer: &'o mut dyn Observer,
    looks: bool,
}

impl<'o> Observers<'o> {
    /// No observers.
    pub fn none() -> Observers<'o> {
        Observers::default()
    }

    /// One observer.
    pub fn one(observer: &'o mut dyn Observer) -> Observers<'o> {
        let mut observers = Observers::none();
        observers.add(observer);
        observers
    }

    /// Adds an observer.
    pub fn add(&mut self, observer: &'o mut dyn Observer) {
        self.0.push(Watcher { observer, looks: false });
    }

    /// Whether nobody observes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A group begins, or goes on.
    pub fn enter(&mut self, scene: &Scene, group: [u32; 3], entry: Entry) {
        self.0.iter_mut().for_each(|watcher| watcher.observer.enter(scene, group, entry));
    }

    /// A group is set aside.
    pub fn set_aside(&mut self, group: [u32; 3]) {
        self.0.iter_mut().for_each(|watcher| watcher.observer.set_aside(group));
    }

    /// A wave has ended, or the run has stopped.
    pub fn over(&mut self, at: &At<'_>, wave: &Wave, context: &Context) {
        self.0.iter_mut().for_each(|watcher| watcher.observer.over(at, wave, context));
    }

    /// What all observers together need.
    fn needs(&mut self, at: &At<'_>, wave: &Wave) -> Needs {
        self.0.iter_mut().fold(Needs::NOTHING, |all, watcher| {
            let needs = watcher.observer.needs(at, wave);
            watcher.looks = needs.most > 0;
            all.and(needs)
        })
    }

    /// The observers that look.
    fn looking(&mut self) -> impl Iterator<Item = &mut &'o mut dyn Observer> {
        self.0.iter_mut().filter(|watcher| watcher.looks).map(|watcher| &mut watcher.observer)
    }

    /// Lets a wave go on for at most `max` instructions, and no further than the observers that look need.
    fn show(
        &mut self,
        at: &At<'_>,
        needs: Needs,
        (wave, context): (&mut Wave, &mut Context),
        max: u64,
        interp: &mut Interp,
    ) -> Outcome {
        self.looking().for_each(|observer| observer.before(at, wave, context));
        let (pc, before) = (wave.state.pc, wave.executed);
        if needs.writes {
            context.start_recording();
        }
        let outcome = interp.run_in(wave, context, max.min(needs.most));
        let journal = if needs.writes { context.stop_recording() } else { Journal::default() };
        let step = Step { pc, executed: wave.executed - before, outcome, writes: journal.writes() };
        self.looking().for_each(|observer| observer.after(at, &step, wave, context));
        outcome
    }
}

/// Number of instructions of an observed wave between two looks at [`RunOptions::stop`](crate::RunOptions::stop).
const SLICE: u64 = 1 << 16;

/// The turn of a wave that is observed.
pub(crate) struct Observed<'a, 'o> {
    pub at: At<'a>,
    pub observers: &'a mut Observers<'o>,
    pub session: &'a mut Session,
    pub context: &'a mut Context,
    pub stats: &'a mut RunStats,
}

impl Steps for Observed<'_, '_> {
    fn program(&self) -> &Program {
        &self.at.scene.program
    }

    fn context(&mut self) -> &mut Context {
        self.context
    }

    fn run(&mut self, wave: &mut Wave, max: u64) -> Result<Outcome, EngineError> {
        let Observed { at, observers, session, context, stats } = self;
        let end = wave.executed.saturating_add(max);
        let mut next_look = wave.executed.saturating_add(SLICE);
        while wave.executed < end {
            let (needs, left) = (observers.needs(at, wave), end - wave.executed);
            if needs.most == 0 {
                return session.run_stretch(wave, context, left, stats);
            }
            match observers.show(at, needs, (wave, context), left, session.interp()) {
                Outcome::Budget => {}
                outcome => return Ok(outcome),
            }
            if wave.executed >= next_look {
                next_look = wave.executed.saturating_add(SLICE);
                if session.options.is_stopped_at(wave.executed) {
                    return Err(EngineError::Interrupted);
                }
            }
        }
        Ok(Outcome::Budget)
    }

    fn step(&mut self, wave: &mut Wave) -> Result<Outcome, EngineError> {
        let Observed { at, observers, session, context, .. } = self;
        let needs = observers.needs(at, wave);
        Ok(match needs.most {
            0 => session.interp().run_in(wave, context, 1),
            _ => observers.show(at, needs, (wave, context), 1, session.interp()),
        })
    }
}

impl Session {
    /// Runs a wave as [`Session::run_alone`] does, and shows observers what it does.
    ///
    /// # Errors
    /// As [`Steps::run`].
    pub fn run_observed(
        &mut self,
        scene: &Scene,
        observers: &mut Observers<'_>,
        (wave, context): (&mut Wave, &mut Context),
        max_insts: Option<u64>,
        stats: &mut RunStats,
    ) -> Result<Outcome, EngineError> {
        let end = wave.executed.saturating_add(max_insts.unwrap_or(u64::MAX));
        let at = At { scene, group: [0; 3], index: 0 };
        loop {
            let left = end - wave.executed;
            let mut turn = Observed { at, observers, session: self, context, stats };
            match turn.run(wave, left) {
                // The wave is alone, so barriers do not hold it up.
                Ok(Outcome::Barrier) if wave.executed < end => {}
                Ok(Outcome::Barrier) => return Ok(Outcome::Budget),
                outcome => return outcome,
            }
        }
    }
}
