//! `gcnsim compare` and `batch --baseline`, `--report`.

use crate::batch_support;

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
    let found = compare_json(&corpus, &["--fail-on", "outcome,state,insts,notes,added,removed"], 0);
    assert_eq!((found["schema"].as_str(), found["matched"].as_u64()), (Some("gcnsim.compare.v1"), Some(50)));
    assert_eq!(found["different"], 0);
    let out = text(&corpus.run(&["compare", "old.jsonl", "new.jsonl"], 0).stdout);
    assert!(out.contains("results are the same"), "{out}");
}

/// Returns a corpus with results from before one change of each kind: see `found` below.
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
        ("time:5%", 1),
        ("insts:+200%", 0),
        ("insts:+19%", 1),
        ("insts:-99%", 0),
        ("insts:-1%", 1),
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

/// Longer and shorter shaders are counted apart, and shorter ones are no regression.
#[test]
fn fewer_instructions_are_no_regression() {
    let corpus = Corpus::new();
    let shaders = |counts: [u32; 4]| {
        for (name, count) in ["a", "b", "c", "d"].iter().zip(counts) {
            corpus.shader(&format!("d/{name}.bin"), &countdown(count));
        }
    };
    shaders([1000, 1000, 1000, 1000]);
    corpus.run(&["batch", "d", "--out", "old.jsonl"], 0);
    shaders([1000, 500, 10, 1000]);
    corpus.run(&["batch", "d", "--out", "shorter.jsonl"], 0);
    shaders([1000, 500, 1100, 4000]);
    corpus.run(&["batch", "d", "--out", "mixed.jsonl"], 0);
    let compare = |new: &str, list: &str, code: i32| {
        text(&corpus.run(&["compare", "old.jsonl", new, "--fail-on", list], code).stdout)
    };
    let out = compare("shorter.jsonl", "outcome,insts,removed", 0);
    assert!(out.contains("instructions: 0 longer, 2 shorter;") && out.contains("Shorter (2)"), "{out}");
    assert!(!out.contains("Longer (") && !out.contains("REGRESSION"), "{out}");
    let out = compare("shorter.jsonl", "insts:-1%", 1);
    assert!(out.contains("REGRESSION (fewer-insts): 2 with more than 1 % fewer instructions"), "{out}");
    let out = compare("mixed.jsonl", "insts", 1);
    assert!(out.contains("REGRESSION (insts): 2 with more instructions"), "{out}");
    let (longer, shorter) = (out.find("Longer (2)").unwrap(), out.find("Shorter (1)").unwrap());
    assert!(longer < shorter && out[longer..shorter].contains("d/d.bin"), "{out}");
    compare("mixed.jsonl", "insts:+200%", 1);
    compare("mixed.jsonl", "insts:+400%", 0);
    // A countdown from n executes 3 n + 2 instructions.
    let ratio = |old: f64, new: f64| (3.0 * new + 2.0) / (3.0 * old + 2.0);
    let mean = (ratio(1000.0, 500.0) * ratio(1000.0, 1100.0) * ratio(1000.0, 4000.0)).powf(0.25);
    let old = corpus.lines("old.jsonl");
    assert_eq!(old[0]["instructions"], 3 * 1000 + 2, "{}", old[0]);
    let json = text(&corpus.run(&["compare", "old.jsonl", "mixed.jsonl", "--json"], 1).stdout);
    let lengths = &serde_json::from_str::<Value>(&json).unwrap()["lengths"];
    assert_eq!((&lengths["longer"], &lengths["shorter"], &lengths["compared"]), (&2.into(), &1.into(), &4.into()));
    assert!((lengths["geometric_mean"].as_f64().unwrap() - mean).abs() < 1e-9, "{lengths}");
    assert!(out.contains(&format!("geometric mean of now/before {mean:.4}")), "{mean}: {out}");
}

