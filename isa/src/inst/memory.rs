//! Fields of memory instructions: the places of address, data and result (ISA manual, "memory" formats;
//! docs/gcn/memory.md).

use super::Inst;
use crate::operand::{OperandType, Src};
use crate::table::{DsOffset, DsShape, Encoding, MemShape, Opcode, Transfer};

/// The value of SADDR in FLAT encodings that names no register.
const SADDR_OFF: u32 = 0x7f;

/// A SMRD or SMEM instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarAccess {
    /// First SGPR of the data or of the result.
    pub data: u8,
    /// First SGPR of the base: an address or a buffer descriptor.
    pub base: u8,
    /// Constant offset, in bytes.
    pub offset: i64,
    /// Scalar register with an offset in bytes, unsigned (`s_scratch_*`: in units of 64 bytes).
    pub offset_register: Option<u8>,
    /// GLC: an atomic returns the old value.
    pub glc: bool,
}

/// A DS instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DsAccess {
    /// VGPR of the address.
    pub addr: u8,
    /// First VGPRs of DATA0 and DATA1.
    pub data: [u8; 2],
    /// First VGPR of the result.
    pub vdst: u8,
    /// Offset of 16 bits, in bytes (or a lane pattern). Instructions with two offsets of 8 bits have both here as one
    /// number; see `offsets`.
    pub offset: u32,
    /// Offsets 0 and 1, in elements, for instructions with two.
    pub offsets: [u32; 2],
    /// GDS: the global data share.
    pub gds: bool,
}

/// A FLAT, GLOBAL or SCRATCH instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlatAccess {
    /// VGPR of the address or offset. It is a pair, or one register with `saddr` and in SCRATCH.
    pub addr: u8,
    /// First VGPR of the data.
    pub data: u8,
    /// First VGPR of the result.
    pub vdst: u8,
    /// First scalar register of the base. For GLOBAL it is a pair; for SCRATCH it is an offset that replaces the VGPR.
    pub saddr: Option<u8>,
    /// Offset in bytes: FLAT 0..=4095 (0 before GCN 1.4), the others -4096..=4095.
    pub offset: i32,
    /// GLC: an atomic returns the old value.
    pub glc: bool,
    /// Whether data go to LDS (GLOBAL and SCRATCH).
    pub lds: bool,
    /// Whether one more VGPR of the result reports residency (before GCN 1.4).
    pub tfe: bool,
}

/// A MUBUF or MTBUF instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferAccess {
    /// First VGPR of index and offset, or of the 64-bit address.
    pub vaddr: u8,
    /// First VGPR of the data.
    pub vdata: u8,
    /// First SGPR of the descriptor.
    pub srsrc: u8,
    /// Scalar offset in bytes, unsigned.
    pub soffset: Src,
    /// Constant offset in bytes, 0..=4095.
    pub offset: u32,
    /// Whether VADDR has an offset.
    pub offen: bool,
    /// Whether VADDR has an index.
    pub idxen: bool,
    /// Whether VADDR is an address (before GCN 1.2).
    pub addr64: bool,
    /// GLC: an atomic returns the old value.
    pub glc: bool,
    /// Whether data go to LDS.
    pub lds: bool,
    /// Whether one more VGPR of the result reports residency.
    pub tfe: bool,
    /// Data format and number format (MTBUF).
    pub format: (u8, u8),
}

fn bit(word: u32, at: u32) -> bool {
    word >> at & 1 == 1
}

impl Inst {
    /// Columns of a SMRD, SMEM, FLAT, GLOBAL, SCRATCH, MUBUF or MTBUF row.
    pub fn mem_shape(&self) -> Option<MemShape> {
        Some(match self.opcode {
            Opcode::Smrd(op) => op.shape(),
            Opcode::Smem(op) => op.shape(),
            Opcode::Flat(op) => op.shape(),
            Opcode::Global(op) => op.shape(),
            Opcode::Scratch(op) => op.shape(),
            Opcode::Mubuf(op) => op.shape(),
            Opcode::Mtbuf(op) => op.shape(),
            _ => return None,
        })
    }

