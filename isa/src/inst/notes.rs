//! Notes that the words of an instruction decide.

use super::{Form, Inst};
use crate::arch::Arch;
use crate::notes::{Note, Notes};
use crate::operand::{LDS_DIRECT, LITERAL, OperandType};
use crate::state::{HwReg, reg};
use crate::table::{Encoding, Flow, Fx, Has, Opcode, Sop1, Sop2, Sopk, Sopp, Vintrp, Vop1, Vop2, Vop3, Vop3p};

impl Inst {
    /// Notes that hold whenever the instruction executes, whatever the state. The engines have to find those that
    /// depend on the state: `smax-equal-scc`, `pc-*`, `movrel-range`, `csp-wrap`, `vcmp-exec-zero`, `gpr-idx-range`,
    /// `cmp-denorm-flush`, `bfe-wide`, `absdiff-wrap`, `jump-into-literal`, and those of vector ALU instructions from
    /// [`Note::TrigRange`] on.
    pub fn static_notes(&self) -> Notes {
        let mut notes = Notes::NONE;
        let desc = self.desc();
        for i in 0..desc.src.len() {
            if let Some(code) = self.src_code(i) {
                notes = notes.or(source_notes(self.arch, code, desc.src[i], self.words[1]));
            }
        }
        if let Some(dst) = self.dst() {
            notes.insert_if(desc.dst.is_wide() && dst % 2 == 1, Note::OddSgprPair);
        }
        notes.insert_if(self.negates_integers(), Note::IdleField);
        notes.insert_if(self.reads_lds_directly(), Note::LdsDirect);
        match self.opcode {
            Opcode::Sop1(op) => {
                notes.insert_if(op == Sop1::SMovFedB32, Note::MovFed);
                notes.insert_if(op == Sop1::SRfeB64, Note::RfeOutsideTrap);
                let exec_family = desc.fx.has(Fx::WEXEC) && desc.flow == Flow::Next;
                notes.insert_if(exec_family && self.dst().is_some_and(writes_exec_code), Note::SaveexecSdstExec);
            }
            Opcode::Sop2(op) => {
                notes.insert_if(op == Sop2::SRfeRestoreB64, Note::RfeOutsideTrap);
                notes.insert_if(op == Sop2::SSubI32 && self.arch == Arch::Gcn10, Note::SubI32Scc);
            }
            Opcode::Sopk(Sopk::SGetregB32 | Sopk::SSetregB32 | Sopk::SSetregImm32B32) => {
                notes = notes.or(hwreg_notes(self.arch, self.simm16() as u16));
            }
            Opcode::Sopp(op) => {
                notes.insert_if(op == Sopp::SSetkill, Note::Setkill);
                notes.insert_if(self.is_debug_trap(), Note::DebugTrap);
                let cdbg = matches!(
                    op,
                    Sopp::SCbranchCdbgsys
                        | Sopp::SCbranchCdbguser
                        | Sopp::SCbranchCdbgsysOrUser
                        | Sopp::SCbranchCdbgsysAndUser
                );
                notes.insert_if(cdbg, Note::CdbgBranch);
            }
            Opcode::Vopc(_) => self.compare_notes(&mut notes),
            Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) | Opcode::Vintrp(_) => {
                self.vector_notes(&mut notes)
            }
            Opcode::Sopc(_) | Opcode::Sopk(_) => {}
            Opcode::Smrd(_) | Opcode::Smem(_) => self.scalar_memory_notes(&mut notes),
            Opcode::Ds(_) => self.ds_notes(&mut notes),
            Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => self.flat_notes(&mut notes),
            Opcode::Mubuf(_) | Opcode::Mtbuf(_) => self.buffer_notes(&mut notes),
            Opcode::Mimg(_) => self.image_notes(&mut notes),
            Opcode::Exp(_) => {
                let is_reserved = |target: u8| matches!(target, 10..=11 | 16..=31);
                let is_reserved = self.export_access().is_some_and(|access| is_reserved(access.target));
                notes.insert_if(is_reserved, Note::ExportUndef);
            }
        }
        notes
    }

    fn compare_notes(&self, notes: &mut Notes) {
        match self.form {
            Form::Vop3 => {
                notes.insert_if(self.dst().is_some_and(writes_exec_code), Note::VcmpSdstExec);
                let op_sel = self.words[0] >> 11 & 15;
                notes.insert_if(self.arch.is_gcn14_or_later() && op_sel != 0, Note::OpselIgnored);
            }
            Form::Sdwa => {
                notes.insert_if(self.dst().is_some_and(writes_exec_code), Note::VcmpSdstExec);
                let clamp = !self.arch.is_gcn14_or_later() && self.words[1] >> 13 & 1 == 1;
                notes.insert_if(clamp, Note::SdwaVopcClamp);
                notes.insert_if(self.selects_part_of_f32(), Note::SdwaF32Subword);
            }
            Form::Dpp => notes.insert(Note::DppVopc),
            Form::Plain => {}
        }
    }

    /// Adds the notes of VOP1, VOP2, VOP3, VOP3P and VINTRP.
    fn vector_notes(&self, notes: &mut Notes) {
        let desc = self.desc();
        for pair in [self.mask_src(), self.mask_dst()].into_iter().flatten() {
            notes.insert_if(pair % 2 == 1, Note::OddSgprPair);
        }
        notes.insert_if(self.sdst() == Some(reg::M0), Note::ValuDstM0);
        notes.insert_if(self.scalar_values() > 1, Note::ConstantBus);
        notes.insert_if(self.is_float_to_integer() && (self.clamp_bit() || self.omod_bits() != 0), Note::CvtIntClamp);
        notes.insert_if(self.selects_part_of_f32(), Note::SdwaF32Subword);
        // LLVM has no syntax for OP_SEL of promoted instructions and of those named LEGACY.
        let is_promoted = !desc.has.any(Has::OP_SEL) && !matches!(self.opcode, Opcode::Vop3p(_));
        notes.insert_if(is_promoted && self.op_sel() != 0, Note::OpselPromoted);
        notes.insert_if(desc.has.any(Has::ATTR), Note::InterpLds);
        notes.insert_if(desc.has.any(Has::ATTR) && desc.encoding == Encoding::Vop3, Note::InterpF16);
        match self.opcode {
            Opcode::Vop1(op) => self.vop1_notes(op, notes),
            Opcode::Vop2(op) => self.vop2_notes(op, notes),
            Opcode::Vop3(op) => self.vop3_notes(op, notes),
            Opcode::Vintrp(op) => notes.insert_if(op != Vintrp::VInterpMovF32, Note::InterpRounding),
            Opcode::Vop3p(op) => self.vop3p_notes(op, notes),
            _ => {}
        }
    }

    fn vop1_notes(&self, op: Vop1, notes: &mut Notes) {
        use Vop1::*;
        notes.insert_if(op == VMovFedB32, Note::MovFed);
        notes.insert_if(matches!(op, VMovPrsvB32 | VWritelaneRegwrB32), Note::UndocOp);
        let approximate = matches!(
            op,
            VExpF32
                | VLogF32
                | VRcpF32
                | VRcpIflagF32
                | VRsqF32
                | VSqrtF32
                | VSinF32
                | VCosF32
                | VLogClampF32
                | VRcpClampF32
                | VRsqClampF32
                | VRcpLegacyF32
                | VRsqLegacyF32
                | VExpLegacyF32
                | VLogLegacyF32
                | VRcpF64
                | VRsqF64
                | VSqrtF64
                | VRcpClampF64
                | VRsqClampF64
                | VRcpF16
                | VSqrtF16
                | VRsqF16
                | VLogF16
                | VExpF16
                | VSinF16
                | VCosF16
        );
        notes.insert_if(approximate, Note::TranscendentalApprox);
        let upper_half = matches!(op, VCvtU16F16 | VCvtI16F16 | VCvtNormI16F16 | VCvtNormU16F16 | VSatPkU8I16);
        let is_whole = self.writes_half().is_none() && self.sdwa().is_none_or(|sdwa| sdwa.dst_sel == 6);
        notes.insert_if(upper_half && is_whole, Note::CvtI16Hi16);
    }

    fn vop2_notes(&self, op: Vop2, notes: &mut Notes) {
        use Vop2::*;
        let keeps_upper = self.writes_half() == Some(0);
        notes.insert_if(matches!(op, VMacF16 | VMadmkF16 | VMadakF16) && keeps_upper, Note::MacF16Hi16);
        notes.insert_if(matches!(op, VMulI32I24 | VMulU32U24) && self.clamp(), Note::IntClamp);
    }

    fn vop3_notes(&self, op: Vop3, notes: &mut Notes) {
        use Vop3::*;
        notes.insert_if(matches!(op, VReadlaneRegrdB32 | VMacLegacyF32), Note::UndocOp);
        notes.insert_if(op == VMullitF32, Note::Mullit);
        notes.insert_if(op == VMadI64I32, Note::MadI64Carry);
        notes.insert_if(op == VDivScaleF64 && self.arch == Arch::Gcn10, Note::DivScaleVccGfx6);
        let selects_vgpr = |i| self.src_code(i).is_some_and(|code| code >= 256);
        let lane_sel_vgpr = match op {
            VReadlaneB32 => selects_vgpr(1),
            VWritelaneB32 => selects_vgpr(0) || selects_vgpr(1),
            _ => false,
        };
        notes.insert_if(lane_sel_vgpr, Note::LaneSelVgpr);
        let saturates = matches!(
            op,
            VMadI32I24
                | VMadU32U24
                | VSadU8
                | VSadHiU8
                | VSadU16
                | VSadU32
                | VMsadU8
                | VQsadU8
                | VQsadPkU16U8
                | VMqsadPkU16U8
                | VMqsadU32U8
                | VMadU64U32
                | VMadI64I32
                | VMadLegacyU16
                | VMadLegacyI16
                | VMadU16
                | VMadI16
                | VMadU32U16
                | VMadI32I16
        );
        notes.insert_if(saturates && self.clamp(), Note::IntClamp);
        let is_qsad = matches!(op, VQsadU8 | VQsadPkU16U8 | VMqsadPkU16U8 | VMqsadU32U8);
        notes.insert_if(is_qsad && self.destination_overlaps_source(), Note::QsadOverlap);
    }

    fn vop3p_notes(&self, op: Vop3p, notes: &mut Notes) {
        use Vop3p::*;
        let halves = matches!(op, VMadMixloF16 | VMadMixhiF16 | VFmaMixloF16 | VFmaMixhiF16);
        notes.insert_if(halves, Note::MixRound);
        notes.insert_if(op == VDot2F32F16, Note::Dot2Rounding);
        let saturates = matches!(op, VPkMadI16 | VPkMadU16 | VPkMulLoU16);
        notes.insert_if(saturates && self.clamp_bit(), Note::IntClamp);
    }

    /// Whether an SDWA form selects a byte or word of a binary32 source.
    fn selects_part_of_f32(&self) -> bool {
        let is_part = |sdwa: super::Sdwa, i: usize| self.src_type(i) == OperandType::f32 && sdwa.src_sel[i] != 6;
        self.sdwa().is_some_and(|sdwa| (0..self.src_count()).any(|i| is_part(sdwa, i)))
    }

    /// Whether a VGPR of the destination is also one of a source.
    fn destination_overlaps_source(&self) -> bool {
        let Some(vdst) = self.vdst() else { return false };
        let dst = 256 + vdst as u32..256 + vdst as u32 + self.desc().dst.dwords();
        (0..self.src_count()).any(|i| {
            let (first, count) = (self.src_code(i).unwrap_or(0), self.src_type(i).dwords());
            first < dst.end && dst.start < first + count
        })
    }

    /// Number of different scalar values that the instruction reads over the constant bus. Registers that overlap count
    /// once.
    fn scalar_values(&self) -> usize {
        // V_WRITELANE may read M0 and another register.
        let m0_is_free = self.is_lane_write();
        let sources = (0..self.src_count()).filter_map(|i| Some((self.src_code(i)?, self.src_type(i).dwords())));
        let mask = self.mask_src().map(|pair| (pair as u32, 2));
        let on_bus = |&(code, _): &(u32, u32)| match code {
            124 => !m0_is_free,
            0..=127 | 235..=239 | 251..=253 | LDS_DIRECT | LITERAL => true,
            _ => false,
        };
        let mut seen: [(u32, u32); 4] = [(0, 0); 4];
        let mut count = 0;
        for (code, dwords) in sources.chain(mask).filter(on_bus).take(4) {
            let known = seen[..count].iter().any(|&(first, n)| first < code + dwords && code < first + n);
            if !known {
                seen[count] = (code, dwords);
                count += 1;
            }
        }
        count
    }
}

