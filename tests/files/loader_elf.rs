//! ELF code objects of every version: their entries, and truncation and damage, which cause no panic. The expected
//! offsets are those of `llvm-readelf` (corpus/elf/README.md).

use gcnsim_isa::Arch;
use gcnsim_loader::scan::scan_object;
use gcnsim_loader::{FileBytes, FileKind, LoadError, Loaded, parse};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/corpus/elf/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn load(name: &str) -> Result<Loaded, LoadError> {
    parse(FileBytes::from(file(name)))
}

/// Returns name, file offset, address and length in bytes of each entry.
fn entries(loaded: &Loaded) -> Vec<(&str, u64, u64, usize)> {
    let name = |e: &gcnsim_loader::Entry| (e.file_offset, e.address, e.code.as_ref().len());
    loaded.entries.iter().map(|e| (e.kernel.as_deref().unwrap(), name(e).0, name(e).1, name(e).2)).collect()
}

#[test]
fn linked_code_objects_of_v3_and_later() {
    for (name, version, target, arch, text, address) in [
        ("v3-gfx900.co", 3, "gfx900", Arch::Gcn14, 0x700, 0x1700),
        ("v4-gfx906.co", 4, "gfx906", Arch::Gcn141, 0x700, 0x1700),
        ("v5-gfx900.co", 5, "gfx900", Arch::Gcn14, 0xc00, 0x1c00),
        ("v6-gfx900.co", 6, "gfx900", Arch::Gcn14, 0xc00, 0x1c00),
    ] {
        let loaded = load(name).unwrap();
        assert_eq!(loaded.kind, FileKind::Elf(Some(version)), "{name}");
        let expected = [("first", text, address, 44), ("second", text + 0x100, address + 0x100, 4)];
        assert_eq!(entries(&loaded), expected, "{name}");
        assert!(loaded.entries.iter().all(|e| e.target == Some(target) && e.arch == Some(arch)), "{name}");
        let second = loaded.choose(Some("second"), None).unwrap().program(arch);
        assert_eq!((second.entry(), second.word(0)), (address + 0x100, Some(0xbf81_0000)), "{name}");
        assert!(loaded.choose(None, None).is_err() && loaded.choose(Some("third"), None).is_err());
    }
}

#[test]
fn code_objects_of_v2() {
    for (name, arch) in [("v2-gfx700.co", Arch::Gcn11), ("v2-gfx803.co", Arch::Gcn12)] {
        let loaded = load(name).unwrap();
        assert_eq!(loaded.kind, FileKind::Elf(Some(2)), "{name}");
        let found = entries(&loaded);
        assert_eq!((found[0].0, found[0].2), ("first", 0x1800), "{name}");
        assert_eq!((found[1].0, found[1].2, found[1].3), ("second", 0x1a00, 4), "{name}");
        assert!(loaded.entries.iter().all(|e| e.arch == Some(arch)));
        assert_eq!(loaded.entries[1].program(arch).word(0), Some(0xbf81_0000), "{name}");
    }
}

#[test]
fn v2_objects_without_machine_in_their_flags_name_it_in_a_note() {
    let mut bytes = file("v2-gfx700.co");
    bytes[48] = 0;
    let loaded = parse(FileBytes::from(bytes)).unwrap();
    assert_eq!((loaded.entries[0].target, loaded.entries[0].arch), (Some("gfx700"), Some(Arch::Gcn11)));
}

#[test]
fn relocatable_and_graphics_objects() {
    let loaded = load("v4-gfx900.o").unwrap();
    let names: Vec<_> = entries(&loaded).iter().map(|e| (e.0, e.2, e.3)).collect();
    assert_eq!(names, [("first", 0, 44), ("second", 0x100, 4)]);
    let loaded = load("pal-gfx900.o").unwrap();
    assert_eq!(loaded.kind, FileKind::Elf(None));
    let names: Vec<_> = entries(&loaded).iter().map(|e| (e.0, e.3)).collect();
    assert_eq!(names, [("_amdgpu_ps_main", 20)]);
}

