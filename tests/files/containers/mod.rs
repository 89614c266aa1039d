//! Files that contain code objects: everything in them is loaded or named as skipped, and nothing makes the loader
//! panic.
//!
//! Inputs are built from the published layouts, or come from llvm-ar 15 and zstd (corpus/elf/make.sh).

mod cli;

use std::io::Write;

use gcnsim_loader::{FileBytes, FileKind, Loaded, PartContent, TargetChoice, file_parts, parse};

pub const GFX900: &[u8] = include_bytes!("../../../corpus/elf/v3-gfx900.co");
pub const GFX906: &[u8] = include_bytes!("../../../corpus/elf/v4-gfx906.co");
pub const GFX1030: &[u8] = include_bytes!("../../../corpus/elf/v4-gfx1030.co");
pub const CALLS: &[u8] = include_bytes!("../../../corpus/elf/calls-v4-gfx900.co");

/// Returns an offload bundle. Code begins at multiples of `align`.
pub fn bundle(parts: &[(&str, &[u8])], align: usize) -> Vec<u8> {
    let mut out = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    out.extend((parts.len() as u64).to_le_bytes());
    let mut at = 32 + parts.iter().map(|(name, _)| 24 + name.len()).sum::<usize>();
    let mut places = Vec::new();
    for (name, code) in parts {
        at = at.next_multiple_of(align);
        places.push(at);
        for field in [at, code.len(), name.len()] {
            out.extend((field as u64).to_le_bytes());
        }
        out.extend(name.as_bytes());
        at += code.len();
    }
    for ((_, code), place) in parts.iter().zip(places) {
        out.resize(place, 0);
        out.extend(*code);
    }
    out
}

/// Returns LLVM's offload binary, version 1, with one image.
pub fn packed(image: &[u8], arch: &str) -> Vec<u8> {
    let mut strings = Vec::new();
    let mut table = Vec::new();
    let base = 32 + 40 + 2 * 16;
    for (key, value) in [("triple", "amdgcn-amd-amdhsa"), ("arch", arch)] {
        for text in [key, value] {
            table.extend(((base + strings.len()) as u64).to_le_bytes());
            strings.extend(text.bytes().chain([0]));
        }
    }
    let image_at = (base + strings.len()).next_multiple_of(8);
    let size = (image_at + image.len()).next_multiple_of(8);
    let mut out = vec![0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0];
    for field in [size, 32, 40] {
        out.extend((field as u64).to_le_bytes());
    }
    out.extend([1, 0, 4, 0, 0, 0, 0, 0]);
    for field in [32 + 40, 2, image_at, image.len()] {
        out.extend((field as u64).to_le_bytes());
    }
    out.extend(table);
    out.extend(strings);
    out.resize(image_at, 0);
    out.extend(image);
    out.resize(size, 0);
    out
}

/// Returns a bundle compressed with zlib.
pub fn compressed(version: u16, unpacked: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(unpacked).unwrap();
    with_header(version, 0, unpacked.len() as u64, &encoder.finish().unwrap())
}

fn with_header(version: u16, method: u16, unpacked: u64, packed: &[u8]) -> Vec<u8> {
    let mut out = b"CCOB".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(method.to_le_bytes());
    match version {
        1 => out.extend((unpacked as u32).to_le_bytes()),
        2 => out.extend([24 + packed.len() as u32, unpacked as u32].map(u32::to_le_bytes).concat()),
        _ => out.extend([32 + packed.len() as u64, unpacked].map(u64::to_le_bytes).concat()),
    }
    out.extend(0x1234_5678u64.to_le_bytes());
    out.extend(packed);
    out
}

