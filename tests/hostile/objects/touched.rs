//! Objects that tools have touched: without notes, section headers, symbols or the name of their chip. They run, and
//! listings find the same kernels.
// All functions that change a file have one type.
#![allow(clippy::ptr_arg)]

use gcnsim_device::args::ArgValue;
use gcnsim_isa::Arch;
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, launch};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::scan::scan_object;
use gcnsim_loader::{FileBytes, Reading, parse_as};

const OBJECTS: [(&str, Arch); 6] = [
    ("v2-gfx700.co", Arch::Gcn11),
    ("v2-gfx803.co", Arch::Gcn12),
    ("v3-gfx900.co", Arch::Gcn14),
    ("v4-gfx906.co", Arch::Gcn141),
    ("v5-gfx900.co", Arch::Gcn14),
    ("v6-gfx900.co", Arch::Gcn14),
];

const PT_DYNAMIC: u32 = 2;
const PT_NOTE: u32 = 4;
const DT_HASH: u64 = 4;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

fn u64_at(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}

/// Returns the program headers: their offset, their type, and their range of the file.
fn programs(file: &[u8]) -> Vec<(usize, u32, std::ops::Range<usize>)> {
    let count = u16::from_le_bytes([file[56], file[57]]) as usize;
    let header = |i: usize| {
        let at = u64_at(file, 32) as usize + 56 * i;
        let offset = u64_at(file, at + 8) as usize;
        (at, u32_at(file, at), offset..offset + u64_at(file, at + 32) as usize)
    };
    (0..count).map(header).collect()
}

fn of_kind(file: &[u8], wanted: u32) -> Vec<(usize, std::ops::Range<usize>)> {
    programs(file).into_iter().filter(|(_, kind, _)| *kind == wanted).map(|(at, _, range)| (at, range)).collect()
}

fn zero_notes(file: &mut Vec<u8>) {
    of_kind(file, PT_NOTE).into_iter().for_each(|(_, range)| file[range].fill(0));
}

fn no_note_header(file: &mut Vec<u8>) {
    of_kind(file, PT_NOTE).into_iter().for_each(|(at, _)| file[at..at + 4].fill(0));
}

fn no_dynamic(file: &mut Vec<u8>) {
    of_kind(file, PT_DYNAMIC).into_iter().for_each(|(at, _)| file[at..at + 4].fill(0));
}

/// Replaces these tags of the dynamic table by an unknown one.
fn no_tags(file: &mut [u8], tags: &[u64]) {
    for (_, range) in of_kind(file, PT_DYNAMIC) {
        for at in range.step_by(16) {
            if tags.contains(&u64_at(file, at)) {
                file[at..at + 8].copy_from_slice(&0x6fff_fef0u64.to_le_bytes());
            }
        }
    }
}

fn no_hash(file: &mut Vec<u8>) {
    no_tags(file, &[DT_HASH]);
}

fn no_hashes(file: &mut Vec<u8>) {
    no_tags(file, &[DT_HASH, DT_GNU_HASH]);
}

fn no_section_headers(file: &mut Vec<u8>) {
    file[0x28..0x30].fill(0);
    file[0x3a..0x40].fill(0);
}

fn zero_section_headers(file: &mut Vec<u8>) {
    let (at, count) = (u64_at(file, 0x28) as usize, u16::from_le_bytes([file[0x3c], file[0x3d]]) as usize);
    if at > 0 {
        file[at..at + 64 * count].fill(0);
    }
}

/// Cuts the file after the last segment.
fn cut_behind_segments(file: &mut Vec<u8>) {
    no_section_headers(file);
    let end = programs(file).into_iter().map(|(.., range)| range.end).max().unwrap();
    file.truncate(end);
}

fn no_machine(file: &mut Vec<u8>) {
    file[18..20].fill(0);
}

fn no_flags(file: &mut Vec<u8>) {
    file[48..52].fill(0);
}

/// Spoils the names of descriptors in all tables of names.
fn no_descriptor_names(file: &mut Vec<u8>) {
    for at in 0..file.len() - 4 {
        if file[at..].starts_with(b".kd\0") {
            file[at] = b'_';
        }
    }
}

const EDITS: [fn(&mut Vec<u8>); 11] = [
    no_machine,
    no_flags,
    zero_notes,
    no_note_header,
    no_dynamic,
    no_hash,
    no_hashes,
    no_descriptor_names,
    zero_section_headers,
    no_section_headers,
    cut_behind_segments,
];

