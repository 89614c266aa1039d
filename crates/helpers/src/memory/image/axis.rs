//! Axes: the coordinates of all lanes along an axis of a level, and the texels that they meet
//! (docs/gcn/sampling.md#coordinates).
//!
//! Coordinates are computed in binary64, in which the product of a binary32 and a size is exact.

use super::super::convert::INTEGERS;
use crate::host::lanes::lanes_of;
use crate::host::{Host, Lanes};

/// Limit for the magnitude of a coordinate, in 1/256 of a texel, so that all indices fit into 32 bits. Coordinates
/// beyond it are declined.
const LIMIT: f64 = (1u64 << 30) as f64;

/// An axis of a level, and how a sampler goes along it.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    /// Number of texels.
    pub size: u32,
    /// Bytes from a texel to the next.
    pub step: u32,
    /// Whether coordinates are in texels, not from 0 to 1.
    pub is_unnormalized: bool,
    /// CLAMP of the axis in S#.
    pub clamp: u32,
    /// What lies behind the ends.
    pub side: Side,
    /// Whether the filter is linear. Otherwise it takes one texel (a point).
    pub is_linear: bool,
    /// Whether a point's coordinate is cut to whole texels, without being rounded to 1/256 before.
    pub is_cut: bool,
    /// Whether both neighbours count, whatever their weights.
    pub is_gather: bool,
}

/// What lies behind the ends of an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The axis is not one of a cube's face. Behind its ends lies what CLAMP says.
    Plane,
    /// The axis is one of a cube's face, on which the sampler stays: behind its ends lie copies of the last texels.
    Face,
    /// The axis is one of a cube's face. Behind its ends lie the neighbouring faces.
    Seam,
}

/// The place of a texel that is beyond the border. No other one has it: the last byte of a texel is below 2^32.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The texels that lanes meet along an axis: one, or two neighbours.
pub(super) struct Met {
    /// Distances of the texels from the first one of the axis, in bytes, or [`OUTSIDE`].
    pub at: [Lanes; 2],
    /// Whether a texel can be beyond the border.
    pub has_border: bool,
    /// Weight of the second texel in 1/256, 0 to 255.
    pub second: Lanes,
}

impl Met {
    /// One texel of each lane, at the distance `at`.
    pub fn one(at: Lanes) -> Met {
        Met { at: [at, [0; 64]], has_border: false, second: [0; 64] }
    }
}

impl Axis {
    /// Coordinates in 1/256 of a texel; `None` if that of a lane of `needed` is no number, or beyond [`LIMIT`].
    #[inline(always)]
    fn fixed<H: Host>(&self, host: H, coordinates: &Lanes, needed: u64) -> Option<Lanes> {
        let (mut fixed, mut is_near) = ([0; 64], [0; 64]);
        let is_scaled = !self.is_unnormalized || self.side != Side::Plane;
        let scale = if is_scaled { 256.0 * self.size as f64 } else { 256.0 };
        // Coordinates on a cube's face go from 1 to 2.
        let start = if self.side == Side::Plane { 0.0 } else { 1.0 };
        // A coordinate that is cut is the floor in texels; others are rounded to 1/256.
        let (half, unit, shift) = if self.is_cut && !self.is_linear { (0.0, 1.0 / 256.0, 8) } else { (0.5, 1.0, 0) };
        let (scale, limit) = (scale * unit, LIMIT * unit);
        for lane in 0..64 {
            let place = (f32::from_bits(coordinates[lane]) as f64 - start) * scale;
            let near = place.abs() < limit;
            is_near[lane] = near as u32;
            let place = if near { place } else { 0.0 };
            fixed[lane] = (((place + half).floor() + INTEGERS).to_bits() as u32) << shift;
        }
        (host.nonzero(&is_near) & needed == needed).then_some(fixed)
    }

    /// How the axis goes on behind its ends.
    fn mode(&self) -> u32 {
        if self.side == Side::Plane { self.clamp } else { 2 }
    }

