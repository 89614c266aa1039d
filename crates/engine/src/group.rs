//! The waves of a group, which run in turns.

use std::sync::Arc;

use gcnsim_machine::{Context, Outcome, Wave};

use crate::code::Facts;
use crate::turn::{TURN, TurnEnd, Wait};

/// Number of instructions before the first probe of a turn, in a group of which no wave has been found to wait.
const FIRST_PROBE: u64 = 1 << 12;
/// The same in a group of one wave, which may wait for other groups. Most end before that, and nobody has to look for
/// loops in their code.
const FIRST_PROBE_OF_ONE: u64 = 1 << 14;
/// Most instructions before the first probe of a turn, in a group whose probes have found nothing.
const LATEST_PROBE: u64 = 1 << 16;
/// The same in a group of which a wave has been found to wait.
const LATER_PROBE: u64 = 1 << 13;
/// Number of instructions before the first probe of a turn, in a group whose waves wait for each other.
const EARLY_PROBE: u64 = 1 << 7;
/// Factor of [`EARLY_PROBE`], as a power of two, for each time that a wave that was taken for one that waits has gone
/// on by itself.
const DOUBT: u32 = 3;

/// Whether a wave can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The wave can run.
    Ready,
    /// The wave waits at a barrier.
    Waits,
    /// The program of the wave has ended.
    Ended,
}

/// A wave of a group.
#[derive(Clone, Debug)]
pub struct Member {
    /// The wave.
    pub wave: Wave,
    /// Whether the wave can run.
    pub status: Status,
    /// What the wave waited for at the end of its last turn.
    wait: Option<Box<Wait>>,
    /// Whether what the wave waited for had not come about when its turn began.
    is_in_vain: bool,
    /// In a relay, the region and the entry where the wave goes on.
    #[cfg(feature = "jit")]
    pub(crate) next: Option<(usize, usize)>,
}

impl Member {
    /// Returns a wave that can run.
    pub fn new(wave: Wave) -> Member {
        Member {
            wave,
            status: Status::Ready,
            wait: None,
            is_in_vain: false,
            #[cfg(feature = "jit")]
            next: None,
        }
    }
}

/// The wave at which a run of groups stopped.
#[derive(Clone, Debug)]
pub struct StoppedWave {
    /// The group.
    pub group: [u32; 3],
    /// Number of the wave in the group.
    pub index: u32,
    /// The state of the wave at that time.
    pub wave: Wave,
}

/// The waves of a group, or of one group after the other. They have their turns in the order of their numbers, the
/// first after the last. When none can run, those that wait are let go on, and the turn passes to the next.
#[derive(Clone)]
pub struct WaveGroup {
    /// The waves by number.
    pub members: Vec<Member>,
    /// Number of instructions that all of them together may still execute.
    pub left: u64,
    /// Most instructions of each wave.
    pub each: u64,
    /// Whether the run has other groups, which may bring about what waves of this one wait for.
    pub has_others: bool,
    /// Number of the wave whose turn comes next.
    turn: usize,
    probes: Probes,
    /// The program, once it runs.
    facts: Option<Arc<Facts>>,
}

/// When the turns of a group are interrupted to find out whether a wave waits for another one.
///
/// A probe costs as much as some thousand compiled instructions. So each that finds nothing puts off the first one of
/// the turns that follow. Once a wave waits, they come early, and stay so while waves that wait are let go on by
/// others. If a wave goes on by itself, it did not wait: its loop does the same again and again until it has counted
/// enough. Then probes come later. If nobody brings about what anybody waits for, there are none.
#[derive(Clone, Copy, Debug)]
struct Probes {
    /// Number of instructions before the first probe of a turn.
    first: u64,
    /// Whether a wave has been found to wait.
    has_found: bool,
    /// How often a wave that seemed to wait has gone on by itself.
    doubts: u32,
    /// Number of turns in a row of waves that wait for what they waited for before.
    in_vain: usize,
    /// Whether these were turns of all waves that can run.
    is_stuck: bool,
    /// Number of turns to come that are not probed.
    unprobed: usize,
}

impl Default for Probes {
    fn default() -> Probes {
        Probes { first: FIRST_PROBE, has_found: false, doubts: 0, in_vain: 0, is_stuck: false, unprobed: 0 }
    }
}

