//! The instruction table. There is one row per instruction, and everything else about an instruction is derived from
//! it.
//!
//! A row of the core encodings reads
//!
//! ```text
//! s_add_u32 = SAddU32 { op: [0 0 0 0 0], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "meaning" }
//! ```
//!
//! * `op`: opcode number on GCN 1.0, 1.1, 1.2, 1.4, 1.4.1; `-` where the generation lacks it. In VOP3P `gfx904` may
//!   follow: the number on that chip, if it is not that of 1.4.
//! * `dst`: type of SDST as a destination, or `none`.
//! * `src`: operand types in order. They come from SSRC0, SSRC1 (SOP1, SOP2, SOPC); in SOPK from SDST,
//!   except `simm`/`uimm` (SIMM16, sign-/zero-extended) and `lit` (the dword that follows).
//! * `fx`: what else it reads and writes ([`Fx`]).
//! * `kind`: its class in instruction counts; `flow`: where control goes next.
//! * `unknown` marks the two instructions whose meaning nobody documents.
//!
//! A VOPC row gives the operand type, the predicate, and `writes_exec` (V_CMPX) or `signalling` (V_CMPS). Rows
//! outside the core have columns of their own: see `vector.rs` and `memory.rs`.

/// Turns a cell of the `op` column into a number.
macro_rules! opcode_number {
    (-) => {
        NO_OPCODE
    };
    ($n:literal) => {
        $n
    };
}

/// Turns the five cells of the `op` column into the opcode numbers of [`InstDesc::op`]: gfx810 has those of GCN 1.2,
/// and gfx904 those of GCN 1.4, if the row does not state another.
macro_rules! opcode_numbers {
    ([$gcn10:tt $gcn11:tt $gcn12:tt $gcn14:tt $gcn141:tt]) => {
        opcode_numbers!([$gcn10 $gcn11 $gcn12 $gcn14 $gcn141] $gcn14)
    };
    ([$gcn10:tt $gcn11:tt $gcn12:tt $gcn14:tt $gcn141:tt] $gfx904:tt) => {
        [
            opcode_number!($gcn10),
            opcode_number!($gcn11),
            opcode_number!($gcn12),
            opcode_number!($gcn12),
            opcode_number!($gcn14),
            opcode_number!($gfx904),
            opcode_number!($gcn141),
        ]
    };
}

mod check;
mod desc;
mod ds;
mod exp;
mod flat;
mod global;
mod image;
mod memory;
mod mimg;
mod mtbuf;
mod mubuf;
mod operation;
mod scratch;
mod smem;
mod smrd;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod transfer;
mod vector;
mod vintrp;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;

use crate::arch::Arch;
use crate::operand::OperandType;
pub(crate) use check::Check;
pub use desc::{Cmp, Encoding, Flow, Fx, InstDesc, Kind, NO_OPCODE, Pred};
pub use image::{ImageData, ImageMove, ImageShape, LodSource, Lookup, MipLevel, Texel};
pub use memory::{
    Access, Base, Ds, DsOffset, DsShape, Exp, ExpShape, Flat, Global, MemShape, Mimg, Mtbuf, Mubuf, Scratch, Smem, Smrd,
};
pub use transfer::{Atomic, Load, Packing, Part, Share, Store, Transfer, Width};
pub use vector::{Has, Vintrp, Vop1, Vop2, Vop3, Vop3p};

macro_rules! fx_bits {
    ($($fx:ident)*) => { Fx::NONE $(.or(Fx::$fx))* };
}

