//! Runs the code of the fuzz targets on their seeds, and on all inputs that have made one of them fail.

use std::fs;
use std::path::{Path, PathBuf};

// `targets` is the code of the fuzz targets. In the fuzzer it is a crate.
use crate::targets;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_none_or(|e| e != "md")).collect();
    files.sort();
    files
}

/// Tests each file as it is, cut short, and with one bit flipped.
#[track_caller]
fn check_all(target: &str, more: Option<&str>, check: fn(&[u8])) {
    let mut seeds = files(&format!("fuzz/seeds/{target}"));
    seeds.extend(more.into_iter().flat_map(files));
    assert!(seeds.len() >= 5, "{} seeds", seeds.len());
    for path in seeds.into_iter().chain(files(&format!("fuzz/regress/{target}"))) {
        let mut data = fs::read(&path).unwrap();
        println!("{}", path.display());
        check(&data);
        check(&data[..data.len() * 2 / 3]);
        let middle = data.len() / 2;
        data[middle] ^= 4;
        check(&data);
    }
}

#[test]
fn decode() {
    check_all("decode", None, targets::decode::check);
}

#[test]
fn loader() {
    check_all("loader", Some("corpus/elf"), targets::loader::check);
}

#[test]
fn files_of_text() {
    check_all("files", None, targets::files::check);
}

#[cfg(feature = "jit")]
#[test]
fn runs() {
    check_all("run", None, targets::run::check);
}

#[cfg(feature = "jit")]
#[test]
fn launches() {
    check_all("launch", None, targets::launch::check);
}

#[cfg(feature = "jit")]
#[test]
fn metadata() {
    check_all("metadata", None, targets::metadata::check);
}

#[cfg(feature = "jit")]
#[test]
fn descriptors() {
    check_all("descriptor", None, targets::descriptor::check);
}

#[cfg(feature = "jit")]
#[test]
fn registers() {
    check_all("registers", None, targets::registers::check);
}

#[cfg(all(feature = "jit", target_os = "linux"))]
#[test]
fn devices() {
    check_all("device", None, targets::device::check);
}

#[cfg(feature = "jit")]
#[test]
fn dispatches() {
    check_all("dispatch", None, targets::dispatch::check);
}
