//! `disasm --words`, `isa` and `verify`.

use crate::common;

use common::Bench;
use gcnsim_isa::Note;
use serde_json::{Value, json};

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
fn isa_explains_notes() {
    let bench = Bench::new();
    let all = bench.run("isa --notes --json").json();
    assert_eq!(all["schema"], "gcnsim.notes.v1");
    let all = all["notes"].as_array().unwrap();
    let codes: Vec<&str> = all.iter().map(|note| note["code"].as_str().unwrap()).collect();
    assert!(codes.len() == Note::ALL.len() && codes.is_sorted(), "{codes:?}");
    for field in ["case", "choice", "source"] {
        assert!(all.iter().all(|note| note[field].as_str().is_some_and(|text| !text.trim().is_empty())), "{field}");
    }
    assert!(all.iter().all(|note| note["basis"] == "likely" || note["basis"] == "unknown"));

    let two = bench.run("isa --notes memtime absdiff-wrap").stdout;
    let expected = "absdiff-wrap (likely)
  case    S_ABSDIFF_I32, difference beyond the signed range
  choice  wrapped: INT_MAX - INT_MIN gives 1
  source  Vega, CDNA
memtime (unknown)
  case    S_MEMTIME, S_MEMREALTIME
  choice  number of instructions completed by the wave
  source  runs are deterministic
";
    assert_eq!(two, expected);

    let wrong = bench.run("isa --notes odd-sgpr");
    assert!(
        wrong.code == 2
            && wrong.stderr.contains("no fidelity note has the code 'odd-sgpr'; did you mean 'odd-sgpr-pair'?"),
        "{wrong:?}"
    );
}

