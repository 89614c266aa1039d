//! Names of files cannot control a terminal, because they are quoted as `ls` quotes them. Results have the plain names.
#![cfg(unix)]

use crate::batch_support;

use std::fs;

use batch_support::*;

/// A name that clears the screen and writes a line of its own.
const NASTY: &str = "\x1b[2J\ngcnsim: note: all is well";
const SHOWN: &str = r"'$'\033''[2J'$'\n''gcnsim: note: all is well";

#[track_caller]
fn is_clean(output: &std::process::Output, shown: usize) {
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(!all.contains('\x1b') && !all.contains("\ngcnsim: note: all is well"), "{all}");
    assert!(all.matches(SHOWN).count() >= shown, "{all}");
}

#[test]
fn batch_compare_and_merge() {
    let corpus = Corpus::new();
    let name = |end: &str| format!("d/{NASTY}{end}");
    corpus.shader(&name(".bin"), &[ILLEGAL]);
    corpus.shader(&name(" gone.bin"), &constant(7));
    corpus.shader(&name(" later.bin"), &countdown(7));
    let out = format!("{NASTY}.jsonl");
    let ledger = format!("{NASTY}.txt");
    // The name is shown as slowest, as longest, as the example of a fault, and as the ledger's own name.
    is_clean(&corpus.run(&["batch", "d", "--out", &out, "--write-ledger", &ledger], 0), 5);
    is_clean(&corpus.run(&["batch", "d", "--ledger", &ledger, "--out", "x.jsonl"], 0), 3);
    assert!(!corpus.text(&ledger).contains('\x1b'));
    assert_eq!(corpus.lines(&out)[2]["file"], name(".bin").as_str());

    is_clean(&corpus.run(&["batch", "d", "--out", &out], 2), 1);
    is_clean(&corpus.run(&["batch", "d", "--out", &out, "--resume"], 1), 1);
    is_clean(&corpus.run(&["batch", &name(" missing.bin"), &format!("@{NASTY}")], 2), 1);
    is_clean(&corpus.run(&["batch", "d", "--report", &name(".bin"), "--out", "y.jsonl"], 2), 1);

    fs::remove_file(corpus.path(&name(" gone.bin"))).unwrap();
    corpus.shader(&name(".bin"), &constant(1));
    corpus.shader(&name(" later.bin"), &countdown(8));
    let new = format!("{NASTY} new.jsonl");
    is_clean(&corpus.run(&["batch", "d", "--out", &new, "--baseline", &out], 1), 4);
    is_clean(&corpus.run(&["compare", &out, &new], 1), 3);
    let torn = format!("{NASTY} torn.jsonl");
    corpus.file(&torn, &corpus.text(&new)[..300]);
    is_clean(&corpus.run(&["compare", &torn, &torn], 1), 2);
    is_clean(&corpus.run(&["compare", &torn, &format!("{NASTY} missing")], 2), 1);

    let parts: Vec<_> = (1..=2).map(|i| format!("{NASTY} {i}.jsonl")).collect();
    for (i, part) in parts.iter().enumerate() {
        corpus.run(&["batch", "d", "--shard", &format!("{}/2", i + 1), "--out", part], 0);
    }
    let merged = format!("{NASTY} merged.jsonl");
    is_clean(&corpus.run(&["merge", &parts[0], &parts[0], "--out", &merged], 2), 2);
    is_clean(&corpus.run(&["merge", &parts[0], &torn, "--out", &merged], 2), 1);
    is_clean(&corpus.run(&["merge", &parts[0], &parts[1], "--out", &merged], 0), 1);
    is_clean(&corpus.run(&["merge", &parts[0], &parts[1], "--out", &merged], 2), 1);
}
