//! Layout of arguments by the rules of C and docs/gcn/kernel-arguments.md#explicit-arguments.

use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor, Rsrc1, Rsrc2};

use super::*;
use gcnsim_loader::code_object::metadata::{Hidden, KernelMetadata};

fn byte(value: u8) -> ArgValue {
    ArgValue::Bytes { bytes: vec![value], align: 1 }
}

/// Returns a kernel with 20 bytes of static LDS. Its metadata, if any, lists `args` as explicit arguments.
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

/// Returns the places of a buffer `b` of 256 bytes, and of the images `d`, a plane of depths, `i`, a plane, and `z`, a
/// volume in blocks.
fn places(arch: Arch) -> Places {
    let image = |kind, size, format: &str| {
        let shape = Shape { kind, size, layers: 1, levels: 1, format: Format::by_name(format).unwrap() };
        Some((shape, Layout::new(&shape, arch)))
    };
    let place = |name: &str, image| Place { name: name.into(), base: 0x12_3456_7800, size: 0x100, image };
    let plane = image(Kind::D2, [3, 2, 1], "r16g16b16a16_sfloat");
    let blocks = image(Kind::D3, [4, 4, 1], "bc7_unorm_block");
    let depths = image(Kind::D2, [3, 2, 1], "d32_sfloat");
    let list = vec![place("b", None), place("d", depths), place("i", plane), place("z", blocks)];
    Places { arch, objects: 0x4000, list }
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
    assert_eq!(nested.bytes(&places(Arch::Gcn14)), Ok(expected));
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
    let placed = place(&kernel(Some(args)), &values, 40, &places(Arch::Gcn14)).unwrap();
    let mut expected = [0; 40];
    expected[4] = 9;
    expected[8..16].copy_from_slice(&0x12_3456_7834u64.to_le_bytes());
    // Dynamic LDS follows 20 bytes of static LDS: 10 bytes from 32 on, and 6 from 48 on.
    (expected[20], expected[28]) = (32, 48);
    assert_eq!((placed.kernarg, placed.end, placed.dynamic_lds, placed.guessed), (expected.to_vec(), 32, 34, false));
}

#[test]
fn without_metadata_arguments_have_natural_places() {
    let values = [byte(1), ArgValue::u64(2), byte(3), ArgValue::Local(4), ArgValue::u32(5)];
    let placed = place(&kernel(None), &values, 32, &places(Arch::Gcn14)).unwrap();
    let mut expected = [0; 32];
    (expected[0], expected[8], expected[16], expected[20], expected[24]) = (1, 2, 3, 32, 5);
    assert_eq!((placed.kernarg, placed.end, placed.dynamic_lds, placed.guessed), (expected.to_vec(), 28, 16, true));
}

fn image(name: &str) -> ArgValue {
    ArgValue::Image(name.to_owned())
}

#[test]
fn images_and_samplers_are_objects() {
    let kernel = kernel(Some(vec![(0, 8, ArgKind::Image, 1), (8, 8, ArgKind::Sampler, 1), (16, 8, ArgKind::Image, 1)]));
    let sampler = Sampler { normalized: false, ..Sampler::default() };
    let values = [image("i"), ArgValue::Sampler(sampler), image("i")];
    let placed = place(&kernel, &values, 24, &places(Arch::Gcn12)).unwrap();
    assert_eq!(placed.kernarg, [0x4000u64, 0x4040, 0x4080].map(u64::to_le_bytes).concat());
    assert_eq!((placed.objects.len() as u64, objects_size(&values)), (192, 192));
    let dwords = |at: usize| -> Vec<u32> {
        placed.objects[at..at + 64].as_chunks().0.iter().copied().map(u32::from_le_bytes).collect()
    };
    // The T# says 16_16_16_16 float. A row of three texels has a pitch of 32, because two shorter rows of whole 8
    // texels are no multiple of 64 texels.
    let t = [0x1234_5678, 12 << 20 | 7 << 26, 2 | 1 << 14, 0x9080_0fac, 31 << 13, 0, 0, 0, 14, 8, 3, 0, 0, 0, 0, 0];
    assert_eq!((dwords(0), dwords(128)), (t.to_vec(), t.to_vec()));
    assert_eq!(dwords(64)[..5], [0x8092, 0x00f0_0000, 0, 0, 0]);
}

