//! Code objects whose parts contradict each other: metadata and descriptors, relocations to anywhere, kernels inside
//! other sections, tables that are shared or endless. Each is refused with a message, or runs as these tests say.

mod elf;
mod touched;

use std::time::{Duration, Instant};

use elf::{Elf, Listed, metadata};
use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, LaunchResult, launch};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

/// Addresses of the descriptor, the code and the data.
const DESCRIPTOR: u64 = 0x1000;
const CODE: u64 = 0x2000;
const DATA: u64 = 0x4008;
const READ: u32 = 4;
const EXECUTE: u32 = 5;
const WRITE: u32 = 6;

/// Returns the descriptor of a kernel with the address of kernarg in s[0:1]. `lds` and `kernarg` are sizes in bytes,
/// `entry` is the distance of the code.
fn descriptor(lds: u32, kernarg: u32, entry: i64) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..4].copy_from_slice(&lds.to_le_bytes());
    bytes[8..12].copy_from_slice(&kernarg.to_le_bytes());
    bytes[16..24].copy_from_slice(&entry.to_le_bytes());
    bytes[48..56].copy_from_slice(&[3, 0, 0, 0, 2 << 1, 0, 0, 0]);
    bytes[56] = 1 << 3;
    bytes
}

/// Code that stores a literal, and a dword of the object's data, to the buffer that is the argument at byte 8 of
/// kernarg.
#[rustfmt::skip]
const STORES: [u32; 17] = [
    0xc006_0180, 8, // s_load_dwordx2 s[6:7], s[0:1], 0x8
    0x7e02_0280, 0x7e04_02ff, 0x1234, // v_mov_b32 v1, 0; v_mov_b32 v2, 0x1234
    0xbe88_1c00, 0x8008_ff08, (DATA - CODE) as u32 - 24, // s_getpc_b64 s[8:9]; s_add_u32 s8, s8, to the data
    0xc002_0284, 0, // s_load_dword s10, s[8:9], 0x0
    0xbf8c_0000, 0x7e06_020a, // s_waitcnt 0; v_mov_b32 v3, s10
    0xdc74_8000, 0x0006_0201, // global_store_dwordx2 v1, v[2:3], s[6:7]
    0xbf80_0000, 0xbf80_0000, 0xbf81_0000, // s_nop; s_nop; s_endpgm
];

const ARGS: [(&str, u64, u64); 2] = [("by_value", 0, 4), ("global_buffer", 8, 8)];

/// Returns the correct object that the others are made of.
fn good() -> Elf {
    let code: Vec<u8> = STORES.iter().flat_map(|word| word.to_le_bytes()).collect();
    let size = code.len() as u64;
    Elf {
        segments: vec![
            (DESCRIPTOR, READ, descriptor(0, 16, (CODE - DESCRIPTOR) as i64), 64),
            (CODE, EXECUTE, code, size),
            (DATA, WRITE, vec![1, 2, 3, 4, 5, 6, 7, 8], 16),
        ],
        symbols: vec![("k.kd".into(), DESCRIPTOR, true), ("data".into(), DATA, true), ("none".into(), 0, false)],
        relocations: Vec::new(),
        relocation_sections: 1,
        notes: vec![metadata(&[Listed("k", "k.kd", 16, &ARGS)])],
        note_headers: 1,
    }
}

fn parse(elf: &Elf) -> Result<CodeObject, String> {
    CodeObject::parse(&FileBytes::from(elf.bytes())).map_err(|error| error.to_string())
}

/// Runs a kernel of an object on both engines. Returns the outcome, and the two dwords that it stored.
#[track_caller]
fn run(elf: &Elf, kernel: &str) -> Result<(Outcome, [u32; 2]), String> {
    let object = parse(elf)?;
    let spec = LaunchSpec::new(kernel, &[1], &[1]).unwrap();
    let spec = spec.args([ArgValue::u32(7), ArgValue::buffer("out")]).buffer("out", vec![0; 8]);
    let results = [EngineKind::Interp, EngineKind::JitNoCheck, EngineKind::Check].map(|engine| {
        let run = RunOptions::default().engine(engine).hot(0);
        let options = DispatchOptions::default().run(run).jobs(1).max_insts(1000);
        let result: LaunchResult = launch(&object, &spec, &options).map_err(|error| error.to_string())?;
        let stored = result.buffer("out").unwrap();
        let dword = |at: usize| u32::from_le_bytes(stored[at..at + 4].try_into().unwrap());
        Ok((result.run.outcome.expect("no failure of ours"), [dword(0), dword(4)]))
    });
    let [expected, other, checked] = results;
    assert_eq!((&other, &checked), (&expected, &expected));
    expected
}

