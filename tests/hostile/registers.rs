//! Programs with hostile register accesses: relative moves with any M0, fields of hardware registers, indices past the
//! last vector register. Each has a defined outcome, which is the same on both engines. (`words.rs` tests control
//! flow.)

use crate::instructions;

use crate::agree;

use agree::{agree, agree_under, program, settings, wave_with};
use gcnsim::VgprFile;
use gcnsim::{Outcome, Wave};
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::{Arch, reg};
use gcnsim_random::Rng;
use instructions::{op1, op2, opc, opk, opp, vop3, vopc};

const GFX9: Arch = Arch::Gcn14;

#[test]
fn movrel_with_any_m0() {
    let mut rng = Rng::new(2);
    for arch in [Arch::Gcn10, Arch::Gcn12, GFX9] {
        for code in [0, 2, 100, 101, 103, 106, 124, 126] {
            let mut words = Vec::new();
            for mnemonic in ["s_movrels_b32", "s_movreld_b32", "s_movrels_b64", "s_movreld_b64"] {
                // `code` is the operand that the instruction takes relative to M0: its source or its destination.
                words.extend(op1(arch, mnemonic, if mnemonic.contains("movreld") { code } else { 4 }, code));
            }
            words.extend(opp(arch, "s_endpgm", 0));
            let program = program(arch, &words, 0);
            let edges = [0, 1, 2, 99, 100, 101, 102, 103, 104, 127, 128, 255, u32::MAX, 1 << 31, u32::MAX - 99];
            for m0 in edges.into_iter().chain((0..6).map(|_| rng.bits())) {
                let wave = wave_with(&program, |state| {
                    state.sgpr = std::array::from_fn(|i| i as u32 * 0x0101_0101);
                    state.sgpr[reg::M0 as usize] = m0;
                });
                agree_under(&settings()[..2], &program, &wave, 10);
            }
        }
    }
}

/// The compiler knows that M0 is small, so that it reaches at most the last register. If so, nothing is checked.
#[test]
fn movrel_with_small_m0() {
    for (arch, count) in [(Arch::Gcn10, 104), (GFX9, 102)] {
        for code in count - 66..count - 60 {
            for (mnemonic, operand) in [("s_and_b32", 191), ("s_lshr_b32", 154)] {
                // M0 = s4 & 63 or s4 >> 26, at most 63.
                let words = [
                    op2(arch, mnemonic, 124, 4, operand),
                    op1(arch, "s_movreld_b32", code, 5),
                    op1(arch, "s_movrels_b32", 6, code),
                    opp(arch, "s_endpgm", 0),
                ]
                .concat();
                let program = program(arch, &words, 0);
                for m0 in 58..64 {
                    let wave = wave_with(&program, |state| {
                        state.sgpr = std::array::from_fn(|i| i as u32 + 1000);
                        state.sgpr[4] = m0 << 26 | m0;
                    });
                    let (end, _) = agree_under(&settings()[..2], &program, &wave, 10);
                    let inside = code + m0 < count;
                    assert_eq!(end.state.sgpr[6], if inside { 1005 } else { 1000 }, "{code} {m0}");
                    assert_eq!(end.state.notes.codes().contains(&"movrel-range"), !inside);
                }
            }
        }
    }
}

/// All immediates of S_GETREG and S_SETREG, with different bits in the registers. The engines must agree.
#[test]
fn any_hardware_register_field() {
    for mnemonic in ["s_getreg_b32", "s_setreg_b32"] {
        // Each program has 1024 of them.
        let immediates: Vec<u16> = (0..=u16::MAX).collect();
        for chunk in immediates.chunks(1024) {
            let mut words: Vec<u32> = Vec::new();
            for &immediate in chunk {
                words.extend(opk(GFX9, mnemonic, immediate as u32 % 8, immediate));
            }
            words.extend(opp(GFX9, "s_endpgm", 0));
            let program = program(GFX9, &words, 0x1_0000);
            let wave = wave_with(&program, |state| {
                state.sgpr[..8].copy_from_slice(&[u32::MAX, 0, 0x5555_5555, 1, u32::MAX << 16, 7, 0x8000_0000, 99]);
                state.trapsts = 0xdead_beef;
                state.set_exec(0);
            });
            let check = RunOptions::default().engine(EngineKind::Check).hot(0);
            let (_, outcome) = agree_under(&[check], &program, &wave, 2000);
            assert_eq!(outcome, Outcome::Ended);
        }
    }
    let words = [vec![opk(GFX9, "s_setreg_imm32_b32", 0, 0xf801)[0], 0xffff_ffff], opp(GFX9, "s_endpgm", 0)].concat();
    let program = program(GFX9, &words, 0);
    let (end, _) = agree(&program, &Wave::new(&program), 9);
    assert_eq!(end.state.mode, u32::MAX);
}

