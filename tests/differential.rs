//! Runs random programs on the interpreter and on compiled code, and all programs on which they once disagreed.
//!
//! `GCNSIM_FUZZ_SECONDS=600 cargo test --release --test differential` runs longer, with a seed from the clock.
//! `GCNSIM_FUZZ_SEED` sets the seed.
#![cfg(feature = "cli")]
#![cfg(feature = "jit")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gcnsim::Outcome;
use gcnsim::engine::EngineKind;
use gcnsim::fuzz::campaign::{Campaign, run};
use gcnsim::fuzz::coverage::{Coverage, row_name};
use gcnsim::fuzz::settings::Settings;
use gcnsim::fuzz::{differential, regress, shrink};
use gcnsim::generate::{Case, corpus};
use gcnsim::interp::Interp;
use gcnsim::isa::{Arch, Kind, Program, decode};
use gcnsim::jit::kernels::Level;

/// Number of programs of an ordinary test run.
const PROGRAMS: u64 = 2500;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

#[test]
fn random_programs_run_alike() {
    let seconds = number("GCNSIM_FUZZ_SECONDS");
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64 >> 10;
    let seed = number("GCNSIM_FUZZ_SEED").unwrap_or(if seconds.is_some() { clock() } else { 1 });
    let campaign = Campaign {
        seed,
        seconds: seconds.unwrap_or(300),
        max_programs: if seconds.is_some() { u64::MAX } else { PROGRAMS },
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        arch: None,
    };
    let summary = run(&campaign, |_| {});
    println!("seed {seed}: {} programs, {} instructions", summary.progress.programs, summary.progress.instructions);
    assert!(summary.progress.programs > 0);
    let failures = summary.diverged.iter().take(3).map(|(number, run)| {
        regress::describe(
            &shrink::shrink(run, Instant::now() + Duration::from_secs(20)),
            &format!("gcnsim fuzz --seconds 0 --seed {number}"),
        )
    });
    let failures: Vec<_> = failures.collect();
    let count = summary.progress.divergences;
    assert!(failures.is_empty(), "seed {seed}: {count} divergences, the first of them:\n{}", failures.join("\n"));
}

/// The important ways to compile: at once and late, whole and in pieces, with and without counting, each set of
/// kernels.
fn settings() -> Vec<Settings> {
    let plain = Settings::plain();
    let mut all: Vec<_> = Level::available().map(|level| Settings { level, ..plain.clone() }).collect();
    for region_max in [1, 4, 16] {
        all.push(Settings { region_max, ..plain.clone() });
    }
    all.push(Settings { engine: EngineKind::Check, count_classes: true, ..plain.clone() });
    all.push(Settings { hot: 1, ..plain.clone() });
    all.push(Settings { hot: 3, region_max: 4, again: true, ..plain.clone() });
    all.push(Settings { hot: 4000, engine: EngineKind::Jit, ..plain });
    all
}

fn regressions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/regress");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "bin")).collect();
    files.sort();
    files
}

#[test]
fn what_once_diverged_does_so_no_more() {
    let files = regressions();
    assert!(!files.is_empty());
    let mut failures = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let regression = regress::read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (case, budget) = (&regression.case, regression.budget);
        let reference = differential::interpret(case, budget, false);
        let expect = regression.sidecar.expect.unwrap_or_else(|| panic!("{name} expects nothing"));
        let differences = expect.differences(&reference.wave, &reference.context, &reference.outcome);
        failures.extend(differences.iter().map(|difference| format!("{name}, interpreter: {difference}")));
        for settings in settings() {
            // The program runs with its own budget, and is stopped at each of its first instructions.
            let mut budgets = [budget].into_iter().chain(0..reference.wave.executed.min(20));
            failures.extend(budgets.find_map(|budget| {
                let settings = Settings { budget, ..settings.clone() };
                differential::run(case, &settings).map(|divergence| format!("{name}, {settings}: {divergence:.300?}"))
            }));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Consecutive cases go through all rows in all forms. Running them on the interpreter shows that they reach the rows.
#[test]
fn random_programs_reach_every_row() {
    let mut coverage = Coverage::default();
    let rows = coverage.reached(None).1 as u64;
    assert_eq!(rows, 5916);
    for number in 0..rows + 500 {
        let case = Case::random(number, None);
        let program = case.program();
        let mut interp = Interp::new(&program);
        let reference = differential::interpret_with(&mut interp, &case, 30_000, false);
        coverage.add(&interp, &program, &reference.outcome);
    }
    let missing: Vec<_> = coverage.unreached(None).iter().map(row_name).collect();
    // This is one turn through all rows. A row whose case was broken by nonsense comes again in the next.
    assert!(missing.len() < 60, "{} rows not reached: {}", missing.len(), missing.join(", "));
}

#[test]
fn corpus_programs_are_well_behaved() {
    let mut vector = 0;
    for arch in Arch::ALL {
        for (number, with_vectors) in (0..200).flat_map(|number| [(number, false), (number, true)]) {
            let words = if with_vectors { corpus::vector_program } else { corpus::program }(arch, 7, number);
            let (mut at, mut instructions) = (0, 0);
            while at < words.len() {
                let inst = decode(arch, words[at], words.get(at + 1).copied());
                let inst = inst.unwrap_or_else(|error| panic!("{arch} {number}: {error}"));
                assert_eq!(inst.unsupported(), None);
                let is_vector = inst.desc().kind == Kind::Valu;
                assert!(with_vectors || !is_vector);
                vector += is_vector as usize;
                at += inst.size() as usize / 4;
                instructions += 1;
            }
            assert!((30..=300).contains(&instructions), "{arch} {number}: {instructions} instructions");
            let program = Program::from_words(arch, &words);
            let mut wave = gcnsim::Wave::new(&program);
            let outcome = Interp::new(&program).run(&mut wave, 10_000_000);
            assert_eq!(outcome, Outcome::Ended, "{arch} {number}");
        }
    }
    assert!(vector > 20_000, "{vector} vector ALU instructions");
}
