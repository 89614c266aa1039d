//! VGPRs at distances that the caller has computed and compared with the number of VGPRs.

use super::{Allocator, BIAS, OutOfRoom, Step};
use crate::segments::encode::{Gpr, Masking, Rm};
use crate::segments::ops::Op;
use gcnsim_helpers::segment_frame::offset;

impl Allocator<'_> {
    /// Lets RDX point as far behind the chunk's part of the VGPR as RDI behind that of VGPR 0.
    fn point_to(&mut self, slot: u8) {
        // mov rdx, [distance]; add rdx, rdi
        self.code.raw_imm32(&[0x48, 0x8b, 0x96], offset::sgpr(slot) as u32);
        self.code.raw(&[0x48, 0x01, 0xfa]);
        self.set_rdx_unknown();
    }

    /// Emits the load of such a VGPR.
    pub(super) fn moved(&mut self, step: Step, slot: u8) -> Result<(), OutOfRoom> {
        let dst = self.result(step, false)?;
        self.point_to(slot);
        self.code.op(Op::Load, dst, 0, Rm::Memory(Gpr::Rdx, -BIAS), Masking::default(), 0);
        Ok(())
    }

    /// Emits the store to such a VGPR.
    pub(super) fn store_moved(&mut self, step: Step, slot: u8) -> Result<(), OutOfRoom> {
        let register = self.place(step.node.src[0])?;
        self.point_to(slot);
        self.store_active(register, Gpr::Rdx, -BIAS)?;
        self.free_sources(step);
        Ok(())
    }
}
