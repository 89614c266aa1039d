//! The lists in the documents agree with the code: fidelity notes, files with unsafe code, numbers of instructions,
//! keys of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gcnsim_check::vectors::Vector;
use gcnsim_engine::report::RESULT_FIELDS;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_isa::{Arch, Kind, Note, table};
use gcnsim_launches::launch::{LaunchFile, Syntax};
use gcnsim_launches::sidecar::Sidecar;

pub(super) fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the cells of table rows, without the lines between head and body.
pub(super) fn table_rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

/// Returns the names in the first cells of all tables in a text.
fn names_in_tables(text: &str) -> impl Iterator<Item = &str> {
    table_rows(text).filter_map(|row| row[0].strip_prefix('`')?.strip_suffix('`'))
}

#[test]
fn fidelity_page_lists_every_note_once() {
    let text = document("docs/refer/fidelity.md");
    let cells = table_rows(&text).filter(|row| row.len() == 2 && row[1].starts_with('`'));
    let mut listed: Vec<&str> = cells.flat_map(|row| row[1].split(", ").map(|code| code.trim_matches('`'))).collect();
    listed.sort_unstable();
    let mut known: Vec<&str> = Note::ALL.iter().map(|note| note.code()).collect();
    known.sort_unstable();
    assert_eq!(listed, known, "the table of docs/refer/fidelity.md against Note::ALL");
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
    let text = document("docs/inside/safety.md");
    let listed: BTreeSet<String> =
        names_in_tables(&text).filter(|file| file.ends_with(".rs")).map(str::to_owned).collect();
    let mut found = BTreeSet::new();
    for folder in ["isa/src", "jit/src", "src"] {
        find_unsafe_files(folder, &mut found);
    }
    for crate_folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap() {
        let name = crate_folder.unwrap().file_name();
        find_unsafe_files(&format!("crates/{}/src", name.to_str().unwrap()), &mut found);
    }
    assert_eq!(listed, found, "the table of docs/inside/safety.md against the sources");
}

/// Returns the number of instructions of each encoding, by generation.
fn counts() -> BTreeMap<&'static str, Vec<usize>> {
    let mut counts = BTreeMap::new();
    for desc in table::all_rows() {
        let of_encoding = counts.entry(desc.encoding.name()).or_insert_with(|| vec![0; Arch::GENERATIONS.len()]);
        for (n, arch) in of_encoding.iter_mut().zip(Arch::GENERATIONS) {
            *n += desc.opcode_on(arch).is_some() as usize;
        }
    }
    counts
}

/// Returns the rows that name encodings and state a number (or -) for each generation.
fn documented_counts(text: &str) -> impl Iterator<Item = (&str, Vec<usize>)> {
    let number = |cell: &&str| if *cell == "-" { Some(0) } else { cell.parse().ok() };
    let rows = table_rows(text).filter(|row| row.len() == 1 + Arch::GENERATIONS.len());
    rows.filter_map(move |row| Some((row[0], row[1..].iter().map(number).collect::<Option<_>>()?)))
}

/// Checks that each encoding is in one row, and that the numbers of a row are the sums over its encodings.
fn check_counts(document_name: &str, mut counts: BTreeMap<&str, Vec<usize>>) {
    for (names, numbers) in documented_counts(&document(document_name)) {
        let mut sums = vec![0; Arch::GENERATIONS.len()];
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
    check_counts("README.md", counts.clone());
    check_counts("docs/refer/isa.md", counts);
}

/// Returns the lines of a page that are outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_block = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_block ^= is_fence;
        !is_block && !is_fence
    })
}

