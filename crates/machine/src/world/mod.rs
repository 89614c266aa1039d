//! Worlds: the made-up inputs of the synthetic environment (docs/use/corpora.md).
//!
//! A [`World`] is a rule that gives every dword of guest memory, every attribute and every texel a value. Memory that
//! has such values is made page by page where it is first touched (`memory`). The rule does not depend on the engine,
//! the generation, or the order in which something is touched. Its [version](World::VERSION) changes when a value
//! changes.

mod contents;
mod context;
mod image;
mod memory;
mod pieces;
mod stores;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use contents::{Contents, Element, POINTED, TARGET_STEP, TARGETS, TypedBuffer, half};
pub use image::{image_key, level_key};
pub use memory::{Descriptors, Final, ImageDword, Inputs, PAGE, PageStock};
pub(crate) use memory::{WorldImages, WorldMemory};
pub use pieces::WorldPiece;
pub use stores::{Stored, Stores};

/// Guest address of the code of synthetic runs.
pub const CODE: u64 = 0x7000_0000_0000;
/// Guest address of the first table: user SGPR n, if it is a pointer, is `TABLES + n * TABLE_STEP`.
pub const TABLES: u64 = 0x1000_0000;
/// Number of bytes between the tables of two user SGPRs.
pub const TABLE_STEP: u64 = 0x0010_0000;
/// Guest address of the table of rings, which s\[0:1\] of graphics shaders point at.
pub const RINGS: u64 = 0x2000_0000;
/// Guest address of scratch. Its bytes are zeros at first, and no observation. No float of data leads there if it is
/// taken as the low half of a pointer.
pub const SCRATCH: u64 = 0x0800_0000;
/// The first address behind scratch.
pub const SCRATCH_END: u64 = 0x1000_0000;

/// What dwords of data are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum WorldKind {
    /// Multiples of 1/16 from 0.0625 to 1.9375, as binary32.
    Float,
    /// Integers from 0 to 7.
    Int,
    /// Half of the dwords are floats, half are integers.
    Mixed,
}

impl WorldKind {
    /// All kinds.
    pub const ALL: [WorldKind; 3] = [WorldKind::Float, WorldKind::Int, WorldKind::Mixed];

    /// Name on the command line: `float`, `int`, `mixed`.
    pub const fn name(self) -> &'static str {
        match self {
            WorldKind::Float => "float",
            WorldKind::Int => "int",
            WorldKind::Mixed => "mixed",
        }
    }

    /// The kind with a name.
    pub fn of_name(name: &str) -> Option<WorldKind> {
        WorldKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Purposes of hashes. Each has values of its own.
#[derive(Clone, Copy)]
enum Purpose {
    Table = 1,
    Data = 2,
    Attribute = 3,
    Texel = 4,
    Scalar = 5,
    Image = 6,
    Level = 7,
}

/// A rule for values that inputs of shaders have.
///
/// Addresses are cut to 47 bits: the window of 32-bit pointers at 0xffff8000_00000000 shows the low 4 GiB, so that the
/// generations agree.
///
/// | address | dwords |
/// |---|---|
/// | [`TABLES`] to [`RINGS`] | descriptors of buffers: four dwords for each multiple of 16 |
/// | [`SCRATCH`] to [`SCRATCH_END`] | 0 |
/// | all others | data: floats, integers, or both |
///
/// ```
/// use gcnsim_machine::world::{World, WorldKind};
/// let world = World::new(WorldKind::Float);
/// let value = f32::from_bits(world.dword(0x4000_0000));
/// assert!((0.0625..=1.9375).contains(&value));
/// assert_eq!(world.dword(0xffff_8000_4000_0000), value.to_bits());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct World {
    /// What dwords of data are.
    pub kind: WorldKind,
    /// Number of a set of values. Sets differ in data, attributes, texels and scalar inputs; from 4 on, also in what
    /// numbers there are (docs/refer/worlds.md). 0 is the default.
    pub variant: u32,
}

