//! Memory instructions of every encoding. Fields are drawn by role; the decoder says what is legal.

use gcnsim_isa::layout::{Field, Layout, MemoryRole, Role, Switch};
use gcnsim_isa::table::{DsOffset, DsShape, MemShape, Sop1};
use gcnsim_isa::{Encoding, Inst, Opcode, OperandType, decode, reg};

use super::super::rows::{Row, memory_rows, with_idle_fields};
use super::super::{Generator, values};
use super::image::is_image;
use super::{MemoryStyle, OFFSETS, QUADS, place};

/// Number of times that fields are drawn until they are legal.
const ATTEMPTS: usize = 12;

/// Operand code of the constant 0.
const ZERO: u32 = 128;
/// SADDR of an instruction without a scalar base.
const NO_SADDR: u32 = 127;

/// The data operands of a row.
#[derive(Clone, Copy)]
enum Shape {
    Share(DsShape),
    Other(MemShape),
}

impl Shape {
    fn of(opcode: Opcode) -> Option<Shape> {
        Some(match opcode {
            Opcode::Smrd(op) => Shape::Other(op.shape()),
            Opcode::Smem(op) => Shape::Other(op.shape()),
            Opcode::Ds(op) => Shape::Share(op.shape()),
            Opcode::Flat(op) => Shape::Other(op.shape()),
            Opcode::Global(op) => Shape::Other(op.shape()),
            Opcode::Scratch(op) => Shape::Other(op.shape()),
            Opcode::Mubuf(op) => Shape::Other(op.shape()),
            Opcode::Mtbuf(op) => Shape::Other(op.shape()),
            _ => return None,
        })
    }

    /// Returns the number of dwords of source `i`, and of the result.
    fn dwords(self, row: Row) -> ([u32; 2], u32) {
        match self {
            Shape::Share(shape) => (shape.data.map(u32::from), shape.vdst.into()),
            Shape::Other(shape) => ([shape.data_dwords(row.arch), 0], shape.vdst.into()),
        }
    }
}

impl Generator {
    /// Writes a memory instruction of any kind.
    pub(crate) fn memory(&mut self) {
        let rows = memory_rows(self.arch());
        // Encodings take turns, because DS and SMEM have many more rows than others.
        const ENCODINGS: [Encoding; 9] = [
            Encoding::Smrd,
            Encoding::Smem,
            Encoding::Ds,
            Encoding::Ds,
            Encoding::Flat,
            Encoding::Global,
            Encoding::Scratch,
            Encoding::Mubuf,
            Encoding::Mtbuf,
        ];
        let encoding = if self.rng.one_in(6) { Encoding::Mimg } else { self.rng.pick(&ENCODINGS) };
        for _ in 0..100 {
            let row = rows[self.rng.below(rows.len() as u32) as usize];
            if row.desc.encoding == encoding || self.rng.one_in(20) {
                return self.memory_row(row);
            }
        }
    }

    /// Writes the instruction of a row with random fields. Before some instructions M0 gets a fitting value.
    pub(crate) fn memory_row(&mut self, row: Row) {
        let Some(style) = self.style.memory.clone() else { return };
        if is_image(row) {
            return self.image_row(row, &style);
        }
        let Some(inst) = self.memory_inst(row, &style) else { return };
        let to_lds = inst.buffer_access().is_some_and(|access| access.lds)
            || inst.flat_access().is_some_and(|access| access.lds);
        let m0_matters = row.desc.encoding == Encoding::Ds || to_lds;
        if m0_matters && self.rng.percent(30) {
            let m0 = style.m0(&mut self.rng);
            let to_m0 = self.new_inst(Sop1::SMovB32).dst(reg::M0 as u32);
            let to_m0 = self.with_number(to_m0, 0, m0 as i32);
            self.emit(to_m0);
        }
        self.asm.inst(&inst);
    }