impl Probes {
    /// Number of instructions before the first probe of a turn, in a group of which a wave has been found to wait.
    fn early(&self) -> u64 {
        (EARLY_PROBE << (DOUBT * self.doubts)).min(TURN)
    }

    /// A wave that seemed to wait has gone on by itself.
    fn doubt(&mut self) {
        self.doubts = (self.doubts + 1).min(TURN.ilog2() / DOUBT);
        self.first = self.first.max(self.early());
    }
}

impl Default for WaveGroup {
    fn default() -> WaveGroup {
        WaveGroup::new(Vec::new(), 0)
    }
}

impl WaveGroup {
    /// A group of which wave 0 has the first turn. Its waves together have at most `left` instructions.
    pub fn new(members: Vec<Member>, left: u64) -> WaveGroup {
        WaveGroup { members, left, each: u64::MAX, has_others: false, turn: 0, probes: Probes::default(), facts: None }
    }

    /// A group of the same run, which has no waves yet.
    pub fn another(&self) -> WaveGroup {
        let WaveGroup { each, has_others, ref facts, .. } = *self;
        WaveGroup { each, has_others, facts: facts.clone(), ..WaveGroup::default() }
    }

    /// Takes the waves for those of a program.
    pub(crate) fn learn(&mut self, facts: &Arc<Facts>) {
        if !self.facts.as_ref().is_some_and(|own| Arc::ptr_eq(own, facts)) {
            self.facts = Some(facts.clone());
        }
    }

    /// Number of instructions that wave `index` may still execute.
    pub fn left_of(&self, index: usize) -> u64 {
        self.left.min(self.each.saturating_sub(self.members[index].wave.executed))
    }

    /// Begins again with the turn of wave 0.
    pub fn begin(&mut self, left: u64) {
        let first = if self.members.len() > 1 { FIRST_PROBE } else { FIRST_PROBE_OF_ONE };
        (self.left, self.turn, self.probes) = (left, 0, Probes { first, ..Probes::default() });
        self.members.iter_mut().for_each(|member| member.wait = None);
    }

    /// Returns the number of the wave that has the next turn; `None` if none can run.
    #[inline]
    pub fn next_turn(&mut self) -> Option<usize> {
        let first = self.turn;
        loop {
            let index = self.turn;
            self.turn = self.after(index);
            if self.members.get(index)?.status == Status::Ready {
                return Some(index);
            }
            if self.turn == first {
                break;
            }
        }
        self.turn = self.after(first);
        None
    }

