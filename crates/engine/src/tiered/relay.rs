//! Turns of the waves of a group that compiled code runs from barrier to barrier.
//!
//! Between two turns in a relay is what must be there and nothing else: checks of regions, compiling and whatever the
//! interpreter has to do are those of an ordinary turn.

use std::time::Instant;

use gcnsim_jit::cache::Lookup;
use gcnsim_jit::{ExitCode, MAX_CLASS_FUEL};

use super::{Next, TieredRun, elapsed_ns, frame, internal};
use crate::compiled::enter_region;
use crate::group::{Group, Status, TURN};
use crate::{EngineError, EngineKind, Show};
use gcnsim_machine::outcome::Outcome;

/// The end of a relay.
enum Handover {
    /// Wave `.0` has an ordinary turn, from the beginning or in the middle.
    To(usize, Option<Next>),
    /// No wave can run, or the run has to stop.
    Nobody,
}

impl TieredRun<'_, '_> {
    /// Runs the turn of wave `index`, and further turns as long as compiled code runs them from barrier to barrier.
    /// Returns the wave whose turn ended last, and its outcome.
    pub(super) fn turns(
        &mut self,
        group: &mut Group,
        mut index: usize,
        show: Option<Show<'_>>,
    ) -> (usize, Result<Outcome, EngineError>) {
        let mut resumed = None;
        loop {
            let wave = &mut group.members[index].wave;
            let before = wave.executed;
            if resumed.is_none() {
                self.end = before.saturating_add(group.left.min(TURN));
            }
            let next = match resumed.take() {
                Some(next) => Ok(next),
                None => self.start(wave),
            };
            let outcome = next.and_then(|next| self.go(wave, next));
            group.left -= wave.executed - before;
            if outcome != Ok(Outcome::Barrier) {
                return (index, outcome);
            }
            group.members[index].status = Status::Waits;
            match self.relay(group, show) {
                Ok(Handover::To(to, next)) => (index, resumed) = (to, next),
                Ok(Handover::Nobody) => return (index, Ok(Outcome::Barrier)),
                Err((index, error)) => return (index, Err(error)),
            }
        }
    }

    /// Runs turns from barrier to barrier.
    fn relay(&mut self, group: &mut Group, show: Option<Show<'_>>) -> Result<Handover, (usize, EngineError)> {
        let checked_entries = match self.options.engine {
            EngineKind::JitNoCheck => 0,
            EngineKind::Jit => self.options.checked_entries,
            EngineKind::Check | EngineKind::Interp => u64::MAX,
        };
        let most = TURN.min(4 * self.stretch());
        let mut timed: Option<(usize, Instant)> = None;
        let handover = loop {
            let Some(index) = group.next_turn() else {
                let executed = group.members.first().map_or(0, |member| member.wave.executed);
                if self.options.is_stopped_at(executed) || !group.release() {
                    break Handover::Nobody;
                }
                continue;
            };
            if let Some(gate) = self.gate {
                gate.give_way();
            }
            if let Some(show) = show {
                show(self.context, index);
            }
            let member = &mut group.members[index];
            let wave = &mut member.wave;
            let Some(Lookup::Region { region: number, entry }) = self.known.cache.get(wave.state.pc, wave.state.mode)
            else {
                break Handover::To(index, None);
            };
            let region = self.known.cache.region(number);
            let profile = &mut self.known.profile[number];
            let (left, need) = (group.left.min(TURN), region.entries()[entry].need);
            if profile.entered < checked_entries || left < need || region.vgpr_count() > wave.vgprs.regs().len() {
                break Handover::To(index, None);
            }
            if region.reaches_memory() {
                self.context.make_ready(self.program);
            }
            if self.options.time_regions && timed.is_none_or(|(of, _)| of != number) {
                let now = Instant::now();
                if let Some((of, start)) = timed.replace((number, now)) {
                    self.known.profile[of].run_ns += now.duration_since(start).as_nanos() as u64;
                }
            }
            let mut fuel = left.min(most).max(need);
            if region.counted_classes().is_some() {
                fuel = fuel.min(MAX_CLASS_FUEL);
            }
            let before = wave.executed;
            self.end = before.saturating_add(left);
            let exit = enter_region(region, entry, wave, self.context, frame(self.frame), fuel);
            let executed = wave.executed - before;
            group.left -= executed;
            let profile = &mut self.known.profile[number];
            profile.entered += 1;
            profile.executed += executed;
            match exit {
                Ok(ExitCode::Barrier) => member.status = Status::Waits,
                Ok(exit) => {
                    let next = self.after(wave, number, exit).map_err(|error| (index, error))?;
                    break Handover::To(index, Some(next));
                }
                Err(error) => return Err((index, internal(error))),
            }
        };
        if let Some((of, start)) = timed {
            self.known.profile[of].run_ns += elapsed_ns(start);
        }
        Ok(handover)
    }
}
