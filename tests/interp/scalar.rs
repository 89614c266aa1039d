//! The reference interpreter on scalar instructions. Expected results were derived by hand from the instructions'
//! definitions, at edges where simulators go wrong.

use crate::instructions;

use gcnsim::Outcome;
use gcnsim_isa::{Arch, Note, WaveState};
use instructions::{op1, op2, opc, opk, run_one, run_words};

const GFX9: Arch = Arch::Gcn14;

/// Runs a SOP2 instruction on s0 and s1 (64 bits: on s[0:1] and s[2:3], where S1 is s2). Returns SDST (s[4:5]) and SCC.
fn sop2(name: &str, s0: u64, s1: u64, scc: u32) -> (u64, u32) {
    let wave = run_one(GFX9, &op2(GFX9, name, 4, 0, 2), |state| {
        state.set_pair(0, s0);
        state.set_pair(2, s1);
        state.scc = scc;
    });
    (wave.state.pair(4), wave.state.scc)
}

/// Runs a SOP1 instruction. Returns SDST and SCC.
fn sop1(name: &str, s0: u64, scc: u32) -> (u64, u32) {
    let wave = run_one(GFX9, &op1(GFX9, name, 4, 0), |state| {
        state.set_pair(0, s0);
        state.scc = scc;
    });
    (wave.state.pair(4), wave.state.scc)
}

const MIN: u64 = 0x8000_0000;
const MAX: u64 = 0x7fff_ffff;
const ONES: u64 = 0xffff_ffff;

#[test]
fn carry_borrow_and_overflow() {
    assert_eq!(sop2("s_add_u32", ONES, 1, 0), (0, 1));
    assert_eq!(sop2("s_add_u32", ONES, 0, 1), (ONES, 0));
    assert_eq!(sop2("s_addc_u32", ONES - 1, 1, 0), (ONES, 0)); // exactly 0xffffffff is no carry
    assert_eq!(sop2("s_addc_u32", ONES, 0, 1), (0, 1));
    assert_eq!(sop2("s_addc_u32", ONES, ONES, 1), (ONES, 1));
    assert_eq!(sop2("s_sub_u32", 0, 1, 0), (ONES, 1));
    assert_eq!(sop2("s_sub_u32", 1, 1, 1), (0, 0));
    assert_eq!(sop2("s_subb_u32", 0, ONES, 1), (0, 1)); // S1 + SCC does not fit 32 bits: still a borrow
    assert_eq!(sop2("s_subb_u32", ONES, ONES, 1), (ONES, 1));
    assert_eq!(sop2("s_subb_u32", 1, 0, 1), (0, 0));
    assert_eq!(sop2("s_add_i32", MIN, MIN, 0), (0, 1));
    assert_eq!(sop2("s_add_i32", MAX, 1, 0), (MIN, 1));
    assert_eq!(sop2("s_add_i32", ONES, 1, 1), (0, 0)); // carry, but no overflow
    assert_eq!(sop2("s_sub_i32", 0, MIN, 0), (MIN, 1));
    assert_eq!(sop2("s_sub_i32", MIN, 1, 0), (MAX, 1));
    assert_eq!(sop2("s_lshl4_add_u32", 0x1000_0000, 0, 0), (0, 1)); // the shifted-out bit is the carry
    assert_eq!(sop2("s_lshl1_add_u32", ONES, ONES, 0), (0xffff_fffd, 1));
}

#[test]
fn min_max_and_equal_operands() {
    assert_eq!(sop2("s_min_i32", MIN, MAX, 0), (MIN, 1));
    assert_eq!(sop2("s_min_u32", MIN, MAX, 1), (MAX, 0));
    assert_eq!(sop2("s_min_u32", 5, 5, 1), (5, 0));
    assert_eq!(sop2("s_max_i32", ONES, 0, 1), (0, 0));
    assert_eq!(sop2("s_max_u32", ONES, 0, 0), (ONES, 1));
    assert_eq!(sop2("s_max_u32", 7, 7, 1), (7, 0));
    let wave = run_one(GFX9, &op2(GFX9, "s_max_i32", 4, 0, 0), |_| {});
    assert_eq!(wave.state.notes.codes(), ["smax-equal-scc"]);
}