#[test]
fn indices_past_the_last_vector_register() {
    let mut vgprs = VgprFile::zeroed();
    for n in 0..=255u8 {
        vgprs.lanes_mut(n).iter_mut().enumerate().for_each(|(lane, x)| *x = n as u32 ^ lane as u32);
    }
    let vgprs = vgprs.into_shared();
    for arch in [Arch::Gcn12, GFX9] {
        for (number, m0) in [(0, 255), (1, 255), (255, 0), (255, 1), (255, 255), (254, 1), (128, 127), (128, 128)] {
            let words = [
                opc(arch, "s_set_gpr_idx_on", 4, 3),
                vopc(arch, "v_cmp_lt_u32", 256 + number, number),
                vop3(arch, "v_cmp_eq_u64", 20, 256 + number.min(254), 256 + number.min(254), 0, 0),
                vop3(arch, "v_cmp_class_f64", 22, 256 + number.min(254), 256 + number, 0, 0),
                vop3(arch, "v_cmp_f_i32", 24, 256 + number, 256 + number, 0, 0),
                opp(arch, "s_endpgm", 0),
            ]
            .concat();
            let program = program(arch, &words, 0);
            let mut wave = wave_with(&program, |state| state.sgpr[4] = m0);
            wave.vgprs = vgprs.clone();
            let (end, outcome) = agree(&program, &wave, 10);
            assert_eq!(outcome, Outcome::Ended);
            let past = number + m0 > 255 || number.min(254) + m0 > 254;
            assert_eq!(end.state.notes.codes().contains(&"gpr-idx-range"), past, "v{number} + {m0}");
        }
    }
}

#[test]
fn skipped_vector_instructions() {
    let words = [
        opc(GFX9, "s_setvskip", 4, 128),
        vopc(GFX9, "v_cmpx_eq_u32", 256, 0),
        opc(GFX9, "s_setvskip", 4, 129),
        vopc(GFX9, "v_cmpx_ne_u32", 256, 0),
        opp(GFX9, "s_endpgm", 0),
    ]
    .concat();
    let skipping = program(GFX9, &words, 0);
    for bits in 0..4 {
        let wave = wave_with(&skipping, |state| state.sgpr[4] = bits);
        let (end, outcome) = agree(&skipping, &wave, 10);
        assert_eq!((outcome, end.executed), (Outcome::Ended, 5));
    }
    // Fields of MODE that have VSKIP (bit 28) as their only, first or last bit, or lack it.
    for (offset, size, skips) in [(28u16, 1u16, true), (28, 4, true), (20, 9, true), (29, 3, false), (20, 8, false)] {
        let words = [
            opk(GFX9, "s_setreg_b32", 4, (size - 1) << 11 | offset << 6 | 1),
            vopc(GFX9, "v_cmp_ne_u32", 128, 0),
            opp(GFX9, "s_endpgm", 0),
        ]
        .concat();
        let program = program(GFX9, &words, 0);
        let wave = wave_with(&program, |state| {
            state.sgpr[4] = u32::MAX;
            state.set_pair(reg::VCC_LO, 0x1234);
        });
        let (end, _) = agree(&program, &wave, 10);
        assert_eq!(end.state.pair(reg::VCC_LO), if skips { 0x1234 } else { 0 }, "{offset} {size}");
    }
}

/// Later instructions of a region see writes to a register whose number is computed.
#[test]
fn computed_writes_are_seen() {
    let words = [
        op2(GFX9, "s_add_u32", 10, 7, 129),
        op1(GFX9, "s_movreld_b32", 5, 20),
        op2(GFX9, "s_add_u32", 11, 7, 129),
        opp(GFX9, "s_endpgm", 0),
    ]
    .concat();
    let moves = program(GFX9, &words, 0);
    let wave = wave_with(&moves, |state| {
        (state.sgpr[7], state.sgpr[20], state.sgpr[reg::M0 as usize]) = (70, 200, 2);
    });
    let (end, _) = agree(&moves, &wave, 10);
    assert_eq!((end.state.sgpr[10], end.state.sgpr[7], end.state.sgpr[11]), (71, 200, 201));

    // One lane goes to the target, and the others are pushed to s[0:3].
    let words = [
        op2(GFX9, "s_add_u32", 60, 0, 129),
        opk(GFX9, "s_cbranch_i_fork", 40, 1),
        opp(GFX9, "s_nop", 0),
        op2(GFX9, "s_add_u32", 61, 0, 129),
        opp(GFX9, "s_endpgm", 0),
    ]
    .concat();
    let forks = program(GFX9, &words, 0);
    let wave = wave_with(&forks, |state| {
        state.sgpr[0] = 5;
        state.set_pair(40, 1);
    });
    let (end, _) = agree(&forks, &wave, 10);
    assert_eq!((end.state.sgpr[60], end.state.sgpr[61]), (6, u32::MAX));
    assert_eq!((end.state.pair(0), end.state.pair(2)), (!1, 8));
}
