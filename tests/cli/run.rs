//! `gcnsim run`: flags, JSON fields, sidecars, dumps, exit codes.

use crate::common;

use common::{Bench, END, ENDLESS, SUM, UNDOCUMENTED, elf};
use serde_json::json;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.words("sum.bin", &SUM);
    bench
}

#[test]
fn run_may_be_left_out() {
    let bench = bench();
    for arguments in ["run --arch gcn1.4 --sgpr 0=10 sum.bin", "--arch gfx900 --sgpr 0=10 sum.bin"] {
        let ran = bench.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
        assert!(ran.stdout.starts_with("outcome       ended\n"), "{ran:?}");
        assert!(ran.stdout.contains("instructions  41\n"), "{ran:?}");
        assert!(!ran.stdout.contains('\x1b'), "colour without a terminal: {ran:?}");
    }
    bench.file("plain", common::bytes(&[END]));
    assert_eq!(bench.run("plain").code, 0);
}

#[test]
fn a_name_of_neither_a_command_nor_a_file() {
    let bench = bench();
    bench.run("dsasm").fails(2, "neither a command nor a file is named 'dsasm'; is it 'disasm'?");
    bench.run("dsasm x.bin").fails(2, "neither a command nor a file is named 'dsasm'; is it 'disasm'?");
    bench.run("q1w2").fails(2, "neither a command nor a file is named 'q1w2' ('gcnsim help' lists the commands)");
    bench.run("help dsasm").fails(2, "unrecognized subcommand 'dsasm'");
}

