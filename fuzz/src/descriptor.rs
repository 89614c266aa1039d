//! Launches of a fixed kernel by any descriptor, on both engines.

use gcnsim_device::abi;
use gcnsim_device::args::ArgValue;
use gcnsim_isa::kernel::KernelDescriptor;
use gcnsim_launches::launch::LaunchSpec;

use super::dispatches::{MOST_MEMORY, agree, object};

/// Number of bytes before the descriptor.
const HEAD: usize = 8;

/// `global_store_dword v0, v1, s[6:7]`, `buffer_store_dword v0, off, s[0:3], s9` and the like, by descriptor and chip
/// wherever they lead; `s_endpgm`.
pub const CODE: [u32; 14] = [
    0xc002_0204,
    0, // s_load_dword s8, s[8:9], 0x0
    0xe050_1000,
    0x0980_0300, // buffer_load_dword v3, v0, s[0:3], s9 offen
    0xe070_1000,
    0x0980_0100, // buffer_store_dword v1, v0, s[0:3], s9 offen
    0xdc50_0000,
    0x0200_0000, // flat_load_dword v2, v[0:1]
    0xd81a_0000,
    0x0000_0100, // ds_write_b32 v0, v1
    0xd86c_0000,
    0x0200_0000, // ds_read_b32 v2, v0
    0x7e02_0300, // v_mov_b32 v1, v0
    0xbf81_0000, // s_endpgm
];

/// Tests a descriptor of 64 bytes, or of 256 as v2 has it. The head has the chip and setting, the size of the group and
/// the grid, and the instruction that the kernel begins with.
pub fn check(data: &[u8]) {
    let Some((head, data)) = data.split_first_chunk::<HEAD>() else { return };
    let descriptor = match (data.first_chunk(), data.first_chunk()) {
        (Some(bytes), _) => KernelDescriptor::of_v2(bytes),
        (None, Some(bytes)) => KernelDescriptor::of_v3(bytes),
        (None, None) => return,
    };
    let code: Vec<u8> = CODE.iter().flat_map(|word| word.to_le_bytes()).collect();
    let code = &code[usize::from(head[1]) % (code.len() / 4) * 4..];
    let object = object(head[0] / 8, code, descriptor, None);
    let kernel = &object.kernels[0];
    let group = 1 + u32::from(head[2]) % 256;
    let Ok(launch) = LaunchSpec::new("k", &[1 + u32::from(head[3]) % (2 * group)], &[group]) else { return };
    let launch = launch.args([ArgValue::buffer("a")]).buffer("a", vec![7; 64]);
    let is_small = 64 * u64::from(abi::private_size(kernel)) <= MOST_MEMORY && abi::kernarg_size(kernel) <= MOST_MEMORY;
    if is_small {
        agree(&object, &launch, head[0], 200);
    } else {
        // The launch may be refused, or be too large to run it thousands of times.
        let options = gcnsim_launches::DispatchOptions::default();
        let launcher = gcnsim_launches::Launcher::new(&object, std::path::Path::new("nowhere"), &[], &options);
        let _ = launcher.expect("no buffers").check(&launch);
    }
}
