//! Counts which instructions were executed, per generation and form.

use std::collections::HashMap;
use std::sync::OnceLock;

use gcnsim_isa::table::Access;
use gcnsim_isa::{Arch, Form, Opcode, Program};

use crate::generate::{Row, rows};
use gcnsim_interp::Interp;
use gcnsim_machine::outcome::Outcome;

/// The number of cases that reached each row.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Number of cases that reached each row, in the order of [`rows`].
    counts: [Vec<u32>; Arch::ALL.len()],
}

impl Default for Coverage {
    fn default() -> Coverage {
        Coverage { counts: Arch::ALL.map(|arch| vec![0; rows()[arch as usize].len()]) }
    }
}

/// Returns the index of a row in [`rows`].
fn number(arch: Arch, opcode: Opcode, form: Form) -> Option<usize> {
    type Numbers = HashMap<(Opcode, Form), usize>;
    static NUMBERS: OnceLock<[Numbers; Arch::ALL.len()]> = OnceLock::new();
    let of = |rows: &Vec<Row>| -> Numbers {
        rows.iter().enumerate().map(|(i, row)| ((row.desc.opcode, row.form), i)).collect()
    };
    let numbers = NUMBERS.get_or_init(|| Arch::ALL.map(|arch| of(&rows()[arch as usize])));
    numbers[arch as usize].get(&(opcode, form)).copied()
}

impl Coverage {
    /// Counts what a run executed. Ignores a run that used up its budget: it is not known how far such a run came in
    /// its last block.
    pub fn add(&mut self, interp: &Interp, program: &Program, outcome: &Outcome) {
        if *outcome == Outcome::Budget {
            return;
        }
        // A fault does not tell which memory instructions of the last block were executed before it.
        let faulted = outcome.detail().is_some_and(|detail| detail.memory.is_some());
        for word in interp.entered_words() {
            self.add_word(program, word, !faulted);
            if let Ok(inst) = program.decode_word(word) {
                self.add_clock(program, word + inst.size() as usize / 4, !faulted);
            }
        }
        if let Some(entry) = program.word_index(program.entry()) {
            self.add_clock(program, entry, !faulted);
        }
        // The instruction at which a run stops counts, too: it may be a trap, or one of the two whose effect nobody
        // knows.
        if let Outcome::Trap(detail) | Outcome::Unsupported(detail) = outcome
            && let Some(word) = program.word_index(detail.pc)
        {
            self.add_word(program, word, false);
        }
    }

    /// Counts the instruction at `word` if it reads the clock. Such an instruction ends a block of the interpreter,
    /// which does not list it.
    fn add_clock(&mut self, program: &Program, word: usize, with_memory: bool) {
        let inst = program.decode_word(word);
        if inst.is_ok_and(|inst| inst.mem_shape().is_some_and(|shape| shape.kind == Access::Time)) {
            self.add_word(program, word, with_memory);
        }
    }

    fn add_word(&mut self, program: &Program, word: usize, with_memory: bool) {
        if let Ok(inst) = program.decode_word(word)
            && let Some(number) = number(inst.arch, inst.opcode, inst.form)
            && (with_memory || !rows()[inst.arch as usize][number].is_memory())
        {
            self.counts[inst.arch as usize][number] += 1;
        }
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Coverage) {
        for (counts, others) in self.counts.iter_mut().zip(&other.counts) {
            for (count, n) in counts.iter_mut().zip(others) {
                *count = count.saturating_add(*n);
            }
        }
    }

    /// Returns the number of rows that were reached, and of all rows, of `arch` or of all generations.
    pub fn reached(&self, arch: Option<Arch>) -> (usize, usize) {
        let counts = || self.of(arch).flat_map(|arch| &self.counts[arch as usize]);
        (counts().filter(|&&n| n > 0).count(), counts().count())
    }

    /// Returns the rows of `arch`, or of all generations, that were not reached.
    pub fn unreached(&self, arch: Option<Arch>) -> Vec<Row> {
        let rows = |arch: Arch| rows()[arch as usize].iter().zip(&self.counts[arch as usize]);
        self.of(arch).flat_map(rows).filter(|(_, count)| **count == 0).map(|(row, _)| *row).collect()
    }

    /// Returns the generation `arch`, or all of them.
    fn of(&self, arch: Option<Arch>) -> impl Iterator<Item = Arch> {
        arch.map_or(Arch::GENERATIONS.to_vec(), |arch| vec![arch]).into_iter()
    }
}

/// Returns the name of a row in messages: `gcn1.2 v_cmp_lt_f32_e64`.
pub fn row_name(row: &Row) -> String {
    let form = match row.form {
        Form::Plain => "",
        Form::Vop3 => "_e64",
        Form::Sdwa => "_sdwa",
        Form::Dpp => "_dpp",
    };
    format!("{} {}{form}", row.arch, row.desc.mnemonic)
}