#[test]
fn json_has_every_field() {
    let ran = bench().run("--arch gcn1.2 --interp --json --sgpr 0=10 sum.bin");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with(r#"{"schema":"gcnsim.run.v1","version":""#), "{ran:?}");
    assert!(ran.stdout.contains(r#","outcome":"ended","detail":null,"#), "{ran:?}");
    let report = ran.json();
    let keys: Vec<_> =
        "schema version outcome detail arch engine pc instructions by_class regions compile_ns check_ns run_ns checks \
                        notes state_hash"
            .split_whitespace()
            .collect();
    let found = report.as_object().unwrap();
    assert!(keys.iter().all(|key| found.contains_key(*key)) && found.len() == keys.len(), "{report}");
    assert_eq!(report["arch"], "gcn1.2");
    assert_eq!(report["engine"], "interp");
    assert_eq!(report["pc"], "0x10");
    assert_eq!(report["instructions"], 41);
    let classes = json!({"salu": 20, "scmp": 10, "branch": 10, "vcmp": 0, "system": 1, "other": 0,
        "valu": 0, "smem": 0, "vmem": 0, "lds": 0, "image": 0, "export": 0});
    // The fields have this order.
    let text = concat!(
        r#""by_class":{"salu":20,"scmp":10,"branch":10,"vcmp":0,"system":1,"other":0,"#,
        r#""valu":0,"smem":0,"vmem":0,"lds":0,"image":0,"export":0},"#
    );
    assert!(ran.stdout.contains(text), "{ran:?}");
    assert_eq!(report["by_class"], classes);
    assert_eq!((&report["regions"], &report["checks"], &report["notes"]), (&json!(0), &json!(0), &json!([])));
    assert_eq!(report["state_hash"].as_str().unwrap().len(), 16);
}

#[cfg(feature = "jit")]
#[test]
fn engines_agree() {
    let bench = bench();
    let reference = bench.run("--arch gcn1.4 --interp --json --sgpr 0=100000 sum.bin").json();
    for (flags, engine, checks) in [
        ("", "jit", true),
        ("--jit", "jit", true),
        ("--no-check", "jit", false),
        ("--jit --no-check --hot 0", "jit", false),
        ("--check --hot 0x10", "check", true),
        ("--hot 0 --region-max 2", "jit", true),
    ] {
        let report = bench.run(&format!("--arch gcn1.4 {flags} --json --sgpr 0=100000 sum.bin")).json();
        assert_eq!(report["engine"], engine, "{flags}");
        assert_eq!(report["checks"].as_u64().unwrap() > 0, checks, "{flags}: {report}");
        assert!(report["regions"].as_u64().unwrap() > 0 && report["compile_ns"].as_u64().unwrap() > 0, "{flags}");
        for field in ["outcome", "pc", "instructions", "by_class", "notes", "state_hash"] {
            assert_eq!(report[field], reference[field], "{flags}: {field}");
        }
    }
}

#[cfg(not(feature = "jit"))]
#[test]
fn a_build_without_jit_says_so() {
    let bench = bench();
    bench.run("--jit sum.bin").fails(2, "this build has no JIT");
    bench.run("--check sum.bin").fails(2, "this build has no JIT");
    assert_eq!(bench.run("--max-insts 10 --json sum.bin").json()["engine"], "interp");
    bench.file("v.jsonl", r#"{"id": "v", "arch": "gcn1.0", "words": [3212836864]}"#);
    bench.run("verify --engine jit v.jsonl").fails(2, "this build has no JIT");
}

#[test]
fn outcomes_and_their_exit_codes() {
    let bench = bench();
    for (words, outcome, detail) in [
        (vec![END], "ended", json!(null)),
        (ENDLESS.to_vec(), "budget", json!(null)),
        // s_sethalt 1
        (vec![0xbf8d_0001, END], "halted", json!(null)),
        // s_trap 1
        (vec![0xbf92_0001], "trap", json!({"mnemonic": "s_trap", "pc": "0x0", "word": "0xbf920001", "from": null})),
        // s_trap 2, with bits that are not part of the id
        (vec![0xbf92_0302], "trap", json!({"mnemonic": "s_trap", "pc": "0x0"})),
        // s_trap 3: the wave goes on
        (vec![0xbf92_0003, 0xbf92_0203, END], "ended", json!(null)),
        (vec![END, UNDOCUMENTED], "ended", json!(null)),
        (
            vec![UNDOCUMENTED, END],
            "unsupported",
            json!({"mnemonic": "s_mov_regrd_b32", "pc": "0x0", "word": "0xbe802f00"}),
        ),
        (vec![0xbeff_ffff], "fault", json!({"kind": "illegal-instruction", "mnemonic": null, "word": "0xbeffffff"})),
        (vec![0xbe80_00d1], "fault", json!({"kind": "illegal-operand", "pc": "0x0", "word": "0xbe8000d1"})),
        // s_nop; s_mov_b32 s0, literal missing
        (vec![0xbf80_0000, 0xbe80_00ff], "fault", json!({"kind": "truncated", "pc": "0x4", "word": "0xbe8000ff"})),
        // no s_endpgm
        (
            vec![0xbf80_0000, 0xbf80_0000],
            "fault",
            json!({"kind": "pc-out-of-range", "mnemonic": null, "pc": "0x8", "word": null, "from": "0x4"}),
        ),
        // s_branch far outside
        (vec![0xbf82_7fff], "fault", json!({"kind": "pc-out-of-range", "pc": "0x20000", "from": "0x0"})),
    ] {
        bench.words("x.bin", &words);
        let ran = bench.run("--arch gcn1.4 --json --max-insts 1000 x.bin");
        let report = ran.json();
        assert_eq!(report["outcome"], outcome, "{words:x?}");
        assert_eq!(ran.code, (outcome != "ended") as i32, "{words:x?}");
        for (key, value) in detail.as_object().into_iter().flatten() {
            assert_eq!(&report["detail"][key], value, "{words:x?} {key}: {report}");
        }
        if detail.is_null() {
            assert!(report["detail"].is_null(), "{report}");
        }
        let people = bench.run("--arch gcn1.4 --max-insts 1000 x.bin");
        assert_eq!(people.code, ran.code);
        assert!(people.stdout.starts_with(&format!("outcome       {outcome}")), "{people:?}");
    }
}

#[test]
fn budgets_are_exact() {
    let bench = bench();
    for (max, outcome, instructions) in
        [("0", "budget", 0), ("40", "budget", 40), ("41", "ended", 41), ("0x100", "ended", 41)]
    {
        for engine in ["--interp", ""] {
            let report =
                bench.run(&format!("{engine} --arch gcn1.4 --json --sgpr 0=10 --max-insts {max} sum.bin")).json();
            assert_eq!((&report["outcome"], &report["instructions"]), (&json!(outcome), &json!(instructions)), "{max}");
        }
    }
}

#[test]
fn registers_base_and_entry() {
    let bench = bench();
    // s_mov_b32 s2, s0; s_getpc_b64 s[4:5]; s_endpgm
    bench.words("x.bin", &[0xbe82_0000, 0xbe84_1c00, END]);
    let arguments = "--arch gcn1.4 --sgpr 0=-1 --sgpr 106=0x5 --exec 0xf0 --base 0x100000000 --dump-state d.json x.bin";
    assert_eq!(bench.run(arguments).code, 0);
    let state: serde_json::Value = serde_json::from_str(&bench.read("d.json")).unwrap();
    let sgpr = json!({"0": 4294967295u32, "2": 4294967295u32, "4": 8, "5": 1});
    assert_eq!(state["sgpr"], sgpr);
    assert_eq!((&state["exec"], &state["vcc"], &state["pc"]), (&json!("0xf0"), &json!("0x5"), &json!("0x100000008")));
    let ran = bench.run("--arch gcn1.4 --sgpr 0=7 --entry 4 --dump-state - x.bin");
    let state: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(state["sgpr"], json!({"0": 7, "4": 8}), "{ran:?}");
    assert!(ran.stderr.starts_with("outcome       ended"), "{ran:?}");
}

#[test]
fn registers_by_name_and_lanes() {
    let bench = bench();
    bench.words("x.bin", &[END]);
    let lanes: Vec<u32> = (0..64).map(|lane| lane * 0x0101_0101).collect();
    let text = lanes.chunks(8).map(|row| row.iter().map(|v| format!("{v:#x}")).collect::<Vec<_>>().join(" ") + "\n");
    bench.file("lanes.txt", text.collect::<String>()).file("lanes.json", format!("{lanes:?}"));
    let ran = bench.run(
        "--arch gcn1.4 --sgpr vcc=0x1234567890 --sgpr exec=-1 --sgpr m0=7 --vgpr 0=-2 --vgpr 3=@lanes.txt \
         --vgpr 255=@lanes.json --dump-state - x.bin",
    );
    let state: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&state["vcc"], &state["exec"], &state["m0"]),
        (&json!("0x1234567890"), &json!("0xffffffffffffffff"), &json!(7))
    );
    assert_eq!(state["vgpr"], json!({"0": vec![0xffff_fffeu32; 64], "3": lanes, "255": lanes}));
    let low = bench.run("--arch gcn1.4 --sgpr vcc_hi=5 --sgpr 106=6 --dump-state - x.bin");
    assert!(low.stdout.contains("\"vcc\": \"0x500000006\""), "{low:?}");
    bench.file("few", "1 2 3").file("many", "1,".repeat(65)).file("wrong", "1 2 x");
    for (arguments, message) in [
        ("--sgpr vcc=1 --sgpr 107=1", "vcc_hi (sgpr 107) is named twice"),
        ("--exec 1 --sgpr exec=1", "exec_lo (sgpr 126) is named twice"),
        ("--sgpr m0=0x100000000", "does not fit 32 bits"),
        ("--vgpr 256=0", "0 to 255"),
        ("--vgpr 1=0 --vgpr 1=@lanes.txt", "v1 is named twice"),
        ("--vgpr 1=@few", "few: 3 values instead of 64"),
        ("--vgpr 1=@many", "many: 65 values instead of 64"),
        ("--vgpr 1=@wrong", "wrong: lane 2: 'x' is not a number"),
        ("--vgpr 1=@missing", "missing: "),
    ] {
        bench.run(&format!("run --arch gcn1.4 {arguments} x.bin")).fails(2, message);
    }
}

#[test]
fn a_dump_given_back_restores_the_state() {
    let bench = bench();
    let lanes: Vec<String> = (0..64).map(|lane| (lane * 3).to_string()).collect();
    let start = format!(
        r#"{{"sgpr": {{"0": 1000, "50": "0xffffffff"}}, "vgpr": {{"3": [{}]}}, "vcc": "0x123456789abcdef0", "m0": 5,
            "mode": 0, "trapsts": 9}}"#,
        lanes.join(",")
    );
    bench.file("start.json", start);
    // A run that stops half way and is continued from the dump ends like an uninterrupted run.
    let flags = "--arch gcn1.4 --interp --json";
    let whole = bench.run(&format!("{flags} --state start.json --dump-state whole.json sum.bin")).json();
    let half = bench.run(&format!("{flags} --state start.json --max-insts 1234 --dump-state half.json sum.bin"));
    assert_eq!(half.code, 1);
    let rest = bench.run(&format!("{flags} --state half.json --dump-state end.json sum.bin")).json();
    assert_eq!(rest["instructions"].as_u64().unwrap() + 1234, whole["instructions"].as_u64().unwrap());
    assert_eq!(bench.read("end.json"), bench.read("whole.json"));
    // If nothing is executed, the dump is the given state.
    bench.run(&format!("{flags} --state half.json --max-insts 0 --dump-state same.json sum.bin"));
    assert_eq!(bench.read("same.json"), bench.read("half.json"));
    let state: serde_json::Value = serde_json::from_str(&bench.read("same.json")).unwrap();
    assert_eq!((&state["mode"], &state["trapsts"], &state["m0"]), (&json!(0), &json!(9), &json!(5)));
    assert_eq!(state["vgpr"]["3"][63], 189);
}

