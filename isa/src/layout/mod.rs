//! The places of operands and modifiers in the words of vector ALU instructions and vector compares, by form, and of
//! memory instructions. This is for code that writes words. Code that reads words asks [`crate::Inst`], and
//! [`crate::decode`] decides what is legal.
//!
//! ```
//! use gcnsim_isa::layout::{Layout, Role};
//! use gcnsim_isa::{Arch, Form, Opcode, Vop2, decode};
//! let layout = Layout::of(Arch::Gcn14, Opcode::from(Vop2::VAddF32).desc(), Form::Plain).unwrap();
//! let mut words = layout.words;
//! for (role, value) in [(Role::Vdst, 3), (Role::Src(0), 242), (Role::Vsrc(1), 7)] {
//!     layout.field(role).unwrap().set(&mut words, value);
//! }
//! assert_eq!(decode(Arch::Gcn14, words[0], None).unwrap().to_string(), "v_add_f32_e32 v3, 1.0, v7");
//! ```

mod memory;

use crate::arch::Arch;
use crate::inst::Form;
use crate::operand::{DPP, SDWA};
use crate::table::{Encoding, Has, InstDesc};
pub use memory::{MemoryRole, Switch};

/// The content of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Operand code of a source, 0..=511.
    Src(usize),
    /// Number of the VGPR that is a source. In an SDWA form with [`Role::IsScalar`] set, the operand code of a scalar.
    Vsrc(usize),
    /// Operand code of a scalar source, 0..=255.
    Ssrc(usize),
    /// Whether [`Role::Vsrc`] names a scalar source (SDWA, GCN 1.4 on).
    IsScalar(usize),
    /// Number of the first VGPR that is written.
    Vdst,
    /// Operand code of the scalar register that is written.
    Sdst,
    /// Operand code of the scalar pair that takes one bit per lane.
    MaskDst,
    /// Operand code of the scalar pair that is read as one bit per lane.
    MaskSrc,
    /// A selector of SDWA: 0..=3 a byte, 4 and 5 a word, 6 the dword.
    Select,
    /// DPP_CTRL.
    DppCtrl,
    /// ROW_MASK or BANK_MASK of DPP.
    LaneMask,
    /// Any other modifier; 0 has no effect.
    Modifier,
    /// A field of memory instructions.
    Memory(MemoryRole),
}

/// A bit field of the words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The content.
    pub role: Role,
    /// Index of the dword, 0 or 1.
    pub word: usize,
    /// Lowest bit.
    pub shift: u32,
    /// Number of bits.
    pub bits: u32,
}

impl Field {
    const fn new(role: Role, word: usize, shift: u32, bits: u32) -> Field {
        Field { role, word, shift, bits }
    }

    const fn mask(&self) -> u32 {
        (1 << self.bits) - 1
    }

    /// The field's value.
    pub fn get(&self, words: [u32; 2]) -> u32 {
        words[self.word] >> self.shift & self.mask()
    }

    /// Sets the field to the low bits of `value`.
    pub fn set(&self, words: &mut [u32; 2], value: u32) {
        let word = &mut words[self.word];
        *word = *word & !(self.mask() << self.shift) | (value & self.mask()) << self.shift;
    }

    /// The value with which a modifier has no effect; `None` for operands.
    pub fn neutral(&self) -> Option<u32> {
        match self.role {
            Role::Modifier | Role::Memory(MemoryRole::Switch(_)) => Some(0),
            Role::Select => Some(6),
            // With this pattern each lane of four reads itself.
            Role::DppCtrl => Some(0b11_10_01_00),
            Role::LaneMask => Some(15),
            _ => None,
        }
    }
}

/// The words of an instruction in one form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The words with all fields 0: they hold the opcode and the bits that choose the form. Plain VOP1, VOP2 and VOPC
    /// have a second dword only if it is a literal.
    pub words: [u32; 2],
    /// The fields that the instruction uses.
    pub fields: Vec<Field>,
}

