//! `disasm`, `scan`, `isa` and `verify`.

mod common;

use common::{Bench, END, SUM, V_MOV, elf};
use serde_json::{Value, json};

#[test]
fn disasm_of_raw_files() {
    let bench = Bench::new();
    bench.words("x.bin", &[0xbe80_00ff, 0x1234_5678, SUM[2], 0xbf85_fffc, 0xbeff_ffff, END, 0xbe80_00ff]);
    let ran = bench.run("disasm --arch gcn1.2 x.bin");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
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
    bench.run("disasm x.bin").fails(0, "x.bin: architecture not stated, taken as gcn1.4");
}

#[test]
fn disasm_of_code_objects() {
    let bench = Bench::new();
    bench.file("x.co", elf("v3-gfx900.co"));
    let ran = bench.run("disasm x.co");
    assert!(
        ran.stdout.starts_with(
            "; kernel first (gfx900), file offset 0x700\n000000001700: c0020082 00000008  s_load_dword s2,"
        )
    );
    assert!(
        ran.stdout
            .ends_with("\n; kernel second (gfx900), file offset 0x800\n000000001800: bf810000           s_endpgm\n")
    );
}

#[test]
fn disasm_of_lines() {
    let bench = Bench::new();
    let input = b"be910324\nbe8003ff 00000001\nbe8003ff\n\nbeffffff\nbf810000 dead beef\nhello\n";
    let ran = bench.run_with_stdin("disasm --arch gfx700 --words -", input);
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(ran.code, 0);
    assert_eq!(lines.len(), 7, "{ran:?}");
    assert_eq!(lines[..2], ["4\ts_mov_b32 s17, s36", "8\ts_mov_b32 s0, 1"]);
    assert_eq!(lines[2], "0\tINVALID: truncated");
    assert_eq!(lines[3], "0\tINVALID: no dword");
    assert!(lines[4].starts_with("0\tINVALID: illegal-instruction"), "{ran:?}");
    assert_eq!(lines[5], "4\ts_endpgm");
    assert_eq!(lines[6], "0\tINVALID: 'hello' is no hex dword");
    bench.file("lines", "bf800003\n");
    assert_eq!(bench.run("disasm --arch fiji --words lines").stdout, "4\ts_nop 3\n");
}

#[test]
fn scan_names_every_file_and_what_would_not_run() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    bench.words("d/good.bin", &SUM).words("d/bad.bin", &[V_MOV, 0xbeff_ffff, END, V_MOV, 0, 0]);
    bench.file("d/readme.txt", "nothing").file("d/kernels", elf("v3-gfx900.co"));
    let ran = bench.run("scan --arch gcn1.4 d");
    assert_eq!(ran.code, 1, "{ran:?}");
    for line in [
        "d/good.bin: ok, 5 instructions (gcn1.4)",
        "d/bad.bin: 2 of 3 instructions would not run (gcn1.4)",
        "  0x0: 7e000280  v_mov_b32                    unsupported: outside the core",
        "  0x4: beffffff  -                            illegal-instruction: no such opcode on this generation",
        "  0xc: 7e000280  v_mov_b32                    unsupported: outside the core (never reached)",
        "d/kernels: first: 5 of 8 instructions would not run (gcn1.4)",
        "d/kernels: second: ok, 1 instruction (gcn1.4)",
    ] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line} in {}", ran.stdout);
    }
    assert!(ran.stdout.ends_with("0 files unreadable, 1 skipped\n3 files\n"), "{}", ran.stdout);
    assert_eq!(bench.run("scan --arch gcn1.4 d/good.bin").code, 0);
}

#[test]
fn scan_as_json() {
    let bench = Bench::new();
    bench.words("good.bin", &SUM).words("bad.bin", &[V_MOV, V_MOV, END]).file("odd.bin", [1]);
    let ran = bench.run("scan --json --arch gcn1.4 good.bin bad.bin");
    let report = ran.json();
    assert_eq!((ran.code, &report["schema"]), (1, &json!("gcnsim.scan.v1")));
    let finding = json!({"pc": "0x4", "word": "0x7e000280", "mnemonic": "v_mov_b32", "kind": "unsupported",
                         "reason": "outside the core", "reachable": true});
    assert_eq!(report["files"][1]["entries"][0]["findings"][1], finding);
    assert_eq!(report["summary"]["files"], 2);
    assert_eq!(report["summary"]["by_reason"][0]["count"], 2);
    let ran = bench.run("scan --json --arch gcn1.4 odd.bin bad.bin missing.bin");
    ran.fails(2, "odd.bin: the length, 1 bytes, is not");
    ran.fails(2, "missing.bin: cannot read: no such file");
    assert_eq!(ran.json()["summary"]["unreadable"], 2);
    assert_eq!(ran.json()["files"].as_array().unwrap().len(), 3);
}

