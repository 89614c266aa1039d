//! The metadata of PAL: the stages of a pipeline, the functions that run on them, and their registers.
//!
//! The note has vendor `AMDGPU` and type 32 (MessagePack, key `amdpal.pipelines`), or in objects before 2019 vendor
//! `AMD` and type 12 (pairs of register and value). Source: PAL, pipeline ABI (`g_palPipelineAbiMetadata.h`); LLVM,
//! "User Guide for AMDGPU Backend", code object metadata of amdpal.

use gcnsim_isa::Arch;

use super::registers::{HARDWARE, Hardware, Registers, SPI_PS_INPUT_ADDR, SPI_PS_INPUT_ENA};
use super::{Shader, Stage};
use crate::message_pack;
use crate::node::Node;

/// A stage of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PipelineStage {
    /// Symbol of the function that runs on it.
    pub entry_point: String,
    /// What the metadata say of it.
    pub shader: Shader,
}

/// The inputs of pixel shaders as metadata of version 3 name them, in the order of their bits.
const PS_INPUTS: [&str; 16] = [
    ".persp_sample_ena",
    ".persp_center_ena",
    ".persp_centroid_ena",
    ".persp_pull_model_ena",
    ".linear_sample_ena",
    ".linear_center_ena",
    ".linear_centroid_ena",
    ".line_stipple_tex_ena",
    ".pos_x_float_ena",
    ".pos_y_float_ena",
    ".pos_z_float_ena",
    ".pos_w_float_ena",
    ".front_face_ena",
    ".ancillary_ena",
    ".sample_coverage_ena",
    ".pos_fixed_pt_ena",
];

/// In notes of pairs: the key of the scratch of a lane in LS, in bytes. Those of HS, ES, GS, VS, PS and CS follow.
const FIRST_SCRATCH_SIZE: u32 = 0x1000_0044;

/// Reads a note of MessagePack. Returns the stages of the first pipeline, in the order of the pipeline; none if the
/// note is not of PAL.
///
/// # Errors
/// The byte offset of the error in the note, and what is wrong there.
pub(crate) fn stages(note: &[u8], arch: Arch) -> Result<Vec<PipelineStage>, (usize, String)> {
    let root = message_pack::parse(note)?;
    let Some(pipelines) = root.get("amdpal.pipelines") else { return Ok(Vec::new()) };
    let Node::List(pipelines) = pipelines else { return Err((0, "amdpal.pipelines is no list".into())) };
    let Some(pipeline) = pipelines.first() else { return Err((0, "amdpal.pipelines is empty".into())) };
    let Some(Node::Map(held)) = pipeline.get(".hardware_stages") else {
        return Err((0, "amdpal.pipelines[0] has no map .hardware_stages".into()));
    };
    let stage_of = |key: &str| HARDWARE.iter().find(|hardware| key.strip_prefix('.') == Some(hardware.name));
    if let Some((key, _)) = held.iter().find(|(key, _)| stage_of(key).is_none()) {
        return Err((0, format!("amdpal.pipelines[0] has an unknown hardware stage '{key}'")));
    }
    let mut registers = numbered(pipeline.get(".registers"))?;
    named(pipeline, &mut registers);
    let has = |name: &str| held.iter().any(|(key, _)| key.strip_prefix('.') == Some(name));
    let stages = HARDWARE.iter().filter_map(|hardware| {
        let node = held.iter().find(|(key, _)| key.strip_prefix('.') == Some(hardware.name)).map(|(_, node)| node)?;
        let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
        let entry_point = text(".entry_point").or_else(|| text(".entry_point_symbol"));
        let entry_point = entry_point.unwrap_or_else(|| format!("_amdgpu_{}_main", hardware.name));
        let shader = of_stage(*hardware, node, &registers, arch);
        Some(PipelineStage { entry_point, shader: Shader { stage: Some(stage_in(*hardware, has)), ..shader } })
    });
    Ok(stages.collect())
}

/// Reads a note of pairs. Returns the stages for which there is an RSRC1. Their functions have the usual names.
///
/// # Errors
/// The byte offset of the error in the note, and what is wrong there.
pub(crate) fn stages_of_pairs(note: &[u8], arch: Arch) -> Result<Vec<PipelineStage>, (usize, String)> {
    let mut registers = Registers::new();
    for (i, pair) in note.chunks(8).enumerate() {
        let [key, value] = match pair {
            [a, b, c, d, e, f, g, h] => [[*a, *b, *c, *d], [*e, *f, *g, *h]].map(u32::from_le_bytes),
            _ => return Err((8 * i, format!("{} bytes are left over from pairs of 8 bytes", pair.len()))),
        };
        registers.insert(key, value);
    }
    let has = |name: &str| HARDWARE.iter().any(|h| h.name == name && registers.contains_key(&h.rsrc1));
    let present = (FIRST_SCRATCH_SIZE..).zip(HARDWARE).filter(|(_, hardware)| registers.contains_key(&hardware.rsrc1));
    let stages = present.map(|(scratch, hardware)| {
        let shader = hardware.shader(&registers, arch);
        let scratch_bytes_per_lane = registers.get(&scratch).copied().or(shader.scratch_bytes_per_lane);
        let shader = Shader { stage: Some(stage_in(hardware, has)), scratch_bytes_per_lane, ..shader };
        PipelineStage { entry_point: format!("_amdgpu_{}_main", hardware.name), shader }
    });
    Ok(stages.collect())
}