    /// Returns the instruction of a row with random fields; `None` if no attempt gives a legal one.
    pub(crate) fn memory_inst(&mut self, row: Row, style: &MemoryStyle) -> Option<Inst> {
        if is_image(row) {
            return self.image_inst(row, style);
        }
        let layout = Layout::of(row.arch, row.desc, row.form)?;
        let shape = Shape::of(row.desc.opcode)?;
        (0..ATTEMPTS).find_map(|_| {
            let mut words = layout.words;
            // Switches are drawn first and vector addresses last, because other fields decide what these may be.
            for field in &layout.fields {
                if let Role::Memory(MemoryRole::Switch(switch)) = field.role {
                    let is_set = self.rng.percent(percentage(switch, style));
                    field.set(&mut words, is_set.into());
                }
            }
            let draw = Draw { row, shape, layout: &layout, style };
            let is_address = |field: &&Field| field.role == Role::Memory(MemoryRole::Vaddr);
            let (addresses, others): (Vec<&Field>, Vec<&Field>) = layout.fields.iter().partition(is_address);
            for field in others.into_iter().chain(addresses) {
                if let Some(value) = self.memory_field(&draw, *field, words) {
                    field.set(&mut words, value);
                }
            }
            if row.desc.encoding == Encoding::Smrd {
                words[1] = self.rng.below(16);
            }
            let inst = decode(row.arch, words[0], Some(words[1])).ok()?;
            let inst = if self.style.tame { inst } else { with_idle_fields(&inst) };
            (inst.opcode == row.desc.opcode && inst.unsupported().is_none()).then_some(inst)
        })
    }

    /// Returns the value of a field that is not a switch.
    fn memory_field(&mut self, draw: &Draw<'_>, field: Field, words: [u32; 2]) -> Option<u32> {
        let (style, (data, result)) = (draw.style, draw.shape.dwords(draw.row));
        Some(match field.role {
            Role::Memory(MemoryRole::Switch(_)) => return None,
            Role::Memory(role) => match role {
                MemoryRole::Vaddr if self.is_wild(style) => self.vgpr(2),
                MemoryRole::Vaddr => style.vgprs + self.address_register(draw, words),
                MemoryRole::Vdata(i) => self.data_vgpr(data[i] + draw.is_set(Switch::Tfe, words) as u32),
                MemoryRole::Sdata => self.scalar_data(data[0]),
                MemoryRole::Base(unit) => self.base(draw, unit),
                MemoryRole::Saddr if self.rng.percent(40) => NO_SADDR,
                MemoryRole::Saddr if draw.row.desc.encoding == Encoding::Scratch => self.offset_register(style),
                MemoryRole::Saddr => self.base(draw, 1),
                MemoryRole::Soffset if draw.row.desc.encoding == Encoding::Smem => self.offset_register(style),
                MemoryRole::Soffset => self.buffer_offset(style),
                MemoryRole::Offset => self.constant_offset(draw, field, words),
                MemoryRole::Format => self.rng.below(8) << 4 | self.rng.between(1, 14),
                MemoryRole::Switch(_) => return None,
            },
            Role::Vdst => self.data_vgpr(result + draw.is_set(Switch::Tfe, words) as u32),
            _ => self.rng.one_in(8).into(),
        })
    }

    /// Draws the first VGPR of `count` VGPRs with data. Rarely, they reach past v255, which memory instructions allow.
    pub(super) fn data_vgpr(&mut self, count: u32) -> u32 {
        if count > 1 && self.rng.one_in(200) { 256 - self.rng.between(1, count - 1) } else { self.vgpr(count) }
    }

    /// Draws whether the next operand is any register, instead of one with fitting contents.
    pub(super) fn is_wild(&mut self, style: &MemoryStyle) -> bool {
        self.rng.percent(style.wild)
    }

    /// Draws the index of a VGPR with addresses for the instruction: see [`place`].
    fn address_register(&mut self, draw: &Draw<'_>, words: [u32; 2]) -> u32 {
        let wild = self.is_wild(draw.style);
        match draw.row.desc.encoding {
            Encoding::Flat if draw.style.apertures && self.rng.percent(40) => place::APERTURE,
            Encoding::Flat | Encoding::Global if wild => place::ANYWHERE,
            Encoding::Global if draw.has_scalar_base(words) => place::OFFSET,
            Encoding::Flat | Encoding::Global => self.rng.pick(&place::INSIDE),
            Encoding::Scratch => place::PRIVATE,
            Encoding::Ds if !draw.style.plain && self.rng.percent(20) => place::SHARE_EDGE,
            Encoding::Ds => place::SHARE,
            _ if draw.is_set(Switch::Addr64, words) => place::DISTANCE,
            _ if draw.is_set(Switch::Idxen, words) => place::INDEX,
            _ if wild => place::ANY,
            _ => place::OFFSET,
        }
    }

