//! Makes instructions of GCN 1.4 (and those of GCN 1.2 that have the same words) from their fields.

/// An instruction of two dwords.
pub type Words = [u32; 2];

/// Returns a GLOBAL instruction with a 64-bit address in VGPRs: `op`, OFFSET, first VGPR of the result, of the data, of
/// the address.
pub fn global(op: u32, offset: i32, vdst: u32, data: u32, addr: u32) -> Words {
    flat_like(2, op, offset, [vdst, 0x7f, data, addr])
}

/// Returns a GLOBAL instruction with a base in SGPRs.
pub fn global_saddr(op: u32, saddr: u32, vdst: u32, data: u32, addr: u32) -> Words {
    flat_like(2, op, 0, [vdst, saddr, data, addr])
}

/// Returns a FLAT instruction.
pub fn flat(op: u32, offset: i32, vdst: u32, data: u32, addr: u32) -> Words {
    flat_like(0, op, offset, [vdst, 0, data, addr])
}

/// Returns a SCRATCH instruction with an offset in a VGPR.
pub fn scratch(op: u32, offset: i32, vdst: u32, data: u32, addr: u32) -> Words {
    flat_like(1, op, offset, [vdst, 0x7f, data, addr])
}

/// Returns an instruction of FLAT (`segment` 0), SCRATCH (1) or GLOBAL (2).
fn flat_like(segment: u32, op: u32, offset: i32, [vdst, saddr, data, addr]: [u32; 4]) -> Words {
    let first = 0xdc00_0000 | op << 18 | segment << 14 | offset as u32 & 0x1fff;
    [first, vdst << 24 | saddr << 16 | data << 8 | addr]
}

/// Sets GLC, so that the instruction returns the old value.
pub fn glc([first, second]: Words) -> Words {
    [first | 1 << 16, second]
}

/// Returns a MUBUF instruction with the descriptor s[8:11]. `flags`: IDXEN 2, OFFEN 1.
pub fn buffer(op: u32, flags: u32, offset: u32, vdata: u32, vaddr: u32, soffset: u32) -> Words {
    [0xe000_0000 | op << 18 | flags << 12 | offset & 0xfff, soffset << 24 | 2 << 16 | vdata << 8 | vaddr]
}

/// Returns a DS instruction.
pub fn ds(op: u32, offset: u32, vdst: u32, data: [u32; 2], addr: u32) -> Words {
    [0xd800_0000 | op << 17 | offset & 0xffff, vdst << 24 | data[1] << 16 | data[0] << 8 | addr]
}

/// Returns an SMEM instruction with an immediate offset from the base pair `sbase`.
pub fn smem(op: u32, sdata: u32, sbase: u32, offset: i32) -> Words {
    [0xc000_0000 | op << 18 | 1 << 17 | sdata << 6 | sbase >> 1, offset as u32 & 0x1f_ffff]
}

// Opcodes of FLAT, GLOBAL and SCRATCH instructions. MUBUF has the same.
pub const LOAD_UBYTE: u32 = 16;
pub const LOAD_DWORD: u32 = 20;
pub const LOAD_X2: u32 = 21;
pub const LOAD_X4: u32 = 23;
pub const STORE_BYTE: u32 = 24;
pub const STORE_SHORT: u32 = 26;
pub const STORE_DWORD: u32 = 28;
pub const STORE_X2: u32 = 29;
pub const STORE_X4: u32 = 31;
pub const ATOMIC_CMPSWAP: u32 = 65;
pub const ATOMIC_ADD: u32 = 66;
pub const ATOMIC_ADD_X2: u32 = 98;
