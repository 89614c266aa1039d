//! Binaries of Mesa's Clover: a list of kernels with their arguments, and sections, of which one is an ELF file.
//!
//! ```text
//! number of kernels (u32); for each: length of its name (u32), name, section, offset in .text, number of arguments
//!     (u32 each), arguments of 24 bytes: kind, size, size and alignment on the GPU, sign, meaning (u32 each)
//! number of sections (u32); for each: number, kind, size, size with what follows, size (u32 each), bytes
//! ```
//! Kinds of arguments are 0 a value, 1 a constant and 2 a global buffer, 3 LDS; meanings are 0 an argument of the
//! source, 1 the number of dimensions, 2 the three global offsets. The ELF file is of 32 or 64 bits and often names no
//! machine; `.AMDGPU.config` has its registers. From LLVM 4 on a kernel begins with an `amd_kernel_code_t`: it is
//! launched as any kernel of AMD's HSA.

use object::elf::{SHT_NOTE, SHT_PROGBITS};

use super::amdcl2::KERNEL;
use super::image::Image;
use super::tables::{ALLOC, EXECUTABLE, Tables};
use super::yaml::{self, Arg};
use super::{Broken, Chip, Made, kernel_code_machine, u32_at};
use crate::SCRATCH_OF_DRIVERS;
use crate::shader::config;

/// Limits for kernels, for the length of a name, and for arguments of a kernel.
const MOST_KERNELS: u32 = 4096;
const MOST_NAME: u32 = 4096;
const MOST_ARGS: u32 = 4096;
/// Limit for sections.
const MOST_SECTIONS: u32 = 64;
/// Type of a symbol of a function.
const FUNCTION: u8 = 2;

/// A kernel of the list.
struct Kernel {
    name: String,
    offset: u64,
    args: Vec<[u32; 6]>,
}

/// What precedes the ELF file.
struct List {
    kernels: Vec<Kernel>,
    /// Place of the ELF file.
    elf: std::ops::Range<usize>,
}

/// Takes dwords and bytes from a file.
struct Cursor<'d> {
    data: &'d [u8],
    at: usize,
}

impl<'d> Cursor<'d> {
    fn word(&mut self) -> Option<u32> {
        let word = u32_at(self.data, self.at)?;
        self.at += 4;
        Some(word)
    }

    fn words<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.word()?;
        }
        Some(words)
    }

    fn bytes(&mut self, size: u32) -> Option<&'d [u8]> {
        let bytes = self.data.get(self.at..)?.get(..size as usize)?;
        self.at += size as usize;
        Some(bytes)
    }
}

/// Whether a file begins like such a binary: its list makes sense, up to the ELF file behind it.
pub(super) fn is(data: &[u8]) -> bool {
    list(data).is_some()
}

fn list(data: &[u8]) -> Option<List> {
    let mut cursor = Cursor { data, at: 0 };
    let count = cursor.word().filter(|count| (1..=MOST_KERNELS).contains(count))?;
    let mut kernels = Vec::new();
    for _ in 0..count {
        let length = cursor.word().filter(|length| (1..=MOST_NAME).contains(length))?;
        let name = std::str::from_utf8(cursor.bytes(length)?).ok().filter(|name| !name.contains(char::is_control))?;
        let [_, offset, count] = cursor.words()?;
        let mut args = Vec::new();
        for _ in 0..Some(count).filter(|count| *count <= MOST_ARGS)? {
            let arg: [u32; 6] = cursor.words()?;
            Some(arg).filter(|[kind, .., sign, meaning]| *kind < 256 && *sign < 2 && *meaning < 256)?;
            args.push(arg);
        }
        kernels.push(Kernel { name: name.to_owned(), offset: offset.into(), args });
    }
    for _ in 0..cursor.word().filter(|count| (1..=MOST_SECTIONS).contains(count))? {
        let [_, _, size, _, _] = cursor.words()?;
        let start = cursor.at;
        if data.get(start..)?.starts_with(crate::elf::MAGIC) {
            return Some(List { kernels, elf: start..start.saturating_add(size as usize) });
        }
        cursor.bytes(size)?;
    }
    None
}

