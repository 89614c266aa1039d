//! The fields of memory instructions.

use super::{Field, Layout, Role};
use crate::arch::Arch;
use crate::table::{Access, Base, Encoding, InstDesc, MemShape, Opcode};

/// The content of a field of a memory instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryRole {
    /// Number of the first VGPR of an address, an index or an offset.
    Vaddr,
    /// Number of the first VGPR of data. Buffer loads write it.
    Vdata(usize),
    /// First scalar register of the data or of the result.
    Sdata,
    /// First scalar register of the base, divided by this number.
    Base(u32),
    /// Scalar register of the base of GLOBAL and SCRATCH; 127 is none.
    Saddr,
    /// Operand code of a scalar offset.
    Soffset,
    /// Constant offset. In scalar memory without IMM it is the operand code of an offset.
    Offset,
    /// Data format and number format.
    Format,
    /// A bit that changes what other fields mean, or what is written.
    Switch(Switch),
}

/// The bits of memory instructions that change more than timing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// The offset of scalar memory is a constant.
    Imm,
    /// Scalar memory takes an offset from a register, too.
    Soe,
    /// An atomic returns the old value.
    Glc,
    /// A buffer's address has an offset in a VGPR.
    Offen,
    /// A buffer's address has an index in a VGPR.
    Idxen,
    /// A buffer's address is a pair of VGPRs.
    Addr64,
    /// Data go to LDS.
    Lds,
    /// One more VGPR of the result reports residency.
    Tfe,
    /// A DS instruction works on the global data share.
    Gds,
}

impl Layout {
    /// The layout of a memory instruction; `None` for other rows.
    pub(super) fn of_memory(arch: Arch, desc: &InstDesc) -> Option<Layout> {
        let op = desc.opcode_on(arch)? as u32;
        let mut fields = Fields(Vec::new());
        let first = match desc.opcode {
            Opcode::Smrd(row) => smrd(row.shape(), &mut fields) | op << 22,
            Opcode::Smem(row) => smem(arch, row.shape(), &mut fields) | op << 18,
            Opcode::Ds(_) => ds(arch, desc, &mut fields) | op << if arch.is_gcn12_or_later() { 17 } else { 18 },
            Opcode::Flat(row) => flat(arch, desc, row.shape(), &mut fields) | op << 18,
            Opcode::Global(row) => flat(arch, desc, row.shape(), &mut fields) | op << 18,
            Opcode::Scratch(row) => flat(arch, desc, row.shape(), &mut fields) | op << 18,
            Opcode::Mubuf(row) => mubuf(arch, row.shape(), &mut fields) | op << 18,
            Opcode::Mtbuf(row) => mtbuf(arch, row.shape(), &mut fields) | op << (16 - arch.is_gcn12_or_later() as u32),
            _ => return None,
        };
        Some(Layout { words: [first, 0], fields: fields.0 })
    }
}

/// Whether the encoding is one of memory instructions that the layouts here describe.
pub(super) const fn is_memory(encoding: Encoding) -> bool {
    use Encoding::{Ds, Flat, Global, Mtbuf, Mubuf, Scratch, Smem, Smrd};
    matches!(encoding, Smrd | Smem | Ds | Flat | Global | Scratch | Mubuf | Mtbuf)
}

struct Fields(Vec<Field>);

impl Fields {
    fn add(&mut self, role: MemoryRole, word: usize, shift: u32, bits: u32) {
        self.0.push(Field::new(Role::Memory(role), word, shift, bits));
    }

    fn switch(&mut self, switch: Switch, word: usize, shift: u32) {
        self.add(MemoryRole::Switch(switch), word, shift, 1);
    }

    /// A bit without effect on results.
    fn hint(&mut self, word: usize, shift: u32) {
        self.0.push(Field::new(Role::Modifier, word, shift, 1));
    }
}

