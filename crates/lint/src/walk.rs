//! The search through the control flow graph: one forward pass over basic blocks, repeated until nothing changes, then
//! one that reports.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gcnsim_isa::table::Access;
use gcnsim_isa::{Arch, Flow, RegSet, Sopp, VgprSet};

use crate::code::Code;
use crate::facts::{EXEC, Facts, Kind, Link, VCC, common, waits};
use crate::lanes;
use crate::rules::{Class, Consumer, Counter, Level, Place, Producer, RULES, Rule, Test, Use, generation, of_place};
use crate::state::{Flags, NO_WAIT, NOTHING, Pending, Recent, State};

/// Most visits of a block.
const VISITS: u8 = 64;
/// Number of wait states behind which no rule matters.
pub(crate) const MOST_STATES: u8 = 5;
/// Most operations that the states of all blocks have together: some 32 MB. Compiled code has less than a tenth.
const MOST_HELD: usize = 1 << 20;

/// The rules that are tested on a generation.
pub(crate) struct Active {
    pub arch: Arch,
    waits: [[Option<&'static Rule>; 4]; Class::COUNT],
    pub states: Vec<StatesRule>,
    places: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct StatesRule {
    rule: &'static Rule,
    /// Whether findings of the rule are wanted.
    is_wanted: bool,
    pub producer: Producer,
    pub consumer: Consumer,
    pub states: u8,
}

impl Active {
    /// Returns the rules for `arch` for which `wanted` is true.
    pub fn new(arch: Arch, wanted: impl Fn(&Rule) -> bool) -> Active {
        let is_on = |rule: &Rule| rule.on.has(arch) && wanted(rule);
        let looks_at_nops = of_place(Place::WaitUnneeded).is_some_and(is_on);
        let mut active = Active { arch, waits: Default::default(), states: Vec::new(), places: 0 };
        for rule in RULES.iter().filter(|rule| rule.on.has(arch)) {
            // The other rules of wait states are kept, too: they decide whether an S_NOP is needed.
            let is_kept = looks_at_nops && rule.level != Level::Info && matches!(rule.test, Test::States(..));
            let is_wanted = wanted(rule);
            if !is_wanted && !is_kept {
                continue;
            }
            match rule.test {
                Test::Wait(classes, how) => {
                    for class in classes {
                        active.waits[*class as usize][how as usize] = Some(rule);
                    }
                }
                Test::States(producer, consumer, states) => {
                    let states = states[generation(arch)];
                    active.states.push(StatesRule { rule, is_wanted, producer, consumer, states });
                }
                Test::Place(place) => active.places |= 1 << place as u32,
            }
        }
        active
    }

    /// Whether the rule about a place is tested.
    pub fn has(&self, place: Place) -> bool {
        self.places >> place as u32 & 1 == 1
    }

    /// Marks in each instruction the rules of wait states of which it can be the later or the earlier one. A rule is
    /// left out if no instruction can be the later one. `behind_vcc` is the first SGPR behind VCC, if it is known.
    pub fn mark(&self, code: &mut Code, behind_vcc: Option<u8>) {
        code.insts.iter_mut().for_each(|facts| facts.behind_vcc = behind_vcc);
        let mut wanted = 0;
        for facts in &mut code.insts {
            for (bit, rule) in self.states.iter().enumerate() {
                facts.consumes |= u32::from(!facts.consumed(rule.consumer).is_empty()) << bit;
            }
            wanted |= facts.consumes;
        }
        let rules = || self.states.iter().enumerate().filter(|(bit, _)| wanted >> bit & 1 == 1);
        if wanted == 0 {
            return;
        }
        for facts in &mut code.insts {
            for (bit, rule) in rules() {
                facts.produces |= u32::from(!facts.produced(rule.producer).is_empty()) << bit;
            }
        }
    }
}

/// A breach of a rule, by indices of instructions.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub rule: &'static Rule,
    /// The earlier instruction, if there are two.
    pub producer: Option<u32>,
    pub consumer: u32,
    pub regs: RegSet,
    pub class: Option<Class>,
    /// The number that S_WAITCNT must name, or the number of wait states that are needed.
    pub needed: Option<u8>,
    /// The number that the last S_WAITCNT named, or the number of wait states that there are.
    pub found: Option<u8>,
}

/// The search through the code of an entry.
pub(crate) struct Walk<'a> {
    pub code: &'a Code,
    pub active: &'a Active,
    /// The state at the beginning of each block; `None` if no path has led there yet.
    pub states: Vec<Option<State>>,
    /// The reason why the search was given up.
    pub incomplete: Option<&'static str>,
    /// Number of operations and producers in `states`.
    held: usize,
}

impl<'a> Walk<'a> {
    /// Searches until nothing changes.
    pub fn new(code: &'a Code, active: &'a Active) -> Walk<'a> {
        let states = code.blocks.iter().map(|_| None).collect();
        let mut walk = Walk { code, active, states, incomplete: None, held: 0 };
        walk.settle();
        walk
    }

