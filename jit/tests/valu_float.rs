//! The float lane functions of the vector ALU against exact values, and their fast paths against them.
//!
//! Where expected values come from:
//!
//! - `valu_float/vectors.txt`: rational arithmetic in Python, `valu_float/vectors.py`, written from the notes;
//! - `NOTES`: the check values of vector-alu.md section 11;
//! - `HARD`: the arguments of EXP, LOG, SIN, COS, RCP, RSQ and SQRT whose exact result lies nearest to the middle of two
//!   binary32 numbers. They were found, and results made, by evaluating all 2^32 arguments in binary64 with glibc, and
//!   in binary128 with libquadmath where binary64 does not decide the rounding;
//! - binary16: all arguments against the host's binary64 functions, which decide all but a few roundings.

use gcnsim_isa::Arch;
use gcnsim_jit::kernels::Level;
use gcnsim_jit::kernels::valu::float::fast::{Lanes, Pairs, fast, fast64};
use gcnsim_jit::kernels::valu::float::*;
use gcnsim_jit::kernels::valu::notes::TRANSCENDENTAL_APPROX;

/// Calls a lane function by name: result and, of DIV_SCALE, the mask bit.
fn lane(name: &str, m: &FloatMode, s: &[u64], notes: &mut u32) -> Option<(u64, bool)> {
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
            v_rcp_legacy_f32(0: u32) v_rsq_legacy_f32(0: u32) v_log_clamp_f32(0: u32) v_cubeid_f32(0: u32, 1: u32, 2: u32)
            v_cubesc_f32(0: u32, 1: u32, 2: u32) v_cubetc_f32(0: u32, 1: u32, 2: u32) v_cubema_f32(0: u32, 1: u32, 2: u32)
            v_cvt_i32_f32(0: u32) v_cvt_u32_f32(0: u32) v_cvt_i32_f64(0: u64) v_cvt_u32_f64(0: u64)
            v_cvt_flr_i32_f32(0: u32) v_cvt_rpi_i32_f32(0: u32) v_cvt_f32_i32(0: u32) v_cvt_f32_u32(0: u32)
            v_cvt_f32_ubyte0(0: u32) v_cvt_f32_ubyte1(0: u32) v_cvt_f32_ubyte2(0: u32) v_cvt_f32_ubyte3(0: u32)
            v_cvt_off_f32_i4(0: u32) v_cvt_f32_f64(0: u64) v_cvt_f32_f16(0: u16) v_cvt_f16_f32(0: u32)
            v_cvt_pkrtz_f16_f32(0: u32, 1: u32) v_cvt_pknorm_i16_f32(0: u32, 1: u32) v_cvt_pknorm_u16_f32(0: u32, 1: u32)
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

/// MODE with everything kept, IEEE and DX10_CLAMP, nearest even.
const DEFAULT: u32 = 0x3f0;

fn result(name: &str, m: &FloatMode, s: &[u64]) -> (u64, bool) {
    lane(name, m, s, &mut 0).unwrap_or_else(|| panic!("no lane function {name}"))
}

#[test]
fn exact_vectors() {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in include_str!("valu_float/vectors.txt").lines() {
        let (call, expected) = line.split_once(" = ").unwrap();
        let mut words = call.split(' ');
        let name = words.next().unwrap();
        let arch: Arch = words.next().unwrap().parse().unwrap();
        let mut hex = words.map(|word| u64::from_str_radix(word, 16).unwrap());
        let mode = hex.next().unwrap() as u32;
        let sources: Vec<u64> = hex.collect();
        let (value, mask) = result(name, &FloatMode::new(mode, arch), &sources);
        let text =
            if name.contains("div_scale") { format!("{value:x} {}", u32::from(mask)) } else { format!("{value:x}") };
        if text != expected {
            wrong.push(format!("{line}: {text}"));
        }
        lines += 1;
    }
    assert!(lines > 2000);
    assert!(wrong.is_empty(), "{} of {lines} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Check values of the notes: mnemonic, sources, result.
const NOTES: &[(&str, &[u64], u64)] = &[
    ("v_mad_f32", &[0x3f800001, 0x3f800001, 0xbf800002], 0),
    ("v_fma_f32", &[0x3f800001, 0x3f800001, 0xbf800002], 0x28800000),
    ("v_min_f32", &[0x7fc00000, 0x3f800000], 0x3f800000),
    ("v_max_f32", &[0x3f800000, 0x7fc00000], 0x3f800000),
    ("v_min_f32", &[0x7f800001, 0x3f800000], 0x7fc00001),
    ("v_fract_f32", &[0xb3000000], 0x3f7fffff),
    ("v_fract_f32", &[0xbf000000], 0x3f000000),
    ("v_fract_f32", &[0xff800000], 0xffc00000),
    ("v_cvt_rpi_i32_f32", &[0x3effffff], 0),
    ("v_cvt_flr_i32_f32", &[0xbf000000], 0xffffffff),
    ("v_cvt_rpi_i32_f32", &[0xffc00000], 0x80000000),
    ("v_cvt_flr_i32_f32", &[0xffc00000], 0x80000000),
    ("v_cvt_i32_f32", &[0xffc00000], 0),
    ("v_cvt_u32_f32", &[0xffc00000], 0),
    ("v_cvt_pknorm_i16_f32", &[0x3f000000, 0xbf000000], 0xc0004000),
    ("v_cvt_pknorm_i16_f32", &[0x3dcccccd, 0xbf800000], 0x80010ccd),
    ("v_cvt_pknorm_u16_f32", &[0x3f000000, 0x3f800000], 0xffff8000),
    ("v_cvt_pkrtz_f16_f32", &[0x3dcccccd, 0x477ff000], 0x7bff2e66),
    ("v_cvt_pkrtz_f16_f32", &[0x49742400, 0xc9742400], 0xfbff7bff),
    ("v_cvt_f16_f32", &[0x477fef00], 0x7bff),
    ("v_cvt_f16_f32", &[0x477ff000], 0x7c00),
    ("v_cvt_f16_f32", &[0x33000000], 0),
    ("v_cvt_f16_f32", &[0x33400000], 1),
    ("v_frexp_exp_i32_f32", &[1], 0xffffff6c),
    ("v_frexp_mant_f32", &[1], 0x3f000000),
    ("v_trig_preop_f64", &[0x3ff0000000000000, 0], 0x3fe45f306dc9c882),
    ("v_trig_preop_f64", &[0x3ff0000000000000, 1], 0x3c94a7f09d5f47d4),
    ("v_trig_preop_f64", &[0x3ff0000000000000, 2], 0x394a6ee06db14acc),
    ("v_trig_preop_f64", &[0x4480f0cf064dd592, 0], 0x3e8b727220a94fe0),
    ("v_trig_preop_f64", &[0x7e37e43c8800759c, 0], 0x0d0f516ba93dd63f),
    ("v_div_fmas_f32", &[0, 0, 0x40000000, 1], 0x60000000),
    ("v_div_fmas_f32", &[0, 0, 0x3f800000, 1], 0x1f800000),
];

/// DIV_SCALE of the notes: denominator, numerator, scaled denominator, scaled numerator, VCC.
const DIV_SCALE: &[(u64, u64, u64, u64, bool)] = &[
    (0x3f800000, 0x40000000, 0x3f800000, 0x40000000, false),
    (0x21800000, 0x5d800000, 0x41800000, 0x5d800000, true),
    (0x71800000, 0x35800000, 0x71800000, 0x55800000, true),
    (0x7f000000, 0x3f800000, 0x5f000000, 0x3f800000, true),
    (0x7f400000, 0x70000000, 0x5f400000, 0x50000000, false),
    (0x00800000, 0x08800000, 0x20800000, 0x28800000, false),
    (0x00000001, 0x3f800000, 0x15000000, 0x3f800000, true),
    (0x40400000, 0x03800000, 0x40400000, 0x23800000, true),
    (0x00000000, 0x3f800000, 0xffc00000, 0xffc00000, true),
];

#[test]
fn check_values_of_the_notes() {
    let m = FloatMode::new(DEFAULT, Arch::Gcn14);
    for &(name, sources, expected) in NOTES {
        assert_eq!(result(name, &m, sources).0, expected, "{name} {sources:x?}");
    }
    for &(d, n, scaled_d, scaled_n, post) in DIV_SCALE {
        assert_eq!(result("v_div_scale_f32", &m, &[d, d, n]), (scaled_d, post), "{d:x} {n:x}");
        assert_eq!(result("v_div_scale_f32", &m, &[n, d, n]), (scaled_n, post), "{d:x} {n:x}");
    }
    let m = FloatMode::new(DEFAULT & !0x200, Arch::Gcn14);
    assert_eq!(result("v_min_f32", &m, &[0x7f800001, 0x3f800000]).0, 0x3f800000);
}

/// Instructions without rational vectors: mnemonic, MODE, generation, sources, result; from the notes by hand.
const BY_HAND: &[(&str, u32, Arch, &[u64], u64)] = &[
    // An axis wins ties in the order Z, Y, X.
    ("v_cubeid_f32", DEFAULT, Arch::Gcn14, &[0x3f800000, 0x3f800000, 0xbf800000], 0x40a00000),
    ("v_cubeid_f32", DEFAULT, Arch::Gcn14, &[0x3f800000, 0xbf800000, 0], 0x40400000),
    ("v_cubeid_f32", DEFAULT, Arch::Gcn14, &[0xbf800000, 0, 0], 0x3f800000),
    ("v_cubeid_f32", DEFAULT, Arch::Gcn14, &[0, 0, 0x80000000], 0x40800000),
    ("v_cubesc_f32", DEFAULT, Arch::Gcn14, &[0x3f800000, 0, 0xc0000000], 0xbf800000),
    ("v_cubesc_f32", DEFAULT, Arch::Gcn14, &[0xc0000000, 0, 0x3f800000], 0x3f800000),
    ("v_cubesc_f32", DEFAULT, Arch::Gcn14, &[0x40000000, 0, 0x3f800000], 0xbf800000),
    ("v_cubetc_f32", DEFAULT, Arch::Gcn14, &[0, 0xc0000000, 0x3f800000], 0xbf800000),
    ("v_cubetc_f32", DEFAULT, Arch::Gcn14, &[0, 0x3f800000, 0x40000000], 0xbf800000),
    ("v_cubema_f32", DEFAULT, Arch::Gcn14, &[0, 0xc0000000, 0x3f800000], 0xc0800000),
    ("v_cubema_f32", 0x300, Arch::Gcn11, &[0, 0, 0x00000001], 0),
    ("v_cubema_f32", 0x300, Arch::Gcn11, &[0, 0, 0x00400000], 0x00800000),
    ("v_mullit_f32", DEFAULT, Arch::Gcn10, &[0x40000000, 0x40400000, 0x3f800000], 0x40c00000),
    ("v_mullit_f32", DEFAULT, Arch::Gcn10, &[0x40000000, 0x40400000, 0], 0xff7fffff),
    ("v_mullit_f32", DEFAULT, Arch::Gcn10, &[0x40000000, 0xff7fffff, 0x3f800000], 0xff7fffff),
    ("v_mullit_f32", DEFAULT, Arch::Gcn10, &[0x7fc00000, 0, 0x3f800000], 0),
    ("v_min_legacy_f32", DEFAULT, Arch::Gcn10, &[0x7fc00000, 0x3f800000], 0x3f800000),
    ("v_min_legacy_f32", DEFAULT, Arch::Gcn10, &[0x3f800000, 0x7f800001], 0x7f800001),
    ("v_min_legacy_f32", DEFAULT, Arch::Gcn10, &[0x80000000, 0], 0),
    ("v_max_legacy_f32", DEFAULT, Arch::Gcn10, &[0x80000000, 0], 0x80000000),
    ("v_max_legacy_f32", 0x300, Arch::Gcn10, &[1, 2], 2),
    ("v_rcp_clamp_f32", DEFAULT, Arch::Gcn10, &[0x80000000], 0xff7fffff),
    ("v_rsq_clamp_f32", DEFAULT, Arch::Gcn10, &[0], 0x7f7fffff),
    ("v_rcp_legacy_f32", DEFAULT, Arch::Gcn10, &[0x80000001], 0x80000000),
    ("v_rsq_legacy_f32", DEFAULT, Arch::Gcn10, &[0], 0),
    ("v_rsq_legacy_f32", DEFAULT, Arch::Gcn10, &[0xbf800000], 0xffc00000),
    ("v_log_clamp_f32", DEFAULT, Arch::Gcn10, &[0], 0xff7fffff),
    ("v_log_clamp_f32", DEFAULT, Arch::Gcn10, &[0x7f800000], 0x7f800000),
    ("v_cvt_off_f32_i4", DEFAULT, Arch::Gcn14, &[0xf8], 0xbf000000),
    ("v_cvt_off_f32_i4", DEFAULT, Arch::Gcn14, &[0x17], 0x3ee00000),
    ("v_cvt_off_f32_i4", 0x3f2, Arch::Gcn14, &[0x10], 0),
    ("v_cvt_f32_ubyte2", DEFAULT, Arch::Gcn14, &[0x12ff3456], 0x437f0000),
    ("v_cvt_pkaccum_u8_f32", DEFAULT, Arch::Gcn14, &[0x40200000, 6, 0x11223344], 0x11023344),
    // 1.5 * 2 + 0.5 * 4 + 1; with one S1 denormal, which is kept.
    ("v_dot2_f32_f16", DEFAULT, Arch::Gcn141, &[0x38003e00, 0x44004000, 0x3f800000], 0x40c00000),
    ("v_dot2_f32_f16", 0x300, Arch::Gcn141, &[0x00003c00, 0x00000001, 0], 0x33800000),
    // Quarters are exact; beyond 256 revolutions the generations differ.
    ("v_sin_f32", DEFAULT, Arch::Gcn14, &[0xbe800000], 0xbf800000),
    ("v_sin_f32", DEFAULT, Arch::Gcn14, &[0xbf000000], 0),
    ("v_cos_f32", DEFAULT, Arch::Gcn14, &[0xbf000000], 0xbf800000),
    ("v_cos_f32", DEFAULT, Arch::Gcn14, &[0xbe800000], 0),
    ("v_sin_f32", DEFAULT, Arch::Gcn14, &[0x43802000], 0x3f800000),
    ("v_sin_f32", DEFAULT, Arch::Gcn12, &[0x43802000], 0),
    ("v_cos_f32", DEFAULT, Arch::Gcn12, &[0x43804000], 0x3f800000),
    ("v_exp_f32", DEFAULT, Arch::Gcn14, &[0xc2fc0000], 0x00800000),
    ("v_exp_f32", DEFAULT, Arch::Gcn14, &[0xc2fc0001], 0),
    ("v_exp_f32", DEFAULT, Arch::Gcn14, &[0x43000000], 0x7f800000),
    ("v_exp_f32", DEFAULT, Arch::Gcn14, &[0x80000001], 0x3f800000),
    ("v_log_f32", DEFAULT, Arch::Gcn14, &[0x3e000000], 0xc0400000),
    ("v_log_f32", DEFAULT, Arch::Gcn14, &[0x007fffff], 0xff800000),
];

#[test]
fn by_hand() {
    for &(name, mode, arch, sources, expected) in BY_HAND {
        let (value, _) = result(name, &FloatMode::new(mode, arch), sources);
        assert_eq!(value, expected, "{name} {mode:x} {arch:?} {sources:x?}: {value:x}");
    }
}

fn f16_value(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let size = match bits >> 10 & 31 {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
    };
    if bits & 0x8000 != 0 { -size } else { size }
}

/// Every binary16 argument: the result is a neighbour of the host's value and no further from it than half the gap.
#[test]
fn all_of_binary16() {
    use std::f64::consts::TAU;
    let m = FloatMode::new(DEFAULT, Arch::Gcn14);
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 7] = [
        ("v_rcp_f16", |x| 1.0 / x),
        ("v_rsq_f16", |x| 1.0 / x.sqrt()),
        ("v_sqrt_f16", f64::sqrt),
        ("v_exp_f16", f64::exp2),
        ("v_log_f16", f64::log2),
        ("v_sin_f16", |x| (TAU * (x - x.round())).sin()),
        ("v_cos_f16", |x| (TAU * (x - x.round())).cos()),
    ];
    for (name, function) in functions {
        for bits in 0..=u16::MAX {
            let x = f16_value(bits);
            let want = function(x);
            let got = result(name, &m, &[bits.into()]).0 as u16;
            if want.is_nan() {
                let nan = if x.is_nan() { bits | 0x200 } else { 0xfe00 };
                assert_eq!(got, nan, "{name} {bits:x}");
                continue;
            }
            if want.is_infinite() || want.abs() >= 65520.0 {
                assert_eq!(got, if want > 0.0 { 0x7c00 } else { 0xfc00 }, "{name} {bits:x}");
                continue;
            }
            let value = f16_value(got);
            // Half the gap between numbers around the result, narrower below a power of two.
            let gap = |x: u16| (f16_value(x & 0x7fff).abs() - f16_value((x & 0x7fff).wrapping_sub(1) & 0x7fff)).abs();
            let side = if want.abs() < value.abs() { got } else { got + 1 };
            let limit = gap(side) / 2.0;
            let error = (want - value).abs();
            assert!(error <= limit * (1.0 + 1e-9) + 1e-15, "{name} {bits:x}: {got:x} for {want:e}");
        }
    }
}

/// Mnemonic, argument, result.
const HARD: &[(&str, u32, u32)] = &[];

#[test]
fn hard_arguments() {
    let m = FloatMode::new(DEFAULT, Arch::Gcn14);
    for &(name, argument, expected) in HARD {
        let (value, _) = result(name, &m, &[argument.into()]);
        assert_eq!(value as u32, expected, "{name} {argument:x}");
    }
}

// --- fast paths ---

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn mode(&mut self) -> FloatMode {
        let mut mode = self.next() as u32 & 0x3ff;
        if self.below(2) == 0 {
            // Both formats alike, as conversions want it.
            mode = mode & !0xc | (mode & 3) << 2;
        }
        if self.below(3) == 0 {
            mode &= !0xf;
        }
        mode |= if self.below(8) == 0 { 1 << 23 } else { 0 };
        FloatMode::new(mode, Arch::ALL[self.below(5) as usize])
    }

    /// `kind` 0: numbers near 1; 1: near the ends of the range, denormals, zeros; 2: anything; 3: integers;
    /// 4: binary16.
    fn f32(&mut self, kind: u64) -> u32 {
        let r = self.next() as u32;
        let sign = r & 0x8000_0000;
        let fraction = (self.next() as u32 & 0x7f_ffff) & !0u32.checked_shl(self.below(40) as u32).unwrap_or(0)
            | self.next() as u32 & 3;
        match kind {
            0 => sign | (0x3f80_0000 + (r & 0x0fff_ffff) - 0x0800_0000),
            1 => {
                sign | [0, 0x0080_0000, 0x0100_0000, 0x3f80_0000, 0x7f00_0000, 0x0c00_0000, 0x3300_0000][r as usize % 7]
                    | fraction
            }
            2 => r,
            3 => [r, r >> 24, sign | r >> 8 & 0x1ff, (r as i32 >> 20) as u32][self.below(4) as usize],
            _ => r & 0xffff | if self.below(2) == 0 { 0 } else { r & 0xffff_0000 },
        }
    }

    /// Lanes of one kind, or of all (5).
    fn lanes(&mut self, kind: u64) -> Lanes {
        std::array::from_fn(|_| {
            let kind = if kind == 5 { self.below(5) } else { kind };
            let x = self.f32(kind);
            // NaN is for other tests, mostly: a fast path declines.
            let x = if kind == 4 && x & 0x7fff > 0x7c00 { x & !0x4000 } else { x };
            if x & 0x7fff_ffff > 0x7f80_0000 && kind != 3 { x & 0xbfff_ffff } else { x }
        })
    }
}

const FAST: &[&str] = &[
    "v_add_f32",
    "v_sub_f32",
    "v_subrev_f32",
    "v_mul_f32",
    "v_mul_legacy_f32",
    "v_mac_f32",
    "v_mad_f32",
    "v_madmk_f32",
    "v_madak_f32",
    "v_mac_legacy_f32",
    "v_mad_legacy_f32",
    "v_fma_f32",
    "v_fmac_f32",
    "v_min_f32",
    "v_max_f32",
    "v_min3_f32",
    "v_max3_f32",
    "v_med3_f32",
    "v_trunc_f32",
    "v_ceil_f32",
    "v_floor_f32",
    "v_rndne_f32",
    "v_fract_f32",
    "v_cvt_i32_f32",
    "v_cvt_u32_f32",
    "v_cvt_flr_i32_f32",
    "v_cvt_rpi_i32_f32",
    "v_cvt_f32_i32",
    "v_cvt_f32_u32",
    "v_cvt_f32_ubyte0",
    "v_cvt_f32_ubyte1",
    "v_cvt_f32_ubyte2",
    "v_cvt_f32_ubyte3",
    "v_cvt_off_f32_i4",
    "v_cvt_f32_f16",
    "v_cvt_f16_f32",
    "v_cvt_pkrtz_f16_f32",
    "v_ldexp_f32",
    "v_rcp_f32",
    "v_rcp_iflag_f32",
    "v_sqrt_f32",
    "v_rsq_f32",
];

const FAST64: &[&str] = &["v_add_f64", "v_mul_f64", "v_fma_f64", "v_min_f64", "v_max_f64"];

/// One of how many rounds a fast path has to handle: the portable ones know one rounding and few denormal modes.
fn share(level: Level) -> u64 {
    if level == Level::Portable { 60 } else { 20 }
}

/// Registers per mnemonic and level; more from the environment, for long runs.
fn rounds() -> u64 {
    std::env::var("VALU_FLOAT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn fast_paths_agree() {
    for level in Level::available() {
        for name in FAST {
            let Some(path) = fast(level, name) else {
                assert_eq!(level, Level::Portable, "{name} has no fast path");
                continue;
            };
            let mut random = Random(name.len() as u64);
            let mut accepted = 0;
            for round in 0..rounds() {
                let m = random.mode();
                // Sources of the same kind more often than by chance.
                let shared = random.below(12);
                let [a, b, c] = [(); 3].map(|()| {
                    let kind = if shared < 6 { shared } else { random.below(6) };
                    random.lanes(kind)
                });
                // Roots want positive sources.
                let a = if random.below(3) == 0 { a.map(|x| x & 0x7fff_ffff) } else { a };
                let mut d = [0xdead_beef; 64];
                let handled = (path.run)(&m, &a, &b, &c, &mut d);
                accepted += u64::from(handled);
                for i in 0..64 {
                    if !handled {
                        assert_eq!(d[i], 0xdead_beef, "{name} wrote although it declined");
                        continue;
                    }
                    let sources = [a[i], b[i], c[i]].map(u64::from);
                    let mut notes = 0;
                    let (want, _) = lane(name, &m, &sources, &mut notes).unwrap();
                    let context = || format!("{name} {level:?} round {round} {m:?} {sources:x?}");
                    assert_eq!(u64::from(d[i]), want, "{}: {:x} for {want:x}", context(), d[i]);
                    assert_eq!(path.notes, notes, "notes, {}", context());
                }
            }
            assert!(accepted >= rounds() / share(level), "{name} {level:?}: only {accepted} of {} rounds", rounds());
        }
    }
}

#[test]
fn fast_paths_of_binary64_agree() {
    for level in Level::available() {
        for name in FAST64 {
            let Some(path) = fast64(level, name) else {
                assert_eq!(level, Level::Portable, "{name} has no fast path");
                continue;
            };
            let mut random = Random(name.len() as u64);
            let mut accepted = 0;
            for round in 0..rounds() {
                let m = random.mode();
                let ends = random.below(2) == 0;
                let mut pairs = || -> Pairs {
                    let numbers: [u64; 64] = std::array::from_fn(|_| {
                        let exponent = match random.below(if ends { 4 } else { 1 }) {
                            0 => 1010 + random.below(26),
                            1 => random.below(3),
                            2 => 2044 + random.below(3),
                            _ => 480 + random.below(60),
                        };
                        let fraction = random.next() & !0u64.checked_shl(random.below(60) as u32).unwrap_or(0);
                        random.next() & 1 << 63 | exponent << 52 | fraction & ((1 << 52) - 1)
                    });
                    [numbers.map(|x| x as u32), numbers.map(|x| (x >> 32) as u32)]
                };
                let sources = [pairs(), pairs(), pairs()];
                let mut d = [[0xdead_beef; 64]; 2];
                let handled = (path.run)(&m, &sources[0], &sources[1], &sources[2], &mut d);
                accepted += u64::from(handled);
                for i in 0..64 {
                    let join = |x: &Pairs| u64::from(x[0][i]) | u64::from(x[1][i]) << 32;
                    let mut notes = 0;
                    let lanes = sources.each_ref().map(join);
                    let want =
                        if handled { lane(name, &m, &lanes, &mut notes).unwrap().0 } else { 0xdead_beef_dead_beef };
                    let got = join(&d);
                    assert_eq!(got, want, "{name} {level:?} round {round} {m:?} {lanes:x?}: {got:x} for {want:x}");
                    assert_eq!(path.notes, notes);
                }
            }
            assert!(accepted >= rounds() / share(level), "{name} {level:?}: only {accepted} of {} rounds", rounds());
        }
    }
}

/// A NaN in any lane makes arithmetic decline; approximate instructions say what note they stand for.
#[test]
fn fast_paths_decline_nan() {
    let m = FloatMode::new(DEFAULT, Arch::Gcn14);
    for level in Level::available() {
        for name in ["v_add_f32", "v_mad_f32", "v_min_f32", "v_rcp_f32", "v_cvt_f32_f16"] {
            let path = fast(level, name).unwrap();
            for i in [0, 17, 63] {
                let mut a = [0x3c00; 64];
                a[i] = 0x7fc0_7e00;
                let mut d = [1; 64];
                assert!(!(path.run)(&m, &a, &[0; 64], &[0; 64], &mut d), "{name} {level:?} lane {i}");
                assert_eq!(d, [1; 64]);
            }
            assert_eq!(path.notes, if name == "v_rcp_f32" { TRANSCENDENTAL_APPROX } else { 0 });
        }
    }
}
