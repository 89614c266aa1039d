//! What memory of a world holds before a run: data by the rule of the world, and typed data in buffers.
//!
//! A typed buffer holds elements of a type, or structures of dwords of several types. The type wins over the kind of
//! the world. The numbers are those of the world's set (docs/refer/worlds.md).

use std::ops::Range;
use std::sync::Arc;

use super::{Purpose, SCRATCH, SCRATCH_END, World, WorldKind, low};

/// The type of a dword of a typed buffer, or of the element that it is a part of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub enum Element {
    /// What the kind of the world says.
    #[default]
    Any,
    /// binary32.
    F32,
    /// binary64, at a multiple of 8 bytes of the buffer.
    F64,
    /// Two of binary16.
    F16,
    /// Four integers of 8 bits.
    I8,
    /// Two integers of 16 bits.
    I16,
    /// An integer of 32 bits.
    I32,
    /// An integer of 64 bits, at a multiple of 8 bytes of the buffer. Its high half is 0.
    I64,
    /// An integer of 32 bits that is not 0: what others have set, for those who wait for it.
    Flag,
    /// An address, at a multiple of 8 bytes of the buffer: one of [`TARGETS`] places from [`POINTED`] on. An address in
    /// such a place is that of a later one, or null, so lists come to an end.
    Pointer,
}

/// Guest address of what pointers in memory point to.
pub const POINTED: u64 = 0x3_0000_0000;
/// Number of places that pointers in memory point to. They lie [`TARGET_STEP`] bytes apart.
pub const TARGETS: u64 = 64;
/// Number of bytes between the places that pointers in memory point to.
pub const TARGET_STEP: u64 = 0x0010_0000;
/// An address in a place that pointers point to is that of one of this number of places behind it.
const NEXT: u64 = 16;

/// Where the address at an address points to. `q` is the hash of the address.
fn target(address: u64, q: u64) -> u64 {
    let place = address.checked_sub(POINTED).map(|distance| distance / TARGET_STEP).filter(|place| *place < TARGETS);
    let to = match place {
        Some(place) => place + 1 + q % NEXT,
        None => q % TARGETS,
    };
    if to < TARGETS { POINTED + to * TARGET_STEP } else { 0 }
}

/// A range of addresses with typed data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypedBuffer {
    /// Its addresses. The first one is a multiple of 8.
    pub addresses: Range<u64>,
    /// The types of the dwords of a structure; structures follow each other. One type stands for all dwords.
    pub elements: Arc<[Element]>,
}

impl TypedBuffer {
    /// The type of the dword at an address of the buffer.
    #[inline]
    fn element(&self, address: u64) -> Element {
        let dword = (address - self.addresses.start) >> 2;
        match &self.elements[..] {
            [] => Element::Any,
            [one] => *one,
            many => many[(dword % many.len() as u64) as usize],
        }
    }
}

/// What memory holds before a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The rule.
    pub world: World,
    /// Typed buffers by address. They do not overlap.
    pub buffers: Arc<[TypedBuffer]>,
    /// The dwords of scratch: what a wave finds there before it has written anything is undefined.
    pub scratch: u32,
}

impl From<World> for Contents {
    fn from(world: World) -> Contents {
        Contents { world, buffers: Arc::default(), scratch: 0 }
    }
}

impl Contents {
    /// The dword at `address`, a multiple of 4.
    pub fn dword(&self, address: u64) -> u32 {
        let address = low(address);
        match self.at(address) {
            _ if (SCRATCH..SCRATCH_END).contains(&address) => self.scratch,
            Some(buffer) => self.world.typed(buffer.element(address), address),
            None => self.world.dword(address),
        }
    }

    /// The buffer at an address.
    fn at(&self, address: u64) -> Option<&TypedBuffer> {
        let behind = self.buffers.partition_point(|buffer| buffer.addresses.start <= address);
        self.buffers.get(behind.checked_sub(1)?).filter(|buffer| buffer.addresses.contains(&address))
    }

    /// The type of all dwords in a range of addresses; `None` if there are several, or if it is scratch that is not 0.
    pub(super) fn uniform(&self, addresses: &Range<u64>) -> Option<Element> {
        if self.scratch != 0 && SCRATCH < addresses.end && addresses.start < SCRATCH_END {
            return None;
        }
        let meets =
            |buffer: &&TypedBuffer| buffer.addresses.start < addresses.end && addresses.start < buffer.addresses.end;
        let Some(buffer) = self.buffers.iter().find(meets) else { return Some(Element::Any) };
        let is_inside = buffer.addresses.start <= addresses.start && addresses.end <= buffer.addresses.end;
        match &buffer.elements[..] {
            [one] if is_inside => Some(*one),
            _ => None,
        }
    }

