//! Images and samplers of a device, and what kernels print.

use std::path::Path;
use std::sync::Arc;

use gcnsim_device::images::{Format, Kind, Sampler, Shape, Wrap};
use gcnsim_device::printf::Printed;
use gcnsim_device::{Device, DeviceOptions, DispatchError, Image, Launch, Module};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::Outcome;

fn load(name: &str) -> (Device, Module) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels").join(name);
    let object = Arc::new(CodeObject::parse(&FileBytes::read(&path).unwrap()).unwrap());
    let device = Device::new(object.arch, DeviceOptions::default());
    (device.clone(), device.load(&object).unwrap())
}

fn ended(launch: Launch<'_>) {
    let run = launch.run().unwrap();
    assert!(run.outcome == Ok(Outcome::Ended), "{:?}", run.outcome);
}

fn floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

fn plane(size: [u32; 2], format: &str) -> Shape {
    let format = Format::by_name(format).unwrap();
    Shape { kind: Kind::D2, size: [size[0], size[1], 1], layers: 1, levels: 1, format }
}

/// Both images have rows of 13 texels, which are padded in memory.
#[test]
fn images_are_arguments() {
    for object in ["images/images-gfx803-v4-O3.co", "images/images-gfx900-v5-Os.co"] {
        let (device, module) = load(object);
        let image = |format| device.image(plane([13, 5], format)).unwrap();
        let (from, to): (Image, Image) = (image("r8g8b8a8_uint"), image("r32g32b32a32_uint"));
        let texels: Vec<u8> = (0..4 * 13 * 5).map(|n| (n * 7) as u8).collect();
        from.write(0, &texels).unwrap();
        assert_eq!((from.len(), to.len(), from.to_vec() == texels), (260, 1040, true));
        ended(module.kernel("copy_uint").unwrap().launch([13, 5], [13, 1]).arg(&to).arg(&from));
        let expected: Vec<u8> = texels.iter().flat_map(|&byte| u32::from(byte).to_le_bytes()).collect();
        assert!(to.to_vec() == expected, "{object}");
        // The second row, and an image to itself: its object is there once.
        let mut row = [0; 52];
        from.read(52, &mut row).unwrap();
        assert_eq!(row, texels[52..104]);
        ended(module.kernel("copy_uint").unwrap().launch([13, 5], [13, 1]).arg(&from).arg(&from));
        assert!(from.to_vec() == texels);
        // Into a buffer: what four bytes that are parts of 255 come to.
        let (unorm, out) = (image("r8g8b8a8_unorm"), device.alloc(1040).unwrap());
        unorm.write(0, &[255, 0, 51, 0]).unwrap();
        ended(module.kernel("unpack").unwrap().launch([13, 5], [13, 1]).arg(&out).arg(&unorm));
        let parts: Vec<f32> =
            out.to_vec().chunks(4).map(|part| f32::from_le_bytes(part.try_into().unwrap())).take(5).collect();
        assert_eq!(parts, [1.0, 0.0, 0.2, 0.0, 0.0]);
    }
}