pub(super) fn read(data: &[u8]) -> Result<Made, Broken> {
    let List { kernels, elf } = list(data).ok_or((0, "it has no ELF file,".to_owned()))?;
    let at = elf.start as u64;
    let bytes = data.get(elf.clone()).ok_or_else(|| {
        let what = format!("an ELF file of {:#x} bytes, of which {:#x} are there,", elf.len(), data.len() - elf.start);
        (at, what)
    })?;
    let inner = Tables::read(bytes, at)?;
    let text = inner.section(".text").ok_or((at, "its ELF file has no code (no section .text),".to_owned()))?;
    let code = inner.bytes(text);
    let outside = kernels.iter().find(|kernel| !kernel.offset.is_multiple_of(4) || kernel.offset >= code.len() as u64);
    if let Some(Kernel { name, offset, .. }) = outside {
        return Err((inner.offset(text), format!("kernel '{name}' at {offset:#x} is misplaced in its code,")));
    }
    let of = |kernel: &Kernel| kernel_code_machine(&code[kernel.offset as usize..]);
    let version = kernels.first().and_then(of);
    let is_hsa = kernels.iter().all(|kernel| of(kernel).is_some());
    let patched = with_scratch(data, &inner);
    let mut image = Image::new(patched.as_deref().unwrap_or(data));
    let size = text.size / 4 * 4;
    let piece = image.load(".text", (inner.offset(text), size), size, ALLOC | EXECUTABLE)?;
    let mut starts: Vec<u64> = kernels.iter().map(|kernel| kernel.offset).collect();
    starts.sort_unstable();
    for kernel in &kernels {
        let next = starts.iter().find(|&&start| start > kernel.offset).copied().unwrap_or(size).min(size);
        let kind = if is_hsa { KERNEL } else { FUNCTION };
        image.symbol(&kernel.name, kind, piece, (kernel.offset, next.saturating_sub(kernel.offset)));
    }
    if is_hsa {
        let listed: Option<Vec<_>> = kernels.iter().map(metadata).collect();
        image.section(".note", SHT_NOTE, &yaml::note(&listed.unwrap_or_default()));
    } else if let Some(section) = inner.section(config::SECTION) {
        image.section(config::SECTION, SHT_PROGBITS, inner.bytes(section));
    }
    let chip = match version {
        Some(version) if is_hsa && version[0] > 0 => Chip::of_version(version),
        _ => chip(bytes, inner.is_wide),
    };
    Ok(Made { image, chip, os_abi: if is_hsa { 64 } else { 66 } })
}

/// The chip that the header of the ELF file names.
fn chip(elf: &[u8], is_wide: bool) -> Chip {
    let flags = u32_at(elf, if is_wide { 48 } else { 36 }).unwrap_or(0) & 0xff;
    let is_amd = elf.get(18..20) == Some(&object::elf::EM_AMDGPU.0.to_le_bytes());
    match flags {
        _ if !is_amd || flags == 0 => Chip::Unknown,
        _ => crate::machine::gpu(flags).map_or_else(Chip::Other, |(name, _)| Chip::Known(name)),
    }
}

/// The file with the address of scratch at the places that name it. `None` if there are none.
fn with_scratch(data: &[u8], inner: &Tables<'_>) -> Option<Vec<u8>> {
    let text = inner.section(".text")?;
    let relocations = inner.sections.iter().find(|section| matches!(&*section.name, ".rel.text" | ".rela.text"))?;
    let size = match (inner.is_wide, relocations.kind) {
        (true, super::tables::RELA) => 24,
        (true, _) => 16,
        (false, super::tables::RELA) => 12,
        (false, _) => 8,
    };
    let mut patched = None;
    for entry in inner.bytes(relocations).chunks_exact(size) {
        let word = |at: usize| u32_at(entry, at).unwrap_or(0);
        let (at, symbol) = if inner.is_wide { (u64::from(word(0)), word(12)) } else { (word(0).into(), word(4) >> 8) };
        let value = match inner.symbols.get(symbol as usize).map(|symbol| symbol.name.as_str()) {
            Some("SCRATCH_RSRC_DWORD0") => SCRATCH_OF_DRIVERS as u32,
            // With elements of a lane between those of others.
            Some("SCRATCH_RSRC_DWORD1") => (SCRATCH_OF_DRIVERS >> 32) as u32 | 1 << 31,
            _ => continue,
        };
        if at.checked_add(4).is_some_and(|end| end <= text.size) {
            let place = (inner.offset(text) + at) as usize;
            let bytes: &mut Vec<u8> = patched.get_or_insert_with(|| data.to_vec());
            bytes.get_mut(place..place + 4)?.copy_from_slice(&value.to_le_bytes());
        }
    }
    patched
}

/// The kernel for the metadata. `None` if an argument is of a kind that no launch provides.
fn metadata(kernel: &Kernel) -> Option<yaml::Kernel> {
    let mut args = Vec::new();
    for &[kind, _, size, align, sign, meaning] in &kernel.args {
        let arg = |kind| Arg {
            name: String::new(),
            type_name: String::new(),
            size: size.into(),
            align: align.max(1).into(),
            kind,
            value: match (size, sign) {
                (4, 0) => "U32",
                (4, _) => "I32",
                _ => "",
            },
        };
        match (meaning, kind) {
            (0, 0) => args.push(arg("ByValue")),
            (0, 1 | 2) => args.push(arg("GlobalBuffer")),
            (0, 3) => args.push(arg("DynamicSharedPointer")),
            (1, _) => args.push(arg("HiddenGridDims")),
            (2, _) => args.extend(["HiddenGlobalOffsetX", "HiddenGlobalOffsetY", "HiddenGlobalOffsetZ"].map(arg)),
            _ => return None,
        }
    }
    Some(yaml::Kernel { name: kernel.name.clone(), args, kernarg_size: None, required: None })
}
