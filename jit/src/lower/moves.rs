//! The operands of segments whose numbers are computed: their distances from VGPR 0, and their conflicts.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::{Inst, Note, Opcode, Src, Vgpr, VgprSet};

use super::Lower;
use super::valu::{DST, vdst, write_place};
use super::vector::{Index, Vector};
use crate::abi::offset;
use crate::segments::Moved;

impl Lower<'_, '_> {
    /// Stores the distance of an operand of `inst` to the segment's frame, and raises the note for numbers past the
    /// last VGPR. Returns whether the operand is among its conflicts (an I64 of 0 or 1), if that is possible.
    pub(super) fn move_operand(&mut self, inst: &Inst, moved: &Moved) -> Option<Value> {
        let is_movrel = inst.opcode != Opcode::Vop1(gcnsim_isa::table::Vop1::VMovB32);
        let (note, index) = match (is_movrel, moved.is_destination) {
            (true, _) => (Note::MovrelRange, Index::M0),
            (false, true) => (Note::GpridxRange, Index::Mode(DST)),
            (false, false) => (Note::GpridxRange, Index::Mode(0)),
        };
        let v = Vector::new(self, note);
        let n = match inst.src(0) {
            Src::Vgpr(n) if !moved.is_destination => n,
            _ => vdst(inst),
        };
        let place = v.place(self, n, 1, index);
        let distance = self.b.ins().isub(place.lanes, self.vgprs);
        let conflict = (!moved.conflicts.is_empty()).then(|| {
            let number = self.b.ins().ushr_imm_u(distance, size_of::<Vgpr>().trailing_zeros() as i64);
            self.is_among(number, moved.conflicts)
        });
        let lanes = if moved.is_destination { write_place(self, place) } else { place.lanes };
        let distance = self.b.ins().isub(lanes, self.vgprs);
        let at = offset::SEGMENT_SGPR + 4 * moved.slot as i32;
        self.b.ins().store(MemFlagsData::trusted(), distance, self.frame, at);
        conflict
    }

    /// Whether a VGPR, by its number (an I64 below 256), is in a set (an I64 of 0 or 1).
    fn is_among(&mut self, number: Value, set: VgprSet) -> Value {
        let word = self.b.ins().ushr_imm_u(number, 6);
        let mut bits = self.const64(0);
        for (i, members) in set.0.into_iter().enumerate().filter(|(_, members)| *members != 0) {
            let is_there = self.b.ins().icmp_imm_u(IntCC::Equal, word, i as i64);
            let members = self.const64(members);
            bits = self.b.ins().select(is_there, members, bits);
        }
        let bit = self.b.ins().ushr(bits, number);
        self.b.ins().band_imm_u(bit, 1)
    }

    /// Stores whether an operand is among its conflicts.
    pub(super) fn store_conflicts(&mut self, slot: u8, conflicts: &[Value]) {
        let none = self.const64(0);
        let any = conflicts.iter().fold(none, |any, &conflict| self.b.ins().bor(any, conflict));
        let any = self.b.ins().ireduce(types::I32, any);
        self.b.ins().store(MemFlagsData::trusted(), any, self.frame, offset::SEGMENT_SGPR + 4 * slot as i32);
    }
}
