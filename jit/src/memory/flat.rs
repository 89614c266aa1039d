//! FLAT, GLOBAL and SCRATCH.

use gcnsim_isa::Inst;

use super::{Machine, Refused, Uses};

/// What an instruction of these encodings does.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatOp {}

impl FlatOp {
    pub fn new(_inst: &Inst) -> Option<FlatOp> {
        None
    }

    pub fn uses(&self) -> Uses {
        Uses::default()
    }

    pub fn execute(&self, _m: &mut Machine<'_>) -> Result<(), Refused> {
        Ok(())
    }
}
