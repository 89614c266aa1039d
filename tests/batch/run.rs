//! `gcnsim batch`: the files that are run, their order, and the content of lines.

use crate::batch_support;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use batch_support::*;
use serde_json::Value;

#[test]
fn results_do_not_depend_on_threads_or_engine_speed() {
    let corpus = Corpus::mixed(400);
    for (jobs, name) in [("1", "a.jsonl"), ("3", "b.jsonl"), ("8", "c.jsonl")] {
        corpus.run(&["batch", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "--jobs", jobs, "--out", name], 1);
    }
    let lines = corpus.deterministic("a.jsonl");
    assert_eq!(lines.len(), 400);
    assert_eq!(lines, corpus.deterministic("b.jsonl"));
    assert_eq!(lines, corpus.deterministic("c.jsonl"));
    let expected: Vec<_> = (0..400).map(|i| format!("d{}/s{i:05}.bin", i / 50)).collect();
    assert_eq!(strings(&lines, "file"), expected);
    let outcomes = strings(&lines[..10], "outcome");
    assert_eq!(outcomes[3], "budget");
    assert_eq!(outcomes[5], "unsupported");
    assert_eq!(outcomes[7], "fault");
    assert_eq!((outcomes[8].as_str(), lines[8]["instructions"].as_u64()), ("ended", Some(3 * 5008 + 2)));
    assert_eq!(lines[3]["instructions"], 10_000_000);
    assert_eq!(lines[5]["detail"]["mnemonic"], "s_mov_regrd_b32");
}

