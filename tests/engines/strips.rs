//! Loops that compiled code executes for 16 lanes after the other: many rounds, lanes that are not right, chunks that
//! leave the loop early, memory that refuses a load. Expected values are sums that the tests work out.
#![cfg(all(feature = "jit", target_arch = "x86_64"))]

use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Program};
use gcnsim_machine::{Backing, Context, Mapping};

// Words by llvm-mc 14 for gfx900.
/// v_add_f32 v1, v2, v1
const SUM: u32 = 0x0202_0302;
/// v_mov_b32 v6, v4; v_mov_b32 v4, v5; v_mov_b32 v5, v6
const SWAP: [u32; 3] = [0x7e0c_0304, 0x7e08_0305, 0x7e0a_0306];
/// v_add_u32 v6, s4, v7; s_add_u32 s4, s4, 3
const VARYING: [u32; 2] = [0x680c_0e04, 0x8004_8304];
/// s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0
const COUNT: [u32; 2] = [0x8080_8100, 0xbf07_8000];
/// s_load_dword s5, s[2:3], 0x0; s_add_u32 s2, s2, 4; v_add_u32 v8, s5, v8
const LOADED: [u32; 4] = [0xc002_0141, 0, 0x8002_8402, 0x6810_1005];
/// v_add_u32 v9, -1, v9
const DOWN: u32 = 0x6812_12c1;
/// v_cmp_eq_u32 vcc, 0, v9; s_cbranch_vccz
const UNTIL_ONE: [u32; 2] = [0x7d94_1280, 0xbf86_0000];
/// v_cmp_ne_u32 vcc, 0, v9; s_cbranch_vccnz
const WHILE_ANY: [u32; 2] = [0x7d9a_1280, 0xbf87_0000];
/// s_cbranch_scc1
const BRANCH: u32 = 0xbf85_0000;
const END: u32 = 0xbf81_0000;

/// A loop; its last word is the branch back, without the distance.
fn loop_of(parts: &[&[u32]]) -> Program {
    let mut words = parts.concat();
    let last = words.len() - 1;
    words[last] |= (words.len() as u32).wrapping_neg() & 0xffff;
    Program::from_words(Arch::Gcn14, &[words, vec![END]].concat())
}

/// Runs a wave on compiled code, with and without checks; what comes out is the same, and the interpreter's.
#[track_caller]
fn run(program: &Program, init: impl Fn(&mut Wave), memory: u64, budget: u64) -> (Wave, Outcome) {
    let results = [EngineKind::Interp, EngineKind::Check, EngineKind::JitNoCheck].map(|engine| {
        let mut wave = Wave::new(program);
        init(&mut wave);
        let mut context = Context::ready(0);
        if memory > 0 {
            let backing = Backing::zeroed(memory as usize).unwrap();
            (0..memory as u32 / 4).for_each(|i| backing.write(4 * i as usize, &(i + 1).to_le_bytes()));
            context.space.map(Mapping::new(0x1_0000, "data", Arc::new(backing)));
        }
        let mut engine = Engine::new(RunOptions::default().engine(engine).hot(0));
        let outcome = engine.run_alone(program, &mut wave, &mut context, Some(budget)).outcome.unwrap();
        (wave, outcome)
    });
    let [interpreted, rest @ ..] = &results;
    for result in rest {
        assert_eq!(result.1, interpreted.1);
        assert_eq!(result.0.state, interpreted.0.state);
        assert_eq!(result.0.executed, interpreted.0.executed);
        assert!((0..16).all(|n| result.0.vgprs.lanes(n) == interpreted.0.vgprs.lanes(n)));
    }
    let [_, _, last] = results;
    last
}

