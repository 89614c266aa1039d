//! The registers that memory instructions read and write (docs/gcn/memory.md#registers-used).

use super::{Inst, RegSet};
use crate::arch::Arch;
use crate::operand::Src;
use crate::state::reg;
use crate::table::{Access, Atomic, Encoding, Packing, Part, Transfer};

impl Inst {
    /// Number of dwords of the result of a scalar or vector memory or DS instruction; 0 if it has none. A
    /// compare-and-swap returns half as many as it takes. D16 counts as packed where [`Arch::packs_d16`] says so. The
    /// register of TFE does not count.
    pub fn memory_result_dwords(&self) -> u32 {
        if let Some(shape) = self.ds_shape() {
            return shape.vdst as u32;
        }
        if let (Some(shape), Some(access)) = (self.image_shape(), self.image_access()) {
            return match shape.kind {
                Access::Load => self.image_data_dwords(),
                Access::Atomic if access.glc => self.image_atomic_dwords(),
                _ => 0,
            };
        }
        let Some(shape) = self.mem_shape() else { return 0 };
        let (glc, lds) = match (self.scalar_access(), self.flat_access(), self.buffer_access()) {
            (Some(access), _, _) => (access.glc, false),
            (_, Some(access), _) => (access.glc, access.lds),
            (_, _, Some(access)) => (access.glc, access.lds),
            (None, None, None) => return 0,
        };
        match shape.moves {
            _ if lds => 0,
            Transfer::Load(load) => load.registers() as u32,
            Transfer::LoadFormat(..) => shape.data_dwords(self.arch),
            Transfer::Atomic(_, width) if glc => width.dwords() as u32,
            Transfer::Clock => 2,
            Transfer::Atomic(..) | Transfer::Store(_) | Transfer::StoreFormat(..) | Transfer::StoreLds => 0,
            Transfer::Cache | Transfer::Discard | Transfer::Probe | Transfer::Share(_) => 0,
        }
    }

    /// Whether a register of TFE follows its result.
    pub fn has_tfe_result(&self) -> bool {
        let tfe = match (self.flat_access(), self.buffer_access(), self.image_access()) {
            (Some(access), _, _) => access.tfe,
            (_, Some(access), _) => access.tfe,
            (_, _, Some(access)) => access.reports_residency,
            (None, None, None) => false,
        };
        tfe && self.memory_result_dwords() != 0
    }

    /// Whether the result keeps half of a register.
    fn keeps_half_of_result(&self) -> bool {
        let keeps_half = match self.transfer() {
            None => self.image_access().is_some_and(|access| access.d16) && self.image_data_dwords() > 0,
            Some(Transfer::Load(load)) => load.part != Part::Whole,
            Some(Transfer::LoadFormat(components, Packing::D16)) => components % 2 == 1,
            Some(Transfer::LoadFormat(_, packing)) => packing == Packing::D16Hi,
            _ => false,
        };
        keeps_half && self.arch.packs_d16()
    }

    pub(super) fn memory_reads(&self) -> RegSet {
        let mut set = self.issued_reads(false);
        if self.keeps_half_of_result() {
            set.union(self.memory_writes());
        }
        set
    }

    /// What [`Inst::named_reads`] returns for memory instructions.
    pub(super) fn memory_named_reads(&self) -> RegSet {
        self.issued_reads(true)
    }

    /// Registers that are read when the instruction is issued: of addresses of images the fewest that there can be, if
    /// `least`, else the most.
    fn issued_reads(&self, least: bool) -> RegSet {
        let mut set = RegSet::default();
        match self.desc.encoding {
            Encoding::Smrd | Encoding::Smem => self.scalar_reads(&mut set),
            Encoding::Ds => self.ds_reads(&mut set),
            Encoding::Flat | Encoding::Global | Encoding::Scratch => self.flat_reads(&mut set),
            Encoding::Mubuf | Encoding::Mtbuf => self.buffer_reads(&mut set),
            Encoding::Mimg => self.image_reads(&mut set, least),
            Encoding::Exp => self.export_reads(&mut set),
            _ => {}
        }
        set
    }

