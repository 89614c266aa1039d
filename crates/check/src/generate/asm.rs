//! A small assembler: it appends instructions, places labels, and fills in everything that depends on labels.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::{Arch, Inst};

/// A place in the program, which may not be known yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// A field that is filled in when all labels are placed.
#[derive(Clone, Copy, Debug)]
enum Fixup {
    /// The SIMM16 of the branch at dword `word`.
    Branch { word: usize, to: Label },
    /// The dword `word`, which is the distance in bytes from dword `from` to the label, or its negative.
    Distance { word: usize, from: usize, to: Label, negative: bool },
}

/// Collects the words of a program.
#[derive(Debug)]
pub struct Assembler {
    arch: Arch,
    words: Vec<u32>,
    labels: Vec<Option<usize>>,
    fixups: Vec<Fixup>,
    instructions: usize,
}

impl Assembler {
    /// Returns an empty program.
    pub fn new(arch: Arch) -> Assembler {
        Assembler { arch, words: Vec::new(), labels: Vec::new(), fixups: Vec::new(), instructions: 0 }
    }

    /// Returns the generation of the code.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Returns the index of the next dword.
    pub fn here(&self) -> usize {
        self.words.len()
    }

    /// Returns the number of instructions so far.
    pub fn instructions(&self) -> usize {
        self.instructions
    }

    /// Appends an instruction. Returns false and appends nothing if its operands are not legal.
    pub fn emit(&mut self, builder: Builder) -> bool {
        let Ok(inst) = builder.build() else { return false };
        self.inst(&inst);
        true
    }

    /// Appends a decoded instruction.
    pub fn inst(&mut self, inst: &Inst) {
        self.words.extend(&inst.words[..inst.size() as usize / 4]);
        self.instructions += 1;
    }

    /// Appends a dword as it is.
    pub fn word(&mut self, word: u32) {
        self.words.push(word);
        self.instructions += 1;
    }

    /// Returns a new label, which is placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Whether a label has been placed.
    pub fn is_placed(&self, label: Label) -> bool {
        self.labels[label.0].is_some()
    }

    /// Places a label at the next dword.
    pub fn place(&mut self, label: Label) {
        self.place_at(label, self.here());
    }

    /// Places a label at a dword.
    pub fn place_at(&mut self, label: Label, word: usize) {
        self.labels[label.0] = Some(word);
    }

    /// Appends a branch (SOPP or SOPK) to a label.
    pub fn branch(&mut self, builder: Builder, to: Label) -> bool {
        let word = self.here();
        let emitted = self.emit(builder);
        if emitted {
            self.fixups.push(Fixup::Branch { word, to });
        }
        emitted
    }

    /// Appends an instruction whose literal is the distance in bytes from dword `from` to a label (or its negative).
    pub fn distance(&mut self, builder: Builder, from: usize, to: Label, negative: bool) -> bool {
        let emitted = self.emit(builder);
        if emitted {
            self.fixups.push(Fixup::Distance { word: self.here() - 1, from, to, negative });
        }
        emitted
    }

    /// Returns the words, with everything filled in that depends on labels. Labels that were never placed stand for the
    /// end.
    pub fn finish(mut self) -> Vec<u32> {
        let end = self.words.len();
        for fixup in &self.fixups {
            let place = |label: Label| self.labels[label.0].unwrap_or(end) as i64;
            match *fixup {
                Fixup::Branch { word, to } => {
                    let distance = place(to) - word as i64 - 1;
                    self.words[word] = self.words[word] & 0xffff_0000 | distance as u16 as u32;
                }
                Fixup::Distance { word, from, to, negative } => {
                    let distance = 4 * (place(to) - from as i64);
                    self.words[word] = if negative { -distance } else { distance } as u32;
                }
            }
        }
        self.words
    }
}