impl Layout {
    /// The layout of a row of VOP1, VOP2, VOP3, VOP3P, VOPC, SMRD, SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF or MTBUF.
    /// `None` for other rows, or if the generation lacks the instruction, or the instruction the form.
    pub fn of(arch: Arch, desc: &InstDesc, form: Form) -> Option<Layout> {
        let op = desc.opcode_on(arch)? as u32;
        if !has_form(arch, desc, form) {
            return None;
        }
        if memory::is_memory(desc.encoding) {
            return Layout::of_memory(arch, desc);
        }
        let (has, count) = (desc.has, desc.src.len());
        let short = |src0: u32| match desc.encoding {
            Encoding::Vop1 => 0x7e00_0000 | op << 9 | src0,
            Encoding::Vop2 => op << 25 | src0,
            _ => 0x7c00_0000 | op << 17 | src0,
        };
        let mut fields = Vec::new();
        let first = match (form, desc.encoding) {
            (Form::Sdwa, _) => {
                sdwa_fields(arch, desc, &mut fields);
                short(SDWA)
            }
            (Form::Dpp, _) => {
                dpp_fields(desc, &mut fields);
                short(DPP)
            }
            (Form::Plain, Encoding::Vop3p) => {
                vop3p_fields(count, &mut fields);
                0xd380_0000 | op << 16
            }
            (Form::Vop3, _) | (_, Encoding::Vop3) => {
                vop3_fields(arch, desc, &mut fields);
                0xd000_0000 | vop3_opcode(arch, desc.encoding, op) << if arch.is_gcn12_or_later() { 16 } else { 17 }
            }
            _ => {
                if count > 0 {
                    fields.push(Field::new(Role::Src(0), 0, 0, 9));
                }
                short(0)
            }
        };
        if !has_long_words(desc, form) {
            let vsrc1 = if has.any(Has::MADMK) { 2 } else { 1 };
            match count {
                0 | 1 => {}
                _ if has.any(Has::LANE1) => fields.push(Field::new(Role::Ssrc(1), 0, 9, 8)),
                _ => fields.push(Field::new(Role::Vsrc(vsrc1), 0, 9, 8)),
            }
            fields.extend(destination(desc, 17).filter(|_| desc.encoding != Encoding::Vopc));
        }
        Some(Layout { words: [first, 0], fields })
    }

    /// The field with a role. For modifiers it is the first one.
    pub fn field(&self, role: Role) -> Option<&Field> {
        self.fields.iter().find(|field| field.role == role)
    }
}

/// Whether the instruction has the form on the generation.
pub fn has_form(arch: Arch, desc: &InstDesc, form: Form) -> bool {
    let (has, gcn12) = (desc.has, arch.is_gcn12_or_later());
    match (desc.encoding, form) {
        (Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 | Encoding::Vop3p, Form::Plain) => true,
        (Encoding::Vop1 | Encoding::Vop2, Form::Vop3) => has.any(Has::VOP3),
        (Encoding::Vop1 | Encoding::Vop2, Form::Sdwa) => {
            gcn12 && (has.any(Has::SDWA) || has.any(Has::SDWA_12) && !arch.is_gcn14_or_later())
        }
        (Encoding::Vop1 | Encoding::Vop2, Form::Dpp) => gcn12 && has.any(Has::DPP),
        (Encoding::Vopc, Form::Plain | Form::Vop3) => true,
        (Encoding::Vopc, Form::Sdwa | Form::Dpp) => gcn12 && !desc.src[0].is_wide(),
        (encoding, Form::Plain) => memory::is_memory(encoding),
        _ => false,
    }
}

/// Whether the words are VOP3 or VOP3P, in which operands have other places than in short words.
fn has_long_words(desc: &InstDesc, form: Form) -> bool {
    form == Form::Vop3 || matches!(desc.encoding, Encoding::Vop3 | Encoding::Vop3p)
}

/// The opcode in VOP3, which contains the opcodes of other encodings.
fn vop3_opcode(arch: Arch, encoding: Encoding, op: u32) -> u32 {
    match encoding {
        Encoding::Vop2 => 256 + op,
        Encoding::Vop1 if arch.is_gcn12_or_later() => 320 + op,
        Encoding::Vop1 => 384 + op,
        _ => op,
    }
}