#[test]
fn descriptors_are_parts_of_structures() {
    let buffer = |stride, records, format: Option<&str>| ArgValue::BufferDescriptor {
        buffer: "b".into(),
        at: 0x20,
        stride,
        records,
        format: format.map(|name| Format::by_name(name).unwrap()),
    };
    let values = ArgValue::Struct(vec![ArgValue::ImageDescriptor("i".into()), buffer(0, None, None), byte(1)]);
    assert_eq!(values.layout(), (52, 4));
    let bytes = values.bytes(&places(Arch::Gcn14)).unwrap();
    let dwords: Vec<u32> = bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
    assert_eq!(dwords[..4], [0x1234_5678, 12 << 20 | 7 << 26, 2 | 1 << 14, 0x9000_0fac]);
    assert_eq!(dwords[8..], [0x3456_7820, 0x12, 0xe0, 0x0002_7fac, 1]);
    for (arch, count) in [(Arch::Gcn11, 28), (Arch::Gcn12, 224), (Arch::Gcn141, 28)] {
        let bytes = buffer(8, None, Some("r32g32_uint")).bytes(&places(arch)).unwrap();
        let dwords: Vec<u32> = bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
        assert_eq!(dwords, [0x3456_7820, 0x0008_0012, count, 0o1054 | 4 << 12 | 11 << 15], "{arch:?}");
    }
}

/// A given argument must be of the kind that the kernel takes.
#[test]
fn images_and_buffers_are_not_the_same() {
    let error = |kind, ty: Option<&str>, value: ArgValue| {
        let mut kernel = kernel(Some(vec![(0, 8, kind, 1)]));
        kernel.metadata.as_mut().unwrap().args[0].type_name = ty.map(str::to_owned);
        place(&kernel, &[value], 8, &places(Arch::Gcn14)).map(|_| ()).map_err(|error| error.to_string())
    };
    let sampler = || ArgValue::Sampler(Sampler::default());
    for (kind, ty, value, message) in [
        (ArgKind::Image, None, ArgValue::buffer("b"), "argument 0 (unnamed) is an image: give it {\"image\": NAME}"),
        (ArgKind::Image, None, sampler(), "is an image: give it"),
        (
            ArgKind::Sampler,
            Some("sampler_t"),
            image("i"),
            "argument 0 (sampler_t) is a sampler: give it {\"sampler\": {..}}",
        ),
        (
            ArgKind::Buffer,
            Some("int*"),
            image("i"),
            "argument 0 (int*) is a buffer, not an image: give it {\"buffer\": NAME}",
        ),
        (ArgKind::ByValue, None, image("i"), "is no image"),
        (ArgKind::Buffer, None, sampler(), "is no sampler"),
        (ArgKind::Buffer, None, ArgValue::buffer("i"), "'i' is an image, not a buffer"),
        (ArgKind::Image, None, image("b"), "'b' is a buffer, not an image: describe it below \"images\""),
        (ArgKind::Image, None, image("c"), "there is no image 'c'"),
        (
            ArgKind::Image,
            Some("image3d_t"),
            image("i"),
            "argument 0 (image3d_t) takes images of type 3d, and 'i' is 2d 3 x 2",
        ),
        (ArgKind::Image, Some("image2d_depth_t"), image("i"), "takes images of type 2d with a depth format, and 'i'"),
        (ArgKind::Image, Some("image2d_t"), image("d"), "takes images of type 2d without a depth format, and 'd'"),
        (
            ArgKind::Image,
            Some("image3d_t"),
            image("z"),
            "takes no format bc7_unorm_block, as 'z' has: OpenCL has no such images",
        ),
    ] {
        let found = error(kind, ty, value).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    assert_eq!(error(ArgKind::Image, Some("image2d_t"), image("i")), Ok(()));
    assert_eq!(error(ArgKind::Image, Some("some_t"), image("i")), Ok(()));
}
