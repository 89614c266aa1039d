//! The tables of docs/gcn/valu-float.md on division, conversions, cube maps and mixed precision, line by line. The
//! values are those of docs/gcn/valu-check-values.md or were worked out by hand.

use gcnsim_isa::Arch;

use super::super::Fp;
use super::super::convert::widen_f16;
use super::{HSA, gcn14, run};
use crate::vector::lane::{LaneNote, LaneNotes};
use crate::{vop1::float::*, vop2::float::*, vop3::float::*, vop3p::float::*, vop3p::mix::*};

const QNAN: u32 = 0xffc0_0000;
const INF: u32 = 0x7f80_0000;
const NEG: u32 = 1 << 31;
const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;

fn note(note: LaneNote) -> LaneNotes {
    let mut notes = LaneNotes::NONE;
    notes.insert_if(true, note);
    notes
}

#[test]
fn division_scales() {
    // The table of docs/gcn/valu-check-values.md#check-values: denominator and numerator, the result for each as S0,
    // and the mask bit.
    let cases: &[(u32, u32, u32, u32, bool)] = &[
        (0x3f80_0000, 0x4000_0000, 0x3f80_0000, 0x4000_0000, false),
        (0x2180_0000, 0x5d80_0000, 0x4180_0000, 0x5d80_0000, true),
        (0x7180_0000, 0x3580_0000, 0x7180_0000, 0x5580_0000, true),
        (0x7f00_0000, 0x3f80_0000, 0x5f00_0000, 0x3f80_0000, true),
        (0x7f40_0000, 0x7000_0000, 0x5f40_0000, 0x5000_0000, false),
        (0x0080_0000, 0x0880_0000, 0x2080_0000, 0x2880_0000, false),
        (0x0000_0001, 0x3f80_0000, 0x1500_0000, 0x3f80_0000, true),
        (0x4040_0000, 0x0380_0000, 0x4040_0000, 0x2380_0000, true),
        (0x0000_0000, 0x3f80_0000, 0xffc0_0000, 0xffc0_0000, true),
    ];
    let fp = gcn14(HSA);
    for &(d, n, of_d, of_n, post) in cases {
        assert_eq!(run(&fp, |x| v_div_scale_f32(x, d, d, n)), ((of_d, post), LaneNotes::NONE), "{d:08x} {n:08x}");
        assert_eq!(run(&fp, |x| v_div_scale_f32(x, n, d, n)), ((of_n, post), LaneNotes::NONE), "{d:08x} {n:08x}");
    }
    // The result is a NaN or an infinity. S0 may differ from both others.
    let signalling = 0x7f80_0001;
    assert_eq!(run(&fp, |x| v_div_scale_f32(x, signalling, ONE, signalling)).0, (0x7fc0_0001, true));
    assert_eq!(run(&fp, |x| v_div_scale_f32(x, INF | NEG, INF | NEG, ONE)).0, (INF | NEG, true));
    assert_eq!(run(&fp, |x| v_div_scale_f32(x, TWO, ONE, ONE)), ((TWO, false), note(LaneNote::DivScaleS0)));
    // The numerator's exponent field at the limits: f64 scales by 2^128.
    let field = |e: u64| e << 52;
    let scaled = |n| run(&fp, |x| v_div_scale_f64(x, n, field(54), n)).0;
    assert_eq!([scaled(field(53)), scaled(field(54))], [(field(181), false), (field(54), false)]);
    // S1 and S2 are zeros after flushing, so there is no doubt about which one S0 is.
    assert_eq!(run(&gcn14(0), |x| v_div_scale_f32(x, 3, 5, ONE)), ((QNAN, true), LaneNotes::NONE));
}