/// The numbers of a set of values: multiples of a power of two. `h` is a hash.
#[derive(Clone, Copy)]
struct Numbers {
    /// Floats are `(h % 31 + first_float) * float_step`.
    first_float: i32,
    float_step: f32,
    /// P0 is `(h % 31 + first_p0) * p0_step`.
    first_p0: i32,
    p0_step: f32,
    /// P10 and P20 are `(h % 31 - 15) * slope_step`.
    slope_step: f32,
    /// Integers are the bits of `h` in this mask. As floats, of 32 bits or 16, all of them are numbers.
    integers: u32,
    /// Whether integers of buffers of integers ascend in groups of eight, as row pointers do.
    ascends: bool,
    /// Whether one float in eight, of data and P0, is one of [`SPECIAL_FLOATS`].
    has_special_floats: bool,
}

/// Floats that are no usual numbers: NaN, both infinities, 2^100, -2^100, 2^-100, the least denormal, -0.
const SPECIAL_FLOATS: [u32; 8] =
    [0x7fc0_0000, 0x7f80_0000, 0xff80_0000, 0x7180_0000, 0xf180_0000, 0x0d80_0000, 1, 0x8000_0000];

/// The first set of values with special floats.
const FIRST_SPECIAL: u32 = 128;

/// Floats below 2, above 0.
const PLAIN: Numbers = Numbers {
    first_float: 1,
    float_step: 1.0 / 16.0,
    first_p0: 1,
    p0_step: 1.0 / 16.0,
    slope_step: 1.0 / 16.0,
    integers: 7,
    ascends: false,
    has_special_floats: false,
};

/// The same with integers of buffers that ascend.
const ROWS: Numbers = Numbers { ascends: true, ..PLAIN };

/// Colours and weights: floats between 0 and 1, interpolated attributes too.
const BELOW_ONE: Numbers =
    Numbers { float_step: 1.0 / 32.0, first_p0: 17, p0_step: 1.0 / 64.0, slope_step: 1.0 / 64.0, ..PLAIN };

/// The same with integers of one bit: truth values, cells, letters of a short alphabet.
const BITS: Numbers = Numbers { integers: 1, ..BELOW_ONE };

/// The first set of values with integers of one bit.
const FIRST_BITS: u32 = 8;

/// Coordinates: floats of both signs, between -1 and 1, interpolated attributes too.
const SIGNED: Numbers = Numbers {
    first_float: -15,
    float_step: 1.0 / 16.0,
    first_p0: -15,
    p0_step: 1.0 / 32.0,
    slope_step: 1.0 / 32.0,
    integers: 15,
    ..PLAIN
};

/// Numbers of which some are large.
const WIDE: Numbers =
    Numbers { first_float: -7, float_step: 0.5, first_p0: -7, p0_step: 0.5, slope_step: 0.5, integers: 255, ..PLAIN };

/// The same with floats that are no usual numbers.
const SPECIAL: Numbers = Numbers { has_special_floats: true, ..WIDE };

/// Floats near 0, of both signs, and integers of both signs, most of whose bits are random, so that their bytes are
/// numbers, too.
const EXTREME: Numbers = Numbers {
    first_float: -15,
    float_step: 1.0 / 1024.0,
    first_p0: -15,
    p0_step: 1.0 / 2048.0,
    slope_step: 1.0 / 2048.0,
    integers: 0x807f_fbff,
    ..PLAIN
};

impl Numbers {
    #[inline]
    fn float(&self, hash: u64) -> u32 {
        number(hash, self.first_float, self.float_step)
    }

    /// The special float that a hash stands for, if it stands for one.
    #[inline]
    fn special(&self, hash: u64) -> Option<u32> {
        let is_special = self.has_special_floats && hash >> 32 & 7 == 0;
        is_special.then(|| SPECIAL_FLOATS[(hash >> 35 & 7) as usize])
    }

    #[inline]
    fn integer(&self, hash: u64) -> u32 {
        hash as u32 & self.integers
    }

    /// Integer `index` of a buffer of integers.
    #[inline]
    fn element(&self, index: u64, hash: u64) -> u32 {
        if self.ascends { 3 * (index as u32 % 8) + hash as u32 % 3 } else { self.integer(hash) }
    }
}

impl World {
    /// Version of the values. Results of different versions must not be compared.
    pub const VERSION: u32 = 2;

    /// The world of a kind, with the default values.
    pub const fn new(kind: WorldKind) -> World {
        World { kind, variant: 0 }
    }

