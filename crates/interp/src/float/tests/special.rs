//! The tables of docs/gcn/valu-float.md on arithmetic, order, parts and transcendental functions, line by line. The
//! values are those of docs/gcn/valu-check-values.md or were worked out by hand.

use gcnsim_isa::Arch;

use super::super::{Fp, output};
use super::{HSA, IEEE, gcn14, run};
use crate::vector::lane::{Lane, LaneNote, LaneNotes};
use crate::{vop1::float::*, vop2::float::*, vop3::float::*};

const QNAN: u32 = 0xffc0_0000;
const INF: u32 = 0x7f80_0000;
const NEG: u32 = 1 << 31;
const ONE: u32 = 0x3f80_0000;
/// Two quiet NaNs and two signalling ones.
const Q1: u32 = 0x7fc0_0001;
const Q2: u32 = 0xffc0_0002;
const S1: u32 = 0x7f80_0001;
const S2: u32 = 0xff80_0002;
/// A MODE without IEEE, with binary32 denormals flushed and others kept.
const PLAIN: u32 = 0x0c0;

type F1 = fn(&mut Lane<'_>, u32) -> u32;
type F2 = fn(&mut Lane<'_>, u32, u32) -> u32;

fn notes(list: &[LaneNote]) -> LaneNotes {
    let mut notes = LaneNotes::NONE;
    list.iter().for_each(|&note| notes.insert_if(true, note));
    notes
}

#[track_caller]
fn unary(fp: &Fp, function: F1, cases: &[(u32, u32)]) {
    for &(s0, expected) in cases {
        let (result, _) = run(fp, |x| function(x, s0));
        assert_eq!(result, expected, "{s0:08x} gives {result:08x}, not {expected:08x}");
    }
}

#[track_caller]
fn binary(fp: &Fp, function: F2, cases: &[(u32, u32, u32)]) {
    for &(s0, s1, expected) in cases {
        let (result, _) = run(fp, |x| function(x, s0, s1));
        assert_eq!(result, expected, "{s0:08x}, {s1:08x} give {result:08x}, not {expected:08x}");
    }
}

#[test]
fn invalid_operations() {
    let fp = gcn14(HSA);
    binary(&fp, v_add_f32, &[(INF, INF | NEG, QNAN), (INF, INF, INF)]);
    binary(&fp, v_sub_f32, &[(INF, INF, QNAN), (INF, INF | NEG, INF)]);
    binary(&fp, v_mul_f32, &[(0, INF, QNAN), (INF | NEG, NEG, QNAN), (INF, INF | NEG, INF | NEG)]);
    unary(&fp, v_fract_f32, &[(INF, QNAN), (INF | NEG, QNAN)]);
    let (result, _) = run(&fp, |x| v_add_f16(x, 0x7c00, 0xfc00));
    assert_eq!(result, 0xfe00);
    let (result, _) = run(&fp, |x| v_mul_f64(x, 0, 0x7ff0 << 48));
    assert_eq!(result, 0xfff8 << 48);
}

#[test]
fn the_first_nan_is_the_result() {
    use LaneNote::{NanPayload, NanQuiet};
    let ieee = gcn14(HSA);
    let plain = gcn14(PLAIN);
    // The function, its operands, its result and notes with IEEE = 1, and those with IEEE = 0.
    type Case = (F2, u32, u32, (u32, &'static [LaneNote]), (u32, &'static [LaneNote]));
    let cases: &[Case] = &[
        (v_add_f32, Q1, Q2, (Q1, &[NanPayload]), (Q1, &[NanPayload])),
        (v_add_f32, ONE, Q2, (Q2, &[]), (Q2, &[])),
        (v_add_f32, Q1, Q1, (Q1, &[]), (Q1, &[])),
        // The sign of a NaN is kept, also of the one that is subtracted.
        (v_sub_f32, ONE, Q2, (Q2, &[]), (Q2, &[])),
        (v_subrev_f32, Q1, Q2, (Q1, &[NanPayload]), (Q1, &[NanPayload])),
        (v_mul_f32, INF, S2, (0xffc0_0002, &[]), (S2, &[NanQuiet])),
        (v_mul_f32, S1, Q2, (0x7fc0_0001, &[NanPayload]), (S1, &[NanPayload, NanQuiet])),
        (v_mul_f32, Q2, S1, (Q2, &[NanPayload]), (Q2, &[NanPayload])),
        (v_mul_legacy_f32, NEG, S1, (0, &[]), (0, &[])),
        (v_ldexp_f32, S1, 3, (0x7fc0_0001, &[]), (S1, &[NanQuiet])),
    ];
    for (function, s0, s1, with_ieee, without) in cases {
        for (fp, (expected, raised)) in [(&ieee, with_ieee), (&plain, without)] {
            assert_eq!(run(fp, |x| function(x, *s0, *s1)), (*expected, notes(raised)), "{s0:08x} {s1:08x}");
        }
    }
    // An invalid product comes before a NaN in S2, but not before one in S0 or S1.
    for function in [v_fma_f32, v_mad_f32, v_mad_legacy_f32] {
        assert_eq!(run(&ieee, |x| function(x, Q2, ONE, Q1)), (Q2, notes(&[NanPayload])));
        assert_eq!(run(&ieee, |x| function(x, ONE, ONE, S1)), (0x7fc0_0001, LaneNotes::NONE));
    }
    for function in [v_fma_f32, v_mad_f32] {
        assert_eq!(run(&ieee, |x| function(x, 0, INF, Q1)), (QNAN, LaneNotes::NONE));
    }
    assert_eq!(run(&ieee, |x| v_mad_legacy_f32(x, 0, INF, ONE)), (ONE, LaneNotes::NONE));
    unary(&ieee, v_frexp_mant_f32, &[(S1, 0x7fc0_0001)]);
    unary(&plain, v_floor_f32, &[(S1, S1)]);
}

#[test]
fn minimum_and_maximum() {
    let ieee = gcn14(HSA);
    let plain = gcn14(PLAIN);
    let both: &[(u32, u32, u32, u32)] = &[
        (NEG, 0, NEG, 0),
        (0, NEG, NEG, 0),
        (ONE, 0xbf80_0000, 0xbf80_0000, ONE),
        (Q1, ONE, ONE, ONE),
        (ONE, Q1, ONE, ONE),
    ];
    for fp in [&ieee, &plain] {
        for &(s0, s1, least, greatest) in both {
            binary(fp, v_min_f32, &[(s0, s1, least)]);
            binary(fp, v_max_f32, &[(s0, s1, greatest)]);
        }
    }
    for function in [v_min_f32, v_max_f32] {
        binary(
            &ieee,
            function,
            &[(S1, ONE, 0x7fc0_0001), (ONE, S2, 0xffc0_0002), (S2, S1, 0xffc0_0002), (Q1, S2, 0xffc0_0002)],
        );
        binary(&plain, function, &[(S1, ONE, ONE), (ONE, S2, ONE), (Q1, S2, S2)]);
        assert_eq!(run(&ieee, |x| function(x, Q1, Q2)), (Q2, notes(&[LaneNote::MinmaxTwoNans])));
        assert_eq!(run(&ieee, |x| function(x, Q1, Q1)), (Q1, LaneNotes::NONE));
        assert_eq!(run(&ieee, |x| function(x, Q1, S2)).1, LaneNotes::NONE);
    }
    // A signalling NaN becomes quiet in the first step, and then gives way in the second.
    assert_eq!(run(&ieee, |x| v_min3_f32(x, S1, ONE, 0)).0, 0);
    assert_eq!(run(&ieee, |x| v_max3_f32(x, 0, ONE, S1)).0, 0x7fc0_0001);
    // Denormals are flushed only from GCN 1.4 on.
    let (denormal, flushed) = (7, 0);
    binary(&plain, v_min_f32, &[(denormal, ONE, flushed)]);
    binary(&Fp::new(PLAIN, Arch::Gcn12), v_min_f32, &[(denormal, ONE, denormal)]);
    // The legacy instructions take S1 if there is a NaN, and never flush.
    binary(
        &ieee,
        |_, a, b| v_min_legacy_f32(a, b),
        &[(Q1, ONE, ONE), (ONE, S1, S1), (0, NEG, NEG), (NEG, 0, 0), (3, 2, 2)],
    );
    binary(
        &ieee,
        |_, a, b| v_max_legacy_f32(a, b),
        &[(Q1, ONE, ONE), (ONE, S1, S1), (0, NEG, 0), (NEG, 0, NEG), (3, 2, 3)],
    );
}

#[test]
fn the_middle_of_three() {
    let (ieee, plain) = (gcn14(HSA), gcn14(PLAIN));
    let (two, three) = (0x4000_0000, 0x4040_0000);
    for [a, b, c] in [[ONE, two, three], [two, three, ONE], [three, ONE, two], [ONE, three, two]] {
        assert_eq!(run(&ieee, |x| v_med3_f32(x, a, b, c)), (two, LaneNotes::NONE));
    }
    assert_eq!(run(&ieee, |x| v_med3_f32(x, 0, NEG, ONE)).0, 0);
    let doubt = notes(&[LaneNote::Med3Nan]);
    // With a NaN the result is that of min3.
    assert_eq!(run(&ieee, |x| v_med3_f32(x, Q1, two, three)), (two, LaneNotes::NONE));
    assert_eq!(run(&ieee, |x| v_med3_f32(x, three, Q1, two)), (two, LaneNotes::NONE));
    assert_eq!(run(&ieee, |x| v_med3_f32(x, two, three, Q1)), (two, doubt));
    assert_eq!(run(&ieee, |x| v_med3_f32(x, S1, three, two)), (two, doubt));
    assert_eq!(run(&ieee, |x| v_med3_f32(x, three, two, S1)), (0x7fc0_0001, doubt));
    assert_eq!(run(&plain, |x| v_med3_f32(x, S1, three, two)), (two, LaneNotes::NONE));
}

#[test]
fn omod() {
    // Without IEEE, and with results flushed, OMOD acts.
    let acts = gcn14(0);
    let cases: &[(u32, u32, u32)] = &[
        (0x3f80_0000, 1, 0x4000_0000),
        (0xbf80_0000, 2, 0xc080_0000),
        (0x3f80_0000, 3, 0x3f00_0000),
        (NEG, 1, 0),
        (NEG | 5, 3, 0),
        (Q2, 1, Q2),
        (INF | NEG, 3, INF | NEG),
        (0x7f7f_ffff, 1, INF),
        (0xff00_0000, 2, INF | NEG),
        (0x0080_0001, 3, 0),
        (0x8080_0001, 3, NEG),
        (0x0100_0001, 3, 0x0080_0001),
        (0x3f80_0000, 0, 0x3f80_0000),
    ];
    for &(bits, omod, expected) in cases {
        assert_eq!(output::omod_f32(&acts, bits, omod), expected, "{bits:08x} {omod}");
    }
    assert_eq!(output::omod_f32(&gcn14(3), 0x7f7f_ffff, 1), 0x7f7f_ffff, "towards zero");
    assert_eq!(output::omod_f16(&acts, 0x7bff, 1), 0x7c00);
    assert_eq!(output::omod_f16(&gcn14(1 << 23), 0xfbff, 1), 0xfbff, "FP16_OVFL");
    let limited = |bits: u16, omod: u32| output::is_omod_limited_f16(&gcn14(1 << 23), bits, omod);
    assert_eq!([0xfbff, 0x7bff, 0x7800].map(|bits| limited(bits, 1)), [true; 3]);
    // In range, an infinity already, a NaN, halved, without the mode; not to an infinity, as it rounds towards zero.
    assert_eq!([0x77ff, 0x7c00, 0x7c98].map(|bits| limited(bits, 1)), [false; 3]);
    assert!(!limited(0x7bff, 3) && !output::is_omod_limited_f16(&gcn14(0), 0x7bff, 1));
    assert!(!output::is_omod_limited_f16(&gcn14(1 << 23 | 0xc), 0x7bff, 1));
    assert_eq!(output::omod_f64(&acts, 0x3ff0 << 48, 2), 0x4010 << 48);
    for ignored in [IEEE, 1 << 5] {
        assert_eq!(output::omod_f32(&gcn14(ignored), ONE, 1), ONE);
    }
    assert_eq!(output::omod_f16(&gcn14(1 << 7), 0x3c00, 1), 0x3c00);
    assert_eq!(output::omod_f32(&gcn14(1 << 7), ONE, 1), 0x4000_0000);
}

#[test]
fn clamp() {
    let (zero, stays) = (gcn14(1 << 8), gcn14(0));
    for (bits, expected) in
        [(NEG, 0), (0xbf80_0000, 0), (INF, ONE), (INF | NEG, 0), (0x3f80_0001, ONE), (0x3f00_0000, 0x3f00_0000), (1, 1)]
    {
        assert_eq!(output::clamp_f32(&zero, bits), expected, "{bits:08x}");
    }
    assert_eq!((output::clamp_f32(&zero, Q2), output::clamp_f32(&stays, Q2)), (0, Q2));
    assert_eq!((output::clamp_f16(&zero, 0x4000), output::clamp_f16(&zero, 0xfe00)), (0x3c00, 0));
    assert_eq!(output::clamp_f64(&stays, 0x4000 << 48), 0x3ff0 << 48);
}

#[test]
fn denormals() {
    // Bit 4 keeps operands, bit 5 results.
    let [none, only_in, only_out, all] = [0x00, 0x10, 0x20, 0x30].map(gcn14);
    let (tiny, half) = (0x0040_0000, 0x3f00_0000);
    for (fp, product, sum) in [(none, 0, 0), (only_in, 0, 0), (only_out, 0, 0), (all, 0x0020_0000, 0x0040_0001)] {
        binary(&fp, v_mul_f32, &[(tiny, half, product)]);
        binary(&fp, v_add_f32, &[(tiny, 1, sum)]);
    }
    // 2^-126 * 0.5: a denormal result of normal operands. 2^-127 * 2: a normal result of a denormal operand.
    let two = 0x4000_0000;
    for (mode, out, normal) in [(0x00, 0, 0), (0x10, 0, 0x0080_0000), (0x20, tiny, 0), (0x30, tiny, 0x0080_0000)] {
        binary(&gcn14(mode), v_mul_f32, &[(0x0080_0000, half, out), (tiny, two, normal)]);
    }
    // The product is tiny at full precision, but the smallest normal number in steps of denormals: (1 - 2^-24) *
    // 2^-126.
    binary(&gcn14(0x00), v_mul_f32, &[(0x3f7f_ffff, 0x0080_0000, 0)]);
    binary(&gcn14(0x30), v_mul_f32, &[(0x3f7f_ffff, 0x0080_0000, 0x0080_0000)]);
    // MAD flushes operands, product and sum whatever MODE says.
    let mad = |a, b, c| run(&gcn14(0x30), |x| v_mad_f32(x, a, b, c)).0;
    assert_eq!([mad(tiny, two, 0), mad(0x0080_0000, half, ONE), mad(ONE, 0x0080_0001, 0x8080_0000)], [0, ONE, 0]);
    let (result, raised) = run(&gcn14(HSA), |x| v_mad_f16(x, 0x0200, 0x3c00, 0x3c00));
    assert_eq!((result, raised), (0x3c00, notes(&[LaneNote::MadF16Denorm])));
    let (result, raised) = run(&gcn14(0x300), |x| v_mad_f16(x, 0x0200, 0x3c00, 0x3c00));
    assert_eq!((result, raised), (0x3c00, LaneNotes::NONE));
    // 2^-7 * 2^-8, a denormal product.
    let (result, raised) = run(&gcn14(HSA), |x| v_mac_f16(x, 0x2000, 0x1c00, 0x3c00));
    assert_eq!((result, raised), (0x3c00, notes(&[LaneNote::MadF16Denorm])));
}

#[test]
fn mad_rounds_twice_and_fma_once() {
    let (a, c) = (0x3f80_0001, 0xbf80_0002);
    let fp = gcn14(HSA);
    assert_eq!(run(&fp, |x| v_mad_f32(x, a, a, c)).0, 0);
    assert_eq!(run(&fp, |x| v_fma_f32(x, a, a, c)).0, 0x2880_0000);
    assert_eq!(run(&fp, |x| v_madmk_f32(x, a, a, c)).0, 0);
    assert_eq!(run(&fp, |x| v_madak_f32(x, a, a, c)).0, 0);
    assert_eq!(run(&fp, |x| v_fmac_f32(x, a, a, c)).0, 0x2880_0000);
    // MADMK has its constant in the middle: 2 * 3 + 1.
    assert_eq!(run(&fp, |x| v_madmk_f32(x, 0x4000_0000, 0x4040_0000, ONE)).0, 0x40e0_0000);
}

#[test]
fn mullit() {
    let fp = gcn14(HSA);
    let (two, least) = (0x4000_0000, 0xff7f_ffff);
    let cases = [
        ([two, two, ONE], 0x4080_0000),
        ([two, two, 0], least),
        ([two, two, NEG], least),
        ([two, two, 0xbf80_0000], least),
        ([two, two, Q1], least),
        ([two, Q1, ONE], least),
        ([two, 0xff7f_ffff, ONE], least),
        ([two, INF | NEG, ONE], least),
        ([0, INF, ONE], 0),
    ];
    for ([a, b, c], expected) in cases {
        assert_eq!(run(&fp, |x| v_mullit_f32(x, a, b, c)).0, expected, "{a:08x} {b:08x} {c:08x}");
    }
}

#[test]
fn ldexp_of_extremes() {
    let fp = gcn14(HSA);
    let minus = |n: i32| -n as u32;
    binary(&fp, v_ldexp_f32, &[(INF, minus(500), INF), (NEG, 500, NEG), (ONE, 128, INF), (ONE, minus(149), 1)]);
    binary(
        &fp,
        v_ldexp_f32,
        &[(ONE, minus(150), 0), (0x3f80_0001, minus(150), 1), (1, i32::MAX as u32, INF), (ONE, NEG, 0)],
    );
    // Only 16 bits of the exponent count: 0x8000 is -32768.
    assert_eq!(run(&fp, |x| v_ldexp_f16(x, 0x3c00, 0x8000)).0, 0);
    assert_eq!(run(&fp, |x| v_ldexp_f16(x, 0x0001, 24)).0, 0x3c00);
}

#[test]
fn integers_and_fractions() {
    let (fp, flushing) = (gcn14(HSA), gcn14(0x200));
    let minus_half = 0xbf00_0000;
    unary(&fp, v_trunc_f32, &[(minus_half, NEG), (NEG, NEG), (INF, INF), (0x4b80_0001, 0x4b80_0001)]);
    unary(&fp, v_ceil_f32, &[(minus_half, NEG), (1, ONE), (NEG | 1, NEG)]);
    unary(&fp, v_floor_f32, &[(minus_half, 0xbf80_0000), (NEG | 1, 0xbf80_0000), (1, 0)]);
    unary(&flushing, v_floor_f32, &[(NEG | 1, NEG)]);
    unary(&fp, v_rndne_f32, &[(minus_half, NEG), (0x3fc0_0000, 0x4000_0000), (0x4020_0000, 0x4000_0000)]);
    unary(
        &fp,
        v_fract_f32,
        &[(0xb300_0000, 0x3f7f_ffff), (minus_half, 0x3f00_0000), (INF | NEG, QNAN), (NEG, 0), (0x4040_0000, 0)],
    );
    assert_eq!(run(&fp, |x| v_fract_f64(x, 0xbc00 << 48)).0, 0x3fef_ffff_ffff_ffff);
    assert_eq!(run(&fp, |x| v_fract_f16(x, 0x8001)).0, 0x3bff);
    // GCN 1.0 may give 1 there.
    let gcn10 = Fp::new(HSA, Arch::Gcn10);
    assert_eq!(run(&gcn10, |x| v_fract_f32(x, 0xb300_0000)), (0x3f7f_ffff, notes(&[LaneNote::FractGfx6])));
    assert_eq!(run(&gcn10, |x| v_fract_f32(x, minus_half)).1, LaneNotes::NONE);
}

#[test]
fn frexp() {
    let fp = gcn14(HSA);
    unary(
        &fp,
        v_frexp_mant_f32,
        &[(1, 0x3f00_0000), (0xc080_0000, 0xbf00_0000), (NEG, NEG), (INF | NEG, INF | NEG), (0x3f7f_ffff, 0x3f7f_ffff)],
    );
    unary(
        &fp,
        v_frexp_exp_i32_f32,
        &[(1, -148i32 as u32), (0x4080_0000, 3), (0, 0), (INF, 0), (S1, 0), (0x3f7f_ffff, 0)],
    );
    unary(&gcn14(0x200), v_frexp_exp_i32_f32, &[(1, 0)]);
    assert_eq!(run(&fp, |x| v_frexp_exp_i16_f16(x, 0x0001)).0, -23i16 as u16);
    assert_eq!(run(&fp, |x| v_frexp_exp_i32_f64(x, 1)).0, -1073i32 as u32);
    let gcn10 = Fp::new(HSA, Arch::Gcn10);
    let doubt = notes(&[LaneNote::FrexpNonfiniteGfx6]);
    assert_eq!(run(&gcn10, |x| v_frexp_exp_i32_f32(x, INF)), (0, doubt));
    assert_eq!(run(&gcn10, |x| v_frexp_mant_f32(x, Q1)), (Q1, doubt));
    assert_eq!(run(&gcn10, |x| v_frexp_mant_f32(x, ONE)).1, LaneNotes::NONE);
}

#[test]
fn transcendentals() {
    // Denormals are flushed though MODE keeps them.
    let fp = gcn14(HSA);
    let (negative, max) = (0xbf80_0000, 0x7f7f_ffff);
    unary(
        &fp,
        v_rcp_f32,
        &[(0, INF), (NEG, INF | NEG), (7, INF), (NEG | 7, INF | NEG), (INF, 0), (INF | NEG, NEG), (Q2, Q2)],
    );
    unary(
        &fp,
        v_rcp_f32,
        &[(0x7e80_0000, 0x0080_0000), (0x7e80_0001, 0), (0xfe80_0001, NEG), (0x4000_0000, 0x3f00_0000)],
    );
    unary(&fp, v_rcp_iflag_f32, &[(0x4000_0000, 0x3f00_0000), (0x4040_0000, 0x3eaa_aaab)]);
    unary(
        &fp,
        v_rsq_f32,
        &[(0, INF), (7, INF), (NEG, INF | NEG), (NEG | 7, INF | NEG), (INF, 0), (negative, QNAN), (INF | NEG, QNAN)],
    );
    unary(&fp, v_rsq_f32, &[(0x4080_0000, 0x3f00_0000)]);
    unary(
        &fp,
        v_sqrt_f32,
        &[
            (7, 0),
            (NEG, NEG),
            (NEG | 7, NEG),
            (negative, QNAN),
            (INF, INF),
            (INF | NEG, QNAN),
            (0x4080_0000, 0x4000_0000),
        ],
    );
    unary(
        &fp,
        v_exp_f32,
        &[(0, ONE), (NEG, ONE), (7, ONE), (0x4300_0000, INF), (0xc2fc_0001, 0), (INF | NEG, 0), (INF, INF)],
    );
    unary(&fp, v_exp_f32, &[(0xc2fc_0000, 0x0080_0000), (0x42fe_0000, 0x7f00_0000), (max, INF), (max | NEG, 0)]);
    unary(
        &fp,
        v_log_f32,
        &[(0, INF | NEG), (NEG | 7, INF | NEG), (ONE, 0), (negative, QNAN), (INF | NEG, QNAN), (INF, INF)],
    );
    unary(&fp, v_log_f32, &[(0x0080_0000, 0xc2fc_0000), (0x7f00_0000, 0x42fe_0000)]);
    unary(&fp, v_exp_legacy_f32, &[(ONE, 0x4000_0000)]);
    unary(&fp, v_log_legacy_f32, &[(0x4000_0000, ONE)]);
    // MODE's rounding does not matter: 1/3.
    for direction in 0..4 {
        unary(&gcn14(HSA | direction | direction << 2), v_rcp_f32, &[(0x4040_0000, 0x3eaa_aaab)]);
    }
    assert_eq!(run(&fp, |x| v_sqrt_f32(x, NEG)).1, notes(&[LaneNote::SqrtNegZero]));
    assert_eq!(run(&fp, |x| v_sqrt_f32(x, 0)).1, LaneNotes::NONE);
}

#[test]
fn sines_and_cosines() {
    let (gcn14, gcn12) = (gcn14(HSA), Fp::new(HSA, Arch::Gcn12));
    let minus_one = 0xbf80_0000;
    // Quarters: 0, 1/4, 1/2, 3/4, 5/4, 256; and negative ones.
    let quarters = [0, 0x3e80_0000, 0x3f00_0000, 0x3f40_0000, 0x3fa0_0000, 0x4380_0000, NEG, 0xbe80_0000, 0xbf00_0000];
    let sines = [0, ONE, 0, minus_one, ONE, 0, 0, minus_one, 0];
    let cosines = [ONE, 0, minus_one, 0, 0, ONE, ONE, 0, minus_one];
    for fp in [&gcn14, &gcn12] {
        for i in 0..quarters.len() {
            assert_eq!(run(fp, |x| v_sin_f32(x, quarters[i])), (sines[i], LaneNotes::NONE));
            assert_eq!(run(fp, |x| v_cos_f32(x, quarters[i])), (cosines[i], LaneNotes::NONE));
        }
        unary(fp, v_sin_f32, &[(INF, QNAN), (INF | NEG, QNAN), (Q2, Q2)]);
        unary(fp, v_cos_f32, &[(INF, QNAN)]);
    }
    // 256.25: beyond the range before GCN 1.4.
    let doubt = notes(&[LaneNote::TrigRange]);
    let beyond = 0x4380_2000;
    assert_eq!(run(&gcn14, |x| v_sin_f32(x, beyond)), (ONE, doubt));
    assert_eq!(run(&gcn14, |x| v_cos_f32(x, beyond | NEG)), (0, doubt));
    assert_eq!(run(&gcn12, |x| v_sin_f32(x, beyond)), (0, doubt));
    assert_eq!(run(&gcn12, |x| v_cos_f32(x, beyond)), (ONE, doubt));
    assert_eq!(run(&gcn14, |x| v_sin_f32(x, 0x7f7f_ffff)), (0, doubt));
    // The sine of a denormal is one if they are kept: 2 pi * 2^-149 = 6 * 2^-149. The cosine never sees one.
    unary(&gcn14, v_sin_f32, &[(1, 6), (NEG | 1, NEG | 6)]);
    unary(&super::gcn14(0), v_sin_f32, &[(1, 0), (NEG | 1, 0)]);
    unary(&gcn14, v_cos_f32, &[(1, ONE)]);
}

#[test]
fn transcendentals_of_other_formats() {
    let fp = gcn14(HSA);
    let unary16 = |function: fn(&mut Lane<'_>, u16) -> u16, s0| run(&fp, |x| function(x, s0)).0;
    assert_eq!([0x3c00, 0x0000, 0x8001, 0x7bff].map(|s| unary16(v_rcp_f16, s)), [0x3c00, 0x7c00, 0xfc00, 0x0100]);
    assert_eq!(
        [0x3c00, 0x4400, 0x8000, 0xbc00, 0x0001].map(|s| unary16(v_sqrt_f16, s)),
        [0x3c00, 0x4000, 0x8000, 0xfe00, 0x0c00]
    );
    assert_eq!([0x3c00, 0x4400, 0x8000, 0x0001].map(|s| unary16(v_rsq_f16, s)), [0x3c00, 0x3800, 0xfc00, 0x6c00]);
    assert_eq!([0x0000, 0x3c00, 0x4c00, 0xce00].map(|s| unary16(v_exp_f16, s)), [0x3c00, 0x4000, 0x7c00, 0x0001]);
    assert_eq!([0x3c00, 0x4000, 0x0000, 0x0001].map(|s| unary16(v_log_f16, s)), [0x0000, 0x3c00, 0xfc00, 0xce00]);
    assert_eq!([0x3400, 0x3800, 0x3a00].map(|s| unary16(v_sin_f16, s)), [0x3c00, 0x0000, 0xbc00]);
    assert_eq!([0x3400, 0x3800, 0x0001].map(|s| unary16(v_cos_f16, s)), [0x0000, 0xbc00, 0x3c00]);
    // 1 / 2^-24 overflows.
    let limited = gcn14(HSA | 1 << 23);
    assert_eq!(run(&limited, |x| v_rcp_f16(x, 0x8001)), (0xfbff, notes(&[LaneNote::Fp16Ovfl])));
    assert_eq!(run(&limited, |x| v_rcp_f16(x, 0)), (0x7c00, LaneNotes::NONE));
    let unary64 = |function: fn(&mut Lane<'_>, u64) -> u64, s0| run(&fp, |x| function(x, s0)).0;
    assert_eq!(unary64(v_rcp_f64, 0x4008 << 48), 0x3fd5_5555_5555_5555);
    assert_eq!(unary64(v_rcp_f64, 1), 0x7ff0 << 48);
    assert_eq!(unary64(v_sqrt_f64, 0x4000 << 48), 0x3ff6_a09e_667f_3bcd);
    assert_eq!(unary64(v_rsq_f64, 0x4000 << 48), 0x3fe6_a09e_667f_3bcd);
    assert_eq!(unary64(v_sqrt_f64, 1 << 63), 1 << 63);
    assert_eq!(unary64(v_rsq_f64, 0xbff0 << 48), 0xfff8 << 48);
}

#[test]
fn old_ways_with_infinities() {
    let fp = Fp::new(HSA, Arch::Gcn10);
    let max = 0x7f7f_ffff;
    unary(&fp, v_rcp_clamp_f32, &[(0, max), (NEG, max | NEG), (INF, 0), (ONE, ONE)]);
    unary(&fp, v_rsq_clamp_f32, &[(0, max), (NEG, max | NEG), (0xbf80_0000, QNAN)]);
    unary(&fp, v_log_clamp_f32, &[(0, max | NEG), (INF, INF), (ONE, 0)]);
    unary(&fp, v_rcp_legacy_f32, &[(0, 0), (NEG, NEG), (ONE, ONE)]);
    unary(&fp, v_rsq_legacy_f32, &[(0, 0), (NEG, NEG), (0xbf80_0000, QNAN)]);
    assert_eq!(run(&fp, |x| v_rcp_clamp_f64(x, 0)).0, 0x7fef_ffff_ffff_ffff);
    assert_eq!(run(&fp, |x| v_rsq_clamp_f64(x, 1 << 63)).0, 0xffef_ffff_ffff_ffff);
}
