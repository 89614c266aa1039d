//! MUBUF and MTBUF.

use gcnsim_isa::Inst;

use super::{Machine, Refused, Uses};

/// What an instruction of these encodings does.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferOp {}

impl BufferOp {
    pub fn new(_inst: &Inst) -> Option<BufferOp> {
        None
    }

    pub fn uses(&self) -> Uses {
        Uses::default()
    }

    pub fn execute(&self, _m: &mut Machine<'_>) -> Result<(), Refused> {
        Ok(())
    }
}
