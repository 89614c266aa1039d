//! Pairs of instructions that one function of the interpreter executes: links of carry chains, and compares with the
//! next branch. Programs that have run long get such functions. Runs that enter or leave a pair at any place must have
//! the result of single instructions. Expected values come from long additions in [`model`] and compares in [`holds`].

use crate::instructions;

use gcnsim::{Outcome, Wave};
use gcnsim_interp::{HotCounters, Interp, Stop};
use gcnsim_isa::{Arch, Program, WaveState};
use gcnsim_random::Rng;
use instructions::{op2, opc, opp};

const ARCHS: [Arch; 2] = [Arch::Gcn10, Arch::Gcn14];
const MNEMONICS: [&str; 5] = ["s_add_u32", "s_addc_u32", "s_sub_u32", "s_subb_u32", "s_xor_b32"];

/// Operand codes of inline constants, of a literal and of SCC, with the values that they stand for.
const CONSTANTS: [(u32, u32); 3] = [(128, 0), (129, 1), (193, u32::MAX)];
const LITERAL: u32 = 255;
const SCC: u32 = 253;

/// An instruction of a chain: its index in [`MNEMONICS`], destination and sources.
#[derive(Clone, Copy, Debug)]
struct Link {
    op: usize,
    dst: u32,
    src: [u32; 2],
    literal: u32,
}

impl Link {
    fn words(&self, arch: Arch) -> Vec<u32> {
        let mut words = op2(arch, MNEMONICS[self.op], self.dst, self.src[0], self.src[1]);
        if self.src.contains(&LITERAL) {
            words.push(self.literal);
        }
        words
    }
}

/// Executes a link as a 64-bit sum whose bit 32 is the carry.
fn model(link: &Link, state: &mut WaveState) {
    let [a, b] = link.src.map(|code| match code {
        LITERAL => link.literal as i64,
        SCC => state.scc as i64,
        _ => match CONSTANTS.iter().find(|constant| constant.0 == code) {
            Some(constant) => constant.1 as i64,
            None => state.sgpr[code as usize] as i64,
        },
    });
    let scc = state.scc as i64;
    let result = [a + b, a + b + scc, a - b, a - b - scc, a ^ b][link.op];
    state.sgpr[link.dst as usize] = result as u32;
    state.scc = if link.op == 4 { (result != 0) as u32 } else { (result >> 32 & 1) as u32 };
}

/// Returns a chain over few registers: sources are often destinations of the link before, and destinations are sources.
fn chain(rng: &mut Rng, length: usize) -> Vec<Link> {
    let mut op = rng.below(4) as usize;
    let source = |rng: &mut Rng| match rng.below(12) {
        0..8 => rng.below(4),
        8..10 => CONSTANTS[rng.below(3) as usize].0,
        10 => LITERAL,
        _ => SCC,
    };
    (0..length)
        .map(|_| {
            // The next link mostly belongs to the same chain.
            op = match rng.below(8) {
                0 => rng.below(5) as usize,
                _ => [1, 1, 3, 3, 4][op],
            };
            Link {
                op,
                dst: rng.below(4),
                src: [source(rng), source(rng)],
                literal: rng.pick(&[1, 0x8000_0000, 0xffff_ff9c]),
            }
        })
        .collect()
}

/// Lets a program run long. It must have an endless loop `s_branch -1` at the address `endless`.
fn warm(interp: &mut Interp, program: &Program, endless: u64) {
    let mut wave = Wave::new(program);
    wave.state.pc = endless;
    assert_eq!(interp.run(&mut wave, 100_000), Outcome::Budget);
}

fn start(rng: &mut Rng, program: &Program) -> Wave {
    let mut wave = Wave::new(program);
    wave.state.scc = rng.below(2);
    for register in &mut wave.state.sgpr[..4] {
        *register = rng.pick(&[0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX - 1, u32::MAX]);
    }
    wave
}

/// Runs from every instruction of a chain, with every budget, on three interpreters: one that has decoded the whole
/// chain (with a jump into its middle) and then ran long, one that ran long before it decoded the chain, and one that
/// has decoded nothing.
#[test]
fn chains_entered_and_left_anywhere() {
    let mut rng = Rng::new(0x11a5);
    for round in 0..150 {
        let arch = ARCHS[round % 2];
        let links = chain(&mut rng, 2 + round % 9);
        let mut words = Vec::new();
        let mut at = Vec::new();
        for link in &links {
            at.push(4 * words.len() as u64);
            words.extend(link.words(arch));
        }
        at.push(4 * words.len() as u64);
        words.extend(opp(arch, "s_endpgm", 0));
        let endless = 4 * words.len() as u64;
        words.extend(opp(arch, "s_branch", -1));
        let program = Program::from_words(arch, &words);
        let mut knowing = Interp::new(&program);
        knowing.count_classes();
        assert_eq!(knowing.run(&mut Wave::new(&program), 1_000), Outcome::Ended);
        warm(&mut knowing, &program, endless);
        for first in 0..links.len() {
            for budget in 1..=links.len() - first + 1 {
                let mut wave = start(&mut rng, &program);
                wave.state.pc = at[first];
                let mut expected = wave.state.clone();
                let executed = budget.min(links.len() - first);
                for link in &links[first..][..executed] {
                    model(link, &mut expected);
                }
                expected.pc = at[first + executed];
                let ended = budget > executed;
                let last = if ended { first + executed } else { first + executed - 1 };
                for (known, ran_long) in [(true, true), (false, true), (false, false)] {
                    let mut wave = wave.clone();
                    let mut new = Interp::new(&program);
                    if ran_long && !known {
                        warm(&mut new, &program, endless);
                    }
                    let interp = if known { &mut knowing } else { &mut new };
                    let outcome = interp.run(&mut wave, budget as u64);
                    let context =
                        format!("{arch:?} {links:?} from {first}, budget {budget}, known {known}, {ran_long}");
                    assert_eq!(wave.state, expected, "{context}");
                    assert_eq!(outcome, if ended { Outcome::Ended } else { Outcome::Budget }, "{context}");
                    assert_eq!((wave.executed, wave.last_pc), (budget as u64, Some(at[last])), "{context}");
                    assert_eq!(wave.classes.total(), if known { budget as u64 } else { 0 }, "{context}");
                }
            }
        }
    }
}

