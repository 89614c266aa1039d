//! Counting executed instructions by class.

use gcnsim_isa::Kind;

use super::code::RUN_MAX;
use super::op::OpInfo;
use crate::ClassCounts;

/// Counters of instructions of each kind, in ten bits each: a run is no longer than that can count.
///
/// The first word has the kinds of the core, then all others as one, then marks in its last bits, of which a run has
/// one at most. The second word tells the others apart; it is made when a run is complete, so that decoding core
/// instructions does not pay for it.
#[derive(Clone, Copy, Default)]
pub(super) struct Classes([u64; 2]);

/// The first kind of the second word; [`Kind::Other`] is what is left of the others.
const FIRST_OUTSIDE: usize = Kind::Valu as usize;

/// The field of all kinds outside the core.
const OUTSIDE: usize = Kind::Other as usize;

impl Classes {
    const BITS: usize = 10;
    const FIELD: u64 = (1 << Classes::BITS) - 1;

    /// What one of a kind as a number adds to the first word. A mark is of the kind behind the last.
    pub const fn one(kind: u8) -> u64 {
        let field = match kind as usize {
            mark if mark == Kind::ALL.len() => OUTSIDE + 1,
            outside if outside > OUTSIDE => OUTSIDE,
            core => core,
        };
        1 << (Classes::BITS * field)
    }

    /// Counts one more, in the first word.
    #[inline(always)]
    pub fn add_one(&mut self, one: u64) {
        self.0[0] += one;
    }

    /// Counts others too. Marks may run over.
    #[inline(always)]
    fn add(&mut self, others: Classes) {
        self.0[0] = self.0[0].wrapping_add(others.0[0]);
        self.0[1] += others.0[1];
    }

    /// A field of a word.
    const fn field(word: u64, field: usize) -> u64 {
        word >> (Classes::BITS * field) & Classes::FIELD
    }

    /// Makes the second word, given the instructions.
    #[inline(always)]
    pub fn tell_apart(&mut self, insts: &[OpInfo]) {
        if Classes::field(self.0[0], OUTSIDE) > 0 {
            for kind in insts.iter().map(|info| info.traits.kind as usize) {
                let is_outside = (FIRST_OUTSIDE..Kind::ALL.len()).contains(&kind);
                let field = if is_outside { kind - FIRST_OUTSIDE } else { 0 };
                self.0[1] += (is_outside as u64) << (Classes::BITS * field);
            }
        }
    }

    /// Adds how many there are by kind.
    fn add_to(self, counts: &mut ClassCounts) {
        for (kind, count) in counts.0[..OUTSIDE].iter_mut().enumerate() {
            *count += Classes::field(self.0[0], kind);
        }
        let mut rest = Classes::field(self.0[0], OUTSIDE);
        if rest > 0 {
            for (i, count) in counts.0[FIRST_OUTSIDE..].iter_mut().enumerate() {
                let n = Classes::field(self.0[1], i);
                *count += n;
                rest -= n;
            }
            counts.0[OUTSIDE] += rest;
        }
    }
}

const _: () = assert!(Classes::BITS * (OUTSIDE + 1) < 64 && FIRST_OUTSIDE == OUTSIDE + 1);
const _: () = assert!(Classes::BITS * (Kind::ALL.len() - FIRST_OUTSIDE) <= 64 && RUN_MAX < 1 << Classes::BITS);

/// Sum of the counters of blocks, added up where they lie as long as they have room.
#[derive(Clone, Copy, Default)]
pub(super) struct ClassSum {
    sum: Classes,
    len: u32,
}

impl ClassSum {
    /// Adds those of a block with `len` instructions; puts the sum into `counts` before it gets too large.
    #[inline(always)]
    pub fn add(&mut self, classes: Classes, len: u16, counts: &mut ClassCounts) {
        if self.len + len as u32 >= 1 << Classes::BITS {
            self.flush(counts);
        }
        self.sum.add(classes);
        self.len += len as u32;
    }

    /// Puts the sum into `counts`.
    #[inline(never)]
    pub fn flush(&mut self, counts: &mut ClassCounts) {
        self.sum.add_to(counts);
        *self = ClassSum::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::op::{Role, Traits};

    fn info(kind: u8) -> OpInfo {
        OpInfo { traits: Traits { role: Role::Stop, kind }, ..OpInfo::mark(0, Role::Stop) }
    }

    /// A run of as many instructions as may be, of all kinds or of one, with the mark behind them.
    fn run(kinds: impl Iterator<Item = Kind>) -> (Classes, ClassCounts, u16) {
        let mut counts = ClassCounts::default();
        let mut infos: Vec<OpInfo> = Vec::new();
        for kind in kinds.take(RUN_MAX) {
            counts.add(kind, 1);
            infos.push(info(kind as u8));
        }
        infos.push(OpInfo::mark(0, Role::Goto));
        let mut classes = Classes::default();
        infos.iter().for_each(|info| classes.add_one(Classes::one(info.traits.kind)));
        classes.tell_apart(&infos);
        (classes, counts, infos.len() as u16 - 1)
    }

    #[test]
    fn runs_are_counted_by_kind() {
        let of_one = Kind::ALL.map(|kind| run(std::iter::repeat(kind)));
        let mixed = run(Kind::ALL.into_iter().cycle());
        let core = run(Kind::ALL.into_iter().take(5));
        let (mut sum, mut counts, mut expected) = (ClassSum::default(), ClassCounts::default(), ClassCounts::default());
        for n in 0..40 {
            for (classes, of_run, len) in of_one.iter().chain([&core, &mixed]).skip(n % 3) {
                sum.add(*classes, *len, &mut counts);
                expected.0.iter_mut().zip(of_run.0).for_each(|(sum, n)| *sum += n);
            }
        }
        sum.flush(&mut counts);
        assert_eq!(counts, expected);
        assert!(counts.get(Kind::Export) > 40_000 && counts.get(Kind::Other) > 40_000);
    }
}
