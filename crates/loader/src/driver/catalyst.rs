//! Binaries of AMD's Catalyst drivers for OpenCL 1.2: GCN 1.0 to 1.2.
//!
//! ```text
//! outer ELF, the machine is the chip    symbols __OpenCL_<name>_kernel in .text
//!   .text, an ELF of machine 0x7d each  program header 0x70000002: encodings of 20 bytes: machine, type, offset of a
//!                                       part of the file, its size, flags; in that part program headers of notes and
//!                                       a section .text with the code
//!     notes of `ATI CAL`, type 1        pairs of a number and its value: 0x80001041 VGPRs, 0x80001042 SGPRs,
//!                                       0x80001043 FLOAT_MODE, 0x80001044 IEEE mode, 0x80001045 scratch of a lane in
//!                                       dwords, 0x2e13 RSRC2
//! ```
//! Arguments are in buffers behind tables of descriptors, which launches do not have: kernels run as shaders do.

use object::elf::SHT_PROGBITS;

use super::image::Image;
use super::tables::{ALLOC, EXECUTABLE, Section, Tables};
use super::{Broken, Chip, Made, u32_at};

/// Machines of the outer file, with LLVM's name of the chip and the machine in the inner file's encodings.
const CHIPS: [(u16, &str, u32); 18] = [
    (0x3fd, "gfx600", 0x1a),
    (0x3fe, "gfx601", 0x1b),
    (0x3ff, "gfx601", 0x1c),
    (0x402, "gfx602", 0x20),
    (0x403, "gfx704", 0x21),
    (0x404, "gfx700", 0x22),
    (0x405, "gfx700", 0x23),
    (0x406, "gfx703", 0x24),
    (0x407, "gfx602", 0x25),
    (0x408, "gfx701", 0x27),
    (0x409, "gfx802", 0x29),
    (0x40a, "gfx802", 0x2a),
    (0x40b, "gfx703", 0x2b),
    (0x40c, "gfx803", 0x2d),
    (0x40d, "gfx801", 0x2e),
    (0x40e, "gfx803", 0x2f),
    (0x40f, "gfx803", 0x2c),
    (0x412, "gfx803", 0x32),
];

/// LLVM's name of the chip that the machine of an outer file stands for, and the machine in the inner file.
pub(super) fn chip(machine: u16) -> Option<(&'static str, u32)> {
    CHIPS.iter().find(|(outer, ..)| *outer == machine).map(|&(_, name, inner)| (name, inner))
}

/// Types of program headers of inner files.
const ENCODINGS: u32 = 0x7000_0002;
const NOTES: u32 = 4;
/// Type of a symbol of a function.
const FUNCTION: u8 = 2;

pub(super) fn read(data: &[u8], outer: &Tables<'_>) -> Result<Made, Broken> {
    let machine = data.get(18..20).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let (name, encoding) = chip(machine).unwrap_or_default();
    let mut image = Image::new(data);
    let mut config = Some(Vec::new());
    for Kernel { name, at, bytes } in kernels(outer)? {
        let inner = Tables::read(bytes, at)?;
        let part = Part::of(&inner, encoding);
        let code = part.code(&inner).ok_or_else(|| (at, format!("kernel '{name}' has no code,")))?;
        let size = code.size / 4 * 4;
        let piece = image.load(&name, (inner.offset(code), size), size, ALLOC | EXECUTABLE)?;
        image.symbol(&name, FUNCTION, piece, (0, size));
        // Without the registers of one kernel, those of the others could not be told apart.
        let registers = part.registers(&inner);
        config = config.zip(registers).map(|(config, registers)| [config, registers].concat());
    }
    if let Some(config) = config.filter(|config| !config.is_empty()) {
        image.section(crate::shader::config::SECTION, SHT_PROGBITS, &config);
    }
    Ok(Made { image, chip: Chip::Known(name), os_abi: 0 })
}

/// A kernel's ELF file within the outer file.
struct Kernel<'d> {
    name: String,
    at: u64,
    bytes: &'d [u8],
}

