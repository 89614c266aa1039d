//! T#, V# and S# of images, and the objects in memory that hold them for kernels of OpenCL
//! (docs/gcn/image-descriptors.md, docs/gcn/buffers.md#descriptor, docs/gcn/kernel-arguments.md#images-and-samplers).

use gcnsim_isa::Arch;

use super::{Format, Kind, Layout, Sampler, Shape};

/// Size of an image object in bytes.
pub const IMAGE_OBJECT: usize = 48;
/// Distance from one object to the next in bytes.
pub const OBJECT: usize = 64;

/// Returns the eight dwords of the descriptor of an image at `address`, which is a multiple of 256: a T#, or for a
/// 1D buffer a V# and zeros.
pub fn image_descriptor(shape: &Shape, layout: &Layout, address: u64, arch: Arch) -> [u32; 8] {
    let Shape { kind, size: [width, height, depth], layers, levels, format } = *shape;
    let code = match kind {
        Kind::D1 => 8,
        Kind::D2 => 9,
        Kind::D3 => 10,
        Kind::Cube => 11,
        Kind::D1Array => 12,
        Kind::D2Array => 13,
        Kind::D1Buffer => {
            let [w0, w1, w2, w3] = buffer_descriptor(address, format.bytes(), width, format, arch);
            return [w0, w1, w2, w3, 0, 0, 0, 0];
        }
    };
    let is_new = arch.is_gcn14_or_later();
    let last_layer = layers - 1;
    let depth_field = match kind {
        Kind::D3 => depth - 1,
        Kind::Cube if !is_new => layers / 6 - 1,
        _ => last_layer,
    };
    // From GCN 1.4 on this is the number of rows of a layer if there are several levels.
    let pitch = if is_new && levels > 1 { layout.stacked_rows() } else { layout.pitch() };
    let tiling = if is_new { 0 } else { 8 };
    let pads = u32::from(!is_new && levels > 1);
    [
        (address >> 8) as u32,
        (address >> 40) as u32 & 0xff | format.data_format() << 20 | format.num_format() << 26,
        (width - 1) | (height - 1) << 14,
        format.selectors() | (levels - 1) << 16 | tiling << 20 | pads << 25 | code << 28,
        depth_field | (pitch - 1) << 13,
        if is_new { (levels - 1) << 28 } else { last_layer << 13 },
        0,
        0,
    ]
}

/// Returns a V# of `records` records of `stride` bytes from `address` on. If `stride` is 0, it is one of `records`
/// bytes.
pub fn buffer_descriptor(address: u64, stride: u32, records: u32, format: Format, arch: Arch) -> [u32; 4] {
    let [low, high, count, _] = raw_buffer_descriptor(address, stride, records, arch);
    let last = format.selectors() | (format.num_format() & 7) << 12 | (format.data_format() & 15) << 15;
    [low, high, count, last]
}

/// Returns the V# of a raw buffer, as Mesa makes it: four selectors, and elements of 32 bits.
pub fn raw_buffer_descriptor(address: u64, stride: u32, records: u32, arch: Arch) -> [u32; 4] {
    // GCN 1.2 counts bytes in NUM_RECORDS (docs/gcn/buffers.md#range-check).
    let count = if arch == Arch::Gcn12 && stride > 0 { records.saturating_mul(stride) } else { records };
    [address as u32, (address >> 32) as u32 & 0xffff | (stride & 0x3fff) << 16, count, 0x27fac]
}

/// Returns the object that an image argument of a kernel points to: descriptor, channel type and order, width. `None`
/// if OpenCL has no such format.
pub fn image_object(shape: &Shape, layout: &Layout, address: u64, arch: Arch) -> Option<Vec<u8>> {
    let (ty, order) = shape.format.channel()?;
    let words = image_descriptor(shape, layout, address, arch);
    let words = words.into_iter().chain([ty, order, shape.size[0], 0]);
    Some(words.flat_map(u32::to_le_bytes).collect())
}

