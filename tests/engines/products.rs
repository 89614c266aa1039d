//! Products of 64 bits that programs make of halves, long sums, and loops that name many registers.

use crate::agree::{agree_under, program, settings, wave_with};
use crate::instructions::{op2, opc, opp};
use gcnsim_isa::Arch;
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey};

const GFX9: Arch = Arch::Gcn14;
const ROUNDS: u32 = 4;

/// Ends a round of the loop that `body` is. s40 has the number of rounds.
fn looped(mut body: Vec<Vec<u32>>) -> Vec<u32> {
    body.push(op2(GFX9, "s_sub_u32", 40, 40, 129));
    body.push(opc(GFX9, "s_cmp_lg_u32", 40, 128));
    let back = body.iter().map(|words| words.len() as i16).sum::<i16>() + 1;
    body.push(opp(GFX9, "s_cbranch_scc1", -back));
    body.push(opp(GFX9, "s_endpgm", 0));
    body.concat()
}

/// x = x * y + z; sum ^= x, with x in s[0:1], y in s[4:5], z in s[6:7] and the sum in s[8:9].
#[test]
fn products_of_halves() {
    let edges = [0, 1, u64::from(u32::MAX), 1 << 32, 0x5851_f42d_4c95_7f2d, u64::MAX];
    for order in [[10, 11, 12], [10, 12, 11], [11, 10, 12], [11, 12, 10], [12, 10, 11], [12, 11, 10]] {
        for swaps in 0..8 {
            let two = |mnemonic, dst, a, b, swap| {
                let (a, b) = if swaps >> swap & 1 == 1 { (b, a) } else { (a, b) };
                op2(GFX9, mnemonic, dst, a, b)
            };
            let words = looped(vec![
                two("s_mul_hi_u32", 10, 0, 4, 0),
                two("s_mul_i32", 11, 1, 4, 1),
                two("s_mul_i32", 12, 0, 5, 1),
                two("s_add_u32", 13, order[0], order[1], 2),
                two("s_add_u32", 1, 13, order[2], 2),
                two("s_mul_i32", 0, 0, 4, 0),
                op2(GFX9, "s_add_u32", 0, 0, 6),
                op2(GFX9, "s_addc_u32", 1, 1, 7),
                op2(GFX9, "s_xor_b64", 8, 8, 0),
            ]);
            let program = program(GFX9, &words, 0);
            for (start, y) in edges.iter().flat_map(|&x| edges.iter().map(move |&y| (x, y))) {
                let z = 0x1405_7b7e_f767_814f;
                let wave = wave_with(&program, |state| {
                    state.set_pair(0, start);
                    state.set_pair(4, y);
                    state.set_pair(6, z);
                    state.sgpr[40] = ROUNDS;
                });
                let (mut x, mut sum) = (start, 0);
                for _ in 0..ROUNDS {
                    x = x.wrapping_mul(y).wrapping_add(z);
                    sum ^= x;
                }
                let (end, _) = agree_under(&settings(), &program, &wave, 1000);
                assert_eq!((end.state.pair(0), end.state.pair(8)), (x, sum), "{start:#x} * {y:#x}, {order:?} {swaps}");
            }
        }
    }
}