fn smrd(shape: MemShape, fields: &mut Fields) -> u32 {
    if shape.data > 0 {
        fields.add(MemoryRole::Sdata, 0, 15, 7);
    }
    if shape.base != Base::None {
        fields.add(MemoryRole::Base(2), 0, 9, 6);
        fields.switch(Switch::Imm, 0, 8);
        fields.add(MemoryRole::Offset, 0, 0, 8);
    }
    0xc000_0000
}

fn smem(arch: Arch, shape: MemShape, fields: &mut Fields) -> u32 {
    if shape.data > 0 {
        fields.add(MemoryRole::Sdata, 0, 6, 7);
    }
    if shape.base != Base::None {
        fields.add(MemoryRole::Base(2), 0, 0, 6);
        fields.switch(Switch::Imm, 0, 17);
        fields.switch(Switch::Glc, 0, 16);
        fields.add(MemoryRole::Offset, 1, 0, if arch.is_gcn14_or_later() { 21 } else { 20 });
        if arch.is_gcn14_or_later() {
            fields.switch(Switch::Soe, 0, 14);
            fields.add(MemoryRole::Soffset, 1, 25, 7);
        }
    }
    0xc000_0000
}

fn ds(arch: Arch, desc: &InstDesc, fields: &mut Fields) -> u32 {
    let Opcode::Ds(row) = desc.opcode else { return 0 };
    let shape = row.shape();
    let gds = if arch.is_gcn12_or_later() { 16 } else { 17 };
    if shape.addr {
        fields.add(MemoryRole::Vaddr, 1, 0, 8);
    }
    for (i, shift) in [(0, 8), (1, 16)] {
        if shape.data[i] > 0 {
            fields.add(MemoryRole::Vdata(i), 1, shift, 8);
        }
    }
    if shape.vdst > 0 {
        fields.0.push(Field::new(Role::Vdst, 1, 24, 8));
    }
    fields.add(MemoryRole::Offset, 0, 0, 16);
    if !shape.gds {
        fields.switch(Switch::Gds, 0, gds);
    }
    0xd800_0000 | (shape.gds as u32) << gds
}

fn flat(arch: Arch, desc: &InstDesc, shape: MemShape, fields: &mut Fields) -> u32 {
    let segment = match desc.encoding {
        Encoding::Flat => 0,
        Encoding::Scratch => 1,
        _ => 2,
    };
    let gcn14 = arch.is_gcn14_or_later();
    fields.add(MemoryRole::Vaddr, 1, 0, 8);
    if shape.data > 0 {
        fields.add(MemoryRole::Vdata(0), 1, 8, 8);
    }
    if shape.vdst > 0 {
        fields.0.push(Field::new(Role::Vdst, 1, 24, 8));
    }
    if gcn14 {
        fields.add(MemoryRole::Offset, 0, 0, if segment == 0 { 12 } else { 13 });
    } else {
        fields.switch(Switch::Tfe, 1, 23);
    }
    if segment != 0 {
        fields.add(MemoryRole::Saddr, 1, 16, 7);
    }
    if shape.lds && gcn14 {
        fields.switch(Switch::Lds, 0, 13);
    }
    fields.switch(Switch::Glc, 0, 16);
    fields.hint(0, 17);
    0xdc00_0000 | segment << 14
}

/// The fields that MUBUF and MTBUF have in common.
fn buffer(fields: &mut Fields) {
    fields.add(MemoryRole::Vaddr, 1, 0, 8);
    fields.add(MemoryRole::Vdata(0), 1, 8, 8);
    fields.add(MemoryRole::Base(4), 1, 16, 5);
    fields.add(MemoryRole::Soffset, 1, 24, 8);
    fields.add(MemoryRole::Offset, 0, 0, 12);
    fields.switch(Switch::Offen, 0, 12);
    fields.switch(Switch::Idxen, 0, 13);
    fields.switch(Switch::Glc, 0, 14);
    fields.switch(Switch::Tfe, 1, 23);
}

