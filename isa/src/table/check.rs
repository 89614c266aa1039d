//! The checks of the decoder for an instruction's operands, in a few bytes. They are derived from the row, so that
//! decoding need not read the row itself.

use super::desc::{Encoding, InstDesc};
use super::{Opcode, Sop1, Sop2};
use crate::operand::{OperandType, class};

/// Operand classes and widths of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// Class of each source ([`class`]); 0 if there is no source in an operand field.
    pub src: [u8; 3],
    /// Class of a scalar destination of the core, or 0.
    pub dst: u8,
    /// Number of VGPRs of a vector destination.
    pub vdst: u8,
    /// Number of sources.
    pub count: u8,
    /// Whether a second dword always follows, whatever the operand codes.
    pub dword: bool,
}

/// One [`Check`] for each row.
pub(super) const fn checks<const N: usize>(rows: &[InstDesc]) -> [Check; N] {
    let mut checks = [Check { src: [0; 3], dst: 0, vdst: 0, count: 0, dword: false }; N];
    let mut row = 0;
    while row < N {
        checks[row] = check(&rows[row]);
        row += 1;
    }
    checks
}

const fn check(desc: &InstDesc) -> Check {
    use Encoding::{Sop1 as SOP1, Sop2 as SOP2, Sopc, Sopk, Sopp};
    let is_scalar = matches!(desc.encoding, SOP1 | SOP2 | Sopc | Sopk | Sopp);
    let mut check = Check {
        src: [0; 3],
        dst: if is_scalar { register_class(desc.dst) } else { 0 },
        vdst: desc.dst.dwords() as u8,
        count: desc.src.len() as u8,
        dword: false,
    };
    let mut i = 0;
    while i < desc.src.len() {
        let ty = desc.src[i];
        check.src[i] = match ty {
            OperandType::none | OperandType::simm | OperandType::uimm => 0,
            OperandType::lit => {
                check.dword = true;
                0
            }
            _ if matches!(desc.encoding, Sopk) || needs_register(desc.opcode, i) => register_class(ty),
            _ if is_scalar && ty.is_wide() => class::SCALAR_PAIR,
            _ if is_scalar => class::SCALAR,
            _ => match (ty.dwords(), i) {
                (1, 0) => class::VECTOR0,
                (1, _) => class::VECTOR,
                (2, _) => class::VECTOR_PAIR,
                _ => class::VECTOR_QUAD,
            },
        };
        i += 1;
    }
    check
}

const fn register_class(ty: OperandType) -> u8 {
    match ty.dwords() {
        0 => 0,
        1 => class::REGISTER,
        _ => class::REGISTER_PAIR,
    }
}

/// Whether source `i` must be a register (0..=127). This holds for movrel (its operand is a number) and for the mask of
/// a fork.
const fn needs_register(opcode: Opcode, i: usize) -> bool {
    i == 0 && matches!(opcode, Opcode::Sop1(Sop1::SMovrelsB32 | Sop1::SMovrelsB64) | Opcode::Sop2(Sop2::SCbranchGFork))
}
