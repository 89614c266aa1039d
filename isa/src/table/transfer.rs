//! What a memory instruction moves: the column `moves` of its row. Both engines derive from it what they do, each with
//! its own arithmetic, and the numbers of registers in a row's shape follow from it.

/// The transfer of a row: the data that move between memory, LDS and registers, and their conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transfer {
    /// Memory or LDS to registers.
    Load(Load),
    /// Registers to memory or LDS.
    Store(Store),
    /// Memory is changed. With GLC set the old value is returned. In DS it is not: see [`Share::AtomicReturn`].
    Atomic(Atomic, Width),
    /// Components of a buffer's element, 1 to 4, through a format to registers.
    LoadFormat(u8, Packing),
    /// Registers through a format to components of a buffer's element, 1 to 4.
    StoreFormat(u8, Packing),
    /// A dword of LDS to memory.
    StoreLds,
    /// No transfer: a cache is written back or invalidated.
    Cache,
    /// No transfer: lines of a cache at an address are dropped.
    Discard,
    /// No transfer: the translation of an address is fetched.
    Probe,
    /// A clock of 64 bits to registers.
    Clock,
    /// A transfer that only DS has.
    Share(Share),
}

/// The transfers that only DS has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Share {
    /// LDS is changed, and the old value returned.
    AtomicReturn(Atomic, Width),
    /// LDS is changed; the operand lies in LDS, too.
    Source2(Atomic, Width),
    /// Two loads. The second cell is the number of elements that an offset counts: 1 or 64.
    Read2(Width, u8),
    /// Two stores, with offsets like those of two loads.
    Write2(Width, u8),
    /// Two exchanges that return the old values, with offsets like those of two loads.
    Exchange2(Width, u8),
    /// Two dwords, each replaced if bit 31 of its operand is set; the old ones are returned.
    CondExchange,
    /// A load whose address is M0 plus 4 bytes per lane.
    ReadAddtid,
    /// A store whose address is M0 plus 4 bytes per lane.
    WriteAddtid,
    /// The number of active lanes is added to a dword at M0; the old value is returned.
    Append,
    /// The number of active lanes is subtracted from a dword at M0; the old value is returned.
    Consume,
    /// Registers of lanes that a pattern names.
    Swizzle,
    /// Registers, to the lanes that addresses name.
    Permute,
    /// Registers, from the lanes that addresses name.
    Bpermute,
    /// No transfer.
    Nothing,
    /// Global wave sync. The flag says whether a register has the value.
    Gws(bool),
    /// The counter of waves in the order of their creation.
    OrderedCount,
}

/// A load, as it lies in memory and in registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Load {
    /// Bytes in memory: 1, 2, or those of whole dwords, up to 64 in scalar and 16 in vector loads.
    pub bytes: u8,
    /// Whether one or two bytes are sign-extended. Otherwise they are zero-extended.
    pub signed: bool,
    /// The part of the register that one or two bytes go to.
    pub part: Part,
}

/// A store, as it lies in registers and in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Store {
    /// Bytes in memory: 1, 2, 4, 8, 12 or 16.
    pub bytes: u8,
    /// Whether one or two bytes come from bit 16 of the register on. Otherwise they come from bit 0 on.
    pub high: bool,
}

/// Part of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The whole register.
    Whole,
    /// Bits 15:0; the other bits keep their values.
    Low,
    /// Bits 31:16; the other bits keep their values.
    High,
}

/// The packing of the components of a formatted access in registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Packing {
    /// Each component has a register.
    Whole,
    /// Components have 16 bits: two to a register where [`Arch::packs_d16`](crate::Arch::packs_d16) says so, else
    /// one in the low half.
    D16,
    /// One component, in the high half of a register.
    D16Hi,
}

/// Size of what an atomic, or one of two accesses, works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// A dword.
    B32,
    /// Two dwords.
    B64,
}

