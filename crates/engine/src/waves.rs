//! Runs the waves of a group in turns.

use std::sync::atomic::Ordering;

use gcnsim_machine::{Context, Outcome};

use crate::codes::lacks;
use crate::group::{Status, WaveGroup};
use crate::observe::{At, Entry, Observed, Observers, Scene};
use crate::turn::TurnEnd;
use crate::{EngineError, RunStats, Session, Show};

/// How a group has stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroupEnd {
    /// All waves have ended.
    Ended,
    /// All waves that can run wait for something that only [other groups](WaveGroup::has_others) can bring about.
    Waits,
    /// The wave with this number has stopped in another way: with an outcome of the guest, or because the simulator
    /// failed.
    Stopped(usize, Result<Outcome, EngineError>),
    /// The wave with this number has come to code that is [not known](gcnsim_isa::Program::with_known); or to memory that
    /// is not mapped, though [the host may map it meanwhile](crate::RunOptions::host_writes). If nobody helps, this is its
    /// outcome. Observers have not been told.
    Lost(usize, Outcome),
    /// The run has to stop. It is [`EngineError::Interrupted`].
    Interrupted,
}

/// A group that is observed.
pub struct Watched<'a, 'o> {
    /// What does not change in the run.
    pub scene: &'a Scene,
    /// Id of the group.
    pub group: [u32; 3],
    /// How the group comes to have its turn.
    pub entry: Entry,
    /// Who observes.
    pub observers: &'a mut Observers<'o>,
}

impl Watched<'_, '_> {
    /// Shows the waves that have not ended when the run stops.
    pub fn stop(&mut self, group: &WaveGroup, context: &mut Context, show: Option<Show<'_>>) {
        let Watched { scene, group: id, observers, .. } = self;
        let unended = group.members.iter().enumerate().filter(|(_, member)| member.status != Status::Ended);
        for (index, member) in unended {
            if let Some(show) = show {
                show(context, index);
            }
            observers.over(&At { scene, group: *id, index: index as u32 }, &member.wave, context);
        }
    }
}

impl Session {
    /// Runs the waves of a group in turns, until all have ended, one stops, or all wait for other groups. `show` is
    /// called before each turn, with the context and the number of the wave. Adds the cost to `stats`, except `run_ns`.
    pub fn run_waves(
        &mut self,
        group: &mut WaveGroup,
        context: &mut Context,
        show: Option<Show<'_>>,
        mut watched: Option<Watched<'_, '_>>,
        stats: &mut RunStats,
    ) -> GroupEnd {
        if let Some(Watched { scene, group, entry, observers }) = &mut watched {
            observers.enter(scene, *group, *entry);
        }
        group.learn(&self.facts);
        let turns = |session: &mut Session| session.take_turns(group, context, show, &mut watched, stats);
        let end = self.guarded(turns, |end| match end {
            GroupEnd::Stopped(_, Err(error)) => Some(error),
            GroupEnd::Stopped(_, Ok(_))
            | GroupEnd::Ended
            | GroupEnd::Waits
            | GroupEnd::Lost(..)
            | GroupEnd::Interrupted => None,
        });
        match (&end, &mut watched) {
            (GroupEnd::Ended | GroupEnd::Lost(..), _) | (_, None) => {}
            (GroupEnd::Waits, Some(watched)) => watched.observers.set_aside(watched.group),
            (GroupEnd::Stopped(..) | GroupEnd::Interrupted, Some(watched)) => watched.stop(group, context, show),
        }
        end
    }

    fn take_turns(
        &mut self,
        group: &mut WaveGroup,
        context: &mut Context,
        show: Option<Show<'_>>,
        watched: &mut Option<Watched<'_, '_>>,
        stats: &mut RunStats,
    ) -> GroupEnd {
        while group.is_running() {
            let Some(index) = group.next_turn() else {
                if self.is_stopped() {
                    return GroupEnd::Interrupted;
                }
                group.release();
                continue;
            };
            if let Some(show) = show {
                show(context, index);
            }
            let turn = match watched {
                Some(watched) => Some((index, self.run_watched_turn(group, index, context, watched, stats))),
                None => self.run_group(group, index, context, show, stats),
            };
            let Some((index, outcome)) = turn else { break };
            let left = group.left_of(index);
            let member = &mut group.members[index];
            match outcome {
                Ok(Outcome::Ended) => {
                    member.status = Status::Ended;
                    if let Some(Watched { scene, group, observers, .. }) = watched {
                        observers.over(&At { scene, group: *group, index: index as u32 }, &member.wave, context);
                    }
                }
                Ok(Outcome::Barrier) => member.status = Status::Waits,
                Ok(Outcome::Budget) if left > 0 => {
                    if self.is_stopped() {
                        return GroupEnd::Interrupted;
                    }
                    if group.makes_way() {
                        return GroupEnd::Waits;
                    }
                }
                Ok(Outcome::Fault(detail))
                    if lacks(self.program(), member.wave.state.pc)
                        || self.options.host_writes && detail.memory.is_some() =>
                {
                    return GroupEnd::Lost(index, Outcome::Fault(detail));
                }
                outcome => return GroupEnd::Stopped(index, outcome),
            }
        }
        GroupEnd::Ended
    }

    fn run_watched_turn(
        &mut self,
        group: &mut WaveGroup,
        index: usize,
        context: &mut Context,
        watched: &mut Watched<'_, '_>,
        stats: &mut RunStats,
    ) -> Result<Outcome, EngineError> {
        let Watched { scene, group: id, observers, .. } = watched;
        let at = At { scene, group: *id, index: index as u32 };
        let (before, left) = (group.members[index].wave.executed, group.left_of(index));
        let mut steps = Observed { at, observers, session: self, context, stats };
        let end = group.run_turn(index, left, &mut steps);
        group.left -= group.members[index].wave.executed - before;
        end.map(TurnEnd::outcome)
    }

    /// Whether [`RunOptions::stop`](crate::RunOptions::stop) has become true.
    pub fn is_stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