/// Returns the object that a sampler argument of a kernel points to.
pub fn sampler_object(sampler: &Sampler) -> Vec<u8> {
    let words = sampler.opencl().into_iter().chain([0; 4]);
    words.flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::buffer::BufferDescriptor;
    use gcnsim_isa::image::{ImageDescriptor, ImageType};

    use super::*;

    fn words(kind: Kind, size: [u32; 3], layers: u32, levels: u32, format: &str, arch: Arch) -> [u32; 8] {
        let shape = Shape { kind, size, layers, levels, format: Format::by_name(format).unwrap() };
        image_descriptor(&shape, &Layout::new(&shape, arch), 0xab_1234_5600, arch)
    }

    /// The words are those of `texture` in corpus/tools/gcngraphics/descriptors.py, without PERF_MOD.
    #[test]
    fn a_plane_on_each_generation() {
        let of = |arch| words(Kind::D2, [64, 32, 1], 1, 1, "r8g8b8a8_unorm", arch);
        for arch in [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12] {
            let expected = [0xab12_3456, 0x00a0_0000, 63 | 31 << 14, 0x9080_0fac, 63 << 13, 0, 0, 0];
            assert_eq!(of(arch), expected, "{arch:?}");
        }
        for arch in [Arch::Gcn14, Arch::Gcn141] {
            let expected = [0xab12_3456, 0x00a0_0000, 63 | 31 << 14, 0x9000_0fac, 63 << 13, 0, 0, 0];
            assert_eq!(of(arch), expected, "{arch:?}");
        }
    }

    #[test]
    fn what_decoding_finds() {
        for arch in Arch::ALL {
            let t = ImageDescriptor(words(Kind::Cube, [16, 16, 1], 12, 5, "r16_sfloat", arch));
            assert_eq!((t.image_type(), t.width(), t.height()), (Some(ImageType::Cube), 16, 16));
            assert_eq!((t.base(), t.last_level(), t.base_level()), (0xab_1234_5600, 4, 0));
            assert!(t.is_linear(arch) && !t.is_compressed(arch));
            assert_eq!(t.pads_to_power_of_two(arch), !arch.is_gcn14_or_later());
            assert_eq!((t.last_array(arch), t.base_array()), (11, 0));
            assert_eq!(t.depth_field(), if arch.is_gcn14_or_later() { 11 } else { 1 });
            assert_eq!(t.pitch(arch), if arch.is_gcn14_or_later() { 31 } else { 32 }); // Rows: 16 + 8 + 4 + 2 + 1.
            assert_eq!((t.data_format(), t.num_format()), (2, 7));

            let t = ImageDescriptor(words(Kind::D3, [5, 6, 7], 1, 1, "b8g8r8a8_srgb", arch));
            assert_eq!((t.image_type(), t.depth_field(), t.num_format()), (Some(ImageType::D3), 6, 9));
            let t = ImageDescriptor(words(Kind::D1Array, [16384, 1, 1], 8192, 1, "r8_uint", arch));
            assert_eq!((t.image_type(), t.width(), t.pitch(arch)), (Some(ImageType::D1Array), 16384, 16384));
            assert_eq!((t.last_array(arch), t.depth_field()), (8191, 8191));

            let [w0, w1, w2, w3, rest @ ..] = words(Kind::D1Buffer, [100, 1, 1], 1, 1, "r16g16_sint", arch);
            let v = BufferDescriptor([w0, w1, w2, w3]);
            assert_eq!(
                (v.base(), v.stride(), v.data_format(), v.num_format(), rest),
                (0xab_1234_5600, 4, 5, 5, [0; 4])
            );
            assert_eq!(v.num_records(), if arch == Arch::Gcn12 { 400 } else { 100 });
        }
    }

    #[test]
    fn objects() {
        let format = Format::by_name("r32g32b32a32_sfloat").unwrap();
        let shape = Shape { kind: Kind::D2, size: [3, 2, 1], layers: 1, levels: 1, format };
        let object = image_object(&shape, &Layout::new(&shape, Arch::Gcn14), 0x1000, Arch::Gcn14).unwrap();
        assert_eq!(
            (object.len(), &object[32..]),
            (IMAGE_OBJECT, &[15, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0][..])
        );
        let block = Shape { format: Format::by_name("bc1_rgb_unorm_block").unwrap(), ..shape };
        assert_eq!(image_object(&block, &Layout::new(&block, Arch::Gcn14), 0, Arch::Gcn14), None);
        assert_eq!(sampler_object(&Sampler::default()).len(), 32);
    }
}
