//! The binary32 and binary16 arguments whose exact results lie nearest to the middle of two numbers, or to a number.
//!
//! They come from comparing binary32 arguments with an oracle: V_EXP_F32 of all magnitudes from 2^-30 to 160, V_LOG_F32
//! and V_SIN_F32 of all positive numbers, V_COS_F32 of all positive numbers from 2^-20 on, V_RSQ_F32 of all
//! significands with an odd and an even exponent. The oracle: glibc's functions of binary64 (`exp2`, `log2`, `1 /
//! sqrt`; `sin` and `cos` of what is left of the argument after exact reduction to an eighth of a revolution), and
//! where that result lies within 2^-20 units in the last place of a middle, libquadmath's of binary128. There was no
//! difference. The least distance, 2^-35 units, needs 59 right bits. All arguments of binary16 were compared with
//! Python's `decimal` at 50 digits.

use super::{HSA, gcn14, run};
use crate::vector::lane::Lane;
use crate::vop1::float::*;

#[track_caller]
fn check<T: Copy + PartialEq + std::fmt::LowerHex>(function: fn(&mut Lane<'_>, T) -> T, cases: &[(T, T)]) {
    // Denormals are flushed in every mode, and the rounding direction does not matter.
    for mode in [HSA, HSA | 5, HSA | 10, HSA | 15] {
        for &(argument, expected) in cases {
            let (result, _) = run(&gcn14(mode), |x| function(x, argument));
            assert!(result == expected, "{argument:x} gives {result:x}, not {expected:x}");
        }
    }
}

#[test]
fn powers_of_two() {
    let cases = [
        (0xb52d_1f9a, 0x3f7f_fff8), // 2^-34.88 units from the middle
        (0xbcf3_a937, 0x3f7a_c6b1), // 2^-32.92
        (0x3b42_9d37, 0x3f80_4385), // 2^-30.20
        (0xb8d3_d026, 0x3f7f_fb69),
        (0xbaec_2b40, 0x3f7f_ae34),
        (0x3a07_857c, 0x3f80_0bbe),
        (0x3c02_a9ad, 0x3f80_b5a3),
        (0x3687_9cf7, 0x3f80_0018),
        (0xbe1f_29de, 0x3f65_da56),
        (0x33b8_aa3b, 0x3f80_0001),
        (0x3dc9_abe2, 0x3f89_0ab5),
        (0xb466_d4cb, 0x3f7f_fffe),
        (0xb338_aa3b, 0x3f80_0000),
    ];
    check(v_exp_f32, &cases);
    check(v_exp_f16, &[(0x11c5, 0x3c01), (0xa86d, 0x3bd0), (0x36b6, 0x3d5a), (0xce40, 0x0000)]);
}

#[test]
fn logarithms() {
    let cases = [
        (0x3ea0_7ab9, 0xbfd6_3da2), // 2^-27.57
        (0x4020_7ab9, 0x3fa9_c25e),
        (0x0091_4a90, 0xc2fb_a268),
        (0x0291_4a90, 0xc2f3_a268),
        (0x0511_4a90, 0xc2e9_a268),
    ];
    check(v_log_f32, &cases);
    check(v_log_f16, &[(0x4089, 0x3cb9), (0x3489, 0xbf47), (0x06a3, 0xcaa2), (0x0aa3, 0xca22)]);
}

#[test]
fn sines() {
    let cases = [
        (0x3d7d_7f58, 0x3ec2_1dd8), // 2^-30.91
        (0x3ee0_5015, 0x3ec2_1dd8),
        (0x3465_4db5, 0x35b4_1836),
        (0x37ea_caf6, 0x3938_67e5),
        (0x3c6e_b990, 0x3dbb_3b76),
        (0x37da_58fc, 0x392b_7d64),
        (0x3d00_c8a4, 0x3e48_fad5),
        (0x3596_52f2, 0x36ec_20de),
        (0x35cd_79e0, 0x3721_616b),
        (0xbd7d_7f58, 0xbec2_1dd8),
    ];
    check(v_sin_f32, &cases);
    check(v_sin_f16, &[(0x1880, 0x2311), (0x37f7, 0x2311), (0x9880, 0xa311), (0xb7f7, 0xa311)]);
}

#[test]
fn cosines() {
    let cases = [
        (0x3e40_a02a, 0x3ec2_1dd8), // 2^-30.91
        (0x3e9f_afeb, 0xbec2_1dd8),
        (0x3907_21a7, 0x3f7f_fffb),
        (0x3e71_1467, 0x3dbb_3b76),
        (0x3e5f_cdd7, 0x3e48_fad5),
        (0x388d_23e4, 0x3f7f_ffff),
        (0x3aa5_bca6, 0x3f7f_fdee),
        (0x3be2_5b7c, 0x3f7f_c248),
        (0x3d33_021a, 0x3f76_68b3),
        (0x3d0e_d5d9, 0x3f79_e12a),
    ];
    check(v_cos_f32, &cases);
    check(v_cos_f16, &[(0x1b34, 0x3bff), (0x9b34, 0x3bff), (0x2b97, 0x3b74), (0xab97, 0x3b74)]);
}

#[test]
fn reciprocal_roots() {
    let cases = [
        (0x403a_18e3, 0x3f16_209e), // 2^-28.51
        (0x4009_f038, 0x3f2e_6055),
        (0x407f_fffe, 0x3f00_0001),
        (0x3fba_2a39, 0x3f54_460c),
        (0x3fd2_208f, 0x3f47_cdc8),
        (0x3fed_3230, 0x3f3c_0ec9),
        (0x3f8a_5c86, 0x3f76_3a5e),
    ];
    check(v_rsq_f32, &cases);
}
