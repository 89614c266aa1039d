//! Parts of compiled code besides the translation of instructions, which random programs seldom test. Each test fails
//! if one of these parts is wrong (docs/measured/testing.md#planted-mistakes).

use crate::instructions;

use crate::agree;

use std::sync::Arc;

use agree::{agree, agree_under, program, settings, wave_with};
use gcnsim_engine::{EngineKind, RunOptions, run};
use gcnsim_isa::{Arch, Kind, Program, reg};
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey};
use instructions::{op1, op2, opc, opk, opp};

const GFX9: Arch = Arch::Gcn14;

/// Exits that share code store exactly the registers that are dirty there. SCC is dirty at one of two exits.
#[test]
fn exits_that_share_code() {
    let words = [
        opp(GFX9, "s_cbranch_vccz", 4),
        op1(GFX9, "s_mov_b32", 1, 131),
        op1(GFX9, "s_mov_b32", 2, 132),
        op1(GFX9, "s_mov_b32", 3, 133),
        opp(GFX9, "s_branch", 100),
        op2(GFX9, "s_add_u32", 1, 1, 129),
        opp(GFX9, "s_branch", 100),
    ]
    .concat();
    let program = program(GFX9, &words, 0);
    for (vcc, s1, scc) in [(0, 8, 0), (1, 3, 1)] {
        let wave = wave_with(&program, |state| {
            state.set_pair(reg::VCC_LO, vcc);
            (state.sgpr[1], state.scc) = (7, 1);
        });
        let (end, outcome) = agree(&program, &wave, 10);
        assert_eq!((outcome.name(), end.state.sgpr[1], end.state.scc), ("fault", s1, scc));
    }
}

/// Blocks that a branch may skip: one that sets SCC, and one that may raise a note, too.
#[test]
fn skipped_blocks() {
    for (skipped, note) in [("s_add_u32", false), ("s_max_u32", true)] {
        let words = [
            opc(GFX9, "s_cmp_eq_u32", 0, 129),
            opp(GFX9, "s_cbranch_scc1", 1),
            op2(GFX9, skipped, 1, 1, 1),
            op2(GFX9, "s_cselect_b32", 2, 130, 131),
            opp(GFX9, "s_endpgm", 0),
        ]
        .concat();
        let program = program(GFX9, &words, 0);
        for (s0, s1) in [(1, 7), (0, 7), (0, 0x8000_0001)] {
            let wave = wave_with(&program, |state| (state.sgpr[0], state.sgpr[1]) = (s0, s1));
            let (end, _) = agree(&program, &wave, 10);
            let executes = s0 != 1;
            assert_eq!(end.executed, 4 + executes as u64);
            assert_eq!(end.state.notes.codes().contains(&"smax-equal-scc"), note && executes);
            if !executes {
                assert_eq!((end.state.sgpr[1], end.state.sgpr[2], end.state.scc), (s1, 2, 1));
            }
        }
    }
}

/// SCC is known inside a skipped block: the branch was not taken.
#[test]
fn skipped_blocks_that_read_scc() {
    for (branch, s0, taken) in [
        ("s_cbranch_scc1", 0, false),
        ("s_cbranch_scc1", 1, true),
        ("s_cbranch_scc0", 1, false),
        ("s_cbranch_scc0", 0, true),
    ] {
        let words = [
            opc(GFX9, "s_cmp_eq_u32", 0, 129),
            opp(GFX9, branch, 2),
            op2(GFX9, "s_cselect_b32", 3, 1, 128),
            op2(GFX9, "s_addc_u32", 1, 1, 1),
            opp(GFX9, "s_endpgm", 0),
        ]
        .concat();
        let program = program(GFX9, &words, 0);
        let wave = wave_with(&program, |state| (state.sgpr[0], state.sgpr[1], state.sgpr[3]) = (s0, 7, 9));
        let (end, _) = agree(&program, &wave, 10);
        let expected = if taken { (7, 9, s0) } else { (14 + s0, 7 * s0, 0) };
        assert_eq!((end.state.sgpr[1], end.state.sgpr[3], end.state.scc), expected, "{branch} {s0}");
    }
}

