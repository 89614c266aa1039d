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

/// The lists of a plan are shards that need only their files, and their results are those of the whole.
#[test]
fn parts_of_a_plan_are_shards() {
    let corpus = Corpus::mixed(120);
    let elf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    corpus.file("d1/k.co", &elf);
    // One file is as long as all others together.
    corpus.shader("d2/long.bin", &[&[0xbf80_0000; 4000][..], &[ENDPGM]].concat());
    corpus.file("some.tar", tar(&[("x.bin".into(), words(&constant(1))), ("y.bin".into(), words(&constant(2)))]));
    let inputs = ["d0", "d1", "some.tar", "d2"];
    corpus.run(&[&["batch"], &inputs[..], &["--out", "whole.jsonl"]].concat(), 1);
    for (parts, folder) in [(5, "five"), (200, "many")] {
        let count = parts.to_string();
        corpus.run(&[&["batch"], &inputs[..], &["--plan", &count, "--out", folder]].concat(), 0);
        let lists: Vec<String> = (1..=parts).map(|part| corpus.text(&format!("{folder}/part-{part}.txt"))).collect();
        assert_eq!(fs::read_dir(corpus.path(folder)).unwrap().count(), parts);
        // 123 files and an archive, each in one list.
        assert_eq!(lists.iter().map(|list| list.lines().count() - 1).sum::<usize>(), 123);
        let bytes = |list: &String| -> u64 {
            let names = list.lines().skip(1).map(|name| fs::metadata(corpus.path(name)).unwrap().len());
            names.sum()
        };
        if parts == 5 {
            let most = lists.iter().map(bytes).max().unwrap();
            assert!(most < 24_000 && lists.iter().all(|list| bytes(list) > 0), "{most} bytes in one list");
        }
        for part in (1..=parts).rev() {
            let (list, out) = (format!("@{folder}/part-{part}.txt"), format!("{folder}-results/{part}.jsonl"));
            fs::create_dir_all(corpus.path(&format!("{folder}-results"))).unwrap();
            let done = corpus.gcnsim(&["batch", &list, "--out", &out]).output().unwrap();
            assert!(matches!(done.status.code(), Some(0 | 1)), "{done:?}");
            assert!(corpus.text(&out).contains(&format!("\"shard\":\"{part}/{parts}\",\"entries\":")));
        }
        // What is written there is not read, and neither are files with other names.
        let (results, out) = (format!("{folder}-results"), format!("{folder}-results/run.jsonl"));
        corpus.file(&format!("{results}/notes.txt"), "none");
        for force in [false, true] {
            corpus.run(&[&["merge", &results, "--out", &out][..], &["--force"][..usize::from(force)]].concat(), 0);
            assert_eq!(corpus.deterministic(&out), corpus.deterministic("whole.jsonl"));
            assert_eq!(corpus.text(&out).lines().last(), corpus.text("whole.jsonl").lines().last());
        }
    }
}

/// A stopped part goes on where it stopped.
#[test]
fn parts_of_a_plan_are_resumed() {
    let corpus = Corpus::mixed(60);
    corpus.run(&["batch", "d0", "d1", "--plan", "3", "--out", "plan"], 0);
    let resume = ["batch", "@plan/part-2.txt", "--out", "p.jsonl", "--resume"];
    corpus.run(&resume, 1);
    let whole = corpus.text("p.jsonl");
    let kept: Vec<&str> = whole.split_inclusive('\n').take(7).collect();
    corpus.file("p.jsonl.part", kept.concat());
    fs::remove_file(corpus.path("p.jsonl")).unwrap();
    let out = corpus.run(&resume, 1);
    assert!(text(&out.stderr).contains("results are there already"), "{out:?}");
    assert_eq!(without_version(&corpus.text("p.jsonl")).lines().last(), without_version(&whole).lines().last());
    // Lines of another part are not taken for those of this one.
    let other = corpus.run(&["batch", "@plan/part-1.txt", "--out", "p.jsonl", "--resume"], 2);
    assert!(text(&other.stderr).contains("cannot go on with p.jsonl"), "{other:?}");
}

#[test]
fn wrong_plans_are_refused() {
    let corpus = Corpus::mixed(20);
    corpus.run(&["batch", "d0", "--plan", "2", "--out", "plan"], 0);
    let refused = |arguments: &[&str], message: &str| {
        let error = text(&corpus.run(arguments, 2).stderr);
        assert!(error.contains(message), "{arguments:?}: {error}");
    };
    refused(&["batch", "d0", "--plan", "2", "--out", "plan"], "plan is not empty");
    refused(&["batch", "d0", "--plan", "2"], "--out");
    refused(&["batch", "d0", "--plan", "0", "--out", "p"], "--plan");
    refused(&["batch", "d0", "--plan", "2", "--out", "p", "--shard", "1/2"], "cannot be used with");
    refused(&["batch", "-", "--plan", "2", "--out", "p"], "a plan lists files");
    refused(&["batch", "d0", "--plan", "2", "--out", "d0/s00001.bin"], "d0/s00001.bin");
    refused(&["batch", "@plan/part-1.txt", "--shard", "1/2", "--out", "r"], "is a shard already");
    refused(&["batch", "@plan/part-1.txt", "@plan/part-2.txt", "--out", "r"], "run alone");
    refused(&["batch", "@plan/part-1.txt", "d0", "--out", "r"], "run alone");
    corpus
        .file("wrong.txt", "# gcnsim.plan.v1 {\"part\":\"3/2\",\"first\":0,\"files\":1,\"bytes\":4}\nd0/s00000.bin\n");
    refused(&["batch", "@wrong.txt", "--out", "r"], "list wrong.txt: it is no part of a plan: '3/2' is no shard");
    refused(&["merge", "plan", "--out", "m.jsonl"], "plan has no results: no file there is named .jsonl");
    // Of a corpus that has changed nothing is run.
    corpus.shader("d0/s00000.bin", &[0xbf80_0000, 0xbf80_0000, 0xbf80_0000, ENDPGM]);
    refused(&["batch", "@plan/part-1.txt", "--out", "r"], "the corpus has changed since; plan it anew");
    fs::remove_file(corpus.path("d0/s00000.bin")).unwrap();
    refused(&["batch", "@plan/part-1.txt", "--out", "r"], "the corpus has changed since; plan it anew");
}

#[test]
fn the_environment_says_which_shard() {
    let corpus = Corpus::mixed(30);
    let auto = |value: &str, set: &[(&str, &str)]| {
        let mut command = corpus.gcnsim(&["batch", "d0", "--shard", value, "--out", "r.jsonl", "--force"]);
        for name in
            ["SLURM_ARRAY_TASK_ID", "CI_NODE_INDEX", "JOB_COMPLETION_INDEX", "TEST_SHARD_INDEX", "LIT_RUN_SHARD"]
        {
            command.env_remove(name);
        }
        command.envs(set.iter().copied()).output().unwrap()
    };
    let out = auto("auto/3", &[("JOB_COMPLETION_INDEX", "1")]);
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    assert!(text(&out.stderr).contains("--shard 2/3, as JOB_COMPLETION_INDEX says"), "{out:?}");
    assert!(corpus.text("r.jsonl").lines().last().unwrap().contains("\"shard\":\"2/3\""));
    let out = auto("auto", &[]);
    assert_eq!(out.status.code(), Some(2), "{out:?}");
    assert!(text(&out.stderr).contains("none of SLURM_ARRAY_TASK_ID"), "{out:?}");
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