#[test]
fn traces_show_what_changed() {
    let bench = bench();
    let ran = bench.run("--arch gcn1.4 --interp --trace --sgpr 0=1 sum.bin");
    let lines: Vec<_> = ran.stdout.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        lines[..5],
        [
            "000000000000 s_add_u32 s1, s1, s0 s1=0x1",
            "000000000004 s_sub_u32 s0, s0, 1 s0=0x0",
            "000000000008 s_cmp_lg_u32 s0, 0",
            "00000000000c s_cbranch_scc1 65532 -> 000000000000",
            "000000000010 s_endpgm ended"
        ]
    );
    assert!(lines[5].starts_with("outcome ended"), "{ran:?}");
    let ran = bench.run("--arch gcn1.4 --trace=2 --json --sgpr 0=10 sum.bin");
    assert_eq!((ran.stderr.lines().count(), &ran.json()["instructions"]), (2, &json!(41)), "{ran:?}");
    let ran = bench.run("--arch gcn1.4 --trace=2 --dump-state - --sgpr 0=10 sum.bin");
    assert!(ran.stdout.starts_with("{\n") && ran.stderr.contains("s_add_u32"), "{ran:?}");
    bench.words("x.bin", &[UNDOCUMENTED]);
    let ran = bench.run("--arch gcn1.4 --trace x.bin");
    assert!(
        ran.stdout.contains("s_mov_regrd_b32 s0, s0") && ran.stdout.contains("not executed: unsupported"),
        "{ran:?}"
    );
    let ran = bench.run("--arch gcn1.4 --trace --max-insts 3 --sgpr 0=10 sum.bin");
    assert!(ran.stdout.lines().nth(3).unwrap().starts_with("outcome       budget"), "{ran:?}");
}