    fn settle(&mut self) {
        let blocks = &self.code.blocks;
        let Some(&first) = self.code.order.first() else { return };
        let mut position = vec![0u32; blocks.len()];
        for (at, &block) in self.code.order.iter().enumerate() {
            position[block as usize] = at as u32;
        }
        let mut visits = vec![0u8; blocks.len()];
        let mut is_queued = vec![false; blocks.len()];
        let mut queue = BinaryHeap::from([Reverse(0)]);
        self.states[first as usize] = Some(State::entry());
        let (mut state, mut skipped) = (State::entry(), State::entry());
        while let Some(Reverse(at)) = queue.pop() {
            let block = self.code.order[at as usize] as usize;
            is_queued[block] = false;
            visits[block] += 1;
            if visits[block] > VISITS {
                self.incomplete = Some("too many paths");
                continue;
            }
            match &self.states[block] {
                Some(before) if before.is_full() => {
                    self.incomplete = Some("too many paths");
                    state.copy(before);
                }
                Some(before) => state.copy(before),
                None => continue,
            }
            let (first, end) = (blocks[block].first, blocks[block].end);
            for i in first..end {
                self.step(&mut state, i, &mut None);
            }
            let last = &self.code.insts[end as usize - 1];
            if matches!(last.inst.flow(), Flow::Call | Flow::SwapPc) {
                state.after_call();
            }
            let mut go = |walk: &mut Walk, to: u32, state: &State| {
                let changed = walk.enter(to, state);
                if changed && !std::mem::replace(&mut is_queued[to as usize], true) {
                    queue.push(Reverse(position[to as usize]));
                }
            };
            if let Some(to) = blocks[block].jump {
                if last.is_execz_branch() {
                    skipped.copy(&state);
                    skip(&mut skipped);
                    go(self, to, &skipped);
                } else {
                    go(self, to, &state);
                }
            }
            if let Some(to) = blocks[block].next {
                if last.is_execz_branch() {
                    // EXEC has lanes where the branch is not taken, so a later branch may skip these operations.
                    state.pending.iter_mut().for_each(|entry| entry.is_marked = false);
                }
                go(self, to, &state);
            }
        }
    }

    /// Joins `state` to the state of the block `to`. Returns whether that state changed. When [`MOST_HELD`] is reached,
    /// no operations are added: then findings are missing, but none is wrong.
    fn enter(&mut self, to: u32, state: &State) -> bool {
        let has_room = self.held < MOST_HELD;
        if !has_room && state.size() > 0 {
            self.incomplete = Some("too many paths");
        }
        let (before, changed, after) = match &mut self.states[to as usize] {
            Some(known) => (known.size(), known.join(state, has_room), known.size()),
            empty if has_room => (0, true, empty.insert(state.clone()).size()),
            empty => (0, true, empty.insert(state.without_lists()).size()),
        };
        self.held += after - before;
        changed
    }

    /// Applies the instruction `i`. Adds the rules that it breaks to `hits`, if these are wanted.
    pub fn step(&self, state: &mut State, i: u32, hits: &mut Option<&mut Vec<Hit>>) {
        let facts = &self.code.insts[i as usize];
        if facts.sopp() == Some(Sopp::SWaitcnt) {
            self.wait(state, facts);
        }
        self.test_waits(state, i, facts, hits);
        if facts.consumes != 0 {
            self.test_states(state, i, facts, hits);
        }
        lanes::apply(state, i, facts);
        self.issue(state, i, facts);
        self.pass_states(state, i, facts);
        self.note(state, facts);
    }

    fn wait(&self, state: &mut State, facts: &Facts) {
        for (counter, limit) in Counter::ALL.into_iter().zip(waits(&facts.inst)) {
            let Some(limit) = limit else { continue };
            let is_done = |entry: &Pending| match entry.class.is_ordered() {
                true => limit <= entry.age,
                false => limit == 0,
            };
            let before = state.pending.len();
            state.pending.retain_mut(|entry| {
                if entry.class.counter() != counter {
                    return true;
                }
                entry.waited = limit;
                !is_done(entry)
            });
            if limit == 0 {
                let classes = Class::ALL.into_iter().filter(|class| class.counter() == counter);
                classes.for_each(|class| state.flight[class as usize] = NOTHING);
            }
            if state.pending.len() < before {
                self.count_busy(state);
            }
        }
    }