/// A row of 0, 1, 2, 3, seen between the texels, and beyond its end.
#[test]
fn samplers_are_arguments() {
    let (device, module) = load("images/images-gfx900-v5-Os.co");
    let image = device.image(plane([4, 1], "r32_sfloat")).unwrap();
    image.write(0, &floats(&[0.0, 1.0, 2.0, 3.0])).unwrap();
    let [at, out] = [32, 64].map(|bytes| device.alloc(bytes).unwrap());
    at.write(0, &floats(&[1.0, 0.5, 2.75, 0.5, 4.5, 0.5, 3.5, 0.5])).unwrap();
    let seen = |linear, wrap| {
        let sampler = Sampler { linear, normalized: false, address: [wrap; 3], ..Sampler::default() };
        ended(module.kernel("look").unwrap().launch([4], [4]).arg(&out).arg(&image).arg(sampler).arg(&at));
        let reds = out.to_vec();
        reds.chunks(16).map(|texel| f32::from_le_bytes(texel[..4].try_into().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(seen(true, Wrap::ClampToEdge), [0.5, 2.25, 3.0, 3.0]);
    assert_eq!(seen(false, Wrap::ClampToEdge), [1.0, 2.0, 3.0, 3.0]);
    assert_eq!(seen(false, Wrap::ClampToBorder), [1.0, 2.0, 0.0, 3.0]);
}

#[test]
fn what_is_no_image_is_refused() {
    let (device, module) = load("images/images-gfx900-v5-Os.co");
    let one = plane([8, 8], "r32_sfloat");
    let is_one = |shape: Shape| match device.image(shape) {
        Ok(_) => true,
        Err(error) => {
            assert!(matches!(error, DispatchError::Shape(other) if other == shape), "{error}");
            false
        }
    };
    assert!(is_one(one) && is_one(Shape { levels: 4, ..one }) && is_one(Shape { kind: Kind::Cube, layers: 6, ..one }));
    for shape in [
        Shape { levels: 5, ..one },
        Shape { levels: 0, ..one },
        Shape { layers: 2, ..one },
        Shape { size: [8, 0, 1], ..one },
        Shape { size: [8, 8, 2], ..one },
        Shape { size: [1 << 15, 1, 1], ..one },
        Shape { kind: Kind::Cube, layers: 5, ..one },
        Shape { kind: Kind::D1Buffer, size: [8, 1, 1], levels: 2, ..one },
        Shape {
            kind: Kind::D1Buffer,
            size: [8, 1, 1],
            format: Format::by_name("bc1_rgba_unorm_block").unwrap(),
            ..one
        },
    ] {
        assert!(!is_one(shape), "{shape:?}");
    }
    let image = device.image(one).unwrap();
    assert!(matches!(image.write(1, &[0; 256]), Err(DispatchError::Beyond { start: 1, end: 257, size: 256 })));
    assert!(matches!(image.read(u64::MAX, &mut [0]), Err(DispatchError::Beyond { .. })));
    // A buffer in the place of an image, and an image of another device.
    let kernel = module.kernel("copy_uint").unwrap();
    assert!(matches!(kernel.launch([8, 8], [8, 1]).arg(&image).arg(1.0f32).run(), Err(DispatchError::Args(_))));
    let other = Device::new(device.arch(), DeviceOptions::default()).image(one).unwrap();
    assert!(matches!(kernel.launch([8, 8], [8, 1]).arg(&image).arg(&other).run(), Err(DispatchError::OtherDevice)));
}

#[test]
fn what_a_kernel_prints_is_text() {
    for object in ["printf/gfx803-v2.co", "printf/gfx900-v5.co"] {
        let (device, module) = load(object);
        let (items, out) = (module.kernel("items").unwrap(), device.alloc(512).unwrap());
        let mut printed = Printed::default();
        for count in [3, 2] {
            ended(items.launch([count], [count]).arg(&out).print_to(&mut printed));
            let lines = String::from_utf8(printed.text.clone()).unwrap();
            assert_eq!((lines.lines().count(), printed.missing.clone()), (count as usize, None), "{lines}");
            assert!(lines.lines().all(|line| line.starts_with("item ")));
        }
        // A string in memory.
        out.write(0, b"abc\0").unwrap();
        ended(module.kernel("text").unwrap().launch([1], [1]).arg(&out).print_to(&mut printed));
        assert_eq!(printed.text, b"<abc>\n");
    }
    let (device, module) = load("images/images-gfx900-v5-Os.co");
    let (image, mut printed) = (device.image(plane([8, 8], "r32_uint")).unwrap(), Printed::default());
    let kernel = module.kernel("copy_uint").unwrap();
    ended(kernel.launch([8, 8], [8, 1]).arg(&image).arg(&image).print_to(&mut printed));
    assert_eq!(printed, Printed::default());
}
