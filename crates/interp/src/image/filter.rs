//! What is made of the texels of a footprint (docs/gcn/sampling.md#compare-integers-minimum-and-maximum).

use gcnsim_isa::image::{FilterMode, SamplerDescriptor};

use super::exact::blended;
use super::texel::ONE;
use super::view::View;

/// The NaN of a blend.
const NAN: u32 = 0x7fc0_0000;

/// A number that compares as binary32 numbers do: NaNs are beyond infinity.
fn order(bits: u32) -> i64 {
    let magnitude = (bits & 0x7fff_ffff) as i64;
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

/// One component of texels with their weights, at least one.
pub(super) fn filtered(mode: FilterMode, texels: &[(u32, u64)]) -> u32 {
    let values = || texels.iter().map(|(value, _)| *value);
    // Of equal values the first one stays.
    let extreme = |is_better: fn(i64, i64) -> bool| {
        values().reduce(|best, value| if is_better(order(value), order(best)) { value } else { best }).unwrap_or(0)
    };
    match (texels, mode) {
        ([(value, _)], _) => *value,
        (_, FilterMode::Min) => extreme(|a, b| a < b),
        (_, FilterMode::Max) => extreme(|a, b| a > b),
        (_, FilterMode::Blend) => {
            let has = |wanted: fn(f32) -> bool| values().any(|value| wanted(f32::from_bits(value)));
            match (has(|value| value == f32::INFINITY), has(|value| value == f32::NEG_INFINITY)) {
                _ if has(f32::is_nan) => NAN,
                (true, true) => NAN,
                (true, false) => f32::INFINITY.to_bits(),
                (false, true) => f32::NEG_INFINITY.to_bits(),
                (false, false) => blended(texels.iter().copied()),
            }
        }
    }
}

/// `reference op texel`, by DEPTH_COMPARE_FUNC. A NaN differs from all.
pub(super) fn passes(sampler: SamplerDescriptor, view: &View, reference: u32, texel: u32) -> bool {
    let is_nan = |bits| f32::from_bits(bits).is_nan();
    let reference = match reference {
        reference if !view.texels.is_unorm() || is_nan(reference) => reference,
        reference if reference >> 31 == 1 => 0,
        reference => reference.min(ONE),
    };
    let function = sampler.compare();
    if is_nan(reference) || is_nan(texel) {
        return matches!(function, 5 | 7);
    }
    let (a, b) = (order(reference), order(texel));
    match function {
        0 => false,
        1 => a < b,
        2 => a == b,
        3 => a <= b,
        4 => a > b,
        5 => a != b,
        6 => a >= b,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;
    use gcnsim_isa::image::ImageDescriptor;

    use super::super::exact::WHOLE;
    use super::*;

    fn of(mode: FilterMode, values: &[f32]) -> f32 {
        let weight = WHOLE / values.len() as u64;
        let texels: Vec<_> = values.iter().map(|value| (value.to_bits(), weight)).collect();
        f32::from_bits(filtered(mode, &texels))
    }

    #[test]
    fn modes() {
        use FilterMode::{Blend, Max, Min};
        assert_eq!([Blend, Min, Max].map(|mode| of(mode, &[2.0, -1.0, 4.0, 3.0])), [2.0, -1.0, 4.0]);
        assert_eq!([Blend, Min, Max].map(|mode| of(mode, &[-0.0]).to_bits()), [1 << 31; 3]);
        assert_eq!([Min, Max].map(|mode| of(mode, &[-0.0, 0.0]).to_bits()), [1 << 31; 2]);
        assert_eq!([Min, Max].map(|mode| of(mode, &[f32::NAN, f32::INFINITY]).is_nan()), [false, true]);
        assert_eq!(of(Blend, &[1.0, f32::INFINITY]), f32::INFINITY);
        assert_eq!(of(Blend, &[f32::NEG_INFINITY, f32::INFINITY]).to_bits(), NAN);
        assert_eq!(of(Blend, &[-f32::NAN, 1.0]).to_bits(), NAN);
    }

    #[test]
    fn compare_functions() {
        let view = |data: u32, number: u32| {
            let t = [0, data << 20 | number << 26, 0, 9 << 28, 0, 0, 0, 0];
            View::new(Arch::Gcn14, ImageDescriptor(t), false, false).unwrap()
        };
        let all = |view: &View, reference: f32, texel: f32| -> Vec<u32> {
            let passes =
                |op: &u32| passes(SamplerDescriptor([op << 12, 0, 0, 0]), view, reference.to_bits(), texel.to_bits());
            (0..8).filter(passes).collect()
        };
        let float = view(4, 7);
        assert_eq!(all(&float, 0.25, 0.5), [1, 3, 5, 7]);
        assert_eq!(all(&float, 0.5, 0.5), [2, 3, 6, 7]);
        assert_eq!(all(&float, 2.0, 1.0), [4, 5, 6, 7]);
        assert_eq!(all(&float, -0.0, 0.0), [2, 3, 6, 7]);
        assert_eq!(all(&float, f32::NAN, 0.0), [5, 7]);
        // A UNORM format clamps the reference to 0 .. 1.
        assert_eq!(all(&view(2, 0), 2.0, 1.0), [2, 3, 6, 7]);
        assert_eq!(all(&view(2, 0), -5.0, 0.0), [2, 3, 6, 7]);
    }
}
