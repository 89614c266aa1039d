//! Which conditional branches and computed jumps are easy to predict.
//!
//! Compiled code executes both ways of a short branch and selects, or branches. The first pays where the host would
//! predict the branch wrongly, the second where it would not. The same is true of jumps to one of a few targets. So
//! before a region is compiled that has such a branch, the interpreter notes which ways the wave goes, and a predictor
//! learns them: a perceptron over the last ways of all branches and of the branch itself. Later, and ever more seldom,
//! the ways are noted again; where they have become easy or hard, the region is compiled again, at most [`MOST_REFITS`]
//! times in all.
//!
//! What a run computes does not depend on any of this.

use gcnsim_interp::{Stop, Ways};
use gcnsim_isa::{Flow, Program};
use gcnsim_jit::cache::Lookup;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

use super::{EngineError, Next, TieredRun, elapsed_ns};
use crate::background::OwnedKey;
use crate::compiled::compile_options;

/// Number of steps from block to block that are noted.
const STEPS: usize = 1 << 12;
/// Limit for the instructions that are executed meanwhile.
const MOST_INSTS: u64 = 1 << 16;
/// Least number of times that a branch must have been executed, for its predictions to count.
const LEAST_SEEN: u32 = 32;
/// Limit for the addresses where the ways are noted before a region is compiled.
const MOST_NOTED: usize = 64;
/// Limit for the regions that are compiled again.
const MOST_REFITS: u32 = 4;
/// Number of instructions that a region executes before its branches are judged again.
const AGAIN: u64 = 1 << 24;
/// The factor from each time that the branches of a region are judged to the next.
const SELDOMER: u64 = 4;

/// Length of each history of the predictor.
const HISTORY: usize = 32;
/// Largest absolute value of a weight.
const MOST_WEIGHT: i16 = 127;
/// The predictor learns from right predictions, too, whose sum is at most this.
const SURE: i32 = 137;

/// What is known of branches.
#[derive(Default)]
pub(super) struct Branches {
    /// Addresses of those that are easy to predict, in order.
    predictable: Vec<u64>,
    /// Addresses where regions begin that were looked at before they were compiled, and their branches to judge, in
    /// order.
    noted: Vec<(u64, Vec<u64>)>,
    /// For each region the number of executed instructions at which its branches are judged again.
    again: Vec<u64>,
    /// Number of regions that were compiled again.
    refits: u32,
}

impl Branches {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.noted.is_empty()
    }

    /// Adds the next region, which begins at `pc`.
    pub fn add(&mut self, pc: u64) {
        self.again.push(if self.of(pc).is_empty() { u64::MAX } else { AGAIN });
    }

    /// The branches to judge of the region that begins at `pc`.
    fn of(&self, pc: u64) -> &[u64] {
        self.noted.iter().find(|noted| noted.0 == pc).map_or(&[], |noted| &noted.1)
    }

    /// The branches of the region that begins at `pc` which are easy to predict, in order.
    pub fn easy(&self, pc: u64) -> Vec<u64> {
        let easy = |branch: &&u64| self.predictable.binary_search(branch).is_ok();
        self.of(pc).iter().filter(easy).copied().collect()
    }

    /// Whether the branches of a region are judged again some time.
    pub fn are_judged_again(&self, region: usize) -> bool {
        self.again[region] != u64::MAX
    }

    /// Limit for the instructions of an entry of a region that has executed so many.
    pub fn left(&self, region: usize, executed: u64) -> u64 {
        self.again[region].saturating_sub(executed)
    }
}

/// What to note ways for.
pub(super) struct Noting {
    /// Addresses of the branches to judge, in order.
    branches: Vec<u64>,
    /// The region that they are in, if it is compiled.
    region: Option<usize>,
}

/// Number of bits that tell the targets of a computed jump apart.
const TARGET_BITS: usize = 3;

/// A conditional branch or computed jump that is judged.
struct Judged {
    /// Address of the instruction.
    pc: u64,
    /// For a computed jump the targets that were met, each by the last dword of its block.
    targets: Vec<u32>,
    /// One branch for each bit of the way.
    bits: Vec<Branch>,
    seen: u32,
    missed: u32,
}

impl Judged {
    /// The branch or jump at `pc`; `None` if the instruction is neither.
    fn new(program: &Program, pc: u64) -> Option<Judged> {
        let bits = match program.fetch(pc).ok()?.flow() {
            Flow::CondBranch => 1,
            Flow::SwapPc | Flow::Indirect => TARGET_BITS,
            _ => return None,
        };
        let bits = (0..bits).map(|_| Branch::new()).collect();
        Some(Judged { pc, targets: Vec::new(), bits, seen: 0, missed: 0 })
    }

