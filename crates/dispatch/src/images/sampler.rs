//! Samplers of launch files, and their S# (docs/gcn/image-descriptors.md#s).

/// What becomes of coordinates outside an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// The image is repeated.
    Repeat,
    /// The image is repeated, every second time mirrored.
    MirroredRepeat,
    /// The texels of the edge go on.
    ClampToEdge,
    /// The image is mirrored once, then the texels of the edge go on.
    MirrorClamp,
    /// The border colour.
    ClampToBorder,
}

impl Wrap {
    /// All of them.
    pub const ALL: [Wrap; 5] =
        [Wrap::ClampToEdge, Wrap::ClampToBorder, Wrap::Repeat, Wrap::MirroredRepeat, Wrap::MirrorClamp];

    /// Name in launch files.
    pub const fn name(self) -> &'static str {
        match self {
            Wrap::Repeat => "repeat",
            Wrap::MirroredRepeat => "mirrored_repeat",
            Wrap::ClampToEdge => "clamp_to_edge",
            Wrap::MirrorClamp => "mirror_clamp",
            Wrap::ClampToBorder => "clamp_to_border",
        }
    }

    /// CLAMP_X and its like.
    const fn code(self) -> u32 {
        match self {
            Wrap::Repeat => 0,
            Wrap::MirroredRepeat => 1,
            Wrap::ClampToEdge => 2,
            Wrap::MirrorClamp => 3,
            Wrap::ClampToBorder => 6,
        }
    }

    /// Whether coordinates may be in texels.
    pub const fn is_of_texels(self) -> bool {
        matches!(self, Wrap::ClampToEdge | Wrap::ClampToBorder)
    }
}

/// The choice of mip levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MipFilter {
    /// Level 0.
    None,
    /// The nearest.
    Nearest,
    /// Between two.
    Linear,
}

/// A sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// For x, y and z.
    pub address: [Wrap; 3],
    /// Whether texels are blended.
    pub linear: bool,
    /// The choice of mip levels.
    pub mip: MipFilter,
    /// Whether coordinates go from 0 to 1, not in texels.
    pub normalized: bool,
    /// DEPTH_COMPARE_FUNC, 0..=7; 0 is never.
    pub compare: u32,
    /// BORDER_COLOR_TYPE, 0..=2.
    pub border: u32,
    /// The least level of detail, in 1/256, below 4096.
    pub min_lod: u32,
    /// The greatest level of detail, in 1/256, below 4096.
    pub max_lod: u32,
    /// Added to the level of detail, in 1/256: -8192..=8191.
    pub lod_bias: i32,
}

impl Default for Sampler {
    /// Returns the sampler of an empty table.
    fn default() -> Sampler {
        Sampler {
            address: [Wrap::ClampToEdge; 3],
            linear: false,
            mip: MipFilter::None,
            normalized: true,
            compare: 0,
            border: 0,
            min_lod: 0,
            max_lod: 15 << 8,
            lod_bias: 0,
        }
    }
}

impl Sampler {
    /// Names of comparisons in the order of their codes.
    pub const COMPARES: [&str; 8] =
        ["never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"];
    /// Names of border colours in the order of their codes.
    pub const BORDERS: [&str; 3] = ["transparent_black", "opaque_black", "opaque_white"];

    /// Returns the S# of ROCm's runtime: coordinates of a point filter are rounded. What kernels of OpenCL compute for
    /// normalised coordinates relies on it.
    pub fn opencl(&self) -> [u32; 4] {
        let [x, y, z] = self.address.map(Wrap::code);
        let mip = match self.mip {
            MipFilter::None => 0,
            MipFilter::Nearest => 1,
            MipFilter::Linear => 2,
        };
        let filter = u32::from(self.linear);
        [
            x | y << 3 | z << 6 | self.compare << 12 | u32::from(!self.normalized) << 15,
            self.min_lod | self.max_lod << 12,
            self.lod_bias as u32 & 0x3fff | filter << 20 | filter << 22 | mip << 26,
            self.border << 30,
        ]
    }

    /// Returns the S# of graphics drivers: with TRUNC_COORD for point filters.
    pub fn descriptor(&self) -> [u32; 4] {
        let mut words = self.opencl();
        words[0] |= u32::from(!self.linear) << 27;
        words
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::image::{BorderColor, Filter, SamplerDescriptor, ThirdFilter};

    use super::*;

    /// Word 0 of the sampler that clang 15 makes of clamp to edge, unnormalised, nearest is 0x1000b092: here without
    /// DISABLE_CUBE_WRAP, and another comparison.
    #[test]
    fn words() {
        let sampler = Sampler { normalized: false, compare: 3, ..Sampler::default() };
        assert_eq!(sampler.opencl(), [0xb092, 0x00f0_0000, 0, 0]);
        assert_eq!(sampler.descriptor(), [0x0800_b092, 0x00f0_0000, 0, 0]);
        let linear = Sampler { linear: true, ..Sampler::default() };
        assert_eq!((linear.opencl()[2], linear.descriptor()), (0x0050_0000, linear.opencl()));
    }

    #[test]
    fn what_decoding_finds() {
        let sampler = Sampler {
            address: [Wrap::Repeat, Wrap::ClampToBorder, Wrap::MirrorClamp],
            linear: true,
            mip: MipFilter::Linear,
            normalized: true,
            compare: 6,
            border: 2,
            min_lod: 0x123,
            max_lod: 0xeff,
            lod_bias: -3,
        };
        let s = SamplerDescriptor(sampler.descriptor());
        assert_eq!([0, 1, 2].map(|axis| s.clamp(axis)), [0, 6, 3]);
        assert_eq!((s.compare(), s.forces_unnormalized(), s.truncates()), (6, false, false));
        assert_eq!((s.min_lod(), s.max_lod(), s.lod_bias()), (0x123, 0xeff, -3));
        assert_eq!(
            (s.mag_filter(), s.min_filter(), s.mip_filter()),
            (Filter::Linear, Filter::Linear, ThirdFilter::Linear)
        );
        // Without a filter of its own z is filtered like x and y.
        assert_eq!((s.z_filter(), s.border()), (ThirdFilter::None, BorderColor::OpaqueWhite));
    }
}
