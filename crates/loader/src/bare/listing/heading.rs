//! Headings of listings: stages, and where code begins.
//!
//! Source: Mesa, `radv_shader.c` (`radv_get_shader_name`), `si_shader.c` (`si_get_shader_name`).

use crate::Stage;

/// What a heading says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Heading {
    /// The stage of the shader that follows. `is_code`: the next lines are its code.
    Stage { stage: Stage, is_code: bool },
    /// The next lines are code.
    Code,
    /// The next lines are code of a part of a shader: the parts follow each other in memory in the order of these
    /// numbers.
    Part(u8),
    /// The driver could not print code.
    NoCode,
}

/// Parts of a shader of radeonsi, in their order.
const PARTS: [&str; 5] = ["prolog", "previous stage", "prolog2", "main", "epilog"];

/// Reads a heading. `None` if the line is none.
pub(super) fn read(line: &str) -> Option<Heading> {
    let text = line.trim();
    if text == "Shader disassembly is not supported in the current configuration." || text == "clrxdisasm not found" {
        return Some(Heading::NoCode);
    }
    if matches!(text, "disasm:" | "DISASM:" | "Assembly:" | "Shader Disassembly Begin" | "PGM_MEM:")
        || text.starts_with("; -------- Disassembly ---")
        || text.starts_with("Disassembly of section ")
    {
        return Some(Heading::Code);
    }
    if let Some(part) = text.strip_prefix("Shader ").and_then(|rest| rest.strip_suffix(" disassembly:")) {
        let number = PARTS.iter().position(|name| *name == part);
        return Some(number.map_or(Heading::Code, |number| Heading::Part(number as u8)));
    }
    if let Some(name) = text.strip_prefix("type(").and_then(|rest| rest.strip_suffix(')')) {
        return name.parse().ok().map(|stage| Heading::Stage { stage, is_code: false });
    }
    if let Some(name) = text.strip_suffix(" - annotated disassembly:") {
        return stage(name).map(|stage| Heading::Stage { stage, is_code: true });
    }
    let name = text.split(" - ").next().unwrap_or_default().trim_end_matches(':');
    stage(name).map(|stage| Heading::Stage { stage, is_code: false })
}

/// The stage that drivers call `name`. In `Vertex Shader as LS + Tessellation Control Shader` the last one counts: GCN
/// 1.4 runs both as one program.
fn stage(name: &str) -> Option<Stage> {
    let parts: Option<Vec<Stage>> = name.split(" + ").map(single).collect();
    parts?.pop()
}

fn single(name: &str) -> Option<Stage> {
    let (name, role) = name.split_once(" as ").map_or((name, None), |(name, role)| (name, Some(role)));
    let stage = match name.trim().to_ascii_lowercase().as_str() {
        "vertex shader" | "vertex prolog" | "vertex shader prolog" => match role {
            Some("LS") => Stage::Local,
            Some("ES") => Stage::Export,
            _ => Stage::Vertex,
        },
        "tessellation control shader" => Stage::Hull,
        "tessellation evaluation shader" if role == Some("ES") => Stage::Export,
        "tessellation evaluation shader" => Stage::Evaluation,
        "geometry shader" => Stage::Geometry,
        "gs copy shader" => Stage::Copy,
        "pixel shader" | "fragment shader" => Stage::Pixel,
        "compute shader" => Stage::Compute,
        _ => return None,
    };
    Some(stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_the_names_of_drivers() {
        let stage = |line: &str| match read(line) {
            Some(Heading::Stage { stage, is_code }) => (stage, is_code),
            other => panic!("{line}: {other:?}"),
        };
        for (line, expected) in [
            ("Pixel Shader", Stage::Pixel),
            ("Pixel Shader:", Stage::Pixel),
            ("Fragment Shader", Stage::Pixel),
            ("Vertex Shader as VS", Stage::Vertex),
            ("Vertex Shader as LS", Stage::Local),
            ("Vertex Shader as LS + Tessellation Control Shader", Stage::Hull),
            ("Tessellation Evaluation Shader as ES + Geometry Shader", Stage::Geometry),
            ("Tessellation Evaluation Shader as VS", Stage::Evaluation),
            ("GS Copy Shader as VS", Stage::Copy),
            ("Compute Shader - Main shader part:", Stage::Compute),
            ("  type(CS)", Stage::Compute),
        ] {
            assert_eq!(stage(line), (expected, false), "{line}");
        }
        assert_eq!(stage("Pixel Shader - annotated disassembly:"), (Stage::Pixel, true));
        for line in ["Pixel Shader is slow", "shader: MESA_SHADER_VERTEX", "Compute", "type(XX)", ""] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn code_is_announced() {
        assert_eq!(read("disasm:"), Some(Heading::Code));
        assert_eq!(read("Shader main disassembly:"), Some(Heading::Part(3)));
        assert_eq!(read("Shader epilog disassembly:"), Some(Heading::Part(4)));
        assert_eq!(read("Shader disassembly is not supported in the current configuration."), Some(Heading::NoCode));
    }
}
