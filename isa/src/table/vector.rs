//! Rows of the vector ALU: VOP1, VOP2, VOP3, VOP3P and VINTRP.
//!
//! ```text
//! v_not_b32 = VNotB32 { op: [55 55 43 43 43], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = ~S0" }
//! ```
//!
//! A row has the name of its mnemonic. Where two rows of an encoding have the same mnemonic, one row has another name,
//! and `mnemonic` says what is written. Types are as in the core. (`none` in `src` is an attribute or parameter of
//! VINTRP; in VOP3P a type is that of one half; source 1 of MADMK and source 2 of MADAK are the constant.) `has` lists
//! what the words can express ([`Has`]). `fx` lists implicit effects besides those that all instructions share (see
//! `vector_fx`). `unknown` is as in the core. The operation in words stands last.

use super::Opcode;
use super::desc::{Encoding, Flow, Fx, InstDesc, NO_OPCODE};
use crate::operand::OperandType;

/// The set of things that the words of a vector instruction can express.
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
    /// OP_SEL from GCN 1.4 on, where it replaces OMOD.
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
    /// VOP3P with ABS and NEG in the place of NEG_LO and NEG_HI.
    pub const MIX: Has = Has(1 << 21);
    /// A 16-bit result is written to one half of VDST from GCN 1.4 on, and the other half is kept.
    pub const HALF: Has = Has(1 << 23);

    /// The union of both sets.
    pub const fn or(self, other: Has) -> Has {
        Has(self.0 | other.0)
    }

    /// Whether it has one of `other`.
    pub const fn any(self, other: Has) -> bool {
        self.0 & other.0 != 0
    }
}

/// Implicit effects of a vector ALU row. All instructions except those that do nothing depend on MODE (VSKIP, GPR-index
/// mode, float modes) and on M0 (GPR-index mode). All except those that name a lane depend on EXEC.
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
        op: [$($op:tt)*] $(, gfx904: $gfx904:tt)? $(, mnemonic: $mnemonic:ident)?, dst: $dst:ident, src: [$($src:ident)*], has: [$($has:ident)*]
        $(, fx: [$($fx:ident)*])? $(, unknown: $unknown:literal)?, $meaning:literal
    })*) => {
        #[doc = concat!("Instructions of encoding ", stringify!($ENC), ".")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $Enum {
            $(#[doc = concat!("`", vector_table!(@mnemonic $name $($mnemonic)?), "`: `", $meaning, "`")] $Variant,)*
        }

        impl $Enum {
            /// Every instruction of the encoding, in table order.
            pub const ALL: &'static [$Enum] = &[$($Enum::$Variant),*];

            pub(super) const ROWS: &'static [InstDesc] = &[$({
                let has = Has::NONE $(.or(Has::$has))*;
                InstDesc {
                    opcode: Opcode::$Enum($Enum::$Variant),
                    mnemonic: vector_table!(@mnemonic $name $($mnemonic)?),
                    encoding: Encoding::$Enum,
                    op: opcode_numbers!([$($op)*] $($gfx904)?),
                    dst: OperandType::$dst,
                    src: &[$(OperandType::$src),*],
                    has,
                    fx: vector_fx(has, Fx::NONE $($(.or(Fx::$fx))*)?),
                    kind: Encoding::$Enum.class(),
                    flow: Flow::Next,
                    unknown: false $(|| $unknown)?,
                    meaning: $meaning,
                }
            }),*];
        }
    };
    (@mnemonic $name:ident) => { stringify!($name) };
    (@mnemonic $name:ident $mnemonic:ident) => { stringify!($mnemonic) };
}

crate::for_each_vop1!(vector_table);
crate::for_each_vop2!(vector_table);
crate::for_each_vop3!(vector_table);
crate::for_each_vop3p!(vector_table);
crate::for_each_vintrp!(vector_table);