fn mubuf(arch: Arch, shape: MemShape, fields: &mut Fields) -> u32 {
    if shape.kind == Access::Invalidate {
        return 0xe000_0000;
    }
    buffer(fields);
    if arch.is_gcn12_or_later() {
        fields.hint(0, 17);
    } else {
        fields.switch(Switch::Addr64, 0, 15);
        fields.hint(1, 22);
    }
    let must_be_lds = shape.data == 0;
    if shape.lds && !must_be_lds {
        fields.switch(Switch::Lds, 0, 16);
    }
    0xe000_0000 | (must_be_lds as u32) << 16
}

fn mtbuf(arch: Arch, _shape: MemShape, fields: &mut Fields) -> u32 {
    buffer(fields);
    fields.add(MemoryRole::Format, 0, 19, 7);
    if !arch.is_gcn12_or_later() {
        fields.switch(Switch::Addr64, 0, 15);
    }
    fields.hint(1, 22);
    0xe800_0000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;
    use crate::inst::Form;
    use crate::table::all_rows;

    /// Fields that hold what llvm-mc 14 wrote (see `inst/memory.rs`) give its words.
    #[test]
    fn words_are_those_of_an_assembler() {
        let words = |arch, opcode: Opcode, values: &[(MemoryRole, u32)]| {
            let layout = Layout::of(arch, opcode.desc(), Form::Plain).unwrap();
            let mut words = layout.words;
            for &(role, value) in values {
                layout.field(Role::Memory(role)).unwrap().set(&mut words, value);
            }
            words
        };
        use MemoryRole::{Base, Offset, Saddr, Sdata, Soffset, Switch as Bit, Vaddr, Vdata};
        let load = [(Sdata, 8), (Base(2), 2), (Bit(Switch::Imm), 1), (Offset, 16)];
        let opcode = crate::table::Smem::SLoadDwordx4.into();
        assert_eq!(words(Arch::Gcn14, opcode, &load), [0xc00a_0202, 0x10]);
        let load = [(Sdata, 0), (Base(2), 2), (Bit(Switch::Imm), 1), (Offset, 4)];
        assert_eq!(words(Arch::Gcn10, crate::table::Smrd::SLoadDword.into(), &load)[0], 0xc000_0504);
        let load = [(Vaddr, 2), (Saddr, 6), (Offset, 0x1ffc)];
        let global = words(Arch::Gcn14, crate::table::Global::GlobalLoadDword.into(), &load);
        assert_eq!(global, [0xdc50_9ffc, 0x0006_0002]);
        let load = [(Vaddr, 3), (Offset, 0x504)];
        assert_eq!(words(Arch::Gcn14, crate::table::Ds::DsRead2B32.into(), &load), [0xd86e_0504, 3]);
        let load = [(Vaddr, 2), (Vdata(0), 1), (Base(4), 2), (Soffset, 3), (Bit(Switch::Offen), 1), (Offset, 4)];
        let buffer = words(Arch::Gcn14, crate::table::Mubuf::BufferLoadDword.into(), &load);
        assert_eq!(buffer, [0xe050_1004, 0x0302_0102]);
    }

    /// Every row has a layout, and the decoder finds the row in its words.
    #[test]
    fn every_row_is_found_again() {
        let mut seen = 0;
        for (arch, desc) in Arch::ALL.into_iter().flat_map(|arch| all_rows().map(move |desc| (arch, desc))) {
            if !is_memory(desc.encoding) || desc.opcode_on(arch).is_none() {
                continue;
            }
            let layout = Layout::of(arch, desc, Form::Plain).unwrap();
            let mut words = layout.words;
            for field in &layout.fields {
                if field.role == Role::Memory(MemoryRole::Saddr) {
                    field.set(&mut words, 127);
                }
            }
            let inst =
                decode(arch, words[0], Some(words[1])).unwrap_or_else(|e| panic!("{arch} {}: {e}", desc.mnemonic));
            assert_eq!(inst.opcode, desc.opcode, "{arch} {words:08x?}");
            seen += 1;
        }
        assert!(seen > 1400, "{seen}");
    }
}