#[test]
fn stdin_and_the_default_architecture() {
    let ran = bench().run_with_stdin("--json -", &common::bytes(&[END]));
    assert_eq!(ran.json()["arch"], "gcn1.4");
    ran.fails(0, "note: <stdin>: architecture not stated, taken as gcn1.4");
}

#[test]
fn sidecars_are_used_and_checked() {
    let bench = bench();
    let sidecar = r#"
        arch = "gcn1.1"
        max_insts = 100
        [state]
        sgpr = {"0" = 10}
        [expect]
        outcome = "ended"
        instructions = 41
        [expect.state]
        sgpr = {"1" = 55}
    "#;
    bench.file("sum.toml", sidecar);
    let ran = bench.run("--json sum.bin");
    assert_eq!((ran.code, ran.stderr.as_str(), &ran.json()["arch"]), (0, "", &json!("gcn1.1")), "{ran:?}");
    // The changed expectation fails.
    bench.file("sum.toml", sidecar.replace("= 55", "= 56").replace("= 41", "= \"0x28\""));
    let ran = bench.run("--json sum.bin");
    let report = ran.json();
    assert_eq!(
        (ran.code, &report["outcome"], &report["detail"]["kind"]),
        (1, &json!("mismatch"), &json!("expectation"))
    );
    let fields: Vec<_> = report["detail"]["differences"].as_array().unwrap().iter().map(|d| &d["field"]).collect();
    assert_eq!(fields, ["instructions", "s1"]);
    let people = bench.run("sum.bin");
    assert!(people.stdout.contains("s1: expected 0x00000038, got 0x00000037"), "{people:?}");
    // The detail still says what stopped the guest.
    bench.file("trap.bin", 0xbf92_0002u32.to_le_bytes());
    bench.file("trap.toml", "arch = \"gcn1.4\"\n[expect]\noutcome = \"ended\"");
    let report = bench.run("--json trap.bin").json();
    assert_eq!((&report["outcome"], &report["detail"]["mnemonic"]), (&json!("mismatch"), &json!("s_trap")), "{report}");
    assert_eq!((&report["detail"]["pc"], &report["detail"]["word"]), (&json!("0x0"), &json!("0xbf920002")));
    assert_eq!(report["detail"]["differences"][0]["field"], "outcome");
    // An error in a sidecar is quoted only once.
    bench.file("trap.toml", "archs = 1");
    let ran = bench.run("trap.bin");
    assert_eq!((ran.code, ran.stderr.matches("unknown field").count()), (2, 1), "{ran:?}");
    // If flags change the start, the expectation is not checked.
    for flags in ["--sgpr 0=11", "--vgpr 0=1", "--exec 1", "--entry 4", "--base 0x1000", "--arch gcn1.4"] {
        bench.run(&format!("{flags} sum.bin")).fails(0, "expectation is not checked: flags change");
    }
    let ran = bench.run("--max-insts 5 --json sum.bin");
    ran.fails(1, "expectation is not checked: --max-insts");
    assert_eq!(ran.json()["outcome"], "budget");
    // --state replaces the sidecar's registers.
    bench.file("s.json", r#"{"sgpr": {"0": 1}}"#);
    assert_eq!(bench.run("--state s.json --json sum.bin").json()["instructions"], 5);
    // The sidecar sets the entry.
    bench.words("e.bin", &[UNDOCUMENTED, END]).file("e.toml", "arch = \"gcn1.0\"\nentry = 4\n");
    assert_eq!(bench.run("e.bin").code, 0);
}

#[test]
fn kernels_of_code_objects_run() {
    let bench = bench();
    bench.file("core.co", elf("core-gfx906.co")).file("two.co", elf("v3-gfx900.co"));
    let ran = bench.run("--json --dump-state d.json core.co");
    assert_eq!(
        (ran.code, &ran.json()["arch"], &ran.json()["pc"]),
        (0, &json!("gcn1.4.1"), &json!("0x131c")),
        "{ran:?}"
    );
    assert!(bench.read("d.json").contains("\"2\": 55"));
    bench.run("two.co").fails(
        2,
        "two.co: choose one of 2 kernels with --kernel (and --arch, --bundle): first (gfx900), second (gfx900)",
    );
    bench
        .run("--kernel third two.co")
        .fails(2, "two.co: no such kernel; the file holds first (gfx900), second (gfx900)");
    assert_eq!(bench.run("--kernel second two.co").code, 0);
    let ran = bench.run("--arch gcn1.2 --kernel second --json two.co");
    assert_eq!(ran.json()["arch"], "gcn1.4");
    ran.fails(0, "the file is for gfx900 (gcn1.4); --arch gcn1.2 does not apply");
}

#[cfg(unix)]
#[test]
fn a_file_that_shrinks_during_the_run_is_bad_input() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let bench = bench();
    // The program counts s0 down, then branches to the part that is cut off meanwhile.
    let mut words = vec![0x8080_8100, 0xbf07_8000, 0xbf85_fffd, 0xbf82_7000];
    words.resize(1 << 19, END);
    bench.words("big.bin", &words);
    let mut command = bench.command("--interp --arch gcn1.4 --trace=1 --sgpr 0=20000000 big.bin");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("s_sub_u32"), "{first}");
    std::fs::OpenOptions::new().write(true).open(bench.path("big.bin")).unwrap().set_len(4096).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("big.bin: the file shrank from 2097152 to 4096 bytes"), "{stderr}");
}

