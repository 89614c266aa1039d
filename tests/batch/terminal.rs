//! Control characters of names and texts out of files do not reach the terminal.

use crate::batch_support;

use std::fs;

use batch_support::*;

/// Escape codes of colours and of the cursor, in 7 and 8 bits, a line break, and a character that turns text around.
const NAME: &str = "\x1b[31m\n<b>\u{9b}2J\r\u{202e}|`";

#[track_caller]
fn is_printable(what: &str, output: &std::process::Output) {
    for text in [text(&output.stdout), text(&output.stderr)] {
        let is_bad = |c: &char| c.is_control() && !"\n\t".contains(*c) || *c == '\u{202e}';
        assert!(!text.chars().any(|c| is_bad(&c)), "{what}: {text:?}");
        assert!(!text.contains("\n<b>"), "a line of its own in {what}: {text:?}");
    }
}

#[test]
fn names_of_launches_and_buffers_are_escaped() {
    let corpus = Corpus::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    corpus.file("k.co", fs::read(object).unwrap());
    let launch = |name: &str, n: u32| {
        serde_json::json!({
            "name": name, "kernel": "saxpy", "grid": 4, "group": 4,
            "args": [{"buffer": name}, {"buffer": "x"}, {"f32": 1}, {"i32": n}],
            "buffers": {name: {"f32": [1, 2, 3, 4]}, "x": {"f32": [1, 2, 3, 4]}},
            "expect": {"buffers": {name: {"f32": [1, 2, 3, 5]}}},
        })
    };
    let two = serde_json::json!({"launch": [launch(NAME, 4), launch("other", 4)]});
    corpus.file("k.json", two.to_string());
    for more in
        [&[][..], &["--profile"], &["--sanitize"], &["--only", "0", "--trace", "--dump-state", "-"], &["--only", "x"]]
    {
        let output = corpus.gcnsim(&[&["run", "k.co"], more].concat()).output().unwrap();
        is_printable(&format!("run {more:?}"), &output);
    }
    let batch = ["batch", "k.co", "--out", "o.jsonl", "--force", "--report", "o.html", "--junit", "o.xml"];
    is_printable("batch", &corpus.run(&batch, 1));
    for name in ["o.html", "o.xml"] {
        let text = corpus.text(name);
        assert!(!text.contains(['\x1b', '\u{9b}', '\u{202e}']), "{name}: {text}");
    }
    // Any field of results may have been changed.
    let name = serde_json::to_string(NAME).unwrap();
    let text = corpus.text("o.jsonl");
    for field in ["engine", "file", "kernel", "outcome", "launch", "state_hash", "isa", "arch"] {
        let changed = regex::Regex::new(&format!("\"{field}\":\"[^\"]*\"")).unwrap();
        let lines = changed.replace_all(&text, format!("\"{field}\":{name}").as_str());
        corpus.file("p.jsonl", lines.as_bytes());
        for more in [&[][..], &["--markdown"]] {
            for pair in [["o.jsonl", "p.jsonl"], ["p.jsonl", "o.jsonl"]] {
                let compare = [&["compare"], &pair[..], &["--allow-partial"], more].concat();
                is_printable(&format!("{field}: {compare:?}"), &corpus.gcnsim(&compare).output().unwrap());
            }
        }
    }
}
