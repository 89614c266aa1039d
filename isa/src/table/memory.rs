//! Rows of memory instructions and exports.
//!
//! ```text
//! ds_read_u8_d16_hi = DsReadU8D16Hi { op: [- - - 87 87], moves: Load(U8_D16_HI) }
//! s_buffer_load_dwordx2 = SBufferLoadDwordx2 { op: [- - 9 9 9], moves: load(2), base: Buffer }
//! s_dcache_wb = SDcacheWb { op: [- - 33 33 33], moves: Cache, "writes back the scalar data cache" }
//! ```
//!
//! * `moves`: the [`Transfer`]; `load(2)` and `store(2)` are those of two dwords. Numbers of registers, offsets and the
//!   operation in words follow from it ([`MemShape`], [`DsShape`]).
//! * `base`: what the base of a scalar memory access is ([`Base`]); without it there is none.
//! * Rows of images have an [`ImageMove`] in that column.
//! * The operation in words stands last where it does not follow from the columns.

use super::desc::{Encoding, Flow, Fx, InstDesc, NO_OPCODE};
use super::image::ImageShape;
use super::transfer::{Packing, Part, Share, Transfer};
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

/// The base of a scalar memory access, and the unit of its offset register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// The access has no address.
    None,
    /// An address; bytes.
    Address,
    /// A buffer descriptor; bytes.
    Buffer,
    /// An address; units of 64 bytes.
    Scratch,
}

impl Base {
    /// Number of scalar registers.
    pub const fn dwords(self) -> u8 {
        match self {
            Base::None => 0,
            Base::Address | Base::Scratch => 2,
            Base::Buffer => 4,
        }
    }
}

/// Columns of SMRD, SMEM, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF rows. All but two follow from these two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemShape {
    /// The transfer.
    pub moves: Transfer,
    /// The base of a scalar access.
    pub base: Base,
    /// The use of the data.
    pub kind: Access,
    /// Dwords of the destination (FLAT, GLOBAL, SCRATCH).
    pub vdst: u8,
    /// Dwords of the data register (scalar loads: of the destination).
    pub data: u8,
    /// Whether a component of the data has 16 bits. On gfx810 and from GCN 1.4 on a register holds two.
    pub d16: bool,
    /// Whether the LDS bit is allowed.
    pub lds: bool,
}

impl MemShape {
    /// The columns that follow from the encoding and the cells of a row.
    const fn of(encoding: Encoding, moves: Transfer, base: Base) -> MemShape {
        use Encoding::{Flat, Global, Mtbuf, Mubuf, Scratch};
        let has_vdst = matches!(encoding, Flat | Global | Scratch);
        let is_buffer = matches!(encoding, Mubuf | Mtbuf);
        let (result, operands) = (moves.result(), moves.operands());
        let kind = match moves {
            Transfer::Load(_) | Transfer::LoadFormat(..) => Access::Load,
            Transfer::Store(_) | Transfer::StoreFormat(..) | Transfer::StoreLds => Access::Store,
            Transfer::Atomic(..) => Access::Atomic,
            Transfer::Cache => Access::Invalidate,
            Transfer::Discard => Access::Discard,
            Transfer::Probe => Access::Probe,
            Transfer::Clock => Access::Time,
            Transfer::Share(_) => panic!("only DS does this"),
        };
        let fits_lds = match moves {
            Transfer::Load(load) => load.bytes <= 4 && matches!(load.part, Part::Whole),
            Transfer::LoadFormat(components, packing) => components == 1 && matches!(packing, Packing::Whole),
            _ => matches!(moves, Transfer::StoreLds),
        };
        let is_format = matches!(moves, Transfer::LoadFormat(..) | Transfer::StoreFormat(..) | Transfer::StoreLds);
        assert!(is_buffer || !is_format, "only buffers do this");
        MemShape {
            moves,
            base,
            kind,
            vdst: if has_vdst { result } else { 0 },
            data: if has_vdst || operands > 0 { operands } else { result },
            d16: matches!(moves, Transfer::LoadFormat(_, Packing::D16) | Transfer::StoreFormat(_, Packing::D16)),
            lds: fits_lds && matches!(encoding, Global | Scratch | Mubuf),
        }
    }

