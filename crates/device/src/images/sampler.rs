//! Samplers of launch files, and their S# (docs/gcn/image-descriptors.md#s).

/// What a sampler does with coordinates outside the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// The image repeats.
    Repeat,
    /// The image repeats, every second time mirrored.
    MirroredRepeat,
    /// The texel at the edge is taken.
    ClampToEdge,
    /// The image is mirrored once; beyond that the texel at the edge is taken.
    MirrorClamp,
    /// The border colour is taken.
    ClampToBorder,
}

impl Wrap {
    /// All of them.
    pub const ALL: [Wrap; 5] =
        [Wrap::ClampToEdge, Wrap::ClampToBorder, Wrap::Repeat, Wrap::MirroredRepeat, Wrap::MirrorClamp];

    /// Returns the name in launch files.
    pub const fn name(self) -> &'static str {
        match self {
            Wrap::Repeat => "repeat",
            Wrap::MirroredRepeat => "mirrored_repeat",
            Wrap::ClampToEdge => "clamp_to_edge",
            Wrap::MirrorClamp => "mirror_clamp",
            Wrap::ClampToBorder => "clamp_to_border",
        }
    }

    /// Returns the code of CLAMP_X, CLAMP_Y and CLAMP_Z.
    const fn code(self) -> u32 {
        match self {
            Wrap::Repeat => 0,
            Wrap::MirroredRepeat => 1,
            Wrap::ClampToEdge => 2,
            Wrap::MirrorClamp => 3,
            Wrap::ClampToBorder => 6,
        }
    }

    /// Whether a sampler whose coordinates are in texels can have it.
    pub const fn is_of_texels(self) -> bool {
        matches!(self, Wrap::ClampToEdge | Wrap::ClampToBorder)
    }
}

/// The mip levels that a sampler reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MipFilter {
    /// Level 0 only.
    None,
    /// The nearest level.
    Nearest,
    /// The two nearest levels, blended.
    Linear,
}

/// A sampler as a launch file describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// What happens outside the image in x, y and z.
    pub address: [Wrap; 3],
    /// Whether neighbouring texels are blended.
    pub linear: bool,
    /// The choice of mip levels.
    pub mip: MipFilter,
    /// Whether coordinates go from 0 to 1; otherwise they are in texels.
    pub normalized: bool,
    /// Code of DEPTH_COMPARE_FUNC, 0..=7; 0 is never.
    pub compare: u32,
    /// Code of BORDER_COLOR_TYPE, 0..=2.
    pub border: u32,
    /// The least level of detail, in 1/256, below 4096.
    pub min_lod: u32,
    /// The greatest level of detail, in 1/256, below 4096.
    pub max_lod: u32,
    /// Number that is added to the level of detail, in 1/256: -8192..=8191.
    pub lod_bias: i32,
}

impl Default for Sampler {
    /// Returns the sampler that an empty table describes.
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

    /// Clang 15 makes 0x1000b092 of a sampler with clamp to edge, unnormalised, nearest. Word 0 here is that without
    /// DISABLE_CUBE_WRAP, and with another comparison.
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
        // A sampler that states no filter for z filters z like x and y.
        assert_eq!((s.z_filter(), s.border()), (ThirdFilter::None, BorderColor::OpaqueWhite));
    }
}