macro_rules! scalar_table {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident {
        op: [$($op:tt)*], dst: $dst:ident, src: [$($src:ident)*], fx: [$($fx:ident)*],
        kind: $kind:ident, flow: $flow:ident, $($unknown:ident)? $meaning:literal
    })*) => {
        #[doc = concat!("Instructions of encoding ", stringify!($ENC), ".")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $Enum {
            $(#[doc = concat!("`", stringify!($name), "`: `", $meaning, "`")] $Variant,)*
        }

        impl $Enum {
            /// Every instruction of the encoding, in table order.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),*];

            const ROWS: &'static [InstDesc] = &[$(InstDesc {
                opcode: Opcode::$Enum($Enum::$Variant),
                mnemonic: stringify!($name),
                encoding: Encoding::$Enum,
                op: opcode_numbers!([$($op)*]),
                dst: OperandType::$dst,
                src: &[$(OperandType::$src),*],
                has: Has::NONE,
                fx: fx_bits!($($fx)*),
                kind: Kind::$kind,
                flow: Flow::$flow,
                unknown: scalar_table!(@unknown $($unknown)?),
                meaning: $meaning,
            }),*];
        }
    };
    (@unknown) => { false };
    (@unknown unknown) => { true };
}

macro_rules! compare_table {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident {
        op: [$($op:tt)*], $ty:ident $pred:ident $($flag:ident)*
    })*) => {
        /// Vector compares, in their VOPC and VOP3 forms.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum $Enum {
            $(#[doc = concat!("`", stringify!($name), "`")] $Variant,)*
        }

        impl $Enum {
            /// Every compare, in table order.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),*];

            const CMPS: &'static [Cmp] = &[$(Cmp {
                ty: OperandType::$ty,
                pred: Pred::$pred,
                writes_exec: compare_table!(@has writes_exec $($flag)*),
                signalling: compare_table!(@has signalling $($flag)*),
            }),*];

            const ROWS: &'static [InstDesc] = &[$(InstDesc {
                opcode: Opcode::$Enum($Enum::$Variant),
                mnemonic: stringify!($name),
                encoding: Encoding::$Enum,
                op: opcode_numbers!([$($op)*]),
                dst: OperandType::b64,
                src: Pred::$pred.operand_types(OperandType::$ty),
                has: Has::NONE,
                fx: Fx::REXEC.or(Fx::RMODE).or(Fx::RM0).or(
                    if compare_table!(@has writes_exec $($flag)*) { Fx::WEXEC } else { Fx::NONE }),
                kind: Kind::Vcmp,
                flow: Flow::Next,
                unknown: false,
                meaning: "",
            }),*];

            /// Operand type, predicate and variant.
            pub const fn cmp(self) -> Cmp {
                Self::CMPS[self as usize]
            }
        }
    };
    (@has $want:ident) => { false };
    (@has writes_exec writes_exec $($rest:ident)*) => { true };
    (@has signalling signalling $($rest:ident)*) => { true };
    (@has $want:ident $other:ident $($rest:ident)*) => { compare_table!(@has $want $($rest)*) };
}

crate::for_each_sop1!(scalar_table);
crate::for_each_sop2!(scalar_table);
crate::for_each_sopc!(scalar_table);
crate::for_each_sopk!(scalar_table);
crate::for_each_sopp!(scalar_table);
crate::for_each_vopc!(compare_table);

macro_rules! opcodes {
    ($($(#[$doc:meta])* $Enum:ident)*) => {
        /// The identity of an instruction, which does not depend on generation and operands.
        ///
        /// Engines match on the inner enums without a wildcard arm, so that a new row does not compile until
        /// both have decided what to do with it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Opcode {
            $($(#[$doc])* $Enum($Enum),)*
        }

        impl Opcode {
            /// The instruction's row.
            pub fn desc(self) -> &'static InstDesc {
                match self { $(Opcode::$Enum(op) => op.row()),* }
            }
        }

        $(impl $Enum {
            /// The instruction's row.
            #[inline]
            pub(crate) fn row(self) -> &'static InstDesc {
                &Self::ROWS[self as usize]
            }
        }

        impl From<$Enum> for Opcode {
            fn from(op: $Enum) -> Opcode {
                Opcode::$Enum(op)
            }
        })*

        /// Rows by encoding, the core first.
        const ROWS: &[&[InstDesc]] = &[$($Enum::ROWS),*];
    };
}

opcodes! {
    /// One scalar source.
    Sop1
    /// Two scalar sources.
    Sop2
    /// Scalar compares.
    Sopc
    /// 16-bit immediates.
    Sopk
    /// Program control.
    Sopp
    /// Vector compares.
    Vopc
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

impl Opcode {
    /// The checks of the operands of a core instruction; `None` for SOPP and outside the core.
    pub(crate) fn core_check(self) -> Option<&'static Check> {
        match self {
            Opcode::Sop1(op) => Some(op.check()),
            Opcode::Sop2(op) => Some(op.check()),
            Opcode::Sopc(op) => Some(op.check()),
            Opcode::Sopk(op) => Some(op.check()),
            Opcode::Vopc(op) => Some(op.check()),
            _ => None,
        }
    }
}

/// Rows of the core: every scalar instruction and every compare.
pub fn core_rows() -> impl Iterator<Item = &'static InstDesc> {
    all_rows().filter(|row| row.encoding.is_core())
}

