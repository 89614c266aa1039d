//! The files that `--out` may write to, and those that it leaves alone.

use crate::batch_support;

use std::fs::{self, File};

use batch_support::*;

#[track_caller]
fn refused(corpus: &Corpus, arguments: &[&str], message: &str) {
    let error = text(&corpus.run(arguments, 2).stderr);
    assert!(error.contains(message), "{arguments:?}: {error}");
}

/// `--out -` is stdout, and no file with that name is made.
#[test]
fn stdout_has_a_name() {
    let corpus = Corpus::new();
    corpus.shader("a.bin", &constant(1));
    let [named, plain] = [&["batch", "a.bin", "--out", "-"][..], &["batch", "a.bin"]].map(|run| corpus.run(run, 0));
    let lines = |ran: &std::process::Output| text(&ran.stdout).lines().count();
    assert_eq!((lines(&named), lines(&plain)), (2, 2));
    refused(&corpus, &["batch", "a.bin", "--out", "-", "--force"], "--force needs results in a file");
    refused(&corpus, &["merge", "a.jsonl", "--out", "-"], "cannot write -: it is no file here");
    refused(&corpus, &["batch", "a.bin", "--coverage", "-"], "cannot write -: it is no file here");
    assert!(!corpus.path("-").exists() && !corpus.path("-.part").exists());
}

/// Text in a pipe is not cut, and `COLUMNS` sets the width at which lines are broken.
#[test]
fn lines_are_as_long_as_they_may_be() {
    let corpus = Corpus::new();
    let folder = "folder/".repeat(7);
    corpus.file(&format!("d/{folder}a.bin"), [1; 5]);
    corpus.file(&format!("d/{folder}b.bin"), [1; 6]);
    corpus.shader(&format!("d/{folder}c.bin"), &constant(1));
    corpus.run(&["batch", "d", "--out", "old.jsonl"], 1);
    corpus.shader(&format!("d/{folder}c.bin"), &[ILLEGAL]);
    let whole = text(&corpus.run(&["batch", "d", "--out", "new.jsonl"], 1).stdout);
    // The row states the number of the group's first file.
    let reason = "the length, 5 bytes, is not a multiple of 4";
    let row = |line: &&str| line.contains(reason) && line.ends_with("a.bin");
    assert!(whole.lines().any(|line| row(&line)), "{whole}");
    let compare = text(&corpus.run(&["compare", "old.jsonl", "new.jsonl"], 1).stdout);
    assert!(compare.lines().any(|line| line.contains("ended   fault") && line.ends_with("c.bin")), "{compare}");
    for columns in ["80", "160"] {
        let narrow = |arguments: &[&str]| {
            let output = corpus.gcnsim(arguments).env("COLUMNS", columns).output().unwrap();
            text(&output.stdout)
        };
        let columns: usize = columns.parse().unwrap();
        let batch = narrow(&["batch", "d", "--out", "new.jsonl", "--force"]);
        let compare = narrow(&["compare", "old.jsonl", "new.jsonl"]);
        for text in [&batch, &compare] {
            assert!(
                text.lines().all(|line| line.chars().count() <= columns.max(folder.len() + 24)),
                "{columns}: {text}"
            );
            assert!(!text.contains('\u{2026}'), "{text}");
        }
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&batch).contains(reason), "{batch}");
        assert_eq!(batch.lines().any(|line| row(&line)), columns == 160, "{batch}");
    }
}

/// Inputs are unchanged after a batch is refused.
#[test]
fn an_input_is_never_written_to() {
    let corpus = Corpus::new();
    let shader = corpus.shader("d/a.bin", &constant(1));
    corpus.file("d/a.toml", "max_insts = 5\n");
    corpus.shader("d/empty.bin", &[]);
    corpus.file("x.tar", tar(&[("t.bin".into(), fs::read(&shader).unwrap())]));
    corpus.file("list.txt", "d/a.bin\n");
    corpus.run(&["batch", "d/a.bin", "--out", "old.jsonl"], 0);
    corpus.file("known.txt", "# nothing\n");
    fs::hard_link(&shader, corpus.path("twin")).unwrap();
    corpus.shader("e/b.bin", &constant(1));
    corpus.file("beside.toml", "max_insts = 5\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../beside.toml", corpus.path("e/b.toml")).unwrap();
    let before = files_below(&corpus.path("."));
    let mut cases = vec![
        ("d/a.bin", "d/a.bin"),
        ("d", "d/a.bin"),
        ("d", "d/empty.bin"),
        ("d", "d/a.toml"),
        ("d/a.bin", "d/a.toml"),
        ("x.tar", "x.tar"),
        ("@list.txt", "list.txt"),
        ("@list.txt", "d/a.bin"),
        ("d", "./d/../d/a.bin"),
        ("d", "twin"),
    ];
    if cfg!(unix) {
        std::os::unix::fs::symlink("d/a.bin", corpus.path("link")).unwrap();
        cases.extend([("d", "link"), ("e", "beside.toml")]);
    }
    for (input, out) in cases {
        for more in [&["--force"][..], &["--resume"], &[]] {
            refused(&corpus, &[&["batch", input, "--out", out], more].concat(), "it will not be written to");
        }
        refused(&corpus, &["batch", input, "--report", out, "--out", "r.jsonl"], "it will not be written to");
        refused(&corpus, &["batch", input, "--write-ledger", out], "it will not be written to");
    }
    let baseline = ["batch", "d", "--out", "r.jsonl", "--baseline", "old.jsonl"];
    refused(&corpus, &[&baseline[..], &["--report", "old.jsonl"]].concat(), "old.jsonl is read from");
    refused(
        &corpus,
        &["batch", "d", "--out", "known.txt", "--force", "--ledger", "known.txt"],
        "known.txt is read from",
    );
    fs::write(corpus.path("r.jsonl.part"), "").unwrap();
    refused(&corpus, &["batch", "d", "--out", "r.jsonl", "--report", "r.jsonl.part"], "are the same file");
    fs::remove_file(corpus.path("r.jsonl.part")).unwrap();
    for name in ["a", "b"] {
        let (shard, out) = (if name == "a" { "1/2" } else { "2/2" }, format!("{name}.jsonl"));
        corpus.gcnsim(&["batch", "d", "--shard", shard, "--out", &out]).output().unwrap();
    }
    let (a, b) = (fs::read(corpus.path("a.jsonl")).unwrap(), fs::read(corpus.path("b.jsonl")).unwrap());
    refused(&corpus, &["merge", "a.jsonl", "b.jsonl", "--out", "b.jsonl", "--force"], "b.jsonl is read from");
    refused(&corpus, &["compare", "a.jsonl", "b.jsonl", "--junit", "a.jsonl"], "a.jsonl is read from");
    assert_eq!((a, b), (fs::read(corpus.path("a.jsonl")).unwrap(), fs::read(corpus.path("b.jsonl")).unwrap()));
    for name in ["a.jsonl", "b.jsonl", "link"] {
        let _ = fs::remove_file(corpus.path(name));
    }
    assert!(files_below(&corpus.path(".")) == before);
}