/// The result of the loop in [`sorted_in_a_loop`].
#[derive(Default)]
struct Sorted {
    /// The registers s2, s3 and s4.
    registers: [u32; 3],
    /// Number of times that s3 and s4 are exchanged.
    exchanges: u64,
    /// Number of times that s2 is compared.
    compared: u64,
}

impl Sorted {
    /// Computes at most `rounds` rounds. `exchanges` gets s3 and s4 and says whether they are exchanged.
    fn new(mut s3: u32, mut s4: u32, rounds: u32, exchanges: impl Fn(u32, u32) -> bool) -> Sorted {
        let mut end = Sorted::default();
        for s2 in 1..=rounds {
            if exchanges(s3, s4) {
                (s3, s4) = (s4, s3);
                end.exchanges += 1;
            }
            s4 = s4.wrapping_sub(s3);
            end.registers = [s2, s3, s4];
            if s4 == 0 {
                break;
            }
            end.compared += 1;
        }
        end
    }

    fn classes(&self) -> [(Kind, u64); 4] {
        let rounds = self.registers[0] as u64;
        let both = 2 * rounds + self.compared;
        [(Kind::Salu, 2 * rounds + 3 * self.exchanges), (Kind::Scmp, both), (Kind::Branch, both), (Kind::System, 1)]
    }
}

/// Tests counts in a loop whose copies each execute a skipped block without a branch; the block puts two registers in
/// order. The loop is left at every copy, and for lack of fuel at every instruction. Numbers may be equal, and then
/// only some compares exchange them.
#[test]
fn sorted_in_a_loop() {
    type Exchanges = fn(u32, u32) -> bool;
    let signed = |s3: u32, s4: u32| (s4 as i32) < s3 as i32;
    let compares: [(&str, u32, u32, &str, Exchanges); 8] = [
        ("s_cmp_ge_u32", 4, 3, "s_cbranch_scc1", |s3, s4| s4 < s3),
        ("s_cmp_gt_u32", 4, 3, "s_cbranch_scc1", |s3, s4| s4 <= s3),
        ("s_cmp_le_u32", 3, 4, "s_cbranch_scc1", |s3, s4| s4 < s3),
        ("s_cmp_lt_u32", 3, 4, "s_cbranch_scc1", |s3, s4| s4 <= s3),
        ("s_cmp_lt_u32", 4, 3, "s_cbranch_scc0", |s3, s4| s4 < s3),
        ("s_cmp_le_u32", 4, 3, "s_cbranch_scc0", |s3, s4| s4 <= s3),
        ("s_cmp_ge_i32", 4, 3, "s_cbranch_scc1", signed),
        ("s_cmp_lt_i32", 4, 3, "s_cbranch_scc0", signed),
    ];
    for (compare, a, b, branch, exchanges) in compares {
        let words = [
            opc(GFX9, compare, a, b),
            opp(GFX9, branch, 3),
            op1(GFX9, "s_mov_b32", 5, 3),
            op1(GFX9, "s_mov_b32", 3, 4),
            op1(GFX9, "s_mov_b32", 4, 5),
            opk(GFX9, "s_addk_i32", 2, 1),
            op2(GFX9, "s_sub_u32", 4, 4, 3),
            opc(GFX9, "s_cmp_eq_u32", 4, 128),
            opp(GFX9, "s_cbranch_scc1", 2),
            opc(GFX9, "s_cmp_lg_u32", 2, 6),
            opp(GFX9, "s_cbranch_scc1", -11),
            opp(GFX9, "s_endpgm", 0),
        ]
        .concat();
        let program = program(GFX9, &words, 0);
        for (s3, s4, rounds) in
            [(5, 12, 90), (3, 13, 90), (7, 7, 90), (1, 6, 90), (1, 100, 4), (1, 100, 6), (9, 0xffff_fff0, 7)]
        {
            let wave = wave_with(&program, |state| {
                (state.sgpr[3], state.sgpr[4], state.sgpr[6]) = (s3, s4, rounds);
            });
            let expected = Sorted::new(s3, s4, rounds, exchanges);
            let executed = expected.classes().iter().map(|(_, n)| n).sum();
            let what = format!("{compare} {branch} {s3} {s4}");
            for budget in 0..=executed {
                let (end, outcome) = agree_under(&settings()[3..], &program, &wave, budget);
                assert_eq!((outcome.name() == "ended", end.executed), (budget == executed, budget), "{what}");
            }
            let options = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0).counting_classes();
            let mut end = wave.clone();
            run(&program, &mut end, &options).outcome.unwrap();
            assert_eq!((end.executed, &end.state.sgpr[2..5]), (executed, &expected.registers[..]), "{what}");
            for (kind, n) in expected.classes() {
                assert_eq!(end.classes.get(kind), n, "{what}: {kind:?}");
            }
        }
    }
}

