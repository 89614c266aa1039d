//! Two runs of the same binary must not report a regression. (`compare_planted.rs` tests that a real one is found.)
//!
//! The full test is `GCNSIM_NOISE_PAIRS=30 cargo test --release --test batch compare_noise::`. It runs that many pairs
//! on the machine as it is and allows one false alarm in thirty. Without the variable there are three pairs. Debug
//! builds skip the test: there the interpreter runs at one of two speeds, 10 % apart, depending on the addresses of the
//! process (with `setarch -R` it is always the same speed).

use crate::batch_support;

use batch_support::*;
use serde_json::Value;

/// Returns a corpus of shaders that run for some tens of microseconds up to a few milliseconds.
fn corpus() -> Corpus {
    let corpus = Corpus::new();
    for i in 0..24 {
        corpus.shader(&format!("d/loop{i:02}.bin"), &countdown(20_000 + 5_000 * i));
    }
    corpus
}

fn sample(corpus: &Corpus, out: &str) {
    let arguments =
        ["batch", "d", "--interp", "--jobs", "1", "--repeat", "11", "--warmup", "1", "--force", "--out", out];
    corpus.run(&arguments, 0);
}

fn compare(corpus: &Corpus, old: &str, new: &str) -> (Value, bool) {
    let arguments = ["compare", old, new, "--json", "--fail-on", "outcome,state,insts,time:5%"];
    let output = corpus.gcnsim(&arguments).output().unwrap();
    let found = serde_json::from_str(&text(&output.stdout)).unwrap();
    (found, output.status.code() == Some(1))
}

#[test]
#[cfg_attr(
    debug_assertions,
    ignore = "the speed of debug builds depends on addresses: cargo test --release --test batch compare_noise::"
)]
fn the_same_binary_is_not_slower_than_itself() {
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
