//! Pairs the instructions of two compilations: first those with the same words, then those with the same mnemonic, then
//! those at the same place between two pairs.

use std::collections::{BTreeMap, HashMap};

use gcnsim_isa::{Flow, Inst};

/// Most cells of the table that finds the best pairs. Longer codes are paired only where both begin and end alike.
const MOST_CELLS: usize = 16 << 20;

/// Score of a pair with the same words. `SAME_MNEMONIC` is that of a pair with the same mnemonic.
const SAME_WORDS: u32 = 5;
const SAME_MNEMONIC: u32 = 3;

/// The pairs of instructions of two codes.
#[derive(Default, Debug)]
pub(crate) struct Alignment {
    pairs: Vec<(u64, u64)>,
    /// Whether four fifths of the instructions have the same words: one is an edit of the other.
    pub is_close: bool,
}

impl Alignment {
    /// Pairs the instructions of `old` and `new`, which are by address.
    pub fn new(old: &BTreeMap<u64, Inst>, new: &BTreeMap<u64, Inst>) -> Alignment {
        let (a, b): (Vec<_>, Vec<_>) = (old.iter().collect(), new.iter().collect());
        let same = |i: usize, j: usize| score(a[i].1, b[j].1) == SAME_WORDS;
        let most = a.len().min(b.len());
        let start = (0..most).take_while(|&i| same(i, i)).count();
        let end = (0..most - start).take_while(|&i| same(a.len() - 1 - i, b.len() - 1 - i)).count();
        let (a_end, b_end) = (a.len() - end, b.len() - end);
        let mut found: Vec<(usize, usize)> = (0..start).map(|i| (i, i)).collect();
        if (a_end - start + 1) * (b_end - start + 1) <= MOST_CELLS {
            let middle = best(&a[start..a_end], &b[start..b_end]);
            found.extend(middle.into_iter().map(|(i, j)| (i + start, j + start)));
        }
        found.extend((0..end).rev().map(|i| (a.len() - 1 - i, b.len() - 1 - i)));
        let found = with_gaps(found, a.len(), b.len());
        let equal = found.iter().filter(|&&(i, j)| same(i, j)).count();
        let is_close = 5 * equal >= 4 * a.len().max(b.len());
        Alignment { pairs: found.into_iter().map(|(i, j)| (*a[i].0, *b[j].0)).collect(), is_close }
    }

    /// Returns the address in the old code, by that in the new one.
    pub fn old_of_new(&self) -> HashMap<u64, u64> {
        self.pairs.iter().map(|&(old, new)| (new, old)).collect()
    }

    /// Returns the address in the new code, by that in the old one.
    pub fn new_of_old(&self) -> HashMap<u64, u64> {
        self.pairs.iter().copied().collect()
    }
}

fn score(a: &Inst, b: &Inst) -> u32 {
    // The distance of a jump depends on the code in between, so it is not compared.
    let is_jump = !matches!(a.flow(), Flow::Next | Flow::End);
    match a.desc().mnemonic == b.desc().mnemonic {
        true if is_jump || a.words == b.words && a.size() == b.size() => SAME_WORDS,
        true => SAME_MNEMONIC,
        false => 0,
    }
}

/// Returns the pairs with the highest sum of scores, in ascending order.
fn best(a: &[(&u64, &Inst)], b: &[(&u64, &Inst)]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut sums = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let score = score(a[i].1, b[j].1);
            let paired = if score > 0 { score + sums[(i + 1) * width + j + 1] } else { 0 };
            sums[i * width + j] = paired.max(sums[(i + 1) * width + j]).max(sums[i * width + j + 1]);
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        let (sum, score) = (sums[i * width + j], score(a[i].1, b[j].1));
        if score > 0 && sum == score + sums[(i + 1) * width + j + 1] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if sum == sums[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Fills the gaps between two pairs that have as many instructions in both codes.
fn with_gaps(pairs: Vec<(usize, usize)>, a: usize, b: usize) -> Vec<(usize, usize)> {
    let (mut all, mut at) = (Vec::with_capacity(pairs.len()), (0, 0));
    for (i, j) in pairs.into_iter().chain([(a, b)]) {
        if i - at.0 == j - at.1 {
            all.extend((at.0..i).zip(at.1..j));
        }
        if i < a {
            all.push((i, j));
        }
        at = (i + 1, j + 1);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::{Arch, Program};

    fn code(words: &[u32]) -> BTreeMap<u64, Inst> {
        let program = Program::from_words(Arch::Gcn14, words);
        let (mut at, mut code) = (0, BTreeMap::new());
        while let Ok(inst) = program.fetch(at) {
            code.insert(at, inst);
            at += u64::from(inst.size());
        }
        code
    }

    // s_add_u32 s0, s1, s2; s_sub_u32 s0, s1, s2; s_and_b32 s3, s4, s5; s_endpgm
    const ADD: u32 = 0x8000_0201;
    const SUB: u32 = 0x8080_0201;
    const AND: u32 = 0x8603_0504;
    const END: u32 = 0xbf81_0000;

    #[test]
    fn an_instruction_that_was_replaced_is_paired() {
        let found = Alignment::new(&code(&[ADD, AND, AND, AND, END]), &code(&[SUB, AND, AND, AND, END]));
        assert_eq!(found.pairs, [(0, 0), (4, 4), (8, 8), (12, 12), (16, 16)]);
        assert!(found.is_close);
    }

    #[test]
    fn one_that_was_added_is_not() {
        let found = Alignment::new(&code(&[ADD, AND, END]), &code(&[ADD, SUB, AND, END]));
        assert_eq!(found.pairs, [(0, 0), (4, 8), (8, 12)]);
        let found = Alignment::new(&code(&[]), &code(&[ADD]));
        assert!(found.pairs.is_empty() && !found.is_close);
    }
}