/// The stage of the shader that runs on `hardware` in a pipeline that `has` certain stages of the hardware.
fn stage_in(hardware: Hardware, has: impl Fn(&str) -> bool) -> Stage {
    match hardware.stage {
        Stage::Vertex if has("gs") => Stage::Copy,
        Stage::Vertex if has("hs") => Stage::Evaluation,
        stage => stage,
    }
}

/// The map of registers by number. Values that do not fit a register are errors.
fn numbered(node: Option<&Node<'_>>) -> Result<Registers, (usize, String)> {
    let Some(node) = node else { return Ok(Registers::new()) };
    let Node::Map(pairs) = node else { return Err((0, ".registers is no map".into())) };
    let register = |(key, value): &(std::borrow::Cow<'_, str>, Node<'_>)| {
        let address = key.parse().map_err(|_| (0, format!(".registers has the key '{key}', which is no register")))?;
        let value = value.number().and_then(|value| u32::try_from(value).ok());
        let value = value.ok_or_else(|| (0, format!("register {address:#x} has no value of 32 bits")))?;
        Ok((address, value))
    };
    pairs.iter().map(register).collect()
}

/// Adds the registers that metadata of version 3 have by name, unless they are there by number.
fn named(pipeline: &Node<'_>, registers: &mut Registers) {
    let Some(graphics) = pipeline.get(".graphics_registers") else { return };
    for (key, address) in [(".spi_ps_input_ena", SPI_PS_INPUT_ENA), (".spi_ps_input_addr", SPI_PS_INPUT_ADDR)] {
        let Some(fields) = graphics.get(key) else { continue };
        let set = |name: &str| fields.get(name).and_then(Node::number).is_some_and(|set| set != 0);
        let bits = (0..).zip(PS_INPUTS).filter(|(_, name)| set(name)).fold(0, |bits, (bit, _)| bits | 1 << bit);
        registers.entry(address).or_insert(bits);
    }
}

