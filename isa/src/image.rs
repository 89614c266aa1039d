//! Image descriptors (T#), sampler descriptors (S#) and the formats of texels: the meaning of their bits
//! (docs/gcn/image-descriptors.md). The engines compute addresses, convert and filter.

use crate::arch::Arch;
use crate::buffer::{DataFormat, Field, Selector};

/// An image descriptor as eight SGPRs hold it. With R128 the last four words are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageDescriptor(pub [u32; 8]);

/// The type of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageType {
    /// A row.
    D1,
    /// A plane.
    D2,
    /// A volume.
    D3,
    /// Six planes, or an array of them.
    Cube,
    /// Rows.
    D1Array,
    /// Planes.
    D2Array,
    /// A plane of several fragments.
    D2Msaa,
    /// Planes of several fragments.
    D2MsaaArray,
}

impl ImageType {
    /// Number of coordinates that have a size: 1 to 3. A slice, a face and a fragment do not count.
    pub const fn dimensions(self) -> u32 {
        match self {
            ImageType::D1 | ImageType::D1Array => 1,
            ImageType::D2 | ImageType::Cube | ImageType::D2Array | ImageType::D2Msaa | ImageType::D2MsaaArray => 2,
            ImageType::D3 => 3,
        }
    }

    /// Whether a coordinate names a layer or a face.
    pub const fn has_layers(self) -> bool {
        matches!(self, ImageType::Cube | ImageType::D1Array | ImageType::D2Array | ImageType::D2MsaaArray)
    }

    /// Whether a coordinate names a fragment.
    pub const fn has_fragments(self) -> bool {
        matches!(self, ImageType::D2Msaa | ImageType::D2MsaaArray)
    }

    /// The type that an instruction with DA accesses: there is a coordinate for the layer or the face. A volume has
    /// three coordinates whatever DA is (docs/gcn/images.md#address-registers).
    #[must_use]
    pub const fn with_layers(self) -> ImageType {
        match self {
            ImageType::D1 | ImageType::D1Array => ImageType::D1Array,
            ImageType::D2 | ImageType::D2Array => ImageType::D2Array,
            ImageType::Cube => ImageType::Cube,
            ImageType::D2Msaa | ImageType::D2MsaaArray => ImageType::D2MsaaArray,
            ImageType::D3 => ImageType::D3,
        }
    }

    /// The type that an instruction without DA accesses.
    #[must_use]
    pub const fn without_layers(self) -> ImageType {
        match self {
            ImageType::D1 | ImageType::D1Array => ImageType::D1,
            ImageType::D2 | ImageType::D2Array | ImageType::Cube => ImageType::D2,
            ImageType::D2Msaa | ImageType::D2MsaaArray => ImageType::D2Msaa,
            ImageType::D3 => ImageType::D3,
        }
    }

    /// Number of coordinates.
    pub const fn coordinates(self) -> u32 {
        self.dimensions() + self.has_layers() as u32 + self.has_fragments() as u32
    }
}

/// The bits `low..low + count` of a word.
const fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

/// How the elements of an image lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tiling {
    /// Row by row.
    Linear,
    /// In tiles of 8 by 8 elements of so many slices (before GCN 1.4).
    Micro(u8),
    /// In large tiles that are made of small ones, of so many slices (before GCN 1.4).
    Macro(u8),
    /// In blocks of so many bytes, as a power of two (from GCN 1.4 on).
    Swizzled(u8),
}

impl ImageDescriptor {
    /// The address of the first byte: 48 bits, a multiple of 256.
    pub const fn base(self) -> u64 {
        (self.0[0] as u64) << 8 | (self.0[1] as u64 & 0xff) << 40
    }

    /// The address of the first byte of the texels: BASE_ADDRESS without the low bits that say how pipes and banks are
    /// exchanged, where tiles have them (docs/gcn/image-descriptors.md#tiled-images).
    pub const fn first_byte(self, arch: Arch) -> u64 {
        let aligned = match self.tiling(arch) {
            Tiling::Macro(_) => 1 << 10,
            Tiling::Swizzled(log2) if bits(self.0[3], 20, 5) >= 16 => 1 << log2,
            _ => 1,
        };
        self.base() & !(aligned - 1)
    }

    /// The least level of detail, in 1/256, 12 bits.
    pub const fn min_lod(self) -> u32 {
        bits(self.0[1], 8, 12)
    }

    /// DATA_FORMAT, 6 bits.
    pub const fn data_format(self) -> u8 {
        bits(self.0[1], 20, 6) as u8
    }