#[cfg(feature = "jit")]
#[test]
fn a_check_that_checks_nothing_says_so() {
    let bench = bench();
    let ran = bench.run("--check --arch gcn1.4 --sgpr 0=3 sum.bin");
    assert!(ran.code == 0 && ran.stderr.contains("nothing was checked (--hot 0"), "{ran:?}");
    let ran = bench.run("--check --hot 0 --arch gcn1.4 --sgpr 0=3 sum.bin");
    assert!(ran.code == 0 && ran.stderr.is_empty(), "{ran:?}");
}

/// The report of something small has no lines of zeros.
#[test]
fn what_did_not_happen_is_not_listed() {
    let bench = Bench::new();
    bench.words("end.bin", &[common::END]);
    let small = bench.run("run --arch gcn1.4 end.bin").stdout;
    for absent in ["regions", "compile time", "check time", "0.0 million"] {
        assert!(!small.contains(absent), "{absent}: {small}");
    }
    let object = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co")).unwrap();
    let launch = serde_json::json!({
        "name": "collatz", "kernel": "collatz", "grid": 1, "group": 1,
        "args": [{"buffer": "s"}, {"u32": 6}], "buffers": {"s": {"size": 4}},
    });
    bench.file("k.co", object).file("k.json", serde_json::json!({"launch": [launch]}).to_string());
    let kernel = bench.run("run k.co").stdout;
    for absent in ["regions", "compile time", "check time", "launch "] {
        assert!(!kernel.contains(absent), "{absent}: {kernel}");
    }
    // Summaries and pages name what is called alike once; JSON has all names.
    bench.run("batch k.co --max-insts 3 --out r.jsonl --report r.html");
    let summary = bench.run("batch k.co --max-insts 3 --out r.jsonl --force").stdout;
    assert!(summary.contains("k.co: collatz") && !summary.contains("collatz: collatz"), "{summary}");
    assert!(!bench.read("r.html").contains("collatz: collatz"));
    assert!(bench.read("r.jsonl").contains("\"launch\":\"collatz\""));
    // The page begins with the verdict.
    bench.run("batch k.co --out old.jsonl");
    let ran = bench.run("batch k.co --max-insts 3 --out new.jsonl --baseline old.jsonl --report new.html");
    assert_eq!(ran.code, 1, "{ran:?}");
    let page = bench.read("new.html");
    let (verdict, cards) = (page.find("class=\"gate bad\">").unwrap(), page.find("<div class=\"cards\">").unwrap());
    assert!(verdict < cards && page[verdict..cards].contains("REGRESSION (outcome)"), "{}", &page[verdict..cards]);
}

