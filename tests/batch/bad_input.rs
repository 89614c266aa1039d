//! A bad file gives a line of results with the reason, and the batch goes on.

use crate::batch_support;

use std::fs::{self, File};

use batch_support::*;

/// Runs a batch over a bad input and a good shader, and returns the reason in the line of the bad one.
#[track_caller]
fn reason(corpus: &Corpus, bad: &str) -> String {
    corpus.shader("good.bin", &constant(1));
    corpus.run(&["batch", bad, "good.bin", "--force", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "outcome"), ["bad-input", "ended"], "{bad}");
    assert_eq!(lines[0]["file"], bad);
    lines[0]["detail"]["kind"].as_str().unwrap().to_owned()
}

#[test]
fn files() {
    let corpus = Corpus::new();
    corpus.file("empty.bin", "");
    corpus.file("odd.bin", [0; 7]);
    corpus.file("broken.elf", b"\x7fELF broken");
    corpus.file("bundle.co", b"__CLANG_OFFLOAD_BUNDLE__\x01");
    corpus.file("packed.co", b"CCOB\x02\0\0\0");
    corpus.file("x.tar.gz", b"\x1f\x8b");
    for (file, message) in [
        ("empty.bin", "empty"),
        ("odd.bin", "the length, 7 bytes, is not a multiple of 4"),
        ("broken.elf", "broken ELF"),
        ("bundle.co", "broken offload bundle"),
        ("packed.co", "compressed offload bundle"),
        ("x.tar.gz", "compressed archive"),
    ] {
        let reason = reason(&corpus, file);
        assert!(reason.contains(message), "{file}: {reason}");
    }
}

#[test]
fn a_readable_file_has_a_hash() {
    let corpus = Corpus::new();
    corpus.file("odd.bin", [0; 7]);
    reason(&corpus, "odd.bin");
    assert_eq!(corpus.lines("r.jsonl")[0]["sha256"].as_str().map(str::len), Some(64));
    corpus.file("list.txt", "missing.bin\n");
    corpus.run(&["batch", "@list.txt", "--force", "--out", "r.jsonl"], 1);
    let line = &corpus.lines("r.jsonl")[0];
    assert!(line["sha256"].is_null());
    assert_eq!(
        (&line["file"], &line["detail"]["kind"]),
        (&"missing.bin".into(), &"cannot read: no such file or directory".into())
    );
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_and_folder() {
    use std::os::unix::fs::PermissionsExt;
    let corpus = Corpus::new();
    let file = corpus.shader("secret/a.bin", &constant(1));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o0)).unwrap();
    if File::open(&file).is_ok() {
        // Root can read everything.
        return;
    }
    assert!(reason(&corpus, "secret/a.bin").contains("permission denied"));
    fs::set_permissions(corpus.path("secret"), fs::Permissions::from_mode(0o0)).unwrap();
    assert!(reason(&corpus, "secret").contains("permission denied"));
    fs::set_permissions(corpus.path("secret"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn folders_and_archives_without_shaders() {
    let corpus = Corpus::new();
    corpus.file("f/readme.txt", "x");
    assert_eq!(reason(&corpus, "f"), "no shaders in this folder (1 other files)");
    corpus.file("e.tar", tar(&[("a.txt".into(), vec![1])]));
    assert_eq!(reason(&corpus, "e.tar"), "no shaders in this archive (1 other files)");
}

#[test]
fn a_broken_archive_gives_what_comes_before() {
    let corpus = Corpus::new();
    let words: Vec<u8> = constant(1).iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut archive = tar(&[("a.bin".into(), words.clone()), ("b.bin".into(), words)]);
    archive[1024 + 100] ^= 1;
    corpus.file("x.tar", &archive);
    corpus.run(&["batch", "x.tar", "--force", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "file"), ["x.tar/a.bin", "x.tar"]);
    assert!(lines[1]["detail"]["kind"].as_str().unwrap().contains("at offset 0x400"));
    corpus.file("x.tar", &archive[..700]);
    corpus.run(&["batch", "x.tar", "--force", "--out", "r.jsonl"], 1);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "outcome"), ["ended", "bad-input"]);
}