/// Returns the spans of a page in backquotes, outside of code blocks.
fn code_spans(text: &str) -> BTreeSet<&str> {
    prose(text).flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Returns the keys that an error message of a parser lists as known. The parser makes that list, so it is complete.
fn known_keys(message: &str) -> BTreeSet<String> {
    let list = message.split_once("(known: ").or_else(|| message.split_once(", expected "));
    let (_, list) = list.unwrap_or_else(|| panic!("no list of keys in: {message}"));
    let list = list.lines().next().unwrap_or_default().trim_start_matches("one of ");
    let list = [" at line ", ", at column "].iter().fold(list, |list, end| list.split(end).next().unwrap_or(list));
    let words = list.split([',', ' ']).map(|word| word.trim_matches(['`', ')']));
    words.filter(|word| !word.is_empty() && *word != "or").map(str::to_owned).collect()
}

/// Checks that a page names every key. `what` says in a message what the keys are of.
fn check_keys(document_name: &str, what: &str, keys: impl IntoIterator<Item = impl AsRef<str>>) {
    let text = document(document_name);
    let spans = code_spans(&text);
    let mut count = 0;
    for key in keys {
        let key = key.as_ref();
        // A key of a nested table may be named with its path, such as `expect.state`.
        let is_named = spans.iter().any(|span| *span == key || span.split('.').next_back() == Some(key));
        assert!(is_named, "{document_name} does not explain '{key}' of {what}");
        count += 1;
    }
    assert!(count > 0, "{what} has no keys");
}

#[test]
fn pages_of_launch_files_name_every_key() {
    let launch = |more: &str| format!(r#"{{"launch": {{"grid": 1, "group": 1, {more}}}}}"#);
    for (what, text) in [
        ("the file", r#"{"?": 1}"#.to_owned()),
        ("a launch", launch(r#""?": 1"#)),
        ("an argument", launch(r#""args": [{"?": 1}]"#)),
        ("a pointer", launch(r#""args": [{"buffer": "b", "?": 1}]"#)),
        ("a buffer", launch(r#""buffers": {"b": {"?": 1}}"#)),
        ("iota", launch(r#""buffers": {"b": {"iota": {"?": 1}}}"#)),
        ("random", launch(r#""buffers": {"b": {"random": {"?": 1}}}"#)),
    ] {
        let message = LaunchFile::parse(&text, Syntax::Json).unwrap_err().to_string();
        check_keys("docs/use/launch-files.md", what, known_keys(&message));
    }
    for (page, what, text) in [
        ("docs/use/launch-contents.md", "expect", launch(r#""expect": {"?": 1}"#)),
        ("docs/use/launch-contents.md", "a check", launch(r#""expect": {"buffers": {"b": {"?": 1}}}"#)),
        ("docs/use/launch-contents.md", "an image", launch(r#""images": {"a": {"?": 1}}"#)),
        ("docs/use/launch-contents.md", "a sampler", launch(r#""args": [{"sampler": {"?": 1}}]"#)),
    ] {
        let message = LaunchFile::parse(&text, Syntax::Json).unwrap_err().to_string();
        check_keys(page, what, known_keys(&message));
    }
}

#[test]
fn page_of_states_names_every_key() {
    for (what, text) in [
        ("a state", r#"{"?": 1}"#),
        ("a region", r#"{"memory": [{"?": 1}]}"#),
        ("lds", r#"{"lds": {"?": 1}}"#),
        ("apertures", r#"{"apertures": {"?": 1}}"#),
    ] {
        let message = StateSpec::from_json(text).unwrap_err().to_string();
        check_keys("docs/use/state-files.md", what, known_keys(&message));
    }
    for (what, text) in [("a sidecar", "z = 1"), ("expect", "[expect]\nz = 1")] {
        let message = Sidecar::parse(text).unwrap_err().to_string();
        let keys = message.lines().find(|line| line.starts_with("unknown field")).unwrap();
        check_keys("docs/use/state-files.md", what, known_keys(keys));
    }
}

/// Returns the public fields of a structure that is written as JSON, read from its source.
fn fields_of(source: &str, name: &str) -> Vec<String> {
    let text = document(source);
    let start = text.find(&format!("struct {name} {{")).unwrap_or_else(|| panic!("no struct {name} in {source}"));
    let body = text[start..].split("\n}").next().unwrap_or_default();
    let mut fields = Vec::new();
    let mut is_skipped = false;
    for line in body.lines().skip(1).map(str::trim) {
        if line.starts_with("#[serde(skip)]") || line.starts_with("#[serde(flatten)]") {
            is_skipped = true;
        } else if let Some((field, _)) = line.trim_start_matches("pub ").split_once(": ")
            && !line.starts_with(['/', '#', '$'])
        {
            fields.extend((!is_skipped).then(|| field.to_owned()));
            is_skipped = false;
        }
    }
    assert!(!fields.is_empty(), "{name} in {source}");
    fields
}

#[test]
fn page_of_results_names_every_field() {
    for (source, name) in [
        ("crates/engine/src/report.rs", "DetailReport"),
        ("crates/engine/src/report.rs", "NearReport"),
        ("crates/engine/src/difference.rs", "Difference"),
        ("crates/engine/src/difference.rs", "BufferDifference"),
        ("crates/launches/src/report.rs", "LaunchReport"),
        ("crates/launches/src/result.rs", "Facts"),
        ("crates/launches/src/report.rs", "BufferFields"),
        ("crates/engine/src/report.rs", "Writer"),
        ("crates/batch/src/output/record.rs", "Record"),
        ("crates/batch/src/output/end.rs", "ClosingRecord"),
        ("crates/check/src/vectors/run.rs", "Summary"),
        ("crates/check/src/vectors/run.rs", "ByCertainty"),
    ] {
        let mut fields = fields_of(source, name);
        fields.retain(|field| field != "broken");
        check_keys("docs/refer/results.md", name, fields);
    }
    check_keys("docs/refer/results.md", "RunReport", RESULT_FIELDS.iter().copied());
    check_keys("docs/refer/results.md", "by_class", Kind::ALL.map(Kind::name));
}

#[test]
fn page_of_comparisons_names_every_field() {
    for (source, name) in [
        ("crates/batch/src/compare/mod.rs", "Comparison"),
        ("crates/batch/src/compare/changes.rs", "Change"),
        ("crates/batch/src/compare/changes.rs", "InstructionChange"),
        ("crates/batch/src/compare/changes.rs", "Lengths"),
        ("crates/batch/src/compare/timing.rs", "Timing"),
        ("crates/batch/src/compare/timing.rs", "AllChange"),
        ("crates/batch/src/compare/timing.rs", "TimeChange"),
        ("crates/batch/src/compare/fail_on.rs", "Regression"),
        ("crates/batch/src/compare/fail_on.rs", "RegressionEntry"),
    ] {
        check_keys("docs/use/compare.md", name, fields_of(source, name));
    }
}

#[test]
fn page_of_diff_names_every_field() {
    for name in ["PairResult", "First", "Counts", "Count", "Summary"] {
        check_keys("docs/use/diff.md", name, fields_of("crates/diff/src/result.rs", name));
    }
}

#[test]
fn page_of_vectors_names_every_key() {
    check_keys("corpus/vectors/README.md", "a vector", fields_of("crates/check/src/vectors/mod.rs", "Vector"));
    let fault = r#"{"id": "", "arch": "gcn1.4", "words": [1], "expect": {"fault": {"?": 1}}}"#;
    check_keys(
        "corpus/vectors/README.md",
        "fault",
        known_keys(&Vector::parse(fault.as_bytes()).unwrap_err().to_string()),
    );
}

/// Returns all files of the project with one of these extensions, by path, without build outputs and vectors.
fn project_files(extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if entry.file_type().unwrap().is_dir() {
                folders.extend((name != "target" && !name.starts_with('.')).then_some(path));
            } else if name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the anchors of a page's headings, as code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_block = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        is_block ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if !is_block && line.starts_with('#') && title.starts_with(' ') {
            let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            found.insert(kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect());
        }
    }
    found
}

/// Checks that a page, and the section of it that `target` names, exist. The path is relative to `folder`.
fn check_target(from: &str, folder: &Path, target: &str) {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { Path::new(env!("CARGO_MANIFEST_DIR")).join(from) } else { folder.join(path) };
    assert!(file.exists(), "{from} names {target}, which does not exist");
    if let Some(anchor) = anchor {
        let text = fs::read_to_string(&file).unwrap();
        assert!(anchors(&text).contains(anchor), "{from} names {target}: there is no such section");
    }
}

#[test]
fn links_of_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for file in project_files(&["md"]) {
        let text = document(&file);
        let folder = root.join(&file).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if !link.contains("://") && !link.contains(' ') {
                check_target(&file, &folder, link);
                count += 1;
            }
        }
    }
    assert!(count > 200, "{count} links");
}

/// The pages on GCN name a fidelity note where a result rests on a choice, and these notes exist. (The checks of waits
/// and hazards have names of their own.)
#[test]
fn pages_on_gcn_name_notes_that_exist() {
    let known: BTreeSet<&str> = Note::ALL.iter().map(|note| note.code()).collect();
    let is_code = |span: &&str| {
        span.contains('-') && span.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let mut named = 0;
    for page in project_files(&["md"]).into_iter().filter(|file| file.starts_with("docs/gcn/")) {
        let text = document(&page);
        assert!(text.len() < 14_000, "{page} has {} bytes", text.len());
        if ["docs/gcn/waits.md", "docs/gcn/hazards.md"].contains(&page.as_str()) {
            continue;
        }
        for code in code_spans(&text).into_iter().filter(is_code) {
            assert!(known.contains(code), "{page} names a note '{code}', which does not exist");
            named += 1;
        }
    }
    assert!(named > 100, "{named} notes");
}

#[test]
fn front_page_of_documents_lists_every_page() {
    let front = document("docs/README.md");
    let shelves = ["docs/use/", "docs/refer/", "docs/inside/", "docs/measured/"];
    let is_on_shelf = |page: &String| shelves.iter().any(|shelf| page.starts_with(shelf));
    let pages: Vec<String> = project_files(&["md"]).into_iter().filter(is_on_shelf).collect();
    assert!(pages.len() > 20, "{pages:?}");
    for page in pages {
        assert!(front.contains(&format!("]({})", &page["docs/".len()..])), "docs/README.md does not name {page}");
        let length = document(&page).chars().count();
        assert!(length <= 14_000, "{page} has {length} characters");
    }
}

/// Returns the paths that one with braces stands for: `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn expanded(path: &str) -> Vec<String> {
    let braces = path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (choices, after))) = braces else { return vec![path.to_owned()] };
    choices.split(',').flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

/// Pages of the house name Rust files by their path, or by its end where the sentence says in which folder.
#[test]
fn sources_that_documents_name_exist() {
    let sources = project_files(&["rs"]);
    let mut count = 0;
    for page in project_files(&["md"]).into_iter().filter(|page| !page.starts_with("docs/gcn/")) {
        let text = document(&page);
        for span in
            code_spans(&text).into_iter().filter(|span| span.ends_with(".rs") && !span.contains(['*', '<', ' ']))
        {
            for path in expanded(span) {
                let end = format!("/{path}");
                let is_there = sources.iter().any(|source| *source == path || source.ends_with(&end));
                assert!(is_there, "{page} names {path}, which does not exist");
                count += 1;
            }
        }
    }
    assert!(count > 200, "{count} files");
}

/// Each stop of the tour names files, and behind a file in brackets its functions.
#[test]
fn functions_of_the_tour_exist() {
    let text = document("docs/inside/tour.md");
    let prose: String = prose(&text).flat_map(|line| [line, " "]).collect();
    let (mut file, mut count) = (None, 0);
    let pieces: Vec<&str> = prose.split('`').collect();
    for pair in pieces[1..].chunks_exact(2) {
        let (span, after) = (pair[0], pair[1]);
        if span.ends_with(".rs") {
            file = after.starts_with(" (").then(|| (span, document(span)));
        } else if let Some((name, source)) = &file {
            assert!(source.contains(&format!("fn {span}")), "{name} has no function '{span}'");
            count += 1;
            if after.starts_with(')') {
                file = None;
            }
        }
    }
    assert!(count > 50, "{count} functions");
}

/// Returns the documents that a source file cites, with the section if it names one.
fn citations(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '#');
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_end_matches(['.', '#']));
    words.filter(|word| word.ends_with(".md") || word.contains(".md#")).filter(|word| !word.starts_with('.')).collect()
}

#[test]
fn citations_in_code_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for file in project_files(&["rs", "py"]) {
        let text = document(&file);
        // The commands in help texts write these two files.
        for cited in citations(&text).into_iter().filter(|cited| !["comment.md", "table.md"].contains(cited)) {
            check_target(&file, root, cited);
            count += 1;
        }
    }
    assert!(count > 100, "{count} citations");
}
