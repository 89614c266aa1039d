//! What the sources of the library must not have in their public functions.

use std::fs;
use std::path::{Path, PathBuf};

/// Adds the Rust files below a folder, without those of tests.
fn add_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "tests") {
                add_sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the sources of all crates below the command line.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut found = Vec::new();
    for folder in crates.chain(["isa/src", "jit/src"].map(|folder| root.join(folder))) {
        add_sources(&folder, &mut found);
    }
    found.sort();
    assert!(found.len() > 300, "{} files", found.len());
    found
}

/// Returns the signatures of a file's public functions: from the name to the body, on one line.
fn public_functions(text: &str) -> impl Iterator<Item = String> {
    let begins = ["pub fn ", "pub const fn ", "pub unsafe fn "];
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts: Vec<usize> =
        (0..lines.len()).filter(|&i| begins.iter().any(|begin| lines[i].starts_with(begin))).collect();
    let signature = |start: usize| {
        let end = (start..lines.len()).find(|&i| lines[i].ends_with('{') || lines[i].ends_with(';')).unwrap_or(start);
        lines[start..=end].join(" ")
    };
    starts.into_iter().map(signature).collect::<Vec<_>>().into_iter()
}

#[test]
fn errors_of_public_functions_have_types() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("type Err = String;") {
            wrong.push(format!("{}: type Err = String", path.display()));
        }
        for signature in public_functions(&text) {
            let returned = signature.split_once(" -> ").map_or("", |(_, returned)| returned);
            if returned.contains("Result<") && (returned.contains(", String>") || returned.contains("str>")) {
                wrong.push(format!("{}: {signature}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "errors that are texts:\n{}", wrong.join("\n"));
}

/// Whether the module in the file at `path` is public, or something in it is exported by another name.
fn is_public(path: &Path) -> bool {
    let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap()).collect();
    let src = parts.iter().rposition(|part| *part == "src").unwrap() + 1;
    let names = parts[src..].iter().map(|part| part.trim_end_matches(".rs"));
    let mut folder: PathBuf = parts[..src].iter().collect();
    let mut parent = folder.join("lib.rs");
    for name in names.filter(|name| !["lib", "mod"].contains(name)) {
        let shows = |line: &str| {
            line.strip_prefix("pub mod ").is_some_and(|rest| rest.trim_end_matches([';', ' ', '{']) == name)
                || line.strip_prefix("pub use ").is_some_and(|rest| rest.split([':', ';']).any(|part| part == name))
        };
        if !fs::read_to_string(&parent).unwrap().lines().any(shows) {
            return false;
        }
        folder.push(name);
        parent = [folder.with_extension("rs"), folder.join("mod.rs")].into_iter().find(|file| file.exists()).unwrap();
    }
    true
}

/// The crates that the library shows.
const SHOWN: [&str; 15] = [
    "isa",
    "crates/loader",
    "crates/machine",
    "crates/interp",
    "crates/engine",
    "crates/device",
    "crates/launches",
    "crates/synthetic",
    "crates/sanitize",
    "crates/lint",
    "crates/inputs/src/arch.rs",
    "crates/inputs/src/inputs",
    "crates/batch",
    "crates/diff",
    "crates/check/src/vectors",
];

#[test]
fn no_argument_of_a_public_function_is_a_bool() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in sources() {
        let name = path.strip_prefix(root).unwrap();
        if !SHOWN.iter().any(|shown| name.starts_with(shown)) || !is_public(&path) {
            continue;
        }
        for signature in public_functions(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            let arguments = signature.split(" -> ").next().unwrap();
            if arguments.contains(": bool") && !arguments.contains("condition: bool") {
                wrong.push(format!("{}: {signature}", name.display()));
            }
        }
    }
    assert!(count > 500, "{count}");
    assert!(wrong.is_empty(), "what does `true` mean here?\n{}", wrong.join("\n"));
}

#[test]
fn the_library_shows_names_and_not_crates() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let code: String = text.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
    let exports: Vec<&str> =
        code.split("pub use ").skip(1).map(|export| export.split(';').next().unwrap().trim()).collect();
    let crates: Vec<&&str> =
        exports.iter().filter(|export| export.contains(" as ") || !export.contains("::")).collect();
    assert_eq!(crates, [&"gcnsim_isa as isa"], "the one crate that is published for its own sake");
    let names = exports.iter().map(|export| export.split(',').filter(|name| !name.trim().is_empty()).count());
    let count: usize = names.sum();
    assert!((50..115).contains(&count), "{count} names");
}
