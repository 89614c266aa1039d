//! DS.

use gcnsim_isa::Inst;

use super::{Machine, Refused, Uses};

/// What an instruction of these encodings does.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareOp {}

impl ShareOp {
    pub fn new(_inst: &Inst, _op: gcnsim_isa::table::Ds) -> Option<ShareOp> {
        None
    }

    pub fn uses(&self) -> Uses {
        Uses::default()
    }

    pub fn execute(&self, _m: &mut Machine<'_>) -> Result<(), Refused> {
        Ok(())
    }
}