/// Returns an ELF file for x86-64 with the sections `sections`.
pub fn host(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut data, mut names, mut headers) = (vec![0u8; 64], vec![0u8], vec![[0u64; 8]]);
    let mut add = |data: &mut Vec<u8>, name: &str, bytes: &[u8], kind: u64| {
        data.resize(data.len().next_multiple_of(16), 0);
        headers.push([names.len() as u64 | kind << 32, 2, 0, data.len() as u64, bytes.len() as u64, 0, 1, 0]);
        names.extend(name.bytes().chain([0]));
        data.extend(bytes);
    };
    sections.iter().for_each(|(name, bytes)| add(&mut data, name, bytes, 1));
    add(&mut data, ".shstrtab", &[], 3);
    let last = headers.len() - 1;
    (headers[last][3], headers[last][4]) = (data.len() as u64, names.len() as u64);
    data.extend(&names);
    data.resize(data.len().next_multiple_of(8), 0);
    let table = data.len() as u64;
    headers.iter().flatten().for_each(|field| data.extend(field.to_le_bytes()));
    data[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0");
    data[20] = 1;
    data[40..48].copy_from_slice(&table.to_le_bytes());
    data[52..54].copy_from_slice(&64u16.to_le_bytes());
    data[58..60].copy_from_slice(&64u16.to_le_bytes());
    data[60..62].copy_from_slice(&(headers.len() as u16).to_le_bytes());
    data[62..64].copy_from_slice(&(last as u16).to_le_bytes());
    data
}

const HOST: (&str, &[u8]) = ("host-x86_64-unknown-linux-gnu-", b"");
const OF_900: (&str, &[u8]) = ("hipv4-amdgcn-amd-amdhsa--gfx900", GFX900);
const OF_906: (&str, &[u8]) = ("hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", GFX906);
const OF_1030: (&str, &[u8]) = ("hipv4-amdgcn-amd-amdhsa--gfx1030", GFX1030);

fn load(bytes: Vec<u8>) -> Loaded {
    parse(FileBytes::from(bytes)).unwrap()
}

fn error(bytes: Vec<u8>) -> String {
    parse(FileBytes::from(bytes)).expect_err("is broken").to_string()
}

/// Returns target id, index and name of the part of each kernel `first`.
fn firsts(loaded: &Loaded) -> Vec<(String, usize, String)> {
    let firsts = loaded.entries.iter().filter(|entry| entry.kernel.as_deref() == Some("first"));
    let ids = firsts.map(|entry| entry.part.as_ref().unwrap());
    ids.map(|id| (id.target.clone(), id.index, id.name.clone())).collect()
}

/// Returns the target id and the index of the part of each kernel `first`.
fn targets(loaded: &Loaded) -> Vec<(String, usize)> {
    firsts(loaded).into_iter().map(|(target, index, _)| (target, index)).collect()
}

fn expect(list: &[(&str, usize)]) -> Vec<(String, usize)> {
    list.iter().map(|&(target, index)| (target.to_owned(), index)).collect()
}

#[test]
fn bundles_stand_one_after_the_other() {
    let (one, two) = (bundle(&[HOST, OF_900], 4096), bundle(&[HOST, OF_1030, OF_906], 8));
    for filling in [0, 1, 7, 4096 - one.len() % 4096] {
        let file = [&one[..], &vec![0; filling], &two, &[0; 100]].concat();
        let loaded = load(file.clone());
        assert_eq!(loaded.kind, FileKind::Bundle);
        assert_eq!(targets(&loaded), expect(&[("gfx900", 1), ("gfx906:sramecc+:xnack-", 4)]), "{filling}");
        let missed: Vec<_> = loaded.skipped.iter().filter(|s| !s.is_host).map(|s| s.reason.as_str()).collect();
        assert_eq!(missed, ["code for gfx1030 (RDNA)"]);
        for entry in &loaded.entries {
            let at = entry.file_offset as usize;
            assert_eq!(&file[at..at + entry.code.as_ref().len()], entry.code.as_ref());
        }
    }
    // Bytes between bundles that are not padding are named.
    let loaded = load([&one[..], b"some words", &two].concat());
    let named = loaded.skipped.iter().find(|s| s.name.starts_with("bytes at ")).unwrap();
    assert_eq!(named.reason, "text");
    // A broken second bundle is an error that states its place.
    let mut broken = [&one[..], &two].concat();
    broken.truncate(one.len() + 60);
    let message = error(broken);
    assert!(
        message.contains("broken offload bundle") && message.contains(&format!("{:#x}", one.len() + 56)),
        "{message}"
    );
}

