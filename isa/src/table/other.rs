//! Instructions outside the core: their identity, and the columns of their rows.
//!
//! Vector ALU rows (VOP1, VOP2, VOP3, VOP3P, VINTRP) read
//!
//! ```text
//! v_add_f32 = VAddF32 { op: [3 3 1 1 1], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD] }
//! ```
//!
//! with types as in the core (`none` in `src`: an attribute or parameter of VINTRP; in VOP3P the type of one half;
//! source 1 of MADMK and 2 of MADAK: the constant) and `has`, what its words can express ([`Has`]). `fx` lists implicit
//! effects besides those that all share (see `vector_fx`); `unknown` is as in the core. Memory rows give the columns of their shape ([`MemShape`],
//! [`DsShape`], [`ImageShape`]); a column that is not named is 0 or false.

use super::desc::{Encoding, Flow, Fx, InstDesc, Kind, NO_OPCODE};
use super::{Opcode, ds, exp, flat, global, mimg, mtbuf, mubuf, scratch, smem, smrd, vintrp, vop1, vop2, vop3, vop3p};
use crate::arch::Arch;
use crate::operand::OperandType;

/// What the words of a vector instruction can express, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Has(u32);

#[allow(missing_docs)]
impl Has {
    pub const NONE: Has = Has(0);
    /// A VOP3 form, with the suffix `_e64` (and `_e32` for the short form).
    pub const VOP3: Has = Has(1 << 0);
    /// An SDWA form (GCN 1.2 on).
    pub const SDWA: Has = Has(1 << 1);
    /// An SDWA form on GCN 1.2 only.
    pub const SDWA_12: Has = Has(1 << 2);
    /// A DPP form (GCN 1.2 on).
    pub const DPP: Has = Has(1 << 3);
    /// ABS of float sources.
    pub const ABS: Has = Has(1 << 4);
    /// NEG of float sources.
    pub const NEG: Has = Has(1 << 5);
    /// CLAMP.
    pub const CLAMP: Has = Has(1 << 6);
    /// OMOD.
    pub const OMOD: Has = Has(1 << 7);
    /// OP_SEL from GCN 1.4 on, then in place of OMOD.
    pub const OP_SEL: Has = Has(1 << 8);
    /// A second destination for carry or scale: VCC; in VOP3 form (VOP3b) the pair in SDST.
    pub const VCC_OUT: Has = Has(1 << 9);
    /// A lane mask as last source: VCC; in VOP3 form the pair in SRC2.
    pub const VCC_IN: Has = Has(1 << 10);
    /// The destination is a scalar register.
    pub const SDST: Has = Has(1 << 11);
    /// SRC0 must be a register.
    pub const REG0: Has = Has(1 << 12);
    /// SRC0 must be a VGPR.
    pub const VGPR0: Has = Has(1 << 22);
    /// SRC0 must not be a VGPR.
    pub const SCALAR0: Has = Has(1 << 13);
    /// SRC1 is a lane number (in VOP2 a scalar source), and EXEC does not matter.
    pub const LANE1: Has = Has(1 << 14);
    /// A constant follows; it is source 1.
    pub const MADMK: Has = Has(1 << 15);
    /// A constant follows; it is source 2.
    pub const MADAK: Has = Has(1 << 16);
    /// The mnemonic takes no suffix.
    pub const BARE: Has = Has(1 << 17);
    /// Unused fields of the VOP3 form are ignored.
    pub const LAX: Has = Has(1 << 18);
    /// The first source is an interpolation attribute.
    pub const ATTR: Has = Has(1 << 19);
    /// VOP3P with NEG_LO and NEG_HI.
    pub const PK: Has = Has(1 << 20);
    /// VOP3P with ABS and NEG in their place.
    pub const MIX: Has = Has(1 << 21);
    /// From GCN 1.4 on a 16-bit result is written to one half of VDST, and the other half is kept.
    pub const HALF: Has = Has(1 << 23);

    /// Union.
    pub const fn or(self, other: Has) -> Has {
        Has(self.0 | other.0)
    }

    /// Has one of `other`.
    pub const fn any(self, other: Has) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a memory instruction does with its data.
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
    /// What happens to the data.
    pub kind: Access,
    /// Dwords of the destination (FLAT).
    pub vdst: u8,
    /// Dwords of the data register (scalar loads: of the destination).
    pub data: u8,
    /// Dwords of the scalar base: 2 for an address, 4 for a buffer descriptor.
    pub base: u8,
    /// Data is 16 bits per component, from GCN 1.4 on two to a register.
    pub d16: bool,
    /// The LDS bit is allowed.
    pub lds: bool,
}

impl MemShape {
    pub(crate) const NONE: MemShape =
        MemShape { kind: Access::Load, vdst: 0, data: 0, base: 0, d16: false, lds: false };
}

impl MemShape {
    /// Registers of the vector data.
    pub const fn data_dwords(self, arch: Arch) -> u32 {
        let packed = self.d16 && arch.is_gcn14_or_later();
        if packed { (self.data as u32).div_ceil(2) } else { self.data as u32 }
    }
}

/// Offsets of a DS instruction.
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
    /// ADDR is used.
    pub addr: bool,
    /// Dwords of DATA0 and DATA1.
    pub data: [u8; 2],
    /// Offsets.
    pub offset: DsOffset,
    /// The GDS bit must be set.
    pub gds: bool,
}

impl DsShape {
    pub(crate) const NONE: DsShape = DsShape { vdst: 0, addr: false, data: [0; 2], offset: DsOffset::One, gds: false };
}

/// How many dwords the data of an image instruction has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ImageData {
    /// One per bit of DMASK.
    Mask,
    /// Four.
    Four,
    /// That many, or twice that with 64-bit data.
    Atomic(u8),
}

