//! Compares the float lane functions of the vector ALU with exact values, and their fast paths with them.
//!
//! The expected values have these sources:
//!
//! - `vectors.txt`: rational arithmetic in Python, `vectors.py`, written from docs/gcn/valu-float.md;
//! - `CHECKS`: the check values of docs/gcn/valu-check-values.md;
//! - `HARD`: the arguments of EXP, LOG, SIN, COS, RCP, RSQ and SQRT whose exact result lies nearest to the middle of
//!   two binary32 numbers, and some at the ends of ranges. They were found, and results made, by evaluating the
//!   functions in binary64 with glibc, and in binary128 with libquadmath where binary64 does not decide the rounding
//!   (relative distance below 2^-47). That comparison had no difference: LOG over all arguments; EXP, SIN and COS over
//!   all where the result is not trivial; RCP, RSQ and SQRT over every significand, at the ends of the range and in its
//!   middle;
//! - binary16: all arguments against the host's binary64 functions, which decide all but a few roundings.

mod fast_paths;
mod lane;

use gcnsim_helpers::valu::float::FloatMode;
use gcnsim_helpers::valu::notes::*;
use gcnsim_isa::Arch;
use lane::lane;

/// MODE with all denormals kept, IEEE and DX10_CLAMP, round to nearest even.
const DEFAULT: u32 = 0x3f0;

fn result(name: &str, m: &FloatMode, s: &[u64]) -> (u64, bool) {
    lane(name, m, s, &mut 0).unwrap_or_else(|| panic!("no lane function {name}"))
}

