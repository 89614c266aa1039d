//! Waves of a group in turns, from barrier to barrier: their order, their counts and budgets that end in the middle.
//! Expected results come from the interpreter and a schedule in this file.

use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, GroupEnd, Member, RunOptions, RunStats, Session, Status, TURN, WaveGroup};
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Note, Program};
use gcnsim_machine::Context;

/// A loop of `s0` rounds. Each round changes a dword of LDS in a way that tells the order of waves, and ends at a
/// barrier. In the round in which `s0` becomes `s2` (which is not 0) the wave comes to another barrier. Words by
/// llvm-mc 15 for gfx900.
#[rustfmt::skip]
const ROUNDS: [u32; 24] = [
    0x8080_8100, 0xd86c_0000, 0x0300_0001, 0xbf8c_0000, // loop: s_sub_u32 s0, s0, 1; ds_read_b32 v3, v1; s_waitcnt 0
    0x1006_0903, 0x6806_0601, 0xd81a_0000, 0x0000_0301, // v3 = v3 * v4 + s1; ds_write_b32 v1, v3
    0xbf06_0200, 0xbf85_0006, 0xbf8a_0000, // s_cmp_eq_u32 s0, s2; s_cbranch_scc1 other; s_barrier
    0xbf07_8000, 0xbf85_fff3, // s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop
    0xc090_0180, 0x0000_0000, 0xbf81_0000, // s_memtime s[6:7]; s_endpgm
    0x8001_8701, 0xbf8a_0000, 0xc090_0200, 0x0000_0000, // other: s_add_u32 s1, s1, 7; s_barrier; s_memtime s[8:9]
    0x6806_0681, 0xd81a_0000, 0x0000_0301, 0xbf82_ffe8, // v_add_u32 v3, 1, v3; ds_write_b32 v1, v3; s_branch loop
];

/// A loop like that of [`ROUNDS`] without the other barrier. Each round has the maximum of `s0` and `s2`, and the wave
/// a note once they are equal. Words by llvm-mc 15 for gfx900.
#[rustfmt::skip]
const MAXIMA: [u32; 13] = [
    0x8080_8100, 0x8485_0200, // loop: s_sub_u32 s0, s0, 1; s_max_u32 s5, s0, s2
    0xd86c_0000, 0x0300_0001, 0xbf8c_0000, // ds_read_b32 v3, v1; s_waitcnt 0
    0x1006_0903, 0x6806_0601, 0xd81a_0000, 0x0000_0301, // v3 = v3 * v4 + s1; ds_write_b32 v1, v3
    0xbf8a_0000, 0xbf07_8000, 0xbf85_fff4, 0xbf81_0000, // s_barrier; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop; s_endpgm
];

/// Waves, each with its number of rounds and the `s0` at which it comes to the other barrier.
fn waves(program: &Program, rounds: &[(u32, u32)]) -> Vec<Wave> {
    let wave = |(id, &(rounds, other)): (usize, &(u32, u32))| {
        let mut wave = Wave::new(program);
        wave.state.sgpr[..3].copy_from_slice(&[rounds, id as u32 + 1, other]);
        wave.vgprs.lanes_mut(4).fill(3);
        wave
    };
    rounds.iter().enumerate().map(wave).collect()
}

/// The end of a group: the index and the outcome of the wave that stopped, all waves, LDS.
type Ending = (Option<(usize, Outcome)>, Vec<Wave>, Vec<u8>);

/// Runs waves as the rules say: they have turns in order, the first one after the last. If none can run, those at
/// barriers are released, and the turn of the wave at hand is lost.
fn expected(program: &Program, mut waves: Vec<Wave>, budget: u64) -> Ending {
    let (mut interp, mut context) = (Interp::new(program), Context::ready(64));
    interp.count_classes();
    let (mut can_run, mut has_ended) = (vec![true; waves.len()], vec![false; waves.len()]);
    let mut left = budget;
    let mut at = 0;
    while has_ended.contains(&false) {
        let index = at % waves.len();
        at += 1;
        if !can_run[index] {
            if !can_run.contains(&true) {
                can_run = has_ended.iter().map(|ended| !ended).collect();
            }
            continue;
        }
        let before = waves[index].executed;
        let outcome = interp.run_in(&mut waves[index], &mut context, left.min(TURN));
        left -= waves[index].executed - before;
        match outcome {
            Outcome::Barrier => can_run[index] = false,
            Outcome::Ended => (can_run[index], has_ended[index]) = (false, true),
            Outcome::Budget if left > 0 => {}
            outcome => return (Some((index, outcome)), waves, context.lds.to_vec()),
        }
    }
    (None, waves, context.lds.to_vec())
}