    /// Fills `dwords` with those of memory from `address` on, a multiple of `4 * dwords.len()`, which is a power of two
    /// and at most 64 KiB.
    pub(super) fn fill(&self, address: u64, dwords: &mut [u32]) {
        let addresses = low(address)..low(address) + 4 * dwords.len() as u64;
        match self.uniform(&addresses) {
            Some(Element::Any) => self.world.fill(address, dwords),
            Some(element) => self.world.fill_typed(element, addresses.start, dwords),
            None => dwords.iter_mut().zip(addresses.step_by(4)).for_each(|(dword, at)| *dword = self.dword(at)),
        }
    }
}

impl World {
    /// The hash of a typed datum. Worlds of different kinds have different data.
    #[inline]
    fn typed_hash(&self, of: u64) -> u64 {
        let kind = match self.kind {
            WorldKind::Float => 0,
            WorldKind::Int => 1,
            WorldKind::Mixed => 2,
        };
        self.hash(of ^ kind << 60, Purpose::Data)
    }

    /// The dword at `address`, a multiple of 4, of a buffer of elements of a type.
    pub fn typed(&self, element: Element, address: u64) -> u32 {
        let numbers = self.numbers();
        let float = |hash: u64| numbers.special(hash).unwrap_or_else(|| numbers.float(hash));
        let (of_dword, of_qword) = (|| self.typed_hash(address >> 2), || self.typed_hash(address >> 3));
        let is_high = address & 4 != 0;
        match element {
            Element::Any => self.data(self.hash(address >> 2, Purpose::Data)),
            Element::F32 => float(of_dword()),
            Element::F16 => {
                let hash = of_dword();
                [hash, hash.rotate_right(32)]
                    .map(|hash| half(float(hash)))
                    .into_iter()
                    .rev()
                    .fold(0, |all, half| all << 16 | half)
            }
            // The low half of a double of a world is 0, but for that of 2^100 and the like, where it is 0, too.
            Element::F64 if is_high => (f64::from(f32::from_bits(float(of_qword()))).to_bits() >> 32) as u32,
            Element::I8 => bytes(of_dword(), numbers.integers & 0xff),
            Element::I16 => {
                let hash = of_dword();
                let mask = numbers.integers & 0xffff;
                hash as u32 & mask | ((hash >> 32) as u32 & mask) << 16
            }
            Element::I32 => numbers.element(address >> 2, of_dword()),
            Element::I64 if !is_high => numbers.element(address >> 3, of_qword()),
            Element::Flag => numbers.integer(of_dword()).max(1),
            Element::Pointer => {
                let target = target(address, of_qword());
                if is_high { (target >> 32) as u32 } else { target as u32 }
            }
            Element::F64 | Element::I64 => 0,
        }
    }

    fn fill_typed(&self, element: Element, address: u64, dwords: &mut [u32]) {
        let numbers = *self.numbers();
        let all = dwords.iter_mut().zip((address..).step_by(4));
        match element {
            Element::F32 if !numbers.has_special_floats => {
                all.for_each(|(dword, at)| *dword = numbers.float(self.typed_hash(at >> 2)));
            }
            Element::I32 => all.for_each(|(dword, at)| *dword = numbers.element(at >> 2, self.typed_hash(at >> 2))),
            _ => all.for_each(|(dword, at)| *dword = self.typed(element, at)),
        }
    }
}

/// Four bytes of a hash, each cut to the bits of `mask`.
fn bytes(hash: u64, mask: u32) -> u32 {
    let spread = hash as u32 ^ (hash >> 32) as u32;
    spread & mask.wrapping_mul(0x0101_0101)
}