    /// Coordinates in 1/256 of a texel, `shift` further on and as CLAMP says before it makes indices. Those of the
    /// lanes of `needed` have to be near numbers. Offsets are in texels.
    #[inline(always)]
    fn moved<H: Host>(
        &self,
        host: H,
        coordinates: &Lanes,
        offset: Option<&Lanes>,
        shift: u32,
        needed: u64,
    ) -> Option<Lanes> {
        let mut at = self.fixed(host, coordinates, needed)?;
        if let Some(offset) = offset {
            at = lanes_of!(lane => at[lane].wrapping_add(offset[lane] << 8));
        }
        if shift != 0 {
            at = lanes_of!(lane => at[lane].wrapping_add(shift));
        }
        let clamp = self.mode();
        if matches!(clamp, 5 | 7) {
            // CLAMP takes the distance from 0. The floor of that is not known from the floor of the coordinate.
            if self.is_cut && !self.is_linear {
                return None;
            }
            at = lanes_of!(lane => (at[lane] as i32).unsigned_abs());
        }
        if matches!(clamp, 4 | 5) || self.side != Side::Plane {
            let end = 256 * self.size as i32;
            at = lanes_of!(lane => (at[lane] as i32).max(0).min(end) as u32);
        }
        Some(at)
    }

    /// The places of the nearest texels of the lanes.
    #[inline(always)]
    pub fn nearest<H: Host>(&self, host: H, coordinates: &Lanes, offset: Option<&Lanes>, needed: u64) -> Option<Lanes> {
        let at = self.moved(host, coordinates, offset, 0, needed)?;
        Some(self.places(&lanes_of!(lane => (at[lane] as i32 >> 8) as u32), self.mode()))
    }

    /// The texels of the lanes of `exec`, from coordinates as [`moved`](Axis::moved) takes them.
    #[inline(always)]
    pub fn meet<H: Host>(
        &self,
        host: H,
        coordinates: &Lanes,
        offset: Option<&Lanes>,
        shift: u32,
        [exec, needed]: [u64; 2],
        met: &mut Met,
    ) -> Option<()> {
        let clamp = self.mode();
        met.has_border = clamp >= 4;
        if !self.is_linear {
            met.at[0] = self.nearest(host, coordinates, offset, needed)?;
            return Some(());
        }
        let at = self.moved(host, coordinates, offset, shift, needed)?;
        let first = lanes_of!(lane => at[lane].wrapping_sub(128));
        met.second = lanes_of!(lane => first[lane] & 255);
        for k in 0..2 {
            let index = lanes_of!(lane => ((first[lane] as i32 >> 8) as u32).wrapping_add(k as u32));
            if self.side == Side::Seam && self.crosses(host, &index, &met.second, k) & exec != 0 {
                return None;
            }
            met.at[k] = self.places(&index, clamp);
        }
        Some(())
    }

    /// The lanes whose first or second neighbour counts and lies behind an edge.
    #[inline(always)]
    fn crosses<H: Host>(&self, host: H, index: &Lanes, second: &Lanes, k: usize) -> u64 {
        let counts = |weight: u32| k == 0 || self.is_gather || weight > 0;
        let is_outside = lanes_of!(lane => (index[lane] >= self.size && counts(second[lane])) as u32);
        host.nonzero(&is_outside)
    }

    /// The places of texels with indices, or [`OUTSIDE`].
    #[inline(always)]
    fn places(&self, index: &Lanes, clamp: u32) -> Lanes {
        let (size, step) = (self.size, self.step);
        let n = size as i32;
        let texels: Lanes = match clamp {
            0 if size.is_power_of_two() => lanes_of!(lane => index[lane] & (size - 1)),
            0 => lanes_of!(lane => remainder(index[lane] as i32, n)),
            1 => lanes_of!(lane => {
                let index = remainder(index[lane] as i32, 2 * n) as i32;
                (if index < n { index } else { 2 * n - 1 - index }) as u32
            }),
            2 => lanes_of!(lane => (index[lane] as i32).max(0).min(n - 1) as u32),
            3 | 5 | 7 => lanes_of!(lane => index[lane] ^ (index[lane] as i32 >> 31) as u32),
            _ => *index,
        };
        match clamp {
            0..=2 => lanes_of!(lane => texels[lane].wrapping_mul(step)),
            3 => lanes_of!(lane => texels[lane].min(size - 1).wrapping_mul(step)),
            _ => lanes_of!(lane => if texels[lane] < size { texels[lane].wrapping_mul(step) } else { OUTSIDE }),
        }
    }
}

/// `index` modulo `n`. The quotient is computed in binary32, where for numbers below 2^23 it is off by less than 1.
#[inline(always)]
fn remainder(index: i32, n: i32) -> u32 {
    let quotient = (index as f32 * (1.0 / n as f32)) as i32;
    let rest = index - quotient * n;
    let rest = if rest < 0 { rest + n } else { rest };
    let rest = if rest < 0 { rest + n } else { rest };
    (if rest >= n { rest - n } else { rest }) as u32
}