#[test]
fn shifts_take_the_low_bits_of_the_count() {
    assert_eq!(sop2("s_lshl_b32", 1, 32, 0), (1, 1));
    assert_eq!(sop2("s_lshl_b32", 1, 31, 0), (MIN, 1));
    assert_eq!(sop2("s_lshl_b64", 1, 64 + 63, 0), (1 << 63, 1));
    assert_eq!(sop2("s_lshr_b64", 1 << 63, 63, 0), (1, 1));
    assert_eq!(sop2("s_ashr_i32", MIN, 31, 0), (ONES, 1));
    assert_eq!(sop2("s_ashr_i64", 1 << 63, 63, 0), (u64::MAX, 1));
    assert_eq!(sop2("s_lshr_b32", 1, 1, 1), (0, 0));
    assert_eq!(sop2("s_bfm_b32", 31, 1, 1), (0xffff_fffe, 1));
    assert_eq!(sop2("s_bfm_b32", 32, 7, 0), (0, 0));
    assert_eq!(sop2("s_bfm_b64", 63, 1, 0), (u64::MAX - 1, 0));
}

#[test]
fn bit_fields() {
    let field = |offset: u64, width: u64| offset | width << 16;
    assert_eq!(sop2("s_bfe_u32", 0xdead_beef, field(8, 8), 0), (0xbe, 1));
    assert_eq!(sop2("s_bfe_i32", 0xdead_beef, field(8, 8), 0), (0xffff_ffbe, 1));
    assert_eq!(sop2("s_bfe_u32", ONES, field(0, 32), 0), (ONES, 1));
    assert_eq!(sop2("s_bfe_u32", ONES, field(5, 0), 1), (0, 0));
    assert_eq!(sop2("s_bfe_i32", MIN, field(31, 1), 0), (ONES, 1));
    assert_eq!(sop2("s_bfe_i32", MIN, field(28, 20), 0), (0xffff_fff8, 1)); // runs over the top: S0 >> offset
    assert_eq!(sop2("s_bfe_u32", ONES, field(32, 4), 0), (15, 1)); // bit 5 of the offset does not count
    assert_eq!(sop2("s_bfe_u64", u64::MAX, field(32, 64), 0), (ONES, 1));
    assert_eq!(sop2("s_bfe_i64", 1 << 40, field(40, 1), 0), (u64::MAX, 1));
    let wide = |name, width: u32| {
        let wave = run_one(GFX9, &op2(GFX9, name, 4, 0, 2), |state| {
            state.set_pair(0, u64::MAX);
            state.sgpr[2] = width << 16 | 4;
        });
        (wave.state.pair(4), wave.state.notes.contains(Note::BfeWide))
    };
    assert_eq!(wide("s_bfe_u32", 32), (0x0fff_ffff, false));
    assert_eq!(wide("s_bfe_u32", 33), (0x0fff_ffff, true));
    assert_eq!(wide("s_bfe_u64", 64), (u64::MAX >> 4, false));
    assert_eq!(wide("s_bfe_i64", 127), (u64::MAX, true));
}

#[test]
fn multiplication_absdiff_and_packing() {
    assert_eq!(sop2("s_mul_i32", 0x1_0001, 0x1_0001, 1), (0x2_0001, 1));
    assert_eq!(sop2("s_mul_hi_u32", ONES, ONES, 0), (0xffff_fffe, 0));
    assert_eq!(sop2("s_mul_hi_i32", ONES, 1, 1), (ONES, 1));
    assert_eq!(sop2("s_absdiff_i32", 3, 10, 0), (7, 1));
    assert_eq!(sop2("s_absdiff_i32", MAX, MIN, 0), (1, 1)); // the wrapped difference is -1
    assert_eq!(sop2("s_absdiff_i32", 0, MIN, 0), (MIN, 1));
    assert_eq!(sop2("s_absdiff_i32", 9, 9, 1), (0, 0));
    assert_eq!(sop2("s_pack_ll_b32_b16", 0x1111_2222, 0x3333_4444, 1), (0x4444_2222, 1));
    assert_eq!(sop2("s_pack_lh_b32_b16", 0x1111_2222, 0x3333_4444, 0), (0x3333_2222, 0));
    assert_eq!(sop2("s_pack_hh_b32_b16", 0x1111_2222, 0x3333_4444, 0), (0x3333_1111, 0));
}

