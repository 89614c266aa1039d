//! Formats of texels by Vulkan's names in lower case.
//!
//! The codes are those of docs/gcn/image-descriptors.md#data-formats. Vulkan lists the components of packed formats
//! from the top bits down, and all others in the order of memory.

/// The kind of numbers that the bits of a component are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Sfloat,
    Ufloat,
    Srgb,
}

use Number::{Sfloat, Sint, Snorm, Srgb, Sscaled, Ufloat, Uint, Unorm, Uscaled};

impl Number {
    const fn name(self) -> &'static str {
        match self {
            Unorm => "unorm",
            Snorm => "snorm",
            Uscaled => "uscaled",
            Sscaled => "sscaled",
            Uint => "uint",
            Sint => "sint",
            Sfloat => "sfloat",
            Ufloat => "ufloat",
            Srgb => "srgb",
        }
    }

    /// Returns the code of NUM_FORMAT.
    const fn code(self) -> u32 {
        match self {
            Unorm => 0,
            Snorm => 1,
            Uscaled => 2,
            Sscaled => 3,
            Uint => 4,
            Sint => 5,
            Sfloat | Ufloat => 7,
            Srgb => 9,
        }
    }
}

/// Formats whose components have the same bits at the same places.
#[derive(PartialEq, Eq, Debug)]
struct Family {
    components: &'static str,
    suffix: &'static str,
    numbers: &'static [Number],
    /// Code of DATA_FORMAT.
    data: u32,
    bytes: u32,
    /// The four DST_SEL as octal digits: X is the lowest digit, W the highest.
    select: u32,
    /// Channel order of HSA for image objects; `None` if OpenCL has no image of such components.
    order: Option<u32>,
}

const PLAIN: &[Number] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint];
const PLAIN_SRGB: &[Number] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Srgb];
const PLAIN_FLOAT: &[Number] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Sfloat];
const WHOLE: &[Number] = &[Uint, Sint, Sfloat];
const COLOUR: &[Number] = &[Unorm, Srgb];

const X: u32 = 0o1004;
const XY: u32 = 0o1054;
const XYZ: u32 = 0o1654;
const XYZW: u32 = 0o7654;
const ZYX: u32 = 0o1456;
const ZYXW: u32 = 0o7456;
const WZYX: u32 = 0o4567;
const YZWX: u32 = 0o4765;

macro_rules! families {
    ($($components:literal $suffix:literal $numbers:expr,
       $data:literal $bytes:literal $select:expr, $order:expr;)*) => {
        &[$(Family {
            components: $components,
            suffix: $suffix,
            numbers: $numbers,
            data: $data,
            bytes: $bytes,
            select: $select,
            order: $order,
        }),*]
    };
}

static FAMILIES: &[Family] = families! {
    "r8" "" PLAIN_SRGB, 1 1 X, Some(1);
    "r8g8" "" PLAIN_SRGB, 3 2 XY, Some(3);
    "r8g8b8a8" "" PLAIN_SRGB, 10 4 XYZW, Some(8);
    "b8g8r8a8" "" PLAIN_SRGB, 10 4 ZYXW, Some(9);
    "a8b8g8r8" "_pack32" PLAIN_SRGB, 10 4 XYZW, Some(8);
    "r16" "" PLAIN_FLOAT, 2 2 X, Some(1);
    "r16g16" "" PLAIN_FLOAT, 5 4 XY, Some(3);
    "r16g16b16a16" "" PLAIN_FLOAT, 12 8 XYZW, Some(8);
    "r32" "" WHOLE, 4 4 X, Some(1);
    "r32g32" "" WHOLE, 11 8 XY, Some(3);
    "r32g32b32" "" WHOLE, 13 12 XYZ, None;
    "r32g32b32a32" "" WHOLE, 14 16 XYZW, Some(8);
    "a2r10g10b10" "_pack32" PLAIN, 9 4 ZYXW, None;
    "a2b10g10r10" "_pack32" PLAIN, 9 4 XYZW, None;
    "b10g11r11" "_pack32" &[Ufloat], 6 4 XYZ, None;
    "e5b9g9r9" "_pack32" &[Ufloat], 34 4 XYZ, None;
    "r4g4" "_pack8" &[Unorm], 57 1 0o1045, None;
    "r4g4b4a4" "_pack16" &[Unorm], 19 2 WZYX, None;
    "b4g4r4a4" "_pack16" &[Unorm], 19 2 YZWX, None;
    "r5g6b5" "_pack16" &[Unorm], 16 2 ZYX, Some(6);
    "b5g6r5" "_pack16" &[Unorm], 16 2 XYZ, None;
    "r5g5b5a1" "_pack16" &[Unorm], 18 2 WZYX, None;
    "b5g5r5a1" "_pack16" &[Unorm], 18 2 YZWX, None;
    "a1r5g5b5" "_pack16" &[Unorm], 17 2 ZYXW, None;
    "d16" "" &[Unorm], 2 2 X, Some(18);
    "x8_d24" "_pack32" &[Unorm], 20 4 X, None;
    "d32" "" &[Sfloat], 4 4 X, Some(18);
    "s8" "" &[Uint], 1 1 X, None;
    "bc1_rgb" "_block" COLOUR, 35 8 XYZ, None;
    "bc1_rgba" "_block" COLOUR, 35 8 XYZW, None;
    "bc2" "_block" COLOUR, 36 16 XYZW, None;
    "bc3" "_block" COLOUR, 37 16 XYZW, None;
    "bc4" "_block" &[Unorm, Snorm], 38 8 X, None;
    "bc5" "_block" &[Unorm, Snorm], 39 16 XY, None;
    "bc6h" "_block" &[Ufloat, Sfloat], 40 16 XYZ, None;
    "bc7" "_block" COLOUR, 41 16 XYZW, None;
};