#[test]
fn code_objects_stand_one_after_the_other() {
    let loaded = load([GFX900, &[0; 3], GFX906].concat());
    assert_eq!(targets(&loaded), expect(&[("gfx900", 0), ("gfx906", 1)]));
    // A single code object is not a part.
    assert!(load(GFX900.to_vec()).entries[0].part.is_none());
    assert!(load([GFX900, &[0; 64]].concat()).entries[0].part.is_none());
}

#[test]
fn hosts_hold_code_in_sections() {
    let two = [bundle(&[HOST, OF_900], 4096), vec![0; 4096], bundle(&[OF_906], 4096)].concat();
    let packed = [packed(GFX900, "gfx900"), packed(GFX906, "gfx906:xnack+")].concat();
    let file = host(&[
        (".text", &[0x90; 33]),
        (".hip_fatbin", &two),
        (".llvm.offloading", &packed),
        ("__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx900", GFX900),
        (".rodata", GFX906),
        (".data", &compressed(2, &bundle(&[OF_906], 4096))),
    ]);
    let loaded = load(file);
    assert_eq!(loaded.kind, FileKind::Container);
    let found = firsts(&loaded);
    let targets: Vec<_> = found.iter().map(|(target, ..)| target.as_str()).collect();
    let full = "gfx906:sramecc+:xnack-";
    assert_eq!(targets, ["gfx900", full, "gfx900", "gfx906:xnack+", "gfx900", "gfx906", full]);
    assert_eq!(found[4].2, "hip-amdgcn-amd-amdhsa--gfx900");
    assert!(found[5].2.starts_with(".rodata at 0x"), "{found:?}");
    let message = error(host(&[(".text", &[0x90; 2000])]));
    assert!(
        message.starts_with("ELF code for x86-64") && message.ends_with("; it holds no code for a GPU"),
        "{message}"
    );
    // A string in a program is not a bundle.
    let message = error(host(&[(".rodata", b"__CLANG_OFFLOAD_BUNDLE__\0CCOB\0and more words of a program")]));
    assert!(
        message.starts_with("ELF code for x86-64") && message.ends_with("; it holds no code for a GPU"),
        "{message}"
    );
}

#[test]
fn dumps_hold_code_somewhere() {
    for before in [1024, 4096, 5001] {
        let filling: Vec<u8> = (0..before).map(|i| (i * 31 % 251) as u8).collect();
        for code in [GFX900.to_vec(), bundle(&[HOST, OF_900], 4096), packed(GFX900, "gfx900")] {
            let loaded = load([&filling[..], &code, &filling].concat());
            assert_eq!((loaded.kind, firsts(&loaded).len()), (FileKind::Container, 1), "{before}");
        }
    }
    // Zeros may come before a bundle, as in a page of a fat binary.
    assert_eq!(firsts(&load([&vec![0; 4096][..], &bundle(&[OF_900], 8)].concat())).len(), 1);
    // Bytes that only look like an object do not keep raw code from being raw.
    let mut raw = vec![0u8; 2048];
    raw[1024..1044].copy_from_slice(&GFX900[..20]);
    assert_eq!(load(raw).kind, FileKind::Raw);
}

#[test]
fn offload_binaries_hold_images() {
    let loaded = load([packed(GFX900, "gfx900"), packed(GFX1030, "gfx1030"), packed(GFX906, "gfx906:xnack-")].concat());
    assert_eq!(targets(&loaded), expect(&[("gfx900", 0), ("gfx906:xnack-", 2)]));
    assert_eq!(firsts(&loaded)[0].2, "hip-amdgcn-amd-amdhsa--gfx900");
    // Later versions have a number of entries, and sizes of strings.
    let expected = expect(&[("gfx900", 0), ("gfx906", 1)]);
    for version in [2, 3] {
        assert_eq!(targets(&load(offload_binary(version))), expected, "{version}");
    }
}

