//! Vector ALU instructions in every form, and compares in SDWA and DPP form. Operands are drawn by field and modifiers
//! at random; the decoder says what is legal.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::layout::{Field, Layout, Role};
use gcnsim_isa::table::{Has, Sop1, Sop2, Sopc, Sopk, Sopp, Vop1};
use gcnsim_isa::{Encoding, Form, Fx, Inst, Opcode, OperandType, decode, hwreg, reg};

use super::rows::{Row, vector_rows, with_idle_fields};
use super::{Generator, straight};

const M0: u32 = reg::M0 as u32;
const EXEC: u32 = reg::EXEC_LO as u32;
const VCC: u32 = reg::VCC_LO as u32;

/// Percentage of modifier fields that are set, by attempt. The fewer modifiers are set, the more instructions are
/// legal.
const MODIFIED: [u32; 12] = [40, 40, 30, 30, 20, 20, 10, 10, 5, 5, 0, 0];

impl Generator {
    /// Writes a vector instruction of any kind.
    pub(super) fn vector(&mut self) {
        if self.rng.one_in(24) {
            return self.pixel();
        }
        let rows = vector_rows(self.arch());
        for _ in 0..100 {
            let row = rows[self.rng.below(rows.len() as u32) as usize];
            if !(self.style.tame && is_odd(row)) {
                return self.vector_row(row);
            }
        }
    }

    /// Writes the instruction of a row with random operands and modifiers. If it computes register numbers, M0 mostly
    /// gets a fitting value.
    pub(super) fn vector_row(&mut self, row: Row) {
        if row.desc.fx.has(Fx::RVGPRS.or(Fx::WVGPRS)) && self.rng.percent(70) {
            self.small_m0();
        }
        if let Some(inst) = self.vector_inst(row) {
            self.asm.inst(&inst);
        }
    }

    /// Returns the instruction of a row with random operands and modifiers; `None` if no attempt gives one that is
    /// executed.
    pub(super) fn vector_inst(&mut self, row: Row) -> Option<Inst> {
        let layout = Layout::of(row.arch, row.desc, row.form)?;
        MODIFIED.into_iter().find_map(|modified| {
            let mut words = layout.words;
            for field in &layout.fields {
                self.fill(row, &layout, *field, modified, &mut words);
            }
            if is_short(row) {
                words[1] = self.literal();
            }
            let inst = decode(row.arch, words[0], Some(words[1])).ok()?;
            let inst = if self.style.tame { inst } else { with_idle_fields(&inst) };
            let same = (inst.opcode, inst.form) == (row.desc.opcode, row.form);
            (same && inst.unsupported().is_none()).then_some(inst)
        })
    }

    fn fill(&mut self, row: Row, layout: &Layout, field: Field, modified: u32, words: &mut [u32; 2]) {
        let desc = row.desc;
        let value = match field.role {
            Role::Src(i) => self.any_src(row, i),
            Role::Ssrc(_) => self.scalar_src(OperandType::b32, false),
            Role::Vsrc(i) => {
                let scalar = layout.field(Role::IsScalar(i));
                let code = match self.vector_src(desc.src[i], false, scalar.is_none()) {
                    255 => 128,
                    code => code,
                };
                if let (Some(field), 0..256) = (scalar, code) {
                    field.set(words, 1);
                }
                code
            }
            // The bit is set together with the source.
            Role::IsScalar(_) => return,
            Role::Vdst => self.vgpr(desc.dst.dwords()),
            Role::Sdst => self.dst(OperandType::b32),
            Role::MaskDst if self.rng.percent(25) => VCC,
            Role::MaskDst => self.dst(OperandType::b64),
            Role::MaskSrc if self.rng.percent(30) => VCC,
            Role::MaskSrc => self.scalar_register(true),
            Role::Select if self.rng.percent(40) => 6,
            Role::Select => self.rng.below(7),
            Role::LaneMask if self.rng.percent(60) => 15,
            Role::LaneMask => self.rng.below(16),
            Role::DppCtrl => self.dpp_ctrl(),
            Role::Modifier if self.rng.percent(modified) => self.rng.below(1 << field.bits).max(1),
            // Memory instructions are drawn in `memory`, not here.
            Role::Modifier | Role::Memory(_) => 0,
        };
        field.set(words, value);
    }