    fn scalar_reads(&self, set: &mut RegSet) {
        let (Some(access), Some(shape)) = (self.scalar_access(), self.mem_shape()) else { return };
        if matches!(shape.kind, Access::Load | Access::Store | Access::Atomic) {
            set.insert_sgprs(access.base, shape.base.dwords() as u32);
            access.offset_register.into_iter().for_each(|code| set.insert(code));
            if shape.kind != Access::Load {
                set.insert_sgprs(access.data, shape.data as u32);
            }
        }
    }

    fn ds_reads(&self, set: &mut RegSet) {
        let (Some(access), Some(shape)) = (self.ds_access(), self.ds_shape()) else { return };
        set.insert_pair(reg::EXEC_LO);
        set.vgprs.insert_sources(access.addr, shape.addr as u32);
        set.vgprs.insert_sources(access.data[0], shape.data[0] as u32);
        set.vgprs.insert_sources(access.data[1], shape.data[1] as u32);
        let is_limited = !self.arch.is_gcn14_or_later() && !shape.moves.is_counter();
        let needs_m0 = shape.moves.is_by_m0() || access.gds || is_limited;
        if needs_m0 && !shape.moves.is_among_lanes() {
            set.insert(reg::M0);
        }
        set.mode = shape.moves.atomic().is_some_and(Atomic::reads_mode);
    }

    fn flat_reads(&self, set: &mut RegSet) {
        let (Some(access), Some(shape)) = (self.flat_access(), self.mem_shape()) else { return };
        set.insert_pair(reg::EXEC_LO);
        set.vgprs.insert_sources(access.data, shape.data as u32);
        let encoding = self.desc.encoding;
        match (encoding, access.saddr) {
            (Encoding::Scratch, Some(code)) => set.insert(code),
            (Encoding::Scratch, None) => set.vgprs.insert_sources(access.addr, 1),
            (_, Some(code)) => {
                set.insert_pair(code);
                set.vgprs.insert_sources(access.addr, 1);
            }
            (_, None) => set.vgprs.insert_sources(access.addr, 2),
        }
        if encoding != Encoding::Global {
            set.insert_pair(flat_scratch(self.arch));
        }
        if access.lds {
            set.insert(reg::M0);
        }
    }

    fn buffer_reads(&self, set: &mut RegSet) {
        let (Some(access), Some(shape)) = (self.buffer_access(), self.mem_shape()) else { return };
        if shape.kind == Access::Invalidate {
            return;
        }
        set.insert_pair(reg::EXEC_LO);
        set.insert_sgprs(access.srsrc, 4);
        match access.soffset {
            Src::Sgpr(code) => set.insert(code),
            Src::Vccz => set.insert_pair(reg::VCC_LO),
            Src::Scc => set.scc = true,
            Src::Execz | Src::Imm(_) | Src::Vgpr(_) | Src::LdsDirect => {}
        }
        let addresses = if access.addr64 { 2 } else { access.offen as u32 + access.idxen as u32 };
        set.vgprs.insert_sources(access.vaddr, addresses);
        if shape.kind != Access::Load {
            set.vgprs.insert_sources(access.vdata, shape.data_dwords(self.arch));
        }
        if access.lds {
            set.insert(reg::M0);
        }
    }

    /// The image decides how many address registers are read: these are the fewest, or all that it can be.
    fn image_reads(&self, set: &mut RegSet, least: bool) {
        let (Some(access), Some(shape)) = (self.image_access(), self.image_shape()) else { return };
        set.insert_pair(reg::EXEC_LO);
        set.insert_sgprs(access.srsrc, if access.r128 { 4 } else { 8 });
        if shape.sampler {
            set.insert_sgprs(access.ssamp, 4);
        }
        let addresses = if least { shape.least_addresses(access.a16) } else { shape.most_addresses() };
        set.vgprs.insert_sources(access.vaddr, addresses);
        if shape.kind != Access::Load {
            set.vgprs.insert_sources(access.vdata, self.image_data_dwords());
        }
    }

