//! Turns of the waves of a group that compiled code runs from barrier to barrier, or to the end of the program.
//!
//! Between two turns of a relay only what is necessary is done. Checks of regions, compiling and what the interpreter
//! has to do belong to ordinary turns. Once all waves of a group go on in one region, [`Stay::take_turns`] runs them.
//!
//! [`Stay::take_turns`]: gcnsim_jit::Stay::take_turns

use gcnsim_isa::WaveState;
use gcnsim_jit::cache::Lookup;
use gcnsim_jit::{ExitCode, MAX_CLASS_FUEL, Region, Turn, Turns, has_equal_max};

use super::{Gate, TieredRun, elapsed_ns, internal};
use crate::group::{Member, Status, WaveGroup};
use crate::turn::{TURN, TurnEnd, WaveTurn};
use crate::{EngineError, EngineKind, RunOptions, Show};
use gcnsim_machine::Context;
use gcnsim_machine::outcome::Outcome;

/// The end of a relay. It is small, because most groups end so.
enum Handover {
    /// Wave `.0` has an ordinary turn.
    To(usize),
    /// Wave `.0` goes on with its turn in the ordinary way, after it has left region `.1`.
    In(usize, usize, ExitCode),
    /// All waves have ended.
    Ended,
    /// No wave can run, or the run has to stop. The last turn was that of wave `.0`.
    Nobody(usize),
    /// The code of a region failed in the turn of wave `.0`.
    Failed(usize, Box<EngineError>),
}

/// The end of turns in one region.
enum Left {
    /// Another region, or an ordinary turn, may go on with this wave. It has not begun its turn.
    At(usize),
    /// All waves can run, this one next, and all go on in the region.
    Round(usize),
    /// The region was left in the turn of this wave.
    In(usize, ExitCode),
    /// No wave can run, or the run has to stop. The last turn was that of this wave.
    Nobody(usize),
    /// The code of a region failed.
    Failed(usize, Box<EngineError>),
}

