//! What untyped vector memory instructions move: bytes of a lane's element between memory and registers.

use gcnsim_isa::table::{Atomic, Load, Part, Store, Transfer};

/// The element of one lane in memory, with the first byte first.
pub(super) type Element = [u8; 16];

/// The action of an untyped row on the element of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Data {
    /// The row loads from memory to registers.
    Load(Load),
    /// The row stores from registers to memory.
    Store(Store),
    /// The row is an atomic of 4 or 8 bytes.
    Atomic(Atomic, u8),
}

impl Data {
    /// The action for a transfer; `None` if no untyped access of vector memory has that transfer.
    pub fn of(transfer: Transfer) -> Option<Data> {
        use Transfer::{Cache, Clock, Discard, LoadFormat, Probe, Share, StoreFormat, StoreLds};
        match transfer {
            Transfer::Load(load) => Some(Data::Load(load)),
            Transfer::Store(store) => Some(Data::Store(store)),
            Transfer::Atomic(atomic, width) => Some(Data::Atomic(atomic, width.bytes())),
            LoadFormat(..) | StoreFormat(..) | StoreLds | Cache | Discard | Probe | Clock | Share(_) => None,
        }
    }

    /// Number of bytes that one lane accesses.
    pub const fn bytes(self) -> u8 {
        match self {
            Data::Load(Load { bytes, .. }) | Data::Store(Store { bytes, .. }) | Data::Atomic(_, bytes) => bytes,
        }
    }
}

/// The register `old` with `part` replaced by the low bits of `value`.
#[inline(always)]
pub(super) fn merge(part: Part, old: u32, value: u32) -> u32 {
    match part {
        Part::Whole => value,
        Part::Low => old & 0xffff_0000 | value & 0xffff,
        Part::High => old & 0xffff | value << 16,
    }
}

/// The register value for a dword of a loaded element: extended as `load` says.
#[inline(always)]
pub(super) fn extend(load: Load, dword: u32) -> u32 {
    match (load.bytes, load.signed) {
        (1, false) => dword & 0xff,
        (1, true) => dword as u8 as i8 as u32,
        (2, false) => dword & 0xffff,
        (2, true) => dword as u16 as i16 as u32,
        _ => dword,
    }
}

/// The dword of the stored element for a register's value.
#[inline(always)]
pub(super) fn shift(store: Store, value: u32) -> u32 {
    if store.high { value >> 16 } else { value }
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