#[test]
fn bit_searches_and_counts() {
    assert_eq!(sop1("s_ff1_i32_b32", 0, 1), (ONES, 1));
    assert_eq!(sop1("s_ff1_i32_b64", 1 << 63, 0), (63, 0));
    assert_eq!(sop1("s_ff0_i32_b64", u64::MAX, 0), (ONES, 0));
    assert_eq!(sop1("s_flbit_i32_b32", 1, 0), (31, 0));
    assert_eq!(sop1("s_flbit_i32", 0, 0), (ONES, 0));
    assert_eq!(sop1("s_flbit_i32", ONES, 0), (ONES, 0));
    assert_eq!(sop1("s_flbit_i32", MIN, 0), (1, 0));
    assert_eq!(sop1("s_flbit_i32_i64", 0xffff_ffff_0000_0000, 0), (32, 0));
    assert_eq!(sop1("s_bcnt0_i32_b64", 0, 0), (64, 1));
    assert_eq!(sop1("s_bcnt1_i32_b32", 0, 1), (0, 0));
    assert_eq!(sop1("s_sext_i32_i8", 0xff80, 1), (0xffff_ff80, 1));
    assert_eq!(sop1("s_abs_i32", MIN, 0), (MIN, 1));
    assert_eq!(sop1("s_wqm_b32", 0x0100_0010, 0), (0x0f00_00f0, 1));
    assert_eq!(sop1("s_quadmask_b64", 0x8000_0000_0000_0001, 0), (0x8001, 1));
    assert_eq!(sop1("s_bitreplicate_b64_b32", 0x8000_0001, 0), (0xc000_0000_0000_0003, 0));
    assert_eq!(sop1("s_brev_b64", 1, 1), (1 << 63, 1));
}

#[test]
fn destinations_that_are_sources() {
    // s_bitset1_b64 s[4:5], s0: the bit number comes from s0, and the other bits stay.
    let bitset = run_one(GFX9, &op1(GFX9, "s_bitset1_b64", 4, 0), |state| {
        state.sgpr[0] = 64 + 40;
        state.set_pair(4, 5);
    });
    assert_eq!(bitset.state.pair(4), 5 | 1 << 40);
    // s_lshl_b64 s[2:3], s[2:3], s3: the count is the old upper half.
    let shift = run_one(GFX9, &op2(GFX9, "s_lshl_b64", 2, 2, 3), |state| state.set_pair(2, 4 << 32 | 1));
    assert_eq!(shift.state.pair(2), 64 << 32 | 16);
    let swap = run_one(GFX9, &op1(GFX9, "s_swappc_b64", 2, 2), |state| state.set_pair(2, 0x1000));
    assert_eq!((swap.state.pc, swap.state.pair(2)), (0x1000, 4));
}

#[test]
fn constants_of_64_bit_operands() {
    let mov = |words: &[u32]| run_one(Arch::Gcn12, words, |_| {}).state.pair(4);
    assert_eq!(mov(&op1(Arch::Gcn12, "s_mov_b64", 4, 193)), u64::MAX); // -1
    assert_eq!(mov(&op1(Arch::Gcn12, "s_mov_b64", 4, 242)), 0x3ff0_0000_0000_0000); // 1.0
    assert_eq!(mov(&[op1(Arch::Gcn12, "s_mov_b64", 4, 255)[0], 0x8000_0000]), 0x8000_0000);
    assert_eq!(mov(&[op2(Arch::Gcn12, "s_ashr_i64", 4, 255, 128)[0], 0x8000_0000]), 0xffff_ffff_8000_0000);
    // S0 and S1 are the same literal.
    assert_eq!(mov(&[op2(Arch::Gcn12, "s_lshl_b64", 4, 255, 255)[0], 0x21]), 0x21 << 33);
    // SCC as a source has its old value.
    let scc = run_one(GFX9, &op2(GFX9, "s_add_u32", 4, 253, 193), |state| state.scc = 1);
    assert_eq!((scc.state.sgpr[4], scc.state.scc), (0, 1));
    let execz = run_one(GFX9, &op1(GFX9, "s_mov_b64", 4, 252), |state| state.set_exec(0));
    assert_eq!((execz.state.pair(4), execz.state.notes.codes()), (1, vec!["bool-source-64"]));
}

