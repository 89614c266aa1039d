use super::*;

fn named(bytes: &[u8]) -> Option<&'static str> {
    identify(bytes, bytes.len() as u64).map(|foreign| foreign.what)
}

fn dwords(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn formats_are_named() {
    let spirv = [0x0723_0203u32, 0x0001_0300, 0x0008_000b, 40, 0, 0x0002_0011, 1];
    let big_endian: Vec<u8> = spirv.iter().flat_map(|word| word.to_be_bytes()).collect();
    let mut pe = vec![0; 0x100];
    (pe[0], pe[1], pe[0x3c]) = (b'M', b'Z', 0x80);
    pe[0x80..0x84].copy_from_slice(b"PE\0\0");
    let mut tar = vec![0; 512];
    tar[257..262].copy_from_slice(b"ustar");
    let dxbc = |part: &[u8]| [b"DXBC", &[7; 16][..], &dwords(&[1, 100, 1, 36]), part].concat();
    let files: &[(&[u8], &str)] = &[
        (b"\x81FOSSILIZEDB\0\0\0\x06", "a Fossilize archive"),
        (b"RDOC\0\0\0\0\x02\x01\0\0", "a RenderDoc capture"),
        (&dwords(&spirv), "a SPIR-V module"),
        (&big_endian, "a SPIR-V module"),
        (b"BC\xc0\xde\x35\x14\0\0", "LLVM bitcode"),
        (&dwords(&[32, 1, 0x1002, 0x6860]), "a Vulkan pipeline cache"),
        (&dwords(&[0xba55_ed50, 0x0010_0001]), "a CUDA fat binary"),
        (&pe, "a Windows program (PE)"),
        (&dxbc(b"SHEX"), "a DXBC container"),
        (&dxbc(b"DXIL"), "a DXIL container"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "a gzip file"),
        (b"PK\x03\x04\x14\0\0\0", "a zip archive"),
        (b"\x28\xb5\x2f\xfd\x04\0", "a zstd file"),
        (&tar, "a tar archive"),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01", "a Mach-O file"),
    ];
    for (bytes, what) in files {
        assert_eq!(named(bytes), Some(*what));
    }
}

#[test]
fn texts_are_named() {
    for (text, what) in [
        ("; ModuleID = 'k.bc'\ntarget triple = \"amdgcn-amd-amdhsa\"\n", "LLVM IR"),
        ("\t.text\n\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n", "GCN assembly"),
        ("s_endpgm\n", "GCN assembly"),
        ("__kernel void k(global int *p) {}\n", "OpenCL source"),
        ("#version 450\nvoid main() {}\n", "GLSL source"),
        ("//\n.version 7.0\n.target sm_70\n", "PTX (code for NVIDIA GPUs)"),
        ("[Version]\nversion = 57\n\n[CsSpirv]\n", "an LLPC pipeline (.pipe)"),
        ("{\"launch\": [{\"kernel\": \"k\"}]}", "a launch file"),
        ("{\"a\": 1}", "JSON text"),
        ("#!/bin/sh\nexit\n", "a script"),
        ("be910024\nbf810000\n", "text: lines of hex dwords"),
        ("Grüße an alle\n", "text"),
        ("\u{feff}hello hello\n", "text"),
    ] {
        assert_eq!(named(text.as_bytes()), Some(what), "{text}");
    }
    let wide: Vec<u8> = "\u{feff}s_endpgm here".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(named(&wide), Some("text (UTF-16)"));
    let advice = "a log or listing is read as UTF-8: convert it (iconv -f UTF-16 -t UTF-8)";
    assert_eq!(identify(&wide, wide.len() as u64).unwrap().instead, advice);
    // The end of the head cuts a character.
    let long = "é ".repeat(HEAD);
    assert_eq!(named(long.as_bytes()), Some("text"));
    assert_eq!(named(&[b"x", long.as_bytes()].concat()), Some("text"));
}

/// Code whose dwords resemble one of the formats.
#[test]
fn code_is_not_named() {
    let end = 0xbf81_0000;
    let files = [
        // The mark of SPIR-V is V_SUBREV or V_MAC; the rest is not its header.
        dwords(&[0x0723_0203, end]),
        dwords(&[0x0723_0203, 0x0001_0300, 0, 0, 0, end]),
        dwords(&[32, 1, 2, end]),
        // V_CNDMASK and V_ADD with operands that are letters.
        dwords(&[0x2020_2020, 0x0246_4141, 0x2041_4242, end]),
        dwords(&[0x4141_4141, 0x4242_4242]),
        dwords(&[0x0008_8b1f | 0xe0 << 24, end]),
        b"MZ\0\0\0\0\0\0".to_vec(),
        b"xyz".to_vec(),
        Vec::new(),
    ];
    for file in files {
        assert_eq!(named(&file), None, "{file:x?}");
    }
}

#[test]
fn what_is_named_is_suspect() {
    let marks = MARKS.iter().map(|(mark, ..)| *mark);
    let others: [&[u8]; 5] = [b"\x03\x02#\x07", b"\x07#\x02\x03", b"DXBC", b"\x1f\x8b\x08\0", b"BZh9"];
    for bytes in marks.chain(others).chain([&b"s_endpgm\n"[..], &dwords(&[32, 1, 0x1002, 0]), b"\xca\xfe\xba\xbe"]) {
        assert!(is_suspect(bytes), "{bytes:x?}");
    }
    assert!(!is_suspect(&dwords(&[0xbe80_0080, 0xbf81_0000])));
}
