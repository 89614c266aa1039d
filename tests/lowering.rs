//! What compiled code does besides translating instructions, where random programs seldom look: each test fails if one
//! of these things is wrong (docs/mutation.md).
#![cfg(feature = "jit")]

#[path = "common/instructions.rs"]
mod instructions;

#[path = "common/agree.rs"]
mod agree;

use agree::{agree, program, wave_with};
use gcnsim::isa::{Arch, reg};
use instructions::{op1, op2, opc, opp};

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