    /// Draws the first register that scalar memory reads or writes.
    fn scalar_data(&mut self, dwords: u32) -> u32 {
        let (first, count) = (self.style.pool_first, self.style.pool_count);
        let align = if self.rng.percent(self.style.odd) { 1 } else { dwords.next_power_of_two().clamp(1, 4) };
        let code = first + self.rng.below(count.saturating_sub(dwords) + 1);
        code.next_multiple_of(align)
    }

    /// Returns the scalar base of an instruction: an address or a descriptor, divided by `unit`.
    fn base(&mut self, draw: &Draw<'_>, unit: u32) -> u32 {
        let style = draw.style;
        if self.is_wild(style) {
            return self.pool_register(true) / unit;
        }
        let is_address = matches!(draw.shape, Shape::Other(shape) if shape.base.dwords() == 2) || unit == 1;
        let third = match style.image_base {
            // The registers in the middle become the descriptors of images.
            Some(_) => 2 * self.rng.below(2),
            None => self.rng.below(QUADS / 3),
        };
        let quad = 3 * third + if is_address { 0 } else { self.rng.between(1, 2) };
        let second = is_address && self.is_wild(style);
        (style.sgprs + 4 * quad + 2 * second as u32) / unit
    }

    fn offset_register(&mut self, style: &MemoryStyle) -> u32 {
        let number = if self.is_wild(style) { self.rng.below(OFFSETS) } else { self.rng.below(2) };
        style.sgprs + 4 * QUADS + number
    }

    /// SOFFSET of a buffer instruction.
    fn buffer_offset(&mut self, style: &MemoryStyle) -> u32 {
        match self.rng.below(8) {
            _ if style.plain => ZERO,
            0..5 => ZERO,
            5 => self.rng.between(129, 192),
            6 if self.is_wild(style) => self.scalar_src(OperandType::b32, false),
            _ => self.offset_register(style),
        }
    }

    /// Returns the constant offset. Scalar memory without IMM has a register in its place.
    fn constant_offset(&mut self, draw: &Draw<'_>, field: Field, words: [u32; 2]) -> u32 {
        let scalar = matches!(draw.row.desc.encoding, Encoding::Smrd | Encoding::Smem);
        if scalar && !draw.is_set(Switch::Imm, words) {
            // Code 255 is a literal on GCN 1.1.
            let literal = draw.row.desc.encoding == Encoding::Smrd && self.rng.percent(15);
            return if literal { 255 } else { self.offset_register(draw.style) };
        }
        if let Shape::Share(shape) = draw.shape {
            return self.share_offset(shape, draw.style.plain);
        }
        if self.is_wild(draw.style) {
            return self.rng.bits() & ((1 << field.bits) - 1);
        }
        match self.rng.below(4) {
            0 | 1 => 0,
            _ if draw.style.plain => self.rng.below(4) * 8,
            2 => self.rng.below(8),
            _ => self.rng.below(8) * 4,
        }
    }

    fn share_offset(&mut self, shape: DsShape, plain: bool) -> u32 {
        match (shape.offset, self.rng.below(6)) {
            (DsOffset::None, _) => 0,
            (DsOffset::One, _) if plain => self.rng.below(8) * 8,
            (DsOffset::Swizzle, _) | (_, 0) => values::simm16(&mut self.rng).into(),
            (_, 1) => 0,
            (DsOffset::Two, 2) => self.rng.below(16) * 0x101,
            (DsOffset::Two, _) => self.rng.below(8) << 8 | self.rng.below(8),
            (_, 2) => self.rng.below(512),
            // OFFSET of a src2 instruction is the distance of its second operand in dwords. With bit 15 the high bits
            // of the address are the distance instead.
            (_, 3) => 0x8000,
            _ => self.rng.below(16) * 4,
        }
    }
}