#[test]
fn division_ends() {
    let fp = gcn14(HSA);
    let fmas = |a, b, c, vcc| run(&fp, |x| v_div_fmas_f32(x, a, b, c, vcc)).0;
    assert_eq!(fmas(0, 0, 0x4000_0000, true), 0x6000_0000);
    assert_eq!(fmas(0, 0, 0x3f80_0000, true), 0x1f80_0000);
    assert_eq!(fmas(0, 0, 0x4000_0000, false), 0x4000_0000);
    assert_eq!(fmas(0, INF, ONE, true), QNAN);
    assert_eq!(run(&fp, |x| v_div_fmas_f64(x, 0, 0, 0x4000 << 48, true)).0, (0x400 + 128) << 52);
    // Denormal operands are kept whatever MODE says: 2^-149 * 2^64 + 1, scaled down.
    assert_eq!(run(&gcn14(0), |x| v_div_fmas_f32(x, 1, 0x5f80_0000, 0, true)).0, 0);
    assert_eq!(run(&gcn14(0), |x| v_div_fmas_f32(x, 1, 0x5f80_0000, 0x0080_0000, false)).0, 0x1500_0000);

    // Denominator, numerator, result with the quotient 3.
    let (three, quiet) = (0x4040_0000, 0x7fc0_0001);
    let cases: &[(u32, u32, u32)] = &[
        (ONE, 0x7f80_0001, quiet),
        (0x7f80_0001, ONE, quiet),
        (0x7f80_0002, 0x7f80_0001, quiet),
        (0, NEG, QNAN),
        (INF, INF, QNAN),
        (NEG, ONE, INF | NEG),
        (TWO, INF | NEG, INF | NEG),
        (INF | NEG, ONE, NEG),
        (ONE, NEG, NEG),
        (0x7f00_0000, 0x0080_0000, 0),
        (0xff00_0000, 0x0080_0000, NEG),
        (0xbf80_0000, TWO, 0xc040_0000),
    ];
    for &(denominator, numerator, expected) in cases {
        let (result, _) = run(&fp, |x| v_div_fixup_f32(x, three, denominator, numerator));
        assert_eq!(result, expected, "{numerator:08x} / {denominator:08x}");
    }
    // Results out of range depend on the rounding direction.
    let fixup = |mode, q, d, n| run(&gcn14(mode), |x| v_div_fixup_f32(x, q, d, n)).0;
    assert_eq!([0, 1, 2, 3].map(|round| fixup(HSA | round, three, 0x7f00_0000, 0x0080_0000)), [0, 1, 0, 0]);
    assert_eq!(
        [0, 1, 2, 3].map(|round| fixup(HSA | round, QNAN, ONE, 0xc000_0000)),
        [INF | NEG, 0xff7f_ffff, INF | NEG, 0xff7f_ffff]
    );
    // 2^-126 / 2^24 is denormal, but not below half of the least one: the quotient counts.
    assert_eq!(fixup(HSA, 1, 0x4b80_0000, 0x0080_0000), 1);
    // Binary16 has no such steps.
    assert_eq!(run(&fp, |x| v_div_fixup_f16(x, 0xfe01, 0x3c00, 0x4000)).0, 0x7e01);
    assert_eq!(run(&fp, |x| v_div_fixup_f16(x, 0x4200, 0x0001, 0x8001)).0, 0xc200);
    assert_eq!(run(&fp, |x| v_div_fixup_f16(x, 0x4200, 0x8000, 0x3c00)).0, 0xfc00);
    assert_eq!(run(&gcn14(0), |x| v_div_fixup_f16(x, 0x7c01, 0x3c00, 0x4000)), (0x7c01, note(LaneNote::NanQuiet)));
}

#[test]
fn pieces_of_two_over_pi() {
    let fp = gcn14(HSA);
    let one = 0x3ff0 << 48;
    let cases: &[(u64, u32, u64)] = &[
        (one, 0, 0x3fe4_5f30_6dc9_c882),
        (one, 1, 0x3c94_a7f0_9d5f_47d4),
        (one, 2, 0x394a_6ee0_6db1_4acc),
        (1 << 63 | one, 32, 0x3fe4_5f30_6dc9_c882),
        (0x4480_f0cf_064d_d592, 0, 0x3e8b_7272_20a9_4fe0),
        (0x7e37_e43c_8800_759c, 0, 0x0d0f_516b_a93d_d63f),
    ];
    for &(s0, n, expected) in cases {
        assert_eq!(run(&fp, |x| v_trig_preop_f64(x, s0, n)), (expected, LaneNotes::NONE), "{s0:016x} {n}");
    }
    // 22 * 53 = 1166: the 18 bits left are all below 2^-1166, and so below every denormal. 21 * 53 = 1113 lies before
    // the end of the table.
    let tail = note(LaneNote::TrigPreopTail);
    assert_eq!(run(&fp, |x| v_trig_preop_f64(x, one, 22)), (0, tail));
    assert_eq!(run(&fp, |x| v_trig_preop_f64(x, one, 31)), (0, tail));
    assert_eq!(run(&fp, |x| v_trig_preop_f64(x, one, 21)).1, LaneNotes::NONE);
    assert_eq!(run(&fp, |x| v_trig_preop_f64(x, 0x7ff8 << 48, 0)).1, tail);
}

