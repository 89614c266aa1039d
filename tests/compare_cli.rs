//! `gcnsim compare` and `batch --baseline`, `--report`.
#![cfg(feature = "cli")]

mod batch_support;

use std::fs;

use batch_support::*;
use serde_json::Value;

fn compare_json(corpus: &Corpus, more: &[&str], code: i32) -> Value {
    let arguments: Vec<_> = ["compare", "old.jsonl", "new.jsonl", "--json"].iter().chain(more).copied().collect();
    serde_json::from_str(&text(&corpus.run(&arguments, code).stdout)).unwrap()
}

#[test]
fn two_runs_of_the_same_are_the_same() {
    let corpus = Corpus::mixed(50);
    corpus.run(&["batch", "d0", "--out", "old.jsonl"], 1);
    corpus.run(&["batch", "d0", "--force", "--out", "new.jsonl", "--jobs", "3"], 1);
    let found = compare_json(&corpus, &["--fail-on", "outcome,state,insts,notes,time,added,removed"], 0);
    assert_eq!((found["schema"].as_str(), found["matched"].as_u64()), (Some("gcnsim.compare.v1"), Some(50)));
    assert_eq!(found["different"], 0);
    let out = text(&corpus.run(&["compare", "old.jsonl", "new.jsonl"], 0).stdout);
    assert!(out.contains("results are the same"), "{out}");
}

/// A corpus with one change of each kind: see `found` below.
fn changed_corpus() -> Corpus {
    let corpus = Corpus::mixed(50);
    corpus.shader("d0/move.bin", &constant(0x777));
    corpus.run(&["batch", "d0", "--out", "old.jsonl"], 1);
    corpus.shader("d0/s00000.bin", &[0xb000_0000, ILLEGAL]);
    corpus.shader("d0/s00001.bin", &constant(0x555));
    corpus.shader("d0/s00008.bin", &countdown(6000));
    fs::rename(corpus.path("d0/move.bin"), corpus.path("d0/moved.bin")).unwrap();
    fs::remove_file(corpus.path("d0/s00002.bin")).unwrap();
    corpus.shader("d0/z.bin", &constant(0x666));
    corpus.run(&["batch", "d0", "--force", "--out", "new.jsonl"], 1);
    corpus
}

#[test]
fn every_change_is_listed() {
    let corpus = changed_corpus();
    let found = compare_json(&corpus, &[], 1);
    let names = |field: &str| -> Vec<String> {
        found[field].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("outcome"), ["d0/s00000.bin"]);
    assert_eq!(names("state"), ["d0/s00001.bin"]);
    assert_eq!(names("instructions"), ["d0/s00000.bin", "d0/s00008.bin"]);
    assert_eq!(found["renamed"][0][0], "d0/move.bin");
    assert_eq!((&found["added"][0], &found["removed"][0]), (&"d0/z.bin".into(), &"d0/s00002.bin".into()));
    assert_eq!(found["changed"].as_array().unwrap().len(), 3);
    let kinds: Vec<_> = found["regressions"].as_array().unwrap().iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["outcome", "state", "insts", "removed"]);
}

#[test]
fn fail_on_decides_the_exit_code() {
    let corpus = changed_corpus();
    for (list, code) in [
        ("none", 0),
        ("time:5%", 0),
        ("notes", 0),
        ("insts:200%", 0),
        ("insts:19%", 1),
        ("state", 1),
        ("added", 1),
        ("removed", 1),
        ("outcome,time", 1),
        ("outcome,state,insts,removed", 1),
    ] {
        corpus.run(&["compare", "old.jsonl", "new.jsonl", "--fail-on", list], code);
    }
    corpus.run(&["compare", "old.jsonl", "new.jsonl", "--fail-on", "speed"], 2);
}

#[test]
fn other_forms() {
    let corpus = changed_corpus();
    let out = corpus.run(&["compare", "old.jsonl", "new.jsonl", "--markdown", "--junit", "j.xml"], 1);
    let markdown = text(&out.stdout);
    assert!(markdown.starts_with("### gcnsim: regressions found\n"), "{markdown}");
    assert!(markdown.contains("<summary>Renamed (1)</summary>"), "{markdown}");
    let xml = fs::read_to_string(corpus.path("j.xml")).unwrap();
    assert!(xml.contains("<testcase classname=\"gcnsim.outcome\" name=\"d0/s00000.bin\">"), "{xml}");
    assert!(xml.contains("tests=\"7\" failures=\"5\""), "{xml}");
    let people = text(&corpus.run(&["compare", "old.jsonl", "new.jsonl"], 1).stdout);
    for part in ["Outcome (1)", "ended   fault: illegal-", "Added (1)", "speed was not compared", "REGRESSION (state)"]
    {
        assert!(people.contains(part), "{part}\n{people}");
    }
}

