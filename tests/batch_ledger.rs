//! Ledgers of known failures.
#![cfg(feature = "cli")]

mod batch_support;

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
    assert!(ledger.contains("  unsupported  v_interp_p1_f32: "), "{ledger}");

    // This failure is not listed.
    corpus.shader("d0/new.bin", &[0xb001_0001, ILLEGAL]);
    let out = text(&corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl", "--ledger", "known.txt"], 1).stdout);
    assert!(out.contains("15 failures as listed, 1 not listed, 0 unexpected passes"), "{out}");
    let surprises = out.split_once("not as the ledger says\n").unwrap().1;
    assert!(surprises.starts_with("        1  fault        illegal-instruction"), "{out}");
    assert!(surprises.contains("d0/new.bin") && !out.contains("v_interp_p1_f32"), "{out}");
    fs::remove_file(corpus.path("d0/new.bin")).unwrap();

    // The shader now fails in another way than listed.
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

#[test]
fn a_broken_ledger_is_named() {
    let corpus = Corpus::mixed(10);
    corpus.file("l.txt", "# fine\nabc fault why\n");
    let error = text(&corpus.run(&["batch", "d0", "--ledger", "l.txt"], 2).stderr);
    assert!(error.contains("line 2: 'abc' is no SHA-256"), "{error}");
}
