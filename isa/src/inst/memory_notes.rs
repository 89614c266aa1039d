//! Notes that the words of a memory instruction decide (docs/fidelity.md).

use super::Inst;
use super::notes::source_notes;
use crate::notes::{Note, Notes};
use crate::operand::OperandType;
use crate::state::reg;
use crate::table::{Access, Base, DsOffset, Encoding};

impl Inst {
    /// Adds the notes of SMRD and SMEM.
    pub(super) fn scalar_memory_notes(&self, notes: &mut Notes) {
        let (Some(access), Some(shape)) = (self.scalar_access(), self.mem_shape()) else { return };
        notes.insert_if(shape.kind == Access::Time, Note::Memtime);
        let alignment = if shape.data >= 4 { 4 } else { shape.data.max(1) };
        let misaligned =
            !access.data.is_multiple_of(alignment) || shape.base == Base::Buffer && !access.base.is_multiple_of(4);
        notes.insert_if(misaligned, Note::SmemMisalignedReg);
        let writes = matches!(shape.kind, Access::Store | Access::Atomic);
        let by_register = access.offset_register.is_some_and(|code| code != reg::M0);
        notes.insert_if(writes && by_register, Note::SmemStoreOffsetReg);
    }

    /// Adds the notes of DS.
    pub(super) fn ds_notes(&self, notes: &mut Notes) {
        let (Some(access), Some(shape)) = (self.ds_access(), self.ds_shape()) else { return };
        let two = shape.offset == DsOffset::Two;
        notes.insert_if(two && access.offsets[0] == access.offsets[1], Note::DsEqualOffsets);
        notes.insert_if(access.gds && !shape.moves.is_among_lanes(), Note::Gds);
    }

    /// Adds the notes of FLAT, GLOBAL and SCRATCH.
    pub(super) fn flat_notes(&self, notes: &mut Notes) {
        let Some(access) = self.flat_access() else { return };
        let is_scratch = self.desc.encoding == Encoding::Scratch;
        let odd = access.saddr.is_some_and(|code| code % 2 == 1);
        notes.insert_if(odd && !is_scratch, Note::SmemMisalignedReg);
        notes.insert_if(is_scratch && access.saddr.is_some() && access.offset < 0, Note::ScratchNegativeOffset);
        notes.insert_if(access.lds, Note::FlatLdsTransfer);
        notes.insert_if(self.has_tfe_result(), Note::Tfe);
    }

    /// Adds the notes of MUBUF and MTBUF.
    pub(super) fn buffer_notes(&self, notes: &mut Notes) {
        let (Some(access), Some(shape)) = (self.buffer_access(), self.mem_shape()) else { return };
        if shape.kind == Access::Invalidate {
            return;
        }
        *notes = notes.or(source_notes(self.arch, self.words[1] >> 24, OperandType::b32, 0));
        notes.insert_if(access.addr64 && (access.offen || access.idxen), Note::Addr64Offen);
        notes.insert_if(access.lds && access.offset != 0, Note::BufferLdsOffset);
        notes.insert_if(self.has_tfe_result(), Note::Tfe);
        let unpacked = shape.d16 && !self.arch.packs_d16() && shape.kind == Access::Load;
        notes.insert_if(unpacked, Note::D16UnpackedHigh);
    }
}
