//! Counting executed instructions by class.

use gcnsim_isa::Kind;

use super::code::RUN_MAX;
use super::op::OpInfo;
use gcnsim_machine::ClassCounts;

/// Counters of instructions by kind, with ten bits each: enough for the longest run.
///
/// The first word counts the kinds of the core, then all other kinds together, then, in its last bits, marks, of which
/// a run has at most one. The second word counts the other kinds separately. It is made when a run is complete, so that
/// it costs nothing for core instructions.
#[derive(Clone, Copy, Default)]
pub(super) struct Classes([u64; 2]);

/// The first kind in the second word. [`Kind::Other`] is not there: it is what remains of the kinds outside the core.
const FIRST_OUTSIDE: usize = Kind::Valu as usize;

/// The field of the first word for all kinds outside the core.
const OUTSIDE: usize = Kind::Other as usize;

impl Classes {
    const BITS: usize = 10;
    const FIELD: u64 = (1 << Classes::BITS) - 1;

    /// The addend of the first word for one instruction of `kind`, which is a number. Marks have the number after
    /// the last kind.
    pub const fn one(kind: u8) -> u64 {
        let field = match kind as usize {
            mark if mark == Kind::ALL.len() => OUTSIDE + 1,
            outside if outside > OUTSIDE => OUTSIDE,
            core => core,
        };
        1 << (Classes::BITS * field)
    }

    /// Counts one instruction in the first word.
    #[inline(always)]
    pub fn add_one(&mut self, one: u64) {
        self.0[0] += one;
    }

    /// The value of a field.
    const fn field(word: u64, field: usize) -> u64 {
        word >> (Classes::BITS * field) & Classes::FIELD
    }

    /// Makes the second word from the instructions.
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

    /// Number of accesses of vector memory, LDS and images.
    #[inline(always)]
    pub fn vector_accesses(&self) -> u32 {
        if self.0[1] == 0 {
            return 0;
        }
        let of = |kind: Kind| Classes::field(self.0[1], kind as usize - FIRST_OUTSIDE) as u32;
        of(Kind::Vmem) + of(Kind::Lds) + of(Kind::Image)
    }

    /// Adds the counters to `counts`.
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

/// A sum of the counters of blocks. Fields are added in place as long as they have room. The two words of the sum do
/// not lie side by side: the compiler would add them as one vector, and a block's counters are often read right after
/// they were written word by word, which processors do slowly.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct ClassSum {
    first: u64,
    len: u64,
    second: u64,
}

impl ClassSum {
    /// Adds the counters of a block with `len` instructions. Moves the sum to `counts` before a field can overflow.
    #[inline(always)]
    pub fn add(&mut self, classes: &Classes, len: u16, counts: &mut ClassCounts) {
        if self.len + len as u64 >= 1 << Classes::BITS {
            self.flush(counts);
        }
        // The field of marks may overflow.
        self.first = self.first.wrapping_add(classes.0[0]);
        self.second += classes.0[1];
        self.len += len as u64;
    }

    /// Moves the sum to `counts`.
    #[inline(never)]
    pub fn flush(&mut self, counts: &mut ClassCounts) {
        Classes([self.first, self.second]).add_to(counts);
        *self = ClassSum::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Role, Traits};

    fn info(kind: u8) -> OpInfo {
        OpInfo { traits: Traits { role: Role::Stop, kind }, ..OpInfo::mark(0, Role::Stop) }
    }

    /// The longest possible run of instructions of the given kinds, with a mark at its end.
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
                sum.add(classes, *len, &mut counts);
                expected.0.iter_mut().zip(of_run.0).for_each(|(sum, n)| *sum += n);
            }
        }
        sum.flush(&mut counts);
        assert_eq!(counts, expected);
        assert!(counts.get(Kind::Export) > 40_000 && counts.get(Kind::Other) > 40_000);
    }
}
