//! Counts how often each instruction is executed.

use gcnsim_isa::{Flow, Program};
use gcnsim_machine::Context;

use gcnsim_engine::observe::{At, Needs, Observer, Step};

use super::Count;
use gcnsim_machine::Wave;

/// Most instructions of a block.
const MOST: usize = 4096;

/// Execution counts of a program's instructions.
#[derive(Default)]
pub struct Hits {
    /// Address of the program's first dword, as the file states it.
    base: u64,
    /// What is known of each dword of the code, in pages, which are made where code is executed.
    pages: Vec<Option<Box<[Place; PAGE]>>>,
}

/// Number of dwords in a page.
const PAGE: usize = 1024;

/// What is known of a dword.
#[derive(Default)]
struct Place {
    /// Count of the instruction that begins there.
    count: Count,
    /// The block that begins there, once it has been entered.
    block: Option<Box<Block>>,
}

/// Instructions that are executed one after the other, unless something stops the wave between them.
struct Block {
    /// Index of each instruction's first dword in the code.
    words: Vec<u32>,
    /// Index of the dword after the block, if the block ends with a branch with two ways.
    behind_branch: Option<usize>,
}

impl Block {
    fn at(program: &Program, first: usize) -> Block {
        let (mut words, mut next) = (Vec::new(), first);
        while words.len() < MOST
            && let Ok(inst) = program.decode_word(next)
        {
            words.push(next as u32);
            next += inst.size() as usize / 4;
            match inst.flow() {
                Flow::Next => {}
                flow => {
                    return Block { words, behind_branch: (flow == Flow::CondBranch).then_some(next) };
                }
            }
        }
        Block { words, behind_branch: None }
    }
}

impl Hits {
    /// Returns the counts of executed instructions, with addresses as the file states them.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, Count)> {
        let numbered =
            self.pages.iter().zip((0..).step_by(PAGE)).filter_map(|(page, first)| Some((page.as_ref()?, first)));
        let places = numbered.flat_map(|(page, first)| page.iter().zip(first..));
        let executed = places.filter(|(place, _)| place.count.executed > 0);
        executed.map(|(place, word)| (self.base.wrapping_add(4 * word), place.count))
    }

    /// The place of a dword of the code.
    fn place(&mut self, word: usize) -> &mut Place {
        if self.pages.len() <= word / PAGE {
            self.pages.resize_with(word / PAGE + 1, || None);
        }
        let new = || Box::new(std::array::from_fn(|_| Place::default()));
        &mut self.pages[word / PAGE].get_or_insert_with(new)[word % PAGE]
    }

    /// The block that begins at a dword of the code.
    fn block(&mut self, program: &Program, first: usize) -> &Block {
        let place = self.place(first);
        place.block.get_or_insert_with(|| Box::new(Block::at(program, first)))
    }
}

impl Observer for Hits {
    fn needs(&mut self, at: &At<'_>, wave: &Wave) -> Needs {
        let program = &at.scene.program;
        self.base = at.scene.address_of_file(program.base());
        let first = program.word_index(wave.state.pc);
        let count = first.map_or(1, |first| self.block(program, first).words.len().max(1) as u64);
        Needs { most: count, writes: false }
    }

    fn after(&mut self, at: &At<'_>, step: &Step<'_>, wave: &Wave, _context: &Context) {
        let program = &at.scene.program;
        let Some(first) = program.word_index(step.pc) else { return };
        // The block is put back at the end.
        let Some(block) = self.place(first).block.take() else { return };
        let done = step.executed as usize;
        for &word in block.words.iter().take(done) {
            self.place(word as usize).count.executed += 1;
        }
        if let (Some(behind), Some(&last)) = (block.behind_branch, block.words.last())
            && done == block.words.len()
            && program.word_index(wave.state.pc) != Some(behind)
        {
            self.place(last as usize).count.taken += 1;
        }
        self.place(first).block = Some(block);
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_engine::{Observers, RunOptions, RunStats, Scene, Session};
    use gcnsim_isa::Arch;
    use gcnsim_machine::Outcome;

    use super::*;

    /// Runs the program `words`. Returns, for each dword, how often it was executed and how often taken as a branch;
    /// and the outcome.
    fn counts(words: &[u32], sgprs: &[u32], max: u64) -> (Vec<(u64, u64)>, Outcome) {
        let program = Program::from_words(Arch::Gcn14, words);
        let mut wave = Wave::new(&program);
        wave.state.sgpr[..sgprs.len()].copy_from_slice(sgprs);
        let mut hits = Hits::default();
        let mut session = Session::new(&program, RunOptions::default());
        let (scene, mut context) = (Scene::of_program(&program), Context::default());
        let (mut observers, at) = (Observers::one(&mut hits), (&mut wave, &mut context));
        let outcome = session.run_observed(&scene, &mut observers, at, Some(max), &mut RunStats::default()).unwrap();
        let sum: u64 = hits.counts().map(|(_, count)| count.executed).sum();
        assert_eq!(sum, wave.executed);
        let mut counts = |word| {
            let count = hits.place(word).count;
            (count.executed, count.taken)
        };
        ((0..words.len()).map(&mut counts).collect(), outcome)
    }

    #[test]
    fn loops_branches_and_budgets() {
        // loop: s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop; s_endpgm
        let words = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
        let (found, outcome) = counts(&words, &[5], 1000);
        assert_eq!((found, outcome), (vec![(5, 0), (5, 0), (5, 0), (5, 4), (1, 0)], Outcome::Ended));
        // The budget ends after two rounds and two instructions of the third.
        let (found, outcome) = counts(&words, &[5], 10);
        assert_eq!((found, outcome), (vec![(3, 0), (3, 0), (2, 0), (2, 2), (0, 0)], Outcome::Budget));
    }

    #[test]
    fn what_stops_a_wave_is_not_counted() {
        // s_mov_b32 s0, 1; s_load_dword s1, s[2:3], 0x0 (nothing is mapped); s_endpgm
        let (found, outcome) = counts(&[0xbe80_0081, 0xc002_0041, 0x1000, 0xbf81_0000], &[], 1000);
        assert_eq!(found, [(1, 0), (0, 0), (0, 0), (0, 0)]);
        assert_eq!(outcome.name(), "fault");
    }
}
