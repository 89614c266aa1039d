//! The common parts of all vector instructions: VSKIP, GPR-index mode, operands in lanes, the steps of SDWA and DPP.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::{Form, Inst, Mode, Note, OperandType, Src, Vgpr, reg};

use super::Lower;
use crate::abi::offset;
use crate::special::Indexing;
use gcnsim_helpers::valu::{dpp, sdwa};

const SIZE: i64 = size_of::<Vgpr>() as i64;

/// How the number of a VGPR operand is computed: by MODE and M0 (GPR-index mode), or by M0 (V_MOVREL).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Index {
    /// GPR-index mode can move this operand if M0[12 + n] is set. 0 to 2 are SRC0 to SRC2, 3 is the destination.
    Mode(u32),
    /// M0 is added.
    M0,
    /// The number is fixed.
    None,
}

/// A VGPR operand.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The address of its lanes. If the number is past the last VGPR, it is that of VGPR0.
    pub lanes: Value,
    /// Whether the number is past the last VGPR (an I8), if that is possible.
    pub past: Option<Value>,
}

/// The state of lowering a vector instruction.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    /// MODE.VSKIP (an I8), if it can be set. Then nothing happens.
    pub skip: Option<Value>,
    /// The note for numbers past the last VGPR.
    range_note: Note,
}

impl Vector {
    /// Starts lowering an instruction.
    pub fn new(l: &mut Lower<'_, '_>, range_note: Note) -> Vector {
        Vector { skip: l.special.may_skip.then(|| mode_bit(l, Mode::VSKIP_BIT)), range_note }
    }

    /// EXEC, or no lane if the instruction is skipped.
    pub fn active(&self, l: &mut Lower<'_, '_>) -> Value {
        let exec = l.exec();
        match self.skip {
            Some(skip) => {
                let none = l.const64(0);
                l.b.ins().select(skip, none, exec)
            }
            None => exec,
        }
    }

    /// Raises a note if `condition` (an I8) holds and the instruction is not skipped.
    pub fn note_if(&self, l: &mut Lower<'_, '_>, condition: Value, note: Note) {
        let condition = match self.skip {
            Some(skip) => {
                let zero = l.b.ins().iconst(types::I8, 0);
                l.b.ins().select(skip, zero, condition)
            }
            None => condition,
        };
        l.note_if(condition, note);
    }

    /// Raises a note if GPR-index mode is on.
    pub fn note_if_indexed(&self, l: &mut Lower<'_, '_>, note: Note) {
        if self.can_index(l) {
            let enabled = mode_bit(l, Mode::GPR_IDX_EN_BIT);
            self.note_if(l, enabled, note);
        }
    }

    fn can_index(&self, l: &Lower<'_, '_>) -> bool {
        l.special.indexing != Indexing::Off && l.options.arch.is_gcn12_or_later()
    }

    /// Writes the pair `code`, unless the instruction is skipped.
    pub fn write_mask(&self, l: &mut Lower<'_, '_>, code: u8, mask: Value) {
        let mask = match self.skip {
            Some(skip) => {
                let old = l.regs.read64(l.b, code);
                l.b.ins().select(skip, old, mask)
            }
            None => mask,
        };
        l.regs.write64(l.b, code, mask);
    }

    /// Whether GPR-index mode is on and moves operand `n` (as in [`Index::Mode`]), as an I8. `None` if that is
    /// impossible.
    pub fn is_indexed(&self, l: &mut Lower<'_, '_>, n: u32) -> Option<Value> {
        if !self.can_index(l) {
            return None;
        }
        if let Indexing::On(operands) = l.special.indexing {
            return (operands >> n & 1 == 1).then(|| l.b.ins().iconst(types::I8, 1));
        }
        let m0 = l.regs.read32(l.b, reg::M0);
        let wanted = l.b.ins().band_imm_u(m0, 1 << (12 + n));
        let wanted = l.b.ins().icmp_imm_u(IntCC::NotEqual, wanted, 0);
        let enabled = mode_bit(l, Mode::GPR_IDX_EN_BIT);
        Some(l.b.ins().band(wanted, enabled))
    }

    /// The place of VGPR `n`, the first of `dwords`. Raises the note for numbers past the last.
    pub fn place(&self, l: &mut Lower<'_, '_>, n: u8, dwords: u32, index: Index) -> Place {
        let index = match index {
            Index::M0 => {
                let m0 = l.regs.read32(l.b, reg::M0);
                l.b.ins().uextend(types::I64, m0)
            }
            Index::Mode(operand) => {
                let Some(indexed) = self.is_indexed(l, operand) else {
                    return Place { lanes: lane_0(l, n), past: None };
                };
                let m0 = l.regs.read32(l.b, reg::M0);
                let index = l.b.ins().band_imm_u(m0, 0xff);
                let index = l.b.ins().uextend(types::I64, index);
                let zero = l.const64(0);
                l.b.ins().select(indexed, index, zero)
            }
            Index::None => return Place { lanes: lane_0(l, n), past: None },
        };
        let number = l.b.ins().iadd_imm_u(index, n as i64);
        let end = l.b.ins().iadd_imm_u(number, dwords as i64);
        let count = l.b.ins().load(types::I64, MemFlagsData::trusted(), l.frame, offset::VGPR_COUNT);
        let past = l.b.ins().icmp(IntCC::UnsignedGreaterThan, end, count);
        self.note_if(l, past, self.range_note);
        let zero = l.const64(0);
        let number = l.b.ins().select(past, zero, number);
        let bytes = l.b.ins().imul_imm_u(number, SIZE);
        Place { lanes: l.b.ins().iadd(l.vgprs, bytes), past: Some(past) }
    }