#[test]
fn other_corpora_are_matched_by_content_and_listed() {
    let corpus = Corpus::mixed(100);
    corpus.run(&["batch", "d0", "--out", "old.jsonl"], 1);
    corpus.run(&["batch", "d1", "--force", "--out", "new.jsonl"], 1);
    let found = compare_json(&corpus, &["--fail-on", "none"], 0);
    assert_eq!((found["added"].as_array().unwrap().len(), found["matched"].as_u64()), (50, Some(0)));
    fs::rename(corpus.path("d0"), corpus.path("elsewhere")).unwrap();
    corpus.run(&["batch", "elsewhere", "--force", "--out", "new.jsonl"], 1);
    let found = compare_json(&corpus, &[], 0);
    assert_eq!((found["matched"].as_u64(), found["renamed"].as_array().unwrap().len()), (Some(50), 0));
}

#[test]
fn unreadable_results_are_named() {
    let corpus = Corpus::mixed(10);
    corpus.run(&["batch", "d0", "--out", "old.jsonl"], 1);
    let whole = fs::read_to_string(corpus.path("old.jsonl")).unwrap();
    for (content, message) in [
        (whole.replace("batch.v1", "batch.v7"), "line 1: schema gcnsim.batch.v7: this version reads gcnsim.batch.v1"),
        (whole.replace("\"outcome\":\"ended\"", "\"outcome\":\"done\""), "line 1: unknown outcome 'done'"),
        ("no results at all".to_owned(), "line 1: not a line of batch results"),
        ("[]\n".to_owned(), "line 1:"),
        ("{\"schema\":\"gcnsim.run.v1\"}\n".to_owned(), "schema gcnsim.run.v1"),
    ] {
        corpus.file("new.jsonl", content);
        let error = text(&corpus.run(&["compare", "old.jsonl", "new.jsonl"], 2).stderr);
        assert!(error.contains("new.jsonl") && error.contains(message), "{message}: {error}");
    }
    corpus.run(&["compare", "old.jsonl", "missing.jsonl"], 2);
    corpus.run(&["compare", "old.jsonl", "d0"], 2);
}

#[test]
fn a_baseline_and_a_report() {
    let corpus = changed_corpus();
    let odd = "d0/<b>&\"q\".bin";
    corpus.shader(odd, &[ILLEGAL]);
    let arguments = ["batch", "d0", "--force", "--out", "new.jsonl", "--baseline", "old.jsonl", "--report", "r.html"];
    let out = text(&corpus.run(&arguments, 1).stdout);
    assert!(out.contains("compared with old.jsonl") && out.contains("REGRESSION (outcome): 1"), "{out}");
    let page = fs::read_to_string(corpus.path("r.html")).unwrap();
    for part in
        ["<svg", "Compared with old.jsonl", "v_interp_p1_f32", "Slowest shaders", "d0/&lt;b&gt;&amp;&quot;q&quot;.bin"]
    {
        assert!(page.contains(part), "{part}");
    }
    // The page has the facts of the run, failures in groups, and a box that filters rows.
    for part in ["<dt>command</dt><dd>", " batch d0 --force --out new.jsonl --baseline old.jsonl --report r.html</dd>"]
    {
        assert!(page.contains(part), "{part}");
    }
    for fact in ["gcnsim", "date", "CPU", "cores", "engine", "options", "corpus"] {
        assert!(page.contains(&format!("<dt>{fact}</dt><dd>")), "{fact}");
    }
    assert!(page.contains("<h2>Failures by reason</h2>") && page.contains("<input id=\"filter\""));
    // The page is self-contained: it loads nothing.
    for part in ["http://", "https://", "src=", "href=", "@import", "url("] {
        let found = page.matches(part).count()
            - page.matches("http://www.w3.org/2000/svg").count() * usize::from(part == "http://");
        assert_eq!(found, 0, "{part}");
    }
    // The results themselves may be the baseline.
    let arguments = ["batch", "d0", "--force", "--out", "new.jsonl", "--baseline", "new.jsonl"];
    let out = text(&corpus.run(&arguments, 1).stdout);
    assert!(out.contains("results are the same"), "{out}");
}