    /// Columns of a DS row.
    pub fn ds_shape(&self) -> Option<DsShape> {
        if let Opcode::Ds(op) = self.opcode { Some(op.shape()) } else { None }
    }

    /// The transfer of a SMRD, SMEM, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF or DS instruction.
    pub fn transfer(&self) -> Option<Transfer> {
        match self.opcode {
            Opcode::Ds(op) => Some(op.shape().moves),
            _ => self.mem_shape().map(|shape| shape.moves),
        }
    }

    /// Fields of SMRD and SMEM; `None` for all others.
    pub fn scalar_access(&self) -> Option<ScalarAccess> {
        let [w, w1] = self.words;
        match self.desc.encoding {
            Encoding::Smrd => {
                let (imm, code) = (bit(w, 8), w & 0xff);
                // The offset is in dwords; so is a literal.
                let (offset, offset_register) = match imm {
                    true => (4 * code as i64, None),
                    false if self.size == 8 => (4 * w1 as i64, None),
                    false => (0, Some(code as u8)),
                };
                let base = (w >> 9 & 0x3f) as u8 * 2;
                Some(ScalarAccess { data: (w >> 15 & 0x7f) as u8, base, offset, offset_register, glc: false })
            }
            Encoding::Smem => {
                let gcn14 = self.arch.is_gcn14_or_later();
                let constant = if gcn14 { (w1 << 11) as i32 >> 11 } else { (w1 & 0xf_ffff) as i32 };
                let (imm, soe) = (bit(w, 17), gcn14 && bit(w, 14));
                let offset_register = match (imm, soe) {
                    (_, true) => Some((w1 >> 25) as u8),
                    (false, false) => Some((w1 & 0x7f) as u8),
                    (true, false) => None,
                };
                Some(ScalarAccess {
                    data: (w >> 6 & 0x7f) as u8,
                    base: (w & 0x3f) as u8 * 2,
                    offset: if imm { constant as i64 } else { 0 },
                    offset_register,
                    glc: bit(w, 16),
                })
            }
            _ => None,
        }
    }

    /// Fields of DS; `None` for all others.
    pub fn ds_access(&self) -> Option<DsAccess> {
        let shape = self.ds_shape()?;
        let word = self.words[0];
        let [addr, data0, data1, vdst] = self.words[1].to_le_bytes();
        let gds = bit(word, if self.arch.is_gcn12_or_later() { 16 } else { 17 });
        let (offset, offsets) = (word & 0xffff, [word & 0xff, word >> 8 & 0xff]);
        Some(DsAccess { addr, data: [data0, data1], vdst, offset, offsets, gds: gds && shape.offset != DsOffset::None })
    }

    /// Fields of FLAT, GLOBAL and SCRATCH; `None` for all others.
    pub fn flat_access(&self) -> Option<FlatAccess> {
        let [w, w1] = self.words;
        let gcn14 = self.arch.is_gcn14_or_later();
        let [addr, data, saddr, vdst] = w1.to_le_bytes();
        let is_flat = match self.desc.encoding {
            Encoding::Flat => true,
            Encoding::Global | Encoding::Scratch => false,
            _ => return None,
        };
        let saddr = saddr & 0x7f;
        Some(FlatAccess {
            addr,
            data,
            vdst,
            saddr: (!is_flat && saddr as u32 != SADDR_OFF).then_some(saddr),
            offset: match (is_flat, gcn14) {
                (true, true) => (w & 0xfff) as i32,
                (true, false) => 0,
                (false, _) => (w << 19) as i32 >> 19,
            },
            glc: bit(w, 16),
            lds: gcn14 && bit(w, 13),
            tfe: !gcn14 && bit(w1, 23),
        })
    }