    /// The world with a name on the command line: `float`, or `float+4` for another set of values.
    pub fn of_name(name: &str) -> Option<World> {
        let (kind, variant) = name.split_once('+').unwrap_or((name, "0"));
        let is_plain = variant.bytes().all(|byte| byte.is_ascii_digit());
        let variant = variant.parse().ok().filter(|_| is_plain)?;
        Some(World { kind: WorldKind::of_name(kind)?, variant })
    }

    /// Name in results, without the version: `synthetic-float`, `synthetic-float+1`.
    pub fn name(&self) -> Cow<'static, str> {
        let name = match self.kind {
            WorldKind::Float => "synthetic-float",
            WorldKind::Int => "synthetic-int",
            WorldKind::Mixed => "synthetic-mixed",
        };
        if self.variant == 0 { name.into() } else { format!("{name}+{}", self.variant).into() }
    }

    /// Name with the version: `synthetic-float.2`.
    pub fn version_name(&self) -> String {
        format!("{}.{}", self.name(), World::VERSION)
    }

    #[inline]
    fn hash(&self, of: u64, purpose: Purpose) -> u64 {
        hash64(of, purpose as u64 + 16 * u64::from(self.variant))
    }

    /// The dword of memory at `address`, a multiple of 4.
    pub fn dword(&self, address: u64) -> u32 {
        let address = low(address);
        match address {
            TABLES..RINGS => table(address),
            SCRATCH..SCRATCH_END => 0,
            _ => self.data(self.hash(address >> 2, Purpose::Data)),
        }
    }

    /// Fills `dwords` with those of memory from `address` on, a multiple of `4 * dwords.len()`, which is a power of two
    /// and at most 64 KiB.
    pub(crate) fn fill(&self, address: u64, dwords: &mut [u32]) {
        let address = low(address);
        let all = dwords.iter_mut().zip((address..).step_by(4));
        match (address, self.kind) {
            (TABLES..RINGS, _) => all.for_each(|(dword, at)| *dword = table(at)),
            (SCRATCH..SCRATCH_END, _) => all.for_each(|(dword, _)| *dword = 0),
            (_, WorldKind::Float) if !self.numbers().has_special_floats => {
                let numbers = *self.numbers();
                all.for_each(|(dword, at)| *dword = numbers.float(self.hash(at >> 2, Purpose::Data)));
            }
            _ => all.for_each(|(dword, at)| *dword = self.data(self.hash(at >> 2, Purpose::Data))),
        }
    }

    /// The numbers of the set of values.
    #[inline]
    fn numbers(&self) -> &'static Numbers {
        match (self.is_detailed(), self.variant / 2 % 4) {
            _ if self.variant == 0 => &ROWS,
            (false, _) => &PLAIN,
            (true, 2) if self.variant >= FIRST_BITS => &BITS,
            (true, 2) => &BELOW_ONE,
            (true, 3) => &SIGNED,
            (true, 0) if self.variant >= FIRST_SPECIAL => &SPECIAL,
            (true, 0) => &WIDE,
            (true, _) => &EXTREME,
        }
    }

    /// Whether more counts than in the sets 0 to 3: texels, flat attributes and scalar inputs are what data are, rows
    /// of images go on in the next row, and what a lookup has beside coordinates shows in its result.
    #[inline]
    pub fn is_detailed(&self) -> bool {
        self.variant >= 4
    }

    /// Whether the texels behind the key of a level are integers.
    #[inline]
    pub fn has_integers(&self, key: u64) -> bool {
        self.is_detailed() && self.is_integer(key)
    }

    /// The value that a hash stands for.
    fn data(&self, hash: u64) -> u32 {
        let numbers = self.numbers();
        match self.is_integer(hash) {
            true => numbers.integer(hash),
            false => numbers.special(hash).unwrap_or_else(|| numbers.float(hash)),
        }
    }

    /// Whether the hash of a value makes it an integer.
    #[inline]
    fn is_integer(&self, hash: u64) -> bool {
        match self.kind {
            WorldKind::Float => false,
            WorldKind::Int => true,
            WorldKind::Mixed => hash >> 63 == 1,
        }
    }

    fn attribute_hash(&self, attribute: u32, channel: u32, part: u64) -> u64 {
        self.hash(u64::from(attribute) << 8 | u64::from(channel) << 4 | part, Purpose::Attribute)
    }

    /// P0, P10 and P20 of channel `channel` of attribute `attribute`, as bits of binary32. In the sets 0 to 3, P0 is
    /// one of the floats that data have, and the others are multiples of 1/16 from -0.9375 to 0.9375.
    pub fn attribute(&self, attribute: u32, channel: u32) -> [u32; 3] {
        let of = |part: u64| self.attribute_hash(attribute, channel, part);
        let numbers = self.numbers();
        let slope = |hash: u64| number(hash, -15, numbers.slope_step);
        let p0 = numbers.special(of(0)).unwrap_or_else(|| number(of(0), numbers.first_p0, numbers.p0_step));
        [p0, slope(of(1)), slope(of(2))]
    }

    /// P0, P10 and P20 as an instruction gets them that does not interpolate: P0 may be an integer.
    pub fn flat_attribute(&self, attribute: u32, channel: u32) -> [u32; 3] {
        let [p0, p10, p20] = self.attribute(attribute, channel);
        let hash = self.attribute_hash(attribute, channel, 0);
        let is_integer = self.is_detailed() && self.is_integer(hash);
        [if is_integer { self.numbers().integer(hash) } else { p0 }, p10, p20]
    }

    /// The same values as binary16.
    pub fn attribute_f16(&self, attribute: u32, channel: u32) -> [u32; 3] {
        self.attribute(attribute, channel).map(contents::half)
    }

    /// The value of dword `number` of LDS, if a pixel shader has its attributes there: those of one primitive.
    pub fn parameter(&self, number: u32) -> u32 {
        let (attribute, dword) = (number / 12, number % 12);
        match dword {
            0..8 => self.attribute(attribute, dword / 2)[dword as usize % 2],
            _ => self.attribute(attribute, dword - 8)[2],
        }
    }

    /// The dword of an image at `at` = ((z * 64 + y) * 64 + x) * 4 + channel, with x and y below 64 and z below 8.
    /// `key` stands for the image. In the sets 0 to 3 it is one of the floats that data have; in others, all dwords of
    /// an image are integers if bit 63 of the key would make data integers.
    #[inline]
    pub fn texel(&self, key: u64, at: u32) -> u32 {
        let hash = self.hash(key ^ u64::from(at).wrapping_mul(0xd6e8_feb8_6659_fd93), Purpose::Texel);
        let numbers = self.numbers();
        match self.has_integers(key) {
            true => numbers.integer(hash),
            false => computed_number(hash, numbers.first_float, numbers.float_step),
        }
    }

    /// Scalar input `number`: in the sets 0 to 3 a small integer, in others as data are.
    pub fn scalar(&self, number: u32) -> u32 {
        let hash = self.hash(u64::from(number), Purpose::Scalar);
        if self.is_detailed() { self.data(hash) } else { PLAIN.integer(hash) }
    }
}