/// A comparison with `--fail-on time` fails if nothing was timed.
#[test]
fn times_that_were_not_taken_are_a_failure() {
    let corpus = Corpus::mixed(10);
    corpus.run(&["batch", "d0", "--out", "old.jsonl"], 1);
    corpus.run(&["batch", "d0", "--out", "new.jsonl"], 1);
    let arguments = ["compare", "old.jsonl", "new.jsonl", "--fail-on", "time:5%", "--junit", "j.xml"];
    let out = text(&corpus.run(&arguments, 1).stdout);
    let message = "REGRESSION (nothing-timed): no run time was compared: ";
    assert!(out.contains(message), "{out}");
    assert!(fs::read_to_string(corpus.path("j.xml")).unwrap().contains("failure type=\"nothing-timed\""));
    corpus.run(&["compare", "old.jsonl", "new.jsonl", "--fail-on", "outcome,state"], 0);
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
    assert!(xml.contains("tests=\"6\" failures=\"4\""), "{xml}");
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
        ["<svg", "Compared with old.jsonl", "s_mov_regrd_b32", "Slowest shaders", "d0/&lt;b&gt;&amp;&quot;q&quot;.bin"]
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

const PARTS: [(&str, &[u8]); 4] = [
    ("host-x86_64-unknown-linux-gnu-", b""),
    ("hipv4-amdgcn-amd-amdhsa--gfx900", GFX900),
    ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack+", GFX906),
    ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack-", GFX906),
];

/// Lines and names of entries state the part of a bundle.
#[test]
fn parts_of_bundles_are_named_in_lines() {
    let corpus = Corpus::new();
    corpus.file("x.hipfb", bundle(&PARTS));
    corpus.file("x.co", GFX900);
    corpus.run(&["batch", "x.hipfb", "x.co", "--out", "r.jsonl", "--write-ledger", "l.txt"], 0);
    let parts: Vec<_> = corpus.lines("r.jsonl").iter().map(|l| (l["target"].clone(), l["bundle"].clone())).collect();
    let found: Vec<_> = parts.iter().map(|(target, index)| (target.as_str(), index.as_u64())).collect();
    let [a, b, c] = [("gfx900", 1), ("gfx906:xnack+", 2), ("gfx906:xnack-", 3)].map(|(t, i)| (Some(t), Some(i)));
    assert_eq!(found, [a, a, b, b, c, c, (None, None), (None, None)]);
    // Both parts have the same code, but the ledger lists only one of them.
    let ledger = corpus.text("l.txt");
    assert!(ledger.contains("@gfx906:xnack+  ") && ledger.contains("@gfx906:xnack-  "), "{ledger}");
    corpus.run(&["batch", "x.hipfb", "--force", "--out", "r.jsonl", "--write-ledger", "l.txt"], 0);
    corpus.run(&["batch", "x.hipfb", "--force", "--out", "r.jsonl", "--ledger", "l.txt"], 0);
    let ledger = corpus.text("l.txt");
    let without: String =
        ledger.lines().filter(|line| !line.contains("@gfx906:xnack- ")).map(|l| format!("{l}\n")).collect();
    corpus.file("l.txt", without);
    let out = corpus.run(&["batch", "x.hipfb", "--force", "--out", "r.jsonl", "--ledger", "l.txt"], 1);
    assert!(text(&out.stdout).contains("x.hipfb [gfx906:xnack-]: "), "{}", text(&out.stdout));

    let arguments = ["run", "x.hipfb", "--kernel", "first", "--arch", "gfx900", "--json", "--max-insts", "10"];
    let output = corpus.gcnsim(&arguments).output().unwrap();
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!((&report["target"], &report["bundle"]), (&"gfx900".into(), &1.into()));
}

#[test]
fn bundles_in_another_order_are_equal() {
    let corpus = Corpus::new();
    let results = |parts: &[(&str, &[u8])], out: &str| {
        corpus.file("x.hipfb", bundle(parts));
        corpus.gcnsim(&["batch", "x.hipfb", "--max-insts", "100", "--out", out]).output().unwrap();
    };
    results(&PARTS, "old.jsonl");
    let mut reversed = PARTS;
    reversed.reverse();
    results(&reversed, "new.jsonl");
    let found = compare_json(&corpus, &["--fail-on", "outcome,state,insts,notes,added,removed"], 0);
    assert_eq!((&found["matched"], &found["different"]), (&6.into(), &0.into()), "{found}");
    assert_eq!((&found["changed"], &found["renamed"]), (&Value::Array(vec![]), &Value::Array(vec![])), "{found}");

    // One part is gone, and one is new.
    fs::remove_file(corpus.path("new.jsonl")).unwrap();
    results(&[PARTS[3], ("hip-amdgcn-amd-amdhsa--gfx803", GFX803), PARTS[1]], "new.jsonl");
    let found = compare_json(&corpus, &[], 1);
    let names = |field: &str| {
        let names = found[field].as_array().unwrap().iter();
        names.map(|name| name.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("added"), ["x.hipfb [gfx803]: first", "x.hipfb [gfx803]: second"]);
    assert_eq!(names("removed"), ["x.hipfb [gfx906:xnack+]: first", "x.hipfb [gfx906:xnack+]: second"]);

    // The target ids are equal. So content decides first, then the order.
    fs::remove_file(corpus.path("new.jsonl")).unwrap();
    fs::remove_file(corpus.path("old.jsonl")).unwrap();
    let name = "hip-amdgcn-amd-amdhsa--gfx906";
    results(&[(name, GFX900), (name, GFX906)], "old.jsonl");
    results(&[(name, GFX906), (name, GFX900)], "new.jsonl");
    let found = compare_json(&corpus, &[], 0);
    assert_eq!((&found["matched"], &found["different"]), (&4.into(), &0.into()), "{found}");
    fs::remove_file(corpus.path("new.jsonl")).unwrap();
    results(&[(name, GFX906)], "new.jsonl");
    let found = compare_json(&corpus, &[], 1);
    // Both parts have this code, so they are paired in order.
    assert_eq!(found["removed"][0], "x.hipfb [gfx906 #1]: first");
}

/// Results of older versions have no parts in their lines.
#[test]
fn results_without_parts_can_be_compared() {
    let corpus = Corpus::new();
    corpus.file("x.hipfb", bundle(&PARTS));
    corpus.gcnsim(&["batch", "x.hipfb", "--max-insts", "100", "--out", "new.jsonl"]).output().unwrap();
    let old: String = corpus
        .text("new.jsonl")
        .lines()
        .filter(|line| !line.contains("batch-end"))
        .map(|line| {
            let (before, rest) = line.split_once(r#","target":"#).unwrap();
            let (_, after) = rest.split_once(r#","outcome":"#).unwrap();
            format!("{before},\"outcome\":{after}\n")
        })
        .collect();
    corpus.file("old.jsonl", closed(&old, None));
    let found = compare_json(&corpus, &["--fail-on", "outcome,state,insts,notes,added,removed"], 0);
    assert_eq!((&found["matched"], &found["different"]), (&6.into(), &0.into()), "{found}");
}