    /// Fields of MUBUF and MTBUF; `None` for all others.
    pub fn buffer_access(&self) -> Option<BufferAccess> {
        let [w, w1] = self.words;
        let is_typed = match self.desc.encoding {
            Encoding::Mubuf => false,
            Encoding::Mtbuf => true,
            _ => return None,
        };
        let gcn12 = self.arch.is_gcn12_or_later();
        Some(BufferAccess {
            vaddr: w1 as u8,
            vdata: (w1 >> 8) as u8,
            srsrc: (w1 >> 16 & 0x1f) as u8 * 4,
            soffset: Src::of_code(w1 >> 24, OperandType::b32, 0),
            offset: w & 0xfff,
            offen: bit(w, 12),
            idxen: bit(w, 13),
            addr64: !gcn12 && bit(w, 15),
            glc: bit(w, 14),
            lds: !is_typed && bit(w, 16),
            tfe: bit(w1, 23),
            format: if is_typed { ((w >> 19 & 15) as u8, (w >> 23 & 7) as u8) } else { (0, 0) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arch, decode};

    fn inst(arch: Arch, words: [u32; 2]) -> Inst {
        decode(arch, words[0], Some(words[1])).unwrap()
    }

    /// Words and text are those of llvm-mc 14.
    #[test]
    fn fields() {
        // s_load_dwordx4 s[8:11], s[4:5], 0x10 (gfx900)
        let load = inst(Arch::Gcn14, [0xc00a_0202, 0x0000_0010]).scalar_access().unwrap();
        assert_eq!(load, ScalarAccess { data: 8, base: 4, offset: 16, offset_register: None, glc: false });
        // s_load_dword s0, s[4:5], 0x4 (gfx600: in dwords)
        let load = inst(Arch::Gcn10, [0xc000_0504, 0]).scalar_access().unwrap();
        assert_eq!(load, ScalarAccess { data: 0, base: 4, offset: 16, offset_register: None, glc: false });
        // global_load_dword v1, v2, s[6:7] offset:-4 (gfx900)
        let global = inst(Arch::Gcn14, [0xdc50_9ffc, 0x0106_0002]).flat_access().unwrap();
        assert_eq!((global.addr, global.vdst, global.saddr, global.offset, global.lds), (2, 1, Some(6), -4, false));
        // ds_read2_b32 v[1:2], v3 offset0:4 offset1:5 (gfx900)
        let ds = inst(Arch::Gcn14, [0xd86e_0504, 0x0100_0003]).ds_access().unwrap();
        assert_eq!((ds.addr, ds.vdst, ds.offsets, ds.gds), (3, 1, [4, 5], false));
        // buffer_load_dword v1, v2, s[8:11], s3 offen offset:4 (gfx900)
        let buffer = inst(Arch::Gcn14, [0xe050_1004, 0x0302_0102]).buffer_access().unwrap();
        assert_eq!((buffer.vaddr, buffer.vdata, buffer.srsrc, buffer.soffset), (2, 1, 8, Src::Sgpr(3)));
        assert_eq!(
            (buffer.offset, buffer.offen, buffer.idxen, buffer.addr64, buffer.lds),
            (4, true, false, false, false)
        );
    }

    /// FLAT ignores SADDR, and OFFSET has 12 bits (docs/gcn/flat.md#address).
    #[test]
    fn flat_ignores_saddr_and_the_sign_of_its_offset() {
        // flat_load_dword v1, v[2:3] offset:4, then with SADDR 6 and bit 12 of OFFSET.
        let plain = inst(Arch::Gcn14, [0xdc50_0004, 0x0100_0002]).flat_access().unwrap();
        let other = inst(Arch::Gcn14, [0xdc50_1004, 0x0106_0002]).flat_access().unwrap();
        assert_eq!((plain.addr, plain.vdst, plain.saddr, plain.offset), (2, 1, None, 4));
        assert_eq!((other.addr, other.vdst, other.saddr, other.offset), (2, 1, None, 4));
        // GLOBAL does not: bit 12 is the sign there.
        let global = inst(Arch::Gcn14, [0xdc50_9004, 0x0106_0002]).flat_access().unwrap();
        assert_eq!((global.saddr, global.offset), (Some(6), 4 - 4096));
    }
}
