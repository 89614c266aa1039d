//! Counts arrivals over backward jumps, to find out where compiling pays.

use gcnsim_isa::Program;

use super::code::Block;

/// Watches the jumps of a run.
pub(super) trait Watch {
    /// Called when a jump from the end of a block to a dword of the program is taken. Returning true stops the run at
    /// the target.
    fn jump(&mut self, from: &Block, to: u32) -> bool;

    /// Called when a block is left without a jump.
    #[inline(always)]
    fn fall(&mut self, _from: &Block) {}
}

/// Watches nothing.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    #[inline(always)]
    fn jump(&mut self, _: &Block, _: u32) -> bool {
        false
    }
}

/// Which ways the blocks of a run are left by, from its start on.
#[derive(Debug)]
pub struct Ways {
    /// The last dword of each block, and whether it was left by a jump.
    pub steps: Vec<(u32, bool)>,
    most: usize,
}

impl Ways {
    /// Room for `most` steps. A jump that fills it stops the run.
    pub fn new(most: usize) -> Ways {
        Ways { steps: Vec::with_capacity(most), most }
    }

    #[inline]
    fn note(&mut self, at: u32, jumps: bool) {
        if self.steps.len() < self.most {
            self.steps.push((at, jumps));
        }
    }
}

impl Watch for Ways {
    #[inline]
    fn jump(&mut self, from: &Block, _: u32) -> bool {
        self.note(from.last_word, true);
        self.steps.len() >= self.most
    }

    #[inline]
    fn fall(&mut self, from: &Block) {
        self.note(from.last_word, false);
    }
}

/// Arrivals per jump target. The caller keeps them over many runs. They belong to one program.
#[derive(Clone, Default, Debug)]
pub struct HotCounters {
    base: u64,
    words: usize,
    threshold: u32,
    /// The number of arrivals that a jump back in a heavy block counts for.
    heavy: u32,
    /// Number of scalar instructions that would have taken the interpreter as long as those that it has executed did,
    /// beyond their number.
    extra: u64,
    /// The number of arrivals over backward jumps by dword offset, or [`DISABLED`] or [`COMPILED`]. It is empty
    /// until it is needed.
    counts: Vec<u32>,
}

/// Most counters whose memory is kept from one program to the next.
const KEPT_WORDS: usize = 1 << 16;

/// Most arrivals that a jump back in a heavy block counts for. It is less where few arrivals make a target hot.
const HEAVY: u32 = 16;

/// The count of a target that is never reported again.
const DISABLED: u32 = u32::MAX;
/// The count of a target that is reported on every arrival, also over forward jumps.
const COMPILED: u32 = u32::MAX - 1;

impl HotCounters {
    /// Counters at zero; a target is hot from its `threshold`-th arrival on (0 counts as 1).
    pub fn new(program: &Program, threshold: u32) -> HotCounters {
        let mut counters = HotCounters::default();
        counters.reset(program, threshold);
        counters
    }

    /// Resets the counters for another program. Keeps the memory unless it is large.
    pub fn reset(&mut self, program: &Program, threshold: u32) {
        (self.base, self.words, self.threshold) =
            (program.base(), program.word_count(), threshold.clamp(1, COMPILED - 1));
        self.heavy = (self.threshold / HEAVY).clamp(1, HEAVY);
        self.extra = 0;
        self.counts.clear();
        self.counts.shrink_to(KEPT_WORDS);
    }

    /// Number of scalar instructions that slow ones, which were executed, count for beyond their number.
    pub fn extra(&self) -> u64 {
        self.extra
    }

    /// Never reports `pc` again, for example because it cannot be compiled. Addresses outside the program are ignored.
    pub fn disable(&mut self, pc: u64) {
        self.set(pc, DISABLED);
    }

    /// Reports every arrival at `pc` by a jump from now on. Addresses outside the program are ignored.
    pub fn mark_compiled(&mut self, pc: u64) {
        self.set(pc, COMPILED);
    }

    /// Reports the hot target `pc` again only after another eighth of the threshold.
    pub fn postpone(&mut self, pc: u64) {
        let count = self.word(pc).and_then(|word| self.counts.get_mut(word));
        if let Some(count) = count.filter(|count| (self.threshold..COMPILED).contains(count)) {
            *count = self.threshold - 1 - self.threshold / 8;
        }
    }

    fn set(&mut self, pc: u64, value: u32) {
        if let Some(word) = self.word(pc) {
            self.allocate();
            self.counts[word] = value;
        }
    }

    /// Index of the dword at an address, if it lies in the program.
    fn word(&self, pc: u64) -> Option<usize> {
        let word = pc.wrapping_sub(self.base) / 4;
        (word < self.words as u64).then_some(word as usize)
    }

    fn allocate(&mut self) {
        if !self.counts.is_empty() {
            return;
        }
        if self.words <= self.counts.capacity() {
            self.counts.resize(self.words, 0);
        } else {
            // The system zeroes this memory when it is first touched.
            self.counts = vec![0; self.words];
        }
    }

    /// Handles a jump to a target whose count is more than an ordinary counter.
    #[cold]
    fn special(&mut self, from: &Block, to: u32) -> bool {
        let backward = to <= from.last_word;
        if self.counts.is_empty() && backward {
            self.allocate();
            return self.jump(from, to);
        }
        let Some(count) = self.counts.get_mut(to as usize) else { return false };
        match *count {
            DISABLED => false,
            COMPILED => true,
            n if backward => {
                *count = (n + if from.is_heavy() { self.heavy } else { 1 }).min(COMPILED - 1);
                *count >= self.threshold
            }
            _ => false,
        }
    }
}

impl Watch for HotCounters {
    #[inline]
    fn jump(&mut self, from: &Block, to: u32) -> bool {
        self.extra += from.extra();
        let backward = to <= from.last_word;
        match self.counts.get_mut(to as usize) {
            Some(count) if *count < self.threshold - 1 => {
                if backward {
                    *count += if from.is_heavy() { self.heavy } else { 1 };
                }
                false
            }
            Some(&mut DISABLED) => false,
            None if !backward => false,
            _ => self.special(from, to),
        }
    }

    #[inline]
    fn fall(&mut self, from: &Block) {
        self.extra += from.extra();
    }
}
