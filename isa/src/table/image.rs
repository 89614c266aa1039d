//! What an image instruction moves: the column `moves` of MIMG rows (docs/gcn/images.md#instructions). The numbers of
//! registers follow from it.

use super::memory::Access;
use super::transfer::Atomic;
use crate::arch::Arch;

/// The transfer of a MIMG row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageMove {
    /// A texel at integer coordinates to registers.
    Load(MipLevel, Texel),
    /// Registers to a texel at integer coordinates.
    Store(MipLevel, Texel),
    /// A texel is changed. With GLC set the old value is returned.
    Atomic(Atomic),
    /// Texels, filtered, to registers.
    Sample(Lookup),
    /// A component of four texels to registers.
    Gather(Lookup),
    /// Texels of a row. What they are is undocumented.
    GatherRow,
    /// The level of detail that a sample would take.
    Level,
    /// The size of the image and its number of levels.
    Size,
}

/// The mip level that integer coordinates belong to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MipLevel {
    /// The base level of the image.
    First,
    /// The last address register says which.
    Mip,
}

/// The representation of a texel in registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Texel {
    /// The components, through the format.
    Formatted,
    /// The dwords of the texel.
    Raw,
    /// The dwords of the texel; a component narrower than a dword is sign-extended.
    RawSigned,
}

/// The source of the level of detail of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LodSource {
    /// Differences of coordinates within the quad.
    Quad,
    /// The derivatives within the quad, plus a bias in a register.
    Bias,
    /// Derivatives in registers.
    Derivatives,
    /// A register.
    Given,
    /// The level is 0.
    Zero,
}

/// The form of a sample or a gather.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lookup {
    /// The source of the level of detail.
    pub lod: LodSource,
    /// Whether a register has the least level of detail (`_cl`).
    pub is_clamped: bool,
    /// Whether a register has a reference that texels are compared with (`_c`).
    pub compares: bool,
    /// Whether a register has offsets in texels (`_o`).
    pub has_offset: bool,
}

/// The number of dwords of an image instruction's data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageData {
    /// One register per bit of DMASK.
    Mask,
    /// Four.
    Four,
    /// This number of registers, or twice as many with 64-bit data.
    Atomic(u8),
}

/// Columns of MIMG rows. All follow from the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageShape {
    /// The transfer.
    pub moves: ImageMove,
    /// The use of the data.
    pub kind: Access,
    /// Number of address registers in the text. The image decides how many are really read.
    pub vaddr: u8,
    /// Data registers.
    pub data: ImageData,
    /// Whether there is a sampler descriptor.
    pub sampler: bool,
    /// Whether the D16 bit is allowed (GCN 1.2 on).
    pub d16: bool,
}

impl ImageShape {
    /// The columns that follow from what moves.
    pub(super) const fn of(moves: ImageMove) -> ImageShape {
        use ImageMove::{Atomic, Gather, GatherRow, Level, Load, Sample, Size, Store};
        ImageShape {
            moves,
            kind: match moves {
                Store(..) => Access::Store,
                Atomic(_) => Access::Atomic,
                Load(..) | Sample(_) | Gather(_) | GatherRow | Level | Size => Access::Load,
            },
            vaddr: match moves {
                Sample(lookup) | Gather(lookup) => {
                    let derivatives = matches!(lookup.lod, LodSource::Derivatives);
                    1 + lookup.extra_dwords() + derivatives as u8
                }
                Load(..) | Store(..) | Atomic(_) | GatherRow | Level | Size => 1,
            },
            data: match moves {
                Atomic(op) => ImageData::Atomic(op.operands()),
                Gather(_) | GatherRow => ImageData::Four,
                Load(..) | Store(..) | Sample(_) | Level | Size => ImageData::Mask,
            },
            sampler: matches!(moves, Sample(_) | Gather(_) | GatherRow | Level),
            d16: match moves {
                Load(_, texel) | Store(_, texel) => matches!(texel, Texel::Formatted),
                Sample(_) | Gather(_) => true,
                Atomic(_) | GatherRow | Level | Size => false,
            },
        }
    }

