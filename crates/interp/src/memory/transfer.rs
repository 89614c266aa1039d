//! What registers hold of the data of an access: whole dwords, or a byte or two, extended or in one half of a register.

use gcnsim_isa::Vgpr;

/// The data of one lane, in memory order; 16 bytes are the most that an instruction moves.
pub(super) type Bytes = [u8; 16];

/// A load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loaded {
    /// So many dwords.
    Dwords(u8),
    /// One or two bytes, zero- or sign-extended to 32 bits.
    Narrow { bytes: u8, signed: bool },
    /// The same, extended to 16 bits, into the low or the high half of a register; the other half stays.
    Half { bytes: u8, signed: bool, high: bool },
}

/// A store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    /// So many dwords.
    Dwords(u8),
    /// The low one or two bytes of a register, or of its upper half.
    Narrow { bytes: u8, high: bool },
}

pub(super) const U8: Loaded = Loaded::Narrow { bytes: 1, signed: false };
pub(super) const I8: Loaded = Loaded::Narrow { bytes: 1, signed: true };
pub(super) const U16: Loaded = Loaded::Narrow { bytes: 2, signed: false };
pub(super) const I16: Loaded = Loaded::Narrow { bytes: 2, signed: true };
pub(super) const U8_D16: Loaded = Loaded::Half { bytes: 1, signed: false, high: false };
pub(super) const U8_D16_HI: Loaded = Loaded::Half { bytes: 1, signed: false, high: true };
pub(super) const I8_D16: Loaded = Loaded::Half { bytes: 1, signed: true, high: false };
pub(super) const I8_D16_HI: Loaded = Loaded::Half { bytes: 1, signed: true, high: true };
pub(super) const U16_D16: Loaded = Loaded::Half { bytes: 2, signed: false, high: false };
pub(super) const U16_D16_HI: Loaded = Loaded::Half { bytes: 2, signed: false, high: true };
pub(super) const BYTE: Stored = Stored::Narrow { bytes: 1, high: false };
pub(super) const BYTE_D16_HI: Stored = Stored::Narrow { bytes: 1, high: true };
pub(super) const SHORT: Stored = Stored::Narrow { bytes: 2, high: false };
pub(super) const SHORT_D16_HI: Stored = Stored::Narrow { bytes: 2, high: true };

impl Loaded {
    /// Bytes in memory.
    pub fn bytes(self) -> u8 {
        match self {
            Loaded::Dwords(n) => 4 * n,
            Loaded::Narrow { bytes, .. } | Loaded::Half { bytes, .. } => bytes,
        }
    }

    /// Registers of the result.
    pub fn registers(self) -> u8 {
        if let Loaded::Dwords(n) = self { n } else { 1 }
    }

    /// Puts the data of lanes into registers from `first` on, which exist.
    pub fn write(self, vgprs: &mut [Vgpr], first: u8, results: &[(u8, Bytes)]) {
        for n in 0..self.registers() {
            let Some(Vgpr(register)) = vgprs.get_mut(first as usize + n as usize) else { return };
            for (lane, data) in results {
                let lane = &mut register[*lane as usize & 63];
                *lane = self.register(data, n, *lane);
            }
        }
    }

    /// What register `n` of the result becomes of `old`.
    pub fn register(self, data: &Bytes, n: u8, old: u32) -> u32 {
        match self {
            Loaded::Dwords(_) => dword(data, n),
            Loaded::Narrow { bytes, signed } => extended(data, bytes, signed),
            Loaded::Half { bytes, signed, high: false } => old & 0xffff_0000 | extended(data, bytes, signed) & 0xffff,
            Loaded::Half { bytes, signed, high: true } => old & 0xffff | extended(data, bytes, signed) << 16,
        }
    }
}

fn extended(data: &Bytes, bytes: u8, signed: bool) -> u32 {
    match (bytes, signed) {
        (1, false) => data[0] as u32,
        (1, true) => data[0] as i8 as u32,
        (_, false) => u16::from_le_bytes([data[0], data[1]]) as u32,
        (_, true) => i16::from_le_bytes([data[0], data[1]]) as u32,
    }
}

/// Dword `n` of the data.
pub(super) fn dword(data: &Bytes, n: u8) -> u32 {
    let at = 4 * n as usize;
    u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]])
}

/// Data of up to four dwords.
pub(super) fn of_dwords(dwords: impl IntoIterator<Item = u32>) -> Bytes {
    let mut data = [0; 16];
    for (bytes, dword) in data.chunks_exact_mut(4).zip(dwords) {
        bytes.copy_from_slice(&dword.to_le_bytes());
    }
    data
}

impl Stored {
    /// Bytes in memory.
    pub fn bytes(self) -> u8 {
        match self {
            Stored::Dwords(n) => 4 * n,
            Stored::Narrow { bytes, .. } => bytes,
        }
    }

    /// The data that a lane's registers hold.
    pub fn data(self, mut register: impl FnMut(u8) -> u32) -> Bytes {
        match self {
            Stored::Dwords(n) => of_dwords((0..n).map(register)),
            Stored::Narrow { high, .. } => of_dwords([register(0) >> if high { 16 } else { 0 }]),
        }
    }
}
