//! Wrong lowerings that are planted on purpose: the cross-check detects each, and the fuzzer finds and shrinks them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gcnsim::{Outcome, Wave};
use gcnsim_check::fuzz::settings::Settings;
use gcnsim_check::fuzz::{CaseRun, differential, launch_file, regress, shrink};
use gcnsim_check::generate::{Case, core_entries};
use gcnsim_engine::state_file::StateSpec;
use gcnsim_engine::{Divergence, Engine, EngineError, EngineKind, RunOptions};
use gcnsim_isa::encode::{Builder, vgpr};
use gcnsim_isa::{Arch, Encoding, Flow, Inst, Opcode, OperandType, Program, Sop1, Sop2, Sopc, Sopp, Vop2, Vop3, Vopc};

fn program(arch: Arch, builders: &[Builder]) -> Program {
    let mut words = Vec::new();
    for builder in builders {
        let inst = builder.build().unwrap();
        words.extend(&inst.words[..inst.size() as usize / 4]);
    }
    Program::from_words(arch, &words)
}

/// Runs with a wrong lowering of `plant`. Returns the divergence, if there is one.
fn diverge(program: &Program, options: RunOptions, plant: Opcode) -> Option<Divergence> {
    let mut wave = Wave::new(program);
    (wave.state.sgpr[0], wave.state.sgpr[2]) = (0x1234_5678, 7);
    match Engine::new(options.plant(plant)).run(program, &mut wave).outcome {
        Err(EngineError::Divergence(divergence)) => Some(*divergence),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    }
}

/// Reruns a divergence as the end of its report says: from its state and with the flags of its command, with the same
/// mistake planted.
fn rerun(program: &Program, report: &str, plant: Opcode) -> Divergence {
    let (_, end) = report.split_once("save as state.json: ").unwrap();
    let (state, command) = end.trim_end().split_once('\n').unwrap();
    let words: Vec<_> = command.split(' ').collect();
    let value = |flag: &str| words[words.iter().position(|word| *word == flag).unwrap() + 1];
    assert_eq!((value("--arch"), value("--base"), value("--hot")), (program.arch().name(), "0x0", "0"));
    let options = RunOptions::default()
        .engine(EngineKind::Check)
        .hot(0)
        .region_max(value("--region-max").parse().unwrap())
        .max_insts(value("--max-insts").parse::<u64>().unwrap())
        .plant(plant);
    let mut wave = Wave::new(program);
    StateSpec::from_json(state).unwrap().apply(&mut wave);
    match Engine::new(options).run(program, &mut wave).outcome {
        Err(EngineError::Divergence(divergence)) => *divergence,
        other => panic!("{other:?}\n{report}"),
    }
}

/// Returns an instruction with ordinary operands.
fn ordinary(arch: Arch, opcode: Opcode) -> Option<Inst> {
    let desc = opcode.desc();
    let second = if desc.encoding == Encoding::Vopc { vgpr(2) } else { 129 };
    Builder::new(arch, opcode).dst(4).src(0, 0).src(1, second).simm16(3).build().ok()
}

#[test]
fn every_planted_mistake_is_seen_when_all_is_checked() {
    let arch = Arch::Gcn14;
    let mut planted = 0;
    for entry in core_entries()[arch as usize].iter().filter(|entry| !entry.vop3 && !entry.desc.unknown) {
        let opcode = entry.desc.opcode;
        let Some(inst) = ordinary(arch, opcode) else { continue };
        // Mistakes are planted in the destination or SCC, so instructions without either are left out.
        if entry.desc.flow != Flow::Next || entry.desc.dst == OperandType::none && !inst.writes().scc {
            continue;
        }
        let end = Builder::new(arch, Sopp::SEndpgm.into());
        let program = program(arch, &[Builder::from_inst(&inst), end]);
        let options = RunOptions::default().engine(EngineKind::Check).hot(0);
        let found = diverge(&program, options, opcode).unwrap_or_else(|| panic!("{inst}: not seen"));
        let named = format!("first differing instruction: 0x0: {inst}");
        assert!(found.report.contains(&named), "{named}\n{}", found.report);
        assert_eq!((found.pc, found.mnemonic), (0, Some(entry.desc.mnemonic)));
        planted += 1;
    }
    assert!(planted > 300, "only {planted} instructions");
}

/// The default settings find a mistake in a loop that becomes hot, in an instruction whose result stays in the state.
#[test]
fn the_first_entries_are_checked_by_default() {
    let arch = Arch::Gcn12;
    let new = |opcode: Opcode| Builder::new(arch, opcode);
    let add = new(Sop2::SAddU32.into()).dst(4).src(0, 4).src(1, 2);
    // The source is not s4 itself: in an unrolled loop, four such mistakes would give the right result.
    let brev = new(Sop1::SBrevB32.into()).dst(4).src(0, 6);
    let compare = new(Sopc::SCmpLtU32.into()).src(0, 4).src(1, 0);
    let lanes = new(Vopc::VCmpLtF32.into()).src(0, 0).src(1, vgpr(1));
    for planted in [add, brev, compare, lanes] {
        let inst = planted.build().unwrap();
        let body = [
            new(Sop1::SMovB32.into()).dst(8).src(0, 255).literal(10_000),
            planted,
            new(Sop2::SCselectB32.into()).dst(5).src(0, 0).src(1, 2),
            new(Sop2::SAddU32.into()).dst(6).src(0, 6).src(1, 5),
            new(Sop2::SSubI32.into()).dst(8).src(0, 8).src(1, 129),
            new(Sopc::SCmpLgI32.into()).src(0, 8).src(1, 128),
            new(Sopp::SCbranchScc1.into()).simm16(-6i16 as u16),
            new(Sopp::SEndpgm.into()),
        ];
        let program = program(arch, &body);
        let found = diverge(&program, RunOptions::default(), inst.opcode);
        let found = found.unwrap_or_else(|| panic!("{inst}: not seen"));
        assert_eq!((found.pc, found.mnemonic), (8, Some(inst.desc().mnemonic)), "{}", found.report);
        let again = rerun(&program, &found.report, inst.opcode);
        assert_eq!((again.pc, again.mnemonic), (8, found.mnemonic), "{}", again.report);
        let unchecked = RunOptions::default().engine(EngineKind::JitNoCheck);
        assert_eq!(diverge(&program, unchecked, inst.opcode), None, "nobody looks");
        let mut wave = Wave::new(&program);
        let right = Engine::new(RunOptions::default()).run(&program, &mut wave);
        assert_eq!((right.outcome, wave.executed), (Ok(Outcome::Ended), 60_002));
    }
}

