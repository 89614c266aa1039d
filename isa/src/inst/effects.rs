//! The registers that an instruction reads and writes.

use super::Inst;
use crate::operand::Src;
use crate::state::reg;
use crate::table::Encoding::{Vop1 as V1, Vop2, Vop3, Vop3p, Vopc};
use crate::table::{Fx, Opcode, Vop1};

/// A set of VGPRs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct VgprSet(pub [u64; 4]);

impl VgprSet {
    /// The set of all VGPRs.
    pub const ALL: VgprSet = VgprSet([u64::MAX; 4]);

    /// Adds `count` registers from `first` on, as far as they exist.
    pub fn insert(&mut self, first: u8, count: u32) {
        let end = (first as u32 + count).min(256);
        (first as u32..end).for_each(|n| self.0[n as usize / 64] |= 1 << (n % 64));
    }

    /// Adds `count` source registers of a memory instruction from `first` on. One past v255 is v0 (`reg-range`).
    pub fn insert_sources(&mut self, first: u8, count: u32) {
        self.insert(first, count);
        if first as u32 + count > 256 {
            self.insert(0, 1);
        }
    }

    /// Whether the register is in the set.
    pub fn contains(&self, number: u8) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: VgprSet) {
        self.0.iter_mut().zip(other.0).for_each(|(set, more)| *set |= more);
    }

    /// The registers of this set that are not in another one.
    pub fn without(self, other: VgprSet) -> VgprSet {
        VgprSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// The registers in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=255).filter(|&number| self.contains(number))
    }
}

/// A set of registers, with SCC and MODE.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RegSet {
    /// Bit n: scalar register with operand code n (VCC 106/107, M0 124, EXEC 126/127).
    pub sgprs: u128,
    /// SCC.
    pub scc: bool,
    /// MODE.
    pub mode: bool,
    /// Vector registers. Lanes are not told apart.
    pub vgprs: VgprSet,
}

impl RegSet {
    /// Adds scalar register `code`.
    pub fn insert(&mut self, code: u8) {
        self.insert_sgprs(code, 1);
    }

    /// Adds the pair of scalar registers from `code` on.
    pub fn insert_pair(&mut self, code: u8) {
        self.insert_sgprs(code, 2);
    }

    /// Adds `count` (1 to 16) scalar registers from `code` on, as far as they exist.
    pub fn insert_sgprs(&mut self, code: u8, count: u32) {
        self.sgprs |= ((1 << count) - 1) << code;
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: RegSet) {
        self.sgprs |= other.sgprs;
        self.scc |= other.scc;
        self.mode |= other.mode;
        self.vgprs.union(other.vgprs);
    }
}

const VCC: u128 = 3 << reg::VCC_LO;
const EXEC: u128 = 3 << reg::EXEC_LO;

impl Inst {
    /// Registers that the instruction may read, including implicit ones. With GPR-index mode, M0 can turn an operand
    /// into any VGPR; these VGPRs are not in the set. A destination is in it if its old value matters in lanes that
    /// take part. Of address registers of images it has all that there can be.
    pub fn reads(&self) -> RegSet {
        if self.desc.is_memory() {
            return self.memory_reads();
        }
        let desc = self.desc();
        let fx = desc.fx;
        let mut set = RegSet { scc: fx.has(Fx::RSCC), mode: fx.has(Fx::RMODE), ..RegSet::default() };
        self.insert_sources(&mut set);
        if let Some(mask) = self.mask_src() {
            set.insert_pair(mask);
        } else if fx.has(Fx::RVCC) {
            set.sgprs |= VCC;
        }
        if fx.has(Fx::REXEC) {
            set.sgprs |= EXEC;
        }
        if fx.has(Fx::RM0) {
            set.insert(reg::M0);
        }
        if fx.has(Fx::RSGPRS) {
            set.sgprs = u128::MAX;
        }
        if fx.has(Fx::RVGPRS) {
            set.vgprs = VgprSet::ALL;
        }
        if let (Some(dst), true) = (self.dst(), fx.has(Fx::RDST)) {
            set.insert_sgprs(dst, desc.dst.dwords());
        }
        if let (Some(vdst), true) = (self.vdst(), self.reads_vdst()) {
            set.vgprs.insert(vdst, desc.dst.dwords());
        }
        set
    }