fn object(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/corpus/elf/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Launches the first kernel, which stores its second argument plus 7. Checks that listings find the same kernels.
#[track_caller]
fn check(what: &str, file: Vec<u8>, arch: Arch) {
    let file = FileBytes::from(file);
    let object = CodeObject::choose(&file, Some(arch)).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!((object.arch, object.kernels.len()), (arch, 2), "{what}");
    let kernel = &object.kernels[0];
    let spec = LaunchSpec::new(&kernel.name, &[1], &[1]).unwrap();
    let spec = spec.args([ArgValue::buffer("out"), ArgValue::u32(5)]).buffer("out", vec![0; 4]);
    let result = launch(&object, &spec, &DispatchOptions::default()).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(result.buffer("out"), Some(12u32.to_le_bytes().to_vec()), "{what}");
    let notes = result.run.notes.codes();
    assert_eq!(notes.contains(&"kernarg-guessed"), kernel.metadata.is_none(), "{what}: {notes:?}");

    let loaded = parse_as(file, Reading::default().arch(arch)).unwrap();
    let names: Vec<_> = loaded.entries.iter().map(|entry| entry.kernel.as_deref().unwrap()).collect();
    let launched: Vec<_> = object.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, launched, "{what}");
    for object in loaded.objects(0).unwrap() {
        let scan = scan_object(&object, arch);
        assert_eq!((scan.kernels.len(), scan.reachable().count()), (2, 0), "{what}");
    }
}

#[test]
fn what_tools_take_away_is_made_up() {
    for (name, arch) in OBJECTS {
        for (i, first) in EDITS.iter().enumerate() {
            for (j, second) in EDITS.iter().enumerate().skip(i) {
                let mut file = object(name);
                first(&mut file);
                second(&mut file);
                check(&format!("{name}, edits {i} and {j}"), file, arch);
            }
        }
        let mut file = object(name);
        [zero_notes, no_dynamic, no_machine, no_flags, cut_behind_segments].iter().for_each(|edit| edit(&mut file));
        check(name, file, arch);
    }
}

/// Names of kernels come from the dynamic table, from the metadata, or from addresses.
#[test]
fn kernels_keep_their_names_if_anything_has_them() {
    let names = |edits: &[fn(&mut Vec<u8>)]| {
        let mut file = object("v3-gfx900.co");
        edits.iter().for_each(|edit| edit(&mut file));
        let loaded = gcnsim_loader::parse(file.into()).unwrap();
        let names = loaded.entries.iter().map(|entry| entry.kernel.clone().unwrap());
        (names.collect::<Vec<_>>().join(" "), loaded.remark.unwrap_or_default())
    };
    let whole = "first second".to_owned();
    assert_eq!(names(&[]), (whole.clone(), String::new()));
    let (found, remark) = names(&[cut_behind_segments, zero_notes]);
    assert_eq!((&found, remark.as_str()), (&whole, "no section headers: symbols are those of the dynamic table"));
    let (found, remark) = names(&[cut_behind_segments, no_dynamic]);
    assert_eq!(found, whole);
    assert!(remark.ends_with("no symbols of kernels: 2 kernels found by descriptors"), "{remark}");
    let (found, _) = names(&[cut_behind_segments, no_dynamic, zero_notes]);
    assert!(found.starts_with("kernel_") && found.contains(" kernel_"), "{found}");
}

/// An object that does not name its chip needs `--arch`, unless something else in it shows the chip.
#[test]
fn the_chip_of_the_file_comes_first() {
    let chip = |name: &str, edits: &[fn(&mut Vec<u8>)], arch: Option<Arch>| {
        let mut file = object(name);
        edits.iter().for_each(|edit| edit(&mut file));
        CodeObject::choose(&file.into(), arch).map(|object| object.chip).map_err(|error| error.to_string())
    };
    assert_eq!(chip("v4-gfx906.co", &[no_flags, no_machine], None), Ok("gfx906"));
    let error = chip("v3-gfx900.co", &[no_flags], None).unwrap_err();
    assert!(error.contains("e_flags 0; --arch says which"), "{error}");
    assert_eq!(chip("v3-gfx900.co", &[no_flags], Some(Arch::Gcn12)), Ok("gfx803"));
    assert_eq!(chip("v3-gfx900.co", &[no_machine], None), Ok("gfx900"));
}

/// Objects that have to be restored and are damaged, too.
#[test]
fn damage_to_touched_objects_never_panics() {
    for (name, arch) in [OBJECTS[1], OBJECTS[2]] {
        for edits in [&[cut_behind_segments as fn(&mut Vec<u8>)][..], &[cut_behind_segments, no_dynamic, no_flags]] {
            let mut file = object(name);
            edits.iter().for_each(|edit| edit(&mut file));
            for at in 4..file.len() {
                for value in [0, 1, 0x7f, 0xff] {
                    let mut damaged = file.clone();
                    damaged[at] = value;
                    let damaged = FileBytes::from(damaged);
                    let _ = CodeObject::choose(&damaged, Some(arch));
                    if let Ok(loaded) = parse_as(damaged, Reading::default().arch(arch)) {
                        loaded.objects(0).unwrap().iter().for_each(|object| drop(scan_object(object, arch)));
                    }
                }
            }
        }
    }
}
