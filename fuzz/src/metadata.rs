//! Reads any bytes as the metadata of a code object, and launches each of its kernels with arguments as it lists them.

use gcnsim_device::abi;
use gcnsim_device::args::{self, ArgValue};
use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor, Rsrc1, Rsrc2};
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind, KernelMetadata, of_message_pack, of_yaml};

use super::dispatches::{MOST_MEMORY, agree, object};

/// s_load_dwordx4 s[8:11], s[0:1], 0x0; s_endpgm.
const CODE: [u8; 12] = [0, 2, 0x0a, 0xc0, 0, 0, 0, 0, 0, 0, 0x81, 0xbf];

/// Tests a note. Its first byte says of which kind it is: YAML if it is odd; and how arguments differ from the list.
pub fn check(data: &[u8]) {
    let Some((&kind, note)) = data.split_first() else { return };
    let kernels = if kind % 2 == 1 { of_yaml(note) } else { of_message_pack(note) };
    for metadata in kernels.unwrap_or_default().kernels.into_iter().take(4) {
        launch(metadata, kind / 2);
    }
}

fn launch(metadata: KernelMetadata, change: u8) {
    let descriptor = KernelDescriptor {
        group_segment_size: 16,
        private_segment_size: 0,
        kernarg_size: if change & 1 == 0 { 0 } else { 64 },
        entry_offset: 0,
        rsrc1: Rsrc1(0),
        rsrc2: Rsrc2(2 << 1),
        properties: CodeProperties { user_sgprs: 1 << 3, dynamic_stack: false, private_element_size: 4 },
    };
    let required = metadata.required_group_size;
    let object = object(3, &CODE, descriptor, Some(metadata));
    let kernel = &object.kernels[0];
    let mut values: Vec<ArgValue> =
        args::explicit(kernel).unwrap_or_default().into_iter().map(|arg| value(arg, change)).collect();
    if change % 16 == 15 {
        values.pop();
    }
    let group = required.filter(|sizes| sizes.iter().all(|&size| size <= 1024)).unwrap_or([2, 1, 1]);
    let Ok(launch) = LaunchSpec::new("k", &group, &group) else { return };
    let launch = launch.args(values).buffer("a", vec![1; 16]);
    // Large segments are refused, or take long to fill.
    if abi::kernarg_size(kernel) <= MOST_MEMORY {
        agree(&object, &launch, change, 1000);
    }
}

/// A value of the size and kind that the list wants, or nearly so.
fn value(arg: &Arg, change: u8) -> ArgValue {
    let size = arg.size.min(1 << 16) as usize;
    match arg.kind {
        ArgKind::Local => ArgValue::Local([0, 1, 4000, u32::MAX][usize::from(change / 4 % 4)]),
        ArgKind::Buffer if change & 2 == 0 => ArgValue::buffer("a"),
        ArgKind::Pipe | ArgKind::Queue | ArgKind::Sampler | ArgKind::Image => ArgValue::Null,
        _ => ArgValue::Bytes { bytes: vec![change; size], align: 1 },
    }
}