    /// NUM_FORMAT, 4 bits.
    pub const fn num_format(self) -> u8 {
        bits(self.0[1], 26, 4) as u8
    }

    /// Width of level 0 in texels: 1..=16384.
    pub const fn width(self) -> u32 {
        bits(self.0[2], 0, 14) + 1
    }

    /// Height of level 0 in texels: 1..=16384.
    pub const fn height(self) -> u32 {
        bits(self.0[2], 14, 14) + 1
    }

    /// Selector of component `i` (0..=3).
    pub const fn selector(self, i: u32) -> Selector {
        Selector::of_code(self.0[3] >> (3 * (i & 3)))
    }

    /// BASE_LEVEL, 0..=15.
    pub const fn base_level(self) -> u32 {
        bits(self.0[3], 12, 4)
    }

    /// LAST_LEVEL, 0..=15. Of an image of several fragments it is the logarithm of their number.
    pub const fn last_level(self) -> u32 {
        bits(self.0[3], 16, 4)
    }

    /// How elements lie in memory: by TILING_INDEX, from GCN 1.4 on by SW_MODE
    /// (docs/gcn/image-descriptors.md#tiled-images).
    pub const fn tiling(self, arch: Arch) -> Tiling {
        match (bits(self.0[3], 20, 5), arch) {
            (0, _) if arch.is_gcn14_or_later() => Tiling::Linear,
            (mode, _) if arch.is_gcn14_or_later() => Tiling::Swizzled(match mode {
                0..=3 => 8,
                4..=7 | 20..=23 => 12,
                _ => 16,
            }),
            (8, _) => Tiling::Linear,
            (9 | 13, _) | (4 | 29, Arch::Gcn10) => Tiling::Micro(1),
            (18, _) => Tiling::Micro(4),
            (20, _) => Tiling::Macro(4),
            (19, Arch::Gcn10) => Tiling::Macro(8),
            (_, Arch::Gcn10) => Tiling::Macro(1),
            (5 | 27, _) => Tiling::Micro(1),
            (19, _) => Tiling::Micro(4),
            (21 | 24, _) => Tiling::Macro(4),
            (25 | 26, _) => Tiling::Macro(8),
            _ => Tiling::Macro(1),
        }
    }

    /// Whether rows of elements lie one behind the other.
    pub const fn is_linear(self, arch: Arch) -> bool {
        matches!(self.tiling(arch), Tiling::Linear)
    }

    /// POW2_PAD: rows, layers and slices of levels are rounded up to powers of two (before GCN 1.4).
    pub const fn pads_to_power_of_two(self, arch: Arch) -> bool {
        !arch.is_gcn14_or_later() && bits(self.0[3], 25, 1) == 1
    }

    /// The type; `None` for the codes of buffers (0 to 7).
    pub const fn image_type(self) -> Option<ImageType> {
        Some(match bits(self.0[3], 28, 4) {
            8 => ImageType::D1,
            9 => ImageType::D2,
            10 => ImageType::D3,
            11 => ImageType::Cube,
            12 => ImageType::D1Array,
            13 => ImageType::D2Array,
            14 => ImageType::D2Msaa,
            15 => ImageType::D2MsaaArray,
            _ => return None,
        })
    }

    /// The DEPTH field, 13 bits: of a volume its depth - 1, of cubes their number - 1 (before GCN 1.4), else the last
    /// layer.
    pub const fn depth_field(self) -> u32 {
        bits(self.0[4], 0, 13)
    }

    /// PITCH in texels: 14 bits and 1, 16 bits and 1 from GCN 1.4 on.
    pub const fn pitch(self, arch: Arch) -> u32 {
        1 + if arch.is_gcn14_or_later() { bits(self.0[4], 13, 16) } else { bits(self.0[4], 13, 14) }
    }

    /// BASE_ARRAY, 13 bits.
    pub const fn base_array(self) -> u32 {
        bits(self.0[5], 0, 13)
    }

    /// The last layer, 13 bits: LAST_ARRAY, or DEPTH from GCN 1.4 on.
    pub const fn last_array(self, arch: Arch) -> u32 {
        if arch.is_gcn14_or_later() { self.depth_field() } else { bits(self.0[5], 13, 13) }
    }

    /// MAX_MIP, 0..=15: the last level of the whole resource (from GCN 1.4 on); before, 0.
    pub const fn max_level(self, arch: Arch) -> u32 {
        if arch.is_gcn14_or_later() { bits(self.0[5], 28, 4) } else { 0 }
    }

