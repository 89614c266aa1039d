//! Stops a batch that takes samples in passes, and resumes it.
#![cfg(unix)]

use crate::batch_support;

use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use batch_support::*;

const BATCH: &[&str] = &["batch", "d0", "--interp", "--jobs", "2", "--repeat", "4", "--out", "r.jsonl"];

/// Returns a corpus of 20 shaders, 2 of which use up ten million instructions.
fn corpus() -> Corpus {
    let corpus = Corpus::mixed(20);
    let elf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    // The last file holds kernels.
    corpus.file("d0/z.co", elf);
    corpus
}

fn start(corpus: &Corpus, more: &[&str]) -> Child {
    let arguments = [BATCH, more].concat();
    corpus.gcnsim(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the number of samples of each entry in a file, or `None` if it differs or the file is incomplete.
fn samples(corpus: &Corpus, file: &str) -> Option<usize> {
    let text = fs::read_to_string(corpus.path(file)).ok().filter(|text| text.ends_with('\n'))?;
    let ran = parse(&text).into_iter().filter(|line| line["state_hash"].is_string());
    let mut counts: Vec<_> = ran.map(|line| line["samples_ns"].as_array().unwrap().len()).collect();
    counts.dedup();
    (counts.len() == 1 && text.contains("batch-end")).then(|| counts[0])
}

/// Waits until `passes` passes are kept.
fn wait_for(corpus: &Corpus, passes: usize, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while samples(corpus, "r.jsonl.part").is_none_or(|kept| kept < passes) {
        assert!(child.try_wait().unwrap().is_none(), "too quick");
        assert!(Instant::now() < deadline, "nothing is kept");
        sleep(Duration::from_millis(2));
    }
}

fn interrupt(child: &Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), rustix::process::Signal::INT).unwrap();
}

/// Resumes, and checks that the first samples are the kept ones and that everything else is as in an uninterrupted
/// batch.
fn goes_on(corpus: &Corpus, note: &str) {
    let part = corpus.text("r.jsonl.part");
    let kept = parse(&part[..part.rfind('\n').unwrap() + 1]);
    let output = corpus.run(&[BATCH, &["--resume"]].concat(), 1);
    assert!(text(&output.stderr).contains(note), "{note}: {}", text(&output.stderr));
    let lines = corpus.lines("r.jsonl");
    for (before, after) in kept.iter().zip(&lines) {
        let samples = |line: &serde_json::Value| line["samples_ns"].as_array().cloned().unwrap_or_default();
        assert_eq!(samples(after)[..samples(before).len()], samples(before)[..], "{before} {after}");
        assert_eq!(samples(after).len(), if after["state_hash"].is_string() { 4 } else { 0 });
    }
    corpus.run(&["batch", "d0", "--interp", "--out", "once.jsonl"], 1);
    assert_eq!(corpus.deterministic("r.jsonl"), corpus.deterministic("once.jsonl"));
    let end = |file: &str| corpus.text(file).lines().last().unwrap().to_owned();
    assert_eq!(end("r.jsonl"), end("once.jsonl"));
    let left: Vec<_> = files_below(&corpus.path(".")).into_iter().filter(|(name, _)| name.contains(".part")).collect();
    assert!(left.is_empty());
    let again = corpus.run(&[BATCH, &["--resume"]].concat(), 1);
    assert!(text(&again.stderr).contains("r.jsonl is complete: there is nothing to do"));
}

#[test]
fn passes_are_kept_when_it_is_interrupted() {
    let corpus = corpus();
    let mut child = start(&corpus, &[]);
    wait_for(&corpus, 2, &mut child);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let passes = samples(&corpus, "r.jsonl.part").unwrap();
    let (error, out) = (text(&output.stderr), text(&output.stdout));
    let message = format!("interrupted: {passes} of 4 passes are in r.jsonl.part; --resume goes on with the next");
    assert!(error.contains(&message), "{error}");
    // The summary covers the kept lines.
    assert!(out.contains("shaders       22"), "{out}");
    assert!(!corpus.path("r.jsonl").exists() && !corpus.path("r.jsonl.part.new.part").exists());
    goes_on(&corpus, &format!("{passes} of 4 passes are there already"));
}

#[test]
fn passes_are_kept_when_it_is_killed() {
    let corpus = corpus();
    let mut child = start(&corpus, &[]);
    wait_for(&corpus, 1, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    let passes = samples(&corpus, "r.jsonl.part").unwrap();
    goes_on(&corpus, &format!("{passes} of 4 passes are there already"));
}

/// A batch that is stopped in its first pass has lines with one sample, as without `--repeat`.
#[test]
fn a_beginning_of_the_first_pass_is_kept() {
    let corpus = corpus();
    corpus.run(&[BATCH, &["--max-insts", "20000"]].concat(), 1);
    let whole = corpus.text("r.jsonl");
    fs::remove_file(corpus.path("r.jsonl")).unwrap();
    // The first pass would have written lines with one sample each.
    corpus.run(&["batch", "d0", "--interp", "--repeat", "2", "--out", "two.jsonl"], 1);
    let mut first = String::new();
    for line in corpus.text("two.jsonl").lines().take(9) {
        let (front, samples) = line.split_once(",\"samples_ns\":").unwrap();
        let firsts: Vec<_> = samples.split('[').skip(1).map(|list| list.split(',').next().unwrap()).collect();
        first += &format!("{front},\"samples_ns\":[{}],\"reference_ns\":[{}]}}\n", firsts[0], firsts[1]);
    }
    corpus.file("r.jsonl.part", format!("{first}{}", &whole[..100]));
    goes_on(&corpus, "9 results are there already");
}

/// If nothing was measured yet, there is no note that the batch could be resumed.
#[test]
fn nothing_is_claimed_to_be_kept_that_is_not() {
    let corpus = corpus();
    let mut child = start(&corpus, &["--warmup", "1000"]);
    while !corpus.path("r.jsonl.part").exists() {
        assert!(child.try_wait().unwrap().is_none(), "too quick");
    }
    sleep(Duration::from_millis(200));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("interrupted: nothing was measured yet, so that nothing is kept"), "{error}");
    // The next batch does not need --force.
    corpus.run(&["batch", "d0/s00000.bin", "--out", "r.jsonl"], 0);
    // On stdout nothing is written before the last pass.
    let arguments = ["batch", "d0", "--interp", "--warmup", "1000", "--repeat", "2"];
    let child = corpus.gcnsim(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_millis(500));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.is_empty());
    assert!(text(&output.stderr).contains("interrupted: nothing is written"), "{}", text(&output.stderr));
}