/// The bits of an address that a world does not ignore.
pub const ADDRESS_BITS: u64 = 0x7fff_ffff_ffff;

/// An address without the bits that a world ignores.
pub(crate) const fn low(address: u64) -> u64 {
    address & ADDRESS_BITS
}

/// A dword of the tables: a part of the descriptor of a buffer (stride 256, 2^20 records, four floats).
fn table(address: u64) -> u32 {
    match address >> 2 & 3 {
        0 => 0x4000_0000 + (hash64(address >> 4, Purpose::Table as u64) as u32 & 0x7f) * 0x0100_0000,
        1 => 0x0100_0000,
        2 => 0x0010_0000,
        _ => 0x0007_7fac,
    }
}

/// One of 31 multiples of `step`, from `first * step` on, for a hash.
#[inline]
fn number(hash: u64, first: i32, step: f32) -> u32 {
    (((hash % 31) as i32 + first) as f32 * step).to_bits()
}

/// What [`number`] gives, in operations of 32 bits: vectors of the host's processor have these.
#[inline]
fn computed_number(hash: u64, first: i32, step: f32) -> u32 {
    // 2^30 is 1 modulo 31.
    let folded = (hash & 0x3fff_ffff) as u32 + (hash >> 30 & 0x3fff_ffff) as u32 + (hash >> 60) as u32;
    (((folded % 31) as i32 + first) as f32 * step).to_bits()
}

/// The hash of a number, for a seed.
#[inline]
pub fn hash64(of: u64, seed: u64) -> u64 {
    let mut z = of.wrapping_add(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z ^= z >> 30;
    z = z.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^= z >> 27;
    z = z.wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
