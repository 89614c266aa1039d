//! A slowdown of a tenth in a few shaders is found, and nothing else. The results are made up: their noise is like that
//! of a machine, but the same everywhere.

use crate::batch_support;

use std::fmt::Write;

use batch_support::*;
use gcnsim_random::Rng;
use serde_json::Value;

const SHADERS: usize = 60;
const PASSES: usize = 15;

/// The fields that are the same in all lines.
const REST: &str = concat!(
    r#""kernel":null,"entry":null,"outcome":"ended","detail":null,"arch":"gcn1.4","engine":"interp","pc":"0x0","#,
    r#""instructions":9,"by_class":{"salu":9,"scmp":0,"branch":0,"vcmp":0,"system":0,"other":0},"regions":0,"#,
    r#""compile_ns":0,"check_ns":0,"checks":0,"notes":[],"state_hash":"00""#,
);

/// Returns results of a batch on a machine that takes `machine` times as long as usual. Shader i takes `factor(i)`
/// times as long as usual. Samples vary by 1.5 % and passes by 2 %. Every twentieth sample is disturbed and takes up to
/// twice as long.
fn results(seed: u64, machine: f64, factor: impl Fn(usize) -> f64) -> String {
    let mut random = Rng::new(seed);
    let passes: Vec<f64> = (0..PASSES).map(|_| machine * (1.0 + 0.02 * random.normal())).collect();
    let mut text = String::new();
    for i in 0..SHADERS {
        let usual = 30_000.0 * 1.08f64.powi(i as i32) * factor(i);
        let (mut samples, mut reference) = (Vec::new(), Vec::new());
        for pass in &passes {
            let disturbed = if random.uniform() < 0.05 { 1.0 + random.uniform() } else { 1.0 };
            samples.push((usual * pass * (1.0 + 0.015 * random.normal()) * disturbed) as u64);
            reference.push((20_000.0 * pass * (1.0 + 0.003 * random.normal())) as u64);
        }
        let mut sorted = samples.clone();
        sorted.sort_unstable();
        let run_ns = sorted[PASSES / 2];
        writeln!(
            text,
            r#"{{"schema":"gcnsim.batch.v1","file":"s{i}","sha256":"{i:064x}",{REST},"run_ns":{run_ns},"samples_ns":{samples:?},"reference_ns":{reference:?}}}"#
        )
        .unwrap();
    }
    text
}

/// Returns the shaders that `compare` reports as slower, and its exit code.
fn slower(old: &str, new: &str) -> (Vec<String>, i32) {
    let corpus = Corpus::new();
    corpus.file("old.jsonl", closed(old, None));
    corpus.file("new.jsonl", closed(new, None));
    let output =
        corpus.gcnsim(&["compare", "old.jsonl", "new.jsonl", "--json", "--fail-on", "time:5%"]).output().unwrap();
    let found: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(found["time"]["compared"], SHADERS, "{found}");
    assert_eq!(found["time"]["faster"].as_array().unwrap().len(), 0, "{found}");
    let mut names = strings(found["time"]["slower"].as_array().unwrap(), "name");
    names.sort();
    (names, output.status.code().unwrap())
}

#[test]
fn a_tenth_is_found_and_noise_is_not() {
    for seed in 1..=10 {
        let old = results(seed, 1.0, |_| 1.0);
        // The whole machine is a quarter slower.
        let same = results(seed + 100, 1.25, |_| 1.0);
        assert_eq!(slower(&old, &same), (Vec::new(), 0), "seed {seed}");
        let planted = results(seed + 100, 1.25, |i| if i % 20 == 7 { 1.1 } else { 1.0 });
        assert_eq!(slower(&old, &planted), (["s27", "s47", "s7"].map(String::from).to_vec(), 1), "seed {seed}");
    }
}

#[test]
fn all_being_slower_by_a_tenth_is_found() {
    let (old, new) = (results(1, 1.0, |_| 1.0), results(101, 1.0, |_| 1.1));
    let (names, code) = slower(&old, &new);
    assert!(names.len() > SHADERS * 9 / 10, "{names:?}");
    assert_eq!(code, 1);
}