    /// COMPRESSION_EN (from GCN 1.2 on).
    pub const fn is_compressed(self, arch: Arch) -> bool {
        arch.is_gcn12_or_later() && bits(self.0[6], 21, 1) == 1
    }

    /// Whether all bits are 0, as in the usual descriptor of no image.
    pub fn is_null(self) -> bool {
        self.0 == [0; 8]
    }
}

/// A sampler descriptor as four SGPRs hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplerDescriptor(pub [u32; 4]);

/// The interpolation within a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The nearest texel.
    Point,
    /// Between the nearest texels.
    Linear,
}

/// MIP_FILTER or Z_FILTER.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThirdFilter {
    /// No filter. The reserved code 3 counts as this.
    None,
    /// The nearest.
    Point,
    /// Between two.
    Linear,
}

/// FILTER_MODE: what becomes of the texels of a footprint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilterMode {
    /// Texels are blended. The reserved code 3 counts as this.
    Blend,
    /// The least of each component.
    Min,
    /// The greatest of each component.
    Max,
}

/// BORDER_COLOR_TYPE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BorderColor {
    /// (0, 0, 0, 0).
    TransparentBlack,
    /// (0, 0, 0, 1).
    OpaqueBlack,
    /// (1, 1, 1, 1).
    OpaqueWhite,
    /// An entry of a table whose address is in a register.
    Table,
}

impl SamplerDescriptor {
    /// CLAMP_X, CLAMP_Y or CLAMP_Z, 3 bits, for `axis` 0, 1 or 2.
    pub const fn clamp(self, axis: u32) -> u32 {
        bits(self.0[0], 3 * axis, 3)
    }

    /// DEPTH_COMPARE_FUNC, 3 bits: 0 never, 1 <, 2 =, 3 <=, 4 >, 5 !=, 6 >=, 7 always.
    pub const fn compare(self) -> u32 {
        bits(self.0[0], 12, 3)
    }

    /// MAX_ANISO_RATIO, as a logarithm: 0..=7.
    pub const fn max_aniso(self) -> u32 {
        bits(self.0[0], 9, 3)
    }

    /// FORCE_UNNORMALIZED: coordinates are in texels.
    pub const fn forces_unnormalized(self) -> bool {
        bits(self.0[0], 15, 1) == 1
    }

    /// TRUNC_COORD: coordinates of a point filter are cut, not rounded.
    pub const fn truncates(self) -> bool {
        bits(self.0[0], 27, 1) == 1
    }

    /// DISABLE_CUBE_WRAP: footprints stay on a face.
    pub const fn keeps_to_faces(self) -> bool {
        bits(self.0[0], 28, 1) == 1
    }

    /// FILTER_MODE.
    pub const fn filter_mode(self) -> FilterMode {
        match bits(self.0[0], 29, 2) {
            1 => FilterMode::Min,
            2 => FilterMode::Max,
            _ => FilterMode::Blend,
        }
    }

    /// MIN_LOD, in 1/256, 12 bits.
    pub const fn min_lod(self) -> u32 {
        bits(self.0[1], 0, 12)
    }

    /// MAX_LOD, in 1/256, 12 bits.
    pub const fn max_lod(self) -> u32 {
        bits(self.0[1], 12, 12)
    }

    /// LOD_BIAS, in 1/256: -8192..=8191.
    pub const fn lod_bias(self) -> i32 {
        (self.0[2] << 18) as i32 >> 18
    }

    /// XY_MAG_FILTER, without its anisotropy.
    pub const fn mag_filter(self) -> Filter {
        if bits(self.0[2], 20, 1) == 1 { Filter::Linear } else { Filter::Point }
    }

    /// XY_MIN_FILTER, without its anisotropy.
    pub const fn min_filter(self) -> Filter {
        if bits(self.0[2], 22, 1) == 1 { Filter::Linear } else { Filter::Point }
    }

    /// Whether XY_MAG_FILTER or XY_MIN_FILTER is anisotropic.
    pub const fn is_anisotropic(self) -> bool {
        self.max_aniso() > 0 && (bits(self.0[2], 21, 1) == 1 || bits(self.0[2], 23, 1) == 1)
    }

    /// Z_FILTER.
    pub const fn z_filter(self) -> ThirdFilter {
        ThirdFilter::of_code(bits(self.0[2], 24, 2))
    }

    /// MIP_FILTER.
    pub const fn mip_filter(self) -> ThirdFilter {
        ThirdFilter::of_code(bits(self.0[2], 26, 2))
    }