    /// Learns one way, after the last ways `all` of all branches, to which it is added: whether a branch was `taken`,
    /// or where a jump went, by the last dword of the `next` block. Returns whether it was predicted.
    fn step(&mut self, all: &mut [i16; HISTORY], taken: bool, next: u32) -> bool {
        let mut way_taken = usize::from(taken);
        if self.bits.len() > 1 {
            way_taken = self.targets.iter().position(|&target| target == next).unwrap_or(self.targets.len());
            if way_taken == self.targets.len() && way_taken < 1 << TARGET_BITS {
                self.targets.push(next);
            }
        }
        let mut predicted = true;
        for (i, bit) in self.bits.iter_mut().enumerate() {
            let is_set = way_taken >> i & 1 == 1;
            predicted &= bit.step(all, is_set);
            push(all, way(is_set));
        }
        predicted
    }

    /// Whether it is easy to predict, as far as that is known. One that `was` easy needs more misses to be hard.
    fn is_easy(&self, was: bool) -> Option<bool> {
        let least_right = if was { 5 } else { 8 };
        (self.seen >= LEAST_SEEN).then_some(self.missed * least_right < self.seen)
    }
}

/// The predictor's part for one branch.
struct Branch {
    /// The weight of the branch's own bias.
    bias: i16,
    weights: [[i16; HISTORY]; 2],
    /// The last ways of the branch, newest first: 1 where it was taken, -1 where it was not, 0 where it is not known.
    last: [i16; HISTORY],
}

impl Branch {
    fn new() -> Branch {
        Branch { bias: 0, weights: [[0; HISTORY]; 2], last: [0; HISTORY] }
    }

    /// Learns one way, after the last ways of all branches. Returns whether it was predicted.
    fn step(&mut self, all: &[i16; HISTORY], taken: bool) -> bool {
        let histories = [all, &self.last];
        let mut sum = i32::from(self.bias);
        for (weights, history) in self.weights.iter().zip(histories) {
            sum += weights.iter().zip(history).map(|(&w, &h)| i32::from(w) * i32::from(h)).sum::<i32>();
        }
        let (way, predicted) = (way(taken), (sum >= 0) == taken);
        if !predicted || sum.abs() <= SURE {
            let learnt = |weight: i16, by: i16| (weight + by).clamp(-MOST_WEIGHT, MOST_WEIGHT);
            self.bias = learnt(self.bias, way);
            for (weights, history) in self.weights.iter_mut().zip(histories) {
                weights.iter_mut().zip(history).for_each(|(w, &h)| *w = learnt(*w, h * way));
            }
        }
        push(&mut self.last, way);
        predicted
    }
}

fn way(taken: bool) -> i16 {
    if taken { 1 } else { -1 }
}

fn push(history: &mut [i16; HISTORY], way: i16) {
    history.copy_within(..HISTORY - 1, 1);
    history[0] = way;
}

/// Judges branches by noted steps (last dword of a block, whether it was left by a jump). The first half of the steps
/// is only learnt. `wanted` are addresses in order; the result has those of which enough is known, with whether they
/// are easy to predict. `was` has the branches that were easy the last time.
fn judge(program: &Program, steps: &[(u32, bool)], wanted: &[u64], was: &[u64]) -> Vec<(u64, bool)> {
    // 0: not met yet; 1: neither a branch nor a computed jump; others: 2 more than the index of it.
    let mut known = vec![0u32; program.word_count()];
    let mut found: Vec<Judged> = Vec::new();
    let mut all = [0; HISTORY];
    for (i, &(word, taken)) in steps.iter().enumerate() {
        let Some(number) = known.get_mut(word as usize) else { continue };
        if *number == 0 {
            let new = Judged::new(program, program.base().wrapping_add(4 * u64::from(word)));
            *number = if new.is_some() { found.len() as u32 + 2 } else { 1 };
            found.extend(new);
        }
        let Some(judged) = number.checked_sub(2).and_then(|number| found.get_mut(number as usize)) else {
            continue;
        };
        let next = steps.get(i + 1).map_or(0, |&(next, _)| next);
        let predicted = judged.step(&mut all, taken, next);
        if i >= steps.len() / 2 {
            judged.seen += 1;
            judged.missed += u32::from(!predicted);
        }
    }
    let wanted = found.iter().filter(|judged| wanted.binary_search(&judged.pc).is_ok());
    wanted.filter_map(|judged| Some((judged.pc, judged.is_easy(was.binary_search(&judged.pc).is_ok())?))).collect()
}