#[test]
fn floats_to_integers() {
    let fp = gcn14(HSA);
    let (nan, negative_nan) = (0x7fc0_0000, QNAN);
    let cases: &[(u32, [u32; 4])] = &[
        // V_CVT_I32, V_CVT_U32, V_CVT_FLR_I32, V_CVT_RPI_I32.
        (0xbf00_0000, [0, 0, u32::MAX, 0]),
        (0x3eff_ffff, [0, 0, 0, 0]),
        (0x4020_0000, [2, 2, 2, 3]),
        (0xc020_0000, [-2i32 as u32, 0, -3i32 as u32, -2i32 as u32]),
        (INF, [0x7fff_ffff, u32::MAX, 0x7fff_ffff, 0x7fff_ffff]),
        (INF | NEG, [NEG, 0, NEG, NEG]),
        (nan, [0, 0, 0x7fff_ffff, 0x7fff_ffff]),
        (negative_nan, [0, 0, NEG, NEG]),
        (0x4f00_0000, [0x7fff_ffff, 0x8000_0000, 0x7fff_ffff, 0x7fff_ffff]),
        (0xcf00_0000, [NEG, 0, NEG, NEG]),
        (0x8000_0001, [0, 0, u32::MAX, 0]),
        (0x4f80_0000, [0x7fff_ffff, u32::MAX, 0x7fff_ffff, 0x7fff_ffff]),
    ];
    for &(s0, expected) in cases {
        let results = [v_cvt_i32_f32, v_cvt_u32_f32, v_cvt_flr_i32_f32, v_cvt_rpi_i32_f32];
        assert_eq!(results.map(|function| run(&fp, |x| function(x, s0)).0), expected, "{s0:08x}");
    }
    assert_eq!(run(&gcn14(0), |x| v_cvt_flr_i32_f32(x, 0x8000_0001)).0, 0, "flushed");
    let halves = [0x7c00, 0xfc00, 0x7e00, 0xc000, 0x7bff];
    assert_eq!(halves.map(|s| run(&fp, |x| v_cvt_i16_f16(x, s)).0), [0x7fff, 0x8000, 0, 0xfffe, 0x7fff]);
    assert_eq!(halves.map(|s| run(&fp, |x| v_cvt_u16_f16(x, s)).0), [0xffff, 0, 0, 0, 65504]);
    assert_eq!(run(&fp, |x| v_cvt_i32_f64(x, 0xc1e0_0000_0020_0000)).0, NEG);
    assert_eq!(run(&fp, |x| v_cvt_u32_f64(x, 0x41ef_ffff_ffff_ffff)).0, u32::MAX);
    assert_eq!(run(&fp, |x| v_cvt_u32_f64(x, 0x7ff8 << 48)).0, 0);
}

#[test]
fn bytes_and_normalised_integers() {
    let fp = gcn14(HSA);
    let f = f32::to_bits;
    let norm = |function: fn(&mut crate::vector::lane::Lane<'_>, u32, u32) -> u32, a: f32, b: f32| {
        run(&fp, |x| function(x, f(a), f(b))).0
    };
    assert_eq!(norm(v_cvt_pknorm_i16_f32, 0.5, -0.5), 0xc000_4000);
    assert_eq!(norm(v_cvt_pknorm_i16_f32, 0.1, -1.0), 0x8001_0ccd);
    assert_eq!(norm(v_cvt_pknorm_i16_f32, f32::NAN, -7.0), 0x8001_0000);
    assert_eq!(norm(v_cvt_pknorm_u16_f32, 0.5, 1.0), 0xffff_8000);
    assert_eq!(norm(v_cvt_pknorm_u16_f32, -0.5, f32::INFINITY), 0xffff_0000);
    assert_eq!(run(&fp, |x| v_cvt_pknorm_i16_f16(x, 0x3800, 0xfc00)).0, 0x8001_4000);
    assert_eq!(run(&fp, |x| v_cvt_pknorm_u16_f16(x, 0x3800, 0x7e00)).0, 0x0000_8000);
    // Byte 1 of S2 is replaced, which is the old destination of PKACCUM.
    for (value, byte) in [(2.5, 2), (3.5, 4), (-1.0, 0), (300.0, 255), (f32::NAN, 0), (f32::INFINITY, 255)] {
        assert_eq!(run(&fp, |x| v_cvt_pk_u8_f32(x, f(value), 5, 0xaabb_ccdd)).0, 0xaabb_00dd | byte << 8, "{value}");
        assert_eq!(
            run(&fp, |x| v_cvt_pkaccum_u8_f32(x, f(value), 3, 0xaabb_ccdd)).0,
            0x00bb_ccdd | byte << 24,
            "{value}"
        );
    }
    let doubt = note(LaneNote::PkU8Round);
    assert_eq!(run(&gcn14(HSA | 1), |x| v_cvt_pk_u8_f32(x, f(2.25), 0, 0)), (3, doubt));
    for (byte, function) in [v_cvt_f32_ubyte0, v_cvt_f32_ubyte1, v_cvt_f32_ubyte2, v_cvt_f32_ubyte3].iter().enumerate()
    {
        assert_eq!(run(&fp, |x| function(x, 0xff80_0301)).0, f([1.0, 3.0, 128.0, 255.0][byte]));
    }
    for (i4, value) in [(0, 0.0), (7, 0.4375), (8, -0.5), (15, -0.0625), (0xf1, 0.0625)] {
        assert_eq!(run(&fp, |x| v_cvt_off_f32_i4(x, i4)).0, f(value));
    }
}