/// An instruction that is being drawn.
struct Draw<'a> {
    row: Row,
    shape: Shape,
    layout: &'a Layout,
    style: &'a MemoryStyle,
}

impl Draw<'_> {
    fn is_set(&self, switch: Switch, words: [u32; 2]) -> bool {
        let field = self.layout.field(Role::Memory(MemoryRole::Switch(switch)));
        field.is_some_and(|field| field.get(words) == 1)
    }

    fn has_scalar_base(&self, words: [u32; 2]) -> bool {
        let field = self.layout.field(Role::Memory(MemoryRole::Saddr));
        field.is_some_and(|field| field.get(words) != NO_SADDR)
    }
}

/// Returns the percentage of instructions in which the bit `switch` is set.
fn percentage(switch: Switch, style: &MemoryStyle) -> u32 {
    match switch {
        Switch::Imm => 60,
        Switch::Soe => 30,
        Switch::Glc | Switch::Offen | Switch::Idxen => 45,
        Switch::Addr64 | Switch::Lds => 10,
        Switch::Tfe => 8,
        Switch::Gds => 25 * style.gds as u32,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gcnsim_isa::Arch;

    use super::super::super::Style;
    use super::*;
    use gcnsim_random::Rng;

    /// Returns words for everything that the fields of an instruction do besides naming operands.
    fn kinds(inst: &Inst) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        let mut found = |is: bool, kind| is.then(|| kinds.push(kind));
        if let Some(access) = inst.scalar_access() {
            found(access.offset_register.is_some() && access.offset == 0, "scalar register");
            found(access.offset_register.is_some() && access.offset != 0, "scalar both");
            found(access.offset != 0 && inst.desc().encoding == Encoding::Smrd && inst.size() == 8, "scalar literal");
            found(access.offset < 0, "scalar negative");
            found(access.glc, "scalar glc");
        }
        if let Some(access) = inst.ds_access() {
            found(access.gds, "gds");
            found(access.offset > 0xff, "far ds offset");
        }
        if let Some(access) = inst.flat_access() {
            found(access.saddr.is_some(), "scalar address");
            found(access.lds, "flat to lds");
            found(access.tfe, "flat tfe");
            found(access.glc, "flat glc");
            found(access.offset < 0, "flat negative");
        }
        if let Some(access) = inst.buffer_access() {
            found(access.offen && access.idxen, "buffer both");
            found(access.offen && !access.idxen, "buffer offset");
            found(!access.offen && access.idxen, "buffer index");
            found(access.addr64, "buffer addr64");
            found(access.lds, "buffer to lds");
            found(access.tfe, "buffer tfe");
            found(access.glc, "buffer glc");
            found(access.format.0 == 14, "buffer format");
        }
        kinds
    }

    /// Every row is drawn within a few attempts, and the draws show everything that its form can express.
    #[test]
    fn every_row_is_drawn_in_all_its_variety() {
        let mut seen = BTreeSet::new();
        for (arch, number) in Arch::ALL.into_iter().flat_map(|arch| (0..12).map(move |number| (arch, number))) {
            let mut rng = Rng::new(number);
            let mut style = Style::random(&mut rng, arch).with_memory(&mut rng, arch);
            let mut memory = style.memory.take().unwrap();
            (memory.gds, memory.wild) = (true, 10);
            let mut generator = Generator::new(arch, rng, style);
            for &row in memory_rows(arch) {
                let inst = generator.memory_inst(row, &memory).unwrap_or_else(|| panic!("{}", row.desc.mnemonic));
                assert_eq!((inst.opcode, inst.arch, inst.unsupported()), (row.desc.opcode, arch, None));
                seen.extend(kinds(&inst));
            }
        }
        let expected = [
            "buffer addr64",
            "buffer both",
            "buffer format",
            "buffer glc",
            "buffer index",
            "buffer offset",
            "buffer tfe",
            "buffer to lds",
            "far ds offset",
            "flat glc",
            "flat negative",
            "flat tfe",
            "flat to lds",
            "gds",
            "scalar address",
            "scalar both",
            "scalar glc",
            "scalar literal",
            "scalar negative",
            "scalar register",
        ];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
    }
}