    /// Registers that the instruction surely reads when it is issued. These are fewer than those of [`Inst::reads`]: of
    /// address registers of images it has the fewest that there can be; the half of a register that a 16-bit load keeps
    /// is not read; where M0 moves an operand, it has the register that is named; and M0 is read only by vector
    /// instructions that name it or need it outside of GPR-index mode.
    pub fn named_reads(&self) -> RegSet {
        if self.desc.is_memory() {
            return self.memory_named_reads();
        }
        let mut set = self.reads();
        let fx = self.desc.fx;
        let is_moved = fx.has(Fx::RSGPRS.or(Fx::RVGPRS).or(Fx::WVGPRS));
        if fx.has(Fx::RSGPRS) {
            set.sgprs = 0;
        }
        if fx.has(Fx::RVGPRS) {
            set.vgprs = VgprSet::default();
        }
        let is_vector = matches!(self.desc.encoding, Vopc | V1 | Vop2 | Vop3 | Vop3p);
        if is_vector && !is_moved {
            set.sgprs &= !(1 << reg::M0);
        }
        self.insert_sources(&mut set);
        if self.attribute_access().is_some() || fx.has(Fx::RSGPRS) {
            set.insert(reg::M0);
        }
        set
    }

    /// Registers that the instruction names as its results. These are fewer than those of [`Inst::writes`] where M0
    /// moves the destination.
    pub fn named_writes(&self) -> RegSet {
        let mut set = self.writes();
        if self.desc.fx.has(Fx::WVGPRS) {
            set.vgprs = VgprSet::default();
            if let Some(vdst) = self.vdst() {
                set.vgprs.insert(vdst, self.desc.dst.dwords());
            }
        }
        if self.desc.fx.has(Fx::WSGPRS) {
            set.sgprs = 0;
            if let Some(dst) = self.dst() {
                set.insert_sgprs(dst, self.desc.dst.dwords());
            }
        }
        set
    }

    /// Adds the registers that explicit sources name.
    fn insert_sources(&self, set: &mut RegSet) {
        for (i, ty) in self.desc.src.iter().enumerate() {
            let Some(code) = self.src_code(i) else { continue };
            let dwords = ty.dwords();
            match self.src_of_code(i, code) {
                Src::Sgpr(n) => set.insert_sgprs(n, dwords),
                Src::Vgpr(n) => set.vgprs.insert(n, dwords),
                Src::Vccz => set.sgprs |= VCC,
                Src::Execz => set.sgprs |= EXEC,
                Src::Scc => set.scc = true,
                Src::LdsDirect => set.insert(reg::M0),
                Src::Imm(_) => {}
            }
        }
    }

    /// Registers that the instruction may write, including implicit ones, but not those to which GPR-index mode moves
    /// the destination. Of address registers of images it has all that there can be.
    pub fn writes(&self) -> RegSet {
        if self.desc.is_memory() {
            return self.memory_writes();
        }
        let desc = self.desc();
        let fx = desc.fx;
        let mut set = RegSet { scc: fx.has(Fx::WSCC), mode: fx.has(Fx::WMODE), ..RegSet::default() };
        if let Some(dst) = self.dst() {
            set.insert_sgprs(dst, desc.dst.dwords());
        }
        if let Some(vdst) = self.vdst() {
            set.vgprs.insert(vdst, desc.dst.dwords());
        }
        if let Some(sdst) = self.sdst() {
            set.insert(sdst);
        }
        if let Some(mask) = self.mask_dst() {
            set.insert_pair(mask);
        }
        if self.opcode == Opcode::Vop1(Vop1::VSwapB32) {
            set.vgprs.insert(self.words[0] as u8, 1);
        }
        if fx.has(Fx::WEXEC) {
            set.sgprs |= EXEC;
        }
        if fx.has(Fx::WM0) {
            set.insert(reg::M0);
        }
        if fx.has(Fx::WSGPRS) {
            set.sgprs = u128::MAX;
        }
        if fx.has(Fx::WVGPRS) {
            set.vgprs = VgprSet::ALL;
        }
        set
    }
}