/// What is nearly such a product, or only a part of it.
#[test]
fn other_sums_of_products() {
    for high in ["s_mul_hi_u32", "s_mul_hi_i32"] {
        for factors in [[[1, 4], [0, 4]], [[1, 5], [0, 5]], [[1, 4], [1, 5]], [[0, 4], [1, 4]], [[1, 4], [5, 5]]] {
            let words = looped(vec![
                op2(GFX9, high, 10, 0, 4),
                op2(GFX9, "s_mul_i32", 11, factors[0][0], factors[0][1]),
                op2(GFX9, "s_mul_i32", 12, factors[1][0], factors[1][1]),
                op2(GFX9, "s_add_u32", 13, 10, 11),
                op2(GFX9, "s_add_u32", 1, 13, 12),
                op2(GFX9, "s_mul_i32", 0, 0, 4),
                op2(GFX9, "s_xor_b64", 8, 8, 0),
            ]);
            let program = program(GFX9, &words, 0);
            let wave = wave_with(&program, |state| {
                state.set_pair(0, 0x9e37_79b9_7f4a_7c15);
                state.set_pair(4, 0xbf58_476d_1ce4_e5b9);
                state.sgpr[40] = ROUNDS;
            });
            let (mut s, mut sum) = ([0x7f4a_7c15u32, 0x9e37_79b9, 0, 0, 0x1ce4_e5b9, 0xbf58_476d], 0);
            for _ in 0..ROUNDS {
                let high = match high {
                    "s_mul_hi_u32" => (u64::from(s[0]) * u64::from(s[4])) >> 32,
                    _ => ((i64::from(s[0] as i32) * i64::from(s[4] as i32)) >> 32) as u64,
                };
                let [first, second] = factors.map(|[a, b]| s[a as usize].wrapping_mul(s[b as usize]));
                (s[0], s[1]) = (s[0].wrapping_mul(s[4]), (high as u32).wrapping_add(first).wrapping_add(second));
                sum ^= u64::from(s[1]) << 32 | u64::from(s[0]);
            }
            let (end, _) = agree_under(&settings(), &program, &wave, 1000);
            let wanted = (u64::from(s[1]) << 32 | u64::from(s[0]), sum);
            assert_eq!((end.state.pair(0), end.state.pair(8)), wanted, "{high} {factors:?}");
        }
    }
}

/// Sums in place, of operands that are there at different times, and their carries.
#[test]
fn sums_in_any_order() {
    for late in 0..3 {
        // s[10:11] += s2 + s3 + s4, of which one is a product that is computed first.
        let mut body = vec![op2(GFX9, "s_mul_i32", 2 + late, 2 + late, 5)];
        for operand in [2, 3, 4] {
            body.push(op2(GFX9, "s_add_u32", 10, 10, operand));
            body.push(op2(GFX9, "s_addc_u32", 11, 11, 128));
        }
        for operand in [2, 3, 4] {
            body.push(op2(GFX9, "s_add_u32", 12, 12, operand));
        }
        let program = program(GFX9, &looped(body), 0);
        let wave = wave_with(&program, |state| {
            state.sgpr[2..6].copy_from_slice(&[0x8000_0001, 0xffff_fff0, 0x7fff_1234, 0x9e37_79b9]);
            state.sgpr[40] = ROUNDS;
        });
        let (mut s, mut sum) = ([0x8000_0001u32, 0xffff_fff0, 0x7fff_1234], 0u64);
        for _ in 0..ROUNDS {
            s[late as usize] = s[late as usize].wrapping_mul(0x9e37_79b9);
            sum += s.iter().map(|&operand| u64::from(operand)).sum::<u64>();
        }
        let (end, _) = agree_under(&settings(), &program, &wave, 1000);
        assert_eq!((end.state.pair(10), end.state.sgpr[12]), (sum, sum as u32));
    }
}

/// Of registers that a loop only reads, those stay in memory that the host has no register for.
#[test]
fn loops_that_name_many_registers() {
    for (last, in_memory) in [(10, 0), (19, (1 << 12) - (1 << 2))] {
        let words = looped((2..=last).map(|operand| op2(GFX9, "s_xor_b32", 0, 0, operand)).collect());
        let program = program(GFX9, &words, 0);
        let key = RegionKey { pc: 0, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
        let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
        assert_eq!(compiler.listing(&program, &key).unwrap().unwrap().in_memory, in_memory, "s2 to s{last}");
        let wave = wave_with(&program, |state| {
            (2..=19).for_each(|i| state.sgpr[i] = 1 << i);
            state.sgpr[40] = 3;
        });
        let (end, _) = agree_under(&settings(), &program, &wave, 1000);
        assert_eq!(end.state.sgpr[0], (1 << (last + 1)) - 4);
    }
}
