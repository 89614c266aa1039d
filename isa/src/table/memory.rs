//! Rows of memory instructions and exports. They state the columns of their shape ([`MemShape`], [`DsShape`],
//! [`ImageShape`]). A column that is not named is 0 or false.

use super::desc::{Encoding, Flow, Fx, InstDesc, NO_OPCODE};
use super::{Has, Opcode, ds, exp, flat, global, mimg, mtbuf, mubuf, scratch, smem, smrd};
use crate::arch::Arch;
use crate::operand::OperandType;

/// The way in which a memory instruction uses its data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Reads into registers.
    Load,
    /// Writes from registers.
    Store,
    /// Reads, changes and writes; with GLC set it returns the old value.
    Atomic,
    /// Invalidates or writes back a cache.
    Invalidate,
    /// Reads a clock.
    Time,
    /// Probes an address translation.
    Probe,
    /// Discards cache lines.
    Discard,
}

/// Columns of SMRD, SMEM, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemShape {
    /// The use of the data.
    pub kind: Access,
    /// Dwords of the destination (FLAT).
    pub vdst: u8,
    /// Dwords of the data register (scalar loads: of the destination).
    pub data: u8,
    /// Dwords of the scalar base: 2 for an address, 4 for a buffer descriptor.
    pub base: u8,
    /// Whether a component of the data has 16 bits. On gfx810 and from GCN 1.4 on a register holds two.
    pub d16: bool,
    /// Whether the LDS bit is allowed.
    pub lds: bool,
}

impl MemShape {
    pub(crate) const NONE: MemShape =
        MemShape { kind: Access::Load, vdst: 0, data: 0, base: 0, d16: false, lds: false };
}

impl MemShape {
    /// Number of registers of the vector data.
    pub const fn data_dwords(self, arch: Arch) -> u32 {
        let packed = self.d16 && arch.packs_d16();
        if packed { (self.data as u32).div_ceil(2) } else { self.data as u32 }
    }
}

/// The offsets of a DS instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DsOffset {
    /// None.
    None,
    /// One of 16 bits.
    One,
    /// Two of 8 bits.
    Two,
    /// One that encodes a lane pattern.
    Swizzle,
}

/// Columns of DS rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DsShape {
    /// Dwords of the destination.
    pub vdst: u8,
    /// Whether ADDR is used.
    pub addr: bool,
    /// Dwords of DATA0 and DATA1.
    pub data: [u8; 2],
    /// Offsets.
    pub offset: DsOffset,
    /// Whether the GDS bit must be set.
    pub gds: bool,
}

impl DsShape {
    pub(crate) const NONE: DsShape = DsShape { vdst: 0, addr: false, data: [0; 2], offset: DsOffset::One, gds: false };
}

/// The number of dwords of an image instruction's data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageData {
    /// One per bit of DMASK.
    Mask,
    /// Four.
    Four,
    /// This number, or twice as many with 64-bit data.
    Atomic(u8),
}

/// Columns of MIMG rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageShape {
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
    pub(crate) const NONE: ImageShape =
        ImageShape { kind: Access::Load, vaddr: 1, data: ImageData::Mask, sampler: false, d16: false };
}

impl ImageShape {
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

/// EXP has no columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpShape;

impl ExpShape {
    pub(crate) const NONE: ExpShape = ExpShape;
}

macro_rules! memory_table {
    ($Shape:ident $fx:expr, $Enum:ident $ENC:ident $($name:ident = $Variant:ident {
        op: [$($op:tt)*] $(, $column:ident: $value:expr)*
    })*) => {
        #[doc = concat!("Instructions of encoding ", stringify!($ENC), ".")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $Enum {
            $(#[doc = concat!("`", stringify!($name), "`")] $Variant,)*
        }

        impl $Enum {
            #[allow(clippy::needless_update)]
            const SHAPES: &'static [$Shape] = &[$($Shape { $($column: $value,)* ..$Shape::NONE }),*];

            /// Every instruction of the encoding, in table order.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),*];

            /// The columns of its row.
            pub const fn shape(self) -> $Shape {
                Self::SHAPES[self as usize]
            }

            pub(super) const ROWS: &'static [InstDesc] = &[$(InstDesc {
                opcode: Opcode::$Enum($Enum::$Variant),
                mnemonic: stringify!($name),
                encoding: Encoding::$Enum,
                op: opcode_numbers!([$($op)*]),
                dst: OperandType::none,
                src: &[],
                has: Has::NONE,
                fx: $fx,
                kind: Encoding::$Enum.class(),
                flow: Flow::Next,
                unknown: false,
                meaning: "",
            }),*];
        }

    };
}

macro_rules! scalar_memory_table {
    ($($row:tt)*) => { memory_table! { MemShape Fx::NONE, $($row)* } };
}

macro_rules! vector_memory_table {
    ($($row:tt)*) => { memory_table! { MemShape Fx::REXEC, $($row)* } };
}

macro_rules! ds_table {
    ($($row:tt)*) => { memory_table! { DsShape Fx::REXEC.or(Fx::RM0), $($row)* } };
}

macro_rules! image_table {
    ($($row:tt)*) => { memory_table! { ImageShape Fx::REXEC, $($row)* } };
}

macro_rules! export_table {
    ($($row:tt)*) => { memory_table! { ExpShape Fx::REXEC, $($row)* } };
}

smrd::for_each_smrd!(scalar_memory_table);
smem::for_each_smem!(scalar_memory_table);
ds::for_each_ds!(ds_table);
flat::for_each_flat!(vector_memory_table);
global::for_each_global!(vector_memory_table);
scratch::for_each_scratch!(vector_memory_table);
mubuf::for_each_mubuf!(vector_memory_table);
mtbuf::for_each_mtbuf!(vector_memory_table);
mimg::for_each_mimg!(image_table);
exp::for_each_exp!(export_table);
