//! Runs random programs on the interpreter and on compiled code, and all programs on which they once disagreed.
//!
//! `GCNSIM_FUZZ_SECONDS=600 cargo test --release --test engines differential::` runs for 600 seconds, with a seed from
//! the clock or from `GCNSIM_FUZZ_SEED`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gcnsim::Outcome;
use gcnsim_check::fuzz::campaign::{Campaign, run};
use gcnsim_check::fuzz::coverage::{Coverage, row_name};
use gcnsim_check::fuzz::dispatch::Subject;
use gcnsim_check::fuzz::settings::Settings;
use gcnsim_check::fuzz::{differential, launch_file, regress, shrink};
use gcnsim_check::generate::{Case, corpus};
use gcnsim_engine::EngineKind;
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Kind, Program, decode};
use gcnsim_jit::helpers::Level;

/// Number of programs of an ordinary test run.
const PROGRAMS: u64 = 2500;
/// Number of turns of each row in the test of coverage.
const TURNS: u64 = 3;

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
        stop: Arc::default(),
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

/// Returns the important ways to compile: at once and late, whole and in pieces, with and without counting, with each
/// level of helpers.
fn settings() -> Vec<Settings> {
    let plain = Settings::plain();
    let mut all: Vec<_> = Level::available().map(|level| Settings { level, ..plain.clone() }).collect();
    for region_max in [1, 4, 16] {
        all.push(Settings { region_max, ..plain.clone() });
    }
    all.push(Settings { engine: EngineKind::Check, count_classes: true, ..plain.clone() });
    all.push(Settings { hot: 1, ..plain.clone() });
    all.push(Settings { jobs: 2, ..plain.clone() });
    all.push(Settings { hot: 3, region_max: 4, again: true, ..plain.clone() });
    all.push(Settings { hot: 4000, engine: EngineKind::Jit, ..plain });
    all
}

fn regressions(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/regress");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

#[test]
fn what_once_diverged_does_so_no_more() {
    let files = regressions("bin");
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
            // The program runs with its own budget, and with budgets that stop it at each of its first instructions.
            let mut budgets = [budget].into_iter().chain(0..reference.wave.executed.min(20));
            failures.extend(budgets.find_map(|budget| {
                let settings = Settings { budget, ..settings.clone() };
                differential::run(case, &settings).map(|divergence| format!("{name}, {settings}: {divergence:.300?}"))
            }));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn dispatches_that_once_diverged_do_so_no_more() {
    let mut failures = Vec::new();
    for file in regressions("co") {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let regression = launch_file::read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let subject = &regression.subject;
        let reference = |budget| subject.interpret(budget, false).unwrap_or_else(|error| panic!("{name}: {error}"));
        let whole = reference(regression.budget);
        failures.extend(whole.mismatches().iter().map(|mismatch| format!("{name}, interpreter: {mismatch:?}")));
        for settings in settings() {
            for budget in [regression.budget].into_iter().chain(0..whole.instructions().min(20)) {
                let settings = Settings { budget, count_classes: false, ..settings.clone() };
                let divergence = differential::compare_dispatch(subject, &settings, &reference(budget));
                failures.extend(divergence.map(|divergence| format!("{name}, {settings}: {divergence:.300?}")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Consecutive cases go through all rows in all forms. The interpreter runs the programs, to show that they reach the
/// rows and that most memory instructions access mapped memory.
///
/// Some rows of memory instructions occur only in programs with a fault.
#[test]
fn random_programs_reach_every_row() {
    let mut coverage = Coverage::default();
    let rows = coverage.reached(None).1 as u64;
    assert_eq!(rows, 8013);
    let (mut with_memory, mut faults, mut dispatches) = (0, 0, 0);
    for number in 0..TURNS * rows {
        let case = Case::random(number, None);
        if case.launch.is_some() {
            dispatches += 1;
            continue;
        }
        let program = case.program();
        let mut interp = Interp::new(&program);
        let reference = differential::interpret_with(&mut interp, &case, 30_000, false);
        coverage.add(&interp, &program, &reference.outcome);
        if !case.outside.memory.is_empty() {
            with_memory += 1;
            faults += reference.outcome.detail().is_some_and(|detail| detail.memory.is_some()) as u64;
        }
    }
    let missing: Vec<_> = coverage.unreached(None).iter().map(row_name).collect();
    println!("{with_memory} programs with memory, {faults} memory faults, {dispatches} dispatches");
    assert!(missing.len() < 40, "{} rows not reached: {}", missing.len(), missing.join(", "));
    let third = TURNS * rows / 3;
    assert!((third - third / 10..third * 2).contains(&with_memory), "{with_memory}");
    assert!((with_memory / 20..with_memory / 2).contains(&faults), "{faults} of {with_memory}");
    assert!((TURNS * rows / 10..TURNS * rows / 6).contains(&dispatches), "{dispatches}");
}

/// Random kernels get past the code that loads their registers. Orderly ones end and write to their buffer.
#[test]
fn random_dispatches_do_what_they_are_for() {
    let (mut all, mut ended, mut orderly, mut orderly_ended, mut wrote) = (0, 0, 0, 0, 0);
    for number in 0..4000 {
        let case = Case::random(number, None);
        let Some(launch) = &case.launch else { continue };
        let subject = Subject::new(case.arch, &case.words, launch).expect("the object can be read");
        let ran = subject.interpret(30_000, false).unwrap_or_else(|error| panic!("{number}: {error}"));
        let has_ended = ran.outcome() == "ended";
        (all, ended) = (all + 1, ended + has_ended as u32);
        if launch.orderly {
            (orderly, orderly_ended) = (orderly + 1, orderly_ended + has_ended as u32);
            wrote += ran.changed("data") as u32;
            assert!(!ran.changed("table"), "{number}: a group wrote outside its part");
        }
    }
    println!("{all} dispatches, {ended} ended; {orderly} orderly, {orderly_ended} ended, {wrote} wrote");
    assert!(all > 400 && orderly > 150, "{all} dispatches, {orderly} orderly");
    assert!(ended * 2 > all, "{ended} of {all} ended");
    assert!(orderly_ended * 10 > orderly * 9, "{orderly_ended} of {orderly} orderly ones ended");
    assert!(wrote * 2 > orderly, "{wrote} of {orderly} orderly ones wrote data");
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
