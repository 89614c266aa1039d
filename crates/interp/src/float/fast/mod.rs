//! The common binary32 instructions on whole registers in the ordinary modes, with the arithmetic of the host.
//!
//! A function computes all 64 lanes, active or not. It says whether the results are those of the exact functions, bit
//! for bit and note for note. Otherwise it declines, and the content of `d` means nothing. It declines if it does not
//! know the MODE, or if a lane has a NaN (NaNs have an order, and notes) or another case that it does not compute
//! exactly. The functions are plain loops over lanes, which the compiler vectorises.
//!
//! Tiny results need care. The host rounds them to the steps of denormals; we flush results that are below the smallest
//! normal number after rounding at full precision. The two differ only if the host's result is that smallest number, so
//! that result is declined. Sums of this size are exact.

use gcnsim_isa::{Arch, LANES};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

use super::convert::denormals_in_doubt;
use super::{Fp, Round};

/// A dword per lane.
type Lanes = [u32; LANES];

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0xff << 23;
const MIN_NORMAL: u32 = 1 << 23;
/// The largest number below 1.
const BELOW_ONE: u32 = 0x3f7f_ffff;

/// A result and a doubt. Bit 31 of the doubt is set where the result may be wrong; the other bits mean nothing. So
/// doubts are combined by plain arithmetic: the compiler does not vectorise a reduction of several conditions.
type Lane = (u32, u32);

/// Computes all lanes of `d`. Returns whether all of them are right.
#[inline(always)]
fn each(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes, lane: impl Fn(u32, u32, u32) -> Lane) -> bool {
    let mut declined = 0;
    for i in 0..LANES {
        let (result, doubt) = lane(a[i], b[i], c[i]);
        d[i] = result;
        declined |= doubt;
    }
    declined & SIGN == 0
}

/// All ones if the condition holds.
#[inline(always)]
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

/// `a` where the mask is all ones, `b` where it is 0.
#[inline(always)]
fn select(mask: u32, a: u32, b: u32) -> u32 {
    a & mask | b & !mask
}

#[inline(always)]
fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// A denormal becomes the zero of its sign if `FLUSH`.
#[inline(always)]
fn flush<const FLUSH: bool>(bits: u32) -> u32 {
    bits & (SIGN | mask(!FLUSH) | mask(bits & INFINITY != 0))
}

/// A doubt if the number is a NaN.
#[inline(always)]
fn is_nan(bits: u32) -> u32 {
    INFINITY.wrapping_sub(bits & !SIGN)
}

/// A doubt if the magnitude equals another one.
#[inline(always)]
fn equals(magnitude: u32, other: u32) -> u32 {
    (magnitude ^ other).wrapping_sub(1)
}

/// A result that the host rounded once. It is flushed if `FLUSH`.
#[inline(always)]
fn rounded<const FLUSH: bool>(result: f32) -> Lane {
    let bits = result.to_bits();
    let doubt = is_nan(bits) | mask(FLUSH) & equals(bits & !SIGN, MIN_NORMAL);
    (flush::<FLUSH>(bits), doubt)
}

/// A sum that the host rounded. It is flushed if `FLUSH`; sums of that size are exact.
#[inline(always)]
fn rounded_sum<const FLUSH: bool>(result: f32) -> Lane {
    let bits = result.to_bits();
    (flush::<FLUSH>(bits), is_nan(bits))
}

/// Whether MODE is an ordinary one: round to nearest even, and flush all binary32 denormals (`true`) or none (`false`).
fn ordinary(fp: &Fp) -> Option<bool> {
    (fp.round_f32 == Round::Nearest && fp.in_f32 == fp.out_f32).then_some(!fp.in_f32)
}

/// Compiles a function for both treatments of denormals: `$FLUSH` is a constant in `$body`.
macro_rules! by_mode {
    ($fp:expr, $FLUSH:ident => $body:expr) => {
        match ordinary($fp) {
            Some(true) => {
                const $FLUSH: bool = true;
                $body
            }
            Some(false) => {
                const $FLUSH: bool = false;
                $body
            }
            None => false,
        }
    };
}

