//! Files under construction: whatever is named `FILE.part` stays as it is, unless it is part of a batch's results.
#![cfg(unix)]

use crate::batch_support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use batch_support::*;

/// A way to put something at the path of a part; the file whose bytes must stay.
type Place = fn(&Corpus, &str) -> PathBuf;

/// Things that may be at the path of a part and are no results.
const PLACES: [(&str, Place); 5] = [
    ("a link to an input", |corpus, part| {
        symlink("a.bin", corpus.path(part)).unwrap();
        corpus.path("a.bin")
    }),
    ("another name of an input", |corpus, part| {
        fs::hard_link(corpus.path("a.bin"), corpus.path(part)).unwrap();
        corpus.path("a.bin")
    }),
    ("somebody's file", |corpus, part| {
        corpus.file(part, "precious");
        corpus.path(part)
    }),
    ("a link to somebody's file", |corpus, part| {
        corpus.file("other/notes", "precious");
        symlink("other/notes", corpus.path(part)).unwrap();
        corpus.path("other/notes")
    }),
    ("another name of an empty file", |corpus, part| {
        corpus.file("other/empty", "");
        fs::hard_link(corpus.path("other/empty"), corpus.path(part)).unwrap();
        corpus.path("other/empty")
    }),
];

/// `--junit`, `--report`, `--write-ledger`, `--coverage`, `merge` need no part: they write nothing but their file.
#[test]
fn what_has_the_name_of_a_part_stays() {
    for (what, place) in PLACES {
        for suffix in [".part", ".part.new.part", ".new"] {
            let corpus = Corpus::new();
            corpus.shader("a.bin", &constant(1));
            corpus.shader("b.bin", &[ILLEGAL]);
            let kept = place(&corpus, &format!("x{suffix}"));
            let before = fs::read(&kept).unwrap();
            let batch = ["batch", "a.bin", "--out", "o.jsonl", "--force"];
            for (flag, code) in [("--junit", 0), ("--report", 0), ("--coverage", 0), ("--write-ledger", 0)] {
                corpus.run(&[&batch[..], &[flag, "x"]].concat(), code);
                assert_eq!(fs::read(&kept).unwrap(), before, "{what}: {flag} x, x{suffix}");
                assert!(corpus.path("x").is_file(), "{what}: {flag}");
            }
            for shard in ["1/2", "2/2"] {
                let out = format!("{}.jsonl", &shard[..1]);
                corpus.run(&["batch", "a.bin", "b.bin", "--shard", shard, "--out", &out, "--write-ledger", "l"], 0);
            }
            corpus.run(&["merge", "1.jsonl", "2.jsonl", "--out", "x", "--force"], 0);
            corpus.run(&["compare", "1.jsonl", "x", "--junit", "y"], 0);
            assert_eq!(fs::read(&kept).unwrap(), before, "{what}: merge, x{suffix}");
        }
    }
}

/// Results grow in `FILE.part`, which is refused if it is something else, with `--force` too.
#[test]
fn results_grow_in_a_part_of_their_own() {
    for (what, place) in PLACES {
        for more in [&[][..], &["--force"], &["--resume"], &["--force", "--repeat", "3"]] {
            let corpus = Corpus::new();
            corpus.shader("a.bin", &constant(1));
            let kept = place(&corpus, "x.part");
            let before = fs::read(&kept).unwrap();
            let error = text(&corpus.run(&[&["batch", "a.bin", "--out", "x"], more].concat(), 2).stderr);
            assert!(error.contains("x.part"), "{what} {more:?}: {error}");
            assert_eq!(fs::read(&kept).unwrap(), before, "{what} {more:?}");
            assert!(corpus.path("x.part").symlink_metadata().is_ok() && !corpus.path("x").exists(), "{what} {more:?}");
        }
    }
    // A link that leads nowhere makes no file there.
    let corpus = Corpus::new();
    corpus.shader("a.bin", &constant(1));
    symlink("nowhere", corpus.path("x.part")).unwrap();
    let error = text(&corpus.run(&["batch", "a.bin", "--out", "x"], 2).stderr);
    assert!(error.contains("x.part: it is a link") && !corpus.path("nowhere").exists(), "{error}");
}
