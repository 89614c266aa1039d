//! The instructions that exist, row by row and generation by generation: the left half of the support matrix.

use crate::arch::Arch;
use crate::table::{Encoding, InstDesc, all_rows};

/// One instruction on one generation.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The row.
    pub desc: &'static InstDesc,
    /// The generation.
    pub arch: Arch,
    /// The opcode number on that generation.
    pub opcode: u16,
    /// Whether this is the VOP3 form of a compare (with the same opcode number). Other promoted forms have no entry.
    pub vop3: bool,
}

impl Entry {
    /// Encoding of the row (VOPC for both forms of a compare).
    pub fn encoding(&self) -> Encoding {
        self.desc.encoding
    }

    /// Mnemonic of the row.
    pub fn mnemonic(&self) -> &'static str {
        self.desc.mnemonic
    }

    /// Whether it belongs to the scalar and compare core.
    pub fn is_core(&self) -> bool {
        self.desc.encoding.is_core()
    }

    /// Whether its meaning is undocumented.
    pub fn is_unknown(&self) -> bool {
        self.desc.unknown
    }
}

/// Every row on every generation that has it. They are ordered by generation, the core comes first, and then in table
/// order. The VOP3 form of a compare follows its VOPC form.
pub fn entries() -> impl Iterator<Item = Entry> {
    Arch::ALL.into_iter().flat_map(|arch| all_rows().flat_map(move |desc| entries_of(desc, arch)))
}

fn entries_of(desc: &'static InstDesc, arch: Arch) -> impl Iterator<Item = Entry> {
    let forms: &[bool] = if desc.encoding == Encoding::Vopc { &[false, true] } else { &[false] };
    let opcode = desc.opcode_on(arch);
    forms.iter().filter_map(move |&vop3| Some(Entry { desc, arch, opcode: opcode?, vop3 }))
}