/// The destination field, if the instruction has a destination.
fn destination(desc: &InstDesc, shift: u32) -> impl Iterator<Item = Field> {
    let role = if desc.has.any(Has::SDST) { Role::Sdst } else { Role::Vdst };
    (desc.dst.dwords() > 0).then_some(Field::new(role, 0, shift, 8)).into_iter()
}

fn bit(word: usize, shift: u32) -> Field {
    Field::new(Role::Modifier, word, shift, 1)
}

fn vop3_fields(arch: Arch, desc: &InstDesc, fields: &mut Vec<Field>) {
    let (has, count) = (desc.has, desc.src.len());
    let is_compare = desc.encoding == Encoding::Vopc;
    let takes_floats = is_compare && desc.src[0].is_float();
    let vop3b = has.any(Has::VCC_OUT);
    if is_compare {
        fields.push(Field::new(Role::MaskDst, 0, 0, 8));
    } else {
        fields.extend(destination(desc, 0));
    }
    if vop3b {
        fields.push(Field::new(Role::MaskDst, 0, 8, 7));
    }
    for (i, n) in (0..count).zip(0..) {
        fields.push(Field::new(Role::Src(i), 1, 9 * n, 9));
        if !vop3b && (has.any(Has::ABS) || takes_floats) {
            fields.push(bit(0, 8 + n));
        }
        if has.any(Has::NEG) || takes_floats {
            fields.push(bit(1, 29 + n));
        }
    }
    if has.any(Has::VCC_IN) {
        fields.push(Field::new(Role::MaskSrc, 1, 18, 9));
    }
    if has.any(Has::CLAMP) || takes_floats {
        match arch.is_gcn12_or_later() {
            true => fields.push(bit(0, 15)),
            false if vop3b => {}
            false => fields.push(bit(0, 11)),
        }
    }
    if arch.is_gcn14_or_later() && !vop3b {
        fields.extend((11..15).map(|shift| bit(0, shift)));
    }
    if has.any(Has::OMOD) && !(has.any(Has::OP_SEL) && arch.is_gcn14_or_later()) {
        fields.push(Field::new(Role::Modifier, 1, 27, 2));
    }
}

fn vop3p_fields(count: usize, fields: &mut Vec<Field>) {
    fields.push(Field::new(Role::Vdst, 0, 0, 8));
    for (i, n) in (0..count).zip(0..) {
        fields.push(Field::new(Role::Src(i), 1, 9 * n, 9));
        // NEG_HI (or ABS), OP_SEL, OP_SEL_HI, NEG_LO.
        let op_sel_hi = if i == 2 { bit(0, 14) } else { bit(1, 27 + n) };
        fields.extend([bit(0, 8 + n), bit(0, 11 + n), op_sel_hi, bit(1, 29 + n)]);
    }
    fields.push(bit(0, 15));
}

fn sdwa_fields(arch: Arch, desc: &InstDesc, fields: &mut Vec<Field>) {
    let gcn14 = arch.is_gcn14_or_later();
    if !desc.src.is_empty() {
        fields.push(Field::new(Role::Vsrc(0), 1, 0, 8));
    }
    for (i, ty) in desc.src.iter().enumerate() {
        let at = 16 + 8 * i as u32;
        fields.push(Field::new(Role::Select, 1, at, 3));
        // SEXT of integers, NEG and ABS of floats.
        match ty.is_float() {
            true => fields.extend([bit(1, at + 4), bit(1, at + 5)]),
            false => fields.push(bit(1, at + 3)),
        }
        if gcn14 {
            fields.push(Field::new(Role::IsScalar(i), 1, at + 7, 1));
        }
    }
    if desc.encoding == Encoding::Vopc {
        if gcn14 {
            fields.extend([Field::new(Role::MaskDst, 1, 8, 7), bit(1, 15)]);
        }
        return;
    }
    fields.push(Field::new(Role::Select, 1, 8, 3));
    // DST_UNUSED.
    fields.push(Field::new(Role::Modifier, 1, 11, 2));
    if desc.has.any(Has::CLAMP) {
        fields.push(bit(1, 13));
    }
    if gcn14 && desc.has.any(Has::OMOD) {
        fields.push(Field::new(Role::Modifier, 1, 14, 2));
    }
}

