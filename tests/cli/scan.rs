//! `scan`. Numbers of instructions are those of llvm-objdump 14 (corpus/elf/README.md).

use crate::common;

use common::{Bench, END, SUM, UNDOCUMENTED, elf};
use serde_json::{Value, json};

fn folder() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    bench.words("d/good.bin", &SUM).words("d/bad.bin", &[UNDOCUMENTED, 0xbeff_ffff, END, UNDOCUMENTED, 0, 0]);
    bench.file("d/readme.txt", "nothing").file("d/kernels", elf("v3-gfx900.co"));
    bench
}

#[test]
fn the_default_is_a_summary() {
    let bench = folder();
    let ran = bench.run("scan --arch gcn1.4 d");
    assert_eq!(ran.code, 1, "{ran:?}");
    // good.bin and both kernels would run; llvm-objdump lists 8 and 1 instructions for them. Of 3 instructions in
    // bad.bin 2 are bad.
    for line in ["2 of 3 files and 3 of 4 kernels would run fully", "88.2 % of 17 instructions in reach would run"] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line} in {}", ran.stdout);
    }
    assert!(ran.stdout.lines().any(|l| l.starts_with("encoding") && l.contains("gcn1.4")), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("0 files unreadable, 1 skipped\n3 files\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("0x"), "no single finding: {}", ran.stdout);
    assert_eq!(bench.run("scan --arch gcn1.4 d/good.bin").code, 0);
    let words: Vec<_> =
        ran.stdout.lines().find(|line| line.contains("s_mov_regrd_b32")).unwrap().split_whitespace().collect();
    // The second place is not counted, because control does not reach it.
    assert_eq!(&words[..3], ["1", "1", "1"], "files, kernels, places: {}", ran.stdout);
    let top = bench.run("scan --arch gcn1.4 --top 1 d");
    let reasons = ["  its meaning is undocumented", "  no such opcode on this generation"];
    let ranked = |text: &str| text.lines().filter(|line| reasons.iter().any(|reason| line.ends_with(reason))).count();
    assert_eq!((ranked(&ran.stdout), ranked(&top.stdout)), (2, 1), "{}", top.stdout);
    bench.run("scan d/none.bin").fails(2, "d/none.bin: cannot read: no such file");
}

/// Folders name generations for `scan` as they do for `batch`.
#[test]
fn folders_may_tell_the_generation() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("d/gfx600/x")).unwrap();
    std::fs::create_dir_all(bench.path("d/Fiji")).unwrap();
    std::fs::create_dir_all(bench.path("d/other")).unwrap();
    for file in ["d/gfx600/x/a.bin", "d/Fiji/b.bin", "d/other/c.bin"] {
        bench.words(file, &SUM);
    }
    bench.words("d/gfx600/s.bin", &SUM).file("d/gfx600/s.toml", "arch = \"gfx700\"");
    let archs = |arguments: &str| {
        let ran = bench.run(arguments);
        let line = |line: &str| {
            line.split_once(" (").map(|(file, rest)| (file.to_owned(), rest.split(')').next().unwrap().to_owned()))
        };
        (ran.stdout.lines().filter(|line| line.contains(": ok, ")).filter_map(line).collect::<Vec<_>>(), ran.stderr)
    };
    let expected = |pairs: [(&str, &str); 4]| pairs.map(|(file, arch)| (file.to_owned(), arch.to_owned())).to_vec();
    let (found, notes) = archs("scan --all --arch-from-path d");
    let path = [
        ("d/Fiji/b.bin", "gcn1.2"),
        ("d/gfx600/s.bin", "gcn1.1"),
        ("d/gfx600/x/a.bin", "gcn1.0"),
        ("d/other/c.bin", "gcn1.4"),
    ];
    assert_eq!(found, expected(path));
    assert!(notes.contains("architecture of 1 raw file not stated"), "{notes}");
    let (found, notes) = archs("scan --all d");
    assert_eq!(found[0].1, "gcn1.4");
    assert!(notes.contains("architecture of 3 raw files not stated") && notes.contains("--arch-from-path"), "{notes}");
    let (found, _) = archs("scan --all --arch-from-path --arch gfx906 d");
    assert!(found.iter().all(|(_, arch)| arch == "gcn1.4.1"), "{found:?}");
}

