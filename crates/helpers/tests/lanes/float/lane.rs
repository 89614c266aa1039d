//! Calls lane functions by name.

use gcnsim_helpers::valu::float::*;

/// Calls a lane function by name. Returns the result and, for DIV_SCALE, the mask bit.
pub fn lane(name: &str, m: &FloatMode, s: &[u64], notes: &mut u32) -> Option<(u64, bool)> {
    macro_rules! call {
        ($($T:ty => $($function:ident($($i:literal: $S:ty),*))*;)*) => {
            match name {
                $($(stringify!($function) => Some(($function(m, $(s[$i] as $S,)* notes).into(), false)),)*)*
                "v_div_scale_f32" => {
                    let (value, post) = v_div_scale_f32(m, s[0] as u32, s[1] as u32, s[2] as u32, notes);
                    Some((value.into(), post))
                }
                "v_div_scale_f64" => Some(v_div_scale_f64(m, s[0], s[1], s[2], notes)),
                "v_div_fmas_f32" => {
                    let [s0, s1, s2] = [s[0] as u32, s[1] as u32, s[2] as u32];
                    Some((v_div_fmas_f32(m, s0, s1, s2, s[3] != 0, notes).into(), false))
                }
                "v_div_fmas_f64" => Some((v_div_fmas_f64(m, s[0], s[1], s[2], s[3] != 0, notes), false)),
                "omod_f16" => Some((omod_f16(m, s[1] as u32, s[0] as u16, notes).into(), false)),
                "omod_f32" => Some((omod_f32(m, s[1] as u32, s[0] as u32, notes).into(), false)),
                "omod_f64" => Some((omod_f64(m, s[1] as u32, s[0], notes), false)),
                "clamp_f16" => Some((clamp_f16(m, s[0] as u16).into(), false)),
                "clamp_f32" => Some((clamp_f32(m, s[0] as u32).into(), false)),
                "clamp_f64" => Some((clamp_f64(m, s[0]), false)),
                _ => None,
            }
        };
    }
    call! {
        u32 =>
            v_add_f32(0: u32, 1: u32) v_sub_f32(0: u32, 1: u32) v_subrev_f32(0: u32, 1: u32) v_mul_f32(0: u32, 1: u32)
            v_mul_legacy_f32(0: u32, 1: u32) v_mac_f32(0: u32, 1: u32, 2: u32) v_mad_f32(0: u32, 1: u32, 2: u32)
            v_madmk_f32(0: u32, 1: u32, 2: u32) v_madak_f32(0: u32, 1: u32, 2: u32)
            v_mac_legacy_f32(0: u32, 1: u32, 2: u32) v_mad_legacy_f32(0: u32, 1: u32, 2: u32)
            v_fma_f32(0: u32, 1: u32, 2: u32) v_fmac_f32(0: u32, 1: u32, 2: u32) v_mullit_f32(0: u32, 1: u32, 2: u32)
            v_min_f32(0: u32, 1: u32) v_max_f32(0: u32, 1: u32) v_min_legacy_f32(0: u32, 1: u32)
            v_max_legacy_f32(0: u32, 1: u32) v_min3_f32(0: u32, 1: u32, 2: u32) v_max3_f32(0: u32, 1: u32, 2: u32)
            v_med3_f32(0: u32, 1: u32, 2: u32) v_trunc_f32(0: u32) v_ceil_f32(0: u32) v_floor_f32(0: u32)
            v_rndne_f32(0: u32) v_fract_f32(0: u32) v_frexp_mant_f32(0: u32) v_frexp_exp_i32_f32(0: u32)
            v_ldexp_f32(0: u32, 1: u32) v_div_fixup_f32(0: u32, 1: u32, 2: u32) v_rcp_f32(0: u32)
            v_rcp_iflag_f32(0: u32) v_rsq_f32(0: u32) v_sqrt_f32(0: u32) v_exp_f32(0: u32) v_log_f32(0: u32)
            v_sin_f32(0: u32) v_cos_f32(0: u32) v_rcp_clamp_f32(0: u32) v_rsq_clamp_f32(0: u32)
            v_rcp_legacy_f32(0: u32) v_rsq_legacy_f32(0: u32) v_log_clamp_f32(0: u32)
            v_cubeid_f32(0: u32, 1: u32, 2: u32) v_cubesc_f32(0: u32, 1: u32, 2: u32)
            v_cubetc_f32(0: u32, 1: u32, 2: u32) v_cubema_f32(0: u32, 1: u32, 2: u32)
            v_cvt_i32_f32(0: u32) v_cvt_u32_f32(0: u32) v_cvt_i32_f64(0: u64) v_cvt_u32_f64(0: u64)
            v_cvt_flr_i32_f32(0: u32) v_cvt_rpi_i32_f32(0: u32) v_cvt_f32_i32(0: u32) v_cvt_f32_u32(0: u32)
            v_cvt_f32_ubyte0(0: u32) v_cvt_f32_ubyte1(0: u32) v_cvt_f32_ubyte2(0: u32) v_cvt_f32_ubyte3(0: u32)
            v_cvt_off_f32_i4(0: u32) v_cvt_f32_f64(0: u64) v_cvt_f32_f16(0: u16) v_cvt_f16_f32(0: u32)
            v_cvt_pkrtz_f16_f32(0: u32, 1: u32) v_cvt_pknorm_i16_f32(0: u32, 1: u32)
            v_cvt_pknorm_u16_f32(0: u32, 1: u32)
            v_cvt_pknorm_i16_f16(0: u16, 1: u16) v_cvt_pknorm_u16_f16(0: u16, 1: u16)
            v_cvt_pk_u8_f32(0: u32, 1: u32, 2: u32) v_cvt_pkaccum_u8_f32(0: u32, 1: u32, 2: u32)
            v_mad_mix_f32(0: u32, 1: u32, 2: u32) v_fma_mix_f32(0: u32, 1: u32, 2: u32)
            v_dot2_f32_f16(0: u32, 1: u32, 2: u32) v_frexp_exp_i32_f64(0: u64);
        u64 =>
            v_add_f64(0: u64, 1: u64) v_mul_f64(0: u64, 1: u64) v_fma_f64(0: u64, 1: u64, 2: u64)
            v_min_f64(0: u64, 1: u64) v_max_f64(0: u64, 1: u64) v_trunc_f64(0: u64) v_ceil_f64(0: u64)
            v_floor_f64(0: u64) v_rndne_f64(0: u64) v_fract_f64(0: u64) v_frexp_mant_f64(0: u64)
            v_ldexp_f64(0: u64, 1: u32) v_div_fixup_f64(0: u64, 1: u64, 2: u64) v_rcp_f64(0: u64) v_rsq_f64(0: u64)
            v_sqrt_f64(0: u64) v_cvt_f64_f32(0: u32) v_cvt_f64_i32(0: u32) v_cvt_f64_u32(0: u32)
            v_trig_preop_f64(0: u64, 1: u32);
        u16 =>
            v_add_f16(0: u16, 1: u16) v_sub_f16(0: u16, 1: u16) v_subrev_f16(0: u16, 1: u16) v_mul_f16(0: u16, 1: u16)
            v_mad_f16(0: u16, 1: u16, 2: u16) v_fma_f16(0: u16, 1: u16, 2: u16) v_min_f16(0: u16, 1: u16)
            v_max_f16(0: u16, 1: u16) v_min3_f16(0: u16, 1: u16, 2: u16) v_max3_f16(0: u16, 1: u16, 2: u16)
            v_med3_f16(0: u16, 1: u16, 2: u16) v_trunc_f16(0: u16) v_ceil_f16(0: u16) v_floor_f16(0: u16)
            v_rndne_f16(0: u16) v_fract_f16(0: u16) v_frexp_mant_f16(0: u16) v_frexp_exp_i16_f16(0: u16)
            v_ldexp_f16(0: u16, 1: u16) v_div_fixup_f16(0: u16, 1: u16, 2: u16) v_rcp_f16(0: u16) v_rsq_f16(0: u16)
            v_sqrt_f16(0: u16) v_exp_f16(0: u16) v_log_f16(0: u16) v_sin_f16(0: u16) v_cos_f16(0: u16)
            v_cvt_f16_i16(0: u16) v_cvt_f16_u16(0: u16) v_cvt_i16_f16(0: u16) v_cvt_u16_f16(0: u16)
            v_cvt_norm_i16_f16(0: u16) v_cvt_norm_u16_f16(0: u16)
            v_mad_mixlo_f16(0: u32, 1: u32, 2: u32) v_fma_mixlo_f16(0: u32, 1: u32, 2: u32);
    }
}
