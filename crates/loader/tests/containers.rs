//! Files of corpus/containers: logs that RADV wrote, with the driver's own code beside them, and captures and shaders
//! that a script made byte by byte.

use gcnsim_isa::Arch;
use gcnsim_loader::{Entry, FileBytes, FileKind, Loaded, Reading, Stage, file_parts, parse, parse_as};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../corpus/containers/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn load(name: &str) -> Loaded {
    parse(FileBytes::from(file(name))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn error(bytes: Vec<u8>) -> String {
    parse(FileBytes::from(bytes)).map(|loaded| loaded.entries.len()).unwrap_err().to_string()
}

fn names(loaded: &Loaded) -> Vec<(&str, Option<Stage>)> {
    loaded.entries.iter().map(|entry| (entry.kernel.as_deref().unwrap(), entry.shader.stage)).collect()
}

fn named<'l>(loaded: &'l Loaded, name: &str) -> &'l Entry {
    loaded.entries.iter().find(|entry| entry.kernel.as_deref() == Some(name)).unwrap()
}

/// The log is text, and the code beside it is what the driver keeps in its cache of pipelines.
#[test]
fn logs_hold_the_code_of_the_driver() {
    for (log, code, shader, target) in [
        ("constants-gfx900.log", "constants-gfx900.pixel.bin", "pixel-0", "gfx900"),
        ("repeated-gfx803.log", "repeated-gfx803.pixel.bin", "pixel-0", "gfx803"),
        ("tessellation-gfx900.log", "tessellation-gfx900.pixel.bin", "pixel-0", "gfx900"),
        ("tessellation-gfx900.log", "tessellation-gfx900.evaluation.bin", "evaluation-0", "gfx900"),
        ("tessellation-gfx900.log", "tessellation-gfx900.hull.bin", "hull-0", "gfx900"),
    ] {
        let loaded = load(log);
        let entry = named(&loaded, shader);
        assert_eq!(entry.code.as_ref(), file(code), "{log}: {shader}");
        assert_eq!((entry.target, loaded.kind), (Some(target), FileKind::Text), "{log}");
    }
    let stages =
        [("pixel-0", Some(Stage::Pixel)), ("evaluation-0", Some(Stage::Evaluation)), ("hull-0", Some(Stage::Hull))];
    assert_eq!(names(&load("tessellation-gfx900.log")), stages);
}

/// Each shader has addresses of its own, and constants are no code.
#[test]
fn logs_are_objects_with_a_section_for_each_shader() {
    let loaded = load("constants-gfx900.log");
    let object = loaded.objects(0).unwrap().remove(0);
    let sections: Vec<_> = object.sections.iter().map(|s| (s.name.as_str(), s.address, s.areas.len())).collect();
    assert_eq!(sections, [("pixel-0", 0, 2), ("vertex-0", 0x100, 1)]);
    // 30 dwords of code, then 32 of constants.
    let pixel = &object.sections[0];
    assert_eq!((pixel.areas[0].range.clone(), pixel.areas[1].range.clone()), (0..0x78, 0x78..0xf8));
    assert_eq!((pixel.areas[0].kind.is_code(), pixel.areas[1].kind.is_code()), (true, false));
    let second = named(&loaded, "vertex-0");
    let program = second.program(Arch::Gcn14);
    assert_eq!((program.base(), program.entry(), second.file_offset), (0x100, 0x100, 0x100));
}

#[test]
fn a_log_without_code_says_why() {
    let text = error(file("no-code-gfx601.log"));
    assert!(text.contains("without code words") && text.contains("clrxdisasm"), "{text}");
    // --raw takes the text as dwords.
    let raw = parse_as(FileBytes::from(vec![b' '; 16]), Reading::default().raw()).unwrap();
    assert_eq!(raw.kind, FileKind::Raw);
}

#[test]
fn shaders_without_elf_files_are_no_parts() {
    for name in ["constants-gfx900.log", "compute-gfx700.sb", "vertex-memory-gfx700.bin"] {
        let text = file_parts(&FileBytes::from(file(name))).map(|parts| parts.len()).unwrap_err().to_string();
        assert_eq!(text, "holds shaders without ELF files around them: there are no code objects to extract", "{name}");
    }
}

#[test]
fn captures_have_the_stages_of_all_pipelines() {
    let loaded = load("pipelines-gfx900.rgp");
    assert_eq!(loaded.kind, FileKind::Container);
    let expected = [
        ("_amdgpu_vs_main", Some(Stage::Vertex)),
        ("_amdgpu_ps_main", Some(Stage::Pixel)),
        ("_amdgpu_cs_main", Some(Stage::Compute)),
    ];
    assert_eq!(names(&loaded), expected);
    let parts: Vec<_> = loaded.entries.iter().map(|entry| entry.part.as_ref().unwrap().name.as_str()).collect();
    assert_eq!(parts, ["pipeline 0", "pipeline 0", "pipeline 1"]);
    // No registers are stated.
    assert!(loaded.entries.iter().all(|entry| entry.shader.rsrc1.is_none() && entry.target == Some("gfx900")));
    let bytes = file("pipelines-gfx900.rgp");
    for entry in &loaded.entries {
        let at = entry.file_offset as usize;
        assert_eq!(entry.code.as_ref(), &bytes[at..at + entry.code.as_ref().len()]);
    }
}

