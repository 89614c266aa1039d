//! Binaries of AMD's drivers for OpenCL 2.0 (Catalyst and Crimson from 2014 on, AMDGPU-PRO): GCN 1.1 to 1.4.
//!
//! ```text
//! outer ELF, machine 0xaf5b (pointers of 32 bits: 0xaf5a)
//!                                 symbol __OpenCL_&__OpenCL_<name>_kernel_metadata: arguments
//!   .text, an ELF of AMD's HSA    symbols &__OpenCL_<name>_kernel (type 10): amd_kernel_code_t, code 256 bytes on
//!   .text, before driver 1912.05  no ELF: symbols __ISA_&__OpenCL_<name>_kernel_binary of the outer file: a stub that
//!                                 begins with its size, amd_kernel_code_t, code
//! ```
//! The notes of the inner file are packed without padding, so only the one with the version of the machine is searched.

use object::elf::SHT_NOTE;

use super::image::{Image, Piece};
use super::tables::{ALLOC, EXECUTABLE, NOBITS, RELA, Symbol, Tables};
use super::yaml::{self, Arg, Kernel};
use super::{Broken, Chip, Made, u32_at, u64_at};

/// The machines of the outer file: for kernels with pointers of 32 and of 64 bits.
pub(super) const MACHINES: std::ops::RangeInclusive<u16> = 0xaf5a..=0xaf5b;

/// Type of the symbol of a kernel.
pub(super) const KERNEL: u8 = 10;
/// Most arguments of a kernel.
const MOST_ARGS: u64 = 4096;

pub(super) fn read(data: &[u8], outer: &Tables<'_>) -> Result<Made, Broken> {
    let text = outer.section(".text").ok_or((0, "it has no code (no section .text),".to_owned()))?;
    let bytes = outer.bytes(text);
    let mut found = Found { image: Image::new(data), kernels: Vec::new(), version: None };
    if bytes.starts_with(crate::elf::MAGIC) {
        found.inner(&Tables::read(bytes, outer.offset(text))?, outer)?;
    } else {
        found.pieces(outer)?;
    }
    found.image.section(".note", SHT_NOTE, &yaml::note(&found.kernels));
    let chip = found.version.map_or_else(|| chip(data, outer), Chip::of_version);
    Ok(Made { image: found.image, chip, os_abi: 64 })
}

/// The chip that the flags of the outer file stand for. Later numbers differ from driver to driver.
fn chip(data: &[u8], outer: &Tables<'_>) -> Chip {
    const CHIPS: [(u32, &str); 10] = [
        (1, "gfx700"),
        (2, "gfx700"),
        (3, "gfx703"),
        (4, "gfx703"),
        (6, "gfx704"),
        (7, "gfx701"),
        (8, "gfx802"),
        (9, "gfx802"),
        (15, "gfx801"),
        (16, "gfx803"),
    ];
    let flags = u32_at(data, if outer.is_wide { 48 } else { 36 });
    CHIPS.iter().find(|(number, _)| Some(*number) == flags).map_or(Chip::Unknown, |(_, name)| Chip::Known(name))
}

struct Found {
    image: Image,
    kernels: Vec<Kernel>,
    /// The version of the machine.
    version: Option<[u32; 3]>,
}