/// A run without `--resume` or `--force` does not replace results.
#[test]
fn results_are_replaced_only_by_force() {
    let corpus = Corpus::mixed(20);
    corpus.run(&["batch", "d0", "--out", "r.jsonl"], 1);
    let before = fs::read(corpus.path("r.jsonl")).unwrap();
    let again = ["batch", "d0/s00000.bin", "--out", "r.jsonl"];
    refused(&corpus, &again, "r.jsonl is there already: --force replaces it, --resume goes on with it");
    assert_eq!(fs::read(corpus.path("r.jsonl")).unwrap(), before);
    corpus.run(&[&again[..], &["--force"]].concat(), 0);
    assert_eq!(corpus.lines("r.jsonl").len(), 1);
    // Unfinished results are not replaced, either.
    corpus.file("s.jsonl.part", &before[..before.len() / 2]);
    let message = "s.jsonl.part holds an unfinished s.jsonl: --force begins anew, --resume goes on with it";
    refused(&corpus, &["batch", "d0", "--out", "s.jsonl"], message);
    corpus.run(&["batch", "d0", "--out", "s.jsonl", "--resume"], 1);
    corpus.file("s.jsonl.part", &before[..before.len() / 2]);
    corpus.run(&["batch", "d0", "--out", "s.jsonl", "--force"], 1);
    assert!(!corpus.path("s.jsonl.part").exists());
    // An empty file may be replaced.
    corpus.file("e.jsonl", "");
    corpus.run(&["batch", "d0", "--out", "e.jsonl"], 1);
    // Merge does not replace its output, either.
    for shard in ["1/2", "2/2"] {
        corpus.run(&["batch", "d0", "--shard", shard, "--out", &format!("{}.jsonl", &shard[..1])], 1);
    }
    let merge = ["merge", "1.jsonl", "2.jsonl", "--out", "s.jsonl"];
    refused(&corpus, &merge, "s.jsonl is there already: --force replaces it");
    corpus.run(&[&merge[..], &["--force"]].concat(), 0);
    assert_eq!(corpus.lines("s.jsonl").len(), 20);
    refused(&corpus, &["batch", "d0", "--out", "d0"], "cannot write d0: is a directory");
}

/// The old results stay until the new ones are complete.
#[cfg(unix)]
#[test]
fn a_killed_batch_leaves_the_old_results() {
    use std::process::Stdio;
    let corpus = Corpus::mixed(1000);
    corpus.run(&["batch", "d0/s00000.bin", "--out", "r.jsonl"], 0);
    let before = fs::read(corpus.path("r.jsonl")).unwrap();
    let folders: Vec<_> = (0..20).map(|i| format!("d{i}")).collect();
    let folders: Vec<_> = folders.iter().map(String::as_str).collect();
    let batch = [&["batch"], &folders[..], &["--interp", "--jobs", "1", "--out", "r.jsonl"]].concat();
    let force = [&batch[..], &["--force"]].concat();
    let mut child = corpus.gcnsim(&force).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while fs::metadata(corpus.path("r.jsonl.part")).map_or(0, |meta| meta.len()) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "too quick");
    }
    // Another process must not write to the same file.
    refused(&corpus, &force, "r.jsonl.part: another process is writing it");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(corpus.path("r.jsonl")).unwrap(), before);
    corpus.run(&[&batch[..], &["--resume"]].concat(), 1);
    assert_eq!(corpus.lines("r.jsonl").len(), 1000);
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_written_through() {
    let corpus = Corpus::mixed(10);
    fs::create_dir(corpus.path("far")).unwrap();
    std::os::unix::fs::symlink("far/r.jsonl", corpus.path("link.jsonl")).unwrap();
    File::create(corpus.path("far/r.jsonl")).unwrap();
    corpus.run(&["batch", "d0", "--out", "link.jsonl"], 1);
    assert!(corpus.path("link.jsonl").is_symlink());
    assert_eq!(corpus.lines("far/r.jsonl").len(), 10);
    for _ in 0..2 {
        corpus.run(&["batch", "d0", "--out", "/dev/null"], 1);
    }
    let out = text(&corpus.run(&["batch", "d0", "--repeat", "2", "--out", "/dev/stdout"], 1).stdout);
    assert_eq!(out.lines().filter(|line| line.starts_with("{\"schema\":\"gcnsim.batch.v1\"")).count(), 10, "{out}");
}
