//! `disasm` of files lists every byte of code once, under its symbol. Numbers of instructions are those of llvm-objdump
//! 14 without padding; sizes and addresses are those of llvm-readelf (corpus/elf/README.md).

use crate::common;

use std::collections::BTreeMap;

use common::{Bench, END, SUM, elf};
use serde_json::{Value, json};

#[test]
fn raw_files() {
    let bench = Bench::new();
    bench.words("x.bin", &[0xbe80_00ff, 0x1234_5678, SUM[2], 0xbf85_fffc, 0xbeff_ffff, END, 0xbe80_00ff]);
    let ran = bench.run("disasm --arch gcn1.2 x.bin");
    let expected = "\
; x.bin (gcn1.2)
L0:
000000000000: be8000ff 12345678  s_mov_b32 s0, 0x12345678
000000000008: bf078000           s_cmp_lg_u32 s0, 0
00000000000c: bf85fffc           s_cbranch_scc1 65532  ; -> L0
000000000010: beffffff           .long 0xbeffffff  ; illegal-instruction: no such opcode on this generation
000000000014: bf810000           s_endpgm
000000000018: be8000ff           .long 0xbe8000ff  ; truncated: the second dword is missing
";
    assert_eq!(ran.stdout, expected);
    ran.fails(1, "x.bin: 2 dwords in code: no instruction");
    bench.words("good.bin", &SUM);
    bench.run("disasm good.bin").fails(0, "good.bin: architecture not stated, taken as gcn1.4");
}

#[test]
fn code_objects() {
    let bench = Bench::new();
    bench.file("x.co", elf("v3-gfx900.co"));
    let ran = bench.run("disasm x.co");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let start = "; x.co (gfx900, code object v3)\n; section .text: 0x104 bytes at 0x1700, file offset 0x700\n\n\
                 ; kernel first (gfx900), file offset 0x700\n000000001700: c0020082 00000008  s_load_dword s2,";
    assert!(ran.stdout.starts_with(start), "{}", ran.stdout);
    let end = "000000001800: bf810000           s_endpgm\n";
    assert!(ran.stdout.ends_with(&format!("\n; kernel second (gfx900), file offset 0x800\n{end}")), "{}", ran.stdout);
}

/// Returns the number of instructions of each area of code, by name.
fn instructions(object: &Value) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for area in object["sections"][0]["areas"].as_array().unwrap() {
        let lines = area["lines"].as_array().unwrap();
        let is_code = ["kernel", "function", "label", "code"].contains(&area["kind"].as_str().unwrap());
        if is_code {
            *found.entry(area["names"][0].as_str().unwrap_or_default().to_owned()).or_insert(0) += lines.len();
        }
    }
    found
}

/// Checks that the lines cover all bytes at their addresses, in order and without gaps.
fn assert_complete(object: &Value) {
    let number = |value: &Value| u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    for section in object["sections"].as_array().unwrap() {
        let mut at = number(&section["address"]);
        let end = at + section["size"].as_u64().unwrap();
        for area in section["areas"].as_array().unwrap() {
            assert_eq!(number(&area["address"]), at, "{area}");
            for line in area["lines"].as_array().unwrap() {
                assert_eq!(number(&line["pc"]), at, "{line}");
                let text = line["text"].as_str().unwrap();
                at += match text.strip_prefix(".fill ") {
                    Some(fill) => 4 * fill.split_once(',').unwrap().0.parse::<u64>().unwrap(),
                    None if text.starts_with(".byte") => 1 + text.matches(',').count() as u64,
                    None => 4 * line["words"].as_array().unwrap().len() as u64,
                };
            }
        }
        assert_eq!(at, end, "{section}");
    }
}