impl Found {
    /// Takes the sections and kernels of an inner ELF file.
    fn inner(&mut self, inner: &Tables<'_>, outer: &Tables<'_>) -> Result<(), Broken> {
        let mut pieces: Vec<Option<Piece>> = Vec::new();
        for section in &inner.sections {
            let is_loaded = section.flags & ALLOC != 0 && section.size > 0;
            // The flags of code have bits of HSA that mean nothing here.
            let mut load = || {
                let size = if section.kind == NOBITS { 0 } else { section.size };
                self.image.load(&section.name, (inner.offset(section), size), section.size, section.flags & 7)
            };
            pieces.push(if is_loaded { Some(load()?) } else { None });
        }
        let piece = |section: usize| pieces.get(section).copied().flatten();
        for symbol in inner.symbols.iter().filter(|symbol| symbol.kind == KERNEL) {
            let Some(place) = piece(symbol.section) else { continue };
            let (_, bytes) = inner.of_symbol(symbol)?;
            let name = symbol.name.strip_prefix("&__OpenCL_").and_then(|name| name.strip_suffix("_kernel"));
            self.image.symbol(name.unwrap_or(&symbol.name), KERNEL, place, (symbol.value, symbol.size));
            self.kernel(name.unwrap_or(&symbol.name), bytes, outer);
        }
        let code = inner.sections.iter().position(|section| section.flags & EXECUTABLE != 0);
        for section in inner.sections.iter().filter(|section| section.kind == RELA) {
            // The section that they are for is in `info`, or by its name.
            let named =
                section.name.strip_prefix(".rela").and_then(|name| inner.sections.iter().position(|s| s.name == name));
            let Some(place) = named.or(code).and_then(piece).or(piece(section.info as usize)) else { continue };
            for entry in inner.bytes(section).as_chunks::<24>().0 {
                let [at, info, addend] = [0, 8, 16].map(|at| u64_at(entry, at).unwrap_or(0));
                let symbol = inner.symbols.get((info >> 32) as usize);
                if let Some((symbol, target)) = symbol.and_then(|symbol| Some((symbol, piece(symbol.section)?))) {
                    self.image.relocation(place, at, info as u32, target, symbol.value.wrapping_add(addend));
                }
            }
        }
        self.version = self.version.or_else(|| isa_note(inner.bytes(inner.section(".note")?)));
        Ok(())
    }

    /// Takes the kernels that lie in the outer file.
    fn pieces(&mut self, outer: &Tables<'_>) -> Result<(), Broken> {
        for symbol in &outer.symbols {
            let name =
                symbol.name.strip_prefix("__ISA_&__OpenCL_").and_then(|name| name.strip_suffix("_kernel_binary"));
            let Some(name) = name else { continue };
            let (at, bytes) = outer.of_symbol(symbol)?;
            let code = u32_at(bytes, 0).and_then(|stub| Some((stub, bytes.get(stub as usize..)?)));
            let (stub, code) = code.ok_or_else(|| (at, format!("kernel '{name}' is cut short,")))?;
            let size = code.len() as u64;
            let piece = self.image.load(name, (at + u64::from(stub), size), size, ALLOC | EXECUTABLE)?;
            self.image.symbol(name, KERNEL, piece, (0, size));
            self.kernel(name, code, outer);
        }
        Ok(())
    }

    /// Takes what `code`, which begins with an `amd_kernel_code_t`, and the metadata say of a kernel.
    fn kernel(&mut self, name: &str, code: &[u8], outer: &Tables<'_>) {
        let version = super::kernel_code_machine(code).filter(|&[major, ..]| major > 0);
        self.version = self.version.or(version);
        let symbol = format!("__OpenCL_&__OpenCL_{name}_kernel_metadata");
        let symbol = outer.symbols.iter().find(|other| other.name == symbol);
        // Without metadata, or if they are broken, arguments are given in order.
        if let Some((args, required)) = symbol.and_then(|symbol| metadata(symbol, outer)) {
            let kernarg_size = u64_at(code, 72);
            self.kernels.push(Kernel { name: name.to_owned(), args, kernarg_size, required });
        }
    }
}

/// The version of the machine in the notes of the inner file.
fn isa_note(notes: &[u8]) -> Option<[u32; 3]> {
    let at = memchr::memmem::find(notes, b"\x03\0\0\0AMD\0")?;
    let desc = notes.get(at + 8..)?;
    Some([u32_at(desc, 4)?, u32_at(desc, 8)?, u32_at(desc, 12)?]).filter(|version| version[0] > 0)
}

/// Size of an entry of an argument in bytes.
const ENTRY: usize = 88;