#[test]
fn sidecars() {
    let corpus = Corpus::new();
    for (sidecar, message) in [
        ("arch = ", "line 1"),
        ("arch = \"gfx1030\"", "unknown architecture"),
        ("entry = 2", "not a multiple of 4"),
        ("[expect]\noutcome = \"done\"", "unknown outcome"),
    ] {
        corpus.shader("s/a.bin", &constant(1));
        corpus.file("s/a.toml", sidecar);
        corpus.run(&["batch", "s", "--force", "--out", "r.jsonl"], 1);
        let line = &corpus.lines("r.jsonl")[0];
        let reason = line["detail"]["kind"].as_str().unwrap();
        assert!(line["outcome"] == "bad-input" && reason.contains(message), "{sidecar}: {reason}");
    }
    corpus.file("s/a.toml", "");
    corpus.file("s/a.bin.toml", "");
    for input in ["s", "s/a.bin"] {
        corpus.run(&["batch", input, "--force", "--out", "r.jsonl"], 1);
        let lines = corpus.lines("r.jsonl");
        assert!(lines[0]["detail"]["kind"].as_str().unwrap().contains("two sidecars"), "{input}");
    }
}

/// The file is sparse, so it takes no room on the disk.
#[test]
fn a_file_of_five_gigabytes() {
    let corpus = Corpus::new();
    File::create(corpus.path("huge.bin")).unwrap().set_len(5 << 30).unwrap();
    assert!(reason(&corpus, "huge.bin").contains("5368709120 bytes"));
}

/// The file becomes one `bad-input` entry instead of the entry of the program that ran.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_shrinks_while_it_runs() {
    use std::process::Stdio;
    let corpus = Corpus::new();
    // The program counts down, then branches to the part that is cut off meanwhile.
    let mut words = countdown(40_000_000);
    *words.last_mut().unwrap() = 0xbf82_7000;
    words.resize(1 << 19, ENDPGM);
    corpus.shader("big.bin", &words);
    corpus.shader("small.bin", &constant(1));
    let arguments =
        ["batch", "--interp", "--max-insts", "1000000000", "big.bin", "small.bin", "--force", "--out", "r.jsonl"];
    let mut batch = corpus.gcnsim(&arguments).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let maps = format!("/proc/{}/maps", batch.id());
    while !fs::read_to_string(&maps).unwrap_or_default().contains("big.bin") {
        assert!(batch.try_wait().unwrap().is_none(), "it ended before it was seen to begin");
    }
    File::options().write(true).open(corpus.path("big.bin")).unwrap().set_len(4096).unwrap();
    let output = batch.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "outcome"), ["bad-input", "ended"]);
    assert_eq!(lines[0]["detail"]["kind"], "the file shrank from 2097152 to 4096 bytes while it was in use");
    let summary = text(&output.stdout) + &text(&output.stderr);
    assert!(summary.contains("1 ended, 1 bad-input"), "{summary}");
}

#[test]
fn what_is_no_batch_at_all() {
    let corpus = Corpus::new();
    corpus.file("empty.txt", "\n\n");
    corpus.run(&["batch", "@empty.txt"], 2);
    corpus.run(&["batch", "@missing.txt"], 2);
    corpus.run(&["batch"], 2);
    corpus.shader("a.bin", &constant(1));
    corpus.run(&["batch", "a.bin", "--jobs", "0"], 2);
    corpus.run(&["batch", "a.bin", "--shard", "0/4"], 2);
    corpus.run(&["batch", "a.bin", "--resume"], 2);
    corpus.run(&["batch", "a.bin", "--force"], 2);
    corpus.run(&["batch", "a.bin", "--out", "r.jsonl", "--force", "--resume"], 2);
    corpus.run(&["batch", "a.bin", "--out", "no/such/folder.jsonl"], 2);
    corpus.run(&["batch", "a.bin", "--ledger", "missing"], 2);
    // A missing path among the arguments is an error before anything runs.
    let missing = corpus.run(&["batch", "a.bin", "missing.bin", "no such folder", "--out", "r.jsonl"], 2);
    let error = text(&missing.stderr);
    assert!(error.contains("no such file or folder: missing.bin, 'no such folder'"), "{error}");
    assert!(!corpus.path("r.jsonl").exists() && !corpus.path("r.jsonl.part").exists());
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let corpus = Corpus::new();
    corpus.shader("d/a.bin", &constant(1));
    let odd = corpus.path("d").join(std::ffi::OsStr::from_bytes(b"\xff\".bin"));
    fs::copy(corpus.path("d/a.bin"), odd).unwrap();
    corpus.run(&["batch", "d", "--force", "--out", "r.jsonl"], 0);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "file"), ["d/a.bin", "d/\u{fffd}\".bin"]);
}
