//! Shaders of a PlayStation 4: files `.sb`, and memory with such a shader.
//!
//! ```text
//! header, at 0 or at 0x24  "Shdr", version (u16 major 7, u16 minor), stage (u8), size of the header in dwords (u8), u8,
//!                          GPU (u8: 2 is Neo, GCN 1.2; else the base, GCN 1.1), u32
//! common, 16 bytes on      size in bytes of code, tables and info (23 bits), bit 23, number of usage slots (8 bits),
//!                          embedded constants in units of 16 bytes (u16), scratch of a lane in dwords (u16)
//! registers, 24 bytes on   offset of the code (from the end of the header) and 0xffffffff, or in memory its address,
//!                          RSRC1, RSRC2; CS: threads of a group; PS: at +24 the inputs, enabled and with VGPRs
//! code                     the first instruction is S_MOV_B32 VCC_HI with a literal n: info lies 8 * (n + 1) bytes on
//! info                     "OrbShdr", version (u8), u32: kind in [5:2], length of the code in bytes in [31:8]
//! ```
//! A file without a header that begins with that instruction and has the info is read, too. The instruction has another
//! encoding in GCN 1.2, so it decides the generation; without it the GPU does. Source: opengnm, documentation of shader
//! binaries.

use gcnsim_isa::Arch;

use super::{Bare, Found};
use crate::bytes::FileBytes;
use crate::error::LoadError;
use crate::shader::registers::{COMPUTE_NUM_THREAD_X, Hardware, Registers, SPI_PS_INPUT_ADDR, SPI_PS_INPUT_ENA};
use crate::{FileKind, Shader, Stage};

/// `Shdr`.
const MARK: u32 = u32::from_le_bytes(*b"Shdr");
/// Offset of the header behind an outer header.
const OUTER: usize = 0x24;
/// S_MOV_B32 VCC_HI with a literal, in GCN 1.1 and in GCN 1.2.
const FIRST: u32 = 0xbeeb_03ff;
const FIRST_GCN12: u32 = 0xbeeb_00ff;
const INFO: &[u8] = b"OrbShdr";
/// How far behind the beginning of the code info is searched, in bytes.
const SEARCHED: usize = 64 << 10;