/// The chunk of code objects begins at 56 + 16 + 96.
#[test]
fn broken_captures_are_refused_with_the_place() {
    let changed = |at: usize, value: u32| {
        let mut bytes = file("pipelines-gfx900.rgp");
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        error(bytes)
    };
    assert!(changed(16, 0xffff_fff0).ends_with("bytes, at offset 0x10"), "{}", changed(16, 0xffff_fff0));
    for size in [0, 15, 0x7fff_ffff, 0xffff_ffff] {
        assert!(changed(56 + 8, size).ends_with("at offset 0x38"), "{size:#x}: {}", changed(56 + 8, size));
    }
    let chunk = 56 + 16 + 96;
    assert!(changed(chunk + 8, 20).ends_with("at offset 0xa8"), "{}", changed(chunk + 8, 20));
    // The chunk states 0xae8 bytes, so it ends at 0xb90.
    let exceeds = |number, at| {
        format!("broken RGP capture: code object {number} exceeds its chunk of 0xae8 bytes, at offset {at:#x}")
    };
    assert_eq!(changed(chunk + 28, 3), exceeds(2, 0xb90));
    assert_eq!(changed(chunk + 32, 0xffff_fffc), exceeds(0, 0xc8));
    assert!(changed(chunk + 28, 0).contains("it has no code objects"), "{}", changed(chunk + 28, 0));
    let whole = file("pipelines-gfx900.rgp");
    for length in 5..whole.len() {
        let _ = parse(FileBytes::from(whole[..length].to_vec())).map(|_| ()).map_err(|error| error.to_string());
    }
    assert!(error(whole[..whole.len() - 1].to_vec()).contains("a chunk of 0x30 bytes"));
}

/// The registers are those that the script writes.
#[test]
fn shaders_of_a_console_have_their_registers() {
    let loaded = load("compute-gfx700.sb");
    assert_eq!((loaded.kind, names(&loaded)), (FileKind::Console, vec![("compute", Some(Stage::Compute))]));
    let compute = &loaded.entries[0];
    assert_eq!((compute.target, compute.arch), (Some("gfx700"), Some(Arch::Gcn11)));
    assert_eq!((compute.shader.rsrc1, compute.shader.rsrc2), (Some(0x002c_0040), Some(0x86)));
    assert_eq!((compute.shader.group, compute.shader.user_sgpr_count(Arch::Gcn11)), (Some([64, 1, 1]), Some(3)));
    let neo = load("pixel-neo-gfx803.sb");
    assert_eq!((neo.entries[0].target, names(&neo)), (Some("gfx803"), vec![("pixel", Some(Stage::Pixel))]));
    assert!(neo.entries[0].shader.ps_input_addr.is_some());
    let vertex = load("vertex-fetch-gfx700.sb");
    let entry = &vertex.entries[0];
    assert_eq!((entry.shader.stage, entry.shader.scratch_bytes_per_lane), (Some(Stage::Vertex), Some(12)));
    // 8 bytes before the code of 24; behind it the tables and the info, which are no code.
    let object = vertex.objects(0).unwrap().remove(0);
    assert_eq!(object.sections[0].areas[0].range, 0..32);
    assert_eq!((entry.file_offset, entry.program(Arch::Gcn11).word(0)), (64, Some(0xbeeb_03ff)));
}

/// Memory holds the code and the info behind it, without a header.
#[test]
fn memory_of_a_console_is_recognised_by_its_info() {
    let loaded = load("vertex-memory-gfx700.bin");
    assert_eq!((loaded.kind, names(&loaded)), (FileKind::Console, vec![("vertex", Some(Stage::Vertex))]));
    assert_eq!((loaded.entries[0].arch, loaded.entries[0].shader.rsrc1), (Some(Arch::Gcn11), None));
    let bytes = file("vertex-memory-gfx700.bin");
    // Without the info it is raw code.
    let raw = parse(FileBytes::from(bytes[..32].to_vec())).unwrap();
    assert_eq!(raw.kind, FileKind::Raw);
}

#[test]
fn broken_shaders_of_a_console_are_refused_with_the_place() {
    let whole = file("vertex-fetch-gfx700.sb");
    let changed = |at: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[at] = value;
        error(bytes)
    };
    assert_eq!(changed(8, 9), "broken PlayStation 4 shader: 9 is no stage (1 to 7) at offset 0x8");
    assert!(changed(25, 0xff).contains("code at 0xff30 behind the header, outside of the file, at offset 0x18"));
    // The header states 0x44 bytes; the code begins at 0x40, and the file ends with them.
    let cut = "broken PlayStation 4 shader: 68 bytes of code and tables, of which 67 are there, at offset 0x10";
    assert_eq!((error(whole[..131].to_vec()).as_str(), whole.len()), (cut, 132));
    // In memory, tables may lie elsewhere.
    let mut memory = whole[..131].to_vec();
    memory[28..32].copy_from_slice(&[0; 4]);
    assert_eq!(parse(FileBytes::from(memory)).unwrap().entries.len(), 1);
    // The length in the info, in bytes.
    let info = whole.windows(7).position(|window| window == b"OrbShdr").unwrap();
    assert!(changed(info + 10, 0xff).contains("bytes of code, of which"), "{}", changed(info + 10, 0xff));
    for length in 4..whole.len() {
        let _ = parse(FileBytes::from(whole[..length].to_vec())).map(|_| ()).map_err(|error| error.to_string());
    }
}

/// Any byte may be wrong: that is an error or another shader, but no panic.
#[test]
fn damage_is_no_panic() {
    for name in ["pipelines-gfx900.rgp", "vertex-fetch-gfx700.sb", "pixel-neo-gfx803.sb", "constants-gfx900.log"] {
        let whole = file(name);
        for at in (0..whole.len()).step_by(1 + whole.len() / 1500) {
            for value in [0, 0x20, 0x39, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                if let Ok(loaded) = parse(FileBytes::from(bytes)) {
                    let _ = loaded.objects(0).map(|objects| objects.len());
                }
            }
        }
    }
}
