//! SOP1, SOP2, SOPC, SOPK, SOPP.

use std::fmt::{self, Formatter};

use super::Operands;
use super::operand::write_literal;
use crate::arch::Arch;
use crate::inst::Inst;
use crate::operand::OperandType;
use crate::state::HwReg;
use crate::table::{Flow, Opcode, Sopc, Sopk, Sopp};

impl Inst {
    pub(super) fn fmt_sop(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut operands = Operands::new(f);
        if let Some(dst) = self.dst() {
            operands.put(self.sgprs(dst as u32, self.desc().dst.dwords()))?;
        }
        for i in 0..self.src_count() {
            operands.put(self.nth_source(i))?;
        }
        if self.opcode == Opcode::Sopc(Sopc::SSetGprIdxOn) {
            operands.put(GprIdx(self.ssrc1_field()))?;
        }
        Ok(())
    }

    pub(super) fn fmt_sopk(&self, op: Sopk, f: &mut Formatter<'_>) -> fmt::Result {
        let simm16 = self.simm16() as u16;
        let sdst = self.words[0] >> 16 & 0x7f;
        let hwreg = HwRegText { arch: self.arch, field: HwReg::from_simm16(simm16) };
        let mut operands = Operands::new(f);
        match op {
            Sopk::SGetregB32 | Sopk::SGetregRegrdB32 => {
                operands.put(self.sgprs(sdst, 1))?;
                operands.put(hwreg)
            }
            Sopk::SSetregB32 => {
                operands.put(hwreg)?;
                operands.put(self.sgprs(sdst, 1))
            }
            Sopk::SSetregImm32B32 => {
                operands.put(hwreg)?;
                f.write_str(", ")?;
                write_literal(f, self.arch, self.words[1], OperandType::b32)
            }
            Sopk::SCbranchIFork | Sopk::SCallB64 => {
                operands.put(self.sgprs(sdst, 2))?;
                operands.put(simm16)
            }
            _ => {
                operands.put(self.sgprs(sdst, 1))?;
                operands.put(format_args!("{simm16:#x}"))
            }
        }
    }

    pub(super) fn fmt_sopp(&self, op: Sopp, f: &mut Formatter<'_>) -> fmt::Result {
        let simm16 = self.simm16() as u16 as u32;
        let mut operands = Operands::new(f);
        match op {
            Sopp::SBarrier
            | Sopp::SIcacheInv
            | Sopp::STtracedata
            | Sopp::SWakeup
            | Sopp::SEndpgmSaved
            | Sopp::SEndpgmOrderedPsDone
            | Sopp::SSetGprIdxOff => Ok(()),
            Sopp::SEndpgm if simm16 == 0 => Ok(()),
            Sopp::SEndpgm => operands.put(simm16),
            Sopp::SWaitcnt => fmt_waitcnt(f, self.arch, simm16),
            Sopp::SSendmsg | Sopp::SSendmsghalt => fmt_sendmsg(f, self.arch, simm16),
            Sopp::SSetGprIdxMode => operands.put(GprIdx(simm16)),
            _ if matches!(self.desc().flow, Flow::Branch | Flow::CondBranch) => operands.put(simm16),
            _ if simm16 <= 64 => operands.put(simm16),
            _ => operands.put(format_args!("{simm16:#x}")),
        }
    }
}

/// `gpr_idx(SRC0,DST)`, or a number if bits above the lowest four are set.
struct GprIdx(u32);

impl fmt::Display for GprIdx {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 > 15 {
            return write!(f, "{:#x}", self.0);
        }
        f.write_str("gpr_idx(")?;
        let mut separator = "";
        for (i, name) in ["SRC0", "SRC1", "SRC2", "DST"].iter().enumerate() {
            if self.0 >> i & 1 == 1 {
                write!(f, "{separator}{name}")?;
                separator = ",";
            }
        }
        f.write_str(")")
    }
}

/// `hwreg(HW_REG_MODE, 4, 8)`. First bit and width are omitted for the whole register.
struct HwRegText {
    arch: Arch,
    field: HwReg,
}

impl fmt::Display for HwRegText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 7] = ["MODE", "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS"];
        let HwReg { id, offset, size } = self.field;
        match id {
            1..=7 => write!(f, "hwreg(HW_REG_{}", NAMES[id as usize - 1])?,
            15 if self.arch.is_gcn14_or_later() => f.write_str("hwreg(HW_REG_SH_MEM_BASES")?,
            _ => write!(f, "hwreg({id}")?,
        }
        if (offset, size) != (0, 32) {
            write!(f, ", {offset}, {size}")?;
        }
        f.write_str(")")
    }
}

/// Writes the counters. Those at their maximum ("do not wait") are omitted, unless all are at it.
fn fmt_waitcnt(f: &mut Formatter<'_>, arch: Arch, simm16: u32) -> fmt::Result {
    let (vm, vm_max) =
        if arch.is_gcn14_or_later() { (simm16 & 15 | simm16 >> 10 & 0x30, 63) } else { (simm16 & 15, 15) };
    let (exp, lgkm) = (simm16 >> 4 & 7, simm16 >> 8 & 15);
    let all = vm == vm_max && exp == 7 && lgkm == 15;
    for (name, value, max) in [("vmcnt", vm, vm_max), ("expcnt", exp, 7), ("lgkmcnt", lgkm, 15)] {
        if all || value != max {
            write!(f, " {name}({value})")?;
        }
    }
    Ok(())
}

/// Writes `sendmsg(MSG_GS, GS_OP_EMIT, 0)`. It uses names if message, operation and stream go together (other bits are
/// ignored). Otherwise it writes three numbers, or one if bits outside the fields are set.
fn fmt_sendmsg(f: &mut Formatter<'_>, arch: Arch, simm16: u32) -> fmt::Result {
    const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
    const SYS_OPS: [&str; 5] =
        ["", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"];
    let (message, op, stream) = (simm16 & 15, simm16 >> 4 & 7, simm16 >> 8 & 3);
    match (message, op, stream) {
        (3, 0, 0) => write!(f, " sendmsg(MSG_GS_DONE, GS_OP_NOP)"),
        (2 | 3, 1..=3, _) => {
            let name = if message == 2 { "MSG_GS" } else { "MSG_GS_DONE" };
            write!(f, " sendmsg({name}, {}, {stream})", GS_OPS[op as usize])
        }
        (15, 1..=4, 0) => write!(f, " sendmsg(MSG_SYSMSG, {})", SYS_OPS[op as usize]),
        (_, 0, 0) if !plain_message(arch, message).is_empty() => {
            write!(f, " sendmsg({})", plain_message(arch, message))
        }
        _ if simm16 & !0x37f == 0 => write!(f, " sendmsg({message}, {op}, {stream})"),
        _ => write!(f, " {simm16}"),
    }
}

/// Name of a message without an operation; empty if the generation does not have it.
fn plain_message(arch: Arch, message: u32) -> &'static str {
    let gcn14 = arch.is_gcn14_or_later();
    match message {
        1 => "MSG_INTERRUPT",
        4 if arch.is_gcn12_or_later() => "MSG_SAVEWAVE",
        5 if gcn14 => "MSG_STALL_WAVE_GEN",
        6 if gcn14 => "MSG_HALT_WAVES",
        7 if gcn14 => "MSG_ORDERED_PS_DONE",
        8 if gcn14 => "MSG_EARLY_PRIM_DEALLOC",
        9 if gcn14 => "MSG_GS_ALLOC_REQ",
        10 if gcn14 => "MSG_GET_DOORBELL",
        _ => "",
    }
}
