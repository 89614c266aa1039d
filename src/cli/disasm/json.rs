//! Listings as JSON: one object, `gcnsim.disasm.v1`.

use std::io::Write;

use serde::Serialize;

use super::lines::{Line, Lines};
use super::{Listing, args};
use gcnsim_engine::report::Hex;
use gcnsim_loader::Shader;
use gcnsim_loader::areas::{Area, AreaKind};
use gcnsim_loader::object::{CodeSection, Object};

/// The beginning of the JSON object, up to the first file.
pub(super) const BEGIN: &str = "{\"schema\":\"gcnsim.disasm.v1\",\"files\":[";
/// The end of the JSON object, after the last file.
pub(super) const END: &str = "]}";

#[derive(Serialize)]
struct JsonFile {
    file: String,
}

#[derive(Serialize)]
struct JsonSkipped {
    name: String,
    reason: String,
}

#[derive(Serialize)]
struct JsonObject {
    part: Option<String>,
    target: Option<&'static str>,
    arch: &'static str,
    version: Option<u8>,
    relocatable: bool,
}

#[derive(Serialize)]
struct JsonSection {
    name: String,
    address: Hex,
    file_offset: u64,
    size: u64,
}

#[derive(Serialize)]
struct JsonArea {
    kind: &'static str,
    names: Vec<String>,
    /// Those of C++ as they stand in the source, in the order of `names`; `null` for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    demangled: Option<Vec<Option<String>>>,
    address: Hex,
    /// Distance of the area from its symbol, in bytes.
    offset: u64,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<JsonDescriptor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<JsonArgument>>,
    /// The facts that the file states about a shader without a descriptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    shader: Option<JsonShader>,
}

#[derive(Serialize)]
struct JsonShader {
    stage: &'static str,
    rsrc1: Option<Hex>,
    rsrc2: Option<Hex>,
    ps_input_ena: Option<Hex>,
    ps_input_addr: Option<Hex>,
    user_sgprs: Option<u32>,
    lds_bytes: Option<u32>,
    scratch_bytes_per_lane: Option<u32>,
    group: Option<[u32; 3]>,
    user_data: Vec<Hex>,
}

#[derive(Serialize)]
struct JsonDescriptor {
    form: &'static str,
    address: Hex,
    rsrc1: Hex,
    rsrc2: Hex,
    properties: Hex,
    group_segment_size: u32,
    private_segment_size: u32,
    kernarg_size: u64,
    sgprs: u32,
    vgprs: u32,
    mode: Hex,
    initial_sgprs: Vec<JsonInitial>,
    initial_vgprs: u32,
}

#[derive(Serialize)]
struct JsonInitial {
    what: &'static str,
    first: u32,
    count: u32,
}

#[derive(Serialize)]
struct JsonArgument {
    name: Option<String>,
    type_name: Option<String>,
    kind: String,
    offset: u64,
    size: u64,
    address_space: Option<String>,
    access: Option<String>,
}

#[derive(Serialize, Default)]
struct JsonLine {
    pc: Option<Hex>,
    words: Vec<Hex>,
    text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Hex>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address_made: Option<JsonMade>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relocations: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct JsonMade {
    registers: String,
    name: String,
}

/// Writes an object whose last field is a list, item by item, so that the list is never in memory as a whole.
struct Nested<'w, W: Write> {
    out: &'w mut W,
    more: bool,
}

