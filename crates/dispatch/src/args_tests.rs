//! Layout of arguments by the rules of C and docs/gcn/kernel-arguments.md#explicit-arguments.

use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor, Rsrc1, Rsrc2};

use super::*;
use gcnsim_loader::code_object::metadata::{Hidden, KernelMetadata};

fn byte(value: u8) -> ArgValue {
    ArgValue::Bytes { bytes: vec![value], align: 1 }
}

/// A kernel with 20 bytes of static LDS and these explicit arguments, if it has metadata.
fn kernel(args: Option<Vec<(u64, u64, ArgKind, u64)>>) -> Kernel {
    let arg =
        |(offset, size, kind, pointee_align)| Arg { name: None, type_name: None, offset, size, kind, pointee_align };
    let metadata = |args: Vec<_>| KernelMetadata { args: args.into_iter().map(arg).collect(), ..Default::default() };
    Kernel {
        name: "k".into(),
        descriptor_address: 0,
        descriptor: KernelDescriptor {
            group_segment_size: 20,
            private_segment_size: 0,
            kernarg_size: 64,
            entry_offset: 0,
            rsrc1: Rsrc1(0),
            rsrc2: Rsrc2(0),
            properties: CodeProperties { user_sgprs: 0, dynamic_stack: false, private_element_size: 4 },
        },
        entry: 0,
        metadata: args.map(metadata),
    }
}

fn buffers(name: &str) -> Option<(u64, u64)> {
    (name == "b").then_some((0x12_3456_7800, 0x100))
}

#[test]
fn structs_are_laid_out_as_in_c() {
    let padded = ArgValue::Struct(vec![ArgValue::f64(1.0), byte(7)]);
    assert_eq!(padded.layout(), (16, 8));
    let nested = ArgValue::Struct(vec![byte(1), ArgValue::u32(2), padded.clone(), byte(3)]);
    assert_eq!(nested.layout(), (32, 8));
    let mut expected = vec![1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 7];
    expected.resize(24, 0);
    expected.push(3);
    expected.resize(32, 0);
    assert_eq!(nested.bytes(&buffers), Ok(expected));
}

#[test]
fn metadata_says_where_arguments_are() {
    let args = vec![
        (4, 1, ArgKind::ByValue, 1),
        (8, 8, ArgKind::Buffer, 1),
        (20, 4, ArgKind::Local, 16),
        (28, 4, ArgKind::Local, 8),
        (32, 8, ArgKind::Hidden(Hidden::PrintfBuffer), 1),
    ];
    let pointer = ArgValue::Pointer { buffer: "b".into(), at: 0x34 };
    let values = [byte(9), pointer, ArgValue::Local(10), ArgValue::Local(6)];
    let placed = place(&kernel(Some(args)), &values, 40, &buffers).unwrap();
    let mut expected = [0; 40];
    expected[4] = 9;
    expected[8..16].copy_from_slice(&0x12_3456_7834u64.to_le_bytes());
    // After 20 bytes of static LDS: 10 bytes from 32 on, and 6 from 48 on.
    (expected[20], expected[28]) = (32, 48);
    assert_eq!((placed.kernarg, placed.end, placed.dynamic_lds, placed.guessed), (expected.to_vec(), 32, 34, false));
}

#[test]
fn without_metadata_arguments_have_natural_places() {
    let values = [byte(1), ArgValue::u64(2), byte(3), ArgValue::Local(4), ArgValue::u32(5)];
    let placed = place(&kernel(None), &values, 32, &buffers).unwrap();
    let mut expected = [0; 32];
    (expected[0], expected[8], expected[16], expected[20], expected[24]) = (1, 2, 3, 32, 5);
    assert_eq!((placed.kernarg, placed.end, placed.dynamic_lds, placed.guessed), (expected.to_vec(), 28, 16, true));
}