#[test]
fn registers_go_around_many_rounds() {
    let program = loop_of(&[&[SUM], &SWAP, &VARYING, &COUNT, &[BRANCH]]);
    let init = |wave: &mut Wave| {
        wave.state.sgpr[0] = 151;
        wave.state.sgpr[4] = 1000;
        wave.state.set_exec(!(1 << 40));
        for lane in 0..64 {
            wave.vgprs.lanes_mut(1)[lane] = 0f32.to_bits();
            wave.vgprs.lanes_mut(2)[lane] = (lane as f32).to_bits();
            wave.vgprs.lanes_mut(4)[lane] = lane as u32;
            wave.vgprs.lanes_mut(5)[lane] = 100 + lane as u32;
            wave.vgprs.lanes_mut(7)[lane] = 7 * lane as u32;
        }
    };
    let (wave, outcome) = run(&program, init, 0, 1_000_000);
    assert_eq!(outcome, Outcome::Ended);
    assert_eq!(wave.executed, 151 * 9 + 1);
    assert_eq!(wave.state.sgpr[4], 1000 + 3 * 151);
    for lane in (0..64u32).filter(|&lane| lane != 40) {
        let of = |n: u8| wave.vgprs.lanes(n)[lane as usize];
        assert_eq!(f32::from_bits(of(1)), 151.0 * lane as f32);
        assert_eq!([of(4), of(5)], [100 + lane, lane], "an odd number of exchanges");
        assert_eq!(of(6), 1000 + 3 * 150 + 7 * lane, "the operand of the last round");
    }
    let idle = [1, 4, 5, 6].map(|n| wave.vgprs.lanes(n)[40]);
    assert_eq!(idle, [0, 40, 140, 0]);
    // Any budget ends in the middle of a round, or of the rounds of a strip.
    for budget in (1..400).step_by(7) {
        let (wave, outcome) = run(&program, init, 0, budget);
        assert_eq!((outcome, wave.executed), (Outcome::Budget, budget));
    }
}

#[test]
fn a_lane_that_is_no_number_is_left_to_helpers() {
    let program = loop_of(&[&[SUM], &VARYING, &COUNT, &[BRANCH]]);
    let init = |wave: &mut Wave| {
        wave.state.sgpr[0] = 200;
        for lane in 0..64 {
            wave.vgprs.lanes_mut(2)[lane] = (lane as f32).to_bits();
        }
        wave.vgprs.lanes_mut(2)[37] = 0x7f80_0001;
    };
    let (wave, outcome) = run(&program, init, 0, 1_000_000);
    assert_eq!(outcome, Outcome::Ended);
    let sums = wave.vgprs.lanes(1).map(f32::from_bits);
    assert!(sums[37].is_nan());
    assert!((0..64).filter(|&lane| lane != 37).all(|lane| sums[lane] == 200.0 * lane as f32));
}

#[test]
fn lanes_decide_when_the_loop_ends() {
    // A chunk behind the first one has the lane that ends the loop, in the 70th of up to 100 rounds.
    for (early, rounds) in [(0, 70), (40, 70), (63, 70), (64, 100)] {
        let program = loop_of(&[&[SUM, DOWN], &UNTIL_ONE]);
        let init = |wave: &mut Wave| {
            wave.vgprs.lanes_mut(9).fill(100);
            wave.vgprs.lanes_mut(2).fill(1f32.to_bits());
            if early < 64 {
                wave.vgprs.lanes_mut(9)[early] = 70;
            }
        };
        let (wave, outcome) = run(&program, init, 0, 1_000_000);
        assert_eq!((outcome, wave.executed), (Outcome::Ended, 4 * rounds + 1));
        assert!(wave.vgprs.lanes(1).iter().all(|&sum| f32::from_bits(sum) == rounds as f32));
        assert_eq!(wave.vgprs.lanes(9)[1], 100 - rounds as u32);
    }
    // Here the last lane that is done ends it: lanes with fewer rounds count on below 0, and hold it up for ever.
    for (slow, budget) in [(64, 1_000_000), (3, 3000), (50, 3000)] {
        let program = loop_of(&[&[SUM, DOWN], &WHILE_ANY]);
        let init = |wave: &mut Wave| {
            wave.vgprs.lanes_mut(9).fill(100);
            wave.vgprs.lanes_mut(2).fill(1f32.to_bits());
            if slow < 64 {
                wave.vgprs.lanes_mut(9)[slow] = 90;
            }
        };
        let (wave, outcome) = run(&program, init, 0, budget);
        let rounds = if slow < 64 { budget / 4 } else { 100 };
        assert_eq!(outcome, if slow < 64 { Outcome::Budget } else { Outcome::Ended });
        assert!(wave.vgprs.lanes(1).iter().all(|&sum| f32::from_bits(sum) == rounds as f32));
    }
}

