//! What registers hold of the data of an access: whole dwords, or a byte or two, extended or in one half of a register.

use gcnsim_isa::Vgpr;
use gcnsim_isa::table::{Load, Part, Store};
use gcnsim_machine::Elements;

/// The data of one lane, in memory order; 16 bytes are the most that an instruction moves.
pub(crate) type Bytes = [u8; 16];

/// A load, as it fills registers.
pub(crate) trait Loads {
    /// Puts the data of lanes into registers from `first` on, which exist.
    fn write(self, vgprs: &mut [Vgpr], first: u8, results: &[(u8, Bytes)]);

    /// Puts the data of the lanes of a mask into registers from `first` on, which exist.
    fn write_all(self, vgprs: &mut [Vgpr], first: u8, mask: u64, elements: &Elements);

    /// The value of register `n` of the result, given its `old` value.
    fn register(self, data: &Bytes, n: u8, old: u32) -> u32;
}

impl Loads for Load {
    fn write(self, vgprs: &mut [Vgpr], first: u8, results: &[(u8, Bytes)]) {
        for n in 0..self.registers() {
            let Some(Vgpr(register)) = vgprs.get_mut(first as usize + n as usize) else { return };
            for (lane, data) in results {
                let lane = &mut register[*lane as usize & 63];
                *lane = self.register(data, n, *lane);
            }
        }
    }

    fn write_all(self, vgprs: &mut [Vgpr], first: u8, mask: u64, elements: &Elements) {
        let registers = vgprs.iter_mut().skip(first as usize).take(self.registers() as usize);
        for (Vgpr(register), element) in registers.zip(elements) {
            for (lane, (to, &dword)) in register.iter_mut().zip(element).enumerate() {
                let new = match (self.bytes, self.part) {
                    (4.., Part::Whole) => dword,
                    _ => self.register(&of_dwords([dword]), 0, *to),
                };
                *to = if mask >> lane & 1 == 1 { new } else { *to };
            }
        }
    }

    fn register(self, data: &Bytes, n: u8, old: u32) -> u32 {
        let Load { bytes, signed, part } = self;
        match part {
            Part::Whole if bytes >= 4 => dword(data, n),
            Part::Whole => extended(data, bytes, signed),
            Part::Low => old & 0xffff_0000 | extended(data, bytes, signed) & 0xffff,
            Part::High => old & 0xffff | extended(data, bytes, signed) << 16,
        }
    }
}

/// A store, as it reads registers.
pub(crate) trait Stores {
    /// The data that a lane's registers hold.
    fn data(self, register: impl FnMut(u8) -> u32) -> Bytes;
}

impl Stores for Store {
    fn data(self, mut register: impl FnMut(u8) -> u32) -> Bytes {
        match self {
            Store { bytes: 1 | 2, high } => of_dwords([register(0) >> if high { 16 } else { 0 }]),
            Store { .. } => of_dwords((0..self.registers()).map(register)),
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
pub(crate) fn dword(data: &Bytes, n: u8) -> u32 {
    let at = 4 * n as usize;
    u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]])
}

/// Data of up to four dwords.
pub(crate) fn of_dwords(dwords: impl IntoIterator<Item = u32>) -> Bytes {
    let mut data = [0; 16];
    for (bytes, dword) in data.chunks_exact_mut(4).zip(dwords) {
        bytes.copy_from_slice(&dword.to_le_bytes());
    }
    data
}