    /// Source `i` for a helper: the address of lanes, or the tagged address of a scalar in the frame.
    pub fn source(&self, l: &mut Lower<'_, '_>, inst: &Inst, i: usize, index: Index) -> Value {
        match inst.src(i) {
            Src::Vgpr(n) => self.place(l, n, inst.src_type(i).dwords(), index).lanes,
            _ => scalar(l, inst, i),
        }
    }

    /// The part of source `i` that an SDWA form selects, unless it is the whole.
    pub fn select_part(&self, l: &mut Lower<'_, '_>, inst: &Inst, i: usize, source: Value) -> Option<Value> {
        const DWORD: u8 = 6;
        let selectors = inst.sdwa()?;
        if selectors.src_sel[i] == DWORD {
            return None;
        }
        let select = selectors.src_sel[i] as u32 | if selectors.sext[i] { sdwa::SEXT } else { 0 };
        let (lanes, select) = (scratch(l, i), l.const32(select));
        l.call_host(sdwa::prepare_sdwa as *const u8 as usize, &[source, lanes, select], None);
        Some(lanes)
    }

    /// The lanes that source 0 has in a DPP form, and the mask of the lanes that take part.
    pub fn move_lanes(
        &self,
        l: &mut Lower<'_, '_>,
        inst: &Inst,
        source: Value,
        active: Value,
    ) -> Option<(Value, Value)> {
        let moves = inst.dpp()?;
        let how = dpp::dpp_how(moves.ctrl, moves.bank_mask, moves.row_mask, moves.bound_ctrl);
        let (lanes, how) = (scratch(l, 0), l.const32(how));
        let control = l.pointer_at(l.frame, offset::CONTROL as i64);
        let address = dpp::prepare_dpp as *const u8 as usize;
        let mask = l.call_host(address, &[source, lanes, active, how, control], Some(types::I64));
        Some((lanes, mask.unwrap_or_else(|| unreachable!("it returns a mask"))))
    }

    /// Raises the note for SDWA and DPP forms in GPR-index mode: they are indexed as others, which no source confirms.
    pub fn note_odd_form(&self, l: &mut Lower<'_, '_>, inst: &Inst) {
        if matches!(inst.form, Form::Sdwa | Form::Dpp) {
            self.note_if_indexed(l, Note::GpridxOdd);
        }
    }
}

/// The address of lane 0 of a VGPR.
pub(super) fn lane_0(l: &mut Lower<'_, '_>, n: u8) -> Value {
    l.pointer_at(l.vgprs, n as i64 * SIZE)
}

/// The address of scratch lanes.
pub(super) fn scratch(l: &mut Lower<'_, '_>, i: usize) -> Value {
    l.pointer_at(l.frame, offset::scratch(i) as i64)
}

/// Stores scalar source `i` to the frame. Returns its tagged address.
fn scalar(l: &mut Lower<'_, '_>, inst: &Inst, i: usize) -> Value {
    let at = offset::scalar(i);
    let low = l.src(inst, i);
    l.b.ins().store(MemFlagsData::trusted(), low, l.frame, at);
    if inst.src_type(i) == OperandType::b128 {
        let high = match inst.src(i) {
            Src::Sgpr(n) => {
                // There are no registers behind EXEC: they read as 0.
                let halves = [n.saturating_add(2), n.saturating_add(3)].map(|n| match n {
                    0..=reg::EXEC_HI => l.regs.read32(l.b, n),
                    _ => l.const32(0),
                });
                crate::regs::join(l.b, halves[0], halves[1])
            }
            // Integers are sign-extended to all bits above; floats fill 64 bits.
            Src::Imm(value) if matches!(inst.src_code(i), Some(193..=208)) => l.const64((value as i64 >> 63) as u64),
            _ => l.const64(0),
        };
        l.b.ins().store(MemFlagsData::trusted(), high, l.frame, at + 8);
    }
    l.pointer_at(l.frame, at as i64 + 1)
}

/// A bit of MODE as an I8 of 0 or 1.
pub(super) fn mode_bit(l: &mut Lower<'_, '_>, bit: u32) -> Value {
    let mode = l.mode();
    let bit = l.b.ins().band_imm_u(mode, 1 << bit);
    l.b.ins().icmp_imm_u(IntCC::NotEqual, bit, 0)
}