#[test]
fn memory_refuses_a_scalar_load_in_a_later_round() {
    let program = loop_of(&[&LOADED, &[SUM], &COUNT, &[BRANCH]]);
    let init = |wave: &mut Wave| {
        wave.state.sgpr[0] = 60;
        wave.state.sgpr[2] = 0x1_0000;
    };
    let (wave, outcome) = run(&program, init, 160, 1_000_000);
    assert!(matches!(outcome, Outcome::Fault(_)), "{outcome:?}");
    // 40 dwords are there: 1, 2, .. 40.
    assert_eq!(wave.executed, 40 * 7);
    assert_eq!(wave.state.sgpr[2], 0x1_0000 + 160);
    assert!(wave.vgprs.lanes(8).iter().all(|&sum| sum == 40 * 41 / 2));
    let (wave, outcome) = run(&program, init, 4096, 1_000_000);
    assert_eq!(outcome, Outcome::Ended);
    assert!(wave.vgprs.lanes(8).iter().all(|&sum| sum == 60 * 61 / 2));
}

#[test]
fn a_strip_that_declines_leaves_scc_alone() {
    // v_min_f32 v1, v1, v1; v_cmp_ne_u32 vcc, 0, v1; s_cbranch_vccnz; behind the loop: s_and_b32 s0, 0, 0
    let words = [0x1402_0301, 0x7d9a_0280, 0xbf87_fffd, 0x8600_8080, END];
    let program = Program::from_words(Arch::Gcn14, &words);
    let init = |wave: &mut Wave| {
        wave.state.scc = 1;
        wave.vgprs.lanes_mut(1)[56] = u32::MAX;
    };
    let (wave, outcome) = run(&program, init, 0, 30_000);
    assert_eq!((outcome, wave.state.scc), (Outcome::Budget, 1));
}

#[test]
fn exec_is_that_of_the_round() {
    // v_mov_b32 v6, exec_lo; s_or_b64 s[10:11], vcc, s[10:11]; s_andn2_b64 exec, exec, s[10:11]; s_cbranch_execnz
    let program = loop_of(&[&[DOWN, UNTIL_ONE[0], 0x7e0c_027e, 0x878a_0a6a, 0x89fe_0a7e, 0xbf89_0000]]);
    let init = |wave: &mut Wave| (0..64).for_each(|lane| wave.vgprs.lanes_mut(9)[lane] = 1 + lane as u32);
    let (wave, outcome) = run(&program, init, 0, 1_000_000);
    assert_eq!((outcome, wave.executed), (Outcome::Ended, 64 * 6 + 1));
    // Lane n leaves in round n + 1, when lanes below it have left.
    let expected = |lane: u32| u32::MAX.checked_shl(lane).unwrap_or(0);
    assert!((0..64u32).all(|lane| wave.vgprs.lanes(6)[lane as usize] == expected(lane)));
}

#[test]
fn lanes_leave_one_by_one() {
    // s_or_b64 s[10:11], vcc, s[10:11]; v_mov_b32 v6, v1; s_andn2_b64 exec, exec, s[10:11]; s_cbranch_execnz
    let rest = [0x878a_0a6a, 0x7e0c_0301, 0x89fe_0a7e, 0xbf89_0000];
    let program = loop_of(&[&[SUM, DOWN, UNTIL_ONE[0]], &rest]);
    // Lanes of the last chunk stay longest. One lane is not active, and another one was done before.
    let rounds = |lane: u32| 1 + lane * lane % 37 + lane / 16 * 20;
    let init = |wave: &mut Wave| {
        wave.state.set_exec(!(1 << 20));
        wave.state.sgpr[10] = 1 << 20;
        for lane in 0..64 {
            wave.vgprs.lanes_mut(2)[lane] = 1f32.to_bits();
            wave.vgprs.lanes_mut(9)[lane] = rounds(lane as u32);
        }
    };
    let (wave, outcome) = run(&program, init, 0, 1_000_000);
    let most = (0..64).filter(|&lane| lane != 20).map(rounds).max().unwrap_or(0);
    assert_eq!((outcome, wave.executed), (Outcome::Ended, 7 * u64::from(most) + 1));
    let last = (0..64).filter(|&lane| lane != 20 && rounds(lane) == most).fold(0, |mask, lane| mask | 1u64 << lane);
    assert_eq!((wave.state.exec(), wave.state.vcc()), (0, last));
    assert_eq!(wave.state.sgpr[10..12], [u32::MAX; 2]);
    for lane in (0..64u32).filter(|&lane| lane != 20) {
        let sums = [1, 6].map(|n| f32::from_bits(wave.vgprs.lanes(n)[lane as usize]));
        assert_eq!(sums, [rounds(lane) as f32; 2], "lane {lane}");
        assert_eq!(wave.vgprs.lanes(9)[lane as usize], 0);
    }
    assert_eq!([1, 6].map(|n| wave.vgprs.lanes(n)[20]), [0; 2]);
}