#[test]
fn floats_to_floats() {
    let fp = gcn14(HSA);
    let to_f16 = |fp: &Fp, s0| run(fp, |x| v_cvt_f16_f32(x, s0)).0;
    // 65519, 65520, 2^-25, 1.5 * 2^-25.
    let numbers = [0x477f_ef00, 0x477f_f000, 0x3300_0000, 0x3340_0000];
    assert_eq!(numbers.map(|s0| to_f16(&fp, s0)), [0x7bff, 0x7c00, 0, 1]);
    assert_eq!([INF | NEG, 0xff80_2001, 0x7f80_0001].map(|s0| to_f16(&fp, s0)), [0xfc00, 0xfe01, 0x7e00]);
    let limited = gcn14(HSA | 1 << 23);
    assert_eq!(run(&limited, |x| v_cvt_f16_f32(x, 0xc780_0000)), (0xfbff, note(LaneNote::Fp16Ovfl)));
    assert_eq!(run(&limited, |x| v_cvt_f16_f32(x, INF)), (0x7c00, LaneNotes::NONE));
    let earlier = Fp::new(HSA | 1 << 23, Arch::Gcn12);
    assert_eq!(run(&earlier, |x| v_cvt_f16_f32(x, 0xc780_0000)), (0xfc00, LaneNotes::NONE));
    // MODE[1:0] rounds up and MODE[3:2] down: 1 + 2^-20. Before GCN 1.2, MODE[1:0] counts.
    let doubt = note(LaneNote::CvtF16Round);
    let mode = HSA | 1 | 2 << 2;
    assert_eq!(run(&gcn14(mode), |x| v_cvt_f16_f32(x, 0x3f80_0008)), (0x3c00, doubt));
    assert_eq!(run(&Fp::new(mode, Arch::Gcn11), |x| v_cvt_f16_f32(x, 0x3f80_0008)), (0x3c01, doubt));
    assert_eq!(run(&gcn14(mode), |x| v_cvt_f16_u16(x, 2049)), (0x6800, doubt));
    // Binary16 denormals with MODE[7:6] = 0: kept before GCN 1.2.
    let doubt = note(LaneNote::CvtF16Denorm);
    for (arch, small, wide, raised) in [(Arch::Gcn11, 1, 0x3380_0000, LaneNotes::NONE), (Arch::Gcn12, 0, 0, doubt)] {
        let fp = Fp::new(0x330, arch);
        assert_eq!(run(&fp, |x| v_cvt_f16_f32(x, 0x3380_0000)), (small, raised));
        assert_eq!(run(&fp, |x| v_cvt_f32_f16(x, 1)), (wide, raised));
        assert_eq!(run(&fp, |x| v_cvt_pkrtz_f16_f32(x, 0x3380_0000, ONE)), (0x3c00_0000 | u32::from(small), raised));
        // The number becomes 0 under either rule.
        assert_eq!(run(&fp, |x| v_cvt_f16_f32(x, 0x2000_0000)), (0, LaneNotes::NONE));
    }
    let pkrtz = |a: f32, b: f32| run(&fp, |x| v_cvt_pkrtz_f16_f32(x, a.to_bits(), b.to_bits())).0;
    assert_eq!(pkrtz(0.1, 65520.0), 0x7bff_2e66);
    assert_eq!(pkrtz(1e6, -1e6), 0xfbff_7bff);
    assert_eq!(pkrtz(f32::INFINITY, f32::NEG_INFINITY), 0xfc00_7c00);

    // Widening keeps a signalling NaN with IEEE = 0; narrowing never does.
    let plain = gcn14(0);
    let doubt = note(LaneNote::NanQuiet);
    assert_eq!(run(&plain, |x| v_cvt_f64_f32(x, 0xff80_0001)), (0xfff0_0000_2000_0000, doubt));
    assert_eq!(run(&fp, |x| v_cvt_f64_f32(x, 0xff80_0001)), (0xfff8_0000_2000_0000, LaneNotes::NONE));
    assert_eq!(run(&plain, |x| v_cvt_f32_f16(x, 0x7c01)), (0x7f80_2000, doubt));
    assert_eq!(run(&plain, |x| v_cvt_f32_f64(x, 0xfff0_0000_2000_0001)), (0xffc0_0001, LaneNotes::NONE));
    assert_eq!(run(&plain, |x| v_cvt_f16_f32(x, 0x7f80_2000)), (0x7e01, LaneNotes::NONE));
    assert_eq!(run(&fp, |x| v_cvt_f32_f64(x, 0xfff0 << 48)).0, INF | NEG);
    assert_eq!(run(&fp, |x| v_cvt_f64_f32(x, 1)).0, (1023 - 149) << 52);
    assert_eq!(run(&plain, |x| v_cvt_f64_f32(x, NEG | 1)).0, 1 << 63);
    assert_eq!(run(&fp, |_| v_pack_b32_f16(0x7c01, 0x8001)).0, 0x8001_7c01);
}

