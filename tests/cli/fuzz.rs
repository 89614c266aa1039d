//! `gcnsim fuzz` and `gcnsim gen-corpus` as commands.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn gcnsim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gcnsim")).args(arguments).output().unwrap()
}

#[cfg(feature = "jit")]
fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[cfg(feature = "jit")]
#[test]
fn fuzz_ends_with_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = gcnsim(&["fuzz", "--seconds", "1", "--seed", "5", "--jobs", "2", "--arch", "fiji", "--out", out]);
    let last = stdout(&output).lines().last().unwrap();
    let words: Vec<_> = last.split(' ').collect();
    let [programs, "programs,", instructions, "instructions,", "0", "divergences"] = words[..] else {
        panic!("{last}")
    };
    assert!(programs.parse::<u64>().unwrap() > 0 && instructions.parse::<u64>().unwrap() > 0, "{last}");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // With 0 seconds one program runs. The same seed runs the same program.
    let again = || stdout(&gcnsim(&["fuzz", "--seconds", "0", "--seed", "0x2a"])).lines().last().unwrap().to_string();
    assert!(again().starts_with("1 programs, "), "{}", again());
    assert_eq!(again(), again());
    assert_eq!(gcnsim(&["fuzz", "--arch", "gfx1030"]).status.code(), Some(2));
}

/// Returns names and bytes of all files of a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut files: Vec<_> = entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn a_seed_makes_one_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let generate = |name: &str, more: &[&str]| {
        let directory = folder.path().join(name);
        let mut arguments = vec!["gen-corpus", directory.to_str().unwrap()];
        arguments.extend(more);
        let output = gcnsim(&arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        files(&directory)
    };
    let first = generate("a", &["--count", "20", "--seed", "3"]);
    assert_eq!(first, generate("b", &["--count", "20", "--seed", "3"]));
    assert_ne!(first, generate("c", &["--count", "20", "--seed", "4"]));
    // The generations take turns, and a sidecar names each.
    assert_eq!(first.len(), 40);
    assert_eq!(first[3], ("000001.toml".to_string(), b"arch = \"gcn1.1\"\n".to_vec()));
    let plain = generate("d", &["--count", "20", "--seed", "3", "--arch", "gcn1.1"]);
    assert_eq!(plain.len(), 20);
    assert_eq!(plain[1], first[2], "a program is that of its number, whatever the others are");
    for (name, _) in first.iter().filter(|(name, _)| name.ends_with(".bin")) {
        let path = folder.path().join("a").join(name);
        let output = gcnsim(&["run", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
    }
    // The FNV-1a hash of all programs must not change, because a seed keeps its corpus.
    let bytes = first.iter().filter(|(name, _)| name.ends_with(".bin")).flat_map(|(_, bytes)| bytes);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, &b| (hash ^ b as u64).wrapping_mul(0x100_0000_01b3));
    assert_eq!(hash, 0x8c55_252a_0068_e549);
    // With vector ALU instructions there are other programs, which end as well.
    let vector = generate("v", &["--count", "10", "--seed", "3", "--vector"]);
    assert_eq!(vector, generate("w", &["--count", "10", "--seed", "3", "--vector"]));
    for (other, (name, bytes)) in first.iter().zip(&vector).filter(|(_, (name, _))| name.ends_with(".bin")) {
        assert_ne!(&other.1, bytes);
        let output = gcnsim(&["run", folder.path().join("v").join(name).to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
    }
    let file = folder.path().join("a/000000.bin");
    assert_eq!(gcnsim(&["gen-corpus", file.to_str().unwrap()]).status.code(), Some(2));
}

#[test]
fn files_that_a_corpus_leaves_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("c");
    let generate = |more: &[&str]| {
        let output = gcnsim(&[&["gen-corpus", directory.to_str().unwrap()], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(generate(&["--count", "4"]), "");
    // Generating the same files again leaves none untouched.
    assert_eq!(generate(&["--count", "4"]), "");
    fs::write(directory.join("my notes\n"), "x").unwrap();
    let before = fs::read(directory.join("000003.bin")).unwrap();
    let note = generate(&["--count", "3", "--seed", "9"]);
    assert!(note.ends_with("left untouched: 'my notes'$'\\n', 000003.bin, 000003.toml\n"), "{note}");
    assert_eq!(fs::read(directory.join("000003.bin")).unwrap(), before);
    // The old sidecars state other generations than the programs have.
    let note = generate(&["--count", "4", "--arch", "gcn1.4"]);
    for name in ["000000.toml", "000001.toml", "000002.toml", "000003.toml", "my notes"] {
        assert!(note.contains(name), "{note}");
    }
    assert!(!note.contains(".bin"), "{note}");
    for i in 0..30 {
        fs::write(directory.join(format!("z{i}")), "").unwrap();
    }
    assert!(generate(&["--count", "4"]).ends_with(" and 11 more\n"));
}
