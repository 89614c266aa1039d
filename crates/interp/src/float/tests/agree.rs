//! Functions of whole registers agree with those of single lanes, or decline.

use gcnsim_isa::{Arch, LANES};
use gcnsim_random::Rng;

use super::super::{Fp, Round, fast};
use super::run;
use crate::vector::lane::{Lane, LaneNotes};
use crate::{vop1::float as vop1, vop2::float as vop2, vop3::float as vop3};

type Lanes = [u32; LANES];
type Fast = fn(&Fp, &Lanes, &Lanes, &Lanes, &mut Lanes) -> bool;
type Exact = fn(&mut Lane<'_>, u32, u32, u32) -> u32;

/// Name, function of whole registers, function of one lane.
#[rustfmt::skip]
const PAIRS: &[(&str, Fast, Exact)] = &[
    ("add", fast::v_add_f32, |x, a, b, _| vop2::v_add_f32(x, a, b)),
    ("sub", fast::v_sub_f32, |x, a, b, _| vop2::v_sub_f32(x, a, b)),
    ("subrev", fast::v_subrev_f32, |x, a, b, _| vop2::v_subrev_f32(x, a, b)),
    ("mul", fast::v_mul_f32, |x, a, b, _| vop2::v_mul_f32(x, a, b)),
    ("mul_legacy", fast::v_mul_legacy_f32, |x, a, b, _| vop2::v_mul_legacy_f32(x, a, b)),
    ("mad", fast::v_mad_f32, |x, a, b, c| vop3::v_mad_f32(x, a, b, c)),
    ("mad_legacy", fast::v_mad_legacy_f32, |x, a, b, c| vop3::v_mad_legacy_f32(x, a, b, c)),
    ("fma", fast::v_fma_f32, |x, a, b, c| vop3::v_fma_f32(x, a, b, c)),
    ("min", fast::v_min_f32, |x, a, b, _| vop2::v_min_f32(x, a, b)),
    ("max", fast::v_max_f32, |x, a, b, _| vop2::v_max_f32(x, a, b)),
    ("min3", fast::v_min3_f32, |x, a, b, c| vop3::v_min3_f32(x, a, b, c)),
    ("max3", fast::v_max3_f32, |x, a, b, c| vop3::v_max3_f32(x, a, b, c)),
    ("med3", fast::v_med3_f32, |x, a, b, c| vop3::v_med3_f32(x, a, b, c)),
    ("trunc", fast::v_trunc_f32, |x, a, _, _| vop1::v_trunc_f32(x, a)),
    ("ceil", fast::v_ceil_f32, |x, a, _, _| vop1::v_ceil_f32(x, a)),
    ("floor", fast::v_floor_f32, |x, a, _, _| vop1::v_floor_f32(x, a)),
    ("rndne", fast::v_rndne_f32, |x, a, _, _| vop1::v_rndne_f32(x, a)),
    ("fract", fast::v_fract_f32, |x, a, _, _| vop1::v_fract_f32(x, a)),
    ("rcp", fast::v_rcp_f32, |x, a, _, _| vop1::v_rcp_f32(x, a)),
    ("sqrt", fast::v_sqrt_f32, |x, a, _, _| vop1::v_sqrt_f32(x, a)),
    ("rsq", fast::v_rsq_f32, |x, a, _, _| vop1::v_rsq_f32(x, a)),
    ("exp", fast::v_exp_f32, |x, a, _, _| vop1::v_exp_f32(x, a)),
    ("log", fast::v_log_f32, |x, a, _, _| vop1::v_log_f32(x, a)),
    ("sin", fast::v_sin_f32, |x, a, _, _| vop1::v_sin_f32(x, a)),
    ("cos", fast::v_cos_f32, |x, a, _, _| vop1::v_cos_f32(x, a)),
    ("cvt_i32_f32", fast::v_cvt_i32_f32, |x, a, _, _| vop1::v_cvt_i32_f32(x, a)),
    ("cvt_u32_f32", fast::v_cvt_u32_f32, |x, a, _, _| vop1::v_cvt_u32_f32(x, a)),
    ("cvt_f32_i32", fast::v_cvt_f32_i32, |x, a, _, _| vop1::v_cvt_f32_i32(x, a)),
    ("cvt_f32_u32", fast::v_cvt_f32_u32, |x, a, _, _| vop1::v_cvt_f32_u32(x, a)),
    ("cvt_f32_ubyte0", fast::v_cvt_f32_ubyte0, |x, a, _, _| vop1::v_cvt_f32_ubyte0(x, a)),
    ("cvt_f32_ubyte1", fast::v_cvt_f32_ubyte1, |x, a, _, _| vop1::v_cvt_f32_ubyte1(x, a)),
    ("cvt_f32_ubyte2", fast::v_cvt_f32_ubyte2, |x, a, _, _| vop1::v_cvt_f32_ubyte2(x, a)),
    ("cvt_f32_ubyte3", fast::v_cvt_f32_ubyte3, |x, a, _, _| vop1::v_cvt_f32_ubyte3(x, a)),
    ("cvt_f32_f16", fast::v_cvt_f32_f16, |x, a, _, _| vop1::v_cvt_f32_f16(x, a as u16)),
    ("cvt_f16_f32", fast::v_cvt_f16_f32, |x, a, _, _| vop1::v_cvt_f16_f32(x, a).into()),
    ("cvt_pkrtz", fast::v_cvt_pkrtz_f16_f32, |x, a, b, _| vop2::v_cvt_pkrtz_f16_f32(x, a, b)),
];

/// Random operands.
trait Operands {
    /// Returns an exponent field: an ordinary one, or one at the ends of binary16, of the integers, or of the range.
    fn exponent(&mut self, family: u32) -> u32;
    /// Returns an operand of one family. With `special`, some are infinities, NaNs or zeros.
    fn lane(&mut self, family: u32, special: bool) -> u32;
    fn lanes(&mut self, family: u32, special: bool) -> Lanes;
}

impl Operands for Rng {
    fn exponent(&mut self, family: u32) -> u32 {
        match family {
            0 => 120 + self.below(15),
            1 => 100 + self.below(46),
            2 => 140 + self.below(24),
            3 => self.pick(&[0, 1, 2, 23, 24, 25, 63, 64, 127, 190, 191, 192, 252, 253, 254]),
            _ => self.below(255),
        }
    }

    fn lane(&mut self, family: u32, special: bool) -> u32 {
        let fraction = match self.below(4) {
            0 => self.pick(&[0, 1, 2, 3, 0x40_0000, 0x7f_ffff, 0x7f_fffe, 0x40_0001]),
            1 => self.bits() & 0x7f_f000,
            _ => self.bits(),
        };
        let bits = self.bits() & 1 << 31 | self.exponent(family) << 23 | fraction & 0x7f_ffff;
        match (special, self.below(400)) {
            (true, 0) => bits | 0x7f80_0000,
            (true, 1) => bits & 1 << 31 | 0x7f80_0000,
            (true, 2..6) => bits & 1 << 31,
            _ => bits,
        }
    }

    fn lanes(&mut self, family: u32, special: bool) -> Lanes {
        std::array::from_fn(|_| self.lane(family, special))
    }
}

fn modes() -> Vec<Fp> {
    let archs = [Arch::Gcn10, Arch::Gcn12, Arch::Gcn14];
    let modes = [0x3c0, 0x3f0, 0x0c0, 0x0f0, 0x300, 0x331, 0x3e0, 0x3d4, 0x8003f0, 0x3b0];
    archs.iter().flat_map(|&arch| modes.map(|mode| Fp::new(mode, arch))).collect()
}

/// Compares one call. Returns whether it was declined.
fn compare(name: &str, fast: Fast, exact: Exact, fp: &Fp, [a, b, c]: &[Lanes; 3]) -> bool {
    let mut results = [0xdead_beef; LANES];
    if !fast(fp, a, b, c, &mut results) {
        return true;
    }
    for lane in 0..LANES {
        let (expected, notes) = run(fp, |x| exact(x, a[lane], b[lane], c[lane]));
        assert_eq!(
            (results[lane], LaneNotes::NONE),
            (expected, notes),
            "{name} {:08x} {:08x} {:08x} in {fp:?}: {:08x}, not {expected:08x}",
            a[lane],
            b[lane],
            c[lane],
            results[lane],
        );
    }
    false
}

/// Rounds of tests for all functions in all modes: a few by default, and more with GCNSIM_FLOAT_ROUNDS.
fn rounds() -> u32 {
    std::env::var("GCNSIM_FLOAT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(4)
}

#[test]
fn whole_registers_agree_with_lanes() {
    let mut random = Rng::new(0x1234_5678_9abc_def1);
    let mut compared = 0u64;
    for round in 0..rounds() {
        for fp in modes() {
            for &(name, fast, exact) in PAIRS {
                let family = random.below(5);
                let special = round % 2 == 1;
                let mut lanes = [(); 3].map(|()| random.lanes(family, special));
                if random.below(3) == 0 {
                    // Sums cancel where the second source is about the negative of the first one.
                    lanes[1] = std::array::from_fn(|i| (lanes[0][i] ^ 1 << 31).wrapping_add(random.below(3)));
                }
                if random.below(2) == 0 {
                    lanes[0] = lanes[0].map(|bits| bits & !(1 << 31));
                }
                compared += !compare(name, fast, exact, &fp, &lanes) as u64;
            }
        }
    }
    assert!(compared > 100 * u64::from(rounds()), "{compared}");
}

/// Tiny products that round to the smallest normal number or below, with one pair of operands in all lanes.
#[test]
fn tiny_products_agree_or_are_declined() {
    let mut random = Rng::new(0xfeed_beef_0bad_cafe);
    for _ in 0..200 * rounds() {
        let significand = random.bits() & 0x7f_ffff | 0x80_0000;
        // With a near reciprocal, products are within a few units of 2^-126.
        let reciprocal = ((1u64 << 47) / u64::from(significand)) as u32 & 0x7f_ffff;
        let a = 64 << 23 | significand & 0x7f_ffff;
        let b = (63 << 23 | reciprocal).wrapping_add(random.below(5)).wrapping_sub(2);
        let lanes = [[a; LANES], [b; LANES], [random.bits() & 1 << 31; LANES]];
        for fp in modes() {
            for &(name, fast, exact) in &PAIRS[3..8] {
                compare(name, fast, exact, &fp, &lanes);
            }
        }
    }
}

/// Binary64, rounded to nearest even with denormals, agrees with the host.
#[test]
fn binary64_agrees_with_the_host() {
    let mut random = Rng::new(0x0f1e_2d3c_4b5a_6978);
    let fp = Fp::new(0x3f0, Arch::Gcn14);
    for i in 0..10_000 * rounds() {
        let mut number = || {
            let exponent = match i % 3 {
                0 => 1023 - 2 + random.below(5),
                1 => 500 + random.below(1000),
                _ => random.below(2047),
            };
            let high = random.bits() & 0x800f_ffff | exponent << 20;
            let bits = u64::from(high) << 32 | u64::from(random.bits());
            f64::from_bits(if random.below(3) == 0 { bits & 0xffff_ffff << 32 } else { bits })
        };
        let (a, b, c) = (number(), number(), number());
        let near = -(a * b) + c * 1e-17;
        let bits = f64::to_bits;
        let c = if near.is_finite() && i % 2 == 0 { near } else { c };
        let sums = [a + b, a * b, a.mul_add(b, c)];
        let results = [
            run(&fp, |x| vop3::v_add_f64(x, bits(a), bits(b))).0,
            run(&fp, |x| vop3::v_mul_f64(x, bits(a), bits(b))).0,
            run(&fp, |x| vop3::v_fma_f64(x, bits(a), bits(b), bits(c))).0,
        ];
        assert_eq!(results, sums.map(bits), "{a:e} {b:e} {c:e}");
        let roots = [a.abs().sqrt(), 1.0 / a, a.floor(), a.round_ties_even()];
        let results = [
            run(&fp, |x| vop1::v_sqrt_f64(x, bits(a.abs()))).0,
            run(&fp, |x| vop1::v_rcp_f64(x, bits(a))).0,
            run(&fp, |x| vop1::v_floor_f64(x, bits(a))).0,
            run(&fp, |x| vop1::v_rndne_f64(x, bits(a))).0,
        ];
        assert_eq!(results, roots.map(bits), "{a:e}");
    }
}

/// Ordinary numbers in the ordinary modes must not be declined.
#[test]
fn ordinary_registers_are_not_declined() {
    let mut random = Rng::new(0x0123_4567_89ab_cdef);
    for mode in [0x3c0, 0x3f0] {
        let fp = Fp::new(mode, Arch::Gcn14);
        assert_eq!(fp.round_f32, Round::Nearest);
        for &(name, fast, exact) in PAIRS {
            let lanes = [(); 3].map(|()| std::array::from_fn(|_| random.lane(0, false) & 0x7fff_e3ff));
            // Without the instruction, V_FMA_F32 is always declined.
            let has_fma = cfg!(target_feature = "fma") || has_fma();
            assert_eq!(compare(name, fast, exact, &fp, &lanes), name == "fma" && !has_fma, "{name}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_fma() -> bool {
    is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_fma() -> bool {
    false
}