#[test]
fn near_names_are_asked_for_and_files_without_results_named() {
    let bench = Bench::new();
    bench.words("end.bin", &[common::END]).file("empty.jsonl", "").file("cut.jsonl", "{\"schema\":\"gcnsim.ba");
    for (line, message) in [
        ("run end.bin --arch gcn1.4 --synthetic --sanitize=rase", "did you mean 'race'?"),
        ("lint end.bin --arch gcn1.4 --fail-on vmcnt-raed", "did you mean 'vmcnt-read'?"),
        ("compare empty.jsonl empty.jsonl --fail-on otucome", "did you mean 'outcome'?"),
        ("diff end.bin end.bin --fail-on difer", "did you mean 'differ'?"),
    ] {
        bench.run(line).fails(2, message);
    }
    let ran = bench.run("compare cut.jsonl empty.jsonl");
    assert_eq!(ran.code, 1, "{ran:?}");
    for message in [
        "note: cut.jsonl is not complete: it has no results of a batch: its only line is cut short\n",
        "REGRESSION (incomplete): empty.jsonl is not complete: it has no results of a batch: it is empty (",
    ] {
        assert!((ran.stderr.clone() + &ran.stdout).contains(message), "{ran:?}");
    }
}

/// Help fits the terminal, and breaks between words.
#[test]
fn help_fits_eighty_columns() {
    for command in ["run", "batch", "compare", "isa", "explain", "lint", "diff"] {
        let help = |columns: &str| {
            let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_gcnsim"));
            let ran = program.args(["help", command]).env("COLUMNS", columns).output().unwrap();
            String::from_utf8(ran.stdout).unwrap()
        };
        let narrow = help("80");
        let long: Vec<&str> = narrow.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.iter().all(|line| line.split_whitespace().any(|word| word.len() > 40)), "{command}: {long:?}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&narrow), words(&help("110")), "{command}");
    }
}

#[test]
fn results_say_which_simulator_made_them() {
    let bench = Bench::new();
    let version = bench.run("--version").stdout;
    let version = version.trim().strip_prefix("gcnsim ").unwrap().to_owned();
    assert!(version.starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    bench.words("end.bin", &[common::END]);
    let result = bench.run("--json end.bin --arch gcn1.4");
    assert_eq!(result.json()["version"], json!(version), "{result:?}");
    for name in ["old", "new"] {
        assert_eq!(bench.run(&format!("batch end.bin --arch gcn1.4 --out {name}.jsonl")).code, 0);
    }
    let closing = bench.read("old.jsonl").lines().last().unwrap().to_owned();
    assert!(closing.contains(&format!("\"version\":\"{version}\"")), "{closing}");
    let differ = "the simulators differ: 0.0.9 (deadbeef00, 2026-01-01) made the old results";
    assert!(!bench.run("compare old.jsonl new.jsonl").stderr.contains("differ"));
    bench.file("old.jsonl", bench.read("old.jsonl").replace(&version, "0.0.9 (deadbeef00, 2026-01-01)"));
    let ran = bench.run("compare old.jsonl new.jsonl");
    assert!(ran.code == 0 && ran.stderr.contains(differ), "{ran:?}");
    // Results of a version that did not say are compared without a word.
    let silent = bench.read("new.jsonl").replace(&format!("\"version\":\"{version}\","), "");
    bench.file("silent.jsonl", silent);
    assert_eq!(bench.run("compare silent.jsonl new.jsonl").stderr, "");
}