/// A float of a world as binary16.
pub fn half(bits: u32) -> u32 {
    // Values other than the special floats are 0, or normal in binary16, and need no more than its bits.
    let magnitude = match bits & 0x7fff_ffff {
        0x7f80_0001.. => 0x7e00,
        0x4780_0000.. => 0x7c00,
        ..0x3880_0000 => 0,
        magnitude => (magnitude - (112 << 23)) >> 13,
    };
    bits >> 16 & 0x8000 | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 0x1_0000_0000;

    fn contents(kind: WorldKind, variant: u32, elements: &[Element]) -> Contents {
        let buffer = TypedBuffer { addresses: BASE..BASE + 0x0100_0000, elements: Arc::from(elements) };
        Contents { buffers: Arc::from([buffer]), ..World { kind, variant }.into() }
    }

    fn first<const N: usize>(contents: &Contents) -> [u32; N] {
        std::array::from_fn(|n| contents.dword(BASE + 4 * n as u64))
    }

    /// The values were computed in Python by the rule (docs/refer/worlds.md).
    #[test]
    fn typed_data_follow_the_rule() {
        use WorldKind::{Float, Int};
        let of = |element: Element| contents(Float, 0, &[element]);
        assert_eq!(first(&of(Element::F32)), [0x3e80_0000, 0x3d80_0000, 0x3fe0_0000]);
        assert_eq!(first(&of(Element::I32)), [2, 4, 6, 10]);
        assert_eq!(first(&contents(Float, 1, &[Element::I32])), [4, 1, 3, 6]);
        assert_eq!(first(&of(Element::I64)), [2, 0, 5, 0]);
        assert_eq!(first(&of(Element::F64)), [0, 0x3fe6_0000, 0, 0x3ff0_0000]);
        assert_eq!(first(&of(Element::F16)), [0x3600_3400]);
        assert_eq!(first(&of(Element::I8)), [0x0002_0403]);
        assert_eq!(first(&of(Element::I16)), [0x0004_0007]);
        assert_eq!(first(&of(Element::Flag)), [7, 2, 3, 1]);
        assert_eq!(first(&of(Element::Pointer)), [0x0050_0000, 3]);
        assert_eq!(first(&contents(Int, 0, &[Element::I32])), [2, 5, 8, 9]);
        assert_eq!(first(&contents(Float, 6, &[Element::I32])), [6, 4, 8]);
        // Dwords of structures follow each other; data behind the buffer are the world's.
        let mixed = contents(Float, 0, &[Element::I32, Element::F32]);
        assert_eq!(first(&mixed), [2, 0x3d80_0000, 6]);
        assert_eq!(mixed.dword(0x4000_0000), mixed.world.dword(0x4000_0000));
    }

    /// A list that begins anywhere ends after at most as many places as there are.
    #[test]
    fn lists_end() {
        let buffer = TypedBuffer {
            addresses: POINTED..POINTED + TARGETS * TARGET_STEP,
            elements: Arc::from([Element::Pointer]),
        };
        let contents = Contents { buffers: Arc::from([buffer]), ..World::new(WorldKind::Mixed).into() };
        for first in 0..TARGETS {
            let mut at = POINTED + first * TARGET_STEP + 8;
            let mut count = 0;
            while at != 8 {
                let next = u64::from(contents.dword(at + 4)) << 32 | u64::from(contents.dword(at));
                assert!(next == 0 || next > at - 8 && next < POINTED + TARGETS * TARGET_STEP, "{at:x} {next:x}");
                (at, count) = (next + 8, count + 1);
            }
            assert!(count > 0 && count <= TARGETS);
        }
    }

    #[test]
    fn scratch_may_be_filled() {
        let contents = Contents { scratch: 7, ..World::new(WorldKind::Int).into() };
        let mut page = [0; 4096];
        contents.fill(SCRATCH, &mut page);
        assert_eq!((contents.dword(SCRATCH_END - 4), page), (7, [7; 4096]));
        assert_eq!(contents.dword(SCRATCH_END), contents.world.dword(SCRATCH_END));
    }

    #[test]
    fn pages_hold_what_single_dwords_are() {
        use Element::{Any, F16, F32, F64, Flag, I8, I16, I32, I64, Pointer};
        let all: [&[Element]; 12] =
            [&[Any], &[F32], &[F64], &[F16], &[I8], &[I16], &[I32], &[I64], &[Flag], &[Pointer], &[I32, F32], &[]];
        for (elements, variant) in all.into_iter().flat_map(|elements| [0, 6, 11, 128].map(|v| (elements, v))) {
            for kind in WorldKind::ALL {
                let contents = contents(kind, variant, elements);
                // The last page is the first one behind the buffer.
                for start in [BASE, BASE + 0x4000, BASE + 0x0100_0000] {
                    let mut page = [0; 4096];
                    contents.fill(start, &mut page);
                    let dwords = (0..4096).map(|n| contents.dword(start + 4 * n));
                    assert!(page.into_iter().eq(dwords), "{elements:?} {kind:?}+{variant} {start:x}");
                }
            }
        }
    }
}
