//! Where control goes behind one instruction, and which scalar registers it writes.

use gcnsim_isa::{Encoding, Flow as Leave, Inst, Opcode, Sopk, Src};

/// Where control may go from an instruction, apart from its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ways {
    /// Nowhere.
    End,
    /// To the next instruction.
    Next,
    /// To the next instruction, if something lets the wave go on: a halt or a trap.
    Resume,
    /// To the target only.
    Jump,
    /// To the target or the next instruction.
    Branch,
    /// To the callee; the next instruction is its return site.
    Call,
    /// To the target or the next instruction, or to an address of the fork stack: a fork or a join.
    Fork,
}

impl Ways {
    /// Returns the ways of an instruction.
    pub fn of(inst: &Inst) -> Ways {
        match inst.flow() {
            Leave::Next => Ways::Next,
            Leave::Branch | Leave::Indirect => Ways::Jump,
            Leave::CondBranch => Ways::Branch,
            Leave::Call | Leave::SwapPc => Ways::Call,
            Leave::Fork | Leave::Join => Ways::Fork,
            Leave::End => Ways::End,
            Leave::Halt | Leave::Trap => Ways::Resume,
        }
    }

    /// Whether the code behind the instruction belongs to it: control goes there, or comes back there.
    pub fn goes_on(self) -> bool {
        !matches!(self, Ways::End | Ways::Jump)
    }

    /// Whether a basic block ends here.
    pub fn ends_block(self) -> bool {
        !matches!(self, Ways::Next | Ways::Resume)
    }
}

/// The target of `inst` at the address `pc`, if it is a direct branch, call or fork.
pub fn direct_target(inst: &Inst, pc: u64) -> Option<u64> {
    let direct = match inst.flow() {
        Leave::Branch | Leave::CondBranch | Leave::Call => true,
        Leave::Fork => inst.opcode == Opcode::Sopk(Sopk::SCbranchIFork),
        _ => false,
    };
    direct.then(|| pc.wrapping_add_signed(inst.branch_offset()))
}

/// Whether the target of `inst` is in registers.
pub(crate) fn is_computed(inst: &Inst) -> bool {
    matches!(inst.flow(), Leave::SwapPc | Leave::Indirect)
}

/// Whether `inst` has a target: not one that ends, and no join.
pub(crate) fn has_target(inst: &Inst) -> bool {
    !matches!(inst.flow(), Leave::Next | Leave::End | Leave::Halt | Leave::Trap | Leave::Join)
}

/// The first register of the pair that the computed jump `inst` reads, if it is an even SGPR.
pub(crate) fn source_pair(inst: &Inst) -> Option<u8> {
    match inst.src_count() {
        0 => None,
        _ => match inst.src(0) {
            Src::Sgpr(n) if n.is_multiple_of(2) => Some(n),
            _ => None,
        },
    }
}

/// Returns the scalar registers that `inst` may write, one bit each. It covers instructions that the engines do not
/// execute, too.
pub(crate) fn scalar_writes(inst: &Inst) -> u128 {
    const VCC: u128 = 3 << gcnsim_isa::reg::VCC_LO;
    if inst.unsupported().is_none() {
        return inst.writes().sgprs;
    }
    let words = inst.words;
    let from = |first: u32, count: u32| ((1u128 << count) - 1).checked_shl(first).unwrap_or(0);
    let reads_lane = inst.desc().mnemonic.starts_with("v_read");
    match inst.desc().encoding {
        // A scalar load writes up to 16 registers; the mnemonic has their number.
        Encoding::Smrd => from(words[0] >> 15 & 0x7f, load_width(inst)),
        Encoding::Smem => from(words[0] >> 6 & 0x7f, load_width(inst)),
        Encoding::Vop1 | Encoding::Vop2 if reads_lane && words[0] >> 31 == 0 => from(words[0] >> 17 & 0xff, 1),
        _ if reads_lane => from(words[0] & 0xff, 1),
        Encoding::Vop3 | Encoding::Vop1 | Encoding::Vop2 if words[0] >> 31 == 1 => VCC | from(words[0] >> 8 & 0x7f, 2),
        Encoding::Vop2 | Encoding::Vop3 | Encoding::Vopc => VCC,
        _ => 0,
    }
}

/// Number of SGPRs that a scalar load writes.
fn load_width(inst: &Inst) -> u32 {
    match inst.desc().mnemonic.rsplit_once("dwordx").map(|(_, count)| count.parse()) {
        Some(Ok(count)) => count,
        _ => 2,
    }
}