#[test]
fn save_exec() {
    let run = |name, dst| {
        run_one(GFX9, &op1(GFX9, name, dst, 0), |state| {
            state.set_pair(0, 0b0011);
            state.set_exec(0b0101);
        })
        .state
    };
    let expect = [
        ("s_and_saveexec_b64", 0b0001),
        ("s_or_saveexec_b64", 0b0111),
        ("s_xor_saveexec_b64", 0b0110),
        ("s_andn2_saveexec_b64", 0b0010),
        ("s_orn2_saveexec_b64", !0b0100),
        ("s_nand_saveexec_b64", !0b0001),
        ("s_nor_saveexec_b64", !0b0111),
        ("s_xnor_saveexec_b64", !0b0110),
        ("s_andn1_saveexec_b64", 0b0100),
        ("s_orn1_saveexec_b64", !0b0010),
    ];
    for (name, exec) in expect {
        let state = run(name, 4);
        assert_eq!((state.exec(), state.pair(4), state.scc), (exec, 0b0101, 1), "{name}");
    }
    assert_eq!((run("s_andn1_wrexec_b64", 4).exec(), run("s_andn1_wrexec_b64", 4).pair(4)), (0b0100, 0b0100));
    assert_eq!((run("s_andn2_wrexec_b64", 4).exec(), run("s_andn2_wrexec_b64", 4).pair(4)), (0b0010, 0b0010));
    // SDST = EXEC is written last, and SCC belongs to the new mask.
    let both = run("s_and_saveexec_b64", 126);
    assert_eq!((both.exec(), both.scc, both.notes.codes()), (0b0101, 1, vec!["saveexec-sdst-exec"]));
}

#[test]
fn sopk() {
    let run = |name, simm16: u16, s4: u32, scc| {
        let wave = run_one(GFX9, &opk(GFX9, name, 4, simm16), |state: &mut WaveState| {
            state.sgpr[4] = s4;
            state.scc = scc;
        });
        (wave.state.sgpr[4], wave.state.scc)
    };
    assert_eq!(run("s_movk_i32", 0x8000, 0, 1), (0xffff_8000, 1));
    assert_eq!(run("s_cmovk_i32", 7, 9, 0), (9, 0));
    assert_eq!(run("s_addk_i32", 1, 0x7fff_ffff, 0), (0x8000_0000, 1));
    assert_eq!(run("s_addk_i32", 0xffff, 1, 1), (0, 0));
    assert_eq!(run("s_mulk_i32", 0xffff, 5, 1), (0xffff_fffb, 1));
    assert_eq!(run("s_cmpk_eq_i32", 0xffff, 0xffff_ffff, 0), (0xffff_ffff, 1));
    assert_eq!(run("s_cmpk_eq_u32", 0xffff, 0xffff_ffff, 1), (0xffff_ffff, 0)); // zero-extended
    assert_eq!(run("s_cmpk_lt_u32", 0xffff, 0x1_0000, 1), (0x1_0000, 0)); // all 32 bits of SDST
}

#[test]
fn movrel_stays_within_the_sgprs() {
    let movrels = |arch, name, src, m0| {
        let state = run_one(arch, &op1(arch, name, 4, src), |state| {
            (0..108).for_each(|i| state.sgpr[i] = i as u32);
            state.sgpr[124] = m0;
        })
        .state;
        (state.sgpr[4], state.sgpr[5], state.notes.contains(Note::MovrelRange))
    };
    assert_eq!(movrels(GFX9, "s_movrels_b32", 10, 91), (101, 5, false));
    assert_eq!(movrels(GFX9, "s_movrels_b32", 10, 92), (0, 5, true));
    assert_eq!(movrels(Arch::Gcn11, "s_movrels_b32", 10, 92), (102, 5, false));
    assert_eq!(movrels(GFX9, "s_movrels_b32", 10, 0u32.wrapping_sub(3)), (7, 5, false));
    assert_eq!(movrels(GFX9, "s_movrels_b64", 10, 3), (0, 1, true));
    assert_eq!(movrels(GFX9, "s_movrels_b64", 10, 90), (100, 101, false));
    assert_eq!(movrels(GFX9, "s_movrels_b32", 106, 0), (106, 5, false)); // VCC as itself
    assert_eq!(movrels(GFX9, "s_movrels_b32", 106, 1), (0, 5, true));
    let movreld = |m0| run_one(GFX9, &op1(GFX9, "s_movreld_b32", 8, 193), |state| state.sgpr[124] = m0).state;
    assert_eq!(movreld(2).sgpr[10], 0xffff_ffff);
    assert_eq!(movreld(94).sgpr[..124], [0; 124]);
}

