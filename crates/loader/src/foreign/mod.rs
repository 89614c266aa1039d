//! Recognizes files that are no GCN code but that people give as such. Says what they are and what to do instead.
//!
//! Raw dwords have no magic, so any file may be raw dwords. A format is recognized by a mark of at least 32 bits. Where
//! the mark alone could be an instruction, the fields after it must make sense, too. Text is recognized by the whole
//! head of the file: see `text`. `--raw` takes a recognized file as dwords all the same.

mod text;

/// What a file is, and what to do instead of running it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// What it is, with an article: `a Fossilize archive`.
    pub what: &'static str,
    /// What to do instead.
    pub instead: String,
}

/// Number of bytes at the beginning of a file that are looked at.
pub(super) const HEAD: usize = 4096;

const COMPILE_SPIRV: &str = "compile it for the GPU first (amdllpc -gfxip=9 for an ELF, RGA, or a driver's dump of its \
                             code) and give the result";
const REPLAY: &str = "replay it with a driver that dumps its shaders, and give the dumped ELF files or code";
const UNPACK: &str = "unpack it and give the files in it";
const FOR_ANOTHER: &str = "it is code for another machine: give code for GCN 1.0 to 1.4";
const NO_CODE: &str = "it holds no GCN code";

/// Formats with a mark at the beginning of the file: mark, name, advice.
#[rustfmt::skip]
const MARKS: &[(&[u8], &str, &str)] = &[
    (b"\x81FOSSILIZEDB", "a Fossilize archive", "it holds SPIR-V and pipeline state: replay it (fossilize-replay) with a \
        driver that dumps its shaders, and give those"),
    (b"RDOC", "a RenderDoc capture", REPLAY),
    (b"GFXR", "a GFXReconstruct capture", REPLAY),
    (b"AMD_RDF ", "an AMD RDF capture (RGD, RMV, RRA)", "it holds no code that is read: give ELF files of its pipelines"),
    (b"BC\xc0\xde", "LLVM bitcode", "compile it (llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx900 -filetype=obj, then \
        ld.lld -shared) and give the code object"),
    (b"\xde\xc0\x17\x0b", "LLVM bitcode", "compile it (llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx900 -filetype=obj, then \
        ld.lld -shared) and give the code object"),
    (b"\x50\xed\x55\xba", "a CUDA fat binary", FOR_ANOTHER),
    (b"\xb1\x43\x62\x46", "a CUDA fat binary", FOR_ANOTHER),
    (b"\xce\xfa\xed\xfe", "a Mach-O file", FOR_ANOTHER),
    (b"\xcf\xfa\xed\xfe", "a Mach-O file", FOR_ANOTHER),
    (b"\xfe\xed\xfa\xce", "a Mach-O file", FOR_ANOTHER),
    (b"\xfe\xed\xfa\xcf", "a Mach-O file", FOR_ANOTHER),
    (b"MTLB", "a Metal library", FOR_ANOTHER),
    (b"\0asm", "a WebAssembly module", FOR_ANOTHER),
    (b"HSA BRIG", "HSAIL (BRIG)", "finalize it and give the code object"),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"PK\x05\x06", "a zip archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd file", UNPACK),
    (b"\xfd7zXZ\0", "an xz file", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"\x04\x22\x4d\x18", "an lz4 file", UNPACK),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", NO_CODE),
    (b"%PDF-", "a PDF document", NO_CODE),
    (b"SQLite format 3\0", "an SQLite database", "it may be a cache of shaders: extract their ELF files and give those"),
];

/// Returns what a file is that begins with `head`; `None` if it may be GCN code. `length` is the file's length in
/// bytes.
pub fn identify(head: &[u8], length: u64) -> Option<Foreign> {
    let head = &head[..head.len().min(HEAD)];
    if let Some((_, what, instead)) = MARKS.iter().find(|(mark, ..)| head.starts_with(mark)) {
        return Some(Foreign { what, instead: (*instead).to_owned() });
    }
    by_fields(head, length).or_else(|| text::identify(head, length))
}