/// The operation of an atomic (docs/gcn/memory.md#atomic-operations). `d` is its first operand in registers, `e` the
/// second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atomic {
    /// d.
    Swap,
    /// old + d.
    Add,
    /// old - d.
    Sub,
    /// d - old.
    Rsub,
    /// The lesser, signed.
    Smin,
    /// The greater, signed.
    Smax,
    /// The lesser, unsigned.
    Umin,
    /// The greater, unsigned.
    Umax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// old + 1, or 0 from d on.
    Inc,
    /// old - 1, or d for 0 and above d.
    Dec,
    /// VMEM and SMEM: d if the old value is e.
    Cmpswap,
    /// DS: e if the old value is d.
    Cmpst,
    /// DS: old with the bits of d replaced by e.
    Mskor,
    /// DS: old - d from d on, else old + e.
    Wrap,
    /// VMEM: as Cmpswap, compared as floats.
    Fcmpswap,
    /// VMEM: the lesser float, by a bare compare.
    Fmin,
    /// VMEM: the greater float, by a bare compare.
    Fmax,
    /// DS: as Cmpst, compared as floats.
    CmpstF,
    /// DS: the lesser float; MODE and NaNs count.
    MinF,
    /// DS: the greater float; MODE and NaNs count.
    MaxF,
    /// DS: the sum of floats.
    AddF,
}

impl Transfer {
    /// The operation of an atomic.
    pub const fn atomic(self) -> Option<Atomic> {
        match self {
            Transfer::Atomic(op, _)
            | Transfer::Share(Share::AtomicReturn(op, _))
            | Transfer::Share(Share::Source2(op, _)) => Some(op),
            _ => None,
        }
    }

    /// Whether the transfer moves values between lanes, or nothing at all, and so touches no memory.
    pub const fn is_among_lanes(self) -> bool {
        matches!(self, Transfer::Share(Share::Swizzle | Share::Permute | Share::Bpermute | Share::Nothing))
    }

    /// Whether M0 is part of the address, also in LDS.
    pub const fn is_by_m0(self) -> bool {
        matches!(self, Transfer::Share(Share::ReadAddtid | Share::WriteAddtid))
    }

    /// Whether the wave has one counter, at an address that M0 is no part of in LDS.
    pub const fn is_counter(self) -> bool {
        matches!(self, Transfer::Share(Share::Append | Share::Consume))
    }

    /// Number of registers of the result. Each component of a format counts as one.
    pub(super) const fn result(self) -> u8 {
        match self {
            Transfer::Load(load) => load.registers(),
            Transfer::LoadFormat(components, _) => components,
            Transfer::Atomic(_, width) => width.dwords(),
            Transfer::Clock => 2,
            Transfer::Store(_) | Transfer::StoreFormat(..) | Transfer::StoreLds => 0,
            Transfer::Cache | Transfer::Discard | Transfer::Probe => 0,
            Transfer::Share(share) => share.result(),
        }
    }

    /// Number of registers of all data that are stored or combined. Each component of a format counts as one.
    pub(super) const fn operands(self) -> u8 {
        match self {
            Transfer::Store(store) => store.registers(),
            Transfer::StoreFormat(components, _) => components,
            Transfer::Atomic(op, width) => op.operands() * width.dwords(),
            Transfer::Load(_) | Transfer::LoadFormat(..) | Transfer::StoreLds | Transfer::Clock => 0,
            Transfer::Cache | Transfer::Discard | Transfer::Probe => 0,
            Transfer::Share(share) => share.operands(),
        }
    }
}

impl Share {
    const fn result(self) -> u8 {
        match self {
            Share::AtomicReturn(_, width) => width.dwords(),
            Share::Read2(width, _) | Share::Exchange2(width, _) => 2 * width.dwords(),
            Share::CondExchange => 2,
            Share::ReadAddtid | Share::Append | Share::Consume | Share::OrderedCount => 1,
            Share::Swizzle | Share::Permute | Share::Bpermute => 1,
            Share::Source2(..) | Share::Write2(..) | Share::WriteAddtid | Share::Nothing | Share::Gws(_) => 0,
        }
    }

