//! Well-behaved programs for shader corpora.

use gcnsim_isa::Arch;
use gcnsim_isa::table::Sopp;

use super::{Generator, Style};
use gcnsim_random::Rng;

/// Returns program `number` in the corpus of `seed`. It has 30 to 300 core instructions with loops, branches, EXEC-mask
/// flow and compares. From the initial state of a run it ends within 10,000,000 instructions.
///
/// ```
/// use gcnsim_check::generate::corpus;
/// use gcnsim_isa::Arch;
/// let words = corpus::program(Arch::Gcn12, 42, 0);
/// assert_eq!(words, corpus::program(Arch::Gcn12, 42, 0));
/// assert!(words != corpus::program(Arch::Gcn12, 42, 1));
/// ```
pub fn program(arch: Arch, seed: u64, number: u64) -> Vec<u32> {
    with_style(arch, seed, number, |style| style)
}

/// Returns a program like that of [`program`], with vector ALU instructions in every form.
///
/// ```
/// use gcnsim_check::generate::corpus;
/// use gcnsim_isa::Arch;
/// assert_eq!(corpus::vector_program(Arch::Gcn14, 42, 0), corpus::vector_program(Arch::Gcn14, 42, 0));
/// assert_ne!(corpus::vector_program(Arch::Gcn14, 42, 0), corpus::program(Arch::Gcn14, 42, 0));
/// ```
pub fn vector_program(arch: Arch, seed: u64, number: u64) -> Vec<u32> {
    with_style(arch, seed, number, Style::with_vectors)
}

fn with_style(arch: Arch, seed: u64, number: u64, change: impl FnOnce(Style) -> Style) -> Vec<u32> {
    let mut rng = Rng::new(Rng::new(seed).bits64() ^ number);
    let style = change(Style::tame(&mut rng));
    let mut generator = Generator::new(arch, rng, style);
    generator.whole()
}

impl Generator {
    fn whole(&mut self) -> Vec<u32> {
        let size = self.style.size as usize;
        self.limit = size;
        while self.asm.instructions() < size {
            self.item();
        }
        self.end_with(Sopp::SEndpgm.into());
        self.write_routines();
        self.take().finish()
    }
}