impl<'w, W: Write> Nested<'w, W> {
    /// Writes the object `head` without its closing brace, and the beginning of its last field, the list `list`.
    fn begin(head: &impl Serialize, list: &str, out: &'w mut W) -> anyhow::Result<Nested<'w, W>> {
        let text = serde_json::to_string(head)?;
        write!(out, "{},\"{list}\":[", text.strip_suffix('}').unwrap_or(&text))?;
        Ok(Nested { out, more: false })
    }

    /// Returns the writer for the next item, after a comma if one is due.
    fn item(&mut self) -> anyhow::Result<&mut W> {
        if std::mem::replace(&mut self.more, true) {
            self.out.write_all(b",")?;
        }
        Ok(self.out)
    }

    fn end(self) -> anyhow::Result<()> {
        Ok(self.out.write_all(b"]}")?)
    }
}

/// Writes the JSON of one file. `more` is false for the first file. Returns the number of dwords in code that are not
/// instructions.
pub(super) fn write(listing: &Listing, more: bool, out: &mut impl Write) -> anyhow::Result<u64> {
    if more {
        out.write_all(b",")?;
    }
    let mut undecodable = 0;
    let mut objects = Nested::begin(&JsonFile { file: args::name(&listing.path) }, "objects", out)?;
    for map in listing.maps() {
        let (object, arch) = (map.object, map.arch);
        let mut lines = Lines::new(map);
        let Object { part, target, version, relocatable, .. } = object;
        let part = part.clone();
        let (target, version, relocatable) = (*target, *version, *relocatable);
        let head = JsonObject { part, target, arch: arch.name(), version, relocatable };
        let mut sections = Nested::begin(&head, "sections", objects.item()?)?;
        for section in &object.sections {
            let head = JsonSection {
                name: section.name.clone(),
                address: Hex(section.shown(section.address)),
                file_offset: section.file_offset,
                size: section.bytes.as_ref().len() as u64,
            };
            let mut areas = Nested::begin(&head, "areas", sections.item()?)?;
            for area in &section.areas {
                let head = json_area(object, section, area, arch);
                write_lines(&mut lines, section, area, Nested::begin(&head, "lines", areas.item()?)?)?;
            }
            areas.end()?;
        }
        sections.end()?;
        undecodable += lines.undecodable();
    }
    let out = objects.out;
    let skipped = listing.loaded.skipped.iter();
    let skipped: Vec<_> = skipped.map(|s| JsonSkipped { name: s.name.clone(), reason: s.reason.clone() }).collect();
    write!(out, "],\"skipped\":{}}}", serde_json::to_string(&skipped)?)?;
    Ok(undecodable)
}

/// Writes the lines of `area` to `list`, each when it is made.
fn write_lines<W: Write>(
    lines: &mut Lines<'_>,
    section: &CodeSection,
    area: &Area,
    mut list: Nested<'_, W>,
) -> anyhow::Result<()> {
    let mut labels = Vec::new();
    lines.of_area(section, area, |line| {
        match json_line(line) {
            Ok(line) => {
                let line = JsonLine { labels: std::mem::take(&mut labels), ..line };
                serde_json::to_writer(list.item()?, &line)?;
            }
            Err(names) => labels.extend(names),
        }
        Ok(())
    })?;
    list.end()
}

/// Makes the JSON of an area, except its lines.
fn json_area(object: &Object, section: &CodeSection, area: &Area, arch: gcnsim_isa::Arch) -> JsonArea {
    let starts = area.kind == AreaKind::Kernel && area.offset == 0;
    let kernel = object.kernels.iter().find(|kernel| starts && kernel.address == area.range.start);
    let descriptor = kernel.and_then(|kernel| kernel.descriptor.as_ref()).map(|d| JsonDescriptor {
        form: d.form,
        address: Hex(d.address),
        rsrc1: Hex(d.rsrc1.into()),
        rsrc2: Hex(d.rsrc2.into()),
        properties: Hex(d.properties.into()),
        group_segment_size: d.group_size,
        private_segment_size: d.private_size,
        kernarg_size: d.kernarg_size,
        sgprs: d.sgprs(arch),
        vgprs: d.vgprs(),
        mode: Hex(d.mode().into()),
        initial_sgprs: (d.initial_sgprs().iter())
            .map(|r| JsonInitial { what: r.what, first: r.first, count: r.count })
            .collect(),
        initial_vgprs: d.initial_vgprs(),
    });
    let arguments = kernel.and_then(|kernel| kernel.metadata.as_ref()).map(|metadata| {
        let argument = |arg: &gcnsim_loader::metadata::Argument| JsonArgument {
            name: arg.name.clone(),
            type_name: arg.type_name.clone(),
            kind: arg.kind.clone(),
            offset: arg.offset,
            size: arg.size,
            address_space: arg.address_space.clone(),
            access: arg.access.clone(),
        };
        metadata.arguments.iter().map(argument).collect()
    });
    // Shaders that have no descriptor are functions.
    let entry = object.kernels.iter().find(|kernel| area.offset == 0 && kernel.address == area.range.start);
    let shader = entry.filter(|entry| entry.descriptor.is_none()).and_then(|entry| json_shader(&entry.shader, arch));
    let names: Vec<String> =
        area.names.iter().take(if area.offset > 0 { 1 } else { usize::MAX }).map(|name| name.to_string()).collect();
    let demangled: Vec<_> = names.iter().map(|name| gcnsim_loader::demangled(name)).collect();
    JsonArea {
        kind: area.kind.name(),
        demangled: Some(demangled).filter(|names| names.iter().any(Option::is_some)),
        names,
        address: Hex(section.shown(area.range.start)),
        offset: area.offset,
        size: area.range.end - area.range.start,
        descriptor,
        arguments,
        shader,
    }
}

fn json_shader(shader: &Shader, arch: gcnsim_isa::Arch) -> Option<JsonShader> {
    let hex = |value: u32| Hex(value.into());
    Some(JsonShader {
        stage: shader.stage?.name(),
        rsrc1: shader.rsrc1.map(hex),
        rsrc2: shader.rsrc2.map(hex),
        ps_input_ena: shader.ps_input_ena.map(hex),
        ps_input_addr: shader.ps_input_addr.map(hex),
        user_sgprs: shader.user_sgpr_count(arch),
        lds_bytes: shader.lds_bytes,
        scratch_bytes_per_lane: shader.scratch_bytes_per_lane,
        group: shader.group,
        user_data: shader.user_data.iter().copied().map(hex).collect(),
    })
}

/// Makes the JSON of a line. For a line that only names the next one, returns the names as `Err`.
fn json_line(line: Line) -> Result<JsonLine, Vec<String>> {
    Ok(match line {
        Line::Names(names) => return Err(names.iter().map(|name| name.to_string()).collect()),
        Line::Label(label) => return Err(vec![label]),
        Line::Code(line) => {
            let (text, error) = match line.inst {
                Ok(inst) => (inst.to_string(), None),
                Err(error) => (format!(".long {:#010x}", line.words.first().copied().unwrap_or(0)), Some(error)),
            };
            let (target, target_name) = line.target.unzip();
            JsonLine {
                pc: Some(Hex(line.address)),
                words: line.words.into_iter().map(|word| Hex(word.into())).collect(),
                text,
                labels: Vec::new(),
                target: target.map(Hex),
                target_name,
                address_made: line.made.map(|(registers, name)| JsonMade { registers, name }),
                relocations: line.relocations,
                error,
            }
        }
        Line::Fill { address, count, word } => {
            JsonLine { pc: Some(Hex(address)), text: format!(".fill {count}, 4, {word:#x}"), ..JsonLine::default() }
        }
        Line::Long { address, word } => JsonLine {
            pc: Some(Hex(address)),
            words: vec![Hex(word.into())],
            text: format!(".long {word:#010x}"),
            ..JsonLine::default()
        },
        Line::Bytes { address, bytes } => {
            let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
            JsonLine { pc: Some(Hex(address)), text: format!(".byte {}", bytes.join(", ")), ..JsonLine::default() }
        }
    })
}
