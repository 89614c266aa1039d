//! Stops and kills a batch, and resumes it.

use crate::batch_support;

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use batch_support::*;

/// Returns a corpus that takes a second or two: many shaders, some of which use up a budget.
fn slow_corpus() -> Corpus {
    Corpus::mixed(1000)
}

const FOLDERS: &[&str] = &["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9"];

fn batch<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["batch"], FOLDERS, &["--jobs", "2", "--interp"], more].concat()
}

/// Returns the last line of a file.
fn end(corpus: &Corpus, file: &str) -> String {
    corpus.text(file).lines().last().unwrap().to_owned()
}

/// Starts a batch and waits until it has written something, which is in `OUT.part`.
fn start(corpus: &Corpus, out: &str) -> std::process::Child {
    let arguments = batch(&["--out", out]);
    let child = corpus.gcnsim(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let part = corpus.path(&format!("{out}.part"));
    while fs::metadata(&part).map_or(0, |meta| meta.len()) == 0 {
        assert!(Instant::now() < deadline, "no output");
        sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_killed_batch_is_resumed() {
    let corpus = slow_corpus();
    corpus.run(&batch(&["--out", "whole.jsonl"]), 1);
    let mut child = start(&corpus, "r.jsonl");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read(corpus.path("r.jsonl.part")).unwrap();
    assert!(!corpus.path("r.jsonl").exists());
    assert!(
        before.len() < fs::metadata(corpus.path("whole.jsonl")).unwrap().len() as usize,
        "it was too quick to kill"
    );
    corpus.run(&batch(&["--out", "r.jsonl", "--resume"]), 1);
    assert_eq!(corpus.deterministic("r.jsonl"), corpus.deterministic("whole.jsonl"));
    assert!(!corpus.path("r.jsonl.part").exists());
    assert_eq!(end(&corpus, "r.jsonl"), end(&corpus, "whole.jsonl"));
    // Whole lines were kept and not run again.
    let after = fs::read(corpus.path("r.jsonl")).unwrap();
    let whole = before.iter().rposition(|&b| b == b'\n').unwrap() + 1;
    assert_eq!(before[..whole], after[..whole]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_batch_leaves_whole_lines() {
    let corpus = slow_corpus();
    corpus.run(&batch(&["--out", "whole.jsonl"]), 1);
    let mut child = start(&corpus, "r.jsonl");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(!corpus.path("r.jsonl").exists());
    let lines = corpus.lines("r.jsonl.part");
    assert!(!lines.is_empty() && lines.len() < 1000, "{}", lines.len());
    corpus.run(&batch(&["--out", "r.jsonl", "--resume"]), 1);
    assert_eq!(corpus.deterministic("r.jsonl"), corpus.deterministic("whole.jsonl"));
}

/// Output that is cut at any place can be resumed to the same file. All kernels of a file are run again together.
#[test]
fn any_cut_can_be_resumed() {
    let corpus = Corpus::mixed(20);
    let elf = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    corpus.file("d0/s00004.co", &elf);
    let arguments = ["batch", "d0", "d0/s00004.co", "d0/s00004.co", "--max-insts", "1000"];
    let run = |more: &[&str]| corpus.run(&[&arguments[..], more].concat(), 1);
    run(&["--out", "whole.jsonl"]);
    let whole = fs::read(corpus.path("whole.jsonl")).unwrap();
    let expected = corpus.deterministic("whole.jsonl");
    assert_eq!(expected.len(), 26);
    for cut in (0..=whole.len()).step_by(347).chain([whole.len() - 1, whole.len()]) {
        // Batches leave the part file. Older versions left the file itself.
        let name = if cut % 2 == 0 { "r.jsonl.part" } else { "r.jsonl" };
        fs::write(corpus.path(name), &whole[..cut]).unwrap();
        run(&["--out", "r.jsonl", "--resume"]);
        assert_eq!(corpus.deterministic("r.jsonl"), expected, "cut at {cut}");
        assert_eq!(end(&corpus, "r.jsonl"), end(&corpus, "whole.jsonl"), "cut at {cut}");
        assert!(!corpus.path("r.jsonl.part").exists());
        fs::remove_file(corpus.path("r.jsonl")).unwrap();
    }
}

#[test]
fn shards_are_resumed_too() {
    let corpus = Corpus::mixed(60);
    let run = |more: &[&str]| corpus.run(&[&["batch", "d0", "d1", "--shard", "2/3"], more].concat(), 1);
    run(&["--out", "whole.jsonl"]);
    let whole = fs::read(corpus.path("whole.jsonl")).unwrap();
    fs::write(corpus.path("r.jsonl.part"), &whole[..whole.len() / 2]).unwrap();
    run(&["--out", "r.jsonl", "--resume"]);
    assert_eq!(corpus.deterministic("r.jsonl"), corpus.deterministic("whole.jsonl"));
    assert_eq!(end(&corpus, "r.jsonl"), end(&corpus, "whole.jsonl"));
    // The files of the list after that of the last line belong to other shards.
    let again = text(&corpus.run(&["batch", "d0", "d1", "--shard", "2/3", "--out", "r.jsonl", "--resume"], 1).stderr);
    assert!(again.contains("r.jsonl is complete: there is nothing to do"), "{again}");
}

/// Complete results stay as they are, also if the list has grown.
#[test]
fn complete_results_are_left_alone() {
    let corpus = Corpus::mixed(60);
    corpus.run(&["batch", "d0", "--out", "r.jsonl"], 1);
    let before = fs::read(corpus.path("r.jsonl")).unwrap();
    let modified = || fs::metadata(corpus.path("r.jsonl")).unwrap().modified().unwrap();
    let when = modified();
    let again = corpus.run(&["batch", "d0", "--out", "r.jsonl", "--resume"], 1);
    assert!(text(&again.stderr).contains("r.jsonl is complete: there is nothing to do"), "{}", text(&again.stderr));
    assert!(
        text(&again.stdout).contains("shaders       50, 50 of them from an earlier run"),
        "{}",
        text(&again.stdout)
    );
    assert_eq!((fs::read(corpus.path("r.jsonl")).unwrap(), modified()), (before.clone(), when));
    corpus.run(&["batch", "d0", "d1", "--out", "r.jsonl", "--resume"], 1);
    corpus.run(&["batch", "d0", "d1", "--out", "whole.jsonl"], 1);
    assert_eq!(corpus.deterministic("r.jsonl"), corpus.deterministic("whole.jsonl"));
    assert_eq!(end(&corpus, "r.jsonl"), end(&corpus, "whole.jsonl"));
    // No batch wrote this line, so the output cannot be resumed.
    fs::write(corpus.path("r.jsonl"), text(&before).replacen("\"pc\":\"0x4\"", "\"pc\":\"0x8\"", 1)).unwrap();
    let error = text(&corpus.run(&["batch", "d0", "--out", "r.jsonl", "--resume"], 2).stderr);
    assert!(error.contains("cannot go on with r.jsonl: its lines have the digest"), "{error}");
}

#[test]
fn another_batch_is_not_resumed() {
    let corpus = Corpus::mixed(60);
    corpus.run(&["batch", "d0", "--out", "r.jsonl"], 1);
    let refused = |arguments: &[&str], message: &str| {
        let error = text(&corpus.run(arguments, 2).stderr);
        assert!(error.contains(message), "{arguments:?}: {error}");
    };
    let before = fs::read(corpus.path("r.jsonl")).unwrap();
    refused(&["batch", "d1", "--out", "r.jsonl", "--resume"], "line 1 is not of this batch: file d0/s00000.bin");
    if cfg!(feature = "jit") {
        refused(&["batch", "d0", "--out", "r.jsonl", "--resume", "--interp"], "engine jit, not interp");
    }
    refused(&["batch", "d0", "--out", "r.jsonl", "--resume", "--shard", "1/2"], "no shard, not shard 1/2");
    refused(&["batch", "d0", "--out", "r.jsonl", "--resume", "--repeat", "3"], "0 samples, not 3");
    refused(&["batch", "d0", "--out", "r.jsonl", "--resume", "--arch", "fiji"], "s00000.bin ran as gcn1.4, not gcn1.2");
    // The fourth shader used up the default budget of 10,000,000.
    for budget in ["9999", "20000000"] {
        let message = "line 4 is not of this batch: d0/s00003.bin ran for 10000000 instructions; the budget is";
        refused(&["batch", "d0", "--out", "r.jsonl", "--resume", "--max-insts", budget], message);
    }
    let shader = fs::read(corpus.path("d0/s00011.bin")).unwrap();
    corpus.shader("d0/s00011.bin", &constant(12_345));
    refused(
        &["batch", "d0", "--out", "r.jsonl", "--resume"],
        "line 12 is not of this batch: d0/s00011.bin has changed",
    );
    fs::write(corpus.path("d0/s00011.bin"), shader).unwrap();
    corpus.file("d0/s00011.toml", "arch = \"gcn1.1\"");
    refused(&["batch", "d0", "--out", "r.jsonl", "--resume"], "d0/s00011.bin ran as gcn1.4, not gcn1.1");
    fs::remove_file(corpus.path("d0/s00011.toml")).unwrap();
    assert_eq!(before, fs::read(corpus.path("r.jsonl")).unwrap());
    corpus.run(&["batch", "d0", "--out", "r.jsonl", "--resume"], 1);
    assert_eq!(before, fs::read(corpus.path("r.jsonl")).unwrap());
    fs::write(corpus.path("v2.jsonl"), text(&before).replace("batch.v1", "batch.v2")).unwrap();
    refused(&["batch", "d0", "--out", "v2.jsonl", "--resume"], "schema gcnsim.batch.v2: this version reads");
    assert!(!corpus.path("r.jsonl.part").exists() && !corpus.path("v2.jsonl.part").exists());
    // --resume without an output begins a new one.
    corpus.run(&["batch", "d0", "--out", "new.jsonl", "--resume"], 1);
    assert_eq!(corpus.lines("new.jsonl").len(), 50);
}
