//! The state before an instruction: operations in flight, producers whose wait states have not passed, lanes.
//!
//! States are joined where paths meet: an operation may be in flight if it may be on one of them, and its age is the
//! least. The state at the beginning of a block only ever becomes larger in this sense, so that the search ends.

use gcnsim_isa::VgprSet;

use crate::rules::Class;

/// An operation in flight, some of whose registers are not read or not written yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pending {
    /// Index of its instruction.
    pub inst: u32,
    pub class: Class,
    /// Number of operations of its class that were issued after it, at least.
    pub age: u8,
    /// The number that the last S_WAITCNT has waited for since; on several paths the greatest one. [`NO_WAIT`] if there
    /// was none.
    pub waited: u8,
    /// Whether EXEC may have a lane that it had when the operation was issued.
    pub is_live: bool,
    /// Whether EXEC has only lanes that it had then.
    pub is_within: bool,
    /// Whether EXEC had all lanes then.
    pub is_whole: bool,
    /// Whether a branch on EXECZ was taken since then, and EXEC has not been restored.
    pub is_marked: bool,
    /// Pairs of scalar registers that have all lanes of EXEC then: bit n stands for s[2n:2n+1].
    pub over: u64,
    /// Pairs of scalar registers that have only lanes of EXEC then.
    pub under: u64,
}

/// The value of [`Pending::waited`] if nothing has waited.
pub(crate) const NO_WAIT: u8 = u8::MAX;
/// Most operations of a state. Compiled code has fewer in flight, on all paths together.
const MOST_PENDING: usize = 128;
/// The value of [`State::flight`] if nothing is in flight.
pub(crate) const NOTHING: u32 = u32::MAX;

/// An executed instruction that can be the earlier one of a pair with wait states between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recent {
    /// Index of the instruction.
    pub inst: u32,
    /// Number of wait states since, at least.
    pub distance: u8,
    /// The rules that it may still break.
    pub rules: u32,
    /// Scalar registers that nothing has written since.
    pub sgprs: u128,
}

/// Facts that hold on at least one path to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Flags(pub u8);

impl Flags {
    /// Scalar loads may have spoilt VCCZ.
    pub const VCCZ_SMEM: u8 = 1 << 0;
    /// One half of VCC was written alone.
    pub const VCCZ_PARTIAL: u8 = 1 << 1;
    /// No colour, or no position, was exported with DONE.
    pub const NO_COLOUR_DONE: u8 = 1 << 2;
    pub const NO_POSITION_DONE: u8 = 1 << 3;
    /// A colour, or a position, was exported with DONE.
    pub const COLOUR_DONE: u8 = 1 << 4;
    pub const POSITION_DONE: u8 = 1 << 5;
    /// A scalar store was executed, and no S_DCACHE_WB since.
    pub const SCALAR_STORE: u8 = 1 << 6;
    /// EXEC may lack lanes.
    pub const SOME_LANES: u8 = 1 << 7;

    pub fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    pub fn set(&mut self, flag: u8, is_set: bool) {
        if is_set { self.0 |= flag } else { self.0 &= !flag }
    }
}

/// The state before an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct State {
    /// Operations in flight, sorted by instruction and class.
    pub pending: Vec<Pending>,
    /// Producers whose wait states have not passed, sorted by instruction.
    pub recent: Vec<Recent>,
    /// An operation of each class that may be in flight, or [`NOTHING`].
    pub flight: [u32; Class::COUNT],
    /// Pairs of scalar registers that have all lanes of EXEC.
    pub supersets: u64,
    /// Pairs of scalar registers that have all lanes that EXEC had at the entry.
    pub whole: u64,
    /// An instruction that may have taken lanes from EXEC that it had at the entry, or [`NOTHING`].
    pub narrowed: u32,
    /// Registers that were written on at least one path.
    pub written_sgprs: u128,
    pub written_vgprs: VgprSet,
    /// Registers that operations in flight may need, and perhaps others.
    pub busy_sgprs: u128,
    pub busy_vgprs: VgprSet,
    pub flags: Flags,
}

impl State {
    /// Returns the state at the beginning of a kernel or function.
    pub fn entry() -> State {
        State {
            pending: Vec::new(),
            recent: Vec::new(),
            flight: [NOTHING; Class::COUNT],
            supersets: 0,
            whole: 0,
            narrowed: NOTHING,
            written_sgprs: 0,
            written_vgprs: VgprSet::default(),
            busy_sgprs: 0,
            busy_vgprs: VgprSet::default(),
            flags: Flags(Flags::NO_COLOUR_DONE | Flags::NO_POSITION_DONE | Flags::SOME_LANES),
        }
    }

    /// Becomes the state after a call: the callee has waited for everything, and may have written anything.
    pub fn after_call(&mut self) {
        let flags = Flags(self.flags.0 & !(Flags::VCCZ_SMEM | Flags::VCCZ_PARTIAL) | Flags::SOME_LANES);
        let narrowed = self.narrowed;
        *self = State { flags, narrowed, written_sgprs: u128::MAX, written_vgprs: VgprSet::ALL, ..State::entry() };
    }