#[test]
fn widening_keeps_everything() {
    // Without IEEE, V_CVT_F32_F16 keeps NaNs as they are too.
    let fp = gcn14(0x0f0);
    for half in 0..=u16::MAX {
        assert_eq!(widen_f16(half), run(&fp, |x| v_cvt_f32_f16(x, half)).0, "{half:04x}");
    }
    let halves = [0x8000, 0x0001, 0x83ff, 0x7bff, 0x7c00, 0xfc01];
    let wide = [0x8000_0000, 0x3380_0000, 0xb87f_c000, 0x477f_e000, 0x7f80_0000, 0xff80_2000];
    assert_eq!(halves.map(widen_f16), wide);
}

#[test]
fn cube_faces() {
    let fp = gcn14(HSA);
    let f = f32::to_bits;
    // (x, y, z): face, SC, TC, MA
    let cases: &[([f32; 3], [f32; 4])] = &[
        ([1.0, 2.0, 3.0], [4.0, 1.0, -2.0, 6.0]),
        ([1.0, 2.0, -3.0], [5.0, -1.0, -2.0, -6.0]),
        ([1.0, 3.0, 2.0], [2.0, 1.0, 2.0, 6.0]),
        ([1.0, -3.0, 2.0], [3.0, 1.0, -2.0, -6.0]),
        ([3.0, 1.0, 2.0], [0.0, -2.0, -1.0, 6.0]),
        ([-3.0, 1.0, 2.0], [1.0, 2.0, -1.0, -6.0]),
        // Among equal magnitudes z comes before y, and y before x.
        ([1.0, 1.0, -1.0], [5.0, -1.0, -1.0, -2.0]),
        ([-1.0, 1.0, 0.5], [2.0, -1.0, 0.5, 2.0]),
        // -0 is not below 0.
        ([0.0, 0.0, -0.0], [4.0, 0.0, -0.0, -0.0]),
    ];
    for (xyz, expected) in cases {
        let [a, b, c] = xyz.map(f);
        let functions = [v_cubeid_f32, v_cubesc_f32, v_cubetc_f32, v_cubema_f32];
        assert_eq!(functions.map(|function| run(&fp, |x| function(x, a, b, c)).0), expected.map(f), "{xyz:?}");
    }
    assert_eq!(run(&fp, |x| v_cubeid_f32(x, QNAN, f(1.0), f(1.0))), (f(0.0), note(LaneNote::CubeNan)));
    // Denormals are compared as they are. Doubled, they are 0 if results are flushed.
    assert_eq!(run(&gcn14(0), |x| v_cubeid_f32(x, 1, 3, 2)).0, f(2.0));
    assert_eq!([0, HSA].map(|mode| run(&gcn14(mode), |x| v_cubema_f32(x, 1, 3, 2)).0), [0, 6]);
}