const GOOD: Result<(Outcome, [u32; 2]), String> = Ok((Outcome::Ended, [0x1234, 0x0403_0201]));

/// Checks that a result is an error whose text contains `message`.
#[track_caller]
fn wrong<T: std::fmt::Debug>(result: Result<T, String>, message: &str) {
    let error = result.expect_err("it is accepted");
    assert!(error.contains(message), "no '{message}' in '{error}'");
}

#[test]
fn the_object_that_the_others_are_made_of_is_right() {
    assert_eq!(run(&good(), "k"), GOOD);
}

/// The larger size of kernarg counts. An argument outside both is a mistake of the metadata.
#[test]
fn sizes_that_contradict_each_other() {
    let with = |in_descriptor: u32, in_metadata: u64, args: &[(&str, u64, u64)]| {
        let mut elf = good();
        elf.segments[0].2 = descriptor(0, in_descriptor, (CODE - DESCRIPTOR) as i64);
        elf.notes = vec![metadata(&[Listed("k", "k.kd", in_metadata, args)])];
        run(&elf, "k")
    };
    for (in_descriptor, in_metadata) in [(16, 0), (0, 16), (4, 16), (16, 4), (0x10000, 1)] {
        assert_eq!(with(in_descriptor, in_metadata, &ARGS), GOOD, "{in_descriptor} {in_metadata}");
    }
    wrong(
        with(8, 12, &ARGS),
        "argument 1 (unnamed) lies outside the kernarg segment of 12 bytes: the metadata is wrong",
    );
    wrong(with(16, u64::MAX, &ARGS), "no room for the kernarg segment of 18446744073709551615 bytes");
    wrong(with(u32::MAX, 0, &ARGS), "no room for the kernarg segment of 4294967295 bytes");
    wrong(with(16, 16, &[("by_value", u64::MAX - 3, 8), ARGS[1]]), "kernel 0 of the metadata: argument 0: absurd size");
    wrong(with(16, 16, &[("by_value", 0, u64::MAX), ARGS[1]]), "argument 0 (unnamed)");
    wrong(with(16, 16, &[("by_value", 0, 0), ARGS[1]]), "argument 0: no size");
    wrong(with(16, 16, &[("pointer", 0, 4), ARGS[1]]), "argument 0: unknown kind pointer");
    wrong(with(16, 16, &ARGS[..1]), "the kernel takes 1 argument (unnamed), not 2");
    // Arguments that overlap: the later one overwrites the earlier.
    assert_eq!(with(16, 16, &[("by_value", 8, 4), ARGS[1]]), GOOD);
}