impl TieredRun<'_> {
    /// The branches to judge before the region at the wave's PC is compiled. `None` if there are none, or if they have
    /// been judged.
    pub(super) fn branches_before(&mut self, wave: &Wave) -> Option<Noting> {
        let pc = wave.state.pc;
        let known = &self.known.branches.noted;
        let notes = self.options.hot > 0
            && self.gate.is_none()
            && known.len() < MOST_NOTED
            && !known.iter().any(|known| known.0 == pc);
        if !notes || self.known.cache.get(&wave.state).is_some() || !self.has_credit() {
            return None;
        }
        let key = self.key(wave);
        let branches = self.convertible(key);
        self.known.branches.noted.push((pc, branches.clone()));
        (!branches.is_empty()).then_some(Noting { branches, region: None })
    }

    /// The branches of a compiled region to judge again. `None` if it is not the time for that.
    pub(super) fn branches_again(&mut self, region: usize) -> Option<Noting> {
        let has_credit = self.has_credit();
        let profile = &self.known.profile[region];
        let (known, executed) = (&mut self.known.branches, profile.executed);
        if known.left(region, executed) > 0 {
            return None;
        }
        let is_last = self.gate.is_some() || known.refits == MOST_REFITS;
        known.again[region] = if is_last { u64::MAX } else { executed.saturating_mul(SELDOMER) };
        if is_last || !has_credit {
            return None;
        }
        let (pc, mode, maxima) = (profile.pc, profile.mode, profile.maxima);
        let key = OwnedKey { pc, mode, observed: profile.observed.clone(), maxima, predictable: Vec::new() };
        let branches = self.convertible(key);
        (!branches.is_empty()).then_some(Noting { branches, region: Some(region) })
    }

    /// The addresses of the branches that are converted in the region of a key if none is easy, in order.
    fn convertible(&self, key: OwnedKey) -> Vec<u64> {
        let key = OwnedKey { predictable: Vec::new(), ..key };
        compile_options(self.options).convertible(self.program, &key.get())
    }

    /// Interprets some instructions of the wave, and judges branches by them.
    pub(super) fn note_branches(&mut self, wave: &mut Wave, noting: &Noting) -> Result<Next, EngineError> {
        let (before, start) = (wave.executed, self.clock());
        let mut ways = Ways::new(STEPS);
        let stop = self.interp.run_noting(wave, self.context, (self.end - before).min(MOST_INSTS), &mut ways);
        self.stats.interp_ns += start.map_or(0, elapsed_ns);
        self.known.interpreted += wave.executed - before;
        let known = &mut self.known.branches;
        let judged = judge(self.program, &ways.steps, &noting.branches, &known.predictable);
        let mut differs = false;
        for (pc, easy) in judged {
            match (known.predictable.binary_search(&pc), easy) {
                (Err(at), true) => known.predictable.insert(at, pc),
                (Ok(at), false) => drop(known.predictable.remove(at)),
                _ => continue,
            }
            differs = true;
        }
        if let (Some(region), true) = (noting.region, differs) {
            known.refits += 1;
            self.known.cache.invalidate(region);
        }
        Ok(match stop {
            Stop::Done(Outcome::Budget) if wave.executed < self.end => Next::Interpret,
            Stop::Done(outcome) => Next::Done(outcome),
            Stop::Hot => match self.known.cache.get(&wave.state) {
                Some(lookup @ Lookup::Region { .. }) => Next::Enter(lookup),
                _ => Next::Interpret,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    /// Judges a program of two branches, at 0 and 4, whose ways a function gives for each round.
    fn judged(ways: impl Fn(u32) -> [bool; 2]) -> Vec<(u64, bool)> {
        // s_cbranch_scc0, s_cbranch_scc1, s_endpgm.
        let program = Program::from_words(Arch::Gcn14, &[0xbf84_0000, 0xbf85_0000, 0xbf81_0000]);
        let steps: Vec<_> = (0..STEPS as u32 / 2).flat_map(|i| [0, 1].map(|b| (b as u32, ways(i)[b]))).collect();
        judge(&program, &steps, &[0, 4], &[])
    }

    #[test]
    fn branches_that_repeat_are_easy_and_random_ones_are_hard() {
        let random = |i: u32| i.wrapping_mul(0x9e37_79b9).wrapping_pow(3) >> 17 & 1 == 1;
        assert_eq!(judged(|_| [true, false]), [(0, true), (4, true)]);
        assert_eq!(judged(|i| [i.is_multiple_of(7), random(i)]), [(0, true), (4, false)]);
        // One branch goes the way that the other one went.
        assert_eq!(judged(|i| [random(i), !random(i)]), [(0, false), (4, true)]);
        // It went so four rounds ago.
        assert_eq!(judged(|i| [random(i), random(i - i.min(4))]), [(0, false), (4, true)]);
    }

    #[test]
    fn little_evidence_is_none() {
        let program = Program::from_words(Arch::Gcn14, &[0xbf84_0000, 0xbf81_0000]);
        let steps = [(0, true); 2 * LEAST_SEEN as usize - 1];
        assert_eq!(judge(&program, &steps, &[0], &[]), [(0, true)]);
        assert_eq!(judge(&program, &steps[2..], &[0], &[]), []);
        assert_eq!(judge(&program, &steps, &[4], &[]), []);
    }
}