/// Runs waves as a group of the engine.
fn actual(engine: &mut Engine, program: &Program, waves: Vec<Wave>, budget: u64) -> Ending {
    let mut stats = RunStats::default();
    let ending = actual_in(engine.session(program), waves, budget, &mut stats);
    let entered = engine.profile().iter().filter(|region| region.entered > 0).count() as u64;
    assert_eq!(stats.regions_entered, entered);
    ending
}

/// Runs waves as a group of the session.
fn actual_in(session: &mut Session, waves: Vec<Wave>, budget: u64, stats: &mut RunStats) -> Ending {
    let mut context = Context::ready(64);
    let mut group = WaveGroup::new(waves.into_iter().map(Member::new).collect(), budget);
    let stopped = match session.run_waves(&mut group, &mut context, None, None, stats) {
        GroupEnd::Ended => None,
        GroupEnd::Stopped(index, outcome) => Some((index, outcome.unwrap())),
        GroupEnd::Interrupted => panic!("nobody interrupts it"),
        GroupEnd::Lost(..) => panic!("all of the program is known"),
        GroupEnd::Waits => panic!("there are no other groups"),
    };
    let executed: u64 = group.members.iter().map(|member| member.wave.executed).sum();
    assert_eq!(budget - group.left, executed);
    assert!(stopped.is_some() || group.members.iter().all(|member| member.status == Status::Ended));
    (stopped, group.members.into_iter().map(|member| member.wave).collect(), context.lds.to_vec())
}

/// Engines with large and small regions, with and without checks. Small regions overlap.
fn engines() -> Vec<Engine> {
    let kinds = [(EngineKind::Interp, 0), (EngineKind::Check, 0), (EngineKind::JitNoCheck, 0), (EngineKind::Jit, 5)];
    let all = kinds.into_iter().flat_map(|kind| [1000, 1001, 6, 9, 12, 15].map(|region_max| (kind, region_max)));
    let engine = |((engine, checked_entries), region_max)| {
        let shared = Some(Arc::default());
        let options = RunOptions::default()
            .engine(engine)
            .hot(0)
            .checked_entries(checked_entries)
            .region_max(region_max)
            .shared(shared);
        let count_classes = matches!(region_max, 6 | 1001);
        Engine::new({
            let mut options = options;
            options.count_classes = count_classes;
            options.time_regions = region_max == 6;
            options
        })
    };
    all.map(engine).collect()
}

fn compare(program: &Program, rounds: &[(u32, u32)], budgets: &[u64]) {
    compare_waves(program, &waves(program, rounds), budgets);
}

fn compare_waves(program: &Program, waves: &[Wave], budgets: &[u64]) {
    for mut engine in engines() {
        for &budget in budgets {
            let expected = expected(program, waves.to_vec(), budget);
            let actual = actual(&mut engine, program, waves.to_vec(), budget);
            assert_same(engine.options(), &actual, &expected, budget);
        }
    }
}

fn assert_same(options: &RunOptions, actual: &Ending, expected: &Ending, budget: u64) {
    let at = (options.engine, options.region_max, budget);
    assert_eq!((&actual.0, &actual.2), (&expected.0, &expected.2), "{at:?}");
    for (actual, wave) in actual.1.iter().zip(&expected.1) {
        assert_eq!((actual.executed, &actual.state), (wave.executed, &wave.state), "{at:?}");
        assert_eq!(actual.vgprs, wave.vgprs, "{at:?}");
        assert!(actual.last_pc == wave.last_pc || expected.0.is_some(), "{at:?}");
        assert!(!options.count_classes || actual.classes == wave.classes, "{at:?}");
    }
}

/// The `s2` of a wave that never comes to the other barrier.
const NEVER: u32 = u32::MAX;

#[test]
fn waves_meet_at_one_barrier() {
    let program = Program::from_words(Arch::Gcn14, &ROUNDS);
    compare(&program, &[(30, NEVER); 4], &[u64::MAX]);
    compare(&program, &[(9, NEVER)], &[u64::MAX]);
}