impl TieredRun<'_> {
    /// Runs the turn of wave `index`, and further turns as long as compiled code runs them to a barrier or to the end
    /// of the program. Returns the wave whose turn ended last, and its outcome; `None` if all waves have ended.
    pub(super) fn turns(
        &mut self,
        group: &mut WaveGroup,
        mut index: usize,
        show: Option<Show<'_>>,
    ) -> Option<(usize, Result<Outcome, EngineError>)> {
        let mut first = Some(index);
        loop {
            let (mut turn, before, next) = match self.relay(group, show, first.take(), index) {
                Handover::To(to) => {
                    index = to;
                    group.begin_turn(index, self.context);
                    let start = group.members[index].wave.executed;
                    let turn = WaveTurn::new(start, group.left, group.first_stop());
                    self.end = turn.stop;
                    (turn, start, self.start(&group.members[index].wave))
                }
                Handover::In(at, region, exit) => {
                    index = at;
                    let wave = &mut group.members[index].wave;
                    let before = wave.executed;
                    let left = group.left.saturating_add(before - self.start);
                    let turn = WaveTurn::new(self.start, left, self.end - self.start);
                    (turn, before, self.after(wave, region, exit))
                }
                Handover::Ended => return None,
                Handover::Nobody(last) => {
                    let has_ended = group.members[last].status == Status::Ended;
                    return Some((last, Ok(if has_ended { Outcome::Ended } else { Outcome::Barrier })));
                }
                Handover::Failed(at, error) => return Some((at, Err(*error))),
            };
            let outcome = next.and_then(|next| self.go(&mut group.members[index].wave, next));
            let end = outcome.and_then(|outcome| turn.go_on(group, index, self, outcome));
            group.left -= group.members[index].wave.executed - before;
            group.members[index].status = match end {
                Ok(TurnEnd::Wave(Outcome::Barrier)) => Status::Waits,
                Ok(TurnEnd::Wave(Outcome::Ended)) => Status::Ended,
                end => return Some((index, end.map(TurnEnd::outcome))),
            };
        }
    }

    /// Runs turns from barrier to barrier, or to the end of the program, from that of wave `first` on, or from that of
    /// the next wave after the turn of wave `last`.
    fn relay(&mut self, group: &mut WaveGroup, show: Option<Show<'_>>, first: Option<usize>, last: usize) -> Handover {
        group.members.iter_mut().for_each(|member| member.next = None);
        let next = || next_turn(self.options, self.gate, self.context, group, show).map(|(index, _)| index);
        let Some(mut index) = first.or_else(next) else { return nobody(group, last) };
        let mut round = None;
        loop {
            if group.is_special(index) {
                return Handover::To(index);
            }
            // Regions overlap, and each numbers its entries: a round goes on in the region whose entries waves have.
            let (region, entry) = match round.take() {
                Some(region) => (region, None),
                None => {
                    let wave = &group.members[index].wave;
                    match self.known.cache.get(&wave.state) {
                        Some(Lookup::Region { region, entry }) => (region, Some(entry)),
                        _ => return Handover::To(index),
                    }
                }
            };
            if !self.is_trusted(region, group.members.len() == 1) {
                return Handover::To(index);
            }
            let start = self.clock();
            let before = self.known.profile[region].done();
            let left = match entry {
                Some(entry) => self.stay(group, show, index, region, entry),
                None => self.round(group, index, region),
            };
            let profile = &mut self.known.profile[region];
            profile.run_ns += start.map_or(0, elapsed_ns);
            let is_entered = profile.entered != before.entered;
            if is_entered {
                self.stats.regions_entered += self.known.leases.enter(region, before) as u64;
            }
            match left {
                Left::At(index) if !is_entered => return Handover::To(index),
                Left::At(next) => index = next,
                Left::Round(next) => (index, round) = (next, Some(region)),
                Left::In(index, exit) => return Handover::In(index, region, exit),
                Left::Nobody(last) => return nobody(group, last),
                Left::Failed(index, error) => return Handover::Failed(index, error),
            }
        }
    }

    /// Whether a region has been entered before, and its next entry need not be checked. Turns of a wave that is alone
    /// do not put off that the region's branches are judged.
    fn is_trusted(&self, region: usize, is_alone: bool) -> bool {
        if is_alone && self.known.branches.are_judged_again(region) {
            return false;
        }
        let entered = self.known.profile[region].entered;
        match self.options.engine {
            EngineKind::JitNoCheck => entered > 0,
            EngineKind::Jit => entered >= self.options.checked_entries.max(1),
            EngineKind::Check | EngineKind::Interp => false,
        }
    }

    /// Runs turns in region `number`, from that of wave `index` at entry `entry` on.
    fn stay(
        &mut self,
        group: &mut WaveGroup,
        show: Option<Show<'_>>,
        mut index: usize,
        number: usize,
        mut entry: usize,
    ) -> Left {
        let most = TURN.min(4 * self.stretch());
        let TieredRun { context, program, options, frame, known, gate, start, end, .. } = self;
        let region: &Region = known.cache.region(number);
        if region.reaches_memory() {
            context.make_ready(program);
        }
        let most = if region.counted_classes().is_some() { most.min(MAX_CLASS_FUEL) } else { most };
        // Waves in the same state, as far as it decides where waves enter, all enter here.
        let state = &group.members[index].wave.state;
        let (begin, mode) = ((state.pc, has_equal_max(state), entry), state.mode);
        // Between the turns of a round nothing is done. So neither a gate nor `show` may wait for the end of a turn.
        let is_plain = gate.is_none() && show.is_none();
        let (mut entered, mut left) = (0, group.left);
        let frame = super::frame(frame);
        let end = loop {
            let (turn, is_special) = (left.min(group.first_stop()), group.is_special(index));
            let Member { wave, status, next, .. } = &mut group.members[index];
            let need = region.entries()[entry].need;
            let fits = wave.vgprs.regs().len() >= region.vgpr_count() && takes(region, &wave.state);
            if turn < need || wave.state.mode != mode || !fits || is_special {
                break Left::At(index);
            }
            let fuel = turn.min(most).max(need);
            let before = wave.executed;
            (*start, *end) = (before, before.saturating_add(turn));
            frame.fuel = fuel;
            frame.clock_end = before.saturating_add(fuel);
            let mut stay = region.stay(context, frame);
            let exit = match stay.enter(entry, &mut wave.state, &mut wave.vgprs, &mut wave.observed) {
                Ok(exit) => exit,
                Err(error) => break Left::Failed(index, Box::new(internal(error))),
            };
            let goes_on = stay.next;
            drop(stay);
            let executed = fuel - frame.fuel;
            (entered, left) = (entered + 1, left - executed);
            wave.executed = before + executed;
            region.count_classes(&mut wave.classes, frame, executed);
            if executed != 0 && exit != ExitCode::Fuel {
                wave.last_pc = Some(frame.last_pc);
            }
            match exit {
                ExitCode::Barrier => (*status, *next) = (Status::Waits, goes_on.map(|entry| (number, entry))),
                ExitCode::Ended => *status = Status::Ended,
                _ => break Left::In(index, exit),
            }
            group.moves(index);
            let turn = next_turn(options, *gate, context, group, show);
            let Some((turn, released)) = turn else { break Left::Nobody(index) };
            index = turn;
            if released && is_plain && goes_on_in(group, region, number, mode) {
                break Left::Round(index);
            }
            let Member { wave, next, .. } = &group.members[index];
            entry = match *next {
                Some((region, next)) if region == number => next,
                None if begin == (wave.state.pc, has_equal_max(&wave.state), begin.2) => begin.2,
                _ => break Left::At(index),
            };
        };
        let profile = &mut known.profile[number];
        profile.entered += entered;
        profile.executed += group.left - left;
        group.left = left;
        end
    }

    /// Runs rounds of turns in region `number`, where all waves that have not ended [go on](goes_on_in): in a round
    /// each comes to a barrier. All can run, and wave `index` is the first.
    fn round(&mut self, group: &mut WaveGroup, index: usize, number: usize) -> Left {
        let TieredRun { context, frame, known, start, end, .. } = self;
        let region: &Region = known.cache.region(number);
        let (count, mode, most) = (group.members.len(), group.members[index].wave.state.mode, group.left.min(TURN));
        let of_turn = group.first_stop();
        let (mut turns, mut places) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (i, Member { wave, status, next, .. }) in group.members.iter_mut().enumerate() {
            if *status != Status::Ended {
                let entry = next.filter(|&(region, _)| region == number).map_or(usize::MAX, |(_, entry)| entry);
                turns.push(Turn::new(entry, 0, wave));
                places.push((i, status, next));
            }
        }
        let (waves, first) = (places.len(), places.iter().filter(|(i, ..)| *i < index).count());
        turns.rotate_left(first);
        places.rotate_left(first);
        for (k, turn) in turns.iter_mut().enumerate() {
            // When waves are released, the wave that has the turn then loses it: see `WaveGroup`.
            let loses_it = places[(k + 1) % waves].0 == (places[k].0 + 1) % count;
            turn.after_release = (k + 1 + usize::from(loses_it)) % waves;
        }
        let result = region.stay(context, super::frame(frame)).take_turns(&mut turns, mode, most, of_turn);
        let Turns { at, ready, entered, left, exit } = match result {
            Ok(turns) => turns,
            Err((at, error)) => return Left::Failed(places[at].0, Box::new(internal(error))),
        };
        for (k, ((_, status, next), turn)) in places.iter_mut().zip(&turns).enumerate() {
            let is_waiting = (at + waves - 1 - k) % waves < waves - ready;
            **status = if is_waiting { Status::Waits } else { Status::Ready };
            **next = (turn.entry < region.entries().len()).then_some((number, turn.entry));
        }
        let at = places[at].0;
        group.turn_was_of(at);
        let executed = most - left;
        group.left -= executed;
        let profile = &mut known.profile[number];
        profile.entered += entered;
        profile.executed += executed;
        match exit {
            Some((exit, executed)) => {
                *start = group.members[at].wave.executed - executed;
                *end = start.saturating_add((group.left + executed).min(of_turn));
                Left::In(at, exit)
            }
            None => Left::At(at),
        }
    }
}

