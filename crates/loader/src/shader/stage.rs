//! The stages of a pipeline, and their names.

use std::fmt;
use std::str::FromStr;

/// A stage as the hardware has it (docs/gcn/graphics.md#initial-registers-of-stages).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// VS with a vertex shader: the last stage before pixels.
    Vertex,
    /// VS with a tessellation evaluation shader.
    Evaluation,
    /// VS that copies what a geometry shader has written.
    Copy,
    /// LS: a vertex shader before tessellation.
    Local,
    /// HS: a tessellation control shader; from GCN 1.4 on with LS before it in the same program.
    Hull,
    /// ES: a vertex or evaluation shader before a geometry shader.
    Export,
    /// GS: a geometry shader; from GCN 1.4 on with ES before it in the same program.
    Geometry,
    /// PS: a pixel shader.
    Pixel,
    /// CS: a compute shader or a kernel.
    Compute,
}

/// Error of reading the name of a stage.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown stage '{name}', expected one of {}", Stage::ALL.map(Stage::name).join(", "))]
pub struct StageError {
    /// The name.
    pub name: String,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 9] = [
        Stage::Vertex,
        Stage::Evaluation,
        Stage::Copy,
        Stage::Local,
        Stage::Hull,
        Stage::Export,
        Stage::Geometry,
        Stage::Pixel,
        Stage::Compute,
    ];

    /// Its name in results and sidecars.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Evaluation => "evaluation",
            Stage::Copy => "copy",
            Stage::Local => "local",
            Stage::Hull => "hull",
            Stage::Export => "export",
            Stage::Geometry => "geometry",
            Stage::Pixel => "pixel",
            Stage::Compute => "compute",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Stage {
    type Err = StageError;

    /// Reads a name, or what Vulkan, GLSL or the hardware call the stage.
    fn from_str(name: &str) -> Result<Stage, StageError> {
        match name.to_ascii_lowercase().as_str() {
            "vertex" | "vert" | "vs" => Ok(Stage::Vertex),
            "evaluation" | "tese" | "tes" | "domain" | "ds" => Ok(Stage::Evaluation),
            "copy" | "gs-copy" => Ok(Stage::Copy),
            "local" | "ls" => Ok(Stage::Local),
            "hull" | "tesc" | "tcs" | "hs" => Ok(Stage::Hull),
            "export" | "es" => Ok(Stage::Export),
            "geometry" | "geom" | "gs" => Ok(Stage::Geometry),
            "pixel" | "fragment" | "frag" | "ps" => Ok(Stage::Pixel),
            "compute" | "comp" | "cs" | "kernel" => Ok(Stage::Compute),
            _ => Err(StageError { name: name.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for stage in Stage::ALL {
            assert_eq!(stage.name().parse(), Ok(stage));
        }
        assert_eq!(["PS", "frag", "tese"].map(str::parse), [Ok(Stage::Pixel), Ok(Stage::Pixel), Ok(Stage::Evaluation)]);
        let error = "mesh".parse::<Stage>().unwrap_err().to_string();
        assert!(error.starts_with("unknown stage 'mesh', expected one of vertex, evaluation, "), "{error}");
    }
}