fn of_stage(hardware: Hardware, node: &Node<'_>, registers: &Registers, arch: Arch) -> Shader {
    let number = |key| node.get(key).and_then(Node::number).and_then(|number| u32::try_from(number).ok());
    let by_register = hardware.shader(registers, arch);
    let group = node.get(".threadgroup_dimensions").and_then(Node::numbers).and_then(|sizes| {
        let sizes: Vec<u32> = sizes.iter().filter_map(|&size| u32::try_from(size).ok().filter(|&n| n > 0)).collect();
        <[u32; 3]>::try_from(sizes).ok()
    });
    let map = node.get(".user_data_reg_map").and_then(Node::numbers).unwrap_or_default();
    let map: Vec<u32> = map.iter().take(32).map(|&value| u32::try_from(value).unwrap_or(u32::MAX)).collect();
    let is_pixel = hardware.stage == Stage::Pixel;
    Shader {
        rsrc1: by_register.rsrc1.or(number(".float_mode").map(|mode| (mode & 0xff) << 12 | 1 << 21)),
        ps_input_addr: by_register.ps_input_addr.filter(|_| is_pixel),
        user_sgprs: number(".user_sgprs"),
        lds_bytes: number(".lds_size").or(by_register.lds_bytes),
        scratch_bytes_per_lane: number(".scratch_memory_size").or(by_register.scratch_bytes_per_lane),
        group: group.or(by_register.group),
        user_data: if map.is_empty() { by_register.user_data.clone() } else { map.into() },
        ..by_register
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// {"amdpal.pipelines": [{".hardware_stages": STAGES, ".registers": REGISTERS}]}
    fn note(stages: &[u8], registers: &[u8]) -> Vec<u8> {
        [b"\x81\xb0amdpal.pipelines\x91\x82\xb0.hardware_stages", stages, b"\xaa.registers", registers].concat()
    }

    const VS: &[u8] = b"\x81\xa3.vs\x82\xac.entry_point\xa1f\xb4.scratch_memory_size\x10";

    #[test]
    fn a_stage_has_its_function_and_registers() {
        // 0x2c4a: 0x2c00c5, 0x2c4b: 10, 0x2c4c: 0x10000000
        let registers = b"\x83\xcd\x2c\x4a\xce\x00\x2c\x00\xc5\xcd\x2c\x4b\x0a\xcd\x2c\x4c\xce\x10\x00\x00\x00";
        let found = stages(&note(VS, registers), Arch::Gcn14).unwrap();
        let shader = Shader {
            stage: Some(Stage::Vertex),
            rsrc1: Some(0x002c_00c5),
            rsrc2: Some(10),
            scratch_bytes_per_lane: Some(16),
            user_data: [0x1000_0000].into(),
            ..Shader::default()
        };
        assert_eq!(found, [PipelineStage { entry_point: "f".into(), shader }]);
    }

    #[test]
    fn the_vertex_stage_depends_on_the_others() {
        let of = |others: &[u8]| {
            let stages_map = [&[0x82][..], others, b"\x80", b"\xa3.vs\x80"].concat();
            let found = stages(&note(&stages_map, b"\x80"), Arch::Gcn12).unwrap();
            (found[1].entry_point.clone(), found[1].shader.stage.unwrap())
        };
        let name = || "_amdgpu_vs_main".to_owned();
        assert_eq!((of(b"\xa3.hs"), of(b"\xa3.gs")), ((name(), Stage::Evaluation), (name(), Stage::Copy)));
    }

    /// Version 3 has fields in place of registers: {".hardware_stages": {".ps": {".entry_point_symbol": "f",
    /// ".user_sgprs": 5, ".float_mode": 0xc0, ".user_data_reg_map": [0x10000000, 7]}}, ".graphics_registers":
    /// {".spi_ps_input_addr": {".persp_center_ena": true, ".pos_x_float_ena": true}}}.
    #[test]
    fn fields_of_version_3() {
        let bytes = [
            &b"\x81\xb0amdpal.pipelines\x91\x82\xb0.hardware_stages\x81\xa3.ps\x84\xb3.entry_point_symbol\xa1f"[..],
            b"\xab.user_sgprs\x05\xab.float_mode\xcc\xc0\xb2.user_data_reg_map\x92\xce\x10\0\0\0\x07",
            b"\xb3.graphics_registers\x81\xb2.spi_ps_input_addr\x82\xb1.persp_center_ena\xc3\xb0.pos_x_float_ena\xc3",
        ]
        .concat();
        let [stage] = &stages(&bytes, Arch::Gcn14).unwrap()[..] else { panic!() };
        let shader = &stage.shader;
        assert_eq!((stage.entry_point.as_str(), shader.stage), ("f", Some(Stage::Pixel)));
        assert_eq!(
            (shader.ps_input_addr, shader.user_sgprs, &*shader.user_data),
            (Some(0x102), Some(5), &[0x1000_0000, 7][..])
        );
        assert_eq!(shader.rsrc1, Some(0xc0 << 12 | 1 << 21), "FLOAT_MODE, DX10_CLAMP");
    }

    #[test]
    fn broken_notes_are_refused() {
        for (bytes, message) in [
            (b"\x81\xb0amdpal.pipelines\x05".to_vec(), "amdpal.pipelines is no list"),
            (b"\x81\xb0amdpal.pipelines\x90".to_vec(), "amdpal.pipelines is empty"),
            (b"\x81\xb0amdpal.pipelines\x91\x80".to_vec(), "no map .hardware_stages"),
            (note(b"\x81\xa3.xs\x80", b"\x80"), "unknown hardware stage '.xs'"),
            (note(VS, b"\x05"), ".registers is no map"),
            (note(VS, b"\x81\xa1x\x05"), "the key 'x', which is no register"),
            (note(VS, b"\x81\x05\xcf\0\0\0\x01\0\0\0\0"), "register 0x5 has no value of 32 bits"),
            (note(VS, b"\x82\x05\x05"), "it ends too soon"),
        ] {
            let (at, error) = stages(&bytes, Arch::Gcn12).unwrap_err();
            assert!(at <= bytes.len() && error.contains(message), "{message}: {error}");
        }
        assert_eq!(stages(b"\x80", Arch::Gcn12), Ok(Vec::new()));
    }

    #[test]
    fn notes_of_pairs() {
        let pairs: [u32; 4] = [0x2c0a, 0x002c_0043, 0xa1b3, 2];
        let bytes: Vec<u8> = pairs.iter().flat_map(|word| word.to_le_bytes()).collect();
        let found = stages_of_pairs(&bytes, Arch::Gcn10).unwrap();
        assert_eq!((found.len(), found[0].entry_point.as_str()), (1, "_amdgpu_ps_main"));
        assert_eq!((found[0].shader.rsrc1, found[0].shader.ps_input_addr), (Some(0x002c_0043), Some(2)));
        assert_eq!(stages_of_pairs(&bytes[..13], Arch::Gcn10).unwrap_err().0, 8);
    }
}
