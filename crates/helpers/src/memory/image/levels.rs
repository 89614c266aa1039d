//! The levels that the lanes of a sample meet (docs/gcn/sampling.md#level-of-detail).

use gcnsim_isa::LANES;
use gcnsim_isa::image::{Filter, ThirdFilter};
use gcnsim_isa::table::LodSource;

use super::super::{Machine, lanes};
use super::address::Operand;
use super::fast_sample::Look;
use super::lod;
use crate::host::lanes::lanes_of;
use crate::host::{Host, Lanes};

/// The levels of the lanes.
pub(super) struct Levels {
    /// The level of detail of each lane after MIP_FILTER, in 1/256.
    filtered: Lanes,
    /// The levels that lanes meet, a bit for each.
    pub used: u32,
    /// The filter within a level.
    pub filter: Filter,
}

impl Levels {
    /// The level, if all lanes take the same one.
    pub fn only(&self) -> Option<u32> {
        self.used.is_power_of_two().then_some(self.used.trailing_zeros())
    }

    /// The shares of level `level` in the results of the lanes, in 1/256; 1 if it is the only level.
    #[inline(always)]
    pub fn share(&self, level: u32) -> Lanes {
        if self.only().is_some() {
            return [1; LANES];
        }
        lanes_of!(lane => {
            let (first, second) = (self.filtered[lane] >> 8, self.filtered[lane] & 255);
            if first == level { 256 - second } else if first + 1 == level { second } else { 0 }
        })
    }
}

/// The lanes whose value is a finite number.
#[inline(always)]
pub(super) fn finite<H: Host>(host: H, values: &Lanes) -> u64 {
    host.nonzero(&lanes_of!(lane => (values[lane] << 1 < 0xff00_0000) as u32))
}

/// The levels of a sample; `None` if lanes have different filters, or operands that are no finite numbers.
#[inline(always)]
pub(super) fn of_lanes<H: Host>(host: H, look: &Look<'_>, m: &Machine<'_>) -> Option<Levels> {
    let (view, sampler, lookup) = (&look.image.image, look.sampler, look.lookup);
    let operands = &look.operands;
    for operand in [operands.bias, operands.level, operands.least].into_iter().flatten() {
        all_finite(host, look, m, operand)?;
    }
    for operand in operands.derivatives.into_iter().flatten().flatten() {
        all_finite(host, look, m, operand)?;
    }
    let (mag, min) = (sampler.mag_filter(), sampler.min_filter());
    let has_one = view.levels == 1 || sampler.mip_filter() == ThirdFilter::None;
    if has_one && mag == min {
        return Some(Levels { filtered: [0; LANES], used: 1, filter: mag });
    }
    if lookup.lod == LodSource::Zero && !lookup.is_clamped {
        let lod = lod::clamped(view, sampler, 0.0, 0.0);
        return levels_of(look, [lod::filtered(view, sampler, lod); LANES], if lod <= 0.0 { mag } else { min });
    }
    of_each_lane(look, m)
}

/// Returns `None` unless an operand is a finite number in all active lanes.
#[inline(always)]
fn all_finite<H: Host>(host: H, look: &Look<'_>, m: &Machine<'_>, operand: Operand) -> Option<()> {
    let values = look.register(m, Some(operand))?;
    (finite(host, values) & look.exec == look.exec).then_some(())
}

/// The levels of a sample whose level of detail depends on the lane.
#[inline(never)]
fn of_each_lane(look: &Look<'_>, m: &Machine<'_>) -> Option<Levels> {
    let (view, sampler, operands) = (&look.image.image, look.sampler, &look.operands);
    let sizes = if look.is_unnormalized { [1.0; 3] } else { view.size(0).map(f64::from) };
    let number = |operand: Option<Operand>, lane: usize| match operand {
        Some(_) => look.register(m, operand).map(|values| f32::from_bits(values[lane]) as f64),
        None => Some(0.0),
    };
    let numbers = |operands: [Option<Operand>; 3], lane: usize| {
        let [x, y, z] = operands.map(|operand| number(operand, lane));
        Some([x?, y?, z?])
    };
    let (mut filtered, mut magnified) = ([0; LANES], 0);
    let (mut quad, mut of_quad) = (None, 0.0);
    for lane in lanes(look.exec) {
        let lambda = match look.lookup.lod {
            LodSource::Zero => 0.0,
            LodSource::Given => number(operands.level, lane)? + sampler.lod_bias() as f64 / 256.0,
            LodSource::Quad | LodSource::Bias | LodSource::Derivatives => {
                if look.lookup.lod == LodSource::Derivatives {
                    let [across, down] = operands.derivatives.map(|vector| numbers(vector, lane));
                    of_quad = lod::of_derivatives([across?, down?], sizes);
                } else if quad.replace(lane / 4) != Some(lane / 4) {
                    let [zero, one, two] = [0, 1, 2].map(|k| numbers(operands.at, lane & !3 | k));
                    let zero = zero?;
                    let differences = [one?, two?].map(|other| [0, 1, 2].map(|k| other[k] - zero[k]));
                    if differences.iter().flatten().any(|difference| !difference.is_finite()) {
                        return None;
                    }
                    of_quad = lod::of_derivatives(differences, sizes);
                }
                of_quad + sampler.lod_bias() as f64 / 256.0 + number(operands.bias, lane)?
            }
        };
        let lod = lod::clamped(view, sampler, lambda, number(operands.least, lane)?);
        magnified |= ((lod <= 0.0) as u64) << lane;
        filtered[lane] = lod::filtered(view, sampler, lod);
    }
    let (mag, min) = (sampler.mag_filter(), sampler.min_filter());
    let filter = match magnified {
        0 => min,
        _ if magnified == look.exec || mag == min => mag,
        _ => return None,
    };
    levels_of(look, filtered, filter)
}

/// The levels of lanes with the levels of detail `filtered`, in 1/256. Integers are not blended: the level with the
/// greater share counts.
#[inline(always)]
fn levels_of(look: &Look<'_>, mut filtered: Lanes, filter: Filter) -> Option<Levels> {
    if look.image.image.texels.is_integer() {
        filtered = lanes_of!(lane => (filtered[lane] + 127) & !255);
    }
    let mut used = 0;
    for lane in lanes(look.exec) {
        let first = filtered[lane] >> 8;
        used |= (if filtered[lane] & 255 == 0 { 1 } else { 3 }) << first;
    }
    Some(Levels { filtered, used, filter })
}