/// The loop's target is the second link of a chain, and the instruction before its branch is a link, too.
#[test]
fn a_loop_into_the_middle_of_a_chain() {
    let arch = Arch::Gcn14;
    let words = [
        op2(arch, "s_add_u32", 0, 0, 2),    // 0
        op2(arch, "s_addc_u32", 1, 1, 3),   // 1: loop
        op2(arch, "s_addc_u32", 4, 4, 128), // 2
        op2(arch, "s_sub_u32", 5, 5, 129),  // 3
        op2(arch, "s_subb_u32", 6, 6, 128), // 4
        opp(arch, "s_cbranch_scc0", -5),    // 5: to 1, until s[5:6] is below 0
        opp(arch, "s_endpgm", 0),           // 6
        opp(arch, "s_branch", -1),          // 7
    ]
    .concat();
    let program = Program::from_words(arch, &words);
    let mut wave = Wave::new(&program);
    wave.state.set_pair(0, u64::MAX);
    wave.state.set_pair(2, 1 << 32 | 1);
    wave.state.set_pair(5, 1_000);
    let model = |max: u64| {
        let (mut low, mut high, mut top, mut scc) = (u32::MAX as u64, u32::MAX as u64, 0, 0);
        let (mut left, mut pc, mut executed) = (1_000i64, 0, 0);
        while executed < max {
            match pc {
                0 => {
                    low += 1;
                    (low, scc) = (low & u32::MAX as u64, low >> 32);
                }
                1 => {
                    high += 1 + scc;
                    (high, scc) = (high & u32::MAX as u64, high >> 32);
                }
                2 => (top, scc) = (top + scc, 0),
                3 => scc = (left as u32 == 0) as u64,
                4 => {
                    left -= 1;
                    scc = (left < 0) as u64;
                }
                5 if scc == 0 => pc = 0,
                6 => return ([low, high, top], scc, 6, executed + 1),
                _ => {}
            }
            executed += 1;
            pc += 1;
        }
        ([low, high, top], scc, pc, executed)
    };
    let mut interp = Interp::new(&program);
    warm(&mut interp, &program, 4 * 7);
    for max in (1..60).chain([4_000, 5_004, 5_005, 5_006, 5_007, 5_008, 9_000]) {
        let mut wave = wave.clone();
        // The run counts arrivals, as the tiered engine's do, but nothing becomes hot.
        let mut hot = HotCounters::new(&program, u32::MAX);
        let stop = interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), max, &mut hot);
        let (sums, scc, pc, executed) = model(max);
        let ended = pc == 6 && executed == 5_007;
        assert_eq!(stop, Stop::Done(if ended { Outcome::Ended } else { Outcome::Budget }), "{max}");
        assert_eq!([0, 1, 4].map(|i| wave.state.sgpr[i] as u64), sums, "{max}");
        assert_eq!((wave.state.scc as u64, wave.state.pc, wave.executed), (scc, 4 * pc, executed), "{max}");
    }
}

/// A link that is not executed raises no notes.
#[test]
fn notes_of_links_that_execute() {
    let arch = Arch::Gcn14;
    const APERTURE: u32 = 235;
    let words = [
        op2(arch, "s_add_u32", 0, 0, 1),
        op2(arch, "s_addc_u32", 1, 1, 2),
        op2(arch, "s_addc_u32", 2, 2, APERTURE),
        op2(arch, "s_addc_u32", 3, 3, 4),
        opp(arch, "s_endpgm", 0),
        opp(arch, "s_branch", -1),
    ]
    .concat();
    let program = Program::from_words(arch, &words);
    let mut interp = Interp::new(&program);
    warm(&mut interp, &program, 4 * 5);
    for (first, budget, noted) in
        [(0, 9, true), (0, 2, false), (0, 3, true), (1, 1, false), (1, 2, true), (3, 1, false)]
    {
        let mut wave = Wave::new(&program);
        wave.state.pc = 4 * first;
        interp.run(&mut wave, budget);
        assert_eq!(wave.state.notes.codes(), if noted { vec!["aperture-read"] } else { vec![] }, "{first} {budget}");
    }
}

