//! Runs any bytes as a kernel, in a small dispatch, on both engines.

use gcnsim_device::args::ArgValue;
use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor, Rsrc1, Rsrc2};
use gcnsim_launches::launch::LaunchSpec;

use super::dispatches::{MOST_MEMORY, agree, object};

/// Number of bytes before the code.
const HEAD: usize = 64;
const MAX_CODE: usize = 4096;
const MAX_INSTS: u64 = 3000;

/// Tests a dispatch. The head has chip and setting, sizes of group and grid, the registers of the descriptor, sizes of
/// LDS and scratch, and up to eight arguments: their kinds and their numbers. The code follows.
pub fn check(data: &[u8]) {
    let Some((head, code)) = data.split_first_chunk::<HEAD>() else { return };
    if code.is_empty() || code.len() > MAX_CODE {
        return;
    }
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let short = |at: usize| u32::from(head[at]) | u32::from(head[at + 1]) << 8;
    let properties = short(12);
    let descriptor = KernelDescriptor {
        group_segment_size: short(14),
        private_segment_size: short(16) & 0x3ff,
        kernarg_size: 256,
        entry_offset: 0,
        rsrc1: Rsrc1(word(4)),
        rsrc2: Rsrc2(word(8)),
        properties: CodeProperties { user_sgprs: properties & 0x3ff, dynamic_stack: false, private_element_size: 4 },
    };
    let group = 1 + u32::from(head[1]) % 128;
    let grid = 1 + u32::from(head[2]) % (3 * group);
    let Ok(launch) = LaunchSpec::new("k", &[grid], &[group]) else { return };
    let args = (0..usize::from(head[3]) % 9).map(|n| argument(head[20 + n], word(28 + 4 * n)));
    let a: Vec<u8> = (0..256u32).map(|i| (i * u32::from(head[19])) as u8).collect();
    let b: Vec<u8> = (0..200u16).flat_map(|i| (0x3f80_0000 + 0x4_0000 * u32::from(i)).to_le_bytes()).collect();
    let launch = launch.args(args).buffer("a", a).buffer("b", b);
    debug_assert!(u64::from(descriptor.private_segment_size) * 128 <= MOST_MEMORY);
    agree(&object(head[0] / 8, code, descriptor, None), &launch, head[0], MAX_INSTS);
}

/// An argument of a kind: the address of a buffer, a number, or LDS.
fn argument(kind: u8, number: u32) -> ArgValue {
    match kind % 6 {
        0 => ArgValue::buffer("a"),
        1 => ArgValue::buffer("b"),
        2 => ArgValue::u32(number),
        3 => ArgValue::u64(u64::from(number) << (kind / 6 % 64)),
        4 => ArgValue::Local(number & 0xfff),
        _ => ArgValue::Pointer { buffer: "b".to_owned(), at: u64::from(number) % 801 },
    }
}