#[test]
fn a_kernel_that_calls_keeps_its_section() {
    let loaded = load("core-gfx906.co").unwrap();
    let entry = loaded.choose(None, None).unwrap();
    assert_eq!((entry.kernel.as_deref(), entry.code.as_ref().len()), (Some("sum"), 32));
    let program = entry.program(Arch::Gcn141);
    assert_eq!((program.entry(), program.word_count()), (0x1300, (0x100 + 20) / 4));
    let moved = entry.program_at(Arch::Gcn141, Some(0x8000), 4);
    assert_eq!((moved.base(), moved.entry()), (0x8000, 0x8004));
}

#[test]
fn other_machines_are_named() {
    let message = |name: &str| load(name).unwrap_err().to_string();
    assert!(message("v4-gfx908.co").starts_with("ELF code for gfx908, which is not GCN 1.0 to 1.4"));
    assert!(message("v4-gfx1030.co").starts_with("ELF code for gfx1030,"));
    let mut host = file("v3-gfx900.co");
    host[18..20].copy_from_slice(&62u16.to_le_bytes());
    assert!(parse(FileBytes::from(host.clone())).unwrap_err().to_string().starts_with("ELF code for x86-64,"));
    host[5] = 2;
    assert!(parse(FileBytes::from(host)).unwrap_err().to_string().contains("big-endian"));
}

#[test]
fn every_truncation_is_an_error_with_a_position() {
    for name in ["v2-gfx700.co", "v3-gfx900.co", "v4-gfx900.o", "v5-gfx900.co", "pal-gfx900.o"] {
        let bytes = file(name);
        for length in 4..bytes.len() {
            let error = parse(FileBytes::from(bytes[..length].to_vec())).expect_err(name).to_string();
            assert!(error.starts_with("broken ELF: ") && error.contains("at offset 0x"), "{name} {length}: {error}");
        }
    }
}

/// A broken note refuses nothing that does not need it: code is listed. Launches read up to where it breaks.
#[test]
fn broken_notes_refuse_no_listing() {
    let whole = file("v5-gfx900.co");
    let at = whole.windows(7).position(|bytes| bytes == b"AMDGPU\0").unwrap();
    let names = |loaded: &Loaded| loaded.entries.iter().filter_map(|entry| entry.kernel.clone()).collect::<Vec<_>>();
    let expected = names(&load("v5-gfx900.co").unwrap());
    // The header states more bytes than there are; the metadata are a map of more pairs than there are.
    for (place, value, is_launched) in [(at - 5, 0x7f, true), (at + 8, 0x8f, false)] {
        let mut bytes = whole.clone();
        bytes[place] = value;
        let bytes = FileBytes::from(bytes);
        let loaded = parse(bytes.clone()).unwrap();
        assert_eq!(names(&loaded), expected, "byte {place:#x}");
        assert!(loaded.remark.as_ref().is_some_and(|remark| remark.contains("what these notes say is not used")));
        assert!(loaded.objects(0).is_ok());
        match gcnsim_loader::code_object::CodeObject::parse(&bytes) {
            Ok(object) => assert!(is_launched && object.kernels.iter().all(|kernel| kernel.metadata.is_none())),
            Err(error) => assert!(!is_launched && error.to_string().contains("bad MessagePack"), "{error}"),
        }
    }
}

/// No byte that is set to a value that makes counts, offsets and sizes absurd causes a panic.
#[test]
fn damaged_files_never_panic() {
    for name in
        ["v2-gfx700.co", "v3-gfx900.co", "core-gfx906.co", "pal-gfx900.o", "pointers-gfx900.o", "pointers-gfx900.co"]
    {
        let bytes = file(name);
        for at in 4..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Ok(loaded) = parse(FileBytes::from(damaged)) {
                    for entry in &loaded.entries {
                        entry.program(entry.arch.unwrap());
                    }
                    for object in loaded.objects(0).unwrap() {
                        scan_object(&object, Arch::Gcn14);
                        object.kernels.iter().for_each(|kernel| drop(object.name_of(kernel.address)));
                    }
                }
            }
        }
    }
}

