//! Additions and subtractions that compiled code fuses to 64 bits, with operands at the edges of every carry. (Mutants
//! 53 and 54 of docs/measured/testing.md#planted-mistakes went unnoticed without these.)

use crate::instructions;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{EngineKind, RunOptions, run};
use gcnsim_isa::{Arch, Program};
use instructions::{op2, opp};

#[test]
fn carries_at_their_edges() {
    let arch = Arch::Gcn14;
    let edges = [0, 1, 2, u32::MAX as u64, 1 << 32, 1 << 63, i64::MAX as u64, u64::MAX - 1, u64::MAX];
    let add: fn(u128, u128, u128) -> u128 = |a, b, carry| a + b + carry;
    let sub: fn(u128, u128, u128) -> u128 = |a, b, borrow| a.wrapping_sub(b).wrapping_sub(borrow);
    for (low, high, expected) in [
        ("s_add_u32", "s_addc_u32", add),
        ("s_addc_u32", "s_addc_u32", add),
        ("s_sub_u32", "s_subb_u32", sub),
        ("s_subb_u32", "s_subb_u32", sub),
    ] {
        // The high half of the second operand is the other register of the pair, or a constant.
        for (high_code, constant) in [(3, None), (128, Some(0)), (133, Some(5)), (193, Some(u32::MAX))] {
            let words = [op2(arch, low, 4, 0, 2), op2(arch, high, 5, 1, high_code), opp(arch, "s_endpgm", 0)].concat();
            let program = Program::from_words(arch, &words);
            for (a, pair) in edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))) {
                let b = constant.map_or(pair, |high: u32| pair & 0xffff_ffff | (high as u64) << 32);
                for scc in [0, 1] {
                    let scc_in = if low == high { scc } else { 0 };
                    let result = expected(a as u128, b as u128, scc_in as u128);
                    for engine in [EngineKind::Interp, EngineKind::JitNoCheck] {
                        let mut wave = Wave::new(&program);
                        wave.state.set_pair(0, a);
                        wave.state.set_pair(2, pair);
                        wave.state.scc = scc;
                        let options = RunOptions::default().engine(engine).hot(0);
                        assert_eq!(run(&program, &mut wave, &options).outcome, Ok(Outcome::Ended));
                        let actual = (wave.state.pair(4), wave.state.scc);
                        let wanted = (result as u64, (result >> 64 != 0) as u32);
                        assert_eq!(actual, wanted, "{low} {a:#x} {b:#x} {scc} {engine:?}");
                    }
                }
            }
        }
    }
}

/// Chains of up to 256 bits, of which compiled code makes operations of 128 bits.
#[test]
fn long_chains() {
    let arch = Arch::Gcn14;
    let limbs = [0, 1, u64::MAX - 1, u64::MAX];
    for (first, next, is_sum) in [
        ("s_add_u32", "s_addc_u32", true),
        ("s_addc_u32", "s_addc_u32", true),
        ("s_sub_u32", "s_subb_u32", false),
        ("s_subb_u32", "s_subb_u32", false),
    ] {
        for count in [4, 6, 8] {
            // s[0..] and s[16..] are the operands. Once SCC is overwritten at the end, and once the result is too early
            // an operand: of the third instruction.
            for (overwritten, early) in [(false, false), (true, false), (false, true)] {
                let mut words = Vec::new();
                for i in 0..count {
                    let a = if early && (i == 2 || i == 3) { 32 + i - 2 } else { i };
                    words.extend(op2(arch, if i == 0 { first } else { next }, 32 + i, a, 16 + i));
                }
                if overwritten {
                    words.extend(op2(arch, "s_and_b32", 50, 51, 51));
                }
                words.extend(opp(arch, "s_endpgm", 0));
                let program = Program::from_words(arch, &words);
                for case in 0..limbs.len().pow(4) {
                    let limb = |i: usize| limbs[case >> (2 * (i % 4)) & 3];
                    let scc_in = u32::from(first == next) * (case.count_ones() & 1);
                    let ends = [EngineKind::Interp, EngineKind::JitNoCheck].map(|engine| {
                        let mut wave = Wave::new(&program);
                        for i in 0..4 {
                            wave.state.set_pair(2 * i as u8, limb(i));
                            wave.state.set_pair(16 + 2 * i as u8, limb(i / 2 + 1));
                        }
                        wave.state.scc = scc_in;
                        let options = RunOptions::default().engine(engine).hot(0);
                        assert_eq!(run(&program, &mut wave, &options).outcome, Ok(Outcome::Ended));
                        wave.state
                    });
                    assert_eq!(ends[0], ends[1], "{first} {count} {overwritten} {early} {case:#x}");
                    let (mut carry, mut results) = (scc_in as u128, Vec::new());
                    for i in 0..count as usize / 2 {
                        let a = if early && i == 1 { results[0] } else { limb(i) } as u128;
                        let b = limb(i / 2 + 1) as u128;
                        let result = if is_sum { a + b + carry } else { a.wrapping_sub(b).wrapping_sub(carry) };
                        results.push(result as u64);
                        carry = (result >> 64 != 0) as u128;
                    }
                    let scc = if overwritten { 0 } else { carry as u32 };
                    let found: Vec<u64> = (0..count as u8 / 2).map(|i| ends[1].pair(32 + 2 * i)).collect();
                    assert_eq!((found, ends[1].scc), (results, scc), "{first} {count} {overwritten} {early} {case:#x}");
                }
            }
        }
    }
}
