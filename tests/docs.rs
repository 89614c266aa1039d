//! The lists in the documents are those of the code: fidelity notes, files with unsafe code, numbers of instructions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gcnsim::isa::{Arch, Note, table};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of table rows, without the lines between head and body.
fn table_rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

/// The names in the first cells of the tables of a text.
fn names_in_tables(text: &str) -> impl Iterator<Item = &str> {
    table_rows(text).filter_map(|row| row[0].strip_prefix('`')?.strip_suffix('`'))
}

#[test]
fn fidelity_page_lists_every_note_once() {
    let text = document("docs/fidelity.md");
    let cells = table_rows(&text).filter(|row| row.len() == 2 && row[1].starts_with('`'));
    let mut listed: Vec<&str> = cells.flat_map(|row| row[1].split(", ").map(|code| code.trim_matches('`'))).collect();
    listed.sort_unstable();
    let mut known: Vec<&str> = Note::ALL.iter().map(|note| note.code()).collect();
    known.sort_unstable();
    assert_eq!(listed, known, "the table of docs/fidelity.md against Note::ALL");
}

/// Adds the files below a folder of the project that allow unsafe code.
fn find_unsafe_files(folder: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            find_unsafe_files(&name, found);
        } else if document(&name).contains("allow(unsafe_code)") {
            found.insert(name);
        }
    }
}

#[test]
fn safety_page_lists_every_file_with_unsafe_code() {
    let text = document("docs/safety.md");
    let listed: BTreeSet<String> =
        names_in_tables(&text).filter(|file| file.ends_with(".rs")).map(str::to_owned).collect();
    let mut found = BTreeSet::new();
    for folder in ["isa/src", "machine/src", "jit/src", "src"] {
        find_unsafe_files(folder, &mut found);
    }
    assert_eq!(listed, found, "the table of docs/safety.md against the sources");
}

/// Numbers of instructions by encoding and generation.
fn counts() -> BTreeMap<&'static str, Vec<usize>> {
    let mut counts = BTreeMap::new();
    for desc in table::all_rows() {
        let of_encoding = counts.entry(desc.encoding.name()).or_insert_with(|| vec![0; Arch::ALL.len()]);
        for (n, arch) in of_encoding.iter_mut().zip(Arch::ALL) {
            *n += desc.opcode_on(arch).is_some() as usize;
        }
    }
    counts
}

/// The rows that name encodings and state a number (or -) for each generation.
fn documented_counts(text: &str) -> impl Iterator<Item = (&str, Vec<usize>)> {
    let number = |cell: &&str| if *cell == "-" { Some(0) } else { cell.parse().ok() };
    let rows = table_rows(text).filter(|row| row.len() == 1 + Arch::ALL.len());
    rows.filter_map(move |row| Some((row[0], row[1..].iter().map(number).collect::<Option<_>>()?)))
}

/// Each encoding is in one row, and the numbers of a row are the sums of its encodings.
fn check_counts(document_name: &str, mut counts: BTreeMap<&str, Vec<usize>>) {
    for (names, numbers) in documented_counts(&document(document_name)) {
        let mut sums = vec![0; Arch::ALL.len()];
        for name in names.split(", ") {
            let of_encoding = counts.remove(name).unwrap_or_else(|| panic!("{name} in {document_name}"));
            sums.iter_mut().zip(of_encoding).for_each(|(sum, n)| *sum += n);
        }
        assert_eq!(numbers, sums, "{names} in {document_name}");
    }
    assert!(counts.is_empty(), "not in {document_name}: {:?}", counts.keys());
}

#[test]
fn support_tables_agree_with_the_instruction_tables() {
    let counts = counts();
    let mut executed = counts.clone();
    executed.retain(|name, _| !["VINTRP", "MIMG", "EXP"].contains(name));
    check_counts("README.md", executed);
    check_counts("docs/isa.md", counts);
}
