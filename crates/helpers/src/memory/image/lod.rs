//! Levels of detail (docs/gcn/sampling.md#level-of-detail).

use gcnsim_isa::image::{SamplerDescriptor, ThirdFilter};

use super::resource::View;

/// A level, and its share in the result in 1/256.
pub(super) type Share = (u32, u64);

/// The level of detail that derivatives give: the base-2 logarithm of the longer one of two vectors, in texels. It is
/// computed in binary64, as the document says.
pub(super) fn of_derivatives(derivatives: [[f64; 3]; 2], sizes: [f64; 3]) -> f64 {
    let square = |vector: [f64; 3]| {
        let [x, y, z] = [0, 1, 2].map(|k| (vector[k] * sizes[k]) * (vector[k] * sizes[k]));
        x + y + z
    };
    let [across, down] = derivatives.map(square);
    let longest = across.max(down);
    if longest == 0.0 { f64::NEG_INFINITY } else { longest.log2() / 2.0 }
}

/// The level of detail `lambda` after it is clamped: to the ranges of S# and T#, and to at least `least`, an operand.
pub(super) fn clamped(view: &View, sampler: SamplerDescriptor, lambda: f64, least: f64) -> f64 {
    let low = (sampler.min_lod() as f64 / 256.0).max(view.min_lod as f64 / 256.0).max(least);
    lambda.max(low).min(sampler.max_lod() as f64 / 256.0)
}

/// The level of detail after MIP_FILTER, in 1/256. Point filters give whole levels.
pub(super) fn filtered(view: &View, sampler: SamplerDescriptor, lod: f64) -> u32 {
    let last = view.levels - 1;
    let lod = lod.min(last as f64);
    match sampler.mip_filter() {
        ThirdFilter::None => 0,
        ThirdFilter::Point => 256 * ((lod + 0.5).floor() as u32).min(last),
        ThirdFilter::Linear => (lod * 256.0 + 0.5).floor() as u32,
    }
}

/// The two levels of a sample with the level of detail `filtered`, in 1/256. The share of the second may be 0.
pub(super) fn levels(view: &View, filtered: u32) -> [Share; 2] {
    let (first, second) = (filtered >> 8, (filtered & 255) as u64);
    [(first, 256 - second), ((first + 1).min(view.levels - 1), second)]
}
