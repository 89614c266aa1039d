//! `lint`: findings, exit codes, reports and ledgers.

use gcnsim_random::Rng;
use serde_json::Value;

use crate::common::{Bench, bytes, elf};

/// global_load_dword v1, v[2:3], off; v_mov_b32 v4, v1; s_endpgm (gfx900)
const MISSING: [u32; 4] = [0xdc50_8000, 0x017f_0002, 0x7e08_0301, 0xbf81_0000];
/// The code above with s_waitcnt vmcnt(0) between.
const CLEAN: [u32; 5] = [0xdc50_8000, 0x017f_0002, 0xbf8c_0f70, 0x7e08_0301, 0xbf81_0000];

/// Returns an archive of `files`, with headers as POSIX says: name, mode, size and checksum.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend_from_slice(&header);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.words("bad.bin", &MISSING).words("good.bin", &CLEAN);
    bench
}

#[test]
fn findings_and_exit_codes() {
    let bench = bench();
    let found = bench.run("lint --arch gfx900 bad.bin good.bin");
    let expected = "\
bad.bin: error vmcnt-read: a result of vector memory is read before it is there (v1)
  0x000000  global_load_dword v1, v[2:3], off
  0x000008  v_mov_b32_e32 v4, v1
  needs s_waitcnt vmcnt(0) between

1 error
2 files, 2 kernels (1 with findings), 7 instructions
";
    assert_eq!((found.code, found.stdout.as_str()), (1, expected), "{found:?}");
    let clean = bench.run("lint --arch gfx900 good.bin");
    assert_eq!((clean.code, clean.stdout.lines().next()), (0, Some("nothing found")), "{clean:?}");
    for (arguments, code) in [
        ("--fail-on none bad.bin", 0),
        ("--fail-on suspicious bad.bin", 0),
        ("--fail-on suspicious,vmcnt-read bad.bin", 1),
        ("--rules waw-vm-kind bad.bin", 0),
        ("--rules waw-vm-kind,vmcnt-read bad.bin", 1),
        ("--max 0 bad.bin", 1),
    ] {
        let ran = bench.run(&format!("lint --arch gfx900 {arguments}"));
        assert_eq!(ran.code, code, "{arguments}: {ran:?}");
    }
    let unread = bench.run("lint none.bin");
    assert!(unread.stdout.starts_with("nothing was read\n1 file unreadable"), "{unread:?}");
    bench.run("lint --fail-on errors bad.bin").fails(2, "'errors' is neither error");
    bench.run("lint --rules vmcnt bad.bin").fails(2, "unknown rule 'vmcnt'");
    bench.run("lint none.bin").fails(2, "none.bin: cannot read: no such file");
    bench.run("lint").fails(2, "PATHS");
    assert!(bench.run("lint --list-rules").stdout.contains("vmcnt-read"));
}

#[test]
fn archives_and_lists() {
    let bench = bench();
    bench.file("list.txt", "bad.bin\ngood.bin\n");
    let listed = bench.run("lint --arch gfx900 @list.txt");
    let named = bench.run("lint --arch gfx900 bad.bin good.bin");
    assert_eq!((listed.code, &listed.stdout), (1, &named.stdout), "{listed:?}");
    bench.file("a.tar", tar(&[("bad.bin", &bytes(&MISSING)), ("good.bin", &bytes(&CLEAN))]));
    let packed = bench.run("lint --arch gfx900 good.bin a.tar");
    assert!(packed.code == 1 && packed.stdout.starts_with("a.tar/bad.bin: error vmcnt-read"), "{packed:?}");
    assert!(packed.stdout.contains("3 files, 3 kernels (1 with findings)"), "{packed:?}");
    bench.run("lint @none.txt").fails(2, "list none.txt");
    bench.run("lint bad.bin --write-ledger -").fails(2, "a ledger is written to a file");
    bench.run("batch bad.bin --write-ledger -").fails(2, "a ledger is written to a file");
    let overwritten = bench.run("lint --arch gfx900 @list.txt --sarif good.bin");
    overwritten.fails(2, "good.bin");
}

/// The object has two kernels and the two functions that they call.
#[test]
fn functions_are_no_kernels() {
    let bench = Bench::new();
    bench.file("calls.co", elf("calls-v4-gfx900.co"));
    let ran = bench.run("lint calls.co");
    assert_eq!(ran.stdout.lines().last(), Some("1 file, 2 kernels and 2 functions, 82 instructions"), "{ran:?}");
}