#[test]
fn some_waves_end_sooner_and_some_meet_others_elsewhere() {
    let program = Program::from_words(Arch::Gcn14, &ROUNDS);
    compare(&program, &[(30, NEVER), (3, NEVER), (30, 7), (17, 16), (1, NEVER)], &[u64::MAX]);
    compare(&program, &[(2, NEVER), (25, 1), (25, 24)], &[u64::MAX]);
}

#[test]
fn budgets_end_at_an_exact_instruction_of_one_wave() {
    let program = Program::from_words(Arch::Gcn14, &ROUNDS);
    let budgets: Vec<u64> = (0..350).step_by(13).chain(140..165).collect();
    compare(&program, &[(12, NEVER), (5, NEVER), (12, 7)], &budgets);
}

/// Regions that were compiled for waves with the note do not take waves without it.
#[test]
fn waves_differ_in_a_note() {
    let program = Program::from_words(Arch::Gcn14, &MAXIMA);
    for rounds in [[(30, NEVER); 3], [(30, 20), (30, NEVER), (30, 5)], [(30, 20); 3]] {
        for noted in [0b000, 0b001, 0b110, 0b111] {
            let mut waves = waves(&program, &rounds);
            for (i, wave) in waves.iter_mut().enumerate() {
                wave.state.notes.insert_if(noted >> i & 1 != 0, Note::SmaxEqualScc);
            }
            compare_waves(&program, &waves, &[u64::MAX, 500]);
        }
    }
}

/// A wave has more than one turn between two barriers.
#[test]
fn long_turns_end_between_barriers() {
    // s_mov_b32 s3, s1 << 18; loop: s_sub_u32 s3, s3, 1; s_cmp_lg_u32 s3, 0; s_cbranch_scc1 loop; then ROUNDS.
    let long = [&[0x8e03_9201, 0x8083_8103, 0xbf07_8003, 0xbf85_fffd][..], &ROUNDS].concat();
    let program = Program::from_words(Arch::Gcn14, &long);
    let mut engine = Engine::new(RunOptions::default().engine(EngineKind::JitNoCheck).hot(0));
    for budget in [u64::MAX, 1_800_000, 3_500_001] {
        let rounds = [(5, NEVER), (4, 1), (5, 3)];
        let (stopped, expected_waves, lds) = expected(&program, waves(&program, &rounds), budget);
        let (actual_stop, actual_waves, actual_lds) = actual(&mut engine, &program, waves(&program, &rounds), budget);
        assert_eq!((actual_stop, actual_lds), (stopped, lds), "{budget}");
        let counts = |waves: &[Wave]| waves.iter().map(|wave| (wave.executed, wave.state.clone())).collect::<Vec<_>>();
        assert_eq!(counts(&actual_waves), counts(&expected_waves), "{budget}");
    }
}

/// Groups of one session, alone or several waves, go from their start to their end in regions that are known. The last
/// ones differ in MODE, or have a note.
#[test]
fn groups_follow_each_other() {
    // loop: s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; v_add_u32 v3, 1, v3; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop;
    // s_endpgm. Then the same without v_add_u32.
    let vector = [0x8001_0001, 0x8080_8100, 0x6806_0681, 0xbf07_8000, 0xbf85_fffb, 0xbf81_0000];
    let scalar = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
    for words in [&vector[..], &scalar, &ROUNDS, &MAXIMA] {
        let program = Program::from_words(Arch::Gcn14, words);
        let sizes: [&[(u32, u32)]; 4] =
            [&[(5, NEVER)], &[(1, NEVER), (30, NEVER), (2, 1)], &[(9, 3)], &[(4, NEVER); 5]];
        let mut groups: Vec<(Vec<Wave>, u64)> =
            sizes.repeat(3).iter().map(|size| (waves(&program, size), 999)).collect();
        let mut others = groups[5].0.clone();
        others[1].state.mode ^= 1;
        others[2].state.notes.insert(Note::SmaxEqualScc);
        groups.extend([(others.clone(), 999), (others, 60), (groups[8].0.clone(), 7), (groups[9].0.clone(), 0)]);
        for mut engine in engines() {
            let (options, mut stats) = (engine.options().clone(), RunStats::default());
            let session = engine.session(&program);
            for (waves, budget) in &groups {
                let actual = actual_in(session, waves.clone(), *budget, &mut stats);
                assert_same(&options, &actual, &expected(&program, waves.clone(), *budget), *budget);
            }
        }
    }
}
