//! Relocations are applied in linked objects, and refused by name in relocatable ones. Places and symbols are those of
//! llvm-readelf -r (corpus/elf/README.md).

use crate::common;

use common::{Bench, elf};
use gcnsim_isa::{Arch, Program};
use gcnsim_loader::{Loaded, parse};

fn load(name: &str) -> Loaded {
    parse(elf(name).into()).unwrap()
}

fn quad(program: &Program, address: u64) -> u64 {
    let index = program.word_index(address).unwrap();
    program.word(index).unwrap() as u64 | (program.word(index + 1).unwrap() as u64) << 32
}

/// R_AMDGPU_ABS64 of `table` (0x36d0) at 0x1518, in .text.
#[test]
fn dynamic_relocations_in_code_are_applied() {
    let loaded = load("pointers-gfx900.co");
    let entry = loaded.choose(Some("f"), None).unwrap();
    entry.check_runnable().unwrap();
    assert_eq!(quad(&entry.program(Arch::Gcn14), 0x1518), 0x36d0);
    // The code is loaded at 0x1_0000_0000 instead of 0x1400.
    let moved = entry.program_at(Arch::Gcn14, Some(0x1_0000_0000), 0);
    assert_eq!(quad(&moved, 0x1_0000_0118), 0x1_0000_0000 - 0x1400 + 0x36d0);
    // The bytes of the file are unchanged.
    assert_eq!(&loaded.choose(Some("f"), None).unwrap().code.as_ref()[..4], &0xbe80_1c00u32.to_le_bytes());
}

/// Returns pointers-gfx900.co with two relocations changed: halves of the address of symbol `table` become literals of
/// `k`.
fn with_literals(types: [u64; 2]) -> Vec<u8> {
    let mut bytes = elf("pointers-gfx900.co");
    let find = |bytes: &[u8], place: u64, info: u64| {
        let pattern = [place.to_le_bytes(), info.to_le_bytes()].concat();
        bytes.windows(16).position(|window| window == pattern).unwrap()
    };
    let table = 5 << 32;
    let [first, second] = [find(&bytes, 0x36d0, 1 << 32 | 3), find(&bytes, 0x26c8, 2 << 32 | 3)];
    for (at, place, kind) in [(first, 0x1504u64, types[0]), (second, 0x150c, types[1])] {
        bytes[at..at + 16].copy_from_slice(&[place.to_le_bytes(), (table | kind).to_le_bytes()].concat());
    }
    bytes
}

#[test]
fn code_runs_with_the_addresses_it_was_given() {
    let bench = Bench::new();
    bench.file("k.co", with_literals([1, 2]));
    for (base, low, high) in [("", 0x36d0u64, 0u64), ("--base 0x500000000", 0x21d0, 5)] {
        let ran = bench.run(&format!("run --kernel k --dump-state end.json {base} k.co"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let state: serde_json::Value = serde_json::from_str(&bench.read("end.json")).unwrap();
        assert_eq!((&state["sgpr"]["2"], state["sgpr"]["3"].as_u64().unwrap_or(0)), (&low.into(), high), "{base}");
    }
}

#[test]
fn what_only_a_linker_resolves_is_an_error_in_a_linked_object() {
    let bench = Bench::new();
    bench.file("k.co", with_literals([10, 11])).file("u.co", elf("undefined-gfx900.co"));
    bench
        .run("run --kernel k k.co")
        .fails(2, "k.co: relocation R_AMDGPU_REL32_LO at 0x1504 is one that the linker resolves");
    bench
        .run("run u.co")
        .fails(2, "u.co: relocation R_AMDGPU_ABS64 at 0x23c8 needs symbol 'missing', which the object does not define");
    for command in ["disasm", "scan", "scan --all"] {
        assert!(bench.run(&format!("{command} k.co u.co")).code < 2, "{command}");
    }
}

/// Runs of one wave and of worlds link the object in memory; launches want a linked one.
#[test]
fn relocatable_objects_run_but_are_not_launched() {
    let bench = Bench::new();
    bench.file("calls.o", elf("calls-v4-gfx900.o")).file("mixed.o", elf("mixed-gfx900.o"));
    for kernel in ["uses_one", "uses_two"] {
        // Their loops count up to arguments, which are made up: without the launch's metadata they are large.
        let ran = bench.run(&format!("run --synthetic --kernel {kernel} calls.o"));
        assert!(ran.code < 2 && !ran.stdout.contains("fault"), "{kernel}: {ran:?}");
    }
    // Ten times through a loop.
    let ran = bench.run("run --kernel f mixed.o");
    assert!(ran.code == 0 && ran.stdout.contains("instructions  33\n"), "{ran:?}");
    bench.run("run --kernel uses_one --grid 1 --group 1 calls.o").fails(2, "a relocatable object: link it");
}

/// Returns the object `bytes`, a version of pointers-gfx900.co, as launches see it. Launches need a kernel, so the
/// symbol `pointer` becomes its descriptor: it gets another name, and 0 as the distance of the entry.
#[cfg(feature = "launches")]
fn launched(mut bytes: Vec<u8>) -> gcnsim_loader::code_object::CodeObject {
    let at = bytes.windows(9).position(|window| window == b"\0pointer\0").unwrap();
    bytes[at + 1..at + 8].copy_from_slice(b"poin.kd");
    bytes[0x528..0x530].fill(0);
    gcnsim_loader::code_object::CodeObject::parse(&bytes.into()).unwrap()
}

/// Launches see the same relocations: places, targets with their addends, and parts.
#[cfg(feature = "launches")]
#[test]
fn dispatches_see_the_same_relocations() {
    use gcnsim_loader::code_object::{Relocation, RelocationPart};
    let relocations = |bytes: Vec<u8>| launched(bytes).relocations;
    let found = relocations(elf("pointers-gfx900.co"));
    assert!(found.contains(&Relocation { place: 0x1518, target: 0x36d0, part: RelocationPart::Whole }), "{found:?}");
    let mut bytes = with_literals([1, 2]);
    let pattern = [0x1504u64.to_le_bytes(), (5u64 << 32 | 1).to_le_bytes()].concat();
    let at = bytes.windows(16).position(|window| window == pattern).unwrap();
    bytes[at + 16..at + 24].copy_from_slice(&(-0x10i64).to_le_bytes());
    let found = relocations(bytes.clone());
    for (place, target, part) in [(0x1504, 0x36c0, RelocationPart::Low), (0x150c, 0x36d0, RelocationPart::High)] {
        assert!(found.contains(&Relocation { place, target, part }), "{found:x?}");
    }
    // R_AMDGPU_RELATIVE64 has no symbol.
    bytes[at + 8..at + 16].copy_from_slice(&(0xffu64 << 32 | 13).to_le_bytes());
    bytes[at + 16..at + 24].copy_from_slice(&0x3700u64.to_le_bytes());
    let relative = Relocation { place: 0x1504, target: 0x3700, part: RelocationPart::Whole };
    assert!(relocations(bytes).contains(&relative));
}

/// Segments are writable and executable as the flags of llvm-readelf -l say.
#[cfg(feature = "launches")]
#[test]
fn flags_of_segments() {
    let object = launched(elf("pointers-gfx900.co"));
    let flags: Vec<_> = object.segments.iter().map(|s| (s.address, s.writable, s.executable)).collect();
    assert_eq!(flags, [(0, false, false), (0x1400, false, true), (0x2608, true, false), (0x36d0, true, false)]);
}
