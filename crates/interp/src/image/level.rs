//! The level of detail (docs/gcn/sampling.md#level-of-detail).

use gcnsim_isa::image::{SamplerDescriptor, ThirdFilter};
use gcnsim_isa::table::LodSource;

use super::address::Address;
use super::view::View;

/// The level of detail of a lane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lod {
    /// Before it is clamped.
    pub lambda: f64,
    /// Within the limits of S#, T# and operand.
    pub clamped: f64,
    /// And within the levels of the image.
    pub level: f64,
}

/// Two levels, and the weight of the second in 1/256. With weight 0 there is only the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Levels {
    pub first: u32,
    pub second: u32,
    pub weight: u64,
}

impl Lod {
    /// `derivatives` are those of the registers or of the quad, d/dh and d/dv.
    pub fn new(
        view: &View,
        sampler: SamplerDescriptor,
        source: LodSource,
        is_normalized: bool,
        address: &Address,
        derivatives: [[f64; 3]; 2],
    ) -> Lod {
        let in_256ths = |n: i32| n as f64 / 256.0;
        let lambda = match source {
            LodSource::Zero => 0.0,
            LodSource::Given => address.level + in_256ths(sampler.lod_bias()),
            LodSource::Quad | LodSource::Bias | LodSource::Derivatives => {
                let size = if is_normalized { view.size(0) } else { [1; 3] };
                let lengths = derivatives.map(|vector| {
                    let texels = |i: usize| vector[i] * size[i] as f64;
                    texels(0) * texels(0) + texels(1) * texels(1) + texels(2) * texels(2)
                });
                let longest = lengths[0].max(lengths[1]);
                let scale = if longest > 0.0 { longest.log2() / 2.0 } else { f64::NEG_INFINITY };
                scale + in_256ths(sampler.lod_bias()) + address.bias
            }
        };
        let least = in_256ths(sampler.min_lod().max(view.descriptor.min_lod()) as i32).max(address.least);
        let clamped = lambda.max(least).min(in_256ths(sampler.max_lod() as i32));
        Lod { lambda, clamped, level: clamped.min((view.levels() - 1) as f64) }
    }

    /// The levels that MIP_FILTER takes.
    pub fn levels(&self, view: &View, filter: ThirdFilter) -> Levels {
        let last = view.levels() - 1;
        let alone = |level: u32| Levels { first: level, second: level, weight: 0 };
        match filter {
            ThirdFilter::None => alone(0),
            ThirdFilter::Point => alone(((self.level + 0.5).floor() as u32).min(last)),
            ThirdFilter::Linear => {
                let fine = (self.level * 256.0 + 0.5).floor() as u64;
                let first = (fine / 256) as u32;
                Levels { first, second: (first + 1).min(last), weight: fine % 256 }
            }
        }
    }
}

impl Levels {
    /// As one number.
    pub fn number(&self) -> f64 {
        self.first as f64 + self.weight as f64 / 256.0
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;
    use gcnsim_isa::image::ImageDescriptor;

    use super::*;

    /// 16 x 8 texels of 8_8_8_8, BASE_LEVEL 0, LAST_LEVEL 3.
    fn view() -> View {
        let t = [0, 10 << 20, 15 | 7 << 14, 9 << 28 | 3 << 16, 63 << 13, 0, 0, 0];
        View::new(Arch::Gcn14, ImageDescriptor(t), false, false).unwrap()
    }

    fn sampler(min: u32, max: u32, bias: u32) -> SamplerDescriptor {
        SamplerDescriptor([0, min | max << 12, bias & 0x3fff, 0])
    }

    fn lod(sampler: SamplerDescriptor, source: LodSource, address: Address, derivatives: [[f64; 3]; 2]) -> Lod {
        Lod::new(&view(), sampler, source, true, &address, derivatives)
    }

    #[test]
    fn of_derivatives() {
        let plain = sampler(0, 0xfff, 0);
        // 1/4 of 16 texels is 4 texels; 1/8 of 8 is 1: the longer counts.
        let vectors = [[0.25, 0.0, 0.0], [0.0, 0.125, 0.0]];
        assert_eq!(lod(plain, LodSource::Quad, Address::default(), vectors).lambda, 2.0);
        // 3 and 4 texels: 5.
        let slanted = [[3.0 / 16.0, 0.5, 0.0], [0.0; 3]];
        assert!((lod(plain, LodSource::Derivatives, Address::default(), slanted).lambda - 5f64.log2()).abs() < 1e-12);
        let biased = Address { bias: 0.5, ..Address::default() };
        assert_eq!(lod(sampler(0, 0xfff, 0x80), LodSource::Bias, biased, vectors).lambda, 3.0);
        let still = lod(plain, LodSource::Quad, Address::default(), [[0.0; 3]; 2]);
        assert_eq!((still.lambda, still.level), (f64::NEG_INFINITY, 0.0));
    }

    #[test]
    fn limits() {
        let given = |level, least| Address { level, least, ..Address::default() };
        let level = |sampler, address| lod(sampler, LodSource::Given, address, [[0.0; 3]; 2]);
        // LOD_BIAS counts: 1 and -1/2.
        assert_eq!(level(sampler(0, 0xfff, 0x100), given(1.25, 0.0)).level, 2.25);
        assert_eq!(level(sampler(0, 0xfff, 0x3f80), given(1.25, 0.0)).level, 0.75);
        assert_eq!(level(sampler(0x180, 0xfff, 0), given(-4.0, 0.0)).level, 1.5);
        assert_eq!(level(sampler(0, 0x240, 0), given(9.0, 0.0)).level, 2.25);
        assert_eq!(level(sampler(0, 0xfff, 0), given(0.0, 2.0)).level, 2.0);
        let far = level(sampler(0, 0xfff, 0), given(1e30, 0.0));
        assert_eq!((far.clamped, far.level), (0xfff as f64 / 256.0, 3.0));
    }

    #[test]
    fn levels_of_filters() {
        let at = |level| Lod { lambda: level, clamped: level, level };
        let alone = |first| Levels { first, second: first, weight: 0 };
        assert_eq!(at(2.5).levels(&view(), ThirdFilter::None), alone(0));
        assert_eq!([1.4, 1.5, 3.0].map(|l| at(l).levels(&view(), ThirdFilter::Point)), [1, 2, 3].map(alone));
        assert_eq!(at(1.25).levels(&view(), ThirdFilter::Linear), Levels { first: 1, second: 2, weight: 64 });
        assert_eq!(at(2.999).levels(&view(), ThirdFilter::Linear), alone(3));
        assert_eq!(at(1.25).levels(&view(), ThirdFilter::Linear).number(), 1.25);
    }
}
