//! Clang offload bundles: a table, then several code objects.
//!
//! ```text
//! offset 0   __CLANG_OFFLOAD_BUNDLE__                                      24 bytes
//!        24  number of parts                                               u64
//!        32  per part: offset, size, length of name (u64 each), name       e.g. hip-amdgcn-amd-amdhsa--gfx906
//! ```
//! Source: LLVM, "Clang Offload Bundler", bundled code object file layout.

use super::{Place, Walk};
use crate::bytes::FileBytes;
use crate::error::LoadError;

/// First bytes of a bundle.
pub const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// Limit in bytes for the name of a part.
const NAME_LIMIT: u64 = 4096;

struct Listed {
    name: String,
    code: FileBytes,
    offset: u64,
}

/// Adds the parts of the bundle at the beginning of `bytes`. Returns the length of the bundle in bytes.
pub(super) fn read(walk: &mut Walk, bytes: &FileBytes, place: &Place) -> Result<usize, LoadError> {
    let (parts, mut end) = parts(bytes)?;
    for Listed { name, code, offset } in parts {
        end = end.max(offset as usize + code.as_ref().len());
        let name = format!("{}{name}", place.prefix);
        let moved = |error: LoadError| error.moved(offset);
        walk.named(name, code, &place.at(offset as usize)).map_err(moved)?;
    }
    Ok(end)
}

/// Returns the parts that the table lists, and the offset of the end of the table.
fn parts(bytes: &FileBytes) -> Result<(Vec<Listed>, usize), LoadError> {
    let data = bytes.as_ref();
    let mut at = MAGIC.len();
    let count = read_u64(data, &mut at, "number of parts")?;
    let mut parts = Vec::new();
    let mut left = data.len() as u64;
    for number in 0..count {
        let header_at = at as u64;
        let offset = read_u64(data, &mut at, "part table")?;
        let size = read_u64(data, &mut at, "part table")?;
        let name_length = read_u64(data, &mut at, "part table")?;
        let name = (name_length <= NAME_LIMIT)
            .then(|| data.get(at..at + name_length as usize))
            .flatten()
            .ok_or_else(|| LoadError::bundle(at as u64, format!("name of part {number} exceeds the file")))?;
        let name = String::from_utf8_lossy(name).into_owned();
        at += name_length as usize;
        let end = offset.checked_add(size).filter(|&end| end <= data.len() as u64);
        let code = end.and_then(|end| bytes.slice(offset as usize..end as usize)).ok_or_else(|| {
            let what = format!(
                "part {number} ('{name}', {size:#x} bytes at {offset:#x}) exceeds the file of {:#x} bytes, table entry",
                data.len()
            );
            LoadError::bundle(header_at, what)
        })?;
        // Overlapping parts could make a small file as much work as a huge one, so their total size is limited.
        left = left.checked_sub(size).ok_or_else(|| {
            LoadError::bundle(header_at, format!("part {number} ('{name}') overlaps others, table entry"))
        })?;
        parts.push(Listed { name, code, offset });
    }
    Ok((parts, at))
}

fn read_u64(data: &[u8], at: &mut usize, what: &str) -> Result<u64, LoadError> {
    let bytes = data.get(*at..).and_then(|rest| rest.first_chunk());
    let bytes = bytes.ok_or_else(|| LoadError::bundle(*at as u64, format!("{what} is cut short")))?;
    *at += 8;
    Ok(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileKind, parse as load};
    use gcnsim_isa::Arch;

    const GFX900: &[u8] = include_bytes!("../../../../corpus/elf/v3-gfx900.co");
    const GFX906: &[u8] = include_bytes!("../../../../corpus/elf/v4-gfx906.co");
    const GFX1030: &[u8] = include_bytes!("../../../../corpus/elf/v4-gfx1030.co");

    fn bundle(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend((parts.len() as u64).to_le_bytes());
        let mut offset = 4096u64;
        for (name, code) in parts {
            for field in [offset, code.len() as u64, name.len() as u64] {
                out.extend(field.to_le_bytes());
            }
            out.extend(name.as_bytes());
            offset += code.len() as u64;
        }
        out.resize(4096, 0);
        parts.iter().for_each(|(_, code)| out.extend(*code));
        out
    }

    #[test]
    fn kernels_of_known_generations_are_listed() {
        let file = bundle(&[
            ("host-x86_64-unknown-linux--", b""),
            ("hip-amdgcn-amd-amdhsa--gfx900", GFX900),
            ("hip-amdgcn-amd-amdhsa--gfx1030", GFX1030),
        ]);
        let loaded = load(FileBytes::from(file)).unwrap();
        assert_eq!(loaded.kind, FileKind::Bundle);
        let names: Vec<_> = loaded.entries.iter().map(|e| (e.kernel.as_deref(), e.target)).collect();
        assert_eq!(names, [(Some("first"), Some("gfx900")), (Some("second"), Some("gfx900"))]);
        assert_eq!(loaded.entries[0].file_offset, 4096 + 0x700);
        assert_eq!(loaded.skipped.len(), 2);
        assert!(loaded.skipped[1].reason.contains("gfx1030"), "{:?}", loaded.skipped);
    }

    #[test]
    fn the_generation_chooses_between_kernels_of_one_name() {
        let file = bundle(&[("hip-amdgcn-amd-amdhsa--gfx900", GFX900), ("hip-amdgcn-amd-amdhsa--gfx906", GFX906)]);
        let loaded = load(FileBytes::from(file)).unwrap();
        assert_eq!(loaded.choose(Some("first"), Some(Arch::Gcn141)).unwrap().target, Some("gfx906"));
        for (kernel, arch) in [(Some("first"), None), (Some("first"), Some(Arch::Gcn12)), (None, Some(Arch::Gcn14))] {
            assert!(loaded.choose(kernel, arch).is_err(), "{kernel:?} {arch:?}");
        }
    }

    #[test]
    fn a_bundle_for_others_says_for_whom() {
        let file = bundle(&[("hip-amdgcn-amd-amdhsa--gfx1030", GFX1030)]);
        let error = load(FileBytes::from(file)).unwrap_err();
        assert!(error.to_string().contains("gfx1030"), "{error}");
    }

    #[test]
    fn every_truncation_is_an_error() {
        let file = bundle(&[("hip-amdgcn-amd-amdhsa--gfx900", GFX900)]);
        for length in MAGIC.len()..file.len() {
            let error = load(FileBytes::from(file[..length].to_vec())).expect_err("cut short");
            assert!(error.to_string().contains("offset"), "{length}: {error}");
        }
    }

    #[test]
    fn absurd_tables_are_errors() {
        let mut file = bundle(&[("hip-amdgcn-amd-amdhsa--gfx900", GFX900)]);
        file[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(load(FileBytes::from(file)).is_err());
        let mut file = bundle(&[("hip-amdgcn-amd-amdhsa--gfx900", GFX900)]);
        for field in [32, 40, 48] {
            file[field..field + 8].copy_from_slice(&u64::MAX.to_le_bytes());
            assert!(load(FileBytes::from(file.clone())).is_err());
        }
    }
}