/// Columns of MIMG rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageShape {
    /// What happens to the data.
    pub kind: Access,
    /// Address registers named in text. How many are really read depends on the image.
    pub vaddr: u8,
    /// Data registers.
    pub data: ImageData,
    /// There is a sampler descriptor.
    pub sampler: bool,
    /// The D16 bit is allowed (GCN 1.2 on).
    pub d16: bool,
}

impl ImageShape {
    pub(crate) const NONE: ImageShape =
        ImageShape { kind: Access::Load, vaddr: 1, data: ImageData::Mask, sampler: false, d16: false };
}

impl ImageShape {
    /// Registers of the data in any case.
    pub(crate) const fn least_data(self) -> u32 {
        match self.data {
            ImageData::Mask => 1,
            ImageData::Four => 4,
            ImageData::Atomic(n) => n as u32,
        }
    }

    /// Registers of the data as LLVM names them, by DMASK, TFE and D16 (packed from GCN 1.4 on).
    pub(crate) const fn data_dwords(self, arch: Arch, dmask: u32, tfe: bool, d16: bool) -> u32 {
        let count = match self.data {
            ImageData::Four => 4,
            _ if dmask == 0 => 1,
            _ => dmask.count_ones(),
        };
        let count = if d16 && arch.is_gcn14_or_later() { count.div_ceil(2) } else { count };
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

/// Implicit effects of a vector ALU row. All but those that do nothing depend on MODE (VSKIP, GPR-index mode, and what
/// floats ask) and on M0 (GPR-index mode), and all but those that name a lane on EXEC.
const fn vector_fx(has: Has, listed: Fx) -> Fx {
    if has.any(Has::BARE) {
        return listed;
    }
    let fx = listed.or(Fx::RMODE).or(Fx::RM0);
    let fx = if has.any(Has::LANE1) { fx } else { fx.or(Fx::REXEC) };
    let fx = if has.any(Has::VCC_IN) { fx.or(Fx::RVCC) } else { fx };
    if has.any(Has::VCC_OUT) { fx.or(Fx::WVCC) } else { fx }
}

macro_rules! vector_table {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident {
        op: [$($op:tt)*], dst: $dst:ident, src: [$($src:ident)*], has: [$($has:ident)*]
        $(, fx: [$($fx:ident)*])? $(, unknown: $unknown:literal)?
    })*) => {
        #[doc = concat!("Instructions of encoding ", stringify!($ENC), ".")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $Enum {
            $(#[doc = concat!("`", stringify!($name), "`")] $Variant,)*
        }

        impl $Enum {
            const HAS: &'static [Has] = &[$(Has::NONE $(.or(Has::$has))*),*];

            /// What its words can express.
            pub const fn has(self) -> Has {
                Self::HAS[self as usize]
            }
        }

        other_rows! { $Enum $($name $Variant [$($op)*] $dst [$($src)*]
            (vector_fx($Enum::HAS[$Enum::$Variant as usize], Fx::NONE$($(.or(Fx::$fx))*)?)) (false $(|| $unknown)?))* }
    };
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

            /// The columns of its row.
            pub const fn shape(self) -> $Shape {
                Self::SHAPES[self as usize]
            }
        }

        other_rows! { $Enum $($name $Variant [$($op)*] none [] ($fx) (false))* }
    };
}

macro_rules! other_rows {
    ($Enum:ident $($name:ident $Variant:ident [$($op:tt)*] $dst:ident [$($src:ident)*] ($fx:expr) ($unknown:expr))*) => {
        impl $Enum {
            /// Every instruction of the encoding, in table order.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),*];

            pub(super) const ROWS: &'static [InstDesc] = &[$(InstDesc {
                opcode: Opcode::Other(Other::$Enum($Enum::$Variant)),
                mnemonic: stringify!($name),
                encoding: Encoding::$Enum,
                op: [$(opcode_number!($op)),*],
                dst: OperandType::$dst,
                src: &[$(OperandType::$src),*],
                fx: $fx,
                kind: Kind::Other,
                flow: Flow::Next,
                unknown: $unknown,
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

vop1::for_each_vop1!(vector_table);
vop2::for_each_vop2!(vector_table);
vop3::for_each_vop3!(vector_table);
vop3p::for_each_vop3p!(vector_table);
vintrp::for_each_vintrp!(vector_table);
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

macro_rules! other_enum {
    ($($(#[$doc:meta])* $Enum:ident)*) => {
        /// An instruction outside the core, by encoding.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Other {
            $($(#[$doc])* $Enum($Enum),)*
        }

        impl Other {
            /// The instruction's row.
            pub(crate) fn desc(self) -> &'static InstDesc {
                match self { $(Other::$Enum(op) => &$Enum::ROWS[op as usize]),* }
            }
        }

        /// Rows outside the core, encoding by encoding.
        pub(super) const OTHER_ROWS: &[&[InstDesc]] = &[$($Enum::ROWS),*];
    };
}

other_enum! {
    /// Scalar memory reads (GCN 1.0 and 1.1).
    Smrd
    /// Scalar memory (GCN 1.2 on).
    Smem
    /// One vector source.
    Vop1
    /// Two vector sources.
    Vop2
    /// Up to three vector sources.
    Vop3
    /// Packed operations.
    Vop3p
    /// Parameter interpolation.
    Vintrp
    /// Local and global data share.
    Ds
    /// Generic addresses.
    Flat
    /// Global addresses.
    Global
    /// Private memory.
    Scratch
    /// Untyped buffers.
    Mubuf
    /// Typed buffers.
    Mtbuf
    /// Images.
    Mimg
    /// Exports.
    Exp
}