#[test]
fn every_byte_of_code_is_listed_once() {
    let bench = Bench::new();
    for (name, expected) in [
        ("calls-v4-gfx900.co", [("helper", 21), ("twice", 27), ("uses_one", 17), ("uses_two", 17)]),
        ("calls-v2-gfx803.co", [("helper", 22), ("twice", 27), ("uses_one", 19), ("uses_two", 19)]),
        ("calls-v4-gfx900.o", [("helper", 21), ("twice", 27), ("uses_one", 17), ("uses_two", 17)]),
    ] {
        bench.file(name, elf(name));
        let ran = bench.run(&format!("disasm --json {name}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let json = ran.json();
        assert_eq!((&json["schema"], &json["files"][0]["file"]), (&json!("gcnsim.disasm.v1"), &json!(name)));
        let object = &json["files"][0]["objects"][0];
        assert_complete(object);
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(instructions(object), BTreeMap::from(expected), "{name}");
    }
    for name in
        ["pal-gfx900.o", "v2-gfx700.co", "v6-gfx900.co", "core-gfx906.co", "pointers-gfx900.co", "mixed-gfx900.o"]
    {
        bench.file(name, elf(name));
        assert_complete(&bench.run(&format!("disasm --json {name}")).json()["files"][0]["objects"][0]);
    }
}

#[test]
fn calls_and_branches_show_symbols() {
    let bench = Bench::new();
    for name in ["calls-v4-gfx900.co", "calls-v4-gfx900.o", "calls-v2-gfx803.co"] {
        bench.file(name, elf(name));
        let ran = bench.run(&format!("disasm {name}"));
        let calls: Vec<_> = ran.stdout.lines().filter(|line| line.contains("s_swappc_b64")).collect();
        let ends: Vec<_> = calls.iter().map(|line| line.rsplit_once("; ").map_or("", |(_, name)| name)).collect();
        // The calls are those of `twice`, `uses_one` and `uses_two`.
        assert_eq!(ends, ["-> helper", "-> helper", "-> helper", "-> twice"], "{}", ran.stdout);
        assert!(ran.stdout.contains("; function helper, file offset"), "{}", ran.stdout);
        let relocations = ran.stdout.lines().filter(|line| line.contains("; R_AMDGPU_REL32_LO ")).count()
            + ran.stdout.lines().filter(|line| line.contains("; R_AMDGPU_REL32_HI ")).count();
        assert_eq!(relocations, if name.ends_with(".o") { 6 } else { 0 }, "{}", ran.stdout);
    }
    for name in ["pointers-gfx900.co", "pointers-gfx900.o"] {
        bench.file(name, elf(name));
        let ran = bench.run(&format!("disasm {name}"));
        assert!(ran.stdout.contains("s_swappc_b64 s[30:31], s[0:1]  ; -> g\n"), "{}", ran.stdout);
    }
}

#[test]
fn descriptors_padding_and_data_are_no_code() {
    let bench = Bench::new();
    bench
        .file("v2.co", elf("v2-gfx803.co"))
        .file("mixed.o", elf("mixed-gfx900.o"))
        .file("broken.o", elf("broken-gfx900.o"));
    assert_eq!(bench.run("disasm v2.co").code, 0);
    let ran = bench.run("disasm mixed.o");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let listed = "\
loop:
000000000004: 80808100           s_sub_u32 s0, s0, 1
000000000008: bf078000           s_cmp_lg_u32 s0, 0
00000000000c: bf85fffd           s_cbranch_scc1 65533  ; -> loop
000000000010: bf82000b           s_branch 11  ; -> after

; data table, file offset 0x114
000000000014: beffffff           .long 0xbeffffff
000000000018: 00000001           .long 0x00000001
00000000001c:                    .fill 5, 4, 0x2
000000000030:                    .fill 4, 4, 0xbf800000

; function after, file offset 0x140
000000000040: bf810000           s_endpgm
";
    assert!(ran.stdout.contains(listed), "{}", ran.stdout);
    bench.run("disasm broken.o").fails(1, "broken.o: 1 dword in code: no instruction");
}

/// The expected values are those of llvm-readelf --notes for the same file.
#[test]
fn headers_on_demand() {
    let bench = Bench::new();
    bench.file("v4.co", elf("calls-v4-gfx900.co")).file("v2.co", elf("calls-v2-gfx803.co"));
    for file in ["v4.co", "v2.co"] {
        assert!(!bench.run(&format!("disasm {file}")).stdout.contains("rsrc1"));
        let ran = bench.run(&format!("disasm --headers {file}"));
        for line in [";        0     8  global_buffer global 'int*'", ";        8     4  by_value 'int'"] {
            assert!(ran.stdout.lines().any(|l| l.contains(line)), "{line} in {}", ran.stdout);
        }
        assert!(ran.stdout.contains(";     s[0:3]   private segment buffer\n"), "{}", ran.stdout);
        let json = bench.run(&format!("disasm --json {file}")).json();
        let areas = json["files"][0]["objects"][0]["sections"][0]["areas"].as_array().unwrap().clone();
        let kernel = areas.iter().find(|area| area["kind"] == "kernel").unwrap();
        assert_eq!(kernel["arguments"][1]["kind"], "by_value");
        assert_eq!((&kernel["arguments"][2]["offset"], &kernel["arguments"][2]["size"]), (&json!(12), &json!(4)));
        assert!(kernel["descriptor"]["kernarg_size"].as_u64().unwrap() >= 16, "{kernel}");
    }
}

/// The expected values are those of llvm-readelf --notes for the same file.
#[test]
fn headers_of_shaders() {
    let bench = Bench::new();
    bench.file("pal.o", elf("shaders-pal-gfx900.o"));
    let ran = bench.run("disasm --headers pal.o");
    for line in [
        ";   stage pixel, rsrc1 0x2f0000, rsrc2 0x4, ps_input_ena 0x2, ps_input_addr 0x3",
        ";   2 user SGPRs, 0 bytes of scratch a lane",
        ";   stage compute, rsrc1 0x2f0040, rsrc2 0x8b85",
        ";   2 user SGPRs, 512 bytes of LDS, 80 bytes of scratch a lane, groups of 8x8x1",
        ";   user data 0x10000000, 0x1, 0x10000003",
    ] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line} in {}", ran.stdout);
    }
    let json = bench.run("disasm --json pal.o").json();
    let areas = json["files"][0]["objects"][0]["sections"][0]["areas"].as_array().unwrap().clone();
    let shader = &areas.iter().find(|area| area["names"][0] == "_amdgpu_vs_main").unwrap()["shader"];
    assert_eq!(
        (&shader["stage"], &shader["rsrc1"], &shader["group"]),
        (&json!("vertex"), &json!("0x2f0000"), &json!(null))
    );
    assert_eq!(shader["user_data"], json!(["0x10000000", "0x1", "0x10000003"]));
}

