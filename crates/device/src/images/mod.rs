//! Images of launches: their shapes, the linear layout of their texels in guest memory, their descriptors, and what
//! kernels of OpenCL get for them.

mod descriptor;
mod format;
mod layout;
mod sampler;

pub use descriptor::{
    IMAGE_OBJECT, OBJECT, buffer_descriptor, image_descriptor, image_object, raw_buffer_descriptor, sampler_object,
};
pub use format::Format;
pub use layout::Layout;
pub use sampler::{MipFilter, Sampler, Wrap};

/// The type of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A row of texels.
    D1,
    /// A plane of texels.
    D2,
    /// A volume of texels.
    D3,
    /// Cubes, each of six planes.
    Cube,
    /// An array of rows.
    D1Array,
    /// An array of planes.
    D2Array,
    /// A row that buffer instructions access.
    D1Buffer,
}

impl Kind {
    /// All types.
    pub const ALL: [Kind; 7] = [Kind::D1, Kind::D2, Kind::D3, Kind::Cube, Kind::D1Array, Kind::D2Array, Kind::D1Buffer];

    /// Returns the name of the type in launch files.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::D1 => "1d",
            Kind::D2 => "2d",
            Kind::D3 => "3d",
            Kind::Cube => "cube",
            Kind::D1Array => "1d-array",
            Kind::D2Array => "2d-array",
            Kind::D1Buffer => "1d-buffer",
        }
    }

    /// Returns the type of images that a parameter of OpenCL's type `name` takes, and whether their texels are depths.
    pub fn of_opencl(name: &str) -> Option<(Kind, bool)> {
        Some(match name.split_whitespace().last()? {
            "image1d_t" => (Kind::D1, false),
            "image2d_t" => (Kind::D2, false),
            "image3d_t" => (Kind::D3, false),
            "image1d_array_t" => (Kind::D1Array, false),
            "image2d_array_t" => (Kind::D2Array, false),
            "image1d_buffer_t" => (Kind::D1Buffer, false),
            "image2d_depth_t" => (Kind::D2, true),
            "image2d_array_depth_t" => (Kind::D2Array, true),
            _ => return None,
        })
    }

    /// Returns the number of sizes of the type: 1 to 3.
    pub const fn dimensions(self) -> usize {
        match self {
            Kind::D1 | Kind::D1Array | Kind::D1Buffer => 1,
            Kind::D2 | Kind::Cube | Kind::D2Array => 2,
            Kind::D3 => 3,
        }
    }

    /// Whether the type has layers.
    pub const fn has_layers(self) -> bool {
        matches!(self, Kind::Cube | Kind::D1Array | Kind::D2Array)
    }
}

/// Type, sizes and format of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Type of the image.
    pub kind: Kind,
    /// Width, height and depth of level 0 in texels. A size that the type does not have is 1.
    pub size: [u32; 3],
    /// Number of planes, or of rows in an array of rows; a cube has six planes. 1 if the type has no layers.
    pub layers: u32,
    /// Number of mip levels, at least one.
    pub levels: u32,
    /// Format of the texels.
    pub format: Format,
}

impl Shape {
    /// Returns width, height and depth of a level in texels.
    pub fn level(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| (size >> level).max(1))
    }

    /// Returns the most levels that an image of its sizes can have.
    pub fn most_levels(&self) -> u32 {
        self.size.into_iter().max().unwrap_or(1).max(1).ilog2() + 1
    }

    /// Returns the number of bytes of a row of a level, without padding.
    fn row_bytes(&self, level: u32) -> u64 {
        let [width, ..] = self.level(level);
        u64::from(width.div_ceil(self.format.side())) * u64::from(self.format.bytes())
    }

    /// Returns the number of rows of elements of a plane of a level.
    fn rows(&self, level: u32) -> u64 {
        self.level(level)[1].div_ceil(self.format.side()).into()
    }

    /// Returns the number of rows of elements of a plane of a level where levels are stacked: heights halve rounding
    /// up.
    fn stacked_rows(&self, level: u32) -> u64 {
        self.size[1].div_ceil(1 << level).div_ceil(self.format.side()).into()
    }

    /// Returns the number of planes of a level: layers, or slices of a volume.
    fn planes(&self, level: u32) -> u64 {
        if self.kind == Kind::D3 { self.level(level)[2].into() } else { self.layers.into() }
    }

    /// Returns the number of bytes of all texels without padding.
    pub fn packed_bytes(&self) -> u64 {
        (0..self.levels).map(|level| self.row_bytes(level) * self.rows(level) * self.planes(level)).sum()
    }

    /// Returns the place of byte `at` of the texels without padding, in words: `x 3, y 0, layer 1, level 2`.
    pub fn place(&self, at: u64) -> String {
        let mut at = at;
        for level in 0..self.levels {
            let (row, rows, planes) = (self.row_bytes(level), self.rows(level), self.planes(level));
            if at >= row * rows * planes {
                at -= row * rows * planes;
                continue;
            }
            let side = u64::from(self.format.side());
            let x = at % row / u64::from(self.format.bytes()) * side;
            let (y, plane) = (at / row % rows * side, at / row / rows);
            let mut text = format!("x {x}");
            if self.kind.dimensions() > 1 {
                text += &format!(", y {y}");
            }
            match self.kind {
                Kind::D3 => text += &format!(", z {plane}"),
                Kind::Cube => text += &format!(", face {}, cube {}", plane % 6, plane / 6),
                _ if self.kind.has_layers() => text += &format!(", layer {plane}"),
                _ => {}
            }
            if self.levels > 1 {
                text += &format!(", level {level}");
            }
            return text;
        }
        format!("byte {at} behind its end")
    }
}

impl std::fmt::Display for Shape {
    /// Writes type, sizes and format: `2d-array 16 x 8, 3 layers, 2 levels, r8_unorm`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes = self.size[..self.kind.dimensions()].iter().map(u32::to_string).collect::<Vec<_>>().join(" x ");
        write!(f, "{} {sizes}", self.kind.name())?;
        let count = |n: u32, what: &str| format!(", {n} {what}{}", if n == 1 { "" } else { "s" });
        match self.kind {
            Kind::Cube if self.layers > 6 => f.write_str(&count(self.layers / 6, "cube"))?,
            Kind::D1Array | Kind::D2Array => f.write_str(&count(self.layers, "layer"))?,
            _ => {}
        }
        if self.levels > 1 {
            f.write_str(&count(self.levels, "level"))?;
        }
        write!(f, ", {}", self.format.name())
    }
}