/// `isa NAME` shows what the table knows. Numbers are those of llvm-mc 14: v_addc_co_u32 is 0x38.. in VOP2 and d11c in
/// VOP3 on gfx900; s_and_saveexec_b64 be8024 on gfx600 and be8020 on gfx803.
#[test]
fn isa_shows_one_instruction() {
    let bench = Bench::new();
    let of = |name: &str| bench.run(&format!("isa {name} --json")).json();
    let carry = of("V_ADDC_CO_U32_e64");
    assert_eq!((&carry["schema"], &carry["mnemonic"]), (&json!("gcnsim.isa-instruction.v1"), &json!("v_addc_co_u32")));
    let row = &carry["rows"][0];
    assert_eq!(row["docs"][0], "docs/gcn/valu-integer.md");
    let generations = row["generations"].as_array().unwrap();
    assert_eq!(
        generations.iter().map(|g| g["arch"].as_str().unwrap()).collect::<Vec<_>>(),
        ["gcn1.4", "gfx904", "gcn1.4.1"]
    );
    let form =
        |encoding: &str, opcode: u32, bytes: u32| json!({"encoding": encoding, "opcode": opcode, "bytes": bytes});
    let forms = [form("VOP2", 28, 4), form("VOP3", 0x11c, 8), form("SDWA", 28, 8), form("DPP", 28, 8)];
    assert_eq!(generations[0]["forms"], json!(forms));
    let operands = generations[0]["operands"].as_array().unwrap();
    let widths: Vec<_> = operands.iter().map(|o| (o["name"].as_str().unwrap(), o["bits"].as_u64().unwrap())).collect();
    assert_eq!(widths, [("D", 32), ("SDST", 64), ("S0", 32), ("S1", 32), ("mask", 64)]);
    assert_eq!(generations[0]["writes"], json!(["VCC (not VOP3)"]));
    // A form that has only VOP3 never writes VCC unless it names it.
    assert_eq!(of("v_div_scale_f64")["rows"][0]["generations"][0]["writes"], json!([]));

    let saveexec = of("s_and_saveexec_b64")["rows"][0].clone();
    assert_eq!(saveexec["notes"], json!(["saveexec-sdst-exec"]));
    let opcodes: Vec<_> =
        saveexec["generations"].as_array().unwrap().iter().map(|g| g["forms"][0]["opcode"].clone()).collect();
    assert_eq!(opcodes, [36, 36, 32, 32, 32, 32]);
    // Registers of D16 hold two components where chips pack them.
    let loads = of("buffer_load_format_d16_xyz")["rows"][0]["generations"].clone();
    assert_eq!((&loads[0]["operands"][0]["bits"], &loads[1]["operands"][0]["bits"]), (&json!(96), &json!(64)));
    // Two encodings have this name.
    let rows = of("s_load_dwordx4")["rows"].clone();
    assert_eq!((&rows[0]["encoding"], &rows[1]["encoding"]), (&json!("SMRD"), &json!("SMEM")));
    assert_eq!(rows[1]["generations"][0]["operands"][0]["bits"], 128);

    let text = bench.run("isa v_mad_u64_u32 --arch gfx803").stdout;
    for part in ["v_mad_u64_u32 (VOP3)\n", "\n  operands    D      64 bits: u64\n", "\n  gcn1.2      VOP3 488; "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for (name, message) in [
        ("v_ad_f32", "no instruction is called 'v_ad_f32'; did you mean 'v_add_f32'?"),
        ("elephant", "no instruction is called 'elephant'\n"),
        ("s_call_b64 --arch fiji", "gcn1.2 has no s_call_b64: it is on gcn1.4, gfx904, gcn1.4.1"),
    ] {
        bench.run(&format!("isa {name}")).fails(2, message);
    }
    // Every row can be shown, on every generation that has it, and names a page that exists.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in [
        "s_nop",
        "exp",
        "v_interp_p1_f32",
        "image_gather4",
        "image_atomic_add",
        "ds_nop",
        "flat_atomic_add",
        "scratch_load_dword",
        "tbuffer_load_format_x",
        "s_memtime",
        "buffer_wbinvl1",
        "v_pk_add_f16",
        "v_nop",
        "ds_read2_b64",
        "s_setreg_imm32_b32",
        "v_mad_mix_f32",
        "s_mov_regrd_b32",
        "ds_gws_barrier",
    ] {
        for row in of(name)["rows"].as_array().unwrap() {
            for page in row["docs"].as_array().unwrap() {
                assert!(root.join(page.as_str().unwrap()).is_file(), "{page}");
            }
        }
    }
}

/// Checks the size of the instruction set. All rows, except two whose meaning is unknown, run on every engine of the
/// build.
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
        assert_eq!(row["jit"] != false, cfg!(feature = "jit") && !unknown, "{row}");
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

/// The text has two lines for a row: the numbers, then the operation. All of it, except for numbers of long names, fits
/// 80 columns.
#[test]
fn isa_says_what_instructions_do() {
    let matrix = Bench::new().run("isa --json").json();
    let rows = matrix["instructions"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["operation"].as_str().is_some_and(|words| !words.is_empty())));
    let of = |mnemonic: &str| rows.iter().find(|row| row["mnemonic"] == mnemonic).unwrap()["operation"].clone();
    assert_eq!(of("v_bfi_b32"), "D = (S0 & S1) | (~S0 & S2)");
    assert_eq!(of("ds_read_u8_d16_hi"), "D[31:16] = zero-extended byte of LDS");

    let text = Bench::new().run("isa").stdout;
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().filter(|line| line.len() > 80) {
        let name = line.split(' ').next().unwrap();
        assert!(name.len() > 26, "{line}");
    }
    let one = Bench::new().run("isa --arch gcn1.4").stdout;
    let one: Vec<&str> = one.lines().collect();
    let below = |lines: &[&str], name: &str| {
        let at = lines.iter().position(|line| line.starts_with(name) && line.contains(" D")).unwrap();
        lines[at + 1].to_owned()
    };
    assert_eq!(below(&lines, "buffer_store_dwordx3 "), "  buffer = DATA (3 dwords)");
    assert_eq!(below(&one, "v_perm_b32 "), "  D = bytes of {S0, S1} that the bytes of S2 select");
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
    let unsupported = r#"{"id": "u", "arch": "gcn1.4", "mnemonic": "s_mov_regrd_b32", "words": ["0xbe802f00"]}"#;
    bench.file("u.jsonl", unsupported);
    let ran = bench.run("verify --json u.jsonl");
    ran.fails(1, "UNSUPPORTED u (s_mov_regrd_b32, gcn1.4, interp): its meaning is undocumented");
    assert_eq!((&ran.json()["total"], &ran.json()["unsupported"]), (&json!(1), &json!(1)));
    bench.file("none.jsonl", "\n");
    bench.run("verify none.jsonl good.jsonl").fails(2, "none.jsonl: holds no vectors");
}

