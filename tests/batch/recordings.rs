//! Recordings: launch files that name their code, by `program` or by registers, and stand for it in all commands.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::batch_support::*;

/// The code of `collatz` for gfx900, as `corpus/kernels/kernels-gfx900-v5-O2.co` has it.
fn collatz() -> Vec<u8> {
    let object =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels/kernels-gfx900-v5-O2.co")).unwrap();
    object[0x7500..0x7500 + 204].to_vec()
}

const KERNARG: u64 = 0x7f00_0010_0000;
const STEPS: u64 = 0x7f00_0000_0100;

/// Returns a launch of `collatz` by registers: from 6, 7 and 8 it takes 8, 16 and 3 steps to 1.
fn by_registers() -> Value {
    let mut kernarg = [0u8; 128];
    kernarg[..8].copy_from_slice(&STEPS.to_le_bytes());
    kernarg[8] = 6;
    kernarg[0x1c] = 64;
    let hex: String = kernarg.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "name": "collatz",
        "registers": {
            "arch": "gfx900", "code": "code.bin", "base": "0x7f0000208500", "rsrc1": "0xac0040", "rsrc2": "0x8c",
            "user_sgprs": [0, 0, 0, 0, KERNARG as u32, KERNARG >> 32], "groups": 1, "group": 64, "partial": 3,
        },
        "allocations": [{"base": "0x7f0000000000", "size": 4096, "name": "steps"}],
        "memory": [
            {"base": STEPS, "size": 12, "rights": "rw", "expect": {"u32": [8, 16, 3]}},
            {"base": KERNARG, "size": 128, "rights": "r", "hex": hex, "name": "kernarg"},
        ],
        "max_insts": 100_000,
    })
}

fn recording(launch: &Value) -> Corpus {
    let corpus = Corpus::new();
    corpus.file("rec/record.jsonl", "");
    corpus.file("rec/000000-collatz/launch.json", json!({ "launch": [launch] }).to_string());
    corpus.file("rec/000000-collatz/code.bin", collatz());
    // What an interrupted recording has left.
    corpus.file("rec/.17-3/launch.json", json!({ "launch": [launch] }).to_string());
    corpus.file("rec/data/0123456789abcdef.bin", [0; 8]);
    corpus
}

fn outcome(corpus: &Corpus) -> (Vec<String>, Value) {
    corpus.gcnsim(&["batch", "rec", "--out", "r.jsonl", "--force"]).output().unwrap();
    let lines = corpus.lines("r.jsonl");
    (strings(&lines, "outcome"), lines[0].clone())
}

#[test]
fn a_launch_by_registers_runs_everywhere() {
    let corpus = recording(&by_registers());
    let (outcomes, line) = outcome(&corpus);
    assert_eq!(outcomes, ["ended"]);
    assert_eq!(line["file"], "rec/000000-collatz/launch.json");
    assert_eq!((&line["kernel"], &line["launch"]), (&json!("collatz"), &json!("collatz")));
    assert_eq!((&line["chip"], &line["dispatch"]["grid"]), (&json!("gfx900"), &json!([3, 1, 1])));
    assert_eq!(line["buffers"]["0x7f0000000100"]["changed"], true);
    for arguments in [
        &["run", "rec/000000-collatz"][..],
        &["run", "rec/000000-collatz/launch.json", "--interp"],
        &["run", "rec/000000-collatz", "--sanitize"],
        &["run", "rec/000000-collatz", "--check", "--jobs", "2"],
        &["run", "rec/000000-collatz", "--profile"],
    ] {
        let output = corpus.run(arguments, 0);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(output.status.success() && text.starts_with("outcome       ended"), "{output:?}");
    }
    let output = corpus.run(&["disasm", "rec/000000-collatz"], 0);
    assert!(String::from_utf8(output.stdout).unwrap().contains("s_load_dword s7, s[4:5], 0x1c"));
    let output = corpus.run(&["lint", "rec"], 0);
    assert!(text(&output.stdout).contains("1 file, 1 kernel"), "{output:?}");
    let output = corpus.run(&["diff", "rec", "rec"], 0);
    assert!(String::from_utf8(output.stdout.clone()).unwrap().contains("1 pair: 1 same"), "{output:?}");
}

