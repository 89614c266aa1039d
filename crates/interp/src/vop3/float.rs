//! Float instructions of VOP3 alone, over the values of one lane: see [`Lane`].

use crate::float::arith::{add, double_unflushed, fma, ldexp, mad, mad_legacy, mul, mul_legacy};
use crate::float::convert::{norm_i16, norm_u16, to_u8};
use crate::float::divide::{div_fixup, div_fmas, div_scale};
use crate::float::format::{Format, flush_in};
use crate::float::order::{self, is_as_great, max, max3, med3, min, min3};
use crate::float::trig_preop::trig_preop;
use crate::float::{F16, F32, F64};
use crate::vector::body::float_lanes;
use crate::vector::lane::{Lane, LaneNote};
use crate::vop2::float::{pack, with_byte};

float_lanes! {
    fn v_mad_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_mad_f32 { mad::<F32>(x, s0, s1, s2) }
    fn v_mad_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { mad::<F16>(x, s0, s1, s2) }
    fn v_mad_legacy_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { mad::<F16>(x, s0, s1, s2) }

    fn v_mad_legacy_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_mad_legacy_f32 {
        mad_legacy::<F32>(x, s0, s1, s2)
    }

    fn v_fma_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { fma::<F16>(x, s0, s1, s2) }
    fn v_fma_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_fma_f32 { fma::<F32>(x, s0, s1, s2) }
    fn v_fma_f64(x: &mut Lane, s0: u64, s1: u64, s2: u64) -> u64 { fma::<F64>(x, s0, s1, s2) }
    fn v_fma_legacy_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { fma::<F16>(x, s0, s1, s2) }
    fn v_min3_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { min3::<F16>(x, s0, s1, s2) }
    fn v_max3_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { max3::<F16>(x, s0, s1, s2) }
    fn v_med3_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { med3::<F16>(x, s0, s1, s2) }
    fn v_min3_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_min3_f32 { min3::<F32>(x, s0, s1, s2) }
    fn v_max3_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_max3_f32 { max3::<F32>(x, s0, s1, s2) }
    fn v_med3_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_med3_f32 { med3::<F32>(x, s0, s1, s2) }
    fn v_add_f64(x: &mut Lane, s0: u64, s1: u64) -> u64 { add::<F64>(x, s0, s1) }
    fn v_mul_f64(x: &mut Lane, s0: u64, s1: u64) -> u64 { mul::<F64>(x, s0, s1) }
    fn v_min_f64(x: &mut Lane, s0: u64, s1: u64) -> u64 { min::<F64>(x, s0, s1) }
    fn v_max_f64(x: &mut Lane, s0: u64, s1: u64) -> u64 { max::<F64>(x, s0, s1) }
    fn v_ldexp_f64(x: &mut Lane, s0: u64, s1: u32) -> u64 { ldexp::<F64>(x, s0, s1 as i32) }

    fn v_mullit_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        // If S2 <= 0 or is NaN, and S1 is -MAX, -inf or NaN, the result is -MAX. Otherwise it is that of MUL_LEGACY.
        let rule = F32::rule(x.fp);
        let [a, b] = [s1, s2].map(|s| flush_in::<F32>(x, rule, s.into()));
        let is_unlit = F32::is_nan(b) || F32::is_negative(b) || F32::is_zero(b);
        let is_least = F32::is_nan(a) || a >= F32::SIGN | F32::MAX;
        if is_unlit || is_least { f32::MIN.to_bits() } else { mul_legacy::<F32>(x, s0, s1) }
    }

    // Division.

    fn v_div_scale_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> (u32, bool) { div_scale::<F32>(x, s0, s1, s2) }

    fn v_div_fmas_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32, mask: bool) -> u32 {
        div_fmas::<F32>(x, s0, s1, s2, mask)
    }

    fn v_div_scale_f64(x: &mut Lane, s0: u64, s1: u64, s2: u64) -> (u64, bool) { div_scale::<F64>(x, s0, s1, s2) }

    fn v_div_fmas_f64(x: &mut Lane, s0: u64, s1: u64, s2: u64, mask: bool) -> u64 {
        div_fmas::<F64>(x, s0, s1, s2, mask)
    }

    fn v_div_fixup_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { div_fixup::<F16>(x, s0, s1, s2) }
    fn v_div_fixup_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { div_fixup::<F32>(x, s0, s1, s2) }
    fn v_div_fixup_f64(x: &mut Lane, s0: u64, s1: u64, s2: u64) -> u64 { div_fixup::<F64>(x, s0, s1, s2) }
    fn v_div_fixup_legacy_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { div_fixup::<F16>(x, s0, s1, s2) }
    fn v_trig_preop_f64(x: &mut Lane, s0: u64, s1: u32) -> u64 { trig_preop(x, s0, s1) }

    // Conversions, packing.

    fn v_cvt_pk_u8_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let byte = to_u8(x, s0);
        with_byte(s2, s1, byte)
    }

    fn v_cvt_pknorm_i16_f16(x: &mut Lane, s0: u16, s1: u16) -> u32 { pack([s0, s1].map(|s| norm_i16::<F16>(x, s))) }
    fn v_cvt_pknorm_u16_f16(x: &mut Lane, s0: u16, s1: u16) -> u32 { pack([s0, s1].map(|s| norm_u16::<F16>(x, s))) }
    fn v_pack_b32_f16(s0: u16, s1: u16) -> u32 { pack([s0, s1]) }

    // Cube maps: the face of a direction (x, y, z), and the place on the face.

    fn v_cubeid_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let (positive, coordinate) = match major(x, [s0, s1, s2]) {
            Major::X => (0.0, s0),
            Major::Y => (2.0, s1),
            Major::Z => (4.0, s2),
        };
        f32::to_bits(if is_below_zero(coordinate) { positive + 1.0 } else { positive })
    }

    fn v_cubesc_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let coordinate = match major(x, [s0, s1, s2]) {
            Major::X if is_below_zero(s0) => s2,
            Major::X => negated(s2),
            Major::Y => s0,
            Major::Z if is_below_zero(s2) => negated(s0),
            Major::Z => s0,
        };
        moved(x, coordinate)
    }

    fn v_cubetc_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let coordinate = match major(x, [s0, s1, s2]) {
            Major::X | Major::Z => negated(s1),
            Major::Y if is_below_zero(s1) => negated(s2),
            Major::Y => s2,
        };
        moved(x, coordinate)
    }

    fn v_cubema_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let coordinate = match major(x, [s0, s1, s2]) {
            Major::X => s0,
            Major::Y => s1,
            Major::Z => s2,
        };
        double_unflushed(x, coordinate)
    }
}

/// The coordinate of the greatest magnitude. Among equal ones z comes before y, and y before x.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Major {
    X,
    Y,
    Z,
}

fn major(lane: &mut Lane<'_>, [x, y, z]: [u32; 3]) -> Major {
    let [x, y, z] = [x, y, z].map(u64::from);
    lane.notes.insert_if([x, y, z].iter().any(|&s| F32::is_nan(s)), LaneNote::CubeNan);
    if is_as_great::<F32>(z, x) && is_as_great::<F32>(z, y) {
        Major::Z
    } else if is_as_great::<F32>(y, x) {
        Major::Y
    } else {
        Major::X
    }
}

fn is_below_zero(s: u32) -> bool {
    order::is_below_zero::<F32>(s.into())
}

fn negated(s: u32) -> u32 {
    s ^ F32::SIGN as u32
}

/// A coordinate as the result, with its bits unchanged.
fn moved(lane: &mut Lane<'_>, coordinate: u32) -> u32 {
    lane.notes.insert_if(F32::is_signalling(coordinate.into()) && !lane.fp.ieee, LaneNote::NanQuiet);
    coordinate
}
