//! VOP3: up to three vector sources. Promoted instructions are in the modules of their encodings. There is one function
//! per instruction: its arguments are the sources, its result is the destination.

pub(super) mod float;
pub(super) mod int;
pub(super) mod interpolation;
pub(super) mod sad;

use gcnsim_isa::Vop3;

use super::vector::op::action_of_rows;

gcnsim_isa::for_each_vop3!(action_of_rows);

/// The actions of all rows.
mod rows {
    pub use super::float::rows::*;
    pub use super::int::rows::*;
    pub use super::interpolation::rows::*;
    pub use super::sad::rows::*;
    pub use crate::vector::special::rows::{v_readlane_b32, v_writelane_b32};
    // Instructions that are VOP2 on older generations.
    pub use crate::vop2::float::rows::{
        v_cvt_pkaccum_u8_f32, v_cvt_pknorm_i16_f32, v_cvt_pknorm_u16_f32, v_cvt_pkrtz_f16_f32, v_ldexp_f32,
    };
    pub use crate::vop2::int::rows::{
        v_bcnt_u32_b32, v_bfm_b32, v_cvt_pk_i16_i32, v_cvt_pk_u16_u32, v_mbcnt_hi_u32_b32, v_mbcnt_lo_u32_b32,
    };
    // Two names of one instruction. (V_MAD_LEGACY_* differ from V_MAD_* in what happens to the upper half.)
    pub use super::int::rows::{v_mad_i16 as v_mad_legacy_i16, v_mad_u16 as v_mad_legacy_u16};
    pub use super::sad::rows::v_qsad_pk_u16_u8 as v_qsad_u8;
    // Rows that are not executed have `nothing`.
    pub use crate::vector::special::rows::{nothing as v_mac_legacy_f32, nothing as v_readlane_regrd_b32};
}

/// Whether GCN 1.4 changed the rule for the upper half of the destination, and our rule is no more than likely.
pub(super) fn has_new_upper_half(op: Vop3) -> bool {
    use Vop3::*;
    matches!(
        op,
        VMin3F16
            | VMin3I16
            | VMin3U16
            | VMax3F16
            | VMax3I16
            | VMax3U16
            | VMed3F16
            | VMed3I16
            | VMed3U16
            | VAddI16
            | VSubI16
    )
}