    fn pending_of(&self, entry: &Pending) -> RegSet {
        self.code.insts[entry.inst as usize].pending(entry.class)
    }

    fn count_busy(&self, state: &mut State) {
        (state.busy_sgprs, state.busy_vgprs) = (0, VgprSet::default());
        for at in 0..state.pending.len() {
            let regs = self.pending_of(&state.pending[at]);
            state.busy_sgprs |= regs.sgprs;
            state.busy_vgprs.union(regs.vgprs);
        }
    }

    fn test_waits(&self, state: &mut State, i: u32, facts: &Facts, hits: &mut Option<&mut Vec<Hit>>) {
        let sgprs = facts.reads.sgprs | facts.writes.sgprs;
        let mut vgprs = facts.reads.vgprs;
        vgprs.union(facts.writes.vgprs);
        if state.busy_sgprs & sgprs == 0 && common(state.busy_vgprs, vgprs).is_empty() {
            return;
        }
        let before = state.pending.len();
        state.pending.retain(|entry| {
            let Some((rule, regs)) = self.conflict(entry, facts) else { return true };
            if let Some(hits) = hits {
                hits.push(Hit {
                    rule,
                    producer: Some(entry.inst),
                    consumer: i,
                    regs,
                    class: Some(entry.class),
                    needed: Some(if entry.class.is_ordered() { entry.age } else { 0 }),
                    found: (entry.waited != NO_WAIT).then_some(entry.waited),
                });
            }
            // The search goes on as if the wait were here, so that one mistake is one finding.
            false
        });
        if state.pending.len() < before {
            self.count_busy(state);
        }
    }

    /// Returns the rule that an instruction breaks if `entry` is in flight, and the registers.
    fn conflict(&self, entry: &Pending, facts: &Facts) -> Option<(&'static Rule, RegSet)> {
        let earlier = &self.code.insts[entry.inst as usize];
        let regs = earlier.pending(entry.class);
        let meet = |other: &RegSet| RegSet {
            sgprs: regs.sgprs & other.sgprs,
            vgprs: common(regs.vgprs, other.vgprs),
            ..RegSet::default()
        };
        let rules = &self.active.waits[entry.class as usize];
        let is_reading = entry.class.is_reading();
        let written = meet(&facts.writes);
        if is_reading && written.sgprs & EXEC != 0 {
            return Some((rules[Use::Exec as usize]?, RegSet { sgprs: EXEC, ..RegSet::default() }));
        }
        let read = if is_reading { RegSet::default() } else { meet(&facts.reads) };
        let touches = |set: &RegSet| set.sgprs != 0 || !set.vgprs.is_empty();
        let is_awake = entry.is_live || facts.is_lane_instruction() || regs.vgprs.is_empty();
        if !is_awake {
            return None;
        }
        if touches(&read) {
            return Some((rules[Use::Read as usize]?, read));
        }
        if !touches(&written) {
            return None;
        }
        let how = overwriting(entry.class, earlier, facts)?;
        Some((rules[how as usize]?, written))
    }

    fn test_states(&self, state: &mut State, i: u32, facts: &Facts, hits: &mut Option<&mut Vec<Hit>>) {
        for recent in &mut state.recent {
            let mut both = recent.rules & facts.consumes;
            while both != 0 {
                let bit = both.trailing_zeros();
                both &= both - 1;
                let rule = &self.active.states[bit as usize];
                if recent.distance >= rule.states {
                    continue;
                }
                let mut produced = self.code.insts[recent.inst as usize].produced(rule.producer);
                produced.sgprs &= recent.sgprs;
                let link = produced.and(&facts.consumed(rule.consumer));
                if link.is_empty() {
                    continue;
                }
                recent.rules &= !(1 << bit);
                if let (Some(hits), true) = (&mut *hits, rule.is_wanted) {
                    hits.push(Hit {
                        rule: rule.rule,
                        producer: Some(recent.inst),
                        consumer: i,
                        regs: regs_of(&link),
                        class: None,
                        needed: Some(rule.states),
                        found: Some(recent.distance),
                    });
                }
            }
        }
    }