    /// Draws a source that the row takes.
    fn any_src(&mut self, row: Row, i: usize) -> u32 {
        let (has, ty) = (row.desc.has, row.desc.src[i]);
        let literal = i == 0 && is_short(row);
        if i == 0 && has.any(Has::VGPR0) {
            return 256 + self.vgpr(ty.dwords());
        }
        if i == 0 && has.any(Has::SCALAR0) {
            return self.scalar_src(ty, literal);
        }
        if i == 0 && has.any(Has::REG0) {
            return if self.rng.percent(80) { 256 + self.vgpr(1) } else { self.scalar_register(ty.is_wide()) };
        }
        if ty.dwords() > 2 && self.rng.percent(80) {
            return 256 + self.vgpr(ty.dwords());
        }
        // Source 1 is the number of a lane.
        if i == 1 && has.any(Has::LANE1) && self.rng.percent(80) {
            return self.scalar_src(ty, false);
        }
        self.vector_src(ty, literal, false)
    }

    /// Draws the first of `count` VGPRs.
    pub(super) fn vgpr(&mut self, count: u32) -> u32 {
        let (first, all) = self.style.vgprs;
        (first + self.rng.below(all)).min(256 - count.max(1))
    }

    /// Draws a DPP_CTRL that is not reserved.
    fn dpp_ctrl(&mut self) -> u32 {
        match self.rng.below(6) {
            0 => self.rng.below(0x100),
            1 => 0x101 + self.rng.below(15),
            2 => 0x111 + self.rng.below(15),
            3 => 0x121 + self.rng.below(15),
            4 => self.rng.pick(&[0x130, 0x134, 0x138, 0x13c]),
            _ => 0x140 + self.rng.below(4),
        }
    }

    /// Sets M0 to an index of vector registers that mostly stays among those in use.
    fn small_m0(&mut self) {
        let number = self.rng.below(self.style.vgprs.1 + 2) as i32;
        let to_m0 = self.new_inst(Sop1::SMovB32).dst(M0);
        let to_m0 = self.with_number(to_m0, 0, number);
        self.emit(to_m0);
    }

    fn vectors(&mut self, low: u32, high: u32) {
        for _ in 0..self.rng.between(low, high) {
            self.vector();
        }
    }

    /// Writes vector instructions in unusual conditions: few active lanes or none, another MODE, computed register
    /// numbers.
    pub(super) fn vector_idiom(&mut self) {
        match self.rng.below(4) {
            0 => {
                let mask = self.rng.pick(&[128, 129, 132, 192, 193, 194, 208, VCC, 255]);
                let literal = self.rng.bits();
                self.emit(self.new_inst(Sop1::SMovB64).dst(EXEC).src(0, mask).literal(literal));
                self.vectors(1, 4);
                if self.rng.percent(70) {
                    self.revive_exec();
                }
            }
            1 => self.rounding_mode(),
            2 => self.indexed(),
            _ => {
                let rows = vector_rows(self.arch()).iter().filter(|row| row.desc.fx.has(Fx::RVGPRS.or(Fx::WVGPRS)));
                let rows: Vec<_> = rows.copied().collect();
                // Generations from GCN 1.4 on have no such row.
                if rows.is_empty() {
                    return self.indexed();
                }
                let row = self.rng.pick(&rows);
                self.vector_row(row);
            }
        }
    }

    /// Writes a change of the rounding and denormal modes, or of DX10_CLAMP and IEEE, and instructions that depend on
    /// them.
    fn rounding_mode(&mut self) {
        let (offset, size) = self.rng.pick(&[(0, 4), (4, 4), (0, 8), (8, 2), (9, 1), (0, 10)]);
        let field = ((size - 1) << 11 | offset << 6 | hwreg::MODE) as u16;
        let value = self.rng.bits();
        self.emit(self.new_inst(Sopk::SSetregImm32B32).simm16(field).literal(value));
        self.vectors(1, 4);
    }

