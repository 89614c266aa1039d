//! Notes that the words of a memory instruction decide (docs/refer/fidelity.md).

use super::Inst;
use super::notes::source_notes;
use crate::notes::{Note, Notes};
use crate::operand::OperandType;
use crate::state::reg;
use crate::table::{Access, Base, DsOffset, Encoding, ImageMove, Share, Texel, Transfer};

impl Inst {
    /// Adds the notes of SMRD and SMEM.
    pub(super) fn scalar_memory_notes(&self, notes: &mut Notes) {
        let (Some(access), Some(shape)) = (self.scalar_access(), self.mem_shape()) else { return };
        notes.insert_if(shape.kind == Access::Time, Note::Memtime);
        // (rustc 1.95 takes an `if` in the place of `clamp` for `shape.data`, and 8 and 16 dwords for misaligned.)
        let alignment = shape.data.clamp(1, 4);
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
        match shape.moves {
            Transfer::Share(Share::Gws(_)) => notes.insert(Note::DsGws),
            Transfer::Share(Share::OrderedCount) => notes.insert(Note::DsOrderedCount),
            _ => {}
        }
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

    /// Adds the notes of MIMG.
    pub(super) fn image_notes(&self, notes: &mut Notes) {
        let (Some(access), Some(shape)) = (self.image_access(), self.image_shape()) else { return };
        let is_raw = match shape.moves {
            ImageMove::Load(_, texel) | ImageMove::Store(_, texel) => texel != Texel::Formatted,
            _ => false,
        };
        let counts_components = match shape.moves {
            ImageMove::Load(..) | ImageMove::Store(..) | ImageMove::Sample(_) => true,
            ImageMove::Level | ImageMove::Size => true,
            ImageMove::Atomic(_) | ImageMove::Gather(_) | ImageMove::GatherRow => false,
        };
        notes.insert_if(is_raw, Note::ImagePck);
        notes.insert_if(counts_components && access.dmask == 0, Note::MimgDmask0);
        notes.insert_if(self.has_tfe_result(), Note::TfeResident);
        let unpacked = access.d16 && !self.arch.packs_d16() && shape.kind == Access::Load;
        notes.insert_if(unpacked, Note::D16UnpackedHigh);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arch, decode};

    /// The words of MIMG as docs/gcn/encodings.md#mimg has them.
    #[test]
    fn images() {
        let codes = |arch, op: u32, low: u32, high: u32| {
            let words = [0xf000_0000 | op << 18 | low, high];
            decode(arch, words[0], Some(words[1])).unwrap().static_notes().codes()
        };
        assert_eq!(codes(Arch::Gcn10, 0, 0xf00, 0), Vec::<&str>::new());
        assert_eq!(codes(Arch::Gcn10, 3, 0, 0), ["image-pck", "mimg-dmask0"]);
        assert_eq!(codes(Arch::Gcn14, 64, 1 << 16, 0), ["tfe-resident"]);
        // A store and an atomic that returns nothing have no status.
        assert_eq!(codes(Arch::Gcn14, 8, 0x1_0f00, 0), Vec::<&str>::new());
        assert_eq!(codes(Arch::Gcn14, 18, 0x1_0100, 0), Vec::<&str>::new());
        assert_eq!(codes(Arch::Gcn14, 18, 0x1_2100, 0), ["tfe-resident"]);
        assert_eq!(codes(Arch::Gcn12, 32, 0x100, 1 << 31), ["d16-unpacked-high"]);
        assert_eq!(codes(Arch::Gcn14, 32, 0x100, 1 << 31), Vec::<&str>::new());
    }
}
