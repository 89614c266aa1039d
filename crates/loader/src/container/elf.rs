//! Reads of an ELF file what is needed to find it in other bytes: machine, target id, length and sections.

use object::LittleEndian;
use object::elf::{EM_AMDGPU, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use crate::target::Features;
use crate::{Xnack, machine};

type Header = FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

/// First part of the names of sections in which clang-offload-bundler puts parts into host objects. The rest is the
/// name of the part.
const BUNDLE_SECTION: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// Whether `data` begins like a 64-bit ELF file for an AMD GPU.
pub(super) fn is_gpu(data: &[u8]) -> bool {
    data.starts_with(b"\x7fELF\x02\x01") && data.get(18..20) == Some(&EM_AMDGPU.0.to_le_bytes())
}

/// Whether `data` begins like an ELF file for another machine.
pub fn is_host(data: &[u8]) -> bool {
    data.starts_with(b"\x7fELF") && data.get(18..20).is_some_and(|machine| machine != EM_AMDGPU.0.to_le_bytes())
}

fn header(data: &[u8]) -> Option<&Header> {
    Header::parse(data).ok()
}

/// Length in bytes of the ELF file at the beginning of `data`; `None` if its headers reach beyond the end.
pub(super) fn extent(data: &[u8]) -> Option<usize> {
    let header = header(data)?;
    let mut end = size_of::<Header>() as u64;
    let mut reach = |offset: u64, size: u64| {
        end = end.max(offset.checked_add(size)?);
        Some(())
    };
    let sections = header.section_headers(LE, data).ok()?;
    reach(header.e_shoff(LE), size_of_val(sections) as u64)?;
    for section in sections {
        if let Some((offset, size)) = section.file_range(LE) {
            reach(offset, size)?;
        }
    }
    let segments = header.program_headers(LE, data).ok()?;
    reach(header.e_phoff(LE), size_of_val(segments) as u64)?;
    for segment in segments {
        let (offset, size) = segment.file_range(LE);
        reach(offset, size)?;
    }
    usize::try_from(end).ok().filter(|&end| end <= data.len())
}

/// The target id from the header of a code object. `None` if `data` is no code object, or if its GPU is unknown.
pub(crate) fn target_id(data: &[u8]) -> Option<String> {
    let header = header(data).filter(|_| is_gpu(data))?;
    let flags = header.e_flags(LE).0;
    let name = match machine::gpu(flags & 0xff) {
        Ok((name, _)) => name.to_owned(),
        Err(other) => Some(other).filter(|name| name.starts_with("gfx"))?,
    };
    let ident = header.e_ident();
    // Values from v4 on: 1 is either, 2 is off, 3 is on. v3 has no such values: it states the compiler's default.
    let state = |shift: u32| match flags >> shift & 3 {
        2 => Some(false),
        3 => Some(true),
        _ => None,
    };
    let features = match (ident.os_abi.0, ident.abi_version) {
        (64, 2..) => Features { xnack: state(8), sramecc: state(10) },
        _ => Features::default(),
    };
    Some(format!("{name}{features}"))
}

/// What a code object says of XNACK.
pub(crate) fn xnack(data: &[u8]) -> Xnack {
    let Some(header) = header(data).filter(|_| is_gpu(data)) else { return Xnack::Off };
    let (flags, ident) = (header.e_flags(LE).0, header.e_ident());
    let may_be_on = match (ident.os_abi.0, ident.abi_version) {
        // 0 is a processor without XNACK, 1 is either, 2 is off, 3 is on.
        (64, 2..) => matches!(flags >> 8 & 3, 1 | 3),
        _ => flags & 0x100 != 0,
    };
    if may_be_on { Xnack::Possible } else { Xnack::Off }
}

/// The name of the section of a host ELF file that holds the byte at `at`. Where clang-offload-bundler named the
/// section, it is the name of the part.
pub(super) fn section_name(data: &[u8], at: usize) -> Option<String> {
    let header = header(data).filter(|_| is_host(data))?;
    let sections = header.sections(LE, data).ok()?;
    let holds = |&(offset, size): &(u64, u64)| (at as u64).checked_sub(offset).is_some_and(|within| within < size);
    let section = sections.iter().find(|section| section.file_range(LE).as_ref().is_some_and(holds))?;
    let name = String::from_utf8_lossy(sections.section_name(LE, section).ok()?).into_owned();
    match name.strip_prefix(BUNDLE_SECTION) {
        Some(part) => Some(part.to_owned()),
        None => Some(format!("{name} at {at:#x}")),
    }
}