/// The end of a relay in which no wave can run after the turn of wave `last`, or which has to stop.
fn nobody(group: &WaveGroup, last: usize) -> Handover {
    if group.is_running() { Handover::Nobody(last) } else { Handover::Ended }
}

/// Whether all waves of a group that have not ended go on in region `number`, with one value of MODE and as many VGPRs.
fn goes_on_in(group: &WaveGroup, region: &Region, number: usize, mode: u32) -> bool {
    let mut running = group.members.iter().filter(|member| member.status != Status::Ended);
    let count = group.members.first().map_or(0, |member| member.wave.vgprs.regs().len());
    running.all(|Member { wave, next, .. }| {
        let is_alike = wave.state.mode == mode && wave.vgprs.regs().len() == count;
        is_alike && next.is_some_and(|(at, _)| at == number) && takes(region, &wave.state)
    })
}

/// Whether a region takes a wave in this state, as far as MODE and notes go. As long as MODE stays the same it then
/// takes the wave again, because notes stay raised.
fn takes(region: &Region, state: &WaveState) -> bool {
    region.modes().has(state.mode, has_equal_max(state))
}

/// Returns the wave that has the next turn, once the context is ready for it, and whether those at barriers were let go
/// on; `None` if no wave can run or the run has to stop.
#[inline]
fn next_turn(
    options: &RunOptions,
    gate: Option<&Gate>,
    context: &mut Context,
    group: &mut WaveGroup,
    show: Option<Show<'_>>,
) -> Option<(usize, bool)> {
    let (index, released) = match group.next_turn() {
        Some(index) => (index, false),
        None => {
            let executed = group.members.first().map_or(0, |member| member.wave.executed);
            if options.is_stopped_at(executed) || !group.release() {
                return None;
            }
            (group.next_turn()?, true)
        }
    };
    if let Some(gate) = gate {
        gate.give_way();
    }
    if let Some(show) = show {
        show(context, index);
    }
    Some((index, released))
}