/// Returns a code object of gfx900 with 64 bytes of code at address 0x1000 and `count` function symbols, which all have
/// the name at the start of the string table.
fn many_symbols(count: usize, strings: &[u8]) -> Vec<u8> {
    const SECTION_NAMES: &[u8] = b"\0.text\0";
    let mut out = vec![0; 64];
    let mut headers = vec![[0u64; 8]];
    // Name and type, flags, address, bytes, link, and size of an entry.
    let mut section = |name: u64, kind: u64, flags: u64, address: u64, bytes: &[u8], link: u64, entry: u64| {
        headers.push([name | kind << 32, flags, address, out.len() as u64, bytes.len() as u64, link, 8, entry]);
        out.extend_from_slice(bytes);
    };
    let code = [0xbf81_0000u32; 16].map(u32::to_le_bytes).concat();
    let symbol = |i: usize| {
        // The name, the info (global function), section 1, the address and the size.
        let first = (0x12u64 << 32) | 1 << 48;
        [first, 0x1000 + 4 * (i as u64 % 16), 0].map(u64::to_le_bytes).concat()
    };
    let symbols: Vec<u8> = (0..count).flat_map(symbol).collect();
    section(1, 1, 6, 0x1000, &code, 0, 0);
    section(0, 3, 0, 0, SECTION_NAMES, 0, 0);
    section(0, 3, 0, 0, strings, 0, 0);
    section(0, 2, 0, 0, &symbols, 3, 24);
    let table = out.len() as u64;
    out.extend(headers.iter().flatten().flat_map(|field| field.to_le_bytes()));
    out[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\xe0\0");
    out[0x28..0x30].copy_from_slice(&table.to_le_bytes());
    out[0x30..0x34].copy_from_slice(&0x2cu32.to_le_bytes());
    for (at, value) in [(0x34, 64u16), (0x3a, 64), (0x3c, headers.len() as u16), (0x3e, 2)] {
        out[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    out
}

/// A file of megabytes must not take minutes. A kernel ends at the next symbol, which is found by a lookup.
#[test]
fn hundreds_of_thousands_of_symbols() {
    let loaded = parse(many_symbols(200_000, b"f\0").into()).unwrap();
    assert_eq!(loaded.entries.len(), 200_000);
    let sizes = [0, 12_500].map(|i| loaded.entries[i].code.as_ref().len());
    assert_eq!(sizes, [4, 4]);
    assert_eq!(loaded.entries[199_999].address, 0x103c);
    let objects = loaded.objects(0).unwrap();
    assert_eq!(objects[0].sections[0].areas.len(), 16);
}

#[test]
fn names_are_bounded() {
    let long = vec![b'x'; 5000];
    let error = parse(many_symbols(1, &long).into()).unwrap_err().to_string();
    assert!(error.contains("has no end or over 4096 bytes; symbol"), "{error}");
    let mut shared = vec![b'x'; 4000];
    shared.push(0);
    assert_eq!(parse(many_symbols(1, &shared).into()).unwrap().entries.len(), 1);
    let error = parse(many_symbols(1000, &shared).into()).unwrap_err().to_string();
    assert!(error.contains("come to over 4 times the file; symbol"), "{error}");
}

#[test]
fn parts_of_bundles_come_to_no_more_than_the_file() {
    let code = file("v3-gfx900.co");
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend(3u64.to_le_bytes());
    let part = [4096, code.len() as u64, 1].map(u64::to_le_bytes).concat();
    for _ in 0..3 {
        bundle.extend(&part);
        bundle.extend(b"p");
    }
    bundle.resize(4096, 0);
    bundle.extend(code);
    let error = parse(bundle.into()).unwrap_err().to_string();
    assert!(error.contains("part 2 ('p') overlaps others"), "{error}");
}