/// The metadata has names and symbols that the object does not have, or has some twice.
#[test]
fn kernels_that_the_metadata_invents() {
    let with = |kernels: &[Listed<'_>]| Elf { notes: vec![metadata(kernels)], ..good() };
    wrong(parse(&with(&[Listed("k", "x.kd", 16, &ARGS)])), "kernel 'k' of the metadata has no symbol 'x.kd'");
    wrong(parse(&with(&[Listed("k", "none", 16, &ARGS)])), "kernel 'k' of the metadata has no symbol 'none'");
    wrong(parse(&with(&[Listed("", "k.kd", 16, &ARGS)])), "no name or no symbol");
    // Several kernels may have one descriptor. Of two kernels with one name the first counts.
    let twice = with(&[Listed("a", "k.kd", 16, &ARGS), Listed("a", "k.kd", 16, &[]), Listed("b", "k.kd", 16, &ARGS)]);
    assert_eq!(parse(&twice).unwrap().kernels.len(), 3);
    assert_eq!((run(&twice, "a"), run(&twice, "b")), (GOOD, GOOD));
    wrong(run(&twice, "k"), "there is no kernel 'k'; the object has a, a, b");
    // Any symbol is read as a descriptor.
    wrong(parse(&with(&[Listed("k", "data", 16, &ARGS)])), "the descriptor of 'k' at 0x4008 is not in the image");
    // Without metadata there is a kernel too, and its arguments are placed by their sizes.
    assert_eq!(run(&Elf { notes: Vec::new(), ..good() }, "k"), GOOD);
    // The message does not list all of very many names.
    let mut many = good();
    many.symbols.extend((0..1000).map(|i| (format!("s{i}.kd"), DESCRIPTOR, true)));
    let error = run(&many, "none").unwrap_err();
    assert!(error.ends_with(" and 981 more") && error.len() < 1000, "{error}");
}

/// Notes are read once. Of two notes with metadata the first counts, and what comes behind the notes that fit the file
/// is left out.
#[test]
fn notes_of_any_number() {
    let note = good().notes.remove(0);
    assert_eq!(run(&Elf { notes: vec![note.clone(), note.clone()], ..good() }, "k"), GOOD);
    assert_eq!(run(&Elf { note_headers: 2, ..good() }, "k"), GOOD);
    let start = Instant::now();
    let long = [note, vec![0; 1 << 20]].concat();
    let endless = Elf { notes: vec![long], note_headers: 65_000, ..good() };
    assert_eq!(run(&endless, "k"), GOOD);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// Descriptors and code may lie in any segment that has their bytes; code only where it may be executed.
#[test]
fn kernels_inside_other_sections() {
    let place = |at: u64, entry: i64, elf: &mut Elf, segment: usize| {
        elf.segments[segment].2.extend(vec![0; 0x100]);
        let bytes = descriptor(0, 16, entry);
        let offset = (at - elf.segments[segment].0) as usize;
        elf.segments[segment].2.splice(offset..offset + 64, bytes);
        elf.segments[segment].3 = elf.segments[segment].2.len() as u64;
        elf.symbols[0].1 = at;
    };
    // The places are in writable data; in code, after the instructions; and at an odd address.
    for (segment, at) in [(2, DATA + 8), (1, CODE + 68), (2, DATA + 9)] {
        let mut elf = good();
        place(at, CODE as i64 - at as i64, &mut elf, segment);
        assert_eq!(run(&elf, "k"), GOOD, "{at:#x}");
    }
    let entered = |entry: i64| {
        let mut elf = good();
        elf.segments[0].2 = descriptor(0, 16, entry);
        elf
    };
    for (entry, place) in [
        (0i64, "0x1000"),
        ((DATA - DESCRIPTOR) as i64, "0x4008"),
        ((CODE - DESCRIPTOR) as i64 + 2, "0x2002"),
        ((CODE - DESCRIPTOR) as i64 + 68, "0x2044"),
        (-0x1001, "0xffffffffffffffff"),
        (i64::MIN, "0x8000000000001000"),
        (i64::MAX, "0x8000000000000fff"),
    ] {
        wrong(parse(&entered(entry)), &format!("kernel 'k' begins at {place}, which is no code"));
    }
    // A kernel of only the last instruction.
    assert_eq!(run(&entered((CODE - DESCRIPTOR) as i64 + 64), "k"), Ok((Outcome::Ended, [0, 0])));
    // Descriptors that lack bytes, or are only in memory and not in the file.
    for at in [DESCRIPTOR + 1, DATA + 8, DATA, 0, u64::MAX, u64::MAX - 63, 1 << 63] {
        let mut elf = good();
        elf.symbols[0].1 = at;
        wrong(parse(&elf), &format!("the descriptor of 'k' at {at:#x} is not in the image"));
    }
    // Zeros that are only in memory are code: v_cndmask_b32 v0, s0, v0, up to the end.
    let mut zeros = entered((CODE - DESCRIPTOR) as i64 + 68);
    zeros.segments[1].3 = 0x100;
    let (outcome, stored) = run(&zeros, "k").unwrap();
    assert_eq!((outcome.detail().unwrap().kind, stored), ("pc-out-of-range", [0, 0]));
}

#[test]
fn segments_that_cannot_be() {
    let with = |segment: (u64, u32, Vec<u8>, u64)| {
        let mut elf = good();
        elf.segments.push(segment);
        elf
    };
    wrong(parse(&with((CODE + 60, READ, vec![0; 8], 8))), "two segments overlap at 0x203c");
    wrong(parse(&with((0, READ, vec![], CODE))), "two segments overlap at 0x1000");
    wrong(parse(&with((0x8000, READ, vec![0; 8], 7))), "a segment of 0x7 bytes at 0x8000 is absurd");
    wrong(parse(&with((1 << 32, READ, vec![], 1))), "is absurd");
    wrong(parse(&with((u64::MAX, READ, vec![], 8))), "is absurd");
    wrong(parse(&with((0x8000, READ, vec![], u64::MAX))), "is absurd");
    let mut past = good().bytes();
    past[64 + 8..64 + 16].copy_from_slice(&(u64::MAX - 8).to_le_bytes());
    wrong(CodeObject::parse(&past.into()).map_err(|error| error.to_string()), "a segment exceeds the file");
    // A segment with a gigabyte of code that is not in the file.
    wrong(run(&with((0x1_0000, EXECUTE, vec![], 1 << 30)), "k"), "no room for a segment of code of 1073741824 bytes");
    // An empty segment, and one of a few million zeros, work.
    assert_eq!(run(&with((0x8000, WRITE, vec![], 0)), "k"), GOOD);
    assert_eq!(run(&with((0x8000, WRITE, vec![], 5_000_000)), "k"), GOOD);
}

/// Relocations of code, data and descriptors.
#[test]
fn relocations_anywhere() {
    let with = |relocations: &[(u64, u32, u32, i64)]| Elf { relocations: relocations.to_vec(), ..good() };
    let image = {
        let spec = LaunchSpec::new("k", &[1], &[1]).unwrap().args([ArgValue::u32(0), ArgValue::Null]);
        launch(&parse(&good()).unwrap(), &spec, &DispatchOptions::default()).unwrap().placed.addresses.image
    };
    // R_AMDGPU_ABS32_LO, ABS32_HI, ABS64, ABS32, RELATIVE64: in the literal of the code, and in the data.
    let low = |address: u64| (image + address) as u32;
    for (relocations, stored) in [
        (&[(CODE + 16, 1, 2, 4)][..], [low(DATA + 4), 0x0403_0201]),
        (&[(CODE + 16, 2, 2, 4)], [0, 0x0403_0201]),
        (&[(DATA, 3, 2, -1)], [0x1234, low(DATA - 1)]),
        (&[(DATA, 13, 0, 0x77)], [0x1234, low(0x77)]),
        (&[(DATA + 8, 13, 0, 0x77)], [0x1234, 0x0403_0201]),
        // Relocations that overlap: the later one wins.
        (&[(DATA, 13, 0, 0x77), (DATA, 6, 1, 0)], [0x1234, low(DESCRIPTOR)]),
        (&[(DATA, 6, 1, 0), (DATA - 4 + 4, 13, 0, 0x77), (DATA, 0, 9, 0)], [0x1234, low(0x77)]),
    ] {
        assert_eq!(run(&with(relocations), "k"), Ok((Outcome::Ended, stored)), "{relocations:x?}");
    }
    // A descriptor is read before relocations are applied, so a relocation there changes only memory.
    assert_eq!(run(&with(&[(DESCRIPTOR + 16, 3, 2, 0), (DESCRIPTOR + 48, 13, 0, -1)]), "k"), GOOD);
    for place in [DATA - 1, DATA + 9, DATA + 16, CODE - 4, CODE + 61, 0, u64::MAX, u64::MAX - 7, 1 << 63] {
        wrong(parse(&with(&[(place, 13, 0, 0)])), &format!("place {place:#x} is not in the image"));
    }
    wrong(parse(&with(&[(DATA, 3, 3, 0)])), "symbol 'none' is not defined");
    wrong(parse(&with(&[(DATA, 3, 4, 0)])), "there is no symbol 4");
    wrong(parse(&with(&[(DATA, 3, u32::MAX, 0)])), "there is no symbol 4294967295");
    wrong(parse(&with(&[(DATA, 10, 2, 0)])), "type 10 is for linkers");
    wrong(parse(&with(&[(DATA, u32::MAX, 2, 0)])), "type 4294967295 is for linkers");
}

/// Sixty thousand sections that share their relocations would stand for far more than the file's size.
#[test]
fn relocations_of_any_number() {
    let start = Instant::now();
    let relocations = vec![(DATA, 13, 0, 5); 20_000];
    let elf = Elf { relocations, relocation_sections: 60_000, ..good() };
    wrong(parse(&elf), "more relocations than the file has room for");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // Relocations that have bytes of their own in the file are applied.
    let elf = Elf { relocations: vec![(DATA, 13, 0, 5); 20_000], ..good() };
    assert_eq!(run(&elf, "k").unwrap().0, Outcome::Ended);
}

/// In a segment that is both writable and executable, stores change memory, but the loaded code still runs.
#[test]
fn code_that_writes_over_itself() {
    let mut elf = good();
    let words: Vec<u8> = [
        0xbe88_1c00u32,
        0x8008_8808, // s_getpc_b64 s[8:9]; s_add_u32 s8, s8, 8
        0xc042_0604,
        28, // s_store_dword s24, s[8:9], 0x1c: 0 over the s_endpgm
        0xbf80_0000,
        0xbf80_0000,
        0xbf80_0000,
        0xbf80_0000,
        0xbf80_0000,
        0xbf80_0000,
        0xbf81_0000,
    ]
    .iter()
    .flat_map(|word| word.to_le_bytes())
    .collect();
    (elf.segments[1].3, elf.segments[1].2) = (words.len() as u64, words);
    let (outcome, _) = run(&elf, "k").unwrap();
    assert_eq!(outcome.detail().map(|detail| (detail.kind, detail.mnemonic)), Some(("memory", Some("s_store_dword"))));
    elf.segments[1].1 = READ | WRITE | EXECUTE;
    assert_eq!(run(&elf, "k"), Ok((Outcome::Ended, [0, 0])));
}