    /// Enters the operations that the instruction issues.
    fn issue(&self, state: &mut State, i: u32, facts: &Facts) {
        let mut classes = facts.classes;
        while classes != 0 {
            let class = Class::ALL[classes.trailing_zeros() as usize];
            classes &= classes - 1;
            state.flight[class as usize] = i;
            let most = class.counter().most(self.active.arch);
            let before = state.pending.len();
            state.pending.retain_mut(|entry| {
                if entry.class == class && class.is_ordered() {
                    entry.age += 1;
                }
                entry.class != class || entry.age < most
            });
            if state.pending.len() < before {
                self.count_busy(state);
            }
            let regs = facts.pending(class);
            let has_registers = regs.sgprs != 0 || !regs.vgprs.is_empty();
            let is_tested = self.active.waits[class as usize].iter().any(Option::is_some);
            let is_waited_for = is_tested || self.active.has(Place::WaitUnneeded);
            // A load into LDS uses no register, but a barrier may wait for it.
            let is_kept = facts.is_lds_dma || has_registers && is_waited_for;
            if !is_kept {
                continue;
            }
            if !class.is_ordered() {
                // Only a wait for all of them proves that an older operation has finished, and it proves the same of
                // this one. So an older one for the same registers tells nothing more and is dropped; loads in a row do
                // not add up.
                state.pending.retain(|entry| {
                    let older = self.pending_of(entry);
                    let is_covered = older.sgprs & !regs.sgprs == 0 && older.vgprs.without(regs.vgprs).is_empty();
                    entry.class != class || !is_covered
                });
            }
            state.busy_sgprs |= regs.sgprs;
            state.busy_vgprs.union(regs.vgprs);
            state.enter(Pending {
                inst: i,
                class,
                age: 0,
                waited: NO_WAIT,
                is_live: true,
                is_within: true,
                is_whole: !state.flags.has(Flags::SOME_LANES),
                is_marked: false,
                over: state.supersets,
                under: 0,
            });
        }
    }

    fn pass_states(&self, state: &mut State, i: u32, facts: &Facts) {
        if !state.recent.is_empty() {
            state.recent.retain_mut(|recent| {
                recent.distance += facts.states;
                recent.sgprs &= !facts.writes.sgprs;
                recent.distance < MOST_STATES && recent.rules != 0
            });
        }
        if facts.produces != 0 {
            state.enter_recent(Recent { inst: i, distance: 0, rules: facts.produces, sgprs: u128::MAX });
        }
    }

    /// Notes which registers were written and what was exported.
    fn note(&self, state: &mut State, facts: &Facts) {
        state.written_sgprs |= facts.writes.sgprs;
        state.written_vgprs.union(facts.writes.vgprs);
        let flags = &mut state.flags;
        if facts.kind == Kind::Smem {
            let loads = matches!(facts.access(), Some(Access::Load | Access::Time)) || facts.writes.sgprs != 0;
            flags.0 |= if loads { Flags::VCCZ_SMEM } else { 0 };
            match facts.access() {
                Some(Access::Store) => flags.set(Flags::SCALAR_STORE, true),
                Some(Access::Invalidate) if facts.classes != 0 => flags.set(Flags::SCALAR_STORE, false),
                _ => {}
            }
        }
        match facts.writes.sgprs & VCC {
            0 => {}
            VCC => {
                flags.set(Flags::VCCZ_PARTIAL, false);
                if facts.kind != Kind::Smem && state.flight[Class::Smem as usize] == NOTHING {
                    flags.set(Flags::VCCZ_SMEM, false);
                }
            }
            _ => flags.set(Flags::VCCZ_PARTIAL, true),
        }
        if let Some(export) = facts.inst.export_access()
            && export.done
        {
            if facts.is(Class::ExportColour) {
                flags.set(Flags::NO_COLOUR_DONE, false);
                flags.set(Flags::COLOUR_DONE, true);
            } else if facts.is(Class::ExportPosition) {
                flags.set(Flags::NO_POSITION_DONE, false);
                flags.set(Flags::POSITION_DONE, true);
            }
        }
    }
}

/// Marks operations on the taken side of a branch on EXECZ. Two such branches, over both sides of an if, are not both
/// taken: an operation that is marked already is not in flight on this path.
fn skip(state: &mut State) {
    state.pending.retain_mut(|entry| !std::mem::replace(&mut entry.is_marked, true));
}

/// Returns how an instruction breaks the order that writes a register of an operation in flight. `None` if it does not
/// break it.
fn overwriting(class: Class, earlier: &Facts, later: &Facts) -> Option<Use> {
    if matches!((earlier.half, later.half), (Some(a), Some(b)) if a != b) {
        return None;
    }
    match class {
        Class::Vmem if later.is(Class::Vmem) && later.has_sampler == earlier.has_sampler => None,
        Class::Vmem if later.is(Class::Vmem) && (earlier.is_flat_like || later.is_flat_like) => Some(Use::OtherKind),
        Class::Lds if later.is(Class::Lds) => None,
        Class::Gds if later.is(Class::Gds) => None,
        Class::Flat if later.is(Class::Vmem) => None,
        _ => Some(Use::Overwrite),
    }
}

fn regs_of(link: &Link) -> RegSet {
    RegSet { sgprs: link.sgprs, vgprs: link.vgprs, ..RegSet::default() }
}
