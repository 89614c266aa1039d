//! `scan`. Counts of instructions are those of llvm-objdump 14 (corpus/elf/README.md).
#![cfg(feature = "cli")]

mod common;

use common::{Bench, END, SUM, V_MOV, elf};
use serde_json::{Value, json};

fn folder() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    bench.words("d/good.bin", &SUM).words("d/bad.bin", &[V_MOV, 0xbeff_ffff, END, V_MOV, 0, 0]);
    bench.file("d/readme.txt", "nothing").file("d/kernels", elf("v3-gfx900.co"));
    bench
}

#[test]
fn the_default_is_a_summary() {
    let bench = folder();
    let ran = bench.run("scan --arch gcn1.4 d");
    assert_eq!(ran.code, 1, "{ran:?}");
    // good.bin and kernel `second` run; bad.bin has 2 bad of 3, kernel `first` 5 of 8, as llvm-objdump lists them.
    for line in ["1 of 3 files and 2 of 4 kernels would run fully", "58.8 % of 17 instructions in reach would run"] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line} in {}", ran.stdout);
    }
    assert!(ran.stdout.lines().any(|l| l.starts_with("encoding") && l.contains("gcn1.4")), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("0 files unreadable, 1 skipped\n3 files\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("0x"), "no single finding: {}", ran.stdout);
    assert_eq!(bench.run("scan --arch gcn1.4 d/good.bin").code, 0);
    let words: Vec<_> =
        ran.stdout.lines().find(|line| line.contains("v_mov_b32")).unwrap().split_whitespace().collect();
    // Two places in `first`.
    assert_eq!(&words[..3], ["2", "2", "3"], "files, kernels, places: {}", ran.stdout);
    let top = bench.run("scan --arch gcn1.4 --top 1 d");
    let ranked = |text: &str| text.lines().filter(|line| line.ends_with("  outside the core")).count();
    assert!(ranked(&ran.stdout) > 1 && ranked(&top.stdout) == 1, "{}", top.stdout);
    bench.run("scan d/none.bin").fails(2, "d/none.bin: cannot read: no such file");
}

#[test]
fn all_names_every_place() {
    let bench = folder();
    let ran = bench.run("scan --arch gcn1.4 --all d");
    for line in [
        "d/good.bin (gcn1.4): ok, 5 instructions",
        "d/bad.bin (gcn1.4): 2 of 3 instructions would not run",
        "  0x0: 7e000280  v_mov_b32              unsupported: outside the core",
        "  0x4: beffffff  -                      illegal-instruction: no such opcode on this generation",
        "  0xc: 7e000280  v_mov_b32              unsupported: outside the core (never reached)",
        "  first: 5 of 8 instructions would not run",
        "  second: ok, 1 instruction",
    ] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line} in {}", ran.stdout);
    }
    assert!(ran.stdout.contains("  <first>\n"), "{}", ran.stdout);
}

/// The last line, and those before.
fn lines(text: &str) -> (Value, Vec<Value>) {
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["schema"] == "gcnsim.scan.v2"), "{text}");
    (lines.pop().unwrap(), lines)
}

#[test]
fn json_is_a_line_for_each_finding_and_the_summary_last() {
    let bench = Bench::new();
    bench.words("good.bin", &SUM).words("bad.bin", &[V_MOV, V_MOV, END]).file("odd.bin", [1]);
    let ran = bench.run("scan --json --arch gcn1.4 good.bin bad.bin");
    assert_eq!(ran.code, 1);
    let (summary, findings) = lines(&ran.stdout);
    let finding = json!({"schema": "gcnsim.scan.v2", "record": "finding", "file": "bad.bin", "part": null,
                         "arch": "gcn1.4", "section": "", "symbol": null, "pc": "0x4", "word": "0x7e000280",
                         "mnemonic": "v_mov_b32", "encoding": "VOP1", "kind": "unsupported",
                         "reason": "outside the core", "reachable": true, "kernels": 1});
    assert_eq!(findings[1], finding);
    assert_eq!((&summary["files"], &summary["files_running"], &summary["findings"]), (&json!(2), &json!(1), &json!(2)));
    let blocker = &summary["blockers"][0];
    assert_eq!((&blocker["files"], &blocker["kernels"], &blocker["places"]), (&json!(1), &json!(1), &json!(2)));
    assert_eq!((&blocker["files_then"], &blocker["kernels_then"]), (&json!(2), &json!(2)));
    let ran = bench.run("scan --json --arch gcn1.4 odd.bin bad.bin missing.bin");
    ran.fails(2, "odd.bin: the length, 1 bytes, is not");
    ran.fails(2, "missing.bin: cannot read: no such file");
    assert_eq!(lines(&ran.stdout).0["unreadable"].as_array().unwrap().len(), 2);
}

/// `helper` has 21 instructions, `twice` 27, each kernel 17. `uses_one` calls `helper`, `uses_two` `twice`, which calls
/// `helper`.
#[test]
fn shared_code_is_counted_once() {
    let bench = Bench::new();
    for name in ["calls-v4-gfx900.co", "calls-v4-gfx900.o"] {
        bench.file(name, elf(name));
        let (summary, findings) = lines(&bench.run(&format!("scan --json {name}")).stdout);
        assert_eq!(summary["instructions"], 21 + 27 + 17 + 17, "{name}");
        assert_eq!((&summary["kernels"], &summary["kernels_with_computed_jumps"]), (&json!(2), &json!(0)), "{name}");
        let places: std::collections::BTreeSet<_> = findings.iter().map(|f| f["pc"].as_str()).collect();
        assert_eq!(places.len(), findings.len(), "each place once");
        let of = |name: &str| {
            let is_of = |f: &&Value| f["symbol"].as_str().unwrap().split('+').next() == Some(name);
            findings.iter().find(is_of).map(|f| f["kernels"].clone())
        };
        assert_eq!(of("helper"), Some(json!(2)), "{name}");
        assert_eq!((of("twice"), of("uses_one")), (Some(json!(1)), Some(json!(1))), "{name}");
        let ran = bench.run(&format!("scan --all {name}"));
        assert!(
            ran.stdout.contains(" of 38 instructions") && ran.stdout.contains(" of 65 instructions"),
            "{}",
            ran.stdout
        );
    }
}
