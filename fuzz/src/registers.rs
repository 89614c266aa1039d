//! Dispatches of a fixed program by any registers, on both engines.

use gcnsim_device::{Device, DeviceOptions, DispatchError, Grid, Registers, Request, Run, Scratch, memory};
use gcnsim_engine::{EngineKind, Observers, RunOptions};
use gcnsim_isa::Arch;
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_machine::Mapping;

use super::descriptor::CODE;
use super::dispatches::{MOST_MEMORY, setting};

/// Guest address of the code.
const PC: u64 = 0x1_0000;
/// Size of a case in bytes.
const SIZE: usize = 64;
/// Budget of a dispatch in instructions.
const BUDGET: u64 = 200;

/// Numbers of a case, one after the other.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn dword(&mut self) -> u32 {
        u32::from_le_bytes([0; 4].map(|_: u8| self.byte()))
    }

    /// A number of 32 bits if `is_any`, and a small one otherwise.
    fn number(&mut self, is_any: bool, most: u32) -> u32 {
        if is_any { self.dword() } else { u32::from(self.byte()) % most }
    }
}

/// Tests the registers of a case. The head has the generation and the setting of the engine, the parts that are no small
/// numbers, and where the PC and the user SGPRs point.
pub fn check(data: &[u8]) {
    let Some(data) = data.get(..SIZE) else { return };
    let interp = RunOptions::default().engine(EngineKind::Interp);
    match [interp, setting(data[0])].map(|options| run(data, options)) {
        [Ok((expected, bytes)), Ok((actual, other))] => {
            assert!(actual.outcome.is_ok(), "a failure of ours: {:?}", actual.outcome);
            assert_eq!((actual.outcome, actual.instructions), (expected.outcome, expected.instructions));
            assert_eq!((actual.notes, other), (expected.notes, bytes));
            assert!(actual.instructions <= BUDGET);
        }
        [expected, actual] => assert_eq!(actual.err(), expected.err()),
    }
}

fn run(data: &[u8], options: RunOptions) -> Result<(Run, Vec<u8>), DispatchError> {
    let device = Device::new(Arch::ALL[usize::from(data[0]) / 8 % 5], DeviceOptions::default().run(options).jobs(1));
    let buffer = device.alloc(64)?;
    buffer.fill(7);
    let code: Vec<u8> = CODE.iter().flat_map(|word| word.to_le_bytes()).collect();
    device.map(Mapping::read_only(PC, "code", memory("code", &code, code.len() as u64)?))?;
    let mut numbers = Numbers(&data[4..]);
    let is_any = |bit: u8| data[1] >> bit & 1 == 1;
    let mut three = |bit: u8, most: u32| [0; 3].map(|_: u32| numbers.number(is_any(bit), most));
    let grid = Grid { group: three(0, 17), groups: three(1, 4), start: three(2, 3), partial: three(3, 17) };
    let (rsrc1, rsrc2) = (Rsrc1(numbers.dword()), Rsrc2(numbers.dword()));
    let lds_bytes = numbers.number(is_any(4), 255).wrapping_mul(4);
    let lane_bytes = numbers.number(is_any(5), 64).wrapping_mul(4);
    let address = if is_any(6) { u64::from(numbers.dword()) << 16 } else { 0x10_0000 };
    let scratch = Scratch { address, lane_bytes };
    if scratch.wave_bytes() > MOST_MEMORY {
        // Room for it is a matter of the host.
        return Err(DispatchError::NoGrid);
    }
    let pc = match data[2] % 4 {
        0 => buffer.address(),
        1 => u64::from(numbers.dword()) << 14 | u64::from(data[2]),
        _ => PC + 4 * (u64::from(data[2]) % 16),
    };
    let mut user_sgprs: Vec<u32> = (0..data[3] % 17).map(|_| u32::from(numbers.byte())).collect();
    for pair in user_sgprs.chunks_exact_mut(2).skip(usize::from(data[3] % 3)) {
        pair.copy_from_slice(&[buffer.address() as u32, (buffer.address() >> 32) as u32]);
    }
    let dispatch = device.dispatch(Registers { pc, rsrc1, rsrc2, user_sgprs, grid, lds_bytes, scratch })?;
    let mut nobody = Observers::none();
    let run = dispatch.run(Request { max_insts: Some(BUDGET), ..Request::new(&mut nobody) })?;
    Ok((run, buffer.to_vec()))
}
