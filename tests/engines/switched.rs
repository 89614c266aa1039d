//! Computed jumps to a few short ways that meet again: hard ones are not executed, and nothing else changes.

use crate::agree::{program, wave_with};
use crate::instructions::{op1, op2, opc, opk, opp};
use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Kind, Program};

const GFX9: Arch = Arch::Gcn14;

/// Factor and summand of a generator. Its lowest bits repeat soon, its highest ones are random.
const GENERATOR: (u32, u32) = (1_664_525, 1_013_904_223);

/// Addresses of the computed jump, of a handler beside the table, and of the table.
const JUMP: u64 = 0x28;
const BESIDE: u64 = 0x3c;
const TABLE: u64 = 0x50;

/// Where the handlers begin, in dwords from the table.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Places {
    /// 0, 4, 8, 12.
    Even,
    /// 0, 1, 4, 9.
    Squares,
}

/// A loop of s0 rounds, in each of which bits s5 and s5 + 1 of s1 choose one of four handlers. In round s9 from the end
/// the handler is that at s10.
fn table(places: Places) -> Program {
    let scale = match places {
        Places::Even => op2(GFX9, "s_lshl_b32", 3, 3, 130),
        Places::Squares => op2(GFX9, "s_mul_i32", 3, 3, 3),
    };
    let mut words = [
        op2(GFX9, "s_mul_i32", 1, 1, 6),        // 0x00
        op2(GFX9, "s_add_u32", 1, 1, 7),        // 0x04
        op2(GFX9, "s_lshr_b32", 3, 1, 5),       // 0x08
        op2(GFX9, "s_and_b32", 3, 3, 131),      // 0x0c
        scale,                                  // 0x10
        op2(GFX9, "s_lshl_b32", 3, 3, 130),     // 0x14
        op2(GFX9, "s_add_u32", 22, 20, 3),      // 0x18
        op2(GFX9, "s_addc_u32", 23, 21, 128),   // 0x1c
        opc(GFX9, "s_cmp_eq_u32", 0, 9),        // 0x20
        op2(GFX9, "s_cselect_b32", 22, 10, 22), // 0x24
        op1(GFX9, "s_setpc_b64", 0, 22),        // 0x28
        op2(GFX9, "s_sub_u32", 0, 0, 129),      // 0x2c
        opc(GFX9, "s_cmp_lg_u32", 0, 128),      // 0x30
        opp(GFX9, "s_cbranch_scc1", -14),       // 0x34, to 0x00
        opp(GFX9, "s_endpgm", 0),               // 0x38
        op2(GFX9, "s_andn2_b32", 2, 2, 1),      // 0x3c
    ]
    .concat();
    let end = |words: &mut Vec<u32>, next: usize| {
        words.extend(opp(GFX9, "s_branch", 11 - (words.len() as i16 + 1)));
        words.resize(next, opp(GFX9, "s_endpgm", 0)[0]);
    };
    end(&mut words, 20);
    for (index, next) in [(0, 1), (1, 2), (2, 3), (3, 4)] {
        let next = 20 + if places == Places::Even { 4 * next } else { next * next };
        match index {
            0 => {}
            1 => words.extend([op2(GFX9, "s_add_u32", 2, 2, 1), opk(GFX9, "s_addk_i32", 4, 1)].concat()),
            2 => words.extend([op2(GFX9, "s_sub_u32", 2, 1, 2), op2(GFX9, "s_addc_u32", 4, 4, 133)].concat()),
            _ => words.extend(op2(GFX9, "s_lshl_b32", 2, 2, 129)),
        }
        end(&mut words, next);
    }
    program(GFX9, &words, 0)
}

fn wave(program: &Program, rounds: u32, bit: u32, beside: u32) -> Wave {
    wave_with(program, |state| {
        state.sgpr[..11].copy_from_slice(&[
            rounds,
            9,
            0,
            0,
            0,
            bit,
            GENERATOR.0,
            GENERATOR.1,
            0,
            beside,
            BESIDE as u32,
        ]);
        state.sgpr[20] = TABLE as u32;
    })
}

/// s2, s4, and the numbers of scalar ALU instructions, compares and branches at the end.
fn expected(rounds: u32, bit: u32, beside: u32) -> (u32, u32, [u64; 3]) {
    let (mut s1, mut s2, mut s4, mut salu) = (9u32, 0u32, 0u32, 0);
    for left in (1..=rounds).rev() {
        s1 = s1.wrapping_mul(GENERATOR.0).wrapping_add(GENERATOR.1);
        salu += match s1 >> bit & 3 {
            _ if left == beside => {
                s2 &= !s1;
                1
            }
            0 => 0,
            1 => {
                (s2, s4) = (s2.wrapping_add(s1), s4.wrapping_add(1));
                2
            }
            2 => {
                let borrow = u32::from(s1 < s2);
                (s2, s4) = (s1.wrapping_sub(s2), s4.wrapping_add(5 + borrow));
                2
            }
            _ => {
                s2 <<= 1;
                1
            }
        };
    }
    let rounds = u64::from(rounds);
    (s2, s4, [salu + 10 * rounds, 2 * rounds, 3 * rounds])
}

/// Runs to the end. Returns what [`expected`] does, and the easy branches of each region.
fn run(engine: EngineKind, places: Places, rounds: u32, bit: u32, beside: u32) -> ((u32, u32, [u64; 3]), Vec<u64>) {
    let program = table(places);
    let mut wave = wave(&program, rounds, bit, beside);
    let options = RunOptions::default().engine(engine).hot(50).counting_classes();
    let mut engine = Engine::new(options);
    assert_eq!(engine.run(&program, &mut wave).outcome, Ok(Outcome::Ended));
    let easy = engine.profile().iter().flat_map(|region| region.predictable.clone()).collect();
    let counts = [Kind::Salu, Kind::Scmp, Kind::Branch].map(|kind| wave.classes.get(kind));
    ((wave.state.sgpr[2], wave.state.sgpr[4], counts), easy)
}

#[test]
fn hard_jumps_are_selections_and_easy_ones_stay_jumps() {
    for engine in [EngineKind::Jit, EngineKind::Check, EngineKind::JitNoCheck] {
        for places in [Places::Even, Places::Squares] {
            // In the last case another handler is met late, which no region expects until then.
            for (bit, beside, easy) in [(30, 0, false), (0, 0, true), (30, 20, false)] {
                let (end, found) = run(engine, places, 2_500, bit, beside);
                assert_eq!(end, expected(2_500, bit, beside), "{engine:?} {places:?} {bit} {beside}");
                assert_eq!(found.contains(&JUMP), easy, "{engine:?} {places:?} {bit} {beside}");
            }
        }
    }
}

/// Wherever the budget ends, the state is that of the interpreter.
#[test]
fn runs_end_anywhere() {
    for places in [Places::Even, Places::Squares] {
        let program = table(places);
        let start = wave(&program, 1_500, 30, 3);
        let all: u64 = expected(1_500, 30, 3).2.iter().sum::<u64>() + 1;
        for budget in all - 90..=all {
            let ends = [EngineKind::Interp, EngineKind::JitNoCheck].map(|engine| {
                let options = RunOptions::default().engine(engine).hot(50).max_insts(budget);
                let mut wave = start.clone();
                let outcome = Engine::new(options).run(&program, &mut wave).outcome.unwrap();
                assert_eq!((wave.executed, outcome == Outcome::Ended), (budget, budget == all));
                wave.state
            });
            assert_eq!(ends[0], ends[1], "{places:?} {budget}");
        }
    }
}
