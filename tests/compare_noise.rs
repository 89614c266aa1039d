//! Two runs of the same binary do not report a regression; a real one is found.
//!
//! `GCNSIM_NOISE_PAIRS=30 cargo test --release --test compare_noise` is the honest test: that many pairs, on the machine as it is. One
//! false alarm in thirty is allowed. Without the variable there are three pairs.

mod batch_support;

use std::sync::{Mutex, MutexGuard};

use batch_support::*;
use serde_json::Value;

/// Two tests that take times beside each other would disturb each other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Shaders that run for some tens of microseconds up to a few milliseconds.
fn corpus() -> Corpus {
    let corpus = Corpus::new();
    for i in 0..24 {
        corpus.shader(&format!("d/loop{i:02}.bin"), &countdown(20_000 + 5_000 * i));
    }
    corpus
}

fn sample(corpus: &Corpus, out: &str) {
    corpus.run(&["batch", "d", "--interp", "--jobs", "1", "--repeat", "11", "--warmup", "1", "--out", out], 0);
}

fn compare(corpus: &Corpus, old: &str, new: &str) -> (Value, bool) {
    let arguments = ["compare", old, new, "--json", "--fail-on", "outcome,state,insts,time:5%"];
    let output = corpus.gcnsim(&arguments).output().unwrap();
    let found = serde_json::from_str(&text(&output.stdout)).unwrap();
    (found, output.status.code() == Some(1))
}

#[test]
fn the_same_binary_is_not_slower_than_itself() {
    let _alone = alone();
    let pairs = std::env::var("GCNSIM_NOISE_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let corpus = corpus();
    let mut alarms = Vec::new();
    for pair in 0..pairs {
        sample(&corpus, "old.jsonl");
        sample(&corpus, "new.jsonl");
        let (found, alarm) = compare(&corpus, "old.jsonl", "new.jsonl");
        assert_eq!(found["time"]["compared"], 24, "{found}");
        eprintln!(
            "pair {pair}: {} slower, {} faster, all {}",
            lists(&found, "slower"),
            lists(&found, "faster"),
            found["time"]["all"]
        );
        if alarm {
            alarms.push(found["regressions"].to_string());
        }
    }
    assert!(alarms.len() <= 1, "{} of {pairs} pairs: {alarms:#?}", alarms.len());
}

fn lists(found: &Value, field: &str) -> usize {
    found["time"][field].as_array().map_or(0, Vec::len)
}

/// The same results with some times made larger: what a slower simulator would have given.
#[test]
fn planted_regressions_are_found() {
    let _alone = alone();
    let corpus = corpus();
    sample(&corpus, "old.jsonl");
    sample(&corpus, "base.jsonl");
    let slower = |line: &mut Value| {
        line["run_ns"] = (line["run_ns"].as_u64().unwrap() * 3).into();
        for sample in line["samples_ns"].as_array_mut().unwrap() {
            *sample = (sample.as_u64().unwrap() * 3).into();
        }
    };
    let mut lines = corpus.lines("base.jsonl");
    lines.iter_mut().step_by(8).for_each(slower);
    // `serde_json` sorts keys; the schema has to come first, as in every line.
    let written = |line: &Value| {
        let mut line = line.clone();
        line.as_object_mut().unwrap().remove("schema");
        format!("{{\"schema\":\"gcnsim.batch.v1\",{}\n", &line.to_string()[1..])
    };
    corpus.file("new.jsonl", lines.iter().map(written).collect::<String>());
    let (found, alarm) = compare(&corpus, "old.jsonl", "new.jsonl");
    assert!(alarm, "{found}");
    assert!((1..=3).contains(&lists(&found, "slower")), "{found}");
}
