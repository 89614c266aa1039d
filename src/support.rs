//! The support of the engines for each instruction.

use gcnsim_isa::InstDesc;
use serde::{Serialize, Serializer};

/// How compiled code executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "jit"), expect(dead_code, reason = "only compiled code is supported in these ways"))]
pub enum JitSupport {
    /// Compiled code does not execute the instruction.
    None,
    /// Compiled code calls a host function.
    Call,
    /// Compiled code has host instructions for it.
    Inline,
}

impl Serialize for JitSupport {
    /// Writes `false`, `"call"` or `"inline"`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            JitSupport::None => serializer.serialize_bool(false),
            JitSupport::Call => serializer.serialize_str("call"),
            JitSupport::Inline => serializer.serialize_str("inline"),
        }
    }
}

/// Returns how compiled code executes the instruction `desc`. In a build without JIT it is always [`JitSupport::None`].
pub fn jit(desc: &InstDesc) -> JitSupport {
    #[cfg(feature = "jit")]
    return match gcnsim_jit::support(desc.opcode) {
        gcnsim_jit::Support::Inline => JitSupport::Inline,
        gcnsim_jit::Support::Call => JitSupport::Call,
        gcnsim_jit::Support::None => JitSupport::None,
    };
    #[cfg(not(feature = "jit"))]
    {
        let _ = desc;
        JitSupport::None
    }
}

/// Whether the interpreter executes an instruction.
pub fn interp(desc: &InstDesc) -> bool {
    desc.opcode.is_executed()
}