    const fn operands(self) -> u8 {
        match self {
            Share::AtomicReturn(op, width) => op.operands() * width.dwords(),
            Share::Write2(width, _) | Share::Exchange2(width, _) => 2 * width.dwords(),
            Share::CondExchange => 2,
            Share::WriteAddtid | Share::Permute | Share::Bpermute => 1,
            Share::Source2(..) | Share::Read2(..) | Share::ReadAddtid | Share::Append | Share::Consume => 0,
            Share::Swizzle | Share::Nothing | Share::Gws(_) | Share::OrderedCount => 0,
        }
    }
}

impl Load {
    /// A load of `count` dwords.
    pub const fn dwords(count: u8) -> Load {
        Load { bytes: 4 * count, signed: false, part: Part::Whole }
    }

    /// Registers of the result.
    pub const fn registers(self) -> u8 {
        self.bytes.div_ceil(4)
    }
}

impl Store {
    /// A store of `count` dwords.
    pub const fn dwords(count: u8) -> Store {
        Store { bytes: 4 * count, high: false }
    }

    /// Registers of the data.
    pub const fn registers(self) -> u8 {
        self.bytes.div_ceil(4)
    }
}

impl Width {
    /// Size in bytes.
    pub const fn bytes(self) -> u8 {
        4 * self.dwords()
    }

    /// Size in registers.
    pub const fn dwords(self) -> u8 {
        match self {
            Width::B32 => 1,
            Width::B64 => 2,
        }
    }
}

impl Atomic {
    /// Number of operands in registers.
    pub const fn operands(self) -> u8 {
        use Atomic::{Cmpst, CmpstF, Cmpswap, Fcmpswap, Mskor, Wrap};
        if matches!(self, Cmpswap | Fcmpswap | Cmpst | CmpstF | Mskor | Wrap) { 2 } else { 1 }
    }

    /// Whether the operation is one of DS that MODE's denormal bits affect.
    pub const fn reads_mode(self) -> bool {
        matches!(self, Atomic::CmpstF | Atomic::MinF | Atomic::MaxF | Atomic::AddF)
    }
}

/// The words of the column `moves`.
pub(super) mod cells {
    pub use super::super::memory::Base::*;
    pub use super::Atomic::*;
    pub use super::Packing::*;
    pub use super::Share::*;
    pub use super::Transfer::*;
    pub use super::Width::*;
    use super::{Load as Loaded, Part, Store as Stored, Transfer};

    pub const U8: Loaded = Loaded { bytes: 1, signed: false, part: Part::Whole };
    pub const I8: Loaded = Loaded { bytes: 1, signed: true, part: Part::Whole };
    pub const U16: Loaded = Loaded { bytes: 2, signed: false, part: Part::Whole };
    pub const I16: Loaded = Loaded { bytes: 2, signed: true, part: Part::Whole };
    pub const U8_D16: Loaded = Loaded { bytes: 1, signed: false, part: Part::Low };
    pub const U8_D16_HI: Loaded = Loaded { bytes: 1, signed: false, part: Part::High };
    pub const I8_D16: Loaded = Loaded { bytes: 1, signed: true, part: Part::Low };
    pub const I8_D16_HI: Loaded = Loaded { bytes: 1, signed: true, part: Part::High };
    pub const B16_D16: Loaded = Loaded { bytes: 2, signed: false, part: Part::Low };
    pub const B16_D16_HI: Loaded = Loaded { bytes: 2, signed: false, part: Part::High };
    pub const BYTE: Stored = Stored { bytes: 1, high: false };
    pub const BYTE_D16_HI: Stored = Stored { bytes: 1, high: true };
    pub const SHORT: Stored = Stored { bytes: 2, high: false };
    pub const SHORT_D16_HI: Stored = Stored { bytes: 2, high: true };

    /// A load of `dwords` dwords.
    pub const fn load(dwords: u8) -> Transfer {
        Transfer::Load(Loaded::dwords(dwords))
    }

    /// A store of `dwords` dwords.
    pub const fn store(dwords: u8) -> Transfer {
        Transfer::Store(Stored::dwords(dwords))
    }
}
