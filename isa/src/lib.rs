//! The meaning of the bits of a GCN program, and of a wavefront: instruction tables, decoder, disassembler, operand
//! rules and [`WaveState`]. What instructions do is not here: it is written twice, in the reference interpreter
//! (`gcnsim-interp`), and in the lowerings (`gcnsim-jit`) and helpers (`gcnsim-helpers`).
//!
//! ```
//! use gcnsim_isa::{Arch, decode};
//! let inst = decode(Arch::Gcn14, 0x8002_0100, None).unwrap();
//! assert_eq!(inst.desc().mnemonic, "s_add_u32");
//! assert_eq!(inst.size(), 4);
//! ```
#![forbid(unsafe_code)]

mod arch;
pub mod buffer;
pub mod coverage;
mod decode;
mod disasm;
pub mod encode;
pub mod image;
mod inst;
pub mod kernel;
pub mod layout;
mod notes;
pub mod operand;
mod program;
mod resolve;
mod state;
pub mod table;

pub use arch::{Arch, UnknownArch, of_triple};
pub use decode::{DecodeError, DecodeErrorKind, decode, decode_strict};
pub use disasm::scalar_register_name;
pub use inst::{
    AttributeAccess, BufferAccess, Dpp, DsAccess, ExportAccess, FlatAccess, Form, ImageAccess, Inst, MEMORY, RegSet,
    ScalarAccess, Sdwa, VgprSet, export_target_name, flat_scratch,
};
pub use notes::{Basis, CoreNotes, Note, Notes};
pub use operand::{OperandType, Src};
pub use program::{FetchError, Program};
pub use resolve::{Found, Incomplete, Operand, Operands, RegCode, Resolved, Resolver, SourceKind, SourcePlace};
pub use state::{HwReg, LANES, Mode, Vgpr, WaveState, hwreg, reg};
pub use table::{
    Cmp, Encoding, Flow, Fx, InstDesc, Kind, NO_OPCODE, Opcode, Pred, Sop1, Sop2, Sopc, Sopk, Sopp, Vintrp, Vop1, Vop2,
    Vop3, Vop3p, Vopc,
};
