//! The record that closes results. A comparison must not pass because results were lost.

use crate::batch_support;

use std::fs;

use batch_support::*;
use serde_json::Value;

const ALL: &[&str] = &["d0", "d1"];

fn last(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// Returns the lines before the record.
fn results(text: &str) -> &str {
    let end = text[..text.len() - 1].rfind('\n').unwrap() + 1;
    &text[..end]
}

#[test]
fn complete_results_end_with_a_record() {
    let corpus = Corpus::mixed(100);
    let elf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    corpus.file("d0/k.co", elf);
    corpus.file("d1/odd.bin", [1; 5]);
    let mut records = Vec::new();
    for (jobs, more) in [("1", &[][..]), ("4", &[]), ("2", &["--repeat", "3"]), ("2", &["--interp"])] {
        let arguments = [&["batch"], ALL, &["--force", "--out", "r.jsonl", "--jobs", jobs], more].concat();
        corpus.run(&arguments, 1);
        let text = corpus.text("r.jsonl");
        let record = last(&text);
        assert_eq!(without_version(&text), closed(results(&text), None));
        assert_eq!((&record["entries"], &record["shard"]), (&103.into(), &Value::Null));
        records.push(record["digest"].clone());
    }
    // Times do not count, but the engine does.
    assert!(records[0] == records[1] && records[0] == records[2], "{records:?}");
    assert_eq!(records[0] != records[3], cfg!(feature = "jit"), "{records:?}");
    // The record is also on stdout, and in a shard.
    let out = text(&corpus.run(&[&["batch"], ALL].concat(), 1).stdout);
    assert_eq!(last(&out)["digest"], records[0]);
    let out = text(&corpus.run(&[&["batch"], ALL, &["--shard", "2/3"]].concat(), 1).stdout);
    assert_eq!(without_version(&out), closed(results(&out), Some("2/3")));
}

/// Returns a corpus with the results of 50 shaders that all end, in `old.jsonl`, and the text of these.
fn fine() -> (Corpus, String) {
    let corpus = Corpus::new();
    for i in 0..50 {
        corpus.shader(&format!("d0/s{i:02}.bin"), &constant(i));
    }
    corpus.run(&["batch", "d0", "--out", "old.jsonl"], 0);
    let text = corpus.text("old.jsonl");
    (corpus, text)
}

#[test]
fn a_comparison_does_not_pass_by_losing_results() {
    let (corpus, whole) = fine();
    let half: String = whole.split_inclusive('\n').take(25).collect();
    let gap: String = whole.split_inclusive('\n').enumerate().filter(|(i, _)| *i != 7).map(|(_, line)| line).collect();
    let changed = whole.replacen("\"notes\":[]", "\"notes\":[\"setkill\"]", 1);
    let compare = |content: &str, more: &[&str], code| {
        corpus.file("new.jsonl", content);
        let output = corpus.run(&[&["compare", "old.jsonl", "new.jsonl"], more].concat(), code);
        text(&output.stdout) + &text(&output.stderr)
    };
    compare(&whole, &[], 0);
    for (content, why) in [
        (half.as_str(), "REGRESSION (incomplete): new.jsonl is not complete: it has no closing record"),
        ("", "REGRESSION (incomplete): new.jsonl is not complete"),
        (&whole[..whole.len() - 20], "it has no closing record"),
        (&whole[..1000], "it has no closing record"),
        (&gap, "49 results, but its closing record speaks of 50"),
        (&changed, "its lines have the digest"),
    ] {
        let out = compare(content, &["--fail-on", "outcome"], 1);
        assert!(out.contains(why), "{why}\n{out}");
        compare(content, &["--fail-on", "none"], 0);
    }
    // With the flag they are compared: the common part is the same, but half of the entries are gone.
    let out = compare(&half, &["--allow-partial"], 1);
    assert!(
        out.contains("REGRESSION (removed): 25 removed") && out.contains("note: new.jsonl is not complete"),
        "{out}"
    );
    assert!(!out.contains("REGRESSION (incomplete)"), "{out}");
    compare(&half, &["--allow-partial", "--fail-on", "outcome,state"], 0);
    compare(&changed, &["--allow-partial"], 0);
    // One shader is missing, and the closing record agrees.
    let out = compare(&closed(results(&gap), None), &[], 1);
    assert!(out.contains("REGRESSION (removed): 1 removed"), "{out}");
    // There are no shaders, and the closing record agrees.
    for more in [&[][..], &["--fail-on", "time"], &["--allow-partial", "--fail-on", "state"]] {
        let out = compare(&closed("", None), more, 1);
        assert!(out.contains("REGRESSION (nothing-compared): no shader is in both"), "{out}");
    }
    compare(&closed("", None), &["--fail-on", "none"], 0);
}

#[test]
fn other_forms_say_it_too() {
    let (corpus, whole) = fine();
    corpus.file("new.jsonl", &whole[..whole.len() / 2]);
    let arguments = ["compare", "old.jsonl", "new.jsonl", "--json", "--junit", "j.xml"];
    let found: Value = serde_json::from_str(&text(&corpus.run(&arguments, 1).stdout)).unwrap();
    assert_eq!(found["regressions"][0]["kind"], "incomplete");
    let xml = corpus.text("j.xml");
    assert!(xml.contains(r#"<testcase classname="gcnsim.incomplete" name="new.jsonl">"#), "{xml}");
    let markdown = text(&corpus.run(&["compare", "old.jsonl", "new.jsonl", "--markdown"], 1).stdout);
    assert!(markdown.contains("### gcnsim: regressions found") && markdown.contains("is not complete"), "{markdown}");
}

/// Results of versions that wrote no record are compared, with a note.
#[test]
fn an_old_file_without_a_record_is_noted() {
    let (corpus, whole) = fine();
    corpus.file("new.jsonl", &whole);
    corpus.file("old.jsonl", results(&whole));
    let output = corpus.run(&["compare", "old.jsonl", "new.jsonl"], 0);
    assert!(text(&output.stderr).contains("note: old.jsonl is not complete: it has no closing record"));
    let output = corpus.run(&["batch", "d0", "--out", "r.jsonl", "--baseline", "old.jsonl"], 0);
    assert!(text(&output.stderr).contains("note: old.jsonl is not complete: it has no closing record"));
}

/// The record counts only results.
#[test]
fn lines_of_other_schemas_are_skipped() {
    let (corpus, whole) = fine();
    let lines = format!("{{\"schema\":\"gcnsim.batch-head.v9\",\"x\":1}}\n{}", results(&whole));
    // The file has one line more than it has results.
    let record = closed(&lines, None).replace("\"entries\":51", "\"entries\":50");
    corpus.file("new.jsonl", &record);
    corpus.run(&["compare", "old.jsonl", "new.jsonl"], 0);
    corpus.file("new.jsonl", record.replace("\"x\":1", "\"x\":2"));
    corpus.run(&["compare", "old.jsonl", "new.jsonl"], 1);
}

#[test]
fn a_baseline_does_not_pass_by_losing_shaders() {
    let (corpus, _) = fine();
    for i in 5..50 {
        fs::remove_file(corpus.path(&format!("d0/s{i:02}.bin"))).unwrap();
    }
    let out = text(&corpus.run(&["batch", "d0", "--out", "r.jsonl", "--baseline", "old.jsonl"], 1).stdout);
    assert!(out.contains("REGRESSION (removed): 45 removed"), "{out}");
    corpus.shader("e/other.bin", &constant(999));
    let out = text(&corpus.run(&["batch", "e", "--force", "--out", "r.jsonl", "--baseline", "old.jsonl"], 1).stdout);
    assert!(out.contains("REGRESSION (nothing-compared)"), "{out}");
}

/// An entry of the baseline that is missing in a shard may be in another shard, unless the shard had it before.
#[test]
fn a_shard_has_a_baseline_too() {
    let (corpus, _) = fine();
    let shard = ["batch", "d0", "--shard", "1/2"];
    let output = corpus.run(&[&shard[..], &["--out", "part.jsonl", "--baseline", "old.jsonl"]].concat(), 0);
    assert!(text(&output.stderr).contains("this is shard 1/2 only"), "{}", text(&output.stderr));
    let lost = strings(&corpus.lines("part.jsonl"), "file")[0].clone();
    fs::remove_file(corpus.path(&lost)).unwrap();
    let arguments = [&shard[..], &["--out", "again.jsonl", "--baseline", "part.jsonl"]].concat();
    let out = text(&corpus.run(&arguments, 1).stdout);
    assert!(out.contains("REGRESSION (removed): 1 removed"), "{out}");
}