/// A mistake that many vectors show is printed only a few times, so that it does not hide another one.
#[test]
fn verify_shows_repeated_errors_some_times() {
    let bench = Bench::new();
    let failing = |id: &str, mnemonic: &str, word: u32| {
        json!({"id": id, "arch": "gcn1.4", "mnemonic": mnemonic, "words": [word], "certainty": "certain",
            "init": {}, "expect": {"sgpr": {"0": 7}, "pc": 4}})
        .to_string()
            + "\n"
    };
    let mut text: String = (0..30).map(|n| failing(&format!("mov{n}"), "s_mov_b32", 0xbe80_0081)).collect();
    text += &failing("other", "s_mov_b64", 0xbe80_0181);
    text += &"{broken\n".repeat(13);
    bench.file("v.jsonl", &text);
    let count = |text: &str, what: &str| text.matches(what).count();
    let ran = bench.run("verify --engine interp v.jsonl");
    ran.fails(2, "gcnsim: note: 20 more not shown: FAILED s_mov_b32 (interp)\n");
    ran.fails(2, "gcnsim: note: 3 more not shown: broken lines of v.jsonl\n");
    assert_eq!((count(&ran.stderr, "FAILED mov"), count(&ran.stderr, "FAILED other")), (10, 1), "{ran:?}");
    assert_eq!(count(&ran.stderr, "v.jsonl: line "), 10, "{ran:?}");
    assert!(ran.stdout.starts_with("31 vectors: 0 passed, 31 failed"), "{ran:?}");
    let ran = bench.run("verify --engine interp --max-errors 30 v.jsonl");
    assert_eq!((count(&ran.stderr, "FAILED mov"), count(&ran.stderr, "not shown")), (30, 0), "{ran:?}");
    let ran = bench.run("verify --engine interp --max-errors 0 v.jsonl");
    assert_eq!((count(&ran.stderr, "FAILED mov"), count(&ran.stderr, "not shown")), (0, 3), "{ran:?}");
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

/// The program is s[0:1] += 8; s_setpc_b64 s[0:1], a hundred times. The compiler cannot know where the jumps go.
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

#[test]
fn help_and_version() {
    let bench = Bench::new();
    let help = bench.run("--help");
    assert!(help.code == 0 && help.stdout.contains("gcnsim --jit bench.bin"), "{help:?}");
    for command in ["run", "verify", "disasm", "scan", "lint", "isa"] {
        assert!(help.stdout.contains(command));
        let of_command = bench.run(&format!("{command} --help"));
        assert_eq!(of_command.code, 0, "{of_command:?}");
        assert!(command == "isa" || of_command.stdout.contains("Examples:"), "{of_command:?}");
    }
    // Commit and date follow where they are known.
    let version = bench.run("--version").stdout;
    let commit = version.strip_prefix(&format!("gcnsim {}", env!("CARGO_PKG_VERSION"))).unwrap();
    assert!(commit == "\n" || commit.starts_with(" (") && commit.ends_with(")\n"), "{version}");
}