/// Returns an offload binary of version 2 or 3 with two images.
fn offload_binary(version: u8) -> Vec<u8> {
    let (first, images) = (40 + 2 * 40, 304);
    let mut out = vec![0x10, 0xff, 0x10, 0xad, version, 0, 0, 0];
    let size = images + GFX900.len() + GFX906.len();
    [size, 40, 2, 0].iter().for_each(|&field| out.extend((field as u64).to_le_bytes()));
    for (i, code) in [GFX900, GFX906].into_iter().enumerate() {
        out.extend([1, 0, 1, 0, 0, 0, 0, 0]);
        for field in [first + 24 * i, 1, images + i * GFX900.len(), code.len()] {
            out.extend((field as u64).to_le_bytes());
        }
    }
    for i in 0..2 {
        [256, 264 + 16 * i, 6].iter().for_each(|&field| out.extend((field as u64).to_le_bytes()));
    }
    out.resize(256, 0);
    out.extend(b"arch\0\0\0\0gfx900\0\0\0\0\0\0\0\0\0\0gfx906\0");
    out.resize(images, 0);
    out.extend([GFX900, GFX906].concat());
    out
}

/// Returns an offload binary of version 3 that is `inflated` bytes long when the packed bytes behind its header are
/// unpacked.
fn packed_binary(inflated: usize, packed: &[u8]) -> Vec<u8> {
    let mut out = vec![0x10, 0xff, 0x10, 0xad, 3, 0, 0, 0];
    [40 + packed.len(), 40, 2, inflated].iter().for_each(|&field| out.extend((field as u64).to_le_bytes()));
    out.extend(packed);
    out
}

/// Returns a zstd frame of blocks that are not packed (RFC 8878).
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..], &(bytes.len() as u64).to_le_bytes()].concat();
    let count = bytes.chunks(100_000).count();
    for (i, block) in bytes.chunks(100_000).enumerate() {
        let header = (block.len() as u32) << 3 | u32::from(i + 1 == count);
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(block);
    }
    out
}

/// The bytes behind the header of an offload binary may be one stream of zlib or of zstd.
#[test]
fn compressed_offload_binaries_unpack() {
    let whole = offload_binary(3);
    let zlib = &compressed(3, &whole[40..])[32..];
    for packed in [zlib, &zstd(&whole[40..])] {
        let two = [packed_binary(whole.len(), packed), vec![0; 7], packed_binary(whole.len(), packed)].concat();
        let loaded = load(two);
        assert_eq!(targets(&loaded), expect(&[("gfx900", 0), ("gfx906", 1), ("gfx900", 2), ("gfx906", 3)]));
        // Offsets are those in the unpacked binary.
        assert_eq!(loaded.entries[0].file_offset, 304 + 0x700);
    }
    for (what, file) in [
        ("zlib: ", packed_binary(whole.len(), &[7; 40])),
        ("zstd: ", packed_binary(whole.len(), &zstd(&[0; 40])[..20])),
        ("other than the", packed_binary(whole.len() + 1, zlib)),
        ("other than the", packed_binary(whole.len() - 1, zlib)),
        ("less than its header", packed_binary(39, zlib)),
        ("are the most", packed_binary(1 << 40, zlib)),
        ("are the most", packed_binary(usize::MAX, zlib)),
    ] {
        let message = error(file);
        assert!(message.contains("broken offload binary") && message.contains(what), "{what}: {message}");
    }
}

