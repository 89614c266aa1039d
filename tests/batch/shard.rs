//! Shards, and merging them.

use crate::batch_support;

use std::fs;

use batch_support::*;

#[test]
fn merged_shards_are_the_unsharded_run() {
    let corpus = Corpus::mixed(200);
    let elf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    corpus.file("d1/k.co", &elf);
    corpus.file("d1/odd.bin", [1; 5]);
    corpus.file("gone.txt", "missing.bin\n");
    let inputs = ["batch", "d0", "d1", "@gone.txt", "d2", "d3", "d0/s00001.bin"];
    let run = |more: &[&str]| corpus.gcnsim(&[&inputs[..], more].concat()).output().unwrap();
    run(&["--out", "whole.jsonl"]);
    let mut names = Vec::new();
    for i in 1..=5 {
        let (shard, name) = (format!("{i}/5"), format!("part{i}.jsonl"));
        run(&["--shard", &shard, "--out", &name]);
        names.insert(0, name);
    }
    let parts: Vec<_> = names.iter().map(|name| corpus.lines(name).len()).collect();
    assert!(parts.iter().all(|&n| n > 20), "{parts:?}");
    let merge: Vec<_> =
        ["merge"].into_iter().chain(names.iter().map(String::as_str)).chain(["--out", "m.jsonl"]).collect();
    corpus.run(&merge, 0);
    assert_eq!(corpus.deterministic("m.jsonl"), corpus.deterministic("whole.jsonl"));
    // The closing record is the same, because the digest leaves out times.
    let end = |name: &str| corpus.text(name).lines().last().unwrap().to_owned();
    assert_eq!(end("m.jsonl"), end("whole.jsonl"));
    assert!(end("part2.jsonl").contains(r#""shard":"2/5","entries":"#), "{}", end("part2.jsonl"));
    // Not only the values agree, but also the text.
    let first = |name: &str| fs::read_to_string(corpus.path(name)).unwrap().lines().next().unwrap()[..80].to_owned();
    assert_eq!(first("m.jsonl"), first("whole.jsonl"));
}

#[test]
fn a_shard_without_shaders_is_one_too() {
    let corpus = Corpus::new();
    corpus.shader("d/a.bin", &constant(1));
    for i in 1..=3 {
        let (shard, name) = (format!("{i}/3"), format!("part{i}.jsonl"));
        corpus.run(&["batch", "d", "--shard", &shard, "--out", &name], 0);
    }
    corpus.run(&["merge", "part1.jsonl", "part2.jsonl", "part3.jsonl", "--out", "m.jsonl"], 0);
    assert_eq!(corpus.lines("m.jsonl").len(), 1);
}

#[test]
fn incomplete_sets_are_refused() {
    let corpus = Corpus::mixed(50);
    for i in 1..=2 {
        let (shard, name) = (format!("{i}/2"), format!("part{i}.jsonl"));
        corpus.run(&["batch", "d0", "--shard", &shard, "--out", &name], 1);
    }
    corpus.run(&["batch", "d0", "--shard", "1/3", "--out", "third.jsonl"], 1);
    corpus.run(&["batch", "d0", "--out", "whole.jsonl"], 1);
    let part = fs::read_to_string(corpus.path("part1.jsonl")).unwrap();
    corpus.file("torn.jsonl", &part[..part.len() - 10]);
    let lines: Vec<_> = part.lines().collect();
    corpus.file("short.jsonl", lines[..lines.len() / 2].join("\n") + "\n");
    // A line is missing, so the closing record does not fit.
    corpus.file("gap.jsonl", [&lines[..3], &lines[4..]].concat().join("\n") + "\n");
    corpus.file("other.jsonl", part.replacen("\"instructions\":2,", "\"instructions\":3,", 1));
    corpus.file("more.jsonl", format!("{part}{}\n", lines[0]));
    corpus.file("empty.jsonl", closed("", Some("2/2")));
    for (arguments, message) in [
        (&["part1.jsonl"][..], "missing: 2/2"),
        (&["part1.jsonl", "part1.jsonl"], "shard 1/2 again"),
        (&["part1.jsonl", "third.jsonl"], "shard 1/3, but"),
        (&["part1.jsonl", "whole.jsonl"], "not of a shard"),
        (&["torn.jsonl", "part2.jsonl"], "cut short"),
        (&["short.jsonl", "part2.jsonl"], "short.jsonl: it has no closing record"),
        (&["gap.jsonl", "part2.jsonl"], "its closing record speaks of"),
        (&["other.jsonl", "part2.jsonl"], "other.jsonl: it is not what the batch wrote: its lines have the digest"),
        (&["more.jsonl", "part2.jsonl"], "lines behind the closing record"),
        (&["part1.jsonl", "empty.jsonl"], "in none of the shards"),
        (&["part1.jsonl", "missing.jsonl"], "no such file"),
    ] {
        let arguments: Vec<_> =
            ["merge"].into_iter().chain(arguments.iter().copied()).chain(["--out", "m.jsonl"]).collect();
        let error = text(&corpus.run(&arguments, 2).stderr);
        assert!(error.contains(message), "{arguments:?}: {error}");
        assert!(!corpus.path("m.jsonl").exists());
    }
}
