//! Ledgers of known failures.

use crate::batch_support;

use std::fs;

use batch_support::*;

#[test]
fn listed_failures_are_fine_and_surprises_are_not() {
    let corpus = Corpus::mixed(50);
    corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl"], 1);
    corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--write-ledger", "known.txt"], 0);
    corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--ledger", "known.txt"], 0);
    let ledger = fs::read_to_string(corpus.path("known.txt")).unwrap();
    assert_eq!(ledger.lines().filter(|line| !line.starts_with('#')).count(), 15);
    assert!(ledger.contains("  unsupported  s_mov_regrd_b32: "), "{ledger}");

    // The failure of d0/new.bin is not in the ledger.
    corpus.shader("d0/new.bin", &[0xb001_0001, ILLEGAL]);
    let out = text(&corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--ledger", "known.txt"], 1).stdout);
    assert!(out.contains("15 failures as listed, 1 not listed, 0 unexpected passes"), "{out}");
    let surprises = out.split_once("not as the ledger says\n").unwrap().1;
    assert!(surprises.starts_with("        1  fault        illegal-instruction"), "{out}");
    assert!(surprises.contains("d0/new.bin") && !out.contains("s_mov_regrd_b32"), "{out}");
    fs::remove_file(corpus.path("d0/new.bin")).unwrap();

    // The shader fails in another way than listed.
    let changed = ledger.replace("  unsupported  ", "  fault  ");
    corpus.file("other.txt", changed);
    corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--ledger", "other.txt"], 1);

    // A listed shader passes.
    let hash = corpus.lines("r.jsonl")[0]["sha256"].as_str().unwrap().to_owned();
    corpus.file("pass.txt", format!("{ledger}{hash} fault  it used to\n"));
    let out = text(&corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--ledger", "pass.txt"], 1).stdout);
    assert!(
        out.contains("1 unexpected passes") && out.contains("1  ended        though the ledger expects a failure"),
        "{out}"
    );
}

#[test]
fn reasons_are_kept_when_a_ledger_is_written_anew() {
    let corpus = Corpus::mixed(10);
    corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--write-ledger", "a.txt"], 0);
    let ledger = fs::read_to_string(corpus.path("a.txt")).unwrap();
    let line = ledger.lines().find(|line| line.contains("unsupported")).unwrap();
    let mine = format!("{}  unsupported  waits for memory", &line[..64]);
    corpus.file("b.txt", ledger.replace(line, &mine));
    corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--ledger", "b.txt", "--write-ledger", "c.txt"], 0);
    assert!(fs::read_to_string(corpus.path("c.txt")).unwrap().contains("waits for memory"));
}

/// A ledger by name still applies when the code changes. Lines that no entry met are reported.
#[test]
fn ledgers_may_go_by_name() {
    let corpus = Corpus::new();
    let odd = "d/odd \"name\"\n.bin";
    corpus.shader(odd, &[ILLEGAL]);
    corpus.shader("d/b.bin", &[0xb000_0001, ILLEGAL]);
    corpus.file("d/bad.bin", [1; 5]);
    corpus.shader("d/good.bin", &constant(1));
    let batch = |more: &[&str], code: i32| {
        let arguments = [&["batch", "d", "--out", "r.jsonl", "--force"], more].concat();
        text(&corpus.run(&arguments, code).stdout)
    };
    batch(&["--write-ledger", "names.txt", "--ledger-by-name"], 0);
    batch(&["--write-ledger", "hashes.txt"], 0);
    let names = corpus.text("names.txt");
    assert!(names.contains("\n\"d/b.bin\"  fault  illegal-instruction\n"), "{names}");
    assert!(names.contains(r#""d/odd \"name\"\n.bin"  fault  "#), "{names}");
    batch(&["--ledger", "names.txt"], 0);
    // The entry gets other bytes that fail in the same way.
    corpus.shader("d/b.bin", &[0xb000_0002, ILLEGAL]);
    let out = batch(&["--ledger", "names.txt"], 0);
    assert!(out.contains("3 failures as listed, 0 not listed") && !out.contains("not met"), "{out}");
    let out = batch(&["--ledger", "hashes.txt"], 1);
    assert!(out.contains("lines of the ledger that were not met (1)\n") && out.contains("not here"), "{out}");
    // A ledger of the other kind keeps the reasons.
    corpus.file("names.txt", names.replace("  fault  illegal-instruction\n", "  fault  as ever\n"));
    batch(&["--ledger", "names.txt", "--write-ledger", "new.txt"], 0);
    assert!(corpus.text("new.txt").contains("  fault  as ever"), "{}", corpus.text("new.txt"));
    // One entry of the ledger is repaired, and the file of another one is gone.
    corpus.shader("d/b.bin", &constant(2));
    fs::remove_file(corpus.path("d/bad.bin")).unwrap();
    let out = batch(&["--ledger", "names.txt"], 1);
    for part in [
        "lines of the ledger that were not met (2)\n",
        "ends now      fault        as ever (d/b.bin)",
        "not here      bad-input",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    corpus.file("torn.txt", "\"d/b.bin fault x\n");
    let error = text(&corpus.run(&["batch", "d", "--ledger", "torn.txt"], 2).stderr);
    assert!(error.contains("line 1: a name is not closed"), "{error}");
}

#[test]
fn a_broken_ledger_is_named() {
    let corpus = Corpus::mixed(10);
    corpus.file("l.txt", "# fine\nabc fault why\n");
    let error = text(&corpus.run(&["batch", "d0", "--ledger", "l.txt"], 2).stderr);
    assert!(error.contains("line 2: 'abc' is no SHA-256"), "{error}");
}

/// Results as Mesa's deqp-runner has them, and its lists of known failures.
#[test]
fn lists_of_deqp_runner_are_written_and_read() {
    let corpus = Corpus::new();
    corpus.shader("d/a,b.bin", &[ILLEGAL]);
    corpus.shader("d/endless.bin", &[FOREVER]);
    corpus.shader("d/good.bin", &constant(1));
    corpus.shader("d/odd.bin", &[UNDOCUMENTED, ENDPGM]);
    let batch = |more: &[&str], code: i32| {
        let arguments = [&["batch", "d", "--out", "r.jsonl", "--force", "--deqp-csv", "r.csv"], more].concat();
        (text(&corpus.run(&arguments, code).stdout), corpus.text("r.csv"))
    };
    let (_, csv) = batch(&["--write-ledger", "gfx900-fails.txt"], 0);
    assert_eq!(csv, "\"d/a,b.bin\",Crash\nd/endless.bin,Timeout\nd/good.bin,Pass\nd/odd.bin,Fail\n");
    let list = corpus.text("gfx900-fails.txt");
    let lines: Vec<&str> = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(lines, ["\"d/a,b.bin\",Crash", "d/endless.bin,Timeout", "d/odd.bin,Fail"]);
    // As others write it, with one entry that ends, and one that is not listed.
    corpus.file(
        "gfx900-fails.txt",
        "# the table is odd\nd/a,b.bin,Crash\n\n# waits\nd/endless.bin,Timeout\nd/good.bin,Fail\n",
    );
    let (out, csv) = batch(&["--ledger", "gfx900-fails.txt", "--write-ledger", "next-fails.txt"], 1);
    let expected = "\"d/a,b.bin\",ExpectedFail\nd/endless.bin,ExpectedFail\n\
                    d/good.bin,UnexpectedImprovement(Pass)\nd/odd.bin,Fail\n";
    assert_eq!(csv, expected);
    assert!(out.contains("2 failures as listed, 1 not listed, 1 unexpected passes"), "{out}");
    let next = corpus.text("next-fails.txt");
    assert!(
        next.contains("# the table is odd\n\"d/a,b.bin\",Crash\n") && next.contains("# waits\nd/endless.bin,"),
        "{next}"
    );
    batch(&["--ledger", "next-fails.txt"], 0);
    corpus.file("bad-fails.txt", "d/good.bin,Pass\n");
    let error = text(&corpus.run(&["batch", "d", "--ledger", "bad-fails.txt"], 2).stderr);
    assert!(error.contains("bad-fails.txt: line 1: 'Pass': expected Fail, Crash or Timeout"), "{error}");
}
