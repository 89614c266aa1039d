//! The state of a wavefront: scalar registers packed by operand code, status words, vector registers.

use crate::arch::Arch;
use crate::notes::Notes;

/// Lanes of a wavefront.
pub const LANES: usize = 64;

/// Operand codes of scalar registers; they index [`WaveState::sgpr`].
#[allow(missing_docs)]
pub mod reg {
    pub const VCC_LO: u8 = 106;
    pub const VCC_HI: u8 = 107;
    pub const M0: u8 = 124;
    pub const EXEC_LO: u8 = 126;
    pub const EXEC_HI: u8 = 127;
}

/// Hardware register numbers of S_GETREG and S_SETREG (ISA manual, "hardware registers").
#[allow(missing_docs)]
pub mod hwreg {
    pub const MODE: u32 = 1;
    pub const STATUS: u32 = 2;
    pub const TRAPSTS: u32 = 3;
    pub const HW_ID: u32 = 4;
    pub const GPR_ALLOC: u32 = 5;
    pub const LDS_ALLOC: u32 = 6;
    pub const IB_STS: u32 = 7;
    pub const PC_LO: u32 = 8;
    pub const PC_HI: u32 = 9;
    /// Apertures of FLAT addresses (GCN 1.4).
    pub const SH_MEM_BASES: u32 = 15;
}

/// The SIMM16 of S_GETREG and S_SETREG: `{size-1 [15:11], offset [10:6], id [5:0]}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HwReg {
    /// Register number, 0..=63.
    pub id: u32,
    /// First bit, 0..=31.
    pub offset: u32,
    /// Number of bits, 1..=32.
    pub size: u32,
}

impl HwReg {
    /// Splits the immediate.
    pub const fn from_simm16(simm16: u16) -> HwReg {
        let v = simm16 as u32;
        HwReg { id: v & 63, offset: v >> 6 & 31, size: (v >> 11 & 31) + 1 }
    }

    /// As many ones as the field has bits.
    pub const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.size)
    }
}

/// Bits of the MODE register (notes on MODE in the ISA manuals).
#[allow(non_snake_case, missing_docs)]
pub struct Mode;

#[allow(missing_docs)]
impl Mode {
    /// FP_DENORM bit 0 for binary32: denormal inputs are kept.
    pub const DENORM_IN_F32: u32 = 1 << 4;
    /// FP_DENORM bit 0 for binary64 and binary16: denormal inputs are kept.
    pub const DENORM_IN_F64_F16: u32 = 1 << 6;
    /// GPR-index mode (GCN 1.2 on).
    pub const GPR_IDX_EN_BIT: u32 = 27;
    pub const GPR_IDX_EN: u32 = 1 << Self::GPR_IDX_EN_BIT;
    /// Vector instructions are skipped.
    pub const VSKIP_BIT: u32 = 28;
    pub const VSKIP: u32 = 1 << Self::VSKIP_BIT;
    /// Depth of the fork stack, `MODE[31:29]`.
    pub const CSP_SHIFT: u32 = 29;
}

/// The scalar state of a wavefront. Both engines work on it; compiled code knows its layout.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct WaveState {
    /// Scalar registers by operand code 0..=127: SGPRs from 0, VCC 106/107, M0 124, EXEC 126/127.
    pub sgpr: [u32; 128],
    /// SCC, 0 or 1.
    pub scc: u32,
    /// MODE, 32 bits of storage.
    pub mode: u32,
    /// TRAPSTS, 32 bits of storage.
    pub trapsts: u32,
    /// SH_MEM_BASES: the apertures of FLAT addresses on GCN 1.4; 0 in runs of raw programs.
    pub sh_mem_bases: u32,
    /// Byte address of the next instruction.
    pub pc: u64,
    /// Cases met whose outcome depends on a choice of ours.
    pub notes: Notes,
}

impl WaveState {
    /// The state in which all values are zero, EXEC and MODE included: the start of a conformance vector.
    pub fn zeroed() -> WaveState {
        WaveState { sgpr: [0; 128], scc: 0, mode: 0, trapsts: 0, sh_mem_bases: 0, pc: 0, notes: Notes::NONE }
    }

    /// The state a run starts from: zeros, EXEC all ones, MODE with IEEE and DX10_CLAMP set, f64/f16 denormals kept,
    /// f32 denormals kept on GCN 1.4 only.
    pub fn initial(arch: Arch, pc: u64) -> WaveState {
        let mut state = WaveState::zeroed();
        state.set_exec(u64::MAX);
        state.mode = if arch.is_gcn14_or_later() { 0x3f0 } else { 0x3c0 };
        state.pc = pc;
        state
    }

    /// Registers `code` (low half) and `code + 1`.
    pub fn pair(&self, code: u8) -> u64 {
        let code = code as usize;
        self.sgpr[code] as u64 | (self.sgpr[code + 1] as u64) << 32
    }

    /// Writes registers `code` (low half) and `code + 1`.
    pub fn set_pair(&mut self, code: u8, value: u64) {
        let code = code as usize;
        self.sgpr[code] = value as u32;
        self.sgpr[code + 1] = (value >> 32) as u32;
    }

    /// EXEC, one bit per lane.
    pub fn exec(&self) -> u64 {
        self.pair(reg::EXEC_LO)
    }

    /// Writes EXEC.
    pub fn set_exec(&mut self, value: u64) {
        self.set_pair(reg::EXEC_LO, value);
    }

    /// VCC, one bit per lane.
    pub fn vcc(&self) -> u64 {
        self.pair(reg::VCC_LO)
    }

    /// Writes VCC.
    pub fn set_vcc(&mut self, value: u64) {
        self.set_pair(reg::VCC_LO, value);
    }
}

/// One vector register: 64 lanes of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Vgpr(pub [u32; LANES]);