    /// BORDER_COLOR_TYPE.
    pub const fn border(self) -> BorderColor {
        match bits(self.0[3], 30, 2) {
            0 => BorderColor::TransparentBlack,
            1 => BorderColor::OpaqueBlack,
            2 => BorderColor::OpaqueWhite,
            _ => BorderColor::Table,
        }
    }
}

impl ThirdFilter {
    const fn of_code(code: u32) -> ThirdFilter {
        match code {
            1 => ThirdFilter::Point,
            2 => ThirdFilter::Linear,
            _ => ThirdFilter::None,
        }
    }
}

/// The bits of a texel, by DATA_FORMAT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TexelFormat {
    /// Components side by side, as in buffers.
    Plain(DataFormat),
    /// 5_9_9_9: three mantissas of nine bits and a shared exponent.
    SharedExponent,
    /// BC1 to BC7: blocks of 4 x 4 texels. The number is 1..=7.
    Block(u8),
}

/// A format of this many bytes, with components of a lowest bit and a number of bits.
macro_rules! plain {
    ($bytes:literal, $(($shift:literal, $bits:literal)),*) => {{
        const FIELDS: &[Field] = &[$(Field { shift: $shift, bits: $bits }),*];
        Some(TexelFormat::Plain(DataFormat { bytes: $bytes, fields: FIELDS }))
    }};
}

impl TexelFormat {
    /// The format with a code, 0..=63. `None` for those that are invalid, reserved, or not described here: 4:2:2 (32,
    /// 33), FMASK (44 to 56), single bits and S8_16, S8_32 (59, 60).
    pub const fn of_code(code: u8) -> Option<TexelFormat> {
        match code {
            1..=14 => match DataFormat::of_code(code) {
                Some(format) => Some(TexelFormat::Plain(format)),
                None => None,
            },
            16 => plain!(2, (0, 5), (5, 6), (11, 5)),
            17 => plain!(2, (0, 5), (5, 5), (10, 5), (15, 1)),
            18 => plain!(2, (0, 1), (1, 5), (6, 5), (11, 5)),
            19 => plain!(2, (0, 4), (4, 4), (8, 4), (12, 4)),
            20 => plain!(4, (0, 24), (24, 8)),
            21 => plain!(4, (0, 8), (8, 24)),
            22 => plain!(8, (0, 32), (32, 8)),
            34 => Some(TexelFormat::SharedExponent),
            35..=41 => Some(TexelFormat::Block(code - 34)),
            57 => plain!(1, (0, 4), (4, 4)),
            58 => plain!(2, (0, 5), (5, 5), (10, 6)),
            _ => None,
        }
    }

    /// Size in bytes of a texel, or of a block.
    pub const fn bytes(self) -> u32 {
        match self {
            TexelFormat::Plain(format) => format.bytes as u32,
            TexelFormat::SharedExponent => 4,
            TexelFormat::Block(1 | 4) => 8,
            TexelFormat::Block(_) => 16,
        }
    }

    /// Texels of a side of an element: 4 for blocks, else 1.
    pub const fn side(self) -> u32 {
        if let TexelFormat::Block(_) = self { 4 } else { 1 }
    }
}

/// NUM_FORMAT of an image: how the bits of a component are a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TexelNumber {
    /// A number format of buffers.
    Plain(crate::buffer::NumFormat),
    /// X, Y and Z are encoded by the curve of sRGB, W is UNORM.
    Srgb,
}

impl TexelNumber {
    /// The format with a code, 0..=15. `None` if the code is reserved on the generation, or rare (10 to 13).
    pub const fn of_code(arch: Arch, code: u8) -> Option<TexelNumber> {
        match code {
            9 => Some(TexelNumber::Srgb),
            0..=7 => match crate::buffer::NumFormat::of_code(arch, code) {
                Some(format) => Some(TexelNumber::Plain(format)),
                None => None,
            },
            _ => None,
        }
    }

