//! A dispatch below descriptors: code that lies in memory, and the registers that a driver writes.
//! `cargo run --example registers`.

use std::error::Error;

use gcnsim::Outcome;
use gcnsim::device::{Device, DeviceOptions, Grid, Registers, Request, Scratch, memory};
use gcnsim::isa::Arch;
use gcnsim::isa::kernel::{Rsrc1, Rsrc2};
use gcnsim::machine::Mapping;
use gcnsim::observe::Observers;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::new(Arch::Gcn14, DeviceOptions::default());
    let out = device.alloc(16)?;
    // s_lshl_b32 s3, s2, 2; v_mov_b32 v0, s3; v_mov_b32 v1, s2; global_store_dword v0, v1, s[0:1]; s_endpgm
    let words = [0x8e03_8202u32, 0x7e00_0203, 0x7e02_0202, 0xdc70_8000, 0x0000_0100, 0xbf81_0000];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let pc = 0x7f12_0000_0000;
    device.map(Mapping::read_only(pc, "code", memory("code", &bytes, 4096)?))?;
    let registers = Registers {
        pc,
        rsrc1: Rsrc1(0),
        // Two user SGPRs, then the id of the group in x.
        rsrc2: Rsrc2(2 << 1 | 1 << 7),
        user_sgprs: vec![out.address() as u32, (out.address() >> 32) as u32],
        grid: Grid { groups: [4, 1, 1], group: [64, 1, 1], start: [1, 0, 0], partial: [0; 3] },
        lds_bytes: 0,
        scratch: Scratch::default(),
    };
    let run = device.dispatch(registers)?.run(Request::new(&mut Observers::none()))?;
    assert_eq!(run.outcome?, Outcome::Ended);
    let ids: Vec<u8> = out.to_vec().chunks(4).map(|dword| dword[0]).collect();
    println!("{} instructions; each group stores its id: {ids:?}", run.instructions);
    assert_eq!(ids, [0, 1, 2, 3]);
    Ok(())
}
