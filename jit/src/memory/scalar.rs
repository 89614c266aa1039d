//! SMRD and SMEM.

use gcnsim_isa::Inst;

use super::{Machine, Refused, Uses};

/// What an instruction of these encodings does.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarOp {}

impl ScalarOp {
    pub fn new(_inst: &Inst) -> Option<ScalarOp> {
        None
    }

    pub fn uses(&self) -> Uses {
        Uses::default()
    }

    pub fn execute(&self, _m: &mut Machine<'_>) -> Result<(), Refused> {
        Ok(())
    }
}
