//! The generation of raw files in batches.

use crate::batch_support;

use batch_support::*;

fn archs(corpus: &Corpus, arguments: &[&str]) -> Vec<String> {
    corpus.gcnsim(&[&["batch", "--force", "--out", "r.jsonl"], arguments].concat()).output().unwrap();
    strings(&corpus.lines("r.jsonl"), "arch")
}

fn mixed_generations() -> Corpus {
    let corpus = Corpus::new();
    for name in ["c/fiji/a.bin", "c/gfx600/deep/b.bin", "c/gfx600/gcn1.1/c.bin", "c/misc/d.bin", "c/gfx600/s.bin"] {
        corpus.shader(name, &constant(name.len() as u16));
    }
    corpus.file("c/gfx600/s.toml", "arch = \"gfx906\"\n");
    corpus
}

#[test]
fn folders_tell_the_generation() {
    let corpus = mixed_generations();
    let names = ["c/fiji/a.bin", "c/gfx600/deep/b.bin", "c/gfx600/gcn1.1/c.bin", "c/gfx600/s.bin", "c/misc/d.bin"];
    assert_eq!(archs(&corpus, &["c"]), ["gcn1.4", "gcn1.4", "gcn1.4", "gcn1.4.1", "gcn1.4"]);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "file"), names);
    let expected = ["gcn1.2", "gcn1.0", "gcn1.1", "gcn1.4.1", "gcn1.4"];
    assert_eq!(archs(&corpus, &["c", "--arch-from-path"]), expected);
    // The paths of lists and archives count, too.
    corpus.file("list.txt", names.join("\n"));
    assert_eq!(archs(&corpus, &["@list.txt", "--arch-from-path"]), expected);
    corpus.file("hawaii/c.tar", tar(&files_below(&corpus.path("c"))));
    assert_eq!(
        archs(&corpus, &["hawaii/c.tar", "--arch-from-path"]),
        ["gcn1.2", "gcn1.0", "gcn1.1", "gcn1.4.1", "gcn1.1"]
    );
    // The flag overrides everything else.
    assert_eq!(archs(&corpus, &["c", "--arch-from-path", "--arch", "tonga"]), ["gcn1.2"; 5]);
}

#[test]
fn resuming_sees_the_same_generations() {
    let corpus = mixed_generations();
    corpus.run(&["batch", "c", "--arch-from-path", "--out", "r.jsonl"], 0);
    corpus.run(&["batch", "c", "--arch-from-path", "--out", "r.jsonl", "--resume"], 0);
    let error = text(&corpus.run(&["batch", "c", "--out", "r.jsonl", "--resume"], 2).stderr);
    assert!(error.contains("c/fiji/a.bin ran as gcn1.2, not gcn1.4"), "{error}");
}

/// A guess is reported as `run` reports it. Nothing is reported if the generation is stated.
#[test]
fn a_guess_is_said() {
    let corpus = mixed_generations();
    let note = |arguments: &[&str]| -> Option<String> {
        let arguments = [&["batch", "c", "--force", "--out", "r.jsonl"], arguments].concat();
        let error = text(&corpus.run(&arguments, 0).stderr);
        error.lines().find(|line| line.contains("architecture")).map(str::to_owned)
    };
    let expected = "gcnsim: note: 4 raw files do not state their architecture, taken as gcn1.4";
    assert!(note(&[]).unwrap().starts_with(expected), "{:?}", note(&[]));
    assert!(note(&["--arch-from-path"]).unwrap().contains("1 raw file does not state its architecture"));
    assert_eq!(note(&["--arch", "gcn1.4"]), None);
    // The note is also there if the results were there already.
    corpus.run(&["batch", "c", "--force", "--out", "r.jsonl"], 0);
    let again = text(&corpus.run(&["batch", "c", "--out", "r.jsonl", "--resume"], 0).stderr);
    assert!(again.contains("there is nothing to do") && again.contains(expected), "{again}");
}

#[test]
fn a_wrong_generation_shows() {
    let corpus = Corpus::new();
    for i in 0..40 {
        let words = if i % 5 == 0 { [0xb000_0000 | i, ILLEGAL] } else { [0xb000_0000 | i, ENDPGM] };
        corpus.shader(&format!("d/s{i:02}.bin"), &words);
    }
    let out = text(&corpus.run(&["batch", "d", "--out", "r.jsonl"], 1).stdout);
    assert!(out.contains("generation?   8 of 40 raw files that ran as gcn1.4 fault or do not decode"), "{out}");
    // In a pipe lines are neither broken nor cut.
    assert!(out.contains("another generation (--arch, a sidecar or --arch-from-path says of which)\n"), "{out}");
    // One fault among many files is just a broken file.
    for i in 0..40 {
        corpus.shader(&format!("d/s{i:02}.bin"), &constant(i));
    }
    for i in 0..30 {
        corpus.shader(&format!("d/t{i:02}.bin"), &constant(100 + i));
    }
    corpus.shader("d/x.bin", &[ILLEGAL]);
    let out = text(&corpus.run(&["batch", "d", "--force", "--out", "r.jsonl"], 1).stdout);
    assert!(out.contains("1 fault") && !out.contains("generation?"), "{out}");
}