/// Notes of a source with an operand code (0..=511). `literal` is the dword after the instruction.
pub(crate) fn source_notes(arch: Arch, code: u32, ty: OperandType, literal: u32) -> Notes {
    let mut notes = Notes::NONE;
    match code {
        0..=127 => notes.insert_if(code % 2 == 1 && ty.is_wide(), Note::OddSgprPair),
        235..=239 => notes.insert(Note::ApertureRead),
        240..=248 => {
            notes.insert_if(matches!(ty, OperandType::i16 | OperandType::u16), Note::I16FloatInline);
            notes.insert_if(code == 248 && ty == OperandType::class16, Note::ClassF16Inline);
        }
        251..=253 => notes.insert_if(ty.is_wide(), Note::BoolSource64),
        LITERAL if ty.is_wide() && !arch.is_gcn14_or_later() => {
            let matters = literal >> 31 == 1 || ty == OperandType::f64 && literal != 0;
            notes.insert_if(matters, Note::Literal64);
        }
        _ => {}
    }
    notes
}

/// Whether a 64-bit destination at `code` includes EXEC.
fn writes_exec_code(code: u8) -> bool {
    code == reg::EXEC_LO || code == reg::EXEC_HI
}

fn hwreg_notes(arch: Arch, simm16: u16) -> Notes {
    let field = HwReg::from_simm16(simm16);
    let mut notes = Notes::NONE;
    notes.insert_if(field.offset + field.size > 32, Note::HwregOverrun);
    match field.id {
        1..=7 => {}
        8 | 9 => notes.insert(Note::HwregPc),
        10..=13 => notes.insert(Note::HwregDebug),
        15 if arch.is_gcn14_or_later() => {}
        _ => notes.insert(Note::HwregUnknown),
    }
    notes
}