#[test]
fn compressed_bundles_unpack() {
    let unpacked = bundle(&[HOST, OF_900, OF_1030], 4096);
    for version in 1..=3 {
        let two = [compressed(version, &unpacked), vec![0; 9], compressed(3, &bundle(&[OF_906], 8))].concat();
        let loaded = load(two);
        assert_eq!(targets(&loaded), expect(&[("gfx900", 1), ("gfx906:sramecc+:xnack-", 3)]), "{version}");
        // Offsets are those in the unpacked bundle.
        assert_eq!(loaded.entries[0].file_offset, 4096 + 0x700);
    }
    // `zst` was made by zstd.
    let zst: &[u8] = include_bytes!("../../../corpus/elf/bundle-gfx900.hipfb.zst");
    let length = 4096 + GFX900.len() as u64;
    for version in 1..=3 {
        let file = [with_header(version, 1, length, zst), with_header(3, 1, length, zst)].concat();
        assert_eq!(targets(&load(file)), expect(&[("gfx900", 0), ("gfx900", 1)]), "{version}");
    }
    for (what, file) in [
        ("method 2", with_header(2, 2, 9, &[0; 40])),
        ("version 4", with_header(4, 1, 9, &[0; 40])),
        ("zstd: ", with_header(2, 1, 9, &[7; 40])),
        ("zlib: ", with_header(2, 0, 9, &[7; 40])),
        ("exceed the", with_header(3, 1, 9, zst)[..100].to_vec()),
        ("other than the 77 bytes", with_header(3, 1, 77, zst)),
        ("are the most", with_header(3, 1, u64::MAX, zst)),
        ("are the most", with_header(3, 1, 1 << 40, zst)),
        ("other than the", with_header(3, 1, length + 1, zst)),
    ] {
        let message = error(file);
        assert!(message.contains("broken compressed offload bundle") && message.contains(what), "{what}: {message}");
    }
}

/// Many megabytes of zeros in few kilobytes: unpacking more bytes than the header states ends early.
#[test]
fn bombs_do_not_go_off() {
    let bomb = compressed(3, &vec![0; 80 << 20]);
    assert!(bomb.len() < 100_000);
    let message = error(with_header(3, 0, 64, &bomb[32..]));
    assert!(message.contains("other than the 64 bytes"), "{message}");
    // The limit holds for the sum of several parts.
    let message = error(bundle(&[("a", &bomb), ("b", &bomb)], 8));
    assert!(message.contains("are the most"), "{message}");
}

#[test]
fn archives_hold_members() {
    let archive = |name: &str| std::fs::read(format!("{}/corpus/elf/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for name in ["objects-gnu.a", "objects-bsd.a"] {
        let loaded = load(archive(name));
        let names: Vec<_> = firsts(&loaded).into_iter().map(|(_, _, name)| name).collect();
        assert_eq!(names, ["v3-gfx900.co", "a-code-object-with-a-long-name.co"], "{name}");
        let skipped: Vec<_> = loaded.skipped.iter().map(|s| (s.name.as_str(), s.reason.as_str())).collect();
        assert_eq!(skipped, [("v4-gfx1030.co", "code for gfx1030 (RDNA)"), ("core.s", "text")], "{name}");
    }
    let message = error(archive("objects-thin.a"));
    assert!(message.contains("v3-gfx900.co") && message.contains("thin archive"), "{message}");
    // The file is an archive of host objects, as `hipcc -c` and `ar` make it.
    let object = host(&[(".hip_fatbin", &bundle(&[HOST, OF_900], 4096))]);
    let mut file = b"!<arch>\n".to_vec();
    for content in [&object, &host(&[(".text", b"x")])] {
        file.extend(format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "a.o/", 0, 0, 0, 644, content.len()).bytes());
        file.extend(content);
        file.resize(file.len().next_multiple_of(2), b'\n');
    }
    let loaded = load(file);
    assert_eq!(firsts(&loaded)[0].2, "a.o: hipv4-amdgcn-amd-amdhsa--gfx900");
    assert!(loaded.skipped.iter().all(|skipped| skipped.is_host), "{:?}", loaded.skipped);
}