    /// Whether the program of a wave has not ended.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.members.iter().any(|member| member.status != Status::Ended)
    }

    /// Lets all waves go on that wait at a barrier. Returns whether there are any.
    pub fn release(&mut self) -> bool {
        let mut any = false;
        (self.probes.in_vain, self.probes.is_stuck, self.probes.unprobed) = (0, false, 0);
        for member in self.members.iter_mut().filter(|member| member.status == Status::Waits) {
            (member.status, any) = (Status::Ready, true);
        }
        any
    }

    /// Number of instructions before the first stop of a turn.
    #[inline]
    pub(crate) fn first_stop(&self) -> u64 {
        if self.is_probed() { self.probes.first } else { TURN }
    }

    /// Whether turns are interrupted by probes.
    #[inline]
    pub(crate) fn is_probed(&self) -> bool {
        let Probes { is_stuck, unprobed, .. } = self.probes;
        let is_alone = self.members.len() <= 1 && !self.has_others;
        !is_alone && !is_stuck && unprobed == 0 && self.facts.as_ref().is_none_or(|facts| facts.may_spin())
    }

    /// Whether the code shows that wave `index` may wait where it is. If not, probes come later.
    pub(crate) fn may_wait(&mut self, index: usize) -> bool {
        let WaveGroup { facts, members, .. } = self;
        let pc = members[index].wave.state.pc;
        let may_wait = facts.as_ref().is_none_or(|facts| facts.spins().may_wait(&facts.program, pc));
        if !may_wait {
            self.goes_on(index);
        }
        may_wait
    }

    /// Whether all waves that can run wait in vain, for something that another group may bring about.
    pub(crate) fn makes_way(&self) -> bool {
        self.has_others && self.probes.is_stuck
    }

    /// Whether something outside the group is not any more as it was when a wave found itself waiting.
    pub fn may_go_on(&self, context: &Context) -> bool {
        let mut waits = self.members.iter().filter_map(|member| member.wait.as_ref());
        waits.any(|wait| !wait.holds_outside(context))
    }

    /// Goes on after other groups have run, with the turn of the next wave.
    pub fn go_on(&mut self, left: u64) {
        (self.left, self.probes.in_vain, self.probes.is_stuck) = (left, 0, false);
    }

    /// Goes on like [`WaveGroup::go_on`], although nothing may have changed: each wave that can run has a turn without
    /// probes.
    pub fn go_on_anyway(&mut self, left: u64) {
        self.go_on(left);
        self.probes.unprobed = self.ready_count();
    }

    /// Whether a wave of the group has been found to wait.
    pub(crate) fn has_waited(&self) -> bool {
        self.probes.has_found
    }

    /// Whether the turn of wave `index` must be begun by [`WaveGroup::begin_turn`].
    #[cfg(feature = "jit")]
    #[inline]
    pub(crate) fn is_special(&self, index: usize) -> bool {
        self.probes.is_stuck || self.probes.unprobed > 0 || self.members[index].wait.is_some()
    }

    /// Begins the turn of wave `index`.
    pub(crate) fn begin_turn(&mut self, index: usize, context: &Context) {
        let WaveGroup { members, probes, .. } = self;
        let Some(member) = members.get_mut(index) else { return };
        let Some(wait) = &member.wait else { return };
        member.is_in_vain = wait.holds(context);
        if !member.is_in_vain {
            (probes.first, probes.in_vain) = (probes.first.min(probes.early()), 0);
        }
    }

    /// A probe has found that wave `index` waits, so its turn is over.
    pub(crate) fn waits(&mut self, index: usize, wait: Wait) {
        let ready = self.members.iter().filter(|member| member.status == Status::Ready).count();
        let WaveGroup { members, probes, .. } = self;
        let member = &mut members[index];
        probes.has_found = true;
        if member.is_in_vain && member.wait.as_deref() == Some(&wait) {
            probes.in_vain += 1;
            probes.is_stuck |= probes.in_vain >= ready;
            return;
        }
        if member.wait.is_some() && member.is_in_vain {
            probes.doubt();
        }
        (probes.first, probes.in_vain) = (probes.first.min(probes.early()), 0);
        member.wait = Some(Box::new(wait));
    }

    /// A probe has found that wave `index` does not wait.
    pub(crate) fn goes_on(&mut self, index: usize) {
        self.moves(index);
        let latest = if self.probes.has_found { LATER_PROBE } else { LATEST_PROBE };
        self.probes.first = self.probes.first.max((2 * self.probes.first).min(latest));
    }

    /// The turn of wave `index` ends in another way than that the wave waits for another one.
    pub(crate) fn leave(&mut self, index: usize, end: TurnEnd) -> TurnEnd {
        match self.probes.unprobed {
            0 => self.moves(index),
            // Nobody knows whether it has waited all the time.
            left => (self.probes.unprobed, self.probes.in_vain, self.members[index].wait) = (left - 1, 0, None),
        }
        self.probes.is_stuck &= end != TurnEnd::Wave(Outcome::Ended);
        end
    }

    /// Wave `index` does not wait, or not any more.
    #[inline]
    pub(crate) fn moves(&mut self, index: usize) {
        self.probes.in_vain = 0;
        if self.members[index].wait.take().is_some() && self.members[index].is_in_vain {
            self.probes.doubt();
        }
    }

    /// Gives the next turn to wave `index`.
    pub fn give_turn(&mut self, index: usize) {
        self.turn = index;
    }

    /// Gives the next turn to the wave after wave `index`.
    #[cfg(feature = "jit")]
    pub(crate) fn turn_was_of(&mut self, index: usize) {
        self.turn = self.after(index);
    }

    /// The number of the wave after wave `index`.
    #[inline]
    pub(crate) fn after(&self, index: usize) -> usize {
        if index + 1 >= self.members.len() { 0 } else { index + 1 }
    }
}
