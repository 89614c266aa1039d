//! The pages that say what an instruction does.

use gcnsim_isa::table::{ImageMove, Opcode};
use gcnsim_isa::{Encoding, Flow, InstDesc, Kind};

/// Returns the pages of `docs/gcn` about an instruction, the one with its operation first.
pub(super) fn pages(desc: &InstDesc) -> Vec<&'static str> {
    let has_floats = desc.dst.is_float() || desc.src.iter().any(|ty| ty.is_float());
    match desc.encoding {
        _ if desc.mnemonic.starts_with("s_getreg") || desc.mnemonic.starts_with("s_setreg") => {
            vec!["docs/gcn/scalar-alu.md", "docs/gcn/registers.md"]
        }
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk => match desc.kind {
            Kind::Branch => vec!["docs/gcn/control-flow.md", "docs/gcn/scalar-alu.md"],
            _ => vec!["docs/gcn/scalar-alu.md"],
        },
        Encoding::Sopp if desc.mnemonic == "s_waitcnt" => vec!["docs/gcn/waits.md", "docs/gcn/registers.md"],
        Encoding::Sopp if desc.mnemonic.starts_with("s_sendmsg") && desc.flow != Flow::Trap => {
            vec!["docs/gcn/control-flow.md", "docs/gcn/registers.md"]
        }
        Encoding::Sopp => vec!["docs/gcn/control-flow.md"],
        Encoding::Vopc => vec!["docs/gcn/compares.md"],
        Encoding::Vop3p => vec!["docs/gcn/valu-packed.md", "docs/gcn/valu.md"],
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 if has_floats => {
            vec!["docs/gcn/valu-float.md", "docs/gcn/valu-float-rules.md", "docs/gcn/valu.md"]
        }
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 => vec!["docs/gcn/valu-integer.md", "docs/gcn/valu.md"],
        Encoding::Smrd | Encoding::Smem => vec!["docs/gcn/scalar-memory.md", "docs/gcn/memory.md"],
        Encoding::Ds => vec!["docs/gcn/lds.md", "docs/gcn/memory.md"],
        Encoding::Flat | Encoding::Global | Encoding::Scratch => vec!["docs/gcn/flat.md", "docs/gcn/memory.md"],
        Encoding::Mubuf => vec!["docs/gcn/buffers.md", "docs/gcn/memory.md"],
        Encoding::Mtbuf => vec!["docs/gcn/buffers.md", "docs/gcn/buffer-formats.md"],
        Encoding::Mimg => match desc.opcode {
            Opcode::Mimg(op) if matches!(op.shape().moves, ImageMove::Sample(_) | ImageMove::Gather(_)) => {
                vec!["docs/gcn/images.md", "docs/gcn/sampling.md"]
            }
            _ => vec!["docs/gcn/images.md", "docs/gcn/image-descriptors.md"],
        },
        Encoding::Vintrp | Encoding::Exp => vec!["docs/gcn/graphics.md"],
    }
}