/// A launch that stops as its file expects is no failure, for nobody. One that stops otherwise is.
#[test]
fn a_recording_passes_if_launches_stop_as_they_did() {
    let mut launch = by_registers();
    launch["max_insts"] = json!(10);
    launch["memory"][0]["expect"] = json!({"u32": [0, 0, 0]});
    launch["expect"] = json!({"outcome": "budget"});
    let corpus = recording(&launch);
    let all = ["batch", "rec", "--out", "r.jsonl", "--write-ledger", "ledger", "--junit", "r.xml", "--force"];
    let output = corpus.run(&all, 0);
    assert!(text(&output.stdout).contains("1 budget; 1 stopped as expected"), "{output:?}");
    let line = corpus.lines("r.jsonl")[0].clone();
    assert_eq!((&line["outcome"], &line["expected"]), (&json!("budget"), &json!(true)), "{line}");
    assert!(corpus.text("r.xml").contains(r#"tests="1" failures="0""#));
    assert!(!corpus.text("ledger").contains("budget"), "no line is needed");
    corpus.run(&["run", "rec/000000-collatz"], 0);
    let output = corpus.run(&["batch", "rec", "--out", "r.jsonl", "--resume"], 0);
    assert!(text(&output.stdout).contains("1 stopped as expected"), "lines say it, too: {output:?}");
    let changes: [fn(&mut Value); 3] = [
        |launch| launch["expect"] = json!({"outcome": "fault"}),
        |launch| launch["expect"] = json!({"outcome": "budget", "instructions": 11}),
        |launch| launch["memory"][0]["expect"] = json!({"u32": [8, 0, 0]}),
    ];
    for change in changes {
        let mut launch = launch.clone();
        change(&mut launch);
        let corpus = recording(&launch);
        corpus.run(&["batch", "rec", "--out", "r.jsonl"], 1);
        corpus.run(&["run", "rec/000000-collatz"], 1);
        let line = corpus.lines("r.jsonl")[0].clone();
        assert_eq!((&line["outcome"], line.get("expected")), (&json!("mismatch"), None), "{line}");
    }
}

/// What came out becomes what is expected: in the checks that are there, else for all memory.
#[test]
fn expectations_are_written() {
    let mut launch = by_registers();
    launch["memory"][0]["expect"] = json!([{"u32": [8, "any", 5]}, {"at": 8, "u32": [1]}]);
    let corpus = recording(&launch);
    corpus.run(&["run", "rec/000000-collatz"], 1);
    let path = "rec/000000-collatz/launch.json";
    corpus.run(&["run", path, "--write-expect", path], 0);
    let written: Value = serde_json::from_str(&corpus.text(path)).unwrap();
    let launch = &written["launch"][0];
    assert_eq!(launch["memory"][0]["expect"], json!([{"u32": [8, "any", 3]}, {"at": 8, "u32": [3]}]));
    assert_eq!((&launch["expect"], launch["memory"][1].get("expect")), (&json!({"outcome": "ended"}), None));
    corpus.run(&["run", "rec/000000-collatz"], 0);
    // Without checks each memory gets one, by its name.
    let mut launch = by_registers();
    launch["memory"][0].as_object_mut().unwrap().remove("expect");
    let corpus = recording(&launch);
    corpus.run(&["run", path, "--write-expect", path], 0);
    let written: Value = serde_json::from_str(&corpus.text(path)).unwrap();
    let checks = &written["launch"][0]["expect"]["buffers"];
    assert_eq!(checks["0x7f0000000100"], json!({"u32": [8, 16, 3]}));
    assert!(checks["kernarg"]["hash"].is_string());
    corpus.run(&["run", "rec/000000-collatz"], 0);
}

/// Each side runs its own code from its own memory.
#[test]
fn two_recordings_are_compared() {
    let corpus = recording(&by_registers());
    fs::rename(corpus.path("rec"), corpus.path("old")).unwrap();
    corpus.file("new/record.jsonl", "");
    let add = |launch: &Value, code: &[u8]| {
        corpus.file("new/000000-collatz/launch.json", json!({ "launch": [launch] }).to_string());
        corpus.file("new/000000-collatz/code.bin", code);
    };
    // s_add_i32 s8, s8, 1 becomes s_add_i32 s8, s8, 2: twice as many steps.
    let mut code = collatz();
    let place = code.windows(4).position(|word| word == 0x8108_8108u32.to_le_bytes()).unwrap();
    code[place..place + 4].copy_from_slice(&0x8108_8208u32.to_le_bytes());
    add(&by_registers(), &code);
    let output = corpus.run(&["diff", "old", "new"], 1);
    let report = text(&output.stdout);
    assert!(report.contains("1 pair: 0 same, 1 differ") && report.contains("0x00000008 -> 0x00000010"), "{report}");
    let mut other = by_registers();
    other["memory"][0]["size"] = json!(16);
    add(&other, &code);
    let report = text(&corpus.run(&["diff", "old", "new"], 0).stdout);
    assert!(report.contains("1 incomparable") && report.contains("memory"), "{report}");
}

#[test]
fn what_is_wrong_is_said() {
    let fails = |change: &dyn Fn(&mut Value), outcome: &str, what: &str| {
        let mut launch = by_registers();
        change(&mut launch);
        let corpus = recording(&launch);
        let (outcomes, line) = self::outcome(&corpus);
        assert_eq!(outcomes, [outcome], "{line}");
        assert!(line["detail"].to_string().contains(what), "{what}: {line}");
    };
    fails(&|launch| launch["memory"][0]["expect"]["u32"][1] = json!(17), "mismatch", "\"failures\":1");
    fails(&|launch| launch["memory"][0]["rights"] = json!("r"), "mismatch", "store");
    fails(&|launch| launch["memory"][0]["base"] = json!(STEPS + 4), "mismatch", "\"failures\":3");
    fails(&|launch| launch["max_insts"] = json!(100), "mismatch", "budget");
    fails(&|launch| launch["registers"]["pc"] = json!("0x7f0000208600"), "bad-input", "pc");
    fails(&|launch| launch["registers"]["code"] = json!("../data/none.bin"), "bad-input", "../data/none.bin");
    fails(&|launch| launch["registers"]["code"] = json!("../../x"), "bad-input", "leaves the folder");
    fails(&|launch| launch["registers"]["arch"] = json!("gfx1030"), "bad-input", "arch");
    fails(&|launch| launch["registers"]["gird"] = json!(1), "bad-input", "unknown key 'gird'");
    let beside = json!({"base": KERNARG + 4096, "size": 4, "rights": "r", "file": "../data/0123456789abcdef.bin"});
    let add = |launch: &mut Value| launch["memory"].as_array_mut().unwrap().push(beside.clone());
    fails(&add, "bad-input", "a content of 8 bytes in 4 bytes");
    let corpus = recording(&by_registers());
    let text = corpus.text("rec/000000-collatz/launch.json");
    corpus.file("rec/000000-collatz/launch.json", &text[..text.len() - 1]);
    let (outcomes, line) = outcome(&corpus);
    assert_eq!(
        (&outcomes[..], &line["file"]),
        (&["bad-input".to_owned()][..], &json!("rec/000000-collatz/launch.json"))
    );
    assert!(line["detail"].to_string().contains("no JSON"), "{line}");
    let over = json!({"base": "0x7f0000208500", "size": 4, "rights": "r"});
    fails(&|launch| launch["memory"].as_array_mut().unwrap().push(over.clone()), "bad-input", "overlap");
}

/// Only a recording may name what lies beside its folders.
#[test]
fn contents_are_those_of_the_recording() {
    let mut launch = by_registers();
    launch["memory"][1] = json!({"base": KERNARG, "size": 128, "rights": "r", "file": "../data/kernarg.bin"});
    let corpus = recording(&launch);
    let mut kernarg = [0u8; 64];
    kernarg[..8].copy_from_slice(&STEPS.to_le_bytes());
    (kernarg[8], kernarg[0x1c]) = (6, 64);
    corpus.file("rec/data/kernarg.bin", kernarg);
    assert_eq!(outcome(&corpus).0, ["ended"]);
    fs::rename(corpus.path("rec"), corpus.path("moved")).unwrap();
    fs::create_dir(corpus.path("rec")).unwrap();
    fs::rename(corpus.path("moved"), corpus.path("rec/moved")).unwrap();
    assert_eq!(outcome(&corpus).0, ["ended"]);
    fs::remove_file(corpus.path("rec/moved/record.jsonl")).unwrap();
    let (outcomes, line) = outcome(&corpus);
    assert!(!outcomes.contains(&"ended".to_owned()), "{outcomes:?}");
    let lines = corpus.lines("r.jsonl");
    let line = lines.iter().find(|line| line["file"].as_str().unwrap().contains("000000")).unwrap_or(&line);
    assert!(line["detail"].to_string().contains("../data/kernarg.bin leaves the folder"), "{line}");
}