    /// Number of registers of the vector data.
    pub const fn data_dwords(self, arch: Arch) -> u32 {
        let packed = self.d16 && arch.packs_d16();
        if packed { (self.data as u32).div_ceil(2) } else { self.data as u32 }
    }
}

/// The offsets of a DS instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DsOffset {
    /// The instruction has no offset.
    None,
    /// One offset of 16 bits.
    One,
    /// Two offsets of 8 bits.
    Two,
    /// One offset that encodes a lane pattern.
    Swizzle,
}

/// Columns of DS rows. All follow from the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DsShape {
    /// The transfer.
    pub moves: Transfer,
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
    /// The columns that follow from what moves.
    const fn of(moves: Transfer) -> DsShape {
        use Share::{Exchange2, Gws, Nothing, OrderedCount, Read2, Swizzle, Write2};
        let is_known =
            matches!(moves, Transfer::Load(_) | Transfer::Store(_) | Transfer::Atomic(..) | Transfer::Share(_));
        assert!(is_known, "DS does not do this");
        let operands = moves.operands();
        let has_two = match moves.atomic() {
            Some(op) => op.operands() == 2,
            None => matches!(moves, Transfer::Share(Write2(..) | Exchange2(..))),
        };
        DsShape {
            moves,
            vdst: if let Transfer::Atomic(..) = moves { 0 } else { moves.result() },
            addr: !(moves.is_by_m0() || moves.is_counter() || matches!(moves, Transfer::Share(Nothing | Gws(false)))),
            data: if has_two { [operands / 2; 2] } else { [operands, 0] },
            offset: match moves {
                Transfer::Share(Nothing) => DsOffset::None,
                Transfer::Share(Read2(..) | Write2(..) | Exchange2(..)) => DsOffset::Two,
                Transfer::Share(Swizzle) => DsOffset::Swizzle,
                _ => DsOffset::One,
            },
            gds: matches!(moves, Transfer::Share(Gws(_) | OrderedCount)),
        }
    }
}

/// EXP has no columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpShape;

macro_rules! memory_table {
    ($shape:ident $Shape:ident $fx:expr, $Enum:ident $ENC:ident $($name:ident = $Variant:ident {
        op: [$($op:tt)*] $(, $column:ident: $value:expr)* $(, $words:literal)?
    })*) => {
        #[doc = concat!("Instructions of encoding ", stringify!($ENC), ".")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $Enum {
            $(#[doc = concat!("`", stringify!($name), "`")] $Variant,)*
        }

        impl $Enum {
            const SHAPES: &'static [$Shape] = &[$($shape!($Enum $($column: $value),*)),*];

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
                meaning: concat!($($words)?),
            }),*];
        }

    };
}

macro_rules! mem_shape {
    ($Enum:ident moves: $moves:expr) => {{
        use super::transfer::cells::*;
        MemShape::of(Encoding::$Enum, $moves, Base::None)
    }};
    ($Enum:ident moves: $moves:expr, base: $base:expr) => {{
        use super::transfer::cells::*;
        MemShape::of(Encoding::$Enum, $moves, $base)
    }};
}

macro_rules! ds_shape {
    ($Enum:ident moves: $moves:expr) => {{
        use super::transfer::cells::*;
        DsShape::of($moves)
    }};
}

macro_rules! image_shape {
    ($Enum:ident moves: $moves:expr) => {{
        use super::image::cells::*;
        ImageShape::of($moves)
    }};
}

macro_rules! export_shape {
    ($Enum:ident) => {
        ExpShape
    };
}

macro_rules! scalar_memory_table {
    ($($row:tt)*) => { memory_table! { mem_shape MemShape Fx::NONE, $($row)* } };
}

macro_rules! vector_memory_table {
    ($($row:tt)*) => { memory_table! { mem_shape MemShape Fx::REXEC, $($row)* } };
}

macro_rules! ds_table {
    ($($row:tt)*) => { memory_table! { ds_shape DsShape Fx::REXEC.or(Fx::RM0), $($row)* } };
}

macro_rules! image_table {
    ($($row:tt)*) => { memory_table! { image_shape ImageShape Fx::REXEC, $($row)* } };
}

macro_rules! export_table {
    ($($row:tt)*) => { memory_table! { export_shape ExpShape Fx::REXEC, $($row)* } };
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