/// A format of texels.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    family: &'static Family,
    number: Number,
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        std::ptr::eq(self.family, other.family) && self.number == other.number
    }
}

impl Eq for Format {}

impl Format {
    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Format> {
        FAMILIES.iter().flat_map(|family| family.numbers.iter().map(move |&number| Format { family, number }))
    }

    /// Returns the format with this name.
    pub fn by_name(name: &str) -> Option<Format> {
        Format::all().find(|format| format.is_named(name))
    }

    fn is_named(self, name: &str) -> bool {
        let rest = name.strip_prefix(self.family.components).and_then(|rest| rest.strip_prefix('_'));
        rest.and_then(|rest| rest.strip_prefix(self.number.name())) == Some(self.family.suffix)
    }

    /// Returns the name that is most like `name`: first of all one that begins with it.
    pub fn nearest(name: &str) -> String {
        let lower = name.to_ascii_lowercase();
        let name = lower.strip_prefix("vk_format_").unwrap_or(&lower);
        let far = |known: &String| (!known.starts_with(name), strsim::damerau_levenshtein(known, name));
        let near = Format::all().map(Format::name).min_by_key(far);
        near.unwrap_or_default()
    }

    /// Returns the name of the format.
    pub fn name(self) -> String {
        format!("{}_{}{}", self.family.components, self.number.name(), self.family.suffix)
    }

    /// Returns the number of bytes of a texel, or of a block of a compressed format.
    pub const fn bytes(self) -> u32 {
        self.family.bytes
    }

    /// Returns the number of texels on a side of an element: 4 for blocks, else 1.
    pub const fn side(self) -> u32 {
        if 35 <= self.family.data && self.family.data <= 41 { 4 } else { 1 }
    }

    /// Returns the code of DATA_FORMAT.
    pub const fn data_format(self) -> u32 {
        self.family.data
    }

    /// Returns the code of NUM_FORMAT. For BC6 it says only whether numbers have signs.
    pub const fn num_format(self) -> u32 {
        match (self.family.data, self.number) {
            (40, Sfloat) => 1,
            (40, _) => 0,
            (_, number) => number.code(),
        }
    }

    /// Returns the four fields DST_SEL, 12 bits.
    pub const fn selectors(self) -> u32 {
        self.family.select
    }

    /// Whether a V# can have the format: components of 8, 16 or 32 bits, or 10, 11 and 2, and no sRGB.
    pub fn is_of_buffers(self) -> bool {
        self.family.data <= 14 && self.number != Srgb
    }

    /// Whether a linear image can have the format.
    pub const fn is_of_images(self) -> bool {
        self.family.data != 13
    }

    /// Whether the format is one of depths.
    pub fn is_depth(self) -> bool {
        self.family.order == Some(18)
    }

    /// Returns the number of bits of a component; `None` if components differ.
    fn component_bits(self) -> Option<u32> {
        Some(match self.family.data {
            1 | 3 | 10 => 8,
            2 | 5 | 12 => 16,
            4 | 11 | 14 => 32,
            _ => return None,
        })
    }

