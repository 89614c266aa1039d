//! Cube map instructions: docs/gcn/valu-float.md#cube-maps-and-interpolation. Coordinates are compared as they are,
//! denormals included.

use super::super::notes::{CUBE_NAN, NAN_QUIET};
use super::FloatMode;
use super::format::*;
use super::soft::{Num, finish};

/// The axis with the greatest coordinate.
enum Axis {
    X,
    Y,
    Z,
}

/// |a| >= |b|; false for a NaN.
fn not_below(a: u32, b: u32) -> bool {
    let [a, b] = [a, b].map(|x| magnitude::<F32>(x.into()));
    a <= F32::INF && b <= F32::INF && a >= b
}

fn major_axis(x: u32, y: u32, z: u32, notes: &mut u32) -> Axis {
    if [x, y, z].iter().any(|&c| is_nan::<F32>(c.into())) {
        *notes |= CUBE_NAN;
    }
    if not_below(z, x) && not_below(z, y) {
        Axis::Z
    } else if not_below(y, x) {
        Axis::Y
    } else {
        Axis::X
    }
}

/// c < 0; false for -0 and NaN.
fn is_below_zero(c: u32) -> bool {
    let c = u64::from(c);
    is_negative::<F32>(c) && !is_zero::<F32>(c) && !is_nan::<F32>(c)
}

/// -c, by flipping the sign bit.
const fn negated(c: u32) -> u32 {
    c ^ 0x8000_0000
}

/// A coordinate as the result, with its bits unchanged. Without IEEE even a signalling NaN stays one.
fn moved(m: &FloatMode, c: u32, notes: &mut u32) -> u32 {
    if !m.ieee && is_signalling::<F32>(c.into()) {
        *notes |= NAN_QUIET;
    }
    c
}

/// Number of the face: 0.0 to 5.0 for +X, -X, +Y, -Y, +Z, -Z.
pub fn v_cubeid_f32(_: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    let (face, coordinate) = match major_axis(s0, s1, s2, notes) {
        Axis::X => ([0.0f32, 1.0], s0),
        Axis::Y => ([2.0, 3.0], s1),
        Axis::Z => ([4.0, 5.0], s2),
    };
    face[usize::from(is_below_zero(coordinate))].to_bits()
}

/// S coordinate within the face, before division.
pub fn v_cubesc_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    let coordinate = match major_axis(s0, s1, s2, notes) {
        Axis::X if is_below_zero(s0) => s2,
        Axis::X => negated(s2),
        Axis::Y => s0,
        Axis::Z if is_below_zero(s2) => negated(s0),
        Axis::Z => s0,
    };
    moved(m, coordinate, notes)
}

/// T coordinate within the face, before division.
pub fn v_cubetc_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    let coordinate = match major_axis(s0, s1, s2, notes) {
        Axis::Y if is_below_zero(s1) => negated(s2),
        Axis::Y => s2,
        Axis::X | Axis::Z => negated(s1),
    };
    moved(m, coordinate, notes)
}

/// Twice the greatest coordinate, with its sign. MODE applies to the result.
pub fn v_cubema_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    let coordinate = u64::from(match major_axis(s0, s1, s2, notes) {
        Axis::X => s0,
        Axis::Y => s1,
        Axis::Z => s2,
    });
    let twice = match () {
        () if is_nan::<F32>(coordinate) => nan_result::<F32>(m, coordinate, notes),
        () if is_inf::<F32>(coordinate) => coordinate,
        () => finish::<F32>(m, m.single, Num::unpack::<F32>(coordinate).scaled(1), notes),
    };
    twice as u32
}