#[test]
fn target_ids_choose_parts() {
    let plus = ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack+", GFX906);
    let minus = ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack-", GFX906);
    let loaded = load(bundle(&[HOST, OF_900, plus, minus], 4096));
    let choose = |text: &str| {
        let target: TargetChoice = text.parse().unwrap();
        let chosen = loaded.choose_target(Some("first"), Some(&target));
        chosen.map(|entry| entry.part.as_ref().unwrap().index).map_err(|error| error.to_string())
    };
    assert_eq!(choose("gfx906:xnack+"), Ok(2));
    assert_eq!(choose("gfx906:sramecc-:xnack-"), Ok(3));
    assert_eq!(choose("gcn1.4"), Ok(1));
    let message = choose("gfx906").unwrap_err();
    assert!(message.contains("first (gfx906:xnack+), first (gfx906:xnack-)"), "{message}");
    assert!(!message.contains("gfx900"), "{message}");
    // If target ids are equal, the message states the parts.
    let message = load(bundle(&[plus, plus], 8)).choose(Some("first"), None).unwrap_err().to_string();
    assert!(message.contains("first (gfx906:xnack+, part 0), first (gfx906:xnack+, part 1)"), "{message}");
}

#[test]
fn everything_is_a_part() {
    let bitcode: &[u8] = b"BC\xc0\xde1234";
    let spirv = ("hipv4-spirv64-amd-amdhsa--amdgcnspirv", &b"\x03\x02\x23\x07...."[..]);
    let file = bundle(&[HOST, OF_1030, ("hip-amdgcn-amd-amdhsa--gfx908", bitcode), spirv], 8);
    let parts = file_parts(&FileBytes::from(file.clone())).unwrap();
    let other = |what: &str| PartContent::Other(what.into());
    let contents: Vec<_> = parts.iter().map(|part| part.content.clone()).collect();
    let expected = [
        PartContent::Host,
        PartContent::CodeObject,
        other("LLVM bitcode: compile and link it first"),
        other("SPIR-V, not code of a GPU"),
    ];
    assert_eq!(contents, expected);
    let message = error(file);
    for what in ["gfx1030 (RDNA)", "LLVM bitcode", "SPIR-V", "host code"] {
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn depth_and_number_are_bounded() {
    let mut file = bundle(&[OF_900], 8);
    for _ in 0..3 {
        file = bundle(&[("x", &file)], 8);
    }
    assert_eq!(firsts(&load(file.clone()))[0].2, format!("x: x: x: {}", OF_900.0));
    for _ in 0..200 {
        file = bundle(&[("x", &file)], 8);
    }
    let message = error(file);
    assert!(message.contains("too many containers within each other"), "{message}");
    let part: (&str, &[u8]) = ("p", b"");
    let message = error(bundle(&vec![part; 70_000], 1));
    assert!(message.contains("more than 65536 parts"), "{message}");
    let mut parts = vec![part; 5000];
    parts.push(OF_900);
    assert_eq!(targets(&load(bundle(&parts, 1))), expect(&[("gfx900", 5000)]));
}

/// The loader returns for files with any damage.
#[test]
fn damage_is_survived() {
    let two = [bundle(&[HOST, OF_900], 8), bundle(&[OF_906], 8)].concat();
    let files = [
        packed(GFX900, "gfx900"),
        compressed(1, &bundle(&[OF_900], 8)),
        compressed(3, &bundle(&[OF_900], 8)),
        host(&[(".hip_fatbin", &two), (".llvm.offloading", &packed(CALLS, "gfx900"))]),
        std::fs::read(format!("{}/corpus/elf/objects-gnu.a", env!("CARGO_MANIFEST_DIR"))).unwrap(),
        [&[7u8; 1500][..], GFX900].concat(),
        two,
    ];
    for file in &files {
        assert!(parse(FileBytes::from(file.clone())).is_ok());
        for length in (0..file.len()).step_by(if file.len() > 4000 { 61 } else { 13 }) {
            let _ = parse(FileBytes::from(file[..length].to_vec()));
        }
        for at in (0..file.len().min(400)).chain((400..file.len()).step_by(211)) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut file = file.clone();
                file[at..].iter_mut().take(1 + at % 8).for_each(|byte| *byte = value);
                let bytes = FileBytes::from(file);
                if let Ok(loaded) = parse(bytes.clone()) {
                    let _ = loaded.objects(0);
                }
                let _ = file_parts(&bytes);
            }
        }
    }
}