/// Defines functions of whole registers, each compiled for the widest vectors of several processors.
macro_rules! fast {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident($fp:ident, $a:ident, $b:ident, $c:ident, $d:ident) $body:block
    )*) => { $(
        $(#[doc = $doc])*
        #[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+fma", "x86_64+avx2+fma"))]
        #[allow(unused_variables)]
        pub(crate) fn $name($fp: &Fp, $a: &Lanes, $b: &Lanes, $c: &Lanes, $d: &mut Lanes) -> bool {
            $body
        }
    )* };
}

mod elementary;

pub(crate) use elementary::{v_cos_f32, v_exp_f32, v_log_f32, v_sin_f32};

fast! {
    fn v_add_f32(fp, a, b, c, d) {
        by_mode!(fp, FLUSH => each(a, b, c, d, |a, b, _| add::<FLUSH>(a, b)))
    }

    fn v_sub_f32(fp, a, b, c, d) {
        by_mode!(fp, FLUSH => each(a, b, c, d, |a, b, _| add::<FLUSH>(a, b ^ SIGN)))
    }

    fn v_subrev_f32(fp, a, b, c, d) {
        by_mode!(fp, FLUSH => each(a, b, c, d, |a, b, _| add::<FLUSH>(b, a ^ SIGN)))
    }

    fn v_mul_f32(fp, a, b, c, d) {
        by_mode!(fp, FLUSH => each(a, b, c, d, |a, b, _| mul::<FLUSH>(a, b)))
    }

    fn v_mul_legacy_f32(fp, a, b, c, d) {
        by_mode!(fp, FLUSH => each(a, b, c, d, |a, b, _| mul_legacy::<FLUSH>(a, b)))
    }

    /// `a * b + c`: V_MAD, V_MAC, V_MADMK and V_MADAK.
    fn v_mad_f32(fp, a, b, c, d) {
        fp.round_f32 == Round::Nearest && each(a, b, c, d, |a, b, c| plus(mul::<true>(a, b), c))
    }

    /// `a * b + c`: V_MAD_LEGACY and V_MAC_LEGACY.
    fn v_mad_legacy_f32(fp, a, b, c, d) {
        fp.round_f32 == Round::Nearest && each(a, b, c, d, |a, b, c| plus(mul_legacy::<true>(a, b), c))
    }

    /// `a * b + c`: V_FMA and V_FMAC, where the host has an instruction for it.
    fn v_fma_f32(fp, a, b, c, d) {
        target_cfg_f!(target_feature = "fma") && by_mode!(fp, FLUSH => each(a, b, c, d, |a, b, c| {
            let [a, b, c] = [a, b, c].map(|s| float(flush::<FLUSH>(s)));
            rounded::<FLUSH>(a.mul_add(b, c))
        }))
    }

    fn v_min_f32(fp, a, b, c, d) {
        match flushes_order(fp) {
            true => each(a, b, c, d, |a, b, _| ordered::<true>([a, b, b], |[a, b, _]| a.min(b))),
            false => each(a, b, c, d, |a, b, _| ordered::<false>([a, b, b], |[a, b, _]| a.min(b))),
        }
    }

    fn v_max_f32(fp, a, b, c, d) {
        match flushes_order(fp) {
            true => each(a, b, c, d, |a, b, _| ordered::<true>([a, b, b], |[a, b, _]| a.max(b))),
            false => each(a, b, c, d, |a, b, _| ordered::<false>([a, b, b], |[a, b, _]| a.max(b))),
        }
    }

    fn v_min3_f32(fp, a, b, c, d) {
        match flushes_order(fp) {
            true => each(a, b, c, d, |a, b, c| ordered::<true>([a, b, c], |[a, b, c]| a.min(b).min(c))),
            false => each(a, b, c, d, |a, b, c| ordered::<false>([a, b, c], |[a, b, c]| a.min(b).min(c))),
        }
    }

    fn v_max3_f32(fp, a, b, c, d) {
        match flushes_order(fp) {
            true => each(a, b, c, d, |a, b, c| ordered::<true>([a, b, c], |[a, b, c]| a.max(b).max(c))),
            false => each(a, b, c, d, |a, b, c| ordered::<false>([a, b, c], |[a, b, c]| a.max(b).max(c))),
        }
    }

    fn v_med3_f32(fp, a, b, c, d) {
        match flushes_order(fp) {
            true => each(a, b, c, d, |a, b, c| ordered::<true>([a, b, c], middle)),
            false => each(a, b, c, d, |a, b, c| ordered::<false>([a, b, c], middle)),
        }
    }

    fn v_trunc_f32(fp, a, b, c, d) {
        match fp.in_f32 {
            true => each(a, b, c, d, |a, _, _| rounded::<false>(float(a).trunc())),
            false => each(a, b, c, d, |a, _, _| rounded::<false>(float(flush::<true>(a)).trunc())),
        }
    }

    fn v_ceil_f32(fp, a, b, c, d) {
        match fp.in_f32 {
            true => each(a, b, c, d, |a, _, _| rounded::<false>(float(a).ceil())),
            false => each(a, b, c, d, |a, _, _| rounded::<false>(float(flush::<true>(a)).ceil())),
        }
    }

    fn v_floor_f32(fp, a, b, c, d) {
        match fp.in_f32 {
            true => each(a, b, c, d, |a, _, _| rounded::<false>(float(a).floor())),
            false => each(a, b, c, d, |a, _, _| rounded::<false>(float(flush::<true>(a)).floor())),
        }
    }

    fn v_rndne_f32(fp, a, b, c, d) {
        match fp.in_f32 {
            true => each(a, b, c, d, |a, _, _| rounded::<false>(float(a).round_ties_even())),
            false => each(a, b, c, d, |a, _, _| rounded::<false>(float(flush::<true>(a)).round_ties_even())),
        }
    }

    fn v_fract_f32(fp, a, b, c, d) {
        // On GCN 1.0 the greatest possible result is noted.
        fp.arch != Arch::Gcn10 && by_mode!(fp, FLUSH => each(a, b, c, d, |a, _, _| {
            let x = float(flush::<FLUSH>(a));
            let (fraction, doubt) = rounded_sum::<FLUSH>(x - x.floor());
            (fraction.min(BELOW_ONE), doubt)
        }))
    }

    /// V_RCP_F32 and V_RCP_IFLAG_F32.
    fn v_rcp_f32(fp, a, b, c, d) {
        // No reciprocal is just below the smallest normal number.
        each(a, b, c, d, |a, _, _| rounded_sum::<true>(1.0 / float(flush::<true>(a))))
    }

    fn v_sqrt_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| {
            let a = flush::<true>(a);
            // The root of -0 is noted, so it is in doubt.
            (float(a).sqrt().to_bits(), is_nan(a) | a)
        })
    }

    fn v_rsq_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| {
            let a = flush::<true>(a);
            let root = reciprocal_root(a);
            let root = select(mask(a == 0), INFINITY, select(mask(a == INFINITY), 0, root));
            (root, is_nan(a) | a)
        })
    }

    fn v_cvt_i32_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| (truncate(a, -2_147_483_648.0, 2_147_483_647.0), 0))
    }

    fn v_cvt_u32_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| (truncate(a, 0.0, 4_294_967_295.0), 0))
    }

    fn v_cvt_f32_i32(fp, a, b, c, d) {
        fp.round_f32 == Round::Nearest && each(a, b, c, d, |a, _, _| ((a as i32 as f32).to_bits(), 0))
    }

    fn v_cvt_f32_u32(fp, a, b, c, d) {
        fp.round_f32 == Round::Nearest && each(a, b, c, d, |a, _, _| ((a as f32).to_bits(), 0))
    }

    fn v_cvt_f32_ubyte0(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| byte::<0>(a))
    }

    fn v_cvt_f32_ubyte1(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| byte::<1>(a))
    }

    fn v_cvt_f32_ubyte2(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| byte::<2>(a))
    }

    fn v_cvt_f32_ubyte3(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| byte::<3>(a))
    }

    /// V_CVT_F32_F16. The operand is the lower half of a lane.
    fn v_cvt_f32_f16(fp, a, b, c, d) {
        let declined = mask(denormals_in_doubt(fp));
        each(a, b, c, d, |a, _, _| {
            let magnitude = a & 0x7fff;
            // The top bit is set for magnitudes from 1 to 0x3ff.
            let denormal = magnitude.wrapping_sub(0x400) & !magnitude.wrapping_sub(1);
            // `normal` is right for normal numbers. For denormals the leading digit is subtracted again, which is
            // exact.
            let normal = (magnitude << 13) + ((127 - 15) << 23);
            let small = float(magnitude | 0x3f00_0000) - 0.5;
            let infinite = mask(magnitude == 0x7c00) & INFINITY;
            // 0.5 + m * 2^-24
            let result = select(mask(magnitude < 0x400), small.to_bits(), normal | infinite);
            (result | (a & 0x8000) << 16, 0x7c00u32.wrapping_sub(magnitude) | denormal & declined)
        })
    }

    /// V_CVT_F16_F32. The result is the lower half of a lane, and the upper half becomes 0.
    fn v_cvt_f16_f32(fp, a, b, c, d) {
        let nearest = fp.round_f32 == Round::Nearest && fp.round_f16_f64 == Round::Nearest;
        let declined = mask(denormals_in_doubt(fp));
        let limited = mask(fp.fp16_ovfl);
        nearest && each(a, b, c, d, |a, _, _| {
            let magnitude = a & !SIGN;
            // Half of the last place is added, and one more if the last digit is odd: this carries where the number
            // rounds up.
            let normal = magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13;
            // The last place of the sum is that of a binary16 denormal.
            let small = (float(magnitude) + 0.5).to_bits() & 0x7ff;
            let is_small = mask(magnitude < (127 - 14) << 23);
            let is_great = mask(magnitude >= 0x477f_f000);
            let result = select(is_small, small, select(is_great, 0x7c00, normal));
            let denormal = is_small & !equals(magnitude, 0);
            let overflow = is_great & !equals(magnitude, INFINITY);
            (result | a >> 16 & 0x8000, is_nan(a) | denormal & declined | overflow & limited)
        })
    }

    fn v_cvt_pkrtz_f16_f32(fp, a, b, c, d) {
        let declined = mask(denormals_in_doubt(fp));
        each(a, b, c, d, |a, b, _| {
            let ((low, doubt_low), (high, doubt_high)) = (towards_zero(a), towards_zero(b));
            (low | high << 16, is_nan(a) | is_nan(b) | (doubt_low | doubt_high) & declined)
        })
    }
}

