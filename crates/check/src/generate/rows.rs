//! The rows to draw from: every instruction that the engines execute, in each of its forms.

use std::sync::OnceLock;

use gcnsim_isa::coverage::{self, Entry};
use gcnsim_isa::layout::has_form;
use gcnsim_isa::{Arch, Encoding, Form, Inst, InstDesc};

/// An instruction on a generation in one form.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The generation.
    pub arch: Arch,
    /// The row of the table.
    pub desc: &'static InstDesc,
    /// The form. Scalar instructions are plain.
    pub form: Form,
}

impl Row {
    /// Whether the row belongs to the core: scalar instructions, and compares except in SDWA and DPP form.
    pub fn is_core(&self) -> bool {
        self.desc.encoding.is_core() && matches!(self.form, Form::Plain | Form::Vop3)
    }

    /// Whether the row is a memory instruction.
    pub fn is_memory(&self) -> bool {
        use Encoding::{Ds, Flat, Global, Mimg, Mtbuf, Mubuf, Scratch, Smem, Smrd};
        matches!(self.desc.encoding, Smrd | Smem | Ds | Flat | Global | Scratch | Mubuf | Mtbuf | Mimg)
    }
}

impl From<Entry> for Row {
    fn from(entry: Entry) -> Row {
        let form = if entry.vop3 { Form::Vop3 } else { Form::Plain };
        Row { arch: entry.arch, desc: entry.desc, form }
    }
}

/// Returns `inst`. In one instruction of 16, chosen by its words, bits are set in the fields that it does not use. No
/// random number is drawn for that, so that other instructions stay the same.
pub(super) fn with_idle_fields(inst: &Inst) -> Inst {
    let noise = (inst.words[0] ^ inst.words[1].rotate_left(16)).wrapping_mul(0x9e37_79b9);
    let [first, second] = inst.idle_bits();
    let mut changed = *inst;
    if noise >> 28 == 0 {
        changed.words[0] |= noise & first;
        changed.words[1] |= noise.wrapping_mul(0x85eb_ca6b) & second;
    }
    changed
}

/// Returns the core instructions of each generation, compares in VOPC and VOP3 form.
pub fn core_entries() -> &'static [Vec<Entry>; Arch::ALL.len()] {
    static ENTRIES: OnceLock<[Vec<Entry>; Arch::ALL.len()]> = OnceLock::new();
    ENTRIES
        .get_or_init(|| Arch::ALL.map(|arch| coverage::entries().filter(|e| e.arch == arch && e.is_core()).collect()))
}

/// Returns the rows of the vector ALU that the engines execute on a generation, in every form, and compares in SDWA and
/// DPP form.
pub fn vector_rows(arch: Arch) -> &'static [Row] {
    let rows = &rows()[arch as usize][core_entries()[arch as usize].len()..];
    &rows[..rows.len() - memory_rows(arch).len()]
}

/// Returns the memory instructions that the engines execute on a generation.
pub fn memory_rows(arch: Arch) -> &'static [Row] {
    let rows = &rows()[arch as usize];
    &rows[rows.partition_point(|row| !row.is_memory())..]
}

/// Returns all rows of each generation: the core (with the two instructions that nobody knows, at which a run stops),
/// then [`vector_rows`], then [`memory_rows`].
pub fn rows() -> &'static [Vec<Row>; Arch::ALL.len()] {
    static ROWS: OnceLock<[Vec<Row>; Arch::ALL.len()]> = OnceLock::new();
    ROWS.get_or_init(|| Arch::ALL.map(rows_of))
}

fn rows_of(arch: Arch) -> Vec<Row> {
    let mut rows: Vec<Row> = core_entries()[arch as usize].iter().map(|&entry| entry.into()).collect();
    for entry in coverage::entries().filter(|entry| entry.arch == arch && !entry.vop3) {
        let desc = entry.desc;
        let forms: &[Form] = match desc.encoding {
            Encoding::Vopc => &[Form::Sdwa, Form::Dpp],
            _ => &[Form::Plain, Form::Vop3, Form::Sdwa, Form::Dpp],
        };
        // Image instructions have no layout: their fields are drawn without one.
        let exists = |form| has_form(arch, desc, form) || desc.encoding == Encoding::Mimg && form == Form::Plain;
        let forms = forms.iter().filter(|&&form| desc.opcode.is_executed() && exists(form));
        rows.extend(forms.map(|&form| Row { arch, desc, form }));
    }
    rows.sort_by_key(Row::is_memory);
    rows
}