/// The sizes of the instruction set; all but the two of unknown meaning run on every engine of the build.
#[test]
fn isa_lists_every_row() {
    let sizes = [
        ("gcn1.0", [50, 43, 17, 21, 21, 196]),
        ("gcn1.1", [50, 43, 17, 21, 26, 196]),
        ("gcn1.2", [51, 44, 20, 21, 30, 198]),
        ("gcn1.4", [56, 53, 20, 22, 31, 198]),
        ("gcn1.4.1", [56, 53, 20, 22, 31, 198]),
    ];
    let matrix = Bench::new().run("isa --json").json();
    assert_eq!(matrix["schema"], "gcnsim.isa.v1");
    let rows = matrix["instructions"].as_array().unwrap();
    let core = ["SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "VOPC"];
    for (arch, sizes) in sizes {
        for (encoding, size) in core.into_iter().zip(sizes) {
            let of = |row: &&Value| row["arch"] == arch && row["encoding"] == encoding;
            assert_eq!(rows.iter().filter(of).count(), size, "{arch} {encoding}");
        }
    }
    let in_core = |row: &&Value| core.iter().any(|encoding| row["encoding"] == *encoding);
    for row in rows.iter().filter(in_core) {
        let unknown = row["mnemonic"] == "s_mov_regrd_b32" || row["mnemonic"] == "s_getreg_regrd_b32";
        assert_eq!(row["decode"], true, "{row}");
        assert_eq!(row["interp"], !unknown, "{row}");
        let stops = unknown || row["mnemonic"] == "s_trap";
        assert_eq!(row["jit"] != false, cfg!(feature = "jit") && !stops, "{row}");
        assert_eq!(row["status"], if unknown { "unknown" } else { "ok" }, "{row}");
        assert_eq!(row.get("vop3").is_some(), row["encoding"] == "VOPC", "{row}");
    }
    #[cfg(feature = "jit")]
    for (mnemonic, jit) in [("v_cmp_f_f32", "inline"), ("v_cmpx_t_i32", "inline"), ("v_cmp_lt_f32", "call")] {
        let mut found = rows.iter().filter(|row| row["mnemonic"] == mnemonic);
        assert_eq!(found.next().unwrap_or_else(|| panic!("{mnemonic}"))["jit"], jit, "{mnemonic}");
    }
    let one = Bench::new().run("isa --json --arch vega20").json();
    assert!(one["instructions"].as_array().unwrap().iter().all(|row| row["arch"] == "gcn1.4.1"));
    let people = Bench::new().run("isa --arch gcn1.0");
    assert!(people.stdout.contains("s_mov_regrd_b32") && people.code == 0);
}

#[test]
fn verify_runs_what_it_can() {
    let bench = Bench::new();
    let good = r#"{"id": "good", "arch": "gcn1.4", "mnemonic": "s_mov_b32", "words": ["0xbe800081"], "certainty": "certain", "init": {}, "expect": {"sgpr": {"0": 1}, "pc": 4}}"#;
    let bad = good.replace("\"good\"", "\"bad\"").replace("{\"0\": 1}", "{\"0\": 2}").replace("certain\"", "likely\"");
    bench.file("good.jsonl", good).file("bad.jsonl", format!("{good}\n{bad}\n"));
    let ran = bench.run("verify good.jsonl");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("1 vector: 1 passed, 0 failed, 0 unsupported\n"), "{ran:?}");
    let ran = bench.run("verify --engine interp --json bad.jsonl good.jsonl");
    ran.fails(1, "FAILED bad (s_mov_b32, gcn1.4, interp)\n  s0: expected 0x00000002, got 0x00000001\n");
    let expected = json!({"schema": "gcnsim.verify.v1", "total": 3, "passed": 2, "failed": 1, "unsupported": 0,
        "by_certainty": {"certain": {"passed": 2, "failed": 0}, "likely": {"passed": 0, "failed": 1}}});
    assert_eq!(ran.json(), expected);
    bench.file("broken.jsonl", format!("{good}\n{{\"id\": 1}}\n{good}\n"));
    let ran = bench.run("verify --json broken.jsonl");
    ran.fails(2, "broken.jsonl: line 2: invalid type: integer `1`, expected a string");
    assert_eq!(ran.json()["passed"], 2);
    let unsupported = r#"{"id": "u", "arch": "gcn1.4", "mnemonic": "v_mov_b32", "words": [2113929856]}"#;
    bench.file("u.jsonl", unsupported);
    let ran = bench.run("verify --json u.jsonl");
    ran.fails(1, "UNSUPPORTED u (v_mov_b32, gcn1.4, interp): outside the core");
    assert_eq!((&ran.json()["total"], &ran.json()["unsupported"]), (&json!(1), &json!(1)));
    bench.file("none.jsonl", "\n");
    bench.run("verify none.jsonl good.jsonl").fails(2, "none.jsonl: holds no vectors");
}