    /// Copies `other`, and keeps the memory of the lists.
    pub fn copy(&mut self, other: &State) {
        self.pending.clone_from(&other.pending);
        self.recent.clone_from(&other.recent);
        self.flight = other.flight;
        self.supersets = other.supersets;
        (self.whole, self.narrowed) = (other.whole, other.narrowed);
        self.written_sgprs = other.written_sgprs;
        self.written_vgprs = other.written_vgprs;
        self.busy_sgprs = other.busy_sgprs;
        self.busy_vgprs = other.busy_vgprs;
        self.flags = other.flags;
    }

    /// Enters an operation, or renews the entry of the same instruction.
    pub fn enter(&mut self, entry: Pending) {
        match self.pending.binary_search_by_key(&entry.key(), Pending::key) {
            Ok(at) => self.pending[at] = entry,
            Err(at) => self.pending.insert(at, entry),
        }
    }

    /// Enters a producer, or renews the entry of the same instruction.
    pub fn enter_recent(&mut self, entry: Recent) {
        match self.recent.binary_search_by_key(&entry.inst, |recent| recent.inst) {
            Ok(at) => self.recent[at] = entry,
            Err(at) => self.recent.insert(at, entry),
        }
    }

    /// Whether operations may have been left out in joins, because there were too many.
    pub fn is_full(&self) -> bool {
        self.pending.len() >= MOST_PENDING
    }

    /// Returns the number of operations and producers.
    pub fn size(&self) -> usize {
        self.pending.len() + self.recent.len()
    }

    /// Returns a copy without operations and producers.
    pub fn without_lists(&self) -> State {
        State { pending: Vec::new(), recent: Vec::new(), ..*self }
    }

    /// Joins the state of another path. Operations and producers are added only if `has_room`. Returns whether anything
    /// changed.
    pub fn join(&mut self, other: &State, has_room: bool) -> bool {
        let most = if has_room { MOST_PENDING } else { 0 };
        let mut changed = join_sorted(&mut self.pending, &other.pending, most, Pending::key, Pending::join);
        changed |= join_sorted(&mut self.recent, &other.recent, most, |recent| recent.inst, Recent::join);
        for (mine, theirs) in self.flight.iter_mut().zip(other.flight) {
            changed |= theirs < *mine;
            *mine = theirs.min(*mine);
        }
        changed |= replace(&mut self.supersets, |mine| mine & other.supersets);
        changed |= replace(&mut self.whole, |mine| mine & other.whole);
        changed |= replace(&mut self.narrowed, |mine| mine.min(other.narrowed));
        changed |= replace(&mut self.written_sgprs, |mine| mine | other.written_sgprs);
        changed |= replace(&mut self.written_vgprs, |mine| union(mine, other.written_vgprs));
        changed |= replace(&mut self.flags, |mine| Flags(mine.0 | other.flags.0));
        self.busy_sgprs |= other.busy_sgprs;
        self.busy_vgprs.union(other.busy_vgprs);
        changed
    }
}

impl Pending {
    fn key(&self) -> (u32, Class) {
        (self.inst, self.class)
    }

    fn join(&mut self, other: &Pending) {
        self.age = self.age.min(other.age);
        // NO_WAIT is the greatest number.
        self.waited = self.waited.max(other.waited);
        self.is_live |= other.is_live;
        self.is_within &= other.is_within;
        self.is_whole &= other.is_whole;
        self.is_marked &= other.is_marked;
        self.over &= other.over;
        self.under &= other.under;
    }
}

impl Recent {
    fn join(&mut self, other: &Recent) {
        self.distance = self.distance.min(other.distance);
        self.rules |= other.rules;
        self.sgprs |= other.sgprs;
    }
}

fn union(mut a: VgprSet, b: VgprSet) -> VgprSet {
    a.union(b);
    a
}

/// Changes `value`. Returns whether the new value is another one.
fn replace<T: Copy + PartialEq>(value: &mut T, change: impl Fn(T) -> T) -> bool {
    let new = change(*value);
    std::mem::replace(value, new) != new
}

/// Joins two sorted lists: `join` joins elements with the same key. `mine` gets no new elements once it has `most`.
/// Returns whether `mine` changed.
fn join_sorted<T: Copy + PartialEq, K: Ord>(
    mine: &mut Vec<T>,
    theirs: &[T],
    most: usize,
    key: impl Fn(&T) -> K,
    join: impl Fn(&mut T, &T),
) -> bool {
    let (mut changed, mut at) = (false, 0);
    for other in theirs {
        while at < mine.len() && key(&mine[at]) < key(other) {
            at += 1;
        }
        if at < mine.len() && key(&mine[at]) == key(other) {
            changed |= replace(&mut mine[at], |mut own| {
                join(&mut own, other);
                own
            });
        } else if mine.len() < most {
            mine.insert(at, *other);
            changed = true;
        }
    }
    changed
}