/// Instructions of a skipped block are charged before a computed jump and before the end, not to code that arrives by
/// a computed jump.
#[test]
fn sorted_next_to_a_computed_jump() {
    // s[10:11] becomes the address of a dword. The compiler does not know it.
    let address_of = |dword: u32| {
        [
            op1(GFX9, "s_getpc_b64", 10, 0),
            op2(GFX9, "s_add_u32", 10, 10, 128 + 4 * (dword - 1)),
            op2(GFX9, "s_addc_u32", 11, 11, 128),
            op2(GFX9, "s_or_b32", 10, 10, 7),
        ]
        .concat()
    };
    let exchange = [op1(GFX9, "s_mov_b32", 5, 3), op1(GFX9, "s_mov_b32", 3, 4), op1(GFX9, "s_mov_b32", 4, 5)].concat();
    let sort = [opc(GFX9, "s_cmp_ge_u32", 4, 3), opp(GFX9, "s_cbranch_scc1", 3), exchange].concat();
    let (count, end) = (opk(GFX9, "s_addk_i32", 2, 1), opp(GFX9, "s_endpgm", 0));
    let jump = op1(GFX9, "s_setpc_b64", 0, 10);
    let skip_jump = [opc(GFX9, "s_cmp_eq_u32", 0, 128), opp(GFX9, "s_cbranch_scc1", 1)].concat();
    let leaves = [address_of(10), sort.clone(), jump.clone(), end.clone()].concat();
    let arrives = [address_of(12), skip_jump, jump, sort, count, end].concat();
    for (words, s0, s3, executed) in
        [(&leaves, 0, 1, 8), (&leaves, 0, 9, 11), (&arrives, 0, 1, 10), (&arrives, 0, 9, 13), (&arrives, 1, 9, 9)]
    {
        let program = program(GFX9, words, 0);
        let wave = wave_with(&program, |state| (state.sgpr[0], state.sgpr[3], state.sgpr[4]) = (s0, s3, 5));
        // Compiled code is entered only with fuel for the longest way through it.
        for budget in 0..executed + 10 {
            let (end, outcome) = agree(&program, &wave, budget);
            let expected = (budget >= executed, budget.min(executed));
            assert_eq!((outcome.name() == "ended", end.executed), expected, "{s0} {s3}");
        }
    }
}

/// Two nested loops with temporary registers and SCC, which the next round overwrites, stop at every instruction.
#[test]
fn loops_stop_with_temporary_registers() {
    let words = [
        opk(GFX9, "s_movk_i32", 0, 7),
        // The outer loop begins here, the inner one behind it.
        opk(GFX9, "s_movk_i32", 1, 6),
        op2(GFX9, "s_add_u32", 2, 2, 1),
        op2(GFX9, "s_lshr_b32", 3, 2, 129),
        op2(GFX9, "s_and_b32", 4, 3, 129),
        opp(GFX9, "s_cbranch_scc1", 1),
        op2(GFX9, "s_sub_u32", 5, 5, 3),
        op2(GFX9, "s_xor_b32", 5, 5, 2),
        op2(GFX9, "s_sub_u32", 1, 1, 129),
        opc(GFX9, "s_cmp_lg_u32", 1, 128),
        opp(GFX9, "s_cbranch_scc1", -9),
        op2(GFX9, "s_add_u32", 6, 5, 4),
        op2(GFX9, "s_sub_u32", 0, 0, 129),
        opc(GFX9, "s_cmp_lg_u32", 0, 128),
        opp(GFX9, "s_cbranch_scc1", -14),
        opp(GFX9, "s_endpgm", 0),
    ];
    let program = program(GFX9, &words.concat(), 0);
    let wave = wave_with(&program, |state| (state.sgpr[2], state.sgpr[5]) = (0xffff_fff0, 3));
    let (whole, _) = agree(&program, &wave, 10_000);
    for budget in 0..whole.executed {
        assert_eq!(agree(&program, &wave, budget).0.executed, budget);
    }
}