#[test]
fn all_names_every_place() {
    let bench = folder();
    let ran = bench.run("scan --arch gcn1.4 --all d");
    for line in [
        "d/good.bin (gcn1.4): ok, 5 instructions",
        "d/bad.bin (gcn1.4): 2 of 3 instructions would not run",
        "  0x0: be802f00  s_mov_regrd_b32        unsupported: its meaning is undocumented",
        "  0x4: beffffff  -                      illegal-instruction: no such opcode on this generation",
        "12 bytes of constants behind the code of raw files",
        "  first: ok, 8 instructions",
        "  second: ok, 1 instruction",
        "d/kernels (gfx900): ok, 9 instructions",
    ] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line} in {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("  0xc: "), "what lies behind the end of bad.bin: {}", ran.stdout);
    // s_branch skips the second instruction, which is not the last.
    bench.words("over.bin", &[0xbf82_0001, UNDOCUMENTED, END]);
    let all = bench.run("scan --arch gcn1.4 --all over.bin").stdout;
    let expected = "  0x4: be802f00  s_mov_regrd_b32        unsupported: its meaning is undocumented (never reached)";
    assert!(all.lines().any(|line| line == expected) && !all.contains("constants"), "{all}");
}

/// Returns the last line, and the lines before it.
fn lines(text: &str) -> (Value, Vec<Value>) {
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["schema"] == "gcnsim.scan.v2"), "{text}");
    (lines.pop().unwrap(), lines)
}

#[test]
fn json_is_a_line_for_each_finding_and_the_summary_last() {
    let bench = Bench::new();
    bench.words("good.bin", &SUM).words("bad.bin", &[UNDOCUMENTED, UNDOCUMENTED, END]).file("odd.bin", [1]);
    let ran = bench.run("scan --json --arch gcn1.4 good.bin bad.bin");
    assert_eq!(ran.code, 1);
    let (summary, findings) = lines(&ran.stdout);
    let finding = json!({"schema": "gcnsim.scan.v2", "record": "finding", "file": "bad.bin", "part": null,
                         "arch": "gcn1.4", "section": "", "symbol": null, "pc": "0x4", "word": "0xbe802f00",
                         "mnemonic": "s_mov_regrd_b32", "encoding": "SOP1", "kind": "unsupported",
                         "reason": "its meaning is undocumented", "reachable": true, "kernels": 1});
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

/// `helper` has 21 instructions, `twice` 27, and each kernel 17. `uses_one` calls `helper`; `uses_two` calls `twice`,
/// which calls `helper`. Each of these four functions has one or two s_waitcnt. The test replaces them by
/// an instruction that is not executed.
#[test]
fn shared_code_is_counted_once() {
    let bench = Bench::new();
    for name in ["calls-v4-gfx900.co", "calls-v4-gfx900.o"] {
        let mut bytes = elf(name);
        for word in bytes.chunks_exact_mut(4).filter(|word| word[2..] == [0x8c, 0xbf]) {
            word.copy_from_slice(&UNDOCUMENTED.to_le_bytes());
        }
        bench.file(name, bytes);
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
        let not_running = summary["kernels_not_running"].as_array().unwrap();
        let kernels: Vec<_> = not_running.iter().map(|kernel| &kernel["kernel"]).collect();
        assert_eq!(kernels, [&json!("uses_one"), &json!("uses_two")], "{name}");
        assert!(not_running.iter().all(|kernel| kernel["needs"] == json!(["s_mov_regrd_b32"])), "{name}: {summary}");
        let ran = bench.run(&format!("scan --all {name}"));
        assert!(
            ran.stdout.contains("of 38 instructions would not run; needs s_mov_regrd_b32")
                && ran.stdout.contains(" of 65 instructions"),
            "{}",
            ran.stdout
        );
    }
}
