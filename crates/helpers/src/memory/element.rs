//! What untyped vector memory instructions move: bytes of a lane's element between memory and registers.

use super::atomics::Atomic;

/// The element of one lane in memory, the first byte first.
pub(super) type Element = [u8; 16];

/// What an untyped row does with the element of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Data {
    /// Memory to registers.
    Load(Load),
    /// Registers to memory.
    Store(Store),
    /// Read, change, write: what, and of how many bytes, 4 or 8.
    Atomic(Atomic, u8),
}

/// A load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Load {
    /// Bytes in memory: 1, 2, 4, 8, 12 or 16.
    pub bytes: u8,
    /// One or two bytes are sign-extended.
    pub signed: bool,
    /// The part of the register that the value goes to.
    pub part: Part,
}

/// A store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Store {
    /// Bytes in memory: 1, 2, 4, 8, 12 or 16.
    pub bytes: u8,
    /// They come from bit 16 of the register on.
    pub high: bool,
}

/// Part of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// Bits 15:0; the others stay.
    Low,
    /// Bits 31:16; the others stay.
    High,
}

impl Data {
    /// A load of so many dwords.
    pub const fn load(dwords: u8) -> Data {
        Data::Load(Load { bytes: 4 * dwords, signed: false, part: Part::Whole })
    }

    /// A load of one or two bytes, zero-extended.
    pub const fn load_unsigned(bytes: u8, part: Part) -> Data {
        Data::Load(Load { bytes, signed: false, part })
    }

    /// A load of one or two bytes, sign-extended.
    pub const fn load_signed(bytes: u8, part: Part) -> Data {
        Data::Load(Load { bytes, signed: true, part })
    }

    /// A store of so many bytes from bit 0 on.
    pub const fn store(bytes: u8) -> Data {
        Data::Store(Store { bytes, high: false })
    }

    /// A store of so many bytes from bit 16 on.
    pub const fn store_high(bytes: u8) -> Data {
        Data::Store(Store { bytes, high: true })
    }

    /// Bytes that one lane accesses.
    pub const fn bytes(self) -> u8 {
        match self {
            Data::Load(Load { bytes, .. }) | Data::Store(Store { bytes, .. }) | Data::Atomic(_, bytes) => bytes,
        }
    }
}

impl Part {
    /// A register with this part replaced by the low bits of a value.
    #[inline(always)]
    pub fn merge(self, old: u32, value: u32) -> u32 {
        match self {
            Part::Whole => value,
            Part::Low => old & 0xffff_0000 | value & 0xffff,
            Part::High => old & 0xffff | value << 16,
        }
    }
}

impl Load {
    /// Dwords of the result.
    pub const fn dwords(self) -> u8 {
        self.bytes.div_ceil(4)
    }

    /// The value that the first dword of the element stands for.
    #[inline(always)]
    pub fn extend(self, dword: u32) -> u32 {
        match (self.bytes, self.signed) {
            (1, false) => dword & 0xff,
            (1, true) => dword as u8 as i8 as u32,
            (2, false) => dword & 0xffff,
            (2, true) => dword as u16 as i16 as u32,
            _ => dword,
        }
    }
}

impl Store {
    /// Dwords of the data.
    pub const fn dwords(self) -> u8 {
        self.bytes.div_ceil(4)
    }

    /// The first dword of the element, of the first register.
    #[inline(always)]
    pub fn shift(self, value: u32) -> u32 {
        if self.high { value >> 16 } else { value }
    }
}

/// Dword `k` of an element.
#[inline(always)]
pub(super) fn dword(element: &Element, k: usize) -> u32 {
    u32::from_le_bytes([element[4 * k], element[4 * k + 1], element[4 * k + 2], element[4 * k + 3]])
}

/// Replaces dword `k` of an element.
#[inline(always)]
pub(super) fn set_dword(element: &mut Element, k: usize, value: u32) {
    element[4 * k..4 * k + 4].copy_from_slice(&value.to_le_bytes());
}