fn kernels<'d>(outer: &Tables<'d>) -> Result<Vec<Kernel<'d>>, Broken> {
    let mut found = Vec::new();
    for symbol in &outer.symbols {
        let name = symbol.name.strip_prefix("__OpenCL_").and_then(|name| name.strip_suffix("_kernel"));
        if let Some(name) = name {
            let (at, bytes) = outer.of_symbol(symbol)?;
            found.push(Kernel { name: name.to_owned(), at, bytes });
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    // Without symbols: the ELF files in .text, by the names of the metadata, in their order.
    let text = outer.section(".text").ok_or((0, "it has no code (no section .text),".to_owned()))?;
    let bytes = outer.bytes(text);
    let starts: Vec<usize> = memchr::memmem::find_iter(bytes, crate::elf::MAGIC).collect();
    let names = outer.section(".rodata").map(|section| names(outer.bytes(section))).unwrap_or_default();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    for (i, (&start, end)) in starts.iter().zip(ends).enumerate() {
        let name = names.get(i).cloned().unwrap_or_else(|| format!("kernel_{i}"));
        found.push(Kernel { name, at: outer.offset(text) + start as u64, bytes: &bytes[start..end] });
    }
    if found.is_empty() { Err((outer.offset(text), "it has no kernels,".into())) } else { Ok(found) }
}

/// The names of kernels in the metadata: `;ARGSTART:__OpenCL_<name>_kernel`.
fn names(metadata: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(metadata);
    let starts = text.split(";ARGSTART:__OpenCL_").skip(1);
    starts.filter_map(|rest| Some(rest.lines().next()?.trim_end().strip_suffix("_kernel")?.to_owned())).collect()
}

/// The part of an inner file that is for the chip.
struct Part {
    start: u64,
    end: u64,
}

impl Part {
    /// The part for the chip with this number; the whole file if it has no table.
    fn of(inner: &Tables<'_>, chip: u32) -> Part {
        let whole = Part { start: 0, end: inner.data.len() as u64 };
        let Some(table) = inner.programs.iter().find(|program| program.kind == ENCODINGS) else { return whole };
        let range = table.offset as usize..table.offset.saturating_add(table.size) as usize;
        let entries = inner.data.get(range).unwrap_or_default().as_chunks::<20>().0;
        let field = |entry: &[u8; 20], i: usize| u32_at(entry, 4 * i).unwrap_or(0);
        let entry = entries.iter().find(|entry| field(entry, 0) == chip).or(entries.first());
        entry.map_or(whole, |entry| {
            let start = u64::from(field(entry, 2));
            Part { start, end: start + u64::from(field(entry, 3)) }
        })
    }

    fn holds(&self, offset: u64) -> bool {
        (self.start..self.end).contains(&offset)
    }

    fn code<'t>(&self, inner: &'t Tables<'_>) -> Option<&'t Section> {
        let is_code = |section: &&Section| section.name == ".text" && inner.bytes(section).len() >= 4;
        inner.sections.iter().filter(is_code).find(|section| self.holds(section.offset))
    }

    /// Pairs of registers as `.AMDGPU.config` has them.
    fn registers(&self, inner: &Tables<'_>) -> Option<Vec<u8>> {
        let notes = inner.programs.iter().find(|program| program.kind == NOTES && self.holds(program.offset))?;
        let mut bytes = inner.data.get(notes.offset as usize..notes.offset.checked_add(notes.size)? as usize)?;
        let info = loop {
            let [name, size, kind] = [0, 4, 8].map(|at| u32_at(bytes, at));
            let rest = bytes.get(12..)?.get(name? as usize..)?;
            let (desc, rest) = rest.split_at_checked(size? as usize)?;
            if kind? == 1 {
                break desc;
            }
            bytes = rest;
        };
        let pairs = info.as_chunks::<8>().0;
        let value = |number: u32| pairs.iter().find(|pair| u32_at(*pair, 0) == Some(number)).and_then(|p| u32_at(p, 4));
        let granules = |count: u32, size: u32| count.max(1).div_ceil(size) - 1;
        let (vgprs, sgprs) = (value(0x8000_1041)?, value(0x8000_1042)?);
        // DX10_CLAMP is set for all kernels.
        let rsrc1 = granules(vgprs, 4) & 0x3f
            | (granules(sgprs, 8) & 0xf) << 6
            | (value(0x8000_1043).unwrap_or(0xc0) & 0xff) << 12
            | 1 << 21
            | (value(0x8000_1044).unwrap_or(0) & 1) << 23;
        // TMPRING_SIZE has the scratch of a wave in units of 1 KiB.
        let scratch = value(0x8000_1045).unwrap_or(0).min(1 << 16);
        let tmpring = scratch.saturating_mul(4 * 64).div_ceil(1024) << 12;
        let registers = [(0xb848, rsrc1), (0xb84c, value(0x2e13)?), (0xb860, tmpring)];
        Some(registers.into_iter().flat_map(|(register, value)| [register, value]).flat_map(u32::to_le_bytes).collect())
    }
}
