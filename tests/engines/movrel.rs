//! Movrels of compiled code, whose index is inside the window that it expects, outside of it, or out of range.

use crate::agree::{agree_under, program, settings, wave_with};
use crate::instructions::{op1, op2, opc, opp};
use gcnsim_isa::{Arch, Program};
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey};

const GFX9: Arch = Arch::Gcn14;
/// Number of SGPRs.
const COUNT: usize = 102;
/// Operand code of M0.
const M0: u32 = 124;

/// The registers that the program names. The window of s16 ends before them.
#[derive(Clone, Copy)]
struct Names {
    /// The generator, its factor and its summand.
    generator: [usize; 3],
    /// What is added to the index.
    offset: usize,
    moved: usize,
    rounds: usize,
}

const NAMES: Names = Names { generator: [40, 41, 42], offset: 43, moved: 44, rounds: 45 };

/// One round, which sets a register of the window if it `names` one; returns whether there is another.
fn step(s: &mut [u32; COUNT], names: bool) -> bool {
    let [generator, factor, summand] = NAMES.generator;
    s[generator] = s[generator].wrapping_mul(s[factor]).wrapping_add(s[summand]);
    if names {
        s[17] = s[factor];
    }
    let index = (s[generator] >> 25).wrapping_add(s[NAMES.offset]).wrapping_add(16) as usize;
    s[NAMES.moved] = s[if index < COUNT { index } else { 0 }];
    s[NAMES.moved] = s[NAMES.moved].wrapping_add(s[generator]);
    if index < COUNT {
        s[index] = s[NAMES.moved];
    }
    s[NAMES.rounds] = s[NAMES.rounds].wrapping_sub(1);
    s[NAMES.rounds] != 0
}

/// Returns the scalar registers that the region of a program keeps in memory: those of its window. The window begins
/// at the base of the movrels and ends before the first register that the loop names, if that is not near.
fn in_memory(program: &Program) -> u128 {
    let key = RegionKey { pc: 0, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
    let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
    compiler.listing(program, &key).unwrap().unwrap().in_memory
}

#[test]
fn indices_in_and_outside_the_window() {
    indices(false);
}

/// The loop names a register of the array, too.
#[test]
fn indices_in_and_outside_a_window_with_names() {
    indices(true);
}

fn indices(names: bool) {
    let [generator, factor, summand] = NAMES.generator.map(|n| n as u32);
    let (offset, moved, rounds) = (NAMES.offset as u32, NAMES.moved as u32, NAMES.rounds as u32);
    let words = [
        op2(GFX9, "s_mul_i32", generator, generator, factor),  // 0x00
        op2(GFX9, "s_add_u32", generator, generator, summand), // 0x04
        if names { op1(GFX9, "s_mov_b32", 17, factor) } else { Vec::new() },
        op2(GFX9, "s_lshr_b32", M0, generator, 128 + 25),    // 0x08
        op2(GFX9, "s_add_u32", M0, M0, offset),              // 0x0c
        op1(GFX9, "s_movrels_b32", moved, 16),               // 0x10
        op2(GFX9, "s_add_u32", moved, moved, generator),     // 0x14
        op1(GFX9, "s_movreld_b32", 16, moved),               // 0x18
        op2(GFX9, "s_sub_u32", rounds, rounds, 129),         // 0x1c
        opc(GFX9, "s_cmp_lg_u32", rounds, 128),              // 0x20
        opp(GFX9, "s_cbranch_scc1", -10 - i16::from(names)), // 0x24, to 0x00
        opp(GFX9, "s_endpgm", 0),                            // 0x28
    ]
    .concat();
    let program = program(GFX9, &words, 0);
    assert_eq!(in_memory(&program), (1 << 40) - (1 << 16));
    // Indices from 8 on, from 16 on and from 90 on, and those below 0.
    for (start, offset) in [(1, 8u32.wrapping_neg()), (2, 0), (3, 74), (4, 100u32.wrapping_neg()), (5, 16)] {
        let mut s: [u32; COUNT] = std::array::from_fn(|i| 0x0101_0101 * i as u32);
        (s[NAMES.generator[0]], s[NAMES.offset], s[NAMES.rounds]) = (start, offset, 150);
        (s[NAMES.generator[1]], s[NAMES.generator[2]]) = (1_664_525, 1_013_904_223);
        let wave = wave_with(&program, |state| state.sgpr[..COUNT].copy_from_slice(&s));
        let mut executed = 0;
        for _ in 0..300 {
            executed += 10 + u64::from(names);
            if !step(&mut s, names) {
                executed += 1;
                break;
            }
        }
        let (end, _) = agree_under(&settings(), &program, &wave, executed);
        assert_eq!((end.executed, &end.state.sgpr[..COUNT]), (executed, &s[..]), "offset {offset:#x}");
    }
}

/// Pairs: an odd index is out of range, and reads s[0:1].
#[test]
fn pairs_in_and_outside_the_window() {
    let words = [
        op1(GFX9, "s_mov_b32", M0, 40),      // 0x00
        op1(GFX9, "s_movrels_b64", 42, 16),  // 0x04
        op2(GFX9, "s_add_u32", 44, 44, 42),  // 0x08
        op2(GFX9, "s_addc_u32", 45, 45, 43), // 0x0c
        op1(GFX9, "s_movreld_b64", 16, 44),  // 0x10
        op2(GFX9, "s_add_u32", 40, 40, 41),  // 0x14
        op2(GFX9, "s_sub_u32", 46, 46, 129), // 0x18
        opc(GFX9, "s_cmp_lg_u32", 46, 128),  // 0x1c
        opp(GFX9, "s_cbranch_scc1", -9),     // 0x20, to 0x00
        opp(GFX9, "s_endpgm", 0),            // 0x24
    ]
    .concat();
    let program = program(GFX9, &words, 0);
    assert_eq!(in_memory(&program), (1 << 40) - (1 << 16));
    // The index and its step: even and odd ones, and those that run out of the window and out of range.
    for (first, by) in [(0, 2), (1, 2), (0, 1), (20, 1), (80, 2), (8u32.wrapping_neg(), 2)] {
        let mut s: [u32; COUNT] = std::array::from_fn(|i| 0x9e37_79b9u32.wrapping_mul(i as u32));
        (s[40], s[41], s[46]) = (first, by, 12);
        let wave = wave_with(&program, |state| state.sgpr[..COUNT].copy_from_slice(&s));
        let mut executed = 0;
        for _ in 0..40 {
            let index = s[40].wrapping_add(16) as usize;
            let index = if index.is_multiple_of(2) && index + 1 < COUNT { Some(index) } else { None };
            let from = index.unwrap_or(0);
            (s[42], s[43]) = (s[from], s[from + 1]);
            let pair = |lo: u32, hi: u32| u64::from(hi) << 32 | u64::from(lo);
            let sum = pair(s[44], s[45]).wrapping_add(pair(s[42], s[43]));
            (s[44], s[45]) = (sum as u32, (sum >> 32) as u32);
            if let Some(to) = index {
                (s[to], s[to + 1]) = (s[44], s[45]);
            }
            s[40] = s[40].wrapping_add(s[41]);
            s[46] = s[46].wrapping_sub(1);
            executed += 9;
            if s[46] == 0 {
                executed += 1;
                break;
            }
        }
        let (end, _) = agree_under(&settings(), &program, &wave, executed);
        assert_eq!((end.executed, &end.state.sgpr[..COUNT]), (executed, &s[..]), "index {first:#x}");
    }
}