#[inline(always)]
fn add<const FLUSH: bool>(a: u32, b: u32) -> Lane {
    rounded_sum::<FLUSH>(float(flush::<FLUSH>(a)) + float(flush::<FLUSH>(b)))
}

#[inline(always)]
fn mul<const FLUSH: bool>(a: u32, b: u32) -> Lane {
    rounded::<FLUSH>(float(flush::<FLUSH>(a)) * float(flush::<FLUSH>(b)))
}

#[inline(always)]
fn mul_legacy<const FLUSH: bool>(a: u32, b: u32) -> Lane {
    let (product, doubt) = mul::<FLUSH>(a, b);
    // `digits` are those of which one is 1 unless the number counts as a zero.
    let digits = if FLUSH { INFINITY } else { !SIGN };
    let counts = mask(a & digits != 0) & mask(b & digits != 0);
    (product & counts, doubt & counts)
}

/// Adds `c` to a product and flushes the sum.
#[inline(always)]
fn plus((product, doubt): Lane, c: u32) -> Lane {
    let (sum, doubt_sum) = rounded_sum::<true>(float(product) + float(flush::<true>(c)));
    (sum, doubt | doubt_sum)
}

/// 1/sqrt(x) of a positive normal number.
///
/// Newton's steps improve an estimate from 4 to 21 bits, and one step in binary64 does the rest. Its last digits may be
/// wrong, but no result is so near to the middle of two binary32 numbers that it would matter: all significands, with
/// odd and even exponents, were tried.
#[inline(always)]
fn reciprocal_root(bits: u32) -> u32 {
    let x = float(bits);
    // The subtraction halves the exponent and changes its sign.
    let mut y = float(0x5f37_59df_u32.wrapping_sub(bits >> 1));
    for _ in 0..3 {
        y *= 1.5 - 0.5 * (x * y) * y;
    }
    let (x, y) = (f64::from(x), f64::from(y));
    // y / sqrt(1 - error)
    let error = 1.0 - y * y * x;
    ((y + y * error * (0.5 + 0.375 * error)) as f32).to_bits()
}