/// A line has the fields of `run --json`, with the same values.
#[test]
fn a_line_says_what_run_says() {
    let corpus = Corpus::mixed(10);
    let out = corpus.run(&["batch", "d0"], 1);
    for line in parse(&text(&out.stdout)) {
        let file = line["file"].as_str().unwrap().to_owned();
        let code = i32::from(line["outcome"] != "ended");
        let single = corpus.run(&["run", "--json", "--max-insts", "10000000", &file], code);
        let mut expected = without_times(serde_json::from_str(&text(&single.stdout)).unwrap());
        let mut line = without_times(line);
        for field in ["schema", "version", "file", "kernel", "entry", "sha256"] {
            line.as_object_mut().unwrap().remove(field);
            expected.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(line, expected, "{file}");
    }
}

#[test]
fn folders_lists_and_archives_give_the_same() {
    let corpus = Corpus::mixed(120);
    corpus.run(&["batch", "d0", "d1", "d2", "--out", "folder.jsonl"], 1);
    let names = strings(&corpus.lines("folder.jsonl"), "file");

    corpus.file("list.txt", names.join("\n"));
    corpus.run(&["batch", "@list.txt", "--out", "list.jsonl"], 1);
    assert_eq!(corpus.deterministic("folder.jsonl"), corpus.deterministic("list.jsonl"));

    let mut command = corpus.gcnsim(&["batch", "@-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(names.join("\0").as_bytes()).unwrap();
    let piped = text(&child.wait_with_output().unwrap().stdout);
    let piped: Vec<_> = parse(&piped).into_iter().map(without_times).collect();
    assert_eq!(corpus.deterministic("folder.jsonl"), piped);

    let members: Vec<_> = names.iter().map(|name| (name.clone(), fs::read(corpus.path(name)).unwrap())).collect();
    corpus.file("all.tar", tar(&members));
    corpus.run(&["batch", "all.tar", "--out", "tar.jsonl"], 1);
    let without_file = |lines: Vec<Value>| -> Vec<Value> {
        let strip = |mut line: Value| {
            line["file"] = line["file"].as_str().unwrap().trim_start_matches("all.tar/").into();
            line
        };
        lines.into_iter().map(strip).collect()
    };
    assert_eq!(corpus.deterministic("folder.jsonl"), without_file(corpus.deterministic("tar.jsonl")));
}

#[test]
fn sidecars_are_obeyed_in_folders_and_archives() {
    let corpus = Corpus::new();
    corpus.shader("s/a.bin", &countdown(10));
    corpus.file("s/a.toml", "[expect]\noutcome = \"ended\"\ninstructions = 32\n");
    corpus.shader("s/b.bin", &countdown(10));
    corpus.file("s/b.toml", "[expect]\ninstructions = 33\n[expect.state]\nsgpr = {\"0\" = 1}\n");
    corpus.shader("s/c.bin", &[FOREVER]);
    corpus.file("s/c.toml", "max_insts = 77\narch = \"fiji\"\n");
    corpus.shader("s/d.bin", &[ILLEGAL, 0x8000_8100, ENDPGM]);
    corpus.file("s/d.toml", "entry = 4\n[state]\nsgpr = {\"0\" = 41}\n[expect.state]\nsgpr = {\"0\" = 42}\n");
    corpus.file("s.tar", tar(&files_below(&corpus.path("s"))));
    for input in ["s", "s.tar"] {
        let out = corpus.run(&["batch", input, "--force", "--out", "r.jsonl"], 1);
        let lines = corpus.lines("r.jsonl");
        assert_eq!(strings(&lines, "outcome"), ["ended", "mismatch", "budget", "ended"], "{input}");
        let differences = lines[1]["detail"]["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 2, "{differences:?}");
        assert_eq!((lines[2]["instructions"].as_u64(), lines[2]["arch"].as_str()), (Some(77), Some("gcn1.2")));
        // Sidecars are not skipped files.
        assert!(!text(&out.stdout).contains("skipped"), "{}", text(&out.stdout));
    }
    // Flags beat sidecars.
    corpus.run(&["batch", "s/c.bin", "--max-insts", "5", "--arch", "gfx700", "--force", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!((lines[0]["instructions"].as_u64(), lines[0]["arch"].as_str()), (Some(5), Some("gcn1.1")));
}

#[test]
fn code_objects_give_a_line_per_kernel() {
    let corpus = Corpus::new();
    let elf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    corpus.file("f/k.co", &elf);
    corpus.file("f/without-extension", &elf);
    corpus.file("f/notes.txt", "hello");
    corpus.shader("f/raw.bin", &constant(1));
    let out = corpus.run(&["batch", "f", "--force", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "kernel"), ["first", "second", "null", "first", "second"]);
    assert_eq!(strings(&lines, "entry")[0], "0x700");
    assert_eq!(strings(&lines, "file")[2], "f/raw.bin");
    assert!(text(&out.stdout).contains("skipped       1 other file\n"));
    assert_ne!(lines[0]["sha256"], lines[1]["sha256"]);
}

#[test]
fn samples_are_taken_in_passes() {
    let corpus = Corpus::mixed(20);
    corpus.run(&["batch", "d0", "--out", "once.jsonl"], 1);
    corpus.run(&["batch", "d0", "--repeat", "4", "--warmup", "1", "--jobs", "2", "--force", "--out", "r.jsonl"], 1);
    for line in corpus.lines("r.jsonl") {
        let samples: Vec<_> = line["samples_ns"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let mut sorted = samples.clone();
        sorted.sort();
        assert_eq!((samples.len(), line["run_ns"].as_u64().unwrap()), (4, sorted[1]));
        assert_eq!(line["reference_ns"].as_array().unwrap().len(), 4);
    }
    assert_eq!(corpus.deterministic("once.jsonl"), corpus.deterministic("r.jsonl"));
}

#[test]
fn the_summary_names_what_matters() {
    let corpus = Corpus::mixed(50);
    let out = text(&corpus.run(&["batch", "d0", "--force", "--out", "r.jsonl"], 1).stdout);
    for part in
        ["shaders       50", "35 ended", "5 budget", "5 unsupported", "5 fault", "s_mov_regrd_b32", "d0/s00005.bin"]
    {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

/// Many failures become a few rows: outcome, instruction, generation, count, and one example.
#[test]
fn failures_are_grouped() {
    let corpus = Corpus::mixed(50);
    for i in 0..50 {
        corpus.shader(&format!("d0/v{i}.bin"), &[UNDOCUMENTED, ENDPGM]);
        corpus.file(&format!("d0/v{i}.toml"), if i < 30 { "arch = \"gfx803\"" } else { "arch = \"gfx900\"" });
        corpus.file(&format!("d0/w{i}.bin"), vec![0; 4 * i + 1]);
    }
    let out = text(&corpus.run(&["batch", "d0", "--out", "r.jsonl"], 1).stdout);
    for row in [
        // The reason has the numbers of the example.
        "\n       50  bad-input    the length, 1 bytes, is not a multiple of 4: 1 left over",
        "\n       30  unsupported  s_mov_regrd_b32          gcn1.2    d0/v0.bin\n",
        "\n       25  unsupported  s_mov_regrd_b32          gcn1.4    d0/s00005.bin\n",
        "\n        5  budget                                gcn1.4    d0/s00003.bin\n",
    ] {
        assert!(out.contains(row), "{row}\n{out}");
    }
    assert_eq!(out.matches("s_mov_regrd_b32").count(), 2, "{out}");
    assert!(out.lines().any(|line| line.ends_with(" left over at offset 0x0  d0/w0.bin")), "{out}");
}

#[cfg(unix)]
#[test]
fn loops_of_links_end() {
    let corpus = Corpus::new();
    corpus.shader("d/e/a.bin", &constant(1));
    std::os::unix::fs::symlink(corpus.path("d"), corpus.path("d/e/up")).unwrap();
    std::os::unix::fs::symlink("self", corpus.path("d/self")).unwrap();
    std::os::unix::fs::symlink("e/a.bin", corpus.path("d/link.bin")).unwrap();
    corpus.run(&["batch", "d", "--force", "--out", "r.jsonl"], 0);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "file"), ["d/e/a.bin", "d/link.bin"]);
}
