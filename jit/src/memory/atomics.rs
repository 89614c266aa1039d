//! What atomics compute, of guest memory, LDS and GDS alike.

use gcnsim_isa::Notes;

/// How an atomic treats the denormals of binary32 or binary64 operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// Which.
    pub atomic: Atomic,
    /// 4 or 8 bytes.
    pub bytes: u8,
    /// MODE of the wave.
    pub mode: u32,
}

/// What an atomic makes of the old value and its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Atomic {
    /// The data.
    Swap,
}

impl Operation {
    /// The new value; values of 4 bytes are in the low halves.
    pub fn apply(&self, _old: u64, data: [u64; 2], _notes: &mut Notes) -> u64 {
        match self.atomic {
            Atomic::Swap => data[0],
        }
    }
}