fn dpp_fields(desc: &InstDesc, fields: &mut Vec<Field>) {
    if !desc.src.is_empty() {
        fields.push(Field::new(Role::Vsrc(0), 1, 0, 8));
    }
    fields.push(Field::new(Role::DppCtrl, 1, 8, 9));
    // BOUND_CTRL.
    fields.push(bit(1, 19));
    let takes_floats = desc.encoding == Encoding::Vopc && desc.src[0].is_float();
    if desc.has.any(Has::ABS) || takes_floats {
        fields.extend((20..20 + 2 * desc.src.len().min(2) as u32).map(|shift| bit(1, shift)));
    }
    fields.extend([24, 28].map(|shift| Field::new(Role::LaneMask, 1, shift, 4)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::table::all_rows;

    const FORMS: [Form; 4] = [Form::Plain, Form::Vop3, Form::Sdwa, Form::Dpp];

    /// The decoder accepts a form exactly if there is a layout for it, and both agree on the fields.
    #[test]
    fn layouts_are_what_the_decoder_reads() {
        let mut seen = 0;
        let alu = || all_rows().filter(|desc| !memory::is_memory(desc.encoding));
        for (arch, desc) in Arch::ALL.into_iter().flat_map(|arch| alu().map(move |desc| (arch, desc))) {
            for form in FORMS {
                let Some(layout) = Layout::of(arch, desc, form) else { continue };
                let mut words = layout.words;
                for field in &layout.fields {
                    let value = match field.role {
                        // Every operand may be one of these registers.
                        Role::Src(i) if desc.has.any(Has::SCALAR0) => 2 * i as u32,
                        Role::Src(i) => 256 + 4 * i as u32,
                        Role::Vsrc(i) | Role::Ssrc(i) => 4 * i as u32,
                        Role::Vdst => 12,
                        Role::Sdst => 13,
                        Role::MaskDst => 14,
                        Role::MaskSrc => 16,
                        _ => field.neutral().unwrap_or(0),
                    };
                    field.set(&mut words, value);
                    assert_eq!(field.get(words), value);
                }
                let name = format!("{arch} {} {form:?} {words:08x?}", desc.mnemonic);
                // An attribute is not an operand.
                let inst = match decode(arch, words[0], Some(words[1])) {
                    Ok(inst) => inst,
                    Err(_) if desc.has.any(Has::ATTR) => continue,
                    Err(error) => panic!("{name}: {error}"),
                };
                assert_eq!((inst.opcode, inst.form), (desc.opcode, form), "{name}");
                for i in 0..inst.src_count() {
                    let shifted = if desc.has.any(Has::SCALAR0) && i == 0 { 0 } else { 256 + 4 * i as u32 };
                    let code = match layout.field(Role::Ssrc(i)) {
                        Some(_) => Some(4 * i as u32),
                        None if inst.constant_index() == Some(i) => Some(255),
                        None => Some(shifted),
                    };
                    assert!(desc.has.any(Has::ATTR) || inst.src_code(i) == code, "{name}: {:?}", inst.src_code(i));
                }
                assert_eq!(inst.vdst(), layout.field(Role::Vdst).map(|_| 12), "{name}");
                assert_eq!(inst.sdst(), layout.field(Role::Sdst).map(|_| 13), "{name}");
                assert!(!inst.clamp() && inst.omod() == 0 && inst.op_sel() == 0, "{name}");
                assert!((0..3).all(|i| !inst.abs(i) && !inst.neg(i)), "{name}");
                seen += 1;
            }
        }
        assert!(seen > 3000, "{seen}");
    }
}