/// Whether a file of these bytes may be such a shader. Most code is not.
#[inline]
pub(super) fn may_be(bytes: &[u8]) -> bool {
    matches!(u32_at(bytes, 0), Some(MARK | FIRST | FIRST_GCN12)) || u32_at(bytes, OUTER) == Some(MARK)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn error(offset: usize, what: impl Into<String>) -> LoadError {
    LoadError::Container { kind: "PlayStation 4 shader", offset: offset as u64, what: what.into() }
}

/// Processor and generation of code that begins with `first`. `is_neo` is what the header says.
fn target(first: Option<u32>, is_neo: bool) -> (&'static str, Arch) {
    match first {
        Some(FIRST) => ("gfx700", Arch::Gcn11),
        Some(FIRST_GCN12) => ("gfx803", Arch::Gcn12),
        _ if is_neo => ("gfx803", Arch::Gcn12),
        _ => ("gfx700", Arch::Gcn11),
    }
}

fn is_first(word: u32) -> bool {
    matches!(word, FIRST | FIRST_GCN12)
}

/// What the info behind the code says.
struct Info {
    /// Length of the code in bytes.
    length: usize,
    stage: Option<Stage>,
}

/// Reads a file. `None` if it is something else.
///
/// # Errors
/// [`LoadError::Container`] with the offset of what is broken.
pub(super) fn read(bytes: &FileBytes) -> Result<Option<Found>, LoadError> {
    let data = bytes.as_ref();
    if u32_at(data, 0) == Some(MARK) {
        return described(bytes, 0).map(Some);
    }
    if u32_at(data, OUTER) == Some(MARK) && data.get(OUTER + 4..OUTER + 6) == Some(&[7, 0]) {
        return described(bytes, OUTER).map(Some);
    }
    // Without a header only the info says that it is one.
    let info = info_place(data, 0).and_then(|place| info_at(data, place));
    let Some(info) = info.filter(|info| (4..=data.len()).contains(&info.length)) else { return Ok(None) };
    let stage = info.stage;
    let shader = Shader { stage, ..Shader::default() };
    let name = stage.map_or("shader", Stage::name).to_owned();
    let code = bytes.slice(0..data.len() / 4 * 4).unwrap_or_else(|| bytes.clone());
    let bare = Bare { name, code, code_length: info.length as u64 / 4 * 4, file_offset: Some(0), shader };
    let (target, arch) = target(u32_at(data, 0), false);
    let (target, arch) = (Some(target), Some(arch));
    Ok(Some(Found { kind: FileKind::Console, target, arch, shaders: vec![bare], skipped: Vec::new() }))
}

/// Where the code's first instruction says that the info is. `at` is the offset of the code.
fn info_place(data: &[u8], at: usize) -> Option<usize> {
    let literal = u32_at(data, at).filter(|&first| is_first(first)).and(u32_at(data, at + 4))?;
    at.checked_add((literal as usize).checked_add(1)?.checked_mul(8)?)
}

fn info_at(data: &[u8], at: usize) -> Option<Info> {
    if !data.get(at..)?.starts_with(INFO) {
        return None;
    }
    let fields = u32_at(data, at + 8)?;
    let stage = match fields >> 2 & 0xf {
        0 => Some(Stage::Pixel),
        1 => Some(Stage::Vertex),
        2 | 9 => Some(Stage::Export),
        3 => Some(Stage::Local),
        4 => Some(Stage::Compute),
        5 => Some(Stage::Geometry),
        6 => Some(Stage::Copy),
        7 => Some(Stage::Hull),
        8 => Some(Stage::Evaluation),
        _ => None,
    };
    Some(Info { length: (fields >> 8) as usize, stage })
}

/// The hardware's stages by their numbers in the header, from 1 on.
const STAGES: [&str; 7] = ["vs", "ps", "gs", "cs", "es", "ls", "hs"];

/// Reads a shader with the header at `start`.
fn described(bytes: &FileBytes, start: usize) -> Result<Found, LoadError> {
    let data = bytes.as_ref();
    let dword = |at: usize| u32_at(data, at).ok_or_else(|| error(at, "it is cut short"));
    let (number, gpu) = (dword(start + 8)? & 0xff, dword(start + 8)? >> 24);
    let hardware = (number as usize).checked_sub(1).and_then(|index| Hardware::of_name(STAGES.get(index)?));
    let hardware = hardware.ok_or_else(|| error(start + 8, format!("{number} is no stage (1 to 7)")))?;
    let (sizes, more) = (dword(start + 16)?, dword(start + 20)?);
    let registers = start + 24;
    let place = |n: usize| registers + 4 * n;
    let pgm = [dword(place(0))?, dword(place(1))?];
    let at = code_at(data, start, pgm)?;
    let (target, arch) = target(u32_at(data, at), gpu == 2);
    let mut values = Registers::from([(hardware.rsrc1, dword(place(2))?), (hardware.rsrc1 + 1, dword(place(3))?)]);
    match hardware.stage {
        Stage::Compute => {
            for (i, address) in (COMPUTE_NUM_THREAD_X..).take(3).enumerate() {
                values.insert(address, dword(place(4 + i))?);
            }
        }
        Stage::Pixel => values.extend([(SPI_PS_INPUT_ENA, dword(place(6))?), (SPI_PS_INPUT_ADDR, dword(place(7))?)]),
        _ => {}
    }
    let (size, constants) = ((sizes & 0x7f_ffff) as usize, (more & 0xffff) as usize * 16);
    if is_file(pgm) && size > data.len() - at {
        let what = format!("{size} bytes of code and tables, of which {} are there,", data.len() - at);
        return Err(error(start + 16, what));
    }
    let all = if size == 0 { data.len() - at } else { (size + constants).min(data.len() - at) } / 4 * 4;
    let info = info_place(data, at).and_then(|place| info_at(data, place));
    let info = info.or_else(|| {
        let searched = &data[at..data.len().min(at + SEARCHED)];
        info_at(data, at + memchr::memmem::find(searched, INFO)?)
    });
    let length = info.as_ref().map_or(all, |info| info.length / 4 * 4);
    if length < 4 || length > data.len() - at {
        return Err(error(at, format!("{length} bytes of code, of which {} are there,", data.len() - at)));
    }
    let code = bytes.slice(at..at + all.max(length)).ok_or_else(|| error(at, "the code exceeds the file"))?;
    let stage = info.and_then(|info| info.stage).unwrap_or(hardware.stage);
    let scratch = Some(more >> 16).filter(|&dwords| dwords > 0).map(|dwords| 4 * dwords);
    let shader = Shader { stage: Some(stage), scratch_bytes_per_lane: scratch, ..hardware.shader(&values, arch) };
    let file_offset = Some(at as u64);
    let bare = Bare { name: stage.name().to_owned(), code, code_length: length as u64, file_offset, shader };
    let (target, arch) = (Some(target), Some(arch));
    Ok(Found { kind: FileKind::Console, target, arch, shaders: vec![bare], skipped: Vec::new() })
}

/// Whether the code lies in the file, at an offset. `pgm` are the registers with its address.
fn is_file(pgm: [u32; 2]) -> bool {
    pgm[1] == u32::MAX
}

/// The offset of the code. `pgm` are the registers with its address: in a file these are an offset and all ones; in
/// memory the code lies elsewhere or behind the header.
fn code_at(data: &[u8], start: usize, pgm: [u32; 2]) -> Result<usize, LoadError> {
    let header_end = start + 16;
    if is_file(pgm) {
        let at = header_end + pgm[0] as usize;
        return match pgm[0] {
            offset if offset % 4 == 0 && at + 4 <= data.len() => Ok(at),
            offset => Err(error(start + 24, format!("code at {offset:#x} behind the header, outside of the file,"))),
        };
    }
    let code = (header_end..data.len()).step_by(4).find(|&at| u32_at(data, at).is_some_and(is_first));
    code.ok_or_else(|| error(start + 24, "the code is elsewhere in memory: no first instruction follows the header,"))
}
