//! What compiled code does besides translating instructions, where random programs seldom look: each test fails if one
//! of these things is wrong (docs/mutation.md).
#![cfg(feature = "jit")]

#[path = "common/instructions.rs"]
mod instructions;

#[path = "common/agree.rs"]
mod agree;

use agree::{agree, agree_under, program, settings, wave_with};
use gcnsim::isa::{Arch, reg};
use instructions::{op1, op2, opc, opk, opp};

const GFX9: Arch = Arch::Gcn14;

/// Exits store what is dirty there and nothing else, although they share code: SCC is dirty at one of two only.
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

/// A skipped block that more than one branch skips, that sets SCC, and that could raise a note.
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

/// SCC is known within a skipped block: the branch was not taken.
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

/// Products with small constants, some of which are additions of the host.
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

/// A register, with a constant as its high half, is added to a pair or subtracted from it.
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