    /// Returns channel type and channel order of HSA, which image objects of kernels hold
    /// (docs/gcn/kernel-arguments.md#images-and-samplers); `None` if OpenCL has no such format.
    pub fn channel(self) -> Option<(u32, u32)> {
        let order = self.family.order?;
        if self.family.data == 16 {
            return Some((6, order));
        }
        let bits = self.component_bits()?;
        Some(match (self.number, bits) {
            (Snorm, 8) => (0, order),
            (Snorm, 16) => (1, order),
            (Unorm, 8) => (2, order),
            (Unorm, 16) => (3, order),
            (Sint, 8) => (8, order),
            (Sint, 16) => (9, order),
            (Sint, 32) => (10, order),
            (Uint, 8) => (11, order),
            (Uint, 16) => (12, order),
            (Uint, 32) => (13, order),
            (Sfloat, 16) => (14, order),
            (Sfloat, 32) => (15, order),
            (Srgb, 8) if order == 8 => (2, 14),
            (Srgb, 8) if order == 9 => (2, 15),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;
    use gcnsim_isa::image::{TexelFormat, TexelNumber};

    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let names: Vec<String> = Format::all().map(Format::name).collect();
        let unique: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        for (format, name) in Format::all().zip(&names) {
            assert_eq!(Format::by_name(name), Some(format), "{name}");
        }
        for name in ["", "r8", "r8_", "r8_unorm_", "r8g8b8_unorm", "R8_UNORM", "r5g6b5_unorm", "bc1_unorm_block"] {
            assert_eq!(Format::by_name(name), None, "{name}");
        }
        for (wrong, near) in [
            ("r8g8b8a8_unrom", "r8g8b8a8_unorm"),
            ("VK_FORMAT_R16G16_SFLOAT", "r16g16_sfloat"),
            ("r8g8b8_unorm", "r8g8_unorm"),
            ("r16g16_float", "r16g16_sfloat"),
            ("bc7_srgb", "bc7_srgb_block"),
        ] {
            let found = Format::nearest(wrong);
            assert_eq!(found, near, "{wrong}");
        }
    }

    /// The decoder of descriptors knows each format, and finds the same number of bytes for it.
    #[test]
    fn codes_are_those_of_the_tables() {
        for format in Format::all() {
            let known = TexelFormat::of_code(format.data_format() as u8).unwrap();
            assert_eq!((known.bytes(), known.side()), (format.bytes(), format.side()), "{}", format.name());
            for arch in Arch::ALL {
                assert!(TexelNumber::of_code(arch, format.num_format() as u8).is_some(), "{}", format.name());
            }
        }
    }

    /// The DST_SEL of a format find its components: `places` has the bits of R, G, B and A by the Vulkan specification,
    /// and of DATA_FORMAT's fields X, Y, Z and W by docs/gcn/image-descriptors.md#data-formats.
    #[test]
    fn selectors_find_the_bits_of_each_component() {
        for (name, red_green_blue_alpha) in [
            ("r5g6b5_unorm_pack16", [Some(11), Some(5), Some(0), None]),
            ("b5g6r5_unorm_pack16", [Some(0), Some(5), Some(11), None]),
            ("a1r5g5b5_unorm_pack16", [Some(10), Some(5), Some(0), Some(15)]),
            ("r5g5b5a1_unorm_pack16", [Some(11), Some(6), Some(1), Some(0)]),
            ("b5g5r5a1_unorm_pack16", [Some(1), Some(6), Some(11), Some(0)]),
            ("r4g4b4a4_unorm_pack16", [Some(12), Some(8), Some(4), Some(0)]),
            ("b4g4r4a4_unorm_pack16", [Some(4), Some(8), Some(12), Some(0)]),
            ("r4g4_unorm_pack8", [Some(4), Some(0), None, None]),
            ("a2r10g10b10_unorm_pack32", [Some(20), Some(10), Some(0), Some(30)]),
            ("a2b10g10r10_uint_pack32", [Some(0), Some(10), Some(20), Some(30)]),
            ("b10g11r11_ufloat_pack32", [Some(0), Some(11), Some(22), None]),
            ("b8g8r8a8_srgb", [Some(16), Some(8), Some(0), Some(24)]),
            ("r8g8_snorm", [Some(0), Some(8), None, None]),
            ("r16g16b16a16_sfloat", [Some(0), Some(16), Some(32), Some(48)]),
        ] {
            let format = Format::by_name(name).unwrap();
            let Some(TexelFormat::Plain(fields)) = TexelFormat::of_code(format.data_format() as u8) else {
                panic!("{name}")
            };
            for (i, place) in red_green_blue_alpha.into_iter().enumerate() {
                let found = match format.selectors() >> (3 * i) & 7 {
                    code @ 4..=7 => Some(fields.fields[code as usize - 4].shift as u32),
                    code => {
                        assert_eq!(code, if i == 3 { 1 } else { 0 }, "{name}: {i}");
                        None
                    }
                };
                assert_eq!(found, place, "{name}: component {i}");
            }
        }
    }
}