#[test]
fn mixed_precision() {
    let fp = gcn14(HSA);
    // (1 + 2^-12)^2 + 0 = 1 + 2^-11 + 2^-24: just above the middle of two binary16 numbers, but the middle in binary32.
    let above = 0x3f80_0800;
    assert_eq!(run(&fp, |x| v_fma_mixlo_f16(x, above, above, 0)).0, 0x3c01);
    assert_eq!(run(&fp, |x| v_mad_mixlo_f16(x, above, above, 0)).0, 0x3c00);
    assert_eq!(run(&fp, |x| v_mad_mixhi_f16(x, ONE, TWO, ONE)).0, 0x4200);
    assert_eq!(run(&fp, |x| v_fma_mixhi_f16(x, ONE, TWO, ONE)).0, 0x4200);
    // The first result is unfused, the second fused.
    assert_eq!(run(&fp, |x| v_mad_mix_f32(x, 0x3f80_0001, 0x3f80_0001, 0xbf80_0002)).0, 0);
    assert_eq!(run(&fp, |x| v_fma_mix_f32(x, 0x3f80_0001, 0x3f80_0001, 0xbf80_0002)).0, 0x2880_0000);
    let doubt = note(LaneNote::MadMixDenorm);
    assert_eq!(run(&fp, |x| v_mad_mix_f32(x, 1, ONE, 0)), (0, doubt));
    assert_eq!(run(&gcn14(0x3c0), |x| v_mad_mix_f32(x, 1, ONE, 0)), (0, LaneNotes::NONE));
    assert_eq!(run(&fp, |x| v_fma_mix_f32(x, 1, ONE, 0)), (1, LaneNotes::NONE));
    // Narrowing makes NaNs quiet.
    let plain = gcn14(0);
    for function in [v_mad_mixlo_f16, v_fma_mixlo_f16] {
        assert_eq!(run(&plain, |x| function(x, 0x7f80_2000, ONE, ONE)), (0x7e01, LaneNotes::NONE));
        assert_eq!(run(&fp, |x| function(x, INF, ONE, INF | NEG)).0, 0xfe00);
    }
    // A product of binary16 numbers that is a binary16 denormal: 2^-14 * 2^-1. MODE decides on it in V_FMA_MIX_* only.
    let (small, half, keep_f32) = (0x3880_0000, 0x3f00_0000, gcn14(0x330));
    let flushed = note(LaneNote::MixF16Denorm);
    assert_eq!(run(&fp, |x| v_mad_mixlo_f16(x, small, half, 0)), (0, flushed));
    assert_eq!(run(&fp, |x| v_mad_mixhi_f16(x, small | NEG, half, NEG)), (0x8000, flushed));
    assert_eq!(run(&keep_f32, |x| v_mad_mixlo_f16(x, small, half, 0)), (0, LaneNotes::NONE));
    assert_eq!(run(&fp, |x| v_fma_mixlo_f16(x, small, half, 0)), (0x200, LaneNotes::NONE));
    assert_eq!(run(&keep_f32, |x| v_fma_mixlo_f16(x, small, half, 0)), (0, LaneNotes::NONE));
    // 1 * 2 + (3 * 4 + 0.5); denormals are flushed.
    assert_eq!(run(&fp, |x| v_dot2_f32_f16(x, 0x4200_3c00, 0x4400_4000, 0x3f00_0000)).0, 14.5f32.to_bits());
    assert_eq!(run(&plain, |x| v_dot2_f32_f16(x, 0x0000_0001, 0x0000_3c00, 1)), (0, LaneNotes::NONE));
    assert_eq!(run(&fp, |x| v_dot2_f32_f16(x, 0x83ff_0001, 0x3c00_3c00, ONE)), (ONE, flushed));
    // The low halves are added first: 2^24 + 1 loses the 1, then -2^24 is added.
    let (big, minus_big) = (0x6c00u32, 0xec00u32);
    assert_eq!(run(&fp, |x| v_dot2_f32_f16(x, minus_big << 16 | big, big << 16 | big, ONE)).0, 0);
    assert_eq!(run(&fp, |x| v_pk_fma_f16(x, 0x3c01, 0x3c01, 0xbc02)).0, 0x0010);
}