/// Whether minimum and maximum flush their operands.
fn flushes_order(fp: &Fp) -> bool {
    fp.arch.is_gcn14_or_later() && !fp.in_f32
}

/// Picks an operand among integers that are ordered like the numbers, with -0 below +0.
#[inline(always)]
fn ordered<const FLUSH: bool>(operands: [u32; 3], pick: impl Fn([i32; 3]) -> i32) -> Lane {
    let operands = operands.map(flush::<FLUSH>);
    let doubt = operands.map(is_nan).iter().fold(0, |any, nan| any | nan);
    // The mapping of negative numbers is its own inverse.
    let key = |bits: i32| bits ^ (bits >> 31) & i32::MAX;
    (key(pick(operands.map(|bits| key(bits as i32)))) as u32, doubt)
}

#[inline(always)]
fn middle([a, b, c]: [i32; 3]) -> i32 {
    a.min(b).max(a.max(b).min(c))
}

/// The number truncated and limited to two integers; a NaN is 0. `as` does the same, but is not vectorised.
#[inline(always)]
fn truncate(bits: u32, min: f64, max: f64) -> u32 {
    let number = float(bits);
    let number = f64::from(if number.is_nan() { 0.0 } else { number.trunc() });
    let number = if number < min { min } else { number };
    let number = if number > max { max } else { number };
    // 1.5 * 2^52 makes the last place 1, so that the lower bits are those of the integer.
    (number + 6_755_399_441_055_744.0).to_bits() as u32
}

#[inline(always)]
fn byte<const N: u32>(bits: u32) -> Lane {
    ((((bits >> (8 * N)) & 0xff) as i32 as f32).to_bits(), 0)
}

/// Rounds to binary16 towards zero. Denormal results are in doubt.
#[inline(always)]
fn towards_zero(bits: u32) -> Lane {
    let magnitude = bits & !SIGN;
    let normal = (magnitude.wrapping_sub((127 - 15) << 23)) >> 13;
    let is_small = mask(magnitude < (127 - 14) << 23);
    // The significand is in units of 2^-24.
    let significand = magnitude & (MIN_NORMAL - 1) | MIN_NORMAL;
    let small = significand >> (126u32.saturating_sub(magnitude >> 23)).min(31);
    let great = 0x7bff + (mask(magnitude == INFINITY) & 1);
    let result = select(is_small, small, select(mask(magnitude >= 0x4780_0000), great, normal));
    (result | bits >> 16 & 0x8000, is_small & !equals(magnitude, 0))
}