#[test]
fn hardware_registers() {
    let hwreg = |id: u16, offset: u16, size: u16| (size - 1) << 11 | offset << 6 | id;
    let getreg = |simm16| {
        run_one(GFX9, &opk(GFX9, "s_getreg_b32", 4, simm16), |state| {
            state.mode = 0x8765_4321;
            state.scc = 1;
            state.pc = 0;
        })
        .state
    };
    assert_eq!(getreg(hwreg(1, 0, 32)).sgpr[4], 0x8765_4321);
    assert_eq!(getreg(hwreg(1, 4, 8)).sgpr[4], 0x32);
    assert_eq!(getreg(hwreg(2, 0, 32)).sgpr[4], 1 | 1 << 9 | 1 << 10); // SCC, EXECZ, VCCZ
    assert_eq!(getreg(hwreg(8, 0, 32)).sgpr[4], 4);
    assert_eq!(getreg(hwreg(1, 28, 8)).sgpr[4], 8);
    assert_eq!(getreg(hwreg(1, 28, 8)).notes.codes(), ["hwreg-overrun"]);
    assert_eq!(getreg(hwreg(40, 0, 32)).notes.codes(), ["hwreg-unknown"]);
    assert_eq!(getreg(hwreg(8, 0, 32)).notes.codes(), ["hwreg-pc"]);
    let setreg = |simm16| run_one(GFX9, &opk(GFX9, "s_setreg_b32", 4, simm16), |_| {}).state;
    assert_eq!(setreg(hwreg(8, 0, 32)).notes.codes(), ["hwreg-pc"]);
    assert_eq!(setreg(hwreg(12, 0, 32)).notes.codes(), ["hwreg-debug"]);
    let set =
        run_one(GFX9, &[opk(GFX9, "s_setreg_imm32_b32", 0, hwreg(1, 4, 4))[0], 0xff], |state| state.mode = 0xf000_000f);
    assert_eq!((set.state.mode, set.state.pc), (0xf000_00ff, 8));
    let status = run_one(GFX9, &opk(GFX9, "s_setreg_b32", 4, hwreg(2, 0, 32)), |state| state.sgpr[4] = 1);
    assert_eq!(status.state.scc, 0);
}

#[test]
fn modes_set_by_compares() {
    let vskip = run_one(GFX9, &opc(GFX9, "s_setvskip", 0, 131), |state| state.sgpr[0] = 8);
    assert_eq!(vskip.state.mode, 1 << 28);
    // s_set_gpr_idx_on s0, 255 has no literal, and the low four bits of the field count.
    let on = run_one(GFX9, &opc(GFX9, "s_set_gpr_idx_on", 0, 0xff), |state| {
        state.sgpr[0] = 0x1234;
        state.sgpr[124] = 0xffff_0fff;
    });
    assert_eq!((on.state.mode, on.state.sgpr[124], on.state.pc), (1 << 27, 0xffff_ff34, 4));
    assert_eq!(run_one(GFX9, &opc(GFX9, "s_bitcmp1_b64", 0, 191), |state| state.sgpr[1] = 1 << 31).state.scc, 1);
}

#[test]
fn undocumented_instructions_stop_the_run() {
    let (wave, outcome) = run_words(GFX9, &op1(GFX9, "s_mov_regrd_b32", 0, 0), 10, |_| {});
    assert!(matches!(outcome, Outcome::Unsupported(d) if d.mnemonic == Some("s_mov_regrd_b32") && d.pc == 0));
    assert_eq!((wave.executed, wave.state.pc), (0, 0));
}