#[test]
fn several_files_and_bundles() {
    let bench = Bench::new();
    bench.file("a.co", elf("v3-gfx900.co")).words("b.bin", &SUM).file("odd.bin", [1]);
    let ran = bench.run("disasm --arch gcn1.4 a.co b.bin");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\n\n; b.bin (gcn1.4)\nL0:\n"), "{}", ran.stdout);
    let ran = bench.run("disasm --arch gcn1.4 odd.bin b.bin");
    ran.fails(2, "odd.bin: the length, 1 bytes, is not");
    assert!(ran.stdout.starts_with("; b.bin"), "{}", ran.stdout);
    let json = bench.run("disasm --arch gcn1.4 --json a.co b.bin").json();
    let names: Vec<_> = json["files"].as_array().unwrap().iter().map(|file| file["file"].clone()).collect();
    assert_eq!(names, ["a.co", "b.bin"]);
    let parts = [("host-x86_64--", vec![]), ("hip-amdgcn-amd-amdhsa--gfx900", elf("v3-gfx900.co"))];
    bench.file("x.hipfb", bundle(&parts));
    let ran = bench.run("disasm x.hipfb");
    assert!(ran.stdout.starts_with("; x.hipfb: hip-amdgcn-amd-amdhsa--gfx900 (gfx900, code object v3)\n"), "{ran:?}");
    assert!(ran.stdout.contains("; kernel first (gfx900), file offset 0x1700\n"), "{}", ran.stdout);
    ran.fails(0, "x.hipfb: part host-x86_64-- is not read: host code");
}

fn bundle(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    out.extend((parts.len() as u64).to_le_bytes());
    let mut offset = 4096u64;
    for (name, code) in parts {
        out.extend([offset, code.len() as u64, name.len() as u64].map(u64::to_le_bytes).concat());
        out.extend(name.as_bytes());
        offset += code.len() as u64;
    }
    out.resize(4096, 0);
    parts.iter().for_each(|(_, code)| out.extend(code));
    out
}

/// Escape codes and line breaks in file names do not reach the terminal.
#[cfg(unix)]
#[test]
fn names_are_quoted() {
    let bench = Bench::new();
    let name = "a\u{1b}[31m\nb.bin";
    bench.words(name, &[0xbeff_ffff, END]);
    for arguments in ["disasm --arch gcn1.4", "scan --arch gcn1.4 --all", "explain --arch gcn1.4", "disasm", "scan"] {
        let mut command = bench.command(arguments);
        command.arg(name);
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        assert!(!text.contains(&0x1b), "{arguments}: {}", String::from_utf8_lossy(&text));
        if !arguments.starts_with("scan --arch gcn1.4") && arguments != "scan" {
            assert!(String::from_utf8_lossy(&text).contains("$'\\033'"), "{arguments}");
        }
    }
}
