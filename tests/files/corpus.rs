//! Runs every program of the corpus on both engines. Final state, instruction count and outcome must be those of its
//! sidecar.

use std::fs;
use std::path::{Path, PathBuf};

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader as loader;
use gcnsim_machine::Context;

fn binaries(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "bin")).collect();
    files.sort();
    files
}

/// Runs a program from its sidecar's state. Returns the differences from the expectation.
fn differences(path: &Path, options: &RunOptions) -> Vec<String> {
    let sidecar = Sidecar::beside(path).unwrap().unwrap_or_else(|| panic!("{} has no sidecar", path.display()));
    let loaded = loader::load(path).unwrap();
    let program = loaded.entries[0].program_at(sidecar.arch.unwrap(), None, sidecar.entry.unwrap_or(0));
    let mut wave = Wave::new(&program);
    let mut context = Context::default();
    if let Some(state) = &sidecar.state {
        state.apply(&mut wave);
        context = state.context(&program);
    }
    let options = options.clone().max_insts(options.max_insts.or(sidecar.max_insts));
    let name = format!("{} ({:?}, hot {}, region {})", path.display(), options.engine, options.hot, options.region_max);
    match Engine::new(options.clone()).run_alone(&program, &mut wave, &mut context, options.max_insts).outcome {
        Err(error) => vec![format!("{name}: {error}")],
        // The test sets a budget of its own, so only the engines are compared.
        Ok(Outcome::Budget) if options.max_insts != sidecar.max_insts => Vec::new(),
        Ok(outcome) => {
            let expect = sidecar.expect.unwrap_or_else(|| panic!("{} expects nothing", path.display()));
            expect.differences(&wave, &context, &outcome).iter().map(|d| format!("{name}: {d:?}")).collect()
        }
    }
}

fn assert_all(files: &[PathBuf], settings: &[RunOptions]) {
    // A build without the JIT has only one engine.
    let settings: Vec<_> =
        settings.iter().filter(|o| cfg!(feature = "jit") || o.engine == EngineKind::Interp).cloned().collect();
    let settings = &settings;
    let failures: Vec<String> =
        files.iter().flat_map(|file| settings.iter().flat_map(move |options| differences(file, options))).collect();
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}

/// Each program has its source beside it, which names the generation; that of a case is in the head of its sidecar.
#[test]
fn every_program_can_be_read() {
    let programs = binaries("programs").into_iter().chain(binaries("loops")).chain(binaries(""));
    for path in programs {
        let arch = Sidecar::beside(&path).unwrap().unwrap().arch.unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let name = stem.strip_suffix(&format!("-{}", arch.name())).unwrap_or(stem);
        let source = fs::read_to_string(path.with_file_name(format!("{name}.s")))
            .unwrap_or_else(|error| panic!("the source of {}: {error}", path.display()));
        let is_named = source.lines().any(|line| line.starts_with(';') && line.contains(arch.name()));
        assert!(is_named || name == stem, "{name}.s does not name {}", arch.name());
    }
    let cases = binaries("regress");
    assert!(cases.len() > 20);
    for path in cases {
        let head = fs::read_to_string(path.with_extension("toml")).unwrap();
        let has_listing = head.lines().any(|line| line.starts_with("#   0x"));
        assert!(has_listing, "{}: no listing", path.display());
    }
}

#[test]
fn programs_end_as_expected() {
    let files = binaries("programs");
    assert!(files.len() >= 60, "only {} programs", files.len());
    let with = |engine, hot, region_max| RunOptions::default().engine(engine).hot(hot).region_max(region_max);
    let settings = [
        with(EngineKind::Interp, 0, 1),
        with(EngineKind::Jit, 4000, 1000),
        with(EngineKind::Check, 0, 1000),
        with(EngineKind::Check, 3, 7),
        with(EngineKind::Check, 0, 1).counting_classes(),
    ];
    assert_all(&files, &settings);
}

#[test]
fn bench_ends_as_expected() {
    assert_all(&binaries(""), &[RunOptions::default()]);
}

#[test]
fn loops_end_as_expected() {
    let files = binaries("loops");
    assert!(files.len() >= 12, "only {} loops", files.len());
    assert_all(&files, &[RunOptions::default()]);
}

#[test]
fn loops_agree_between_engines() {
    let checked = RunOptions::default().engine(EngineKind::Check).max_insts(200_000);
    assert_all(&binaries("loops"), &[checked.clone().hot(0), checked.hot(50)]);
}