    /// Whether results are integers. All others are floats.
    pub const fn is_integer(self) -> bool {
        match self {
            TexelNumber::Plain(format) => format.is_integer(),
            TexelNumber::Srgb => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A T# of gfx900 for 64 x 32 texels of 8_8_8_8 unorm, linear: the words by docs/gcn/image-descriptors.md#t.
    #[test]
    fn a_plane() {
        let words = [0x1234_5678, 0x00a0_00ab, 63 | 31 << 14, 0x9000_0fac, 63 << 13, 0, 0, 0];
        let t = ImageDescriptor(words);
        assert_eq!(t.base(), 0xab12_3456_7800);
        assert_eq!((t.data_format(), t.num_format(), t.width(), t.height()), (10, 0, 64, 32));
        assert_eq!((t.image_type(), t.pitch(Arch::Gcn14), t.last_level()), (Some(ImageType::D2), 64, 0));
        assert_eq!([0, 1, 2, 3].map(|i| t.selector(i)), [0, 1, 2, 3].map(Selector::Component));
        assert_eq!([Arch::Gcn12, Arch::Gcn14].map(|arch| t.is_linear(arch)), [false, true]);
        assert!(!t.is_compressed(Arch::Gcn14) && !t.is_null() && ImageDescriptor([0; 8]).is_null());
        assert_eq!(ImageDescriptor([0; 8]).image_type(), None);
    }

    #[test]
    fn every_field_of_an_image_by_itself() {
        let with = |word: usize, bits: u32| {
            let mut words = [0; 8];
            words[word] = bits;
            ImageDescriptor(words)
        };
        assert_eq!((with(1, 0xfff00).min_lod(), with(1, !0xfff00).min_lod()), (0xfff, 0));
        assert_eq!((with(1, 0x3f << 20).data_format(), with(1, 15 << 26).num_format()), (63, 15));
        assert_eq!((with(2, 0x3fff).width(), with(2, 0x3fff << 14).height()), (0x4000, 0x4000));
        assert_eq!((with(3, 15 << 12).base_level(), with(3, 15 << 16).last_level()), (15, 15));
        assert!(with(3, 1 << 25).pads_to_power_of_two(Arch::Gcn11));
        assert!(!with(3, 1 << 25).pads_to_power_of_two(Arch::Gcn14));
        assert_eq!([Arch::Gcn12, Arch::Gcn14].map(|arch| with(4, !0).pitch(arch)), [0x4000, 0x1_0000]);
        assert_eq!([Arch::Gcn12, Arch::Gcn14].map(|arch| with(5, !0).last_array(arch)), [0x1fff, 0]);
        assert_eq!((with(5, 0x1fff).base_array(), with(4, 0x1fff).depth_field()), (0x1fff, 0x1fff));
        assert_eq!([Arch::Gcn12, Arch::Gcn14].map(|arch| with(5, 0xa000_0000).max_level(arch)), [0, 10]);
        assert_eq!([Arch::Gcn11, Arch::Gcn12].map(|arch| with(6, 1 << 21).is_compressed(arch)), [false, true]);
    }

    #[test]
    fn every_field_of_a_sampler_by_itself() {
        let with = |word: usize, bits: u32| {
            let mut words = [0; 4];
            words[word] = bits;
            SamplerDescriptor(words)
        };
        assert_eq!([0, 1, 2].map(|axis| with(0, 0o321).clamp(axis)), [1, 2, 3]);
        assert_eq!((with(0, 7 << 12).compare(), with(0, 7 << 9).max_aniso()), (7, 7));
        assert!(with(0, 1 << 15).forces_unnormalized() && with(0, 1 << 27).truncates());
        assert!(with(0, 1 << 28).keeps_to_faces() && with(0, 2 << 29).filter_mode() == FilterMode::Max);
        assert_eq!((with(1, 0xabc).min_lod(), with(1, 0xabc << 12).max_lod()), (0xabc, 0xabc));
        assert_eq!(
            (with(2, 0x3fff).lod_bias(), with(2, 0x2000).lod_bias(), with(2, 0x100).lod_bias()),
            (-1, -8192, 256)
        );
        assert_eq!((with(2, 3 << 20).mag_filter(), with(2, 2 << 20).min_filter()), (Filter::Linear, Filter::Point));
        assert_eq!((with(2, 1 << 22).min_filter(), with(2, 2 << 24).z_filter()), (Filter::Linear, ThirdFilter::Linear));
        assert_eq!(
            (with(2, 1 << 26).mip_filter(), with(3, 3 << 30).border()),
            (ThirdFilter::Point, BorderColor::Table)
        );
    }

    #[test]
    fn components_fill_their_texel() {
        for code in 0..64 {
            let Some(TexelFormat::Plain(format)) = TexelFormat::of_code(code) else { continue };
            let sum: u32 = format.fields.iter().map(|field| field.bits as u32).sum();
            let is_whole = sum == 8 * format.bytes as u32;
            assert!(is_whole || code == 22, "format {code}");
        }
        assert_eq!([0, 15, 32, 45, 59, 63].map(TexelFormat::of_code), [None; 6]);
        assert_eq!(
            [35, 36, 38, 41].map(|code| TexelFormat::of_code(code).map(TexelFormat::bytes)),
            [8, 16, 8, 16].map(Some)
        );
    }
}