/// The loops of gcd.bin have 14 values, and the host has 14 registers for them, so no value is in memory. For this,
/// fuel is computed halfway and selected by values that exist anyway.
#[test]
#[cfg(target_arch = "x86_64")]
fn counting_keeps_a_loop_in_registers() {
    if !std::arch::is_x86_feature_detected!("bmi1") || !std::arch::is_x86_feature_detected!("bmi2") {
        // Without these, shifts need a certain register.
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/loops/gcd.bin");
    let program = Program::new(GFX9, Arc::new(std::fs::read(path).unwrap()), 0, 0);
    let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
    let at = RegionKey { pc: 0x38, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
    let listing = compiler.listing(&program, &at).unwrap().unwrap();
    let insts = listing.plan.blocks.iter().flat_map(|block| &block.insts);
    let in_loops: Vec<_> = insts.zip(&listing.parts).filter(|((pc, _), _)| *pc <= 0x70).map(|(_, part)| part).collect();
    assert_eq!(in_loops.len(), 4 * 11 + 4 + 7, "four copies, and the loop around them");
    let host: Vec<_> = in_loops.iter().flat_map(|part| &part.host).collect();
    assert!(host.iter().any(|line| line.contains("cmov")), "{host:#?}");
    assert!(!host.iter().any(|line| line.contains("[rsp")), "{host:#?}");
}

/// Products with small constants, of which some become additions on the host.
#[test]
fn products_with_constants() {
    for factor in 0..=64u32 {
        let words = [
            op2(GFX9, "s_mul_i32", 1, 0, 128 + factor),
            op2(GFX9, "s_mul_i32", 2, 128 + factor, 0),
            op1(GFX9, "s_mov_b32", 3, 0),
            opk(GFX9, "s_mulk_i32", 3, factor as u16),
            opp(GFX9, "s_endpgm", 0),
        ]
        .concat();
        let program = program(GFX9, &words, 0);
        for s0 in [1, 7, 0x8000_0001, u32::MAX, 0x5555_5555] {
            let wave = wave_with(&program, |state| state.sgpr[0] = s0);
            let (end, _) = agree_under(&settings()[..1], &program, &wave, 10);
            let product = (s0 as u64 * factor as u64) as u32;
            assert_eq!(end.state.sgpr[1..4], [product; 3], "{s0:#x} * {factor}");
        }
    }
}

/// A pair whose low half is a register and whose high half is a constant is added to another pair or subtracted from
/// it.
#[test]
fn additions_of_a_register_to_a_pair() {
    for (low, high, constant) in [("s_add_u32", "s_addc_u32", 0u64), ("s_sub_u32", "s_subb_u32", 3)] {
        let words =
            [op2(GFX9, low, 4, 0, 2), op2(GFX9, high, 5, 1, 128 + constant as u32), opp(GFX9, "s_endpgm", 0)].concat();
        let program = program(GFX9, &words, 0);
        for (pair, s2) in [(5u64, 7u64), (u64::MAX, 1), (0xffff_ffff, 1), (0, 0xffff_ffff), (3 << 32, 0), (1 << 63, 1)]
        {
            let wave = wave_with(&program, |state| {
                state.set_pair(0, pair);
                state.sgpr[2] = s2 as u32;
            });
            let (end, _) = agree_under(&settings()[..1], &program, &wave, 10);
            let other = constant << 32 | s2;
            let (result, carry) =
                if low == "s_add_u32" { pair.overflowing_add(other) } else { pair.overflowing_sub(other) };
            assert_eq!((end.state.pair(4), end.state.scc), (result, carry as u32), "{low} {pair:#x} {s2:#x}");
        }
    }
}

/// Shifts of the high half of a product, which are shifts of the product.
#[test]
fn shifted_high_halves() {
    for by in 0..=64u32 {
        let words = [
            op2(GFX9, "s_mul_hi_u32", 1, 0, 2),
            op2(GFX9, "s_lshr_b32", 3, 1, 128 + by),
            op2(GFX9, "s_ashr_i32", 4, 1, 128 + by),
            op2(GFX9, "s_mul_hi_i32", 5, 0, 2),
            op2(GFX9, "s_lshr_b32", 6, 5, 128 + by),
            op2(GFX9, "s_ashr_i32", 7, 5, 128 + by),
            opp(GFX9, "s_endpgm", 0),
        ]
        .concat();
        let program = program(GFX9, &words, 0);
        for (s0, s2) in [(7, 9), (0x8000_0001, 0xaaaa_aaab), (u32::MAX, u32::MAX), (0x7fff_ffff, 0x8000_0000)] {
            let wave = wave_with(&program, |state| (state.sgpr[0], state.sgpr[2]) = (s0, s2));
            let (end, _) = agree_under(&settings()[..1], &program, &wave, 10);
            let high = ((s0 as u64 * s2 as u64) >> 32) as u32;
            let signed = ((s0 as i32 as i64 * s2 as i32 as i64) >> 32) as i32;
            let by = by % 32;
            let expected = [high >> by, (high as i32 >> by) as u32, signed as u32, signed as u32 >> by];
            assert_eq!(end.state.sgpr[1], high);
            assert_eq!(end.state.sgpr[3..7], expected, "{s0:#x} * {s2:#x} >> {by}");
            assert_eq!((end.state.sgpr[7], end.state.scc), ((signed >> by) as u32, (signed >> by != 0) as u32));
        }
    }
}

/// The carry of a register that is added to itself.
#[test]
fn carries_of_doubled_registers() {
    let words = [
        op2(GFX9, "s_add_u32", 1, 0, 0),
        op2(GFX9, "s_addc_u32", 2, 128, 128),
        op2(GFX9, "s_add_u32", 0, 0, 0),
        opp(GFX9, "s_endpgm", 0),
    ]
    .concat();
    let program = program(GFX9, &words, 0);
    for s0 in [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
        let wave = wave_with(&program, |state| state.sgpr[0] = s0);
        let (end, _) = agree(&program, &wave, 10);
        let (double, carry) = (s0.wrapping_mul(2), s0 >> 31);
        assert_eq!((end.state.sgpr[..3].to_vec(), end.state.scc), (vec![double, double, carry], carry), "{s0:#x}");
    }
}

/// A loop in which s0 counts to s3, and whose second instruction is the maximum of s0 and s2.
pub fn loop_with_maximum() -> Program {
    let words = [
        op2(GFX9, "s_add_u32", 0, 0, 129),
        op2(GFX9, "s_max_u32", 1, 0, 2),
        opc(GFX9, "s_cmp_lg_u32", 0, 3),
        opp(GFX9, "s_cbranch_scc1", -4),
        opp(GFX9, "s_endpgm", 0),
    ]
    .concat();
    program(GFX9, &words, 0)
}

/// Exits raise the note on a maximum of equal operands if one was executed, wherever a loop is left.
#[test]
fn maxima_of_equal_operands() {
    // s0 counts to 9 and is 5 in round 5, whose second instruction is number 18.
    let program = loop_with_maximum();
    for (s2, first) in [(5, 18), (11, u64::MAX)] {
        let wave = wave_with(&program, |state| (state.sgpr[2], state.sgpr[3]) = (s2, 9));
        for budget in 1..=40 {
            let (end, _) = agree(&program, &wave, budget);
            let is_noted = end.state.notes.codes().contains(&"smax-equal-scc");
            assert_eq!(is_noted, budget >= first, "{s2} after {budget}");
        }
    }
}
