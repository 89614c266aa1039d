//! Listings as text.

use std::fmt::Write as _;
use std::io::Write;

use gcnsim_isa::Arch;

use super::lines::{CodeLine, Line, Lines};
use super::{Listing, args, headers};
use gcnsim_engine::quote;
use gcnsim_loader::areas::{Area, AreaKind};
use gcnsim_loader::codemap::CodeMap;
use gcnsim_loader::object::{CodeSection, Object};

/// Writes the listing of a file as text. `more` is false for the first file. Returns the number of dwords in code that
/// are not instructions.
pub(super) fn write(listing: &Listing, more: bool, with_headers: bool, out: &mut impl Write) -> anyhow::Result<u64> {
    let mut undecodable = 0;
    for (i, map) in listing.maps().enumerate() {
        if more || i > 0 {
            writeln!(out)?;
        }
        writeln!(out, "; {}", title(listing, &map))?;
        let (object, arch) = (map.object, map.arch);
        let mut lines = Lines::new(map);
        for section in &object.sections {
            if !section.name.is_empty() {
                let (name, size) = (quote::text(&section.name), section.bytes.as_ref().len());
                let (address, offset) = (section.shown(section.address), section.file_offset);
                writeln!(out, "; section {name}: {size:#x} bytes at {address:#x}, file offset {offset:#x}")?;
            }
            for area in &section.areas {
                if let Some(heading) = heading(object, arch, section, area) {
                    writeln!(out, "\n; {heading}")?;
                }
                if with_headers && area.offset == 0 {
                    write!(out, "{}", headers_of(object, arch, area))?;
                }
                lines.of_area(section, area, |line| Ok(writeln!(out, "{}", line_text(&line))?))?;
            }
        }
        undecodable += lines.undecodable();
    }
    Ok(undecodable)
}

fn title(listing: &Listing, map: &CodeMap<'_>) -> String {
    let object = map.object;
    let mut title = args::quoted(&listing.path);
    if let Some(part) = &object.part {
        let _ = write!(title, ": {}", quote::name(part));
    }
    let _ = write!(title, " ({}", object.target.unwrap_or(map.arch.name()));
    if let Some(version) = object.version {
        let _ = write!(title, ", code object v{version}");
    }
    title.push_str(if object.relocatable { ", relocatable)" } else { ")" });
    title
}

fn heading(object: &Object, arch: Arch, section: &CodeSection, area: &Area) -> Option<String> {
    if area.kind == AreaKind::Padding || section.name.is_empty() {
        return None;
    }
    let offset = section.file_offset + (area.range.start - section.address);
    // The heading of the area's first part has all names; those of its other parts have one.
    let shown = if area.offset > 0 { 1 } else { usize::MAX };
    let name = |name: &str| match gcnsim_loader::demangled(name) {
        Some(in_source) => format!("{} = {}", quote::text(name), quote::text(&in_source)),
        None => quote::text(name).into_owned(),
    };
    let names: Vec<_> = area.names.iter().take(shown).map(|symbol| name(symbol)).collect();
    let mut heading = match names.is_empty() {
        true => "code without a symbol".to_owned(),
        false => format!("{} {}", area.kind.name(), names.join(", ")),
    };
    if area.offset > 0 && !names.is_empty() {
        let _ = write!(heading, " (continued at +{:#x})", area.offset);
    }
    if area.kind == AreaKind::Kernel {
        let _ = write!(heading, " ({})", object.target.unwrap_or(arch.name()));
    }
    let _ = write!(heading, ", file offset {offset:#x}");
    Some(heading)
}

fn headers_of(object: &Object, arch: Arch, area: &Area) -> String {
    let here = |kernel: &&gcnsim_loader::object::Kernel| kernel.address == area.range.start;
    let mut text = String::new();
    for kernel in object.kernels.iter().filter(here) {
        for line in headers::lines(kernel, arch) {
            let _ = writeln!(text, ";   {}", quote::text(&line));
        }
    }
    text
}

fn line_text(line: &Line) -> String {
    match line {
        Line::Names(names) => names.iter().map(|name| format!("{}:", quote::text(name))).collect::<Vec<_>>().join("\n"),
        Line::Label(name) => format!("{name}:"),
        Line::Code(line) => code(line),
        Line::Fill { address, count, word } => {
            format!("{address:012x}:                    .fill {count}, 4, {word:#x}")
        }
        Line::Long { address, word } => format!("{address:012x}: {word:08x}           .long {word:#010x}"),
        Line::Bytes { address, bytes } => {
            let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
            format!("{address:012x}:                    .byte {}", bytes.join(", "))
        }
    }
}

fn code(line: &CodeLine) -> String {
    let words: Vec<_> = line.words.iter().map(|word| format!("{word:08x}")).collect();
    let mut text = format!("{:012x}: {:<17}  ", line.address, words.join(" "));
    let mut remarks = Vec::new();
    match &line.inst {
        Ok(inst) => {
            let _ = write!(text, "{inst}");
        }
        Err(reason) => {
            let _ = write!(text, ".long {:#010x}", line.words.first().copied().unwrap_or(0));
            remarks.push(reason.clone());
        }
    }
    if let Some((_, name)) = &line.target {
        remarks.push(format!("-> {}", quote::text(name)));
    }
    if let Some((pair, name)) = &line.made {
        remarks.push(format!("{pair} = {}", quote::text(name)));
    }
    remarks.extend(line.relocations.iter().map(|relocation| quote::text(relocation).into_owned()));
    if !remarks.is_empty() {
        let _ = write!(text, "  ; {}", remarks.join("; "));
    }
    text
}