/// A mistake anywhere in a random program shrinks to little more than itself.
#[test]
fn the_fuzzer_finds_and_shrinks_a_planted_mistake() {
    let plants: [Opcode; 4] =
        [Sop2::SXorB64.into(), Vopc::VCmpGtF32.into(), Vop2::VXorB32.into(), Vop3::VFmaF64.into()];
    for plant in plants {
        let settings = Settings { plant: Some(plant), ..Settings::plain() };
        let found = (0..20_000).find_map(|number| {
            let case = Case::random(number, None);
            let holds = case.words.iter().enumerate().any(|(at, &word)| {
                let next = case.words.get(at + 1).copied();
                gcnsim_isa::decode(case.arch, word, next).is_ok_and(|inst| inst.opcode == plant)
            });
            let divergence = if holds && case.launch.is_none() { differential::run(&case, &settings) } else { None };
            let divergence = Some(divergence?);
            Some(CaseRun { case, settings: settings.clone(), executed: 0, divergence })
        });
        let shrunk = shrink::shrink(&found.expect("some program has it"), Instant::now() + Duration::from_secs(20));
        let mnemonic = plant.desc().mnemonic;
        let name = regress::name(&shrunk);
        assert!(name.ends_with(&mnemonic.replace('_', "-")), "{name}");
        assert!(shrunk.case.words.len() <= 4, "{:x?}", shrunk.case.words);
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &name, &shrunk);
        let back = regress::read(&path).unwrap();
        assert_eq!(back.case, shrunk.case);
        let expect = back.sidecar.expect.as_ref().and_then(|expect| expect.state.as_ref()).unwrap();
        let is_vector = shrunk.divergence.as_ref().unwrap().kind() == "vgpr";
        assert_eq!(is_vector, matches!(plant, Opcode::Vop2(_) | Opcode::Vop3(_)), "{name}");
        // The file states the final value of every vector register that changes.
        let reference = differential::interpret(&back.case, back.budget, false);
        let changed = (0..=255u8).filter(|&n| reference.wave.vgprs.lanes(n) != back.case.vgprs.lanes(n));
        assert!(changed.eq(expect.vgpr.keys().copied()), "{name}");
        let without = differential::run(&back.case, &Settings::plain());
        assert!(without.is_none(), "{without:?}");
    }
}

/// Writes the files of a case, and returns the path of the program.
fn written(folder: &Path, name: &str, run: &CaseRun) -> PathBuf {
    let files = regress::files(folder, name, run, "gcnsim fuzz");
    files.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    let [_, (path, _)] = files;
    path
}

/// A mistake in a dispatch shrinks to a small kernel and one wave, and the written files show it again.
#[test]
fn a_planted_mistake_in_a_dispatch_is_written_as_a_launch() {
    let plant = Opcode::from(Vop2::VXorB32);
    let settings = Settings { plant: Some(plant), ..Settings::plain() };
    let found = (0..20_000).find_map(|number| {
        let case = Case::random(number, None);
        let has_waves = case.launch.as_ref().is_some_and(|launch| launch.groups() > 1);
        let divergence = if has_waves { differential::run(&case, &settings) } else { None };
        let divergence = Some(divergence?);
        Some(CaseRun { case, settings: settings.clone(), executed: 0, divergence })
    });
    let shrunk = shrink::shrink(&found.expect("some dispatch has it"), Instant::now() + Duration::from_secs(20));
    assert!(shrunk.case.words.len() <= 4, "{:x?}", shrunk.case.words);
    assert_eq!(shrunk.case.launch.as_ref().map(|launch| launch.grid), Some([1; 3]));
    let name = regress::name(&shrunk);
    assert_eq!(name, "vgpr-v-xor-b32");
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &name, &shrunk);
    assert_eq!(path.file_name().unwrap(), "vgpr-v-xor-b32.co");
    let back = launch_file::read(&path).unwrap();
    let reference = back.subject.interpret(back.budget, false).unwrap();
    assert_eq!((reference.mismatches(), reference.outcome()), (&[][..], "ended"));
    assert!(differential::compare_dispatch(&back.subject, &shrunk.settings, &reference).is_some());
    assert!(differential::compare_dispatch(&back.subject, &Settings::plain(), &reference).is_none());
    let ran = Command::new(env!("CARGO_BIN_EXE_gcnsim")).arg("run").arg(&path).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
}