/// The arguments of a kernel and the size that it requires of groups. `None` if they cannot be read: in files of 32
/// bits or if they are broken.
fn metadata(symbol: &Symbol, outer: &Tables<'_>) -> Option<(Vec<Arg>, Option<[u64; 3]>)> {
    let (_, bytes) = outer.of_symbol(symbol).ok().filter(|_| outer.is_wide)?;
    let number = |at: usize| u64_at(bytes, at);
    let count = number(160).filter(|&count| count <= MOST_ARGS)? as usize;
    let size = |at: usize| number(at).and_then(|n| usize::try_from(n).ok());
    let header = size(0)?.checked_add(size(96)?)?.checked_add(size(104)?)?;
    // Two names end with a zero each. Newer drivers put a third one behind them.
    let mut at = header.checked_add(2)?;
    if u32_at(bytes, at)? == (ENTRY as u32) << 8 {
        at += 1;
    }
    let mut names = bytes.get(at.checked_add(ENTRY * (count + 1))?..)?;
    let mut args = Vec::new();
    for i in 0..count {
        let entry = bytes.get(at + ENTRY * i..)?.first_chunk::<ENTRY>()?;
        let mut name = |at: usize| {
            let length = usize::try_from(u64_at(entry, at)?).ok()?;
            let (name, rest) = names.split_at_checked(length)?;
            names = rest.get(1..)?;
            Some(String::from_utf8_lossy(name).into_owned())
        };
        let (name, type_name) = (name(8)?, name(16)?);
        args.push(argument(entry, name, type_name)?);
    }
    let required = [number(56)?, number(64)?, number(72)?];
    Some((args, Some(required).filter(|sizes| sizes.iter().all(|&size| size > 0))))
}

/// An argument by its entry.
fn argument(entry: &[u8; ENTRY], name: String, type_name: String) -> Option<Arg> {
    let [elements, kind, space, pointer] = [40, 52, 64, 68].map(|at| u32_at(entry, at).unwrap_or(0));
    let (is_pipe, class) = (entry[74] != 0, u32_at(entry, 76)?);
    let is_unsigned = type_name.starts_with('u') || type_name == "size_t" || type_name == "bool";
    let hidden = match name.as_str() {
        "_.global_offset_0" => Some("HiddenGlobalOffsetX"),
        "_.global_offset_1" => Some("HiddenGlobalOffsetY"),
        "_.global_offset_2" => Some("HiddenGlobalOffsetZ"),
        // All kernels have these, whether they print and enqueue or not. The driver's buffer for what is printed is not
        // known.
        "_.printf_buffer" | "_.vqueue_pointer" | "_.aqlwrap_pointer" => Some("HiddenNone"),
        _ => None,
    };
    let of_pointer = || match (is_pipe, space) {
        (true, _) => Some("Pipe"),
        (false, 3) => Some("DynamicSharedPointer"),
        (false, 4 | 5) => Some("GlobalBuffer"),
        _ => None,
    };
    let (kind, element, value) = match (pointer != 0, class, kind) {
        _ if hidden.is_some() => (hidden?, 8, ""),
        (true, ..) => (of_pointer()?, 8, ""),
        (false, 1, _) => ("Sampler", 8, ""),
        (false, 2, _) => ("Image", 8, ""),
        (false, 7, _) => ("Queue", 8, ""),
        // The value lies behind a pointer.
        (false, _, 15) => ("GlobalBuffer", 8, ""),
        (false, _, 2 | 6) => ("ByValue", 1, if is_unsigned { "U8" } else { "I8" }),
        (false, _, 3 | 7) => ("ByValue", 2, if is_unsigned { "U16" } else { "I16" }),
        (false, _, 4 | 8) => ("ByValue", 4, if is_unsigned { "U32" } else { "I32" }),
        (false, _, 5 | 9) => ("ByValue", 8, if is_unsigned { "U64" } else { "I64" }),
        (false, _, 11) => ("ByValue", 4, "F32"),
        (false, _, 12) => ("ByValue", 8, "F64"),
        _ => return None,
    };
    let count = match elements {
        _ if kind != "ByValue" => 1,
        3 => 4,
        1 | 2 | 4 | 8 | 16 => elements.into(),
        0 => 1,
        _ => return None,
    };
    let name = if hidden.is_some() { String::new() } else { name };
    Some(Arg { name, type_name, size: element * count, align: element * count, kind, value })
}
