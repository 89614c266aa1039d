//! Branches that compiled code executes without branching, and maxima with and without the note on equal operands.

use crate::agree::{agree_under, program, settings, wave_with};
use crate::instructions::{op1, op2, opc, opk, opp};
use crate::lowering::loop_with_maximum;
use gcnsim_engine::{EngineKind, RunOptions, run};
use gcnsim_isa::{Arch, Kind};

const GFX9: Arch = Arch::Gcn14;

/// Registers and counts of [`chosen_ways_in_a_loop`].
#[derive(Clone, Copy, Default)]
struct Chosen {
    /// Registers s1 to s3.
    registers: [u32; 3],
    /// Numbers of scalar ALU instructions, compares and branches.
    counts: [u64; 3],
}

impl Chosen {
    /// One round.
    fn step(&mut self) {
        let [s1, s2, s3] = &mut self.registers;
        let mut count = |salu, compares, branches| {
            self.counts = [self.counts[0] + salu, self.counts[1] + compares, self.counts[2] + branches];
        };
        *s1 = s1.wrapping_mul(0x4005).wrapping_add(*s2);
        count(2, 1, 1);
        if *s1 >> 31 == 1 {
            *s2 = s2.wrapping_add(*s1);
            count(1, 1, 1);
            if *s1 >> 30 & 1 == 1 {
                *s3 ^= *s2;
                count(1, 0, 1);
            } else {
                *s2 = s2.wrapping_add(5);
                *s3 <<= 1;
                // The call, the return and the branch on.
                count(2, 0, 3);
            }
        } else {
            let is_greater = *s2 > *s1;
            count(0, 1, 1);
            let scc = if is_greater {
                1
            } else {
                *s2 >>= 1;
                count(1, 0, 0);
                (*s2 != 0) as u32
            };
            *s3 = s3.wrapping_add(*s2).wrapping_add(scc);
            count(1, 0, 0);
        }
        count(1, 1, 1);
    }
}

/// Of two ways each has a branch, and one has a call. Both are executed, and counts are exact for every budget.
#[test]
fn chosen_ways_in_a_loop() {
    let words = [
        op2(GFX9, "s_mul_i32", 1, 1, 6),         // 0x00
        op2(GFX9, "s_add_u32", 1, 1, 2),         // 0x04
        opc(GFX9, "s_bitcmp1_b32", 1, 128 + 31), // 0x08
        opp(GFX9, "s_cbranch_scc0", 8),          // 0x0c, to 0x30
        op2(GFX9, "s_add_u32", 2, 2, 1),         // 0x10
        opc(GFX9, "s_bitcmp1_b32", 1, 128 + 30), // 0x14
        opp(GFX9, "s_cbranch_scc0", 2),          // 0x18, to 0x24
        op2(GFX9, "s_xor_b32", 3, 3, 2),         // 0x1c
        opp(GFX9, "s_branch", 7),                // 0x20, to 0x40
        opk(GFX9, "s_call_b64", 30, 10),         // 0x24, to 0x50
        op2(GFX9, "s_lshl_b32", 3, 3, 129),      // 0x28
        opp(GFX9, "s_branch", 4),                // 0x2c, to 0x40
        opc(GFX9, "s_cmp_gt_u32", 2, 1),         // 0x30
        opp(GFX9, "s_cbranch_scc1", 1),          // 0x34, to 0x3c
        op2(GFX9, "s_lshr_b32", 2, 2, 129),      // 0x38
        op2(GFX9, "s_addc_u32", 3, 3, 2),        // 0x3c
        op2(GFX9, "s_sub_u32", 0, 0, 129),       // 0x40
        opc(GFX9, "s_cmp_lg_u32", 0, 128),       // 0x44
        opp(GFX9, "s_cbranch_scc1", -19),        // 0x48, to 0x00
        opp(GFX9, "s_endpgm", 0),                // 0x4c
        opk(GFX9, "s_addk_i32", 2, 5),           // 0x50
        op1(GFX9, "s_setpc_b64", 0, 30),         // 0x54
    ]
    .concat();
    let program = program(GFX9, &words, 0);
    for start in [[1, 0, 0], [0xffff_fff1, 3, 7], [0x1234_5678, 0x9abc_def0, u32::MAX]] {
        let rounds = 12;
        let wave = wave_with(&program, |state| {
            (state.sgpr[0], state.sgpr[6]) = (rounds, 0x4005);
            state.sgpr[1..4].copy_from_slice(&start);
        });
        let mut expected = Chosen { registers: start, ..Chosen::default() };
        (0..rounds).for_each(|_| expected.step());
        let executed = expected.counts.iter().sum::<u64>() + 1;
        for budget in 0..=executed {
            let (end, outcome) = agree_under(&settings()[3..], &program, &wave, budget);
            assert_eq!((outcome.name() == "ended", end.executed), (budget == executed, budget), "{start:x?}");
        }
        let options = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0).counting_classes();
        let mut end = wave.clone();
        run(&program, &mut end, &options).outcome.unwrap();
        assert_eq!((end.executed, &end.state.sgpr[1..4]), (executed, &expected.registers[..]), "{start:x?}");
        let counts = [Kind::Salu, Kind::Scmp, Kind::Branch].map(|kind| end.classes.get(kind));
        assert_eq!(counts, expected.counts, "{start:x?}");
    }
}

/// A loop is compiled when its wave has the note on maxima of equal operands, or has not had it for long and gets it
/// then. The note is there from the same instruction on as in the interpreter.
#[test]
fn maxima_after_many_rounds() {
    // s0 counts to 9000; in round s2 the maximum is of equal operands.
    let program = loop_with_maximum();
    for round in [5, 2900, 6001, 9000, 9001] {
        let wave = wave_with(&program, |state| (state.sgpr[2], state.sgpr[3]) = (round, 9000));
        let noting = 4 * (round as u64 - 1) + 2;
        for budget in [noting - 1, noting, 36_001] {
            for engine in [EngineKind::Interp, EngineKind::JitNoCheck, EngineKind::Check] {
                let options = RunOptions::default().engine(engine).hot(2000).max_insts(budget);
                let mut end = wave.clone();
                let result = run(&program, &mut end, &options);
                let outcome = result.outcome.unwrap();
                let executed = budget.min(36_001);
                assert_eq!((end.executed, outcome.name() == "ended"), (executed, executed == 36_001));
                let is_noted = end.state.notes.codes().contains(&"smax-equal-scc");
                assert_eq!(is_noted, executed >= noting && round <= 9000, "{round} after {budget}: {engine:?}");
            }
        }
    }
}
