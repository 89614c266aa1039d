//! The same input gives the same output: every program of the corpus, on every engine and every level of helpers that
//! the CPU has, with segments on and off, twice, and in batches. (`determinism_kernels.rs` tests launches.)

use std::path::{Path, PathBuf};
use std::process::Command;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::report::state_hash;
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Kind, Notes, Program};
use gcnsim_jit::helpers::Level;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader as loader;
use serde_json::{Map, Value};

/// All results of a run except times.
type Said = (Outcome, u64, u64, Notes, [u64; Kind::ALL.len()]);

/// Runs a program on a new engine.
fn say(path: &Path, options: &RunOptions) -> Said {
    say_with(&mut Engine::new(options.clone()), path)
}

/// Runs a program, with the registers that its sidecar sets.
fn say_with(engine: &mut Engine, path: &Path) -> Said {
    let sidecar = Sidecar::beside(path).unwrap().unwrap();
    let loaded = loader::load(path).unwrap();
    let program = loaded.entries[0].program_at(sidecar.arch.unwrap(), None, sidecar.entry.unwrap_or(0));
    let mut wave = Wave::new(&program);
    if let Some(state) = &sidecar.state {
        state.apply(&mut wave);
    }
    let vgprs = wave.vgprs.clone();
    let outcome = engine.run(&program, &mut wave).outcome.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (outcome, wave.executed, state_hash(&wave, &vgprs), wave.state.notes, wave.classes.0)
}

fn programs() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let folders = ["", "programs", "loops"].map(|folder| corpus.join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "bin"));
    files.sort();
    files
}

#[test]
fn every_engine_and_level_says_the_same() {
    let files = programs();
    assert!(files.len() > 70);
    let budget = if cfg!(debug_assertions) { 50_000 } else { 1_000_000 };
    let base = RunOptions::default().max_insts(budget).counting_classes();
    for path in &files {
        let expected = say(path, &base.clone().engine(EngineKind::Interp));
        for level in Level::available() {
            for (engine, hot, segments) in [
                (EngineKind::JitNoCheck, 0, true),
                (EngineKind::JitNoCheck, 0, false),
                (EngineKind::Jit, 4000, true),
                (EngineKind::Jit, 0, true),
                (EngineKind::Check, 10, true),
            ] {
                let mut options = base.clone().engine(engine).hot(hot).level(level);
                options.segments = segments;
                let mut engine_of_two = Engine::new(options);
                for _ in 0..2 {
                    let said = say_with(&mut engine_of_two, path);
                    let what = (path.display(), engine, hot, segments, level.name());
                    assert_eq!(said, expected, "{what:?}");
                }
            }
        }
    }
}

/// An engine reuses the memory of earlier programs, of which nothing may show.
#[test]
fn an_engine_that_ran_others_says_the_same() {
    let files = programs();
    let base = RunOptions::default().max_insts(20_000).counting_classes();
    for engine in [EngineKind::Interp, EngineKind::Jit] {
        let options = base.clone().engine(engine);
        let expected: Vec<_> = files.iter().map(|path| say(path, &options)).collect();
        let mut used = Engine::new(options);
        for (path, expected) in files.iter().zip(&expected) {
            // `other` fills the memory. If its code were executed again, it would change s8: s_add_u32 s8, -1, -1,
            // many times; s_endpgm.
            let other = Program::from_words(Arch::Gcn14, &[&[0x8008_c1c1; 200][..], &[0xbf81_0000]].concat());
            assert_eq!(used.run(&other, &mut Wave::new(&other)).outcome, Ok(Outcome::Ended));
            assert_eq!(say_with(&mut used, path), *expected, "{} {engine:?}", path.display());
        }
    }
}

/// Returns the lines of a batch of the corpus, without times.
fn batch(flags: &[&str], jobs: &str) -> Vec<Map<String, Value>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["batch", "corpus/programs", "corpus/loops"]);
    let output = command.args(["--max-insts", "20000", "--jobs", jobs]).args(flags).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Map<String, Value>> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.iter_mut().for_each(|line| line.retain(|key, _| !key.ends_with("_ns")));
    assert_eq!(lines.pop().unwrap()["schema"], "gcnsim.batch-end.v1");
    assert!(lines.len() > 370, "{}", String::from_utf8_lossy(&output.stderr));
    lines
}

#[test]
fn batches_say_the_same_on_any_number_of_threads() {
    let reference = batch(&["--interp"], "1");
    for flags in [&["--interp"][..], &["--jit", "--hot", "50"], &["--check", "--hot", "0"]] {
        let one = batch(flags, "1");
        assert_eq!(batch(flags, "2"), one, "{flags:?}");
        assert_eq!(batch(flags, "4"), one, "{flags:?}");
        for (line, expected) in one.iter().zip(&reference) {
            for key in ["file", "sha256", "outcome", "detail", "pc", "instructions", "by_class", "notes", "state_hash"]
            {
                assert_eq!(line[key], expected[key], "{flags:?} {key} of {}", line["file"]);
            }
        }
    }
}