    /// The most registers that the address can have, whatever the type of the image.
    pub(crate) const fn most_addresses(self) -> u32 {
        match self.moves {
            ImageMove::Sample(lookup) | ImageMove::Gather(lookup) => {
                let derivatives = if matches!(lookup.lod, LodSource::Derivatives) { 6 } else { 0 };
                let level = matches!(lookup.lod, LodSource::Given) || lookup.is_clamped;
                3 + lookup.extra_dwords() as u32 + derivatives + level as u32
            }
            ImageMove::Load(..) | ImageMove::Store(..) => 4,
            ImageMove::Atomic(_) => 4,
            ImageMove::GatherRow | ImageMove::Level => 3,
            ImageMove::Size => 1,
        }
    }

    /// The fewest registers that the address can have, whatever the type of the image. With `a16` two coordinates may
    /// share a register.
    pub(crate) const fn least_addresses(self, a16: bool) -> u32 {
        let (extra, rest) = match self.moves {
            ImageMove::Sample(lookup) | ImageMove::Gather(lookup) => {
                let derivatives = if matches!(lookup.lod, LodSource::Derivatives) { 2 } else { 0 };
                let level = matches!(lookup.lod, LodSource::Given) || lookup.is_clamped;
                (lookup.extra_dwords() as u32, 1 + derivatives + level as u32)
            }
            ImageMove::Load(level, _) | ImageMove::Store(level, _) => (0, 1 + matches!(level, MipLevel::Mip) as u32),
            ImageMove::Atomic(_) | ImageMove::GatherRow | ImageMove::Level | ImageMove::Size => (0, 1),
        };
        if a16 { 1 } else { extra + rest }
    }

    /// Number of registers that the data has at least.
    pub(crate) const fn least_data(self) -> u32 {
        match self.data {
            ImageData::Mask => 1,
            ImageData::Four => 4,
            ImageData::Atomic(n) => n as u32,
        }
    }

    /// Number of data registers in LLVM's text, by DMASK, TFE and D16 ([`Arch::packs_d16`]).
    pub(crate) const fn data_dwords(self, arch: Arch, dmask: u32, tfe: bool, d16: bool) -> u32 {
        let count = match self.data {
            ImageData::Four => 4,
            _ if dmask == 0 => 1,
            _ => dmask.count_ones(),
        };
        let count = if d16 && arch.packs_d16() { count.div_ceil(2) } else { count };
        let count = count + tfe as u32;
        match self.data {
            ImageData::Atomic(n) if count != 2 * n as u32 => n as u32,
            ImageData::Four if count == 3 => 4,
            _ => count,
        }
    }
}

impl Lookup {
    /// Registers before derivatives and coordinates: offset, bias, reference.
    pub const fn extra_dwords(self) -> u8 {
        self.has_offset as u8 + matches!(self.lod, LodSource::Bias) as u8 + self.compares as u8
    }

    pub(super) const fn clamped(self) -> Lookup {
        Lookup { is_clamped: true, ..self }
    }

    pub(super) const fn compared(self) -> Lookup {
        Lookup { compares: true, ..self }
    }

    pub(super) const fn offset(self) -> Lookup {
        Lookup { has_offset: true, ..self }
    }
}

/// The words of the column `moves`.
pub(super) mod cells {
    pub use super::super::transfer::Atomic::*;
    pub use super::ImageMove::*;
    pub use super::LodSource::*;
    pub use super::MipLevel::*;
    pub use super::Texel::*;
    use super::{LodSource, Lookup};

    /// A lookup at a level of detail.
    pub const fn by(lod: LodSource) -> Lookup {
        Lookup { lod, is_clamped: false, compares: false, has_offset: false }
    }
}
