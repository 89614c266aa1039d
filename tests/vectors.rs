//! Runs the conformance vectors of the corpus on both engines.
#![cfg(feature = "cli")]

use std::fs::File;
use std::path::Path;

use gcnsim::vectors::{self, Event, Summary, VectorEngine, verify};

fn run(engines: &mut [Box<dyn VectorEngine>], filter: impl Fn(&str) -> bool) -> (Summary, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/vectors");
    let mut total = Summary::default();
    let mut failures = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.contains(".jsonl") || !filter(name) {
            continue;
        }
        let summary = verify(File::open(&path).unwrap(), engines, |event| match event {
            Event::NotPassed { vector, engine, verdict } => {
                failures.push(format!("{} on {engine}: {verdict:?}", vector.id));
            }
            Event::Broken { line, error } => failures.push(format!("{name} line {line}: {error}")),
        })
        .unwrap();
        total.merge(&summary);
    }
    (total, failures)
}

#[test]
fn interpreter_passes_all() {
    let (total, failures) = run(&mut [vectors::interpreter()], |_| true);
    assert!(failures.is_empty(), "{} failures, the first: {:#?}", failures.len(), &failures[..failures.len().min(40)]);
    assert!(total.total > 20_000 && total.passed == total.total, "{total:?}");
}

#[cfg(feature = "jit")]
#[test]
fn jit_passes_all() {
    let (total, failures) = run(&mut [vectors::compiled().unwrap()], |_| true);
    assert!(failures.is_empty(), "{} failures, the first: {:#?}", failures.len(), &failures[..failures.len().min(40)]);
    assert!(total.total > 20_000 && total.passed == total.total, "{total:?}");
}

/// A wrong lowering of s_add_u32 must be seen: the vectors really run on compiled code.
#[cfg(feature = "jit")]
#[test]
fn a_planted_mistake_is_caught() {
    use gcnsim::isa::{Opcode, table::Sop2};
    let plant = Some(Opcode::Sop2(Sop2::SAddU32));
    let options = gcnsim::RunOptions { plant, ..gcnsim::RunOptions::default() };
    let mut engine = [vectors::compiled_with(&options).unwrap()];
    let (total, failures) = run(&mut engine, |name| name.contains("gcn1.4-sop2"));
    assert!(total.failed > 0 && total.passed > 0, "{total:?}");
    assert!(failures.iter().all(|failure| failure.contains("s_add_u32")), "{failures:#?}");
}