#[test]
fn verify_ends() {
    let bench = Bench::new();
    let endless = r#"{"id": "e", "arch": "gcn1.4", "words": ["0xbf82ffff"], "program": true, "executed": N}"#;
    bench.file("e.jsonl", endless.replace('N', "\"0xffffffffffff\"") + "\n" + &endless.replace('N', "1099511627776"));
    let ran = bench.run("verify --engine interp e.jsonl");
    ran.fails(2, "e.jsonl: line 1: ");
    ran.fails(2, "e.jsonl: line 2: executed: 1099511627776 is more than 1000000");
    bench.file("e.jsonl", endless.replace('N', "1000000"));
    bench.run("verify --engine interp e.jsonl").fails(1, "outcome: expected ended, got budget");
}

/// s[0:1] += 8; s_setpc_b64 s[0:1], a hundred times: nothing tells the compiler where it goes on.
#[cfg(feature = "jit")]
#[test]
fn verify_does_not_compile_for_ever() {
    let bench = Bench::new();
    let words = [0x8000_8800u32, 0xbe80_1d00].repeat(100);
    let vector = json!({"id": "many", "arch": "gcn1.4", "words": words, "program": true, "executed": 200});
    bench.file("many.jsonl", vector.to_string());
    bench
        .run("verify many.jsonl")
        .fails(1, "UNSUPPORTED many (, gcn1.4, jit): it has more regions than a vector may have");
}

/// A region of two loops: it can be entered at each, by a jump table.
#[cfg(feature = "jit")]
#[test]
fn explain_shows_no_data_as_code() {
    let bench = Bench::new();
    // s0 = 0; twice: loop { s0 += 1; until s0 == limit }; end
    let words =
        [0xbe80_0080u32, 0x8000_8100, 0xbf07_8a00, 0xbf85_fffd, 0x8000_8100, 0xbf07_9400, 0xbf85_fffd, 0xbf81_0000];
    bench.file("loops.bin", words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    let ran = bench.run("explain --arch gcn1.4 loops.bin");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.lines().next().is_some_and(|line| line.len() <= 120), "{}", ran.stdout);
    if cfg!(target_arch = "x86_64") {
        assert!(ran.stdout.contains("(jump table, "), "{}", ran.stdout);
        assert!(!ran.stdout.contains("(bad)") && !ran.stdout.contains("add [rax], al"), "{}", ran.stdout);
    }
    // Constants after the code.
    let bits = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/loops/bits.bin");
    let ran = bench.run(&format!("explain {}", bits.display()));
    if cfg!(target_arch = "x86_64") {
        assert!(ran.stdout.contains("(constants, ") && !ran.stdout.contains("(bad)"), "{}", ran.stdout);
    }
    // An endless loop is looked at for a while.
    bench.file("endless.bin", 0xbf82_ffffu32.to_le_bytes());
    let ran = bench.run("explain --hot --max-insts 100000 --arch gcn1.4 endless.bin");
    assert!(ran.code == 0 && ran.stdout.contains("instructions executed in it"), "{ran:?}");
    bench.run("explain --hot --max-insts 10 --arch gcn1.4 endless.bin").fails(1, "nothing got hot enough");
}

#[test]
fn help_and_version() {
    let bench = Bench::new();
    let help = bench.run("--help");
    assert!(help.code == 0 && help.stdout.contains("gcnsim --jit bench.bin"), "{help:?}");
    for command in ["run", "verify", "disasm", "scan", "isa"] {
        assert!(help.stdout.contains(command));
        let of_command = bench.run(&format!("{command} --help"));
        assert_eq!(of_command.code, 0, "{of_command:?}");
        assert!(command == "isa" || of_command.stdout.contains("Examples:"), "{of_command:?}");
    }
    assert_eq!(bench.run("--version").stdout, format!("gcnsim {}\n", env!("CARGO_PKG_VERSION")));
}