#[test]
fn json_and_sarif() {
    let bench = bench();
    let ran = bench.run("lint --arch gfx900 --json --sarif out.sarif bad.bin good.bin");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    let finding = &lines[0];
    for (key, value) in [
        ("id", "vmcnt-read"),
        ("certainty", "error"),
        ("file", "bad.bin"),
        ("pc", "0x8"),
        ("registers", "v1"),
        ("counter", "vmcnt"),
    ] {
        assert_eq!(finding[key], value, "{finding}");
    }
    assert_eq!((&finding["producer"]["pc"], &finding["needed"]), (&"0x0".into(), &0.into()));
    assert_eq!((&lines[1]["record"], &lines[1]["findings"]), (&"summary".into(), &1.into()));
    let log: Value = serde_json::from_str(&bench.read("out.sarif")).unwrap();
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(
        (&log["version"], &result["ruleId"], &result["level"]),
        (&"2.1.0".into(), &"vmcnt-read".into(), &"error".into())
    );
    let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], "vmcnt-read");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["address"]["absoluteAddress"]),
        (&"bad.bin".into(), &8.into())
    );
    // On stdout nothing but the log is printed.
    let alone = bench.run("lint --arch gfx900 --sarif - bad.bin good.bin");
    assert_eq!((alone.code, alone.stdout), (1, bench.read("out.sarif")));
    bench.run("lint --arch gfx900 --sarif - --json bad.bin").fails(2, "both write to stdout");
}

#[test]
fn what_a_ledger_lists_does_not_fail_until_it_is_gone() {
    let bench = bench();
    assert_eq!(bench.run("lint --arch gfx900 --write-ledger known.txt bad.bin good.bin").code, 0);
    let known = bench.run("lint --arch gfx900 --ledger known.txt bad.bin good.bin");
    assert_eq!((known.code, known.stdout.lines().next()), (0, Some("nothing found; 1 known")), "{known:?}");
    let text = bench.read("known.txt");
    let line = text.lines().nth(1).unwrap();
    assert!(line.ends_with("  vmcnt-read  0x8  known (bad.bin)"), "{text}");
    // The line names the entry, but another place: the finding is new, and the line is out of date.
    bench.file("stale.txt", line.replace("0x8", "0x4"));
    let stale = bench.run("lint --arch gfx900 --ledger stale.txt bad.bin");
    assert!(stale.code == 1 && stale.stderr.contains("line 1: vmcnt-read is not found any more"), "{stale:?}");
    bench.file("bad.txt", "x");
    bench.run("lint --ledger bad.txt bad.bin").fails(2, "line 1: 'x' is no SHA-256");
    bench.run("lint --sarif bad.bin bad.bin").fails(2, "bad.bin");
}

/// Headings with long names are broken between words.
#[test]
fn lines_fit_the_width() {
    let bench = Bench::new();
    let name = format!("{}.bin", "n".repeat(60));
    bench.words(&name, &MISSING);
    let found = bench.command(&format!("lint --arch gfx900 {name}")).env("COLUMNS", "80").output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(found.starts_with(&format!("{name}: error\n    vmcnt-read\n  a result of vector memory")), "{found}");
    assert!(found.lines().all(|line| line.chars().count() <= 80), "{found}");
}

/// Lines of a batch have the number of findings.
#[test]
fn batches_count_findings() {
    let bench = bench();
    let ran = bench.run("batch --arch gfx900 --lint bad.bin good.bin");
    let counts: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["lint"].clone()).collect();
    assert_eq!(&counts[..2], [Value::from(1), Value::from(0)], "{ran:?}");
    let plain = bench.run("batch --arch gfx900 good.bin");
    assert!(!plain.stdout.contains("lint"), "{plain:?}");
}

/// No file makes the linter panic.
#[test]
fn files_of_any_bytes() {
    let bench = Bench::new();
    let mut rng = Rng::new(1);
    for i in 0..40 {
        let words: Vec<u32> = (0..200)
            .map(|_| {
                let word = rng.bits();
                // Many of the words are branches and waits.
                if word & 3 == 0 { 0xbf80_0000 | (word >> 8 & 0x1f_001f) } else { word }
            })
            .collect();
        bench.words(&format!("r{i}.bin"), &words);
    }
    for arch in ["gfx600", "gfx701", "gfx803", "gfx900"] {
        let ran = bench.run(&format!("lint --raw --pedantic --arch {arch} ."));
        assert!(ran.code == 1 && ran.stdout.contains("40 files"), "{ran:?}");
    }
}