#[test]
fn exact_vectors() {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in include_str!("vectors.txt").lines() {
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

/// Check values (docs/gcn/valu-check-values.md#check-values): mnemonic, sources, result.
const CHECKS: &[(&str, &[u64], u64)] = &[
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

/// Check values of DIV_SCALE (docs/gcn/valu-check-values.md#check-values): denominator, numerator, scaled denominator,
/// scaled numerator, VCC.
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
    for &(name, sources, expected) in CHECKS {
        assert_eq!(result(name, &m, sources).0, expected, "{name} {sources:x?}");
    }
    for &(d, n, scaled_d, scaled_n, post) in DIV_SCALE {
        assert_eq!(result("v_div_scale_f32", &m, &[d, d, n]), (scaled_d, post), "{d:x} {n:x}");
        assert_eq!(result("v_div_scale_f32", &m, &[n, d, n]), (scaled_n, post), "{d:x} {n:x}");
    }
    let m = FloatMode::new(DEFAULT & !0x200, Arch::Gcn14);
    assert_eq!(result("v_min_f32", &m, &[0x7f800001, 0x3f800000]).0, 0x3f800000);
}

/// Instructions without rational vectors: mnemonic, MODE, generation, sources, result. The results were worked out by
/// hand from docs/gcn/valu-float.md.
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
    // The sum is 1.5 * 2 + 0.5 * 4 + 1; the second one has a product with a denormal S1, which is flushed.
    ("v_dot2_f32_f16", DEFAULT, Arch::Gcn141, &[0x38003e00, 0x44004000, 0x3f800000], 0x40c00000),
    ("v_dot2_f32_f16", DEFAULT, Arch::Gcn141, &[0x00003c00, 0x00000001, 0], 0),
    // 2^-14 * 2^-1 is a binary16 denormal.
    ("v_mad_mixlo_f16", DEFAULT, Arch::Gcn14, &[0x38800000, 0x3f000000, 0], 0),
    ("v_mad_mixlo_f16", DEFAULT, Arch::Gcn14, &[0xb8800000, 0x3f000000, 0x80000000], 0x8000),
    ("v_fma_mixlo_f16", DEFAULT, Arch::Gcn141, &[0x38800000, 0x3f000000, 0], 0x200),
    ("v_fma_mixlo_f16", 0x330, Arch::Gcn141, &[0x38800000, 0x3f000000, 0], 0),
    // Quarters of a revolution are exact. Beyond 256 revolutions the generations differ.
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

/// Mnemonic, MODE, generation, sources, notes: the cases of docs/refer/fidelity.md, and similar cases that raise
/// none.
const RAISED: &[(&str, u32, Arch, &[u64], u32)] = &[
    ("v_add_f32", DEFAULT, Arch::Gcn14, &[0x7fc00001, 0x7fc00002], NAN_PAYLOAD),
    ("v_add_f32", DEFAULT, Arch::Gcn14, &[0x7fc00001, 0x7fc00001], 0),
    ("v_fma_f32", DEFAULT, Arch::Gcn14, &[0x7fc00001, 0, 0xffc00001], NAN_PAYLOAD),
    ("v_mad_legacy_f32", DEFAULT, Arch::Gcn14, &[0, 0x7fc00001, 0x7fc00002], 0),
    ("v_add_f32", DEFAULT & !0x200, Arch::Gcn14, &[0x7f800001, 0], NAN_QUIET),
    ("v_add_f32", DEFAULT, Arch::Gcn14, &[0x7f800001, 0], 0),
    ("v_cvt_f64_f32", DEFAULT & !0x200, Arch::Gcn14, &[0x7f800001], NAN_QUIET),
    ("v_cvt_f16_f32", DEFAULT & !0x200, Arch::Gcn14, &[0x7f800001], 0),
    ("v_fma_mixlo_f16", DEFAULT & !0x200, Arch::Gcn141, &[0x7f800001, 0, 0], 0),
    ("v_min_f32", DEFAULT, Arch::Gcn14, &[0x7fc00001, 0x7fc00002], MINMAX_TWO_NANS),
    ("v_min_f32", DEFAULT, Arch::Gcn14, &[0x7f800001, 0x7fc00002], 0),
    ("v_med3_f32", DEFAULT, Arch::Gcn14, &[0, 0, 0x7fc00000], MED3_NAN),
    ("v_med3_f32", DEFAULT, Arch::Gcn14, &[0x7fc00000, 0, 0], 0),
    ("v_med3_f32", DEFAULT, Arch::Gcn14, &[0x7f800001, 0, 0], MED3_NAN),
    ("v_mad_f16", DEFAULT, Arch::Gcn14, &[1, 0x3c00, 0], MAD_F16_DENORM),
    ("v_mad_f16", DEFAULT, Arch::Gcn14, &[0x0400, 0x3800, 0], MAD_F16_DENORM),
    ("v_mad_f16", DEFAULT, Arch::Gcn14, &[0x0400, 0x3c00, 0], 0),
    ("v_fma_f16", DEFAULT, Arch::Gcn14, &[1, 0x3c00, 0], 0),
    ("v_mad_mix_f32", DEFAULT, Arch::Gcn14, &[1, 0x3f800000, 0], MAD_MIX_DENORM),
    ("v_mad_mixlo_f16", DEFAULT, Arch::Gcn14, &[0x38800000, 0x3f000000, 0], MIX_F16_DENORM),
    ("v_mad_mixlo_f16", 0x330, Arch::Gcn14, &[0x38800000, 0x3f000000, 0], 0),
    ("v_fma_mixlo_f16", DEFAULT, Arch::Gcn141, &[0x38800000, 0x3f000000, 0], 0),
    ("v_dot2_f32_f16", DEFAULT, Arch::Gcn141, &[0x03ff, 0x3c00, 0], DOT2_ROUNDING | MIX_F16_DENORM),
    ("v_dot2_f32_f16", 0x330, Arch::Gcn141, &[0x03ff, 0x3c00, 0], DOT2_ROUNDING),
    ("v_add_f16", DEFAULT | 1 << 23, Arch::Gcn14, &[0x7bff, 0x7bff], FP16_OVFL),
    ("v_add_f16", DEFAULT | 1 << 23, Arch::Gcn12, &[0x7bff, 0x7bff], 0),
    ("v_add_f16", DEFAULT | 1 << 23, Arch::Gcn14, &[0x7c00, 0x7bff], 0),
    ("v_cvt_f32_f16", 0x300, Arch::Gcn12, &[1], CVT_F16_DENORM),
    ("v_cvt_f32_f16", 0x300, Arch::Gcn11, &[1], 0),
    ("v_cvt_f32_f16", DEFAULT, Arch::Gcn12, &[1], 0),
    ("v_cvt_f16_f32", 0x300, Arch::Gcn12, &[0x33800000], CVT_F16_DENORM),
    ("v_cvt_f16_f32", DEFAULT | 1, Arch::Gcn12, &[0x3f800000], CVT_F16_ROUND),
    ("v_cvt_f16_i16", DEFAULT | 4, Arch::Gcn12, &[1], CVT_F16_ROUND),
    ("v_cvt_pk_u8_f32", DEFAULT | 3, Arch::Gcn14, &[0, 0, 0], PK_U8_ROUND),
    ("v_sqrt_f32", DEFAULT, Arch::Gcn14, &[0x80000001], TRANSCENDENTAL_APPROX | SQRT_NEG_ZERO),
    ("v_sqrt_f64", DEFAULT, Arch::Gcn14, &[0], TRANSCENDENTAL_APPROX),
    ("v_sin_f32", DEFAULT, Arch::Gcn14, &[0x43800001], TRANSCENDENTAL_APPROX | TRIG_RANGE),
    ("v_cos_f16", DEFAULT, Arch::Gcn14, &[0x5c00], TRANSCENDENTAL_APPROX),
    ("v_trig_preop_f64", DEFAULT, Arch::Gcn14, &[0x3ff0000000000000, 22], TRIG_PREOP_TAIL),
    ("v_trig_preop_f64", DEFAULT, Arch::Gcn14, &[0x3ff0000000000000, 21], 0),
    ("v_fract_f32", DEFAULT, Arch::Gcn10, &[0xb3000000], FRACT_GFX6),
    ("v_fract_f32", DEFAULT, Arch::Gcn10, &[0xbf000000], 0),
    ("v_frexp_mant_f64", DEFAULT, Arch::Gcn10, &[0x7ff0000000000000], FREXP_NONFINITE_GFX6),
    ("v_div_scale_f32", DEFAULT, Arch::Gcn14, &[0x40000000, 0x3f800000, 0x40400000], DIV_SCALE_S0),
    ("v_div_scale_f64", DEFAULT, Arch::Gcn10, &[0, 0, 0], DIV_SCALE_VCC_GFX6),
    ("v_mullit_f32", DEFAULT, Arch::Gcn10, &[0, 0, 0], MULLIT),
    ("v_cubema_f32", DEFAULT, Arch::Gcn14, &[0x7fc00000, 0, 0], CUBE_NAN),
    ("v_dot2_f32_f16", DEFAULT, Arch::Gcn141, &[0, 0, 0], DOT2_ROUNDING),
    // 1 + 2^-11 + 2^-30 is a tie in binary16 after rounding to binary32, and above it before.
    ("v_fma_mixlo_f16", DEFAULT, Arch::Gcn141, &[0x30800000, 0x3f800000, 0x3f801000], MIX_ROUND),
    ("v_fma_mixlo_f16", DEFAULT, Arch::Gcn141, &[0, 0x3f800000, 0x3f801000], 0),
    ("v_mad_mixlo_f16", DEFAULT, Arch::Gcn14, &[0x30800000, 0x3f800000, 0x3f801000], MIX_ROUND),
];

#[test]
fn fidelity_notes() {
    for &(name, mode, arch, sources, expected) in RAISED {
        let mut notes = 0;
        lane(name, &FloatMode::new(mode, arch), sources, &mut notes).unwrap();
        let codes = |bits: u32| -> Vec<_> { (0..32).filter(|i| bits >> i & 1 != 0).map(|i| LANE_NOTES[i]).collect() };
        assert_eq!(codes(notes), codes(expected), "{name} {mode:x} {arch:?} {sources:x?}");
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

/// For every binary16 argument the result is a neighbour of the host's value, and at most half the gap away from it.
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
            // The limit is half the gap between the numbers around the result. The gap is narrower below a power of
            // two.
            let gap = |x: u16| (f16_value(x & 0x7fff).abs() - f16_value((x & 0x7fff).wrapping_sub(1) & 0x7fff)).abs();
            let side = if want.abs() < value.abs() { got } else { got + 1 };
            let limit = gap(side) / 2.0;
            let error = (want - value).abs();
            assert!(error <= limit * (1.0 + 1e-9) + 1e-15, "{name} {bits:x}: {got:x} for {want:e}");
        }
    }
}

/// The hardest arguments: mnemonic, argument, result.
const HARD: &[(&str, u32, u32)] = &[
    ("v_log_f32", 0x3ea07ab9, 0xbfd63da2),
    ("v_log_f32", 0x7f114a90, 0x42fe5d98),
    ("v_log_f32", 0x00914a90, 0xc2fba268),
    ("v_log_f32", 0x01914a90, 0xc2f7a268),
    ("v_log_f32", 0x3f800001, 0x3438aa3a),
    ("v_log_f32", 0x3f7fffff, 0xb3b8aa3c),
    ("v_log_f32", 0x7f7fffff, 0x43000000),
    ("v_log_f32", 0x00800000, 0xc2fc0000),
    ("v_exp_f32", 0xb52d1f9a, 0x3f7ffff8),
    ("v_exp_f32", 0xbcf3a937, 0x3f7ac6b1),
    ("v_exp_f32", 0xb8d3d026, 0x3f7ffb69),
    ("v_exp_f32", 0x3b429d37, 0x3f804385),
    ("v_exp_f32", 0xbaec2b40, 0x3f7fae34),
    ("v_exp_f32", 0x3a07857c, 0x3f800bbe),
    ("v_exp_f32", 0xbe1f29de, 0x3f65da56),
    ("v_exp_f32", 0x42ffffff, 0x7f7fffa7),
    ("v_sin_f32", 0x3d7d7f58, 0x3ec21dd8),
    ("v_sin_f32", 0x3ee05015, 0x3ec21dd8),
    ("v_sin_f32", 0x34654db5, 0x35b41836),
    ("v_sin_f32", 0x37eacaf6, 0x393867e5),
    ("v_sin_f32", 0x3c6eb990, 0x3dbb3b76),
    ("v_sin_f32", 0x3d00c8a4, 0x3e48fad5),
    ("v_sin_f32", 0x00800000, 0x01c90fdb),
    ("v_sin_f32", 0xbe7fffff, 0xbf800000),
    ("v_cos_f32", 0x3e40a02a, 0x3ec21dd8),
    ("v_cos_f32", 0x3e9fafeb, 0xbec21dd8),
    ("v_cos_f32", 0x390721a7, 0x3f7ffffb),
    ("v_cos_f32", 0x3e711467, 0x3dbb3b76),
    ("v_cos_f32", 0x3e5fcdd7, 0x3e48fad5),
    ("v_cos_f32", 0x388d23e4, 0x3f7fffff),
    ("v_cos_f32", 0xbe7fffff, 0x33c90fdb),
    ("v_cos_f32", 0x4b7fffff, 0x3f800000),
    ("v_rcp_f32", 0x00869913, 0x7e737373),
    ("v_rcp_f32", 0x0087cc45, 0x7e714cba),
    ("v_rcp_f32", 0x008efa43, 0x7e652ecb),
    ("v_rcp_f32", 0x00909909, 0x7e629d64),
    ("v_rcp_f32", 0x7e800000, 0x00800000),
    ("v_rcp_f32", 0x3fffffff, 0x3f000001),
    ("v_rcp_f32", 0x3f800001, 0x3f7ffffe),
    ("v_rcp_f32", 0x7e7fffff, 0x00800001),
    ("v_rsq_f32", 0x013a18e3, 0x5e96209e),
    ("v_rsq_f32", 0x3f3a18e3, 0x3f96209e),
    ("v_rsq_f32", 0x403a18e3, 0x3f16209e),
    ("v_rsq_f32", 0x7f3a18e3, 0x1f96209e),
    ("v_rsq_f32", 0x00800000, 0x5f000000),
    ("v_rsq_f32", 0x7f7fffff, 0x1f800000),
    ("v_rsq_f32", 0x3f800001, 0x3f7fffff),
    ("v_rsq_f32", 0x3f7fffff, 0x3f800000),
    ("v_sqrt_f32", 0x017fffff, 0x207fffff),
    ("v_sqrt_f32", 0x3f7fffff, 0x3f7fffff),
    ("v_sqrt_f32", 0x407fffff, 0x3fffffff),
    ("v_sqrt_f32", 0x7f7fffff, 0x5f7fffff),
    ("v_sqrt_f32", 0x00800000, 0x20000000),
    ("v_sqrt_f32", 0x00800001, 0x20000000),
    ("v_sqrt_f32", 0x3f800001, 0x3f800000),
    ("v_sqrt_f32", 0x40800001, 0x40000000),
];

#[test]
fn hard_arguments() {
    let m = FloatMode::new(DEFAULT, Arch::Gcn14);
    for &(name, argument, expected) in HARD {
        let (value, _) = result(name, &m, &[argument.into()]);
        assert_eq!(value as u32, expected, "{name} {argument:x}");
    }
}