/// Whether a 32-bit compare of `a` (S0) and `b` (S1) holds. For bit tests S1 is the number of the bit.
fn holds(mnemonic: &str, a: u32, b: u32) -> bool {
    let (signed_a, signed_b) = (a as i32 as i64, b as i32 as i64);
    match mnemonic {
        "s_cmp_eq_i32" | "s_cmp_eq_u32" => signed_a - signed_b == 0,
        "s_cmp_lg_i32" | "s_cmp_lg_u32" => signed_a - signed_b != 0,
        "s_cmp_gt_i32" => signed_a - signed_b > 0,
        "s_cmp_ge_i32" => signed_a - signed_b >= 0,
        "s_cmp_lt_i32" => signed_a - signed_b < 0,
        "s_cmp_le_i32" => signed_a - signed_b <= 0,
        "s_cmp_gt_u32" => a as i64 - b as i64 > 0,
        "s_cmp_ge_u32" => a as i64 - b as i64 >= 0,
        "s_cmp_lt_u32" => (a as i64 - b as i64) < 0,
        "s_cmp_le_u32" => a as i64 - b as i64 <= 0,
        "s_bitcmp0_b32" => (a >> (b % 32)).is_multiple_of(2),
        "s_bitcmp1_b32" => !(a >> (b % 32)).is_multiple_of(2),
        _ => unreachable!("{mnemonic}"),
    }
}

/// Every 32-bit compare before both branches, with a register, an inline constant and a literal as S1. Runs enter at
/// the instruction before, at the compare and at the branch, and leave after each.
#[test]
fn compares_entered_and_left_anywhere() {
    const COMPARES: [&str; 14] = [
        "s_cmp_eq_i32",
        "s_cmp_lg_i32",
        "s_cmp_gt_i32",
        "s_cmp_ge_i32",
        "s_cmp_lt_i32",
        "s_cmp_le_i32",
        "s_cmp_eq_u32",
        "s_cmp_lg_u32",
        "s_cmp_gt_u32",
        "s_cmp_ge_u32",
        "s_cmp_lt_u32",
        "s_cmp_le_u32",
        "s_bitcmp0_b32",
        "s_bitcmp1_b32",
    ];
    const VALUES: [u32; 5] = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    for arch in ARCHS {
        for (mnemonic, taken_if) in COMPARES.into_iter().flat_map(|mnemonic| [(mnemonic, 0), (mnemonic, 1)]) {
            // The code of S1 means s1, 1, or a literal.
            for s1 in [1, 129, LITERAL] {
                let compare =
                    [opc(arch, mnemonic, 0, s1), if s1 == LITERAL { vec![0x7fff_ffff] } else { vec![] }].concat();
                let branch = ["s_cbranch_scc0", "s_cbranch_scc1"][taken_if as usize];
                let words = [
                    op2(arch, "s_xor_b32", 2, 0, 1),
                    compare.clone(),
                    opp(arch, branch, 1),
                    opp(arch, "s_endpgm", 0), // if not taken
                    opp(arch, "s_endpgm", 0), // if taken
                    opp(arch, "s_branch", -1),
                ]
                .concat();
                let program = Program::from_words(arch, &words);
                let at = [0, 4, 4 + 4 * compare.len() as u64];
                let mut interp = Interp::new(&program);
                warm(&mut interp, &program, at[2] + 12);
                for (a, b, scc) in VALUES.iter().flat_map(|&a| VALUES.iter().flat_map(move |&b| [(a, b, 0), (a, b, 1)]))
                {
                    for (first, budget) in (0..3).flat_map(|first| (1..=4 - first).map(move |budget| (first, budget))) {
                        let mut wave = Wave::new(&program);
                        (wave.state.sgpr[0], wave.state.sgpr[1], wave.state.scc) = (a, b, scc);
                        wave.state.pc = at[first];
                        let outcome = interp.run(&mut wave, budget as u64);
                        let behind = first + budget;
                        let s1 = [b, 1, 0x7fff_ffff][if s1 == 1 { 0 } else { 1 + (s1 == LITERAL) as usize }];
                        let expected_scc = match (first, behind) {
                            (0 | 1, 2..) => holds(mnemonic, a, s1) as u32,
                            (0, 1) => (a ^ b != 0) as u32,
                            _ => scc,
                        };
                        let end = at[2] + 4 + 4 * (expected_scc == taken_if) as u64;
                        let context =
                            format!("{arch} {mnemonic} {branch} {a:#x} {s1:#x} from {first}, budget {budget}");
                        assert_eq!(wave.state.scc, expected_scc, "{context}");
                        assert_eq!(wave.state.pc, if behind < 3 { at[behind] } else { end }, "{context}");
                        assert_eq!(outcome, if behind > 3 { Outcome::Ended } else { Outcome::Budget }, "{context}");
                        assert_eq!(wave.executed, budget as u64, "{context}");
                    }
                }
            }
        }
    }
}