    /// Writes GPR-index mode (from GCN 1.2 on) around a few instructions: mostly, as compilers do, a move from or to an
    /// array.
    fn indexed(&mut self) {
        let is_usual = self.rng.percent(60);
        let kinds = if is_usual { self.rng.pick(&[1, 8]) } else { self.rng.below(16) };
        let on: Builder = self.new_inst(Sopc::SSetGprIdxOn).src(1, kinds);
        let number = self.rng.below(self.style.vgprs.1 + 2) as i32;
        let on = match self.rng.percent(70) {
            true => self.with_number(on, 0, number),
            false => on.src(0, self.scalar_src(OperandType::b32, false)),
        };
        self.emit(on);
        let is_move = |row: &&Row| row.desc.opcode == Opcode::Vop1(Vop1::VMovB32) && row.form == Form::Plain;
        match vector_rows(self.arch()).iter().find(is_move).filter(|_| is_usual) {
            Some(&row) => (0..self.rng.between(1, 2)).for_each(|_| self.vector_row(row)),
            None => self.vectors(1, 4),
        }
        if self.rng.percent(85) {
            self.emit(self.new_inst(Sopp::SSetGprIdxOff));
        }
        if is_usual && self.rng.percent(50) {
            self.vectors(1, 3);
        }
    }

    /// Writes a move from or to an array of vector registers as compilers do, from GCN 1.2 on: in GPR-index mode, with an
    /// index in the array. M0 keeps its value, and the mode is off at the end.
    pub(super) fn array_move(&mut self) {
        let (first, count) = self.style.vgprs;
        let base = self.rng.below(count);
        let (saved, index) = (self.pool_register(false), self.pool_register(false));
        let is_source = self.rng.percent(50);
        // All bits below the highest one of the number of registers that follow.
        let most = (1u32 << (count - base).ilog2()) - 1;
        self.emit(self.new_inst(Sop1::SMovB32).dst(saved).src(0, M0));
        let mask = self.new_inst(Sop2::SAndB32).dst(index).src(0, index);
        let mask = self.with_number(mask, 1, most as i32);
        let on = self.new_inst(Sopc::SSetGprIdxOn).src(1, if is_source { 1 } else { 8 });
        let constant = self.rng.below(most + 1) as i32;
        let on = match index == saved {
            true => self.with_number(on, 0, constant),
            false => {
                self.emit(mask);
                on.src(0, index)
            }
        };
        self.emit(on);
        let other = self.vgpr(1);
        let (to, from) = if is_source { (other, 256 + first + base) } else { (first + base, 256 + other) };
        self.vector_move(Vop1::VMovB32.into(), to, from);
        self.emit(self.new_inst(Sopp::SSetGprIdxOff));
        self.emit(self.new_inst(Sop1::SMovB32).dst(M0).src(0, saved));
    }
}

/// Whether the form is one dword of VOP1, VOP2 or VOPC, which may have a literal.
fn is_short(row: Row) -> bool {
    row.form == Form::Plain && matches!(row.desc.encoding, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc)
}

