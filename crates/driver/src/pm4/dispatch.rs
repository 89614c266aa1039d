//! Dispatches by registers.

use gcnsim_device::{Dispatch, Grid, Registers, Scratch};
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_machine::canonical;

use super::{Lost, Processor};
use crate::kernel::{Asked, End, Way};

/// Addresses of registers (COMPUTE_*).
mod register {
    pub const START: [u32; 3] = [0xb810, 0xb814, 0xb818];
    pub const NUM_THREAD: [u32; 3] = [0xb81c, 0xb820, 0xb824];
    pub const PGM_LO: u32 = 0xb830;
    pub const PGM_HI: u32 = 0xb834;
    pub const PGM_RSRC1: u32 = 0xb848;
    pub const PGM_RSRC2: u32 = 0xb84c;
    pub const TMPRING_SIZE: u32 = 0xb860;
    pub const USER_DATA: u32 = 0xb900;
}

/// Bits of the initiator.
mod initiator {
    pub const PARTIAL: u32 = 1 << 1;
    pub const FROM_ZERO: u32 = 1 << 2;
    pub const IN_THREADS: u32 = 1 << 5;
}

impl Processor<'_> {
    /// Finds the memory that the driver has for scratch. RADV gives the first two dwords of its V# in the first two
    /// user SGPRs; what waves use of it is told by the swizzle, which no other pointer there has.
    fn with_ring(&self, mut registers: Registers) -> Registers {
        const SWIZZLE: u32 = 1 << 31;
        let uses_scratch = registers.rsrc2.scratch() && registers.scratch.lane_bytes > 0;
        if let (true, [low, high, ..]) = (uses_scratch, &registers.user_sgprs[..])
            && high & SWIZZLE != 0
        {
            let address = canonical(u64::from(*low) | u64::from(high & 0xffff) << 32);
            if self.gpu.device.mapped(address, 1).is_some() {
                registers.scratch.address = address;
            }
        }
        registers
    }

    /// Runs groups as registers say. `count` has groups, or work-items.
    pub(super) fn dispatch(&mut self, count: [u32; 3], initiator: u32) -> Result<(), Lost> {
        let threads = register::NUM_THREAD.map(|at| self.register(at));
        let group = threads.map(|threads| threads & 0xffff);
        let partial = threads.map(|threads| threads >> 16);
        let start = match initiator & initiator::FROM_ZERO != 0 {
            true => [0; 3],
            false => register::START.map(|at| self.register(at)),
        };
        let is_in_threads = initiator & initiator::IN_THREADS != 0;
        let groups = match is_in_threads {
            true => std::array::from_fn(|i| count[i].div_ceil(group[i].max(1))),
            false => count,
        };
        let has_partial = is_in_threads || initiator & initiator::PARTIAL != 0;
        let grid = Grid { groups, group, start, partial: if has_partial { partial } else { [0; 3] } };
        if grid.count() == 0 {
            return Ok(());
        }
        let rsrc2 = Rsrc2(self.register(register::PGM_RSRC2));
        let granule = if self.version >= 7 { 512 } else { 256 };
        let pc = u64::from(self.register(register::PGM_LO)) | u64::from(self.register(register::PGM_HI) & 0xff) << 32;
        let wave_scratch = (self.register(register::TMPRING_SIZE) >> 12 & 0x1fff) * 1024;
        let registers = Registers {
            pc: pc << 8,
            rsrc1: Rsrc1(self.register(register::PGM_RSRC1)),
            rsrc2,
            user_sgprs: (0..rsrc2.user_sgprs()).map(|i| self.register(register::USER_DATA + 4 * i)).collect(),
            grid,
            lds_bytes: (rsrc2.0 >> 15 & 0x1ff) * granule,
            scratch: Scratch { address: self.gpu.scratch.address(), lane_bytes: wave_scratch / 64 },
        };
        let registers = self.with_ring(registers);
        let items = std::array::from_fn(|i| groups[i].saturating_sub(start[i]).saturating_mul(group[i]));
        self.invocations = self.invocations.saturating_add(grid.items().saturating_mul(grid.count()));
        let (id, dispatch) = (registers.pc, self.gpu.ready(registers).map_err(|_| Lost)?);
        let mut asked = Asked { id, grid: items, group, dispatch, kernarg: None, packet: None };
        let record = self.gpu.record_of(&asked);
        let way = Way { record, progress: &|_| {}, disturbed: &|| None };
        let end = self.gpu.execute(&mut asked, |asked, start| self.gpu.run(asked, start, way, Dispatch::run));
        match end.map_err(|_| Lost)? {
            End::Well => Ok(()),
            End::Stopped | End::OurFault | End::Pulled(_) | End::Badly(_) => Err(Lost),
        }
    }
}