/// Rows of all encodings, the core first.
pub fn all_rows() -> impl Iterator<Item = &'static InstDesc> {
    ROWS.iter().copied().flatten()
}

/// Indexes instructions by opcode number, per generation: `index[arch][op]`.
const fn index_rows<T: Copy, const N: usize>(rows: &[InstDesc], all: &[T]) -> [[Option<T>; N]; Arch::ALL.len()] {
    let mut index = [[None; N]; Arch::ALL.len()];
    let mut row = 0;
    while row < rows.len() {
        let mut arch = 0;
        while arch < Arch::ALL.len() {
            let op = rows[row].op[arch];
            if op != NO_OPCODE {
                assert!(index[arch][op as usize].is_none(), "two rows claim one opcode");
                index[arch][op as usize] = Some(all[row]);
            }
            arch += 1;
        }
        row += 1;
    }
    index
}

macro_rules! lookup {
    ($fn_name:ident, $Enum:ident, $n:literal) => {
        #[doc = concat!("The ", stringify!($Enum), " instruction with opcode number `op` (< ", $n, ") on `arch`.")]
        pub(crate) fn $fn_name(arch: Arch, op: u32) -> Option<$Enum> {
            static INDEX: [[Option<$Enum>; $n]; Arch::ALL.len()] = index_rows($Enum::ROWS, $Enum::ALL);
            INDEX[arch as usize][op as usize]
        }
    };
}

macro_rules! check {
    ($($Enum:ident)*) => {$(
        impl $Enum {
            /// The checks of its operands.
            pub(crate) fn check(self) -> &'static Check {
                static CHECKS: [Check; $Enum::ALL.len()] = check::checks($Enum::ROWS);
                &CHECKS[self as usize]
            }
        }
    )*};
}

check!(Sop1 Sop2 Sopc Sopk Vopc Vop1 Vop2 Vop3 Vop3p Vintrp);

lookup!(lookup_sop1, Sop1, 256);
lookup!(lookup_sop2, Sop2, 128);
lookup!(lookup_sopc, Sopc, 128);
lookup!(lookup_sopk, Sopk, 32);
lookup!(lookup_sopp, Sopp, 128);
lookup!(lookup_vopc, Vopc, 256);
lookup!(lookup_smrd, Smrd, 32);
lookup!(lookup_smem, Smem, 256);
lookup!(lookup_vop1, Vop1, 256);
lookup!(lookup_vop2, Vop2, 64);
lookup!(lookup_vop3, Vop3, 1024);
lookup!(lookup_vop3p, Vop3p, 128);
lookup!(lookup_vintrp, Vintrp, 4);
lookup!(lookup_ds, Ds, 256);
lookup!(lookup_flat, Flat, 128);
lookup!(lookup_global, Global, 128);
lookup!(lookup_scratch, Scratch, 128);
lookup!(lookup_mubuf, Mubuf, 128);
lookup!(lookup_mtbuf, Mtbuf, 16);
lookup!(lookup_mimg, Mimg, 128);