/// A quick check of `code`, a raw file of a batch: `false` if [`identify`] would not recognize it. Most code is
/// `false`.
#[inline]
pub fn is_suspect(code: &[u8]) -> bool {
    let Some(&[a, b]) = code.first_chunk() else { return false };
    // The first two bytes of every mark in `MARKS` and `by_fields`.
    let known = matches!(
        (a, b),
        (0x81 | b'G', b'F')
            | (b'R', b'D')
            | (b'A', b'M')
            | (0x42, b'C' | b'Z')
            | (0xde, 0xc0)
            | (0x50, 0xed | b'K')
            | (0xb1, 0x43)
            | (0xce | 0xcf, 0xfa)
            | (0xfe, 0xed)
            | (b'M', b'T' | b'Z')
            | (0, b'a')
            | (b'H' | b'%', b'S' | b'P')
            | (0x28, 0xb5)
            | (0xfd, b'7')
            | (b'7', b'z')
            | (4, 0x22)
            | (0x89, b'P')
            | (b'S', b'Q')
            | (3, 2)
            | (7, 0x23)
            | (b'D', b'X')
            | (32, 0)
            | (0xca, 0xfe)
            | (0x1f, 0x8b)
    );
    known || text::begins(code)
}

/// Whether `bytes` begin like text. A quick check.
#[inline]
pub(super) fn begins_like_text(bytes: &[u8]) -> bool {
    text::begins(bytes)
}

/// Whether a file is text in UTF-8, as far as its head tells.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    text::of_head(&bytes[..bytes.len().min(HEAD)], bytes.len() as u64).is_some()
}

fn u32_at(head: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?))
}

/// Recognizes formats whose mark could be an instruction, or does not stand at the beginning.
fn by_fields(head: &[u8], length: u64) -> Option<Foreign> {
    let foreign = |what: &'static str, instead: &str| Some(Foreign { what, instead: instead.to_owned() });
    let dword = u32_at(head, 0)?;
    match dword {
        0x0723_0203 | 0x0302_2307 if is_spirv(head, length) => foreign("a SPIR-V module", COMPILE_SPIRV),
        0x4342_5844 if head.len() >= 32 && u32_at(head, 20) == Some(1) => {
            let dxil = head[32..].as_chunks::<4>().0.contains(b"DXIL");
            foreign(if dxil { "a DXIL container" } else { "a DXBC container" }, COMPILE_SPIRV)
        }
        32 if is_pipeline_cache(head) => foreign(
            "a Vulkan pipeline cache",
            "its layout differs from driver to driver: have the driver dump its shaders and give those",
        ),
        0xbeba_feca => foreign("a Mach-O or Java class file", FOR_ANOTHER),
        _ if dword & 0x00ff_ffff == 0x0008_8b1f && dword >> 29 == 0 => foreign("a gzip file", UNPACK),
        _ if head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY") => foreign("a bzip2 file", UNPACK),
        _ if dword & 0xffff == 0x5a4d && is_pe(head) => foreign("a Windows program (PE)", FOR_ANOTHER),
        _ if head.get(257..262) == Some(b"ustar") => {
            foreign("a tar archive", "gcnsim batch takes it as it is; or unpack it and give the files in it")
        }
        _ => None,
    }
}

/// Whether it has a header of five words with version 1.0 to 1.9, a bound that is not 0, and schema 0.
fn is_spirv(head: &[u8], length: u64) -> bool {
    let Some((words, _)) = head.split_at_checked(20).map(|(header, rest)| (header.as_chunks::<4>().0, rest)) else {
        return false;
    };
    let read = if words[0] == [3, 2, 0x23, 7] { u32::from_le_bytes } else { u32::from_be_bytes };
    let [version, bound, schema] = [1, 3, 4].map(|i| read(words[i]));
    version & 0xffff_00ff == 0x0001_0000 && version >> 8 & 0xff <= 9 && bound != 0 && schema == 0 && length >= 20
}

/// Whether the header has version 1 and a known vendor: a PCI vendor id, or an id that Khronos assigned.
fn is_pipeline_cache(head: &[u8]) -> bool {
    const VENDORS: [u32; 9] = [0x1002, 0x1010, 0x106b, 0x10de, 0x13b5, 0x1414, 0x14e4, 0x5143, 0x8086];
    let vendor = u32_at(head, 8).unwrap_or(0);
    u32_at(head, 4) == Some(1) && (VENDORS.contains(&vendor) || (0x10000..0x10020).contains(&vendor))
}

/// Whether the DOS header has the offset of a PE header.
fn is_pe(head: &[u8]) -> bool {
    let at = u32_at(head, 0x3c).unwrap_or(0) as usize;
    at >= 0x40 && head.get(at..at.saturating_add(4)) == Some(b"PE\0\0")
}

#[cfg(test)]
mod tests;