    fn export_reads(&self, set: &mut RegSet) {
        let Some(access) = self.export_access() else { return };
        set.insert_pair(reg::EXEC_LO);
        for (i, source) in access.sources.into_iter().enumerate() {
            if access.en >> i & 1 == 1 {
                set.vgprs.insert(source, 1);
            }
        }
    }

    pub(super) fn memory_writes(&self) -> RegSet {
        let mut set = RegSet::default();
        let count = self.memory_result_dwords();
        if let Some(access) = self.scalar_access() {
            if count > 0 {
                set.insert_sgprs(access.data, count);
            }
            return set;
        }
        let places = [
            self.ds_access().map(|access| access.vdst),
            self.flat_access().map(|access| access.vdst),
            self.buffer_access().map(|access| access.vdata),
            self.image_access().map(|access| access.vdata),
        ];
        let Some(first) = places.into_iter().flatten().next() else { return set };
        set.vgprs.insert(first, count + self.has_tfe_result() as u32);
        set
    }
}

/// Operand code of FLAT_SCRATCH_LO; the next one is FLAT_SCRATCH_HI.
pub const fn flat_scratch(arch: Arch) -> u8 {
    if arch.is_gcn12_or_later() { 102 } else { 104 }
}

#[cfg(test)]
mod tests {
    use crate::{Arch, Inst, decode};

    fn inst(arch: Arch, words: [u32; 2]) -> Inst {
        decode(arch, words[0], Some(words[1])).unwrap()
    }

    fn vgprs(set: crate::RegSet) -> Vec<u8> {
        set.vgprs.iter().collect()
    }

    /// Words are those of llvm-mc 15.
    #[test]
    fn sets_of_registers() {
        let exec = 3u128 << 126;
        // s_load_dwordx4 s[8:11], s[4:5], s7 (gfx803)
        let load = inst(Arch::Gcn12, [0xc008_0202, 0x0000_0007]);
        assert_eq!((load.reads().sgprs, load.writes().sgprs), (0b1011_0000, 0xf00));
        // s_atomic_cmpswap_x2 s[8:11], s[4:5], 0x0 glc (gfx900)
        let swap = inst(Arch::Gcn14, [0xc287_0202, 0]);
        assert_eq!((swap.reads().sgprs, swap.writes().sgprs), (0xf30, 0x300));
        // global_load_dword v1, v2, s[6:7] offset:-4 (gfx900)
        let global = inst(Arch::Gcn14, [0xdc50_9ffc, 0x0106_0002]);
        assert_eq!(
            (global.reads().sgprs, vgprs(global.reads()), vgprs(global.writes())),
            (exec | 0xc0, vec![2], vec![1])
        );
        // buffer_load_dword v1, v2, s[8:11], s3 offen offset:4 (gfx900), then with TFE
        let buffer = inst(Arch::Gcn14, [0xe050_1004, 0x0302_0102]);
        assert_eq!((buffer.reads().sgprs, vgprs(buffer.reads())), (exec | 0xf08, vec![2]));
        assert_eq!(vgprs(inst(Arch::Gcn14, [0xe050_1004, 0x0382_0102]).writes()), [1, 2]);
        // ds_read2_b32 v[1:2], v3 offset0:4 offset1:5: M0 counts before gfx900 only
        let (vega, fiji) =
            (inst(Arch::Gcn14, [0xd86e_0504, 0x0100_0003]), inst(Arch::Gcn12, [0xd86e_0504, 0x0100_0003]));
        assert_eq!((vega.reads().sgprs, fiji.reads().sgprs), (exec, exec | 1 << 124));
        assert_eq!((vgprs(vega.reads()), vgprs(vega.writes())), (vec![3], vec![1, 2]));
    }
}