/// Whether well-behaved programs avoid the row.
fn is_odd(row: Row) -> bool {
    row.desc.fx.has(Fx::RVGPRS.or(Fx::WVGPRS))
        || row.desc.opcode == Opcode::Vop1(Vop1::VClrexcp)
        || straight::is_odd(row.desc.opcode)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gcnsim_isa::{Arch, Src};

    use super::super::{Style, rows};
    use super::*;
    use gcnsim_random::Rng;

    /// Checks the rows of each generation: scalar rows and compares in VOPC and VOP3 form, then other rows by form. All
    /// rows of VOP1, VOP2, VOP3 and VOP3P are there, except for undocumented instructions.
    #[test]
    fn every_executed_row_is_there() {
        let count = |arch: Arch, encoding: Encoding| {
            let rows = vector_rows(arch).iter().filter(|row| row.desc.encoding == encoding);
            [Form::Plain, Form::Vop3, Form::Sdwa, Form::Dpp]
                .map(|form| rows.clone().filter(|row| row.form == form).count())
        };
        let plain = |arch: Arch| {
            [Encoding::Vop1, Encoding::Vop2, Encoding::Vop3, Encoding::Vop3p].map(|encoding| count(arch, encoding)[0])
        };
        assert_eq!(plain(Arch::Gcn10), [60, 50, 53, 0]);
        assert_eq!(plain(Arch::Gcn11), [66, 50, 56, 0]);
        // V_MAC_LEGACY_F32 is left out.
        assert_eq!(plain(Arch::Gcn12), [77, 52, 76, 0]);
        // Two instructions whose effect nobody knows are left out, and two of VOP1 that no document describes.
        assert_eq!(plain(Arch::Gcn14), [79, 55, 107, 22]);
        assert_eq!(plain(Arch::Gcn141), [79, 57, 107, 29]);
        // The list has the compares of up to 32 bits.
        assert_eq!(
            Arch::GENERATIONS.map(|arch| count(arch, Encoding::Vopc)[2..].to_vec()),
            [vec![0, 0], vec![0, 0], vec![132, 132], vec![132, 132], vec![132, 132]]
        );
        assert_eq!(count(Arch::Gcn10, Encoding::Vop1), [60, 59, 0, 0]);
        assert_eq!(count(Arch::Gcn12, Encoding::Vop1), [77, 76, 56, 56]);
        assert_eq!(count(Arch::Gcn12, Encoding::Vop2), [52, 48, 48, 48]);
        assert_eq!(count(Arch::Gcn141, Encoding::Vop2), [57, 53, 50, 53]);
        assert_eq!(Arch::GENERATIONS.map(|arch| rows()[arch as usize].len()), [1112, 1186, 1735, 1983, 1997]);
        assert!(rows().iter().all(|rows| (rows.len() as u64) < super::super::STRIDE), "a prime above all");
    }

    /// Returns words for everything that the fields of an instruction do besides naming operands.
    fn kinds(inst: &Inst) -> Vec<String> {
        let mut kinds = Vec::new();
        let mut found = |is: bool, kind: &str| is.then(|| kinds.push(kind.to_string()));
        let sources = 0..inst.src_count();
        found(sources.clone().any(|i| inst.abs(i)), "abs");
        found(sources.clone().any(|i| inst.neg(i)), "neg");
        found(sources.clone().any(|i| inst.neg_hi(i)), "neg_hi");
        found(inst.omod() != 0, &format!("omod {}", inst.omod()));
        found(inst.clamp(), &format!("clamp {:?}", inst.desc().dst.is_float()));
        found(inst.op_sel() & 7 != 0, "op_sel");
        found(inst.op_sel() & 8 != 0, "op_sel of the destination");
        found(inst.op_sel_hi() != 0, "op_sel_hi");
        found(inst.has_literal(), "literal");
        found(inst.mask_dst().is_some_and(|code| code != reg::VCC_LO), "carry to a pair");
        found(inst.mask_src().is_some_and(|code| code != reg::VCC_LO), "carry from a pair");
        found(inst.dst().is_some_and(|code| code != reg::VCC_LO), "compare to a pair");
        for i in sources.filter(|&i| inst.src_code(i).is_some()) {
            let kind = match inst.src(i) {
                Src::Sgpr(_) => "scalar",
                Src::Vgpr(_) => "vgpr",
                Src::Imm(_) => "constant",
                Src::Vccz | Src::Execz | Src::Scc => "bit",
                Src::LdsDirect => "lds",
            };
            found(true, &format!("source {i} {kind}"));
        }
        if let Some(sdwa) = inst.sdwa() {
            found(true, &format!("dst_sel {}", sdwa.dst_sel));
            found(true, &format!("dst_unused {}", sdwa.dst_unused));
            found(true, &format!("src_sel {}", sdwa.src_sel[0]));
            found(sdwa.sext != [false; 2], "sext");
        }
        if let Some(dpp) = inst.dpp() {
            found(true, &format!("dpp {:x}", if dpp.ctrl < 0x100 { 0 } else { dpp.ctrl & !15 }));
            found(dpp.bound_ctrl, "bound_ctrl");
            found(dpp.row_mask != 15, "row_mask");
            found(dpp.bank_mask != 15, "bank_mask");
        }
        kinds.into_iter().map(|kind| format!("{:?} {kind}", inst.form)).collect()
    }

    /// Every row is drawn within a few attempts, and the draws show everything that its form can express.
    #[test]
    fn every_row_is_drawn_in_all_its_variety() {
        let mut seen = BTreeSet::new();
        for (arch, number) in Arch::ALL.into_iter().flat_map(|arch| (0..12).map(move |number| (arch, number))) {
            let mut rng = Rng::new(number);
            let mut style = Style::random(&mut rng, arch);
            (style.special, style.constants) = (10, 30);
            let mut generator = Generator::new(arch, rng, style);
            for &row in vector_rows(arch) {
                let inst = generator.vector_inst(row).unwrap_or_else(|| panic!("{}", row.desc.mnemonic));
                assert_eq!((inst.opcode, inst.form, inst.arch), (row.desc.opcode, row.form, arch));
                assert_eq!(inst.unsupported(), None);
                seen.extend(kinds(&inst));
            }
        }
        let seen: Vec<_> = seen.iter().map(String::as_str).collect();
        let expected: Vec<_> = EXPECTED.split(';').map(str::trim).collect();
        for kind in &expected {
            assert!(seen.contains(kind), "{kind}: never drawn; {seen:#?}");
        }
    }

    /// The kinds that the draws show. A kind for which the words have no room is missing.
    const EXPECTED: &str = "Dpp abs; Dpp bank_mask; Dpp bound_ctrl; Dpp dpp 0; Dpp dpp 100; Dpp dpp 110; \
        Dpp dpp 120; Dpp dpp 130; Dpp dpp 140; Dpp neg; Dpp row_mask; Dpp source 0 vgpr; Dpp source 1 vgpr; Plain abs; \
        Plain carry to a pair; Plain clamp false; Plain clamp true; Plain literal; Plain neg; Plain neg_hi; \
        Plain omod 1; Plain omod 2; Plain omod 3; Plain op_sel; Plain op_sel of the destination; Plain op_sel_hi; \
        Plain source 0 bit; Plain source 0 constant; Plain source 0 scalar; Plain source 0 vgpr; \
        Plain source 1 bit; Plain source 1 constant; Plain source 1 scalar; Plain source 1 vgpr; \
        Plain source 2 bit; Plain source 2 constant; Plain source 2 scalar; Plain source 2 vgpr; Sdwa abs; \
        Sdwa clamp false; Sdwa clamp true; Sdwa compare to a pair; Sdwa dst_sel 0; Sdwa dst_sel 1; Sdwa dst_sel 2; \
        Sdwa dst_sel 3; Sdwa dst_sel 4; Sdwa dst_sel 5; Sdwa dst_sel 6; Sdwa dst_unused 0; Sdwa dst_unused 1; \
        Sdwa dst_unused 2; Sdwa neg; Sdwa omod 1; Sdwa omod 2; Sdwa omod 3; Sdwa sext; Sdwa source 0 bit; \
        Sdwa source 0 constant; Sdwa source 0 scalar; Sdwa source 0 vgpr; Sdwa source 1 bit; \
        Sdwa source 1 constant; Sdwa source 1 scalar; Sdwa source 1 vgpr; Sdwa src_sel 0; Sdwa src_sel 1; \
        Sdwa src_sel 2; Sdwa src_sel 3; Sdwa src_sel 4; Sdwa src_sel 5; Sdwa src_sel 6; Vop3 abs; \
        Vop3 carry from a pair; Vop3 carry to a pair; Vop3 clamp false; Vop3 clamp true; Vop3 neg; Vop3 omod 1; \
        Vop3 omod 2; Vop3 omod 3; Vop3 op_sel; Vop3 op_sel of the destination; Vop3 source 0 bit; \
        Vop3 source 0 constant; Vop3 source 0 scalar; Vop3 source 0 vgpr; Vop3 source 1 bit; \
        Vop3 source 1 constant; Vop3 source 1 scalar; Vop3 source 1 vgpr";
}
