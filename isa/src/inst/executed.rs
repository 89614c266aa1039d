//! The instructions that the engines execute. Only this file decides it: coverage, fuzzer, scan and matrix ask here.

use super::{Form, Inst};
use crate::table::{ImageMove, InstDesc, Opcode};

/// Whether the engines execute VOP1, VOP2, VOP3 and VOP3P, and vector compares in SDWA and DPP form.
const VECTOR_ALU: bool = true;

/// Whether the engines execute image instructions.
const IMAGES: bool = true;

/// Whether the engines execute memory and DS instructions, and S_BARRIER holds up a wave.
pub const MEMORY: bool = true;

impl Opcode {
    /// Whether both engines execute the instruction, in the forms that [`Inst::unsupported`] does not refuse.
    pub fn is_executed(self) -> bool {
        refused(self.desc()).is_none()
    }
}

/// The reason for which the engines execute the instruction of a row in no form; `None` if they execute it.
fn refused(desc: &InstDesc) -> Option<&'static str> {
    if desc.unknown {
        return Some("its meaning is undocumented");
    }
    match desc.opcode {
        Opcode::Sop1(_) | Opcode::Sop2(_) | Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Sopp(_) => None,
        Opcode::Vopc(_) => None,
        Opcode::Vintrp(_) | Opcode::Exp(_) => None,
        Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) if VECTOR_ALU => None,
        Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) => Some("outside the core"),
        Opcode::Ds(_) if MEMORY => None,
        Opcode::Smrd(_) | Opcode::Smem(_) if MEMORY => None,
        Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) | Opcode::Mubuf(_) | Opcode::Mtbuf(_) if MEMORY => {
            None
        }
        Opcode::Smrd(_) | Opcode::Smem(_) => Some("memory instructions are not executed"),
        Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => Some("memory instructions are not executed"),
        Opcode::Mubuf(_) | Opcode::Mtbuf(_) => Some("memory instructions are not executed"),
        Opcode::Ds(_) => Some("LDS instructions are not executed"),
        Opcode::Mimg(op) if op.shape().moves == ImageMove::GatherRow => Some("its meaning is undocumented"),
        Opcode::Mimg(_) if IMAGES => None,
        Opcode::Mimg(_) => Some("image instructions are not executed"),
    }
}

impl Inst {
    /// The reason for which this simulator cannot execute the instruction; `None` if it can.
    #[inline]
    pub fn unsupported(&self) -> Option<&'static str> {
        match self.opcode {
            // Scalar instructions come first, because this is asked of every instruction.
            Opcode::Sop1(_) | Opcode::Sop2(_) | Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Sopp(_)
                if !self.desc.unknown =>
            {
                None
            }
            _ => self.refused(),
        }
    }

    fn refused(&self) -> Option<&'static str> {
        let is_short = matches!(self.form, Form::Sdwa | Form::Dpp);
        match self.opcode {
            Opcode::Vopc(_) if is_short && !VECTOR_ALU => Some("SDWA and DPP forms are not executed"),
            _ => refused(self.desc),
        }
    }
}
