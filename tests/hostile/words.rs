//! Hostile programs. Each has a defined outcome, which is the same on both engines with any region size, and none
//! accesses anything outside its state. (This includes random streams and the cost of compiling.)

use crate::instructions;

use crate::agree;

use agree::{agree, agree_under, program, settings, wave_with};
use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions, run};
use gcnsim_isa::Arch;
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, MAX_REGION, RegionKey};
use gcnsim_random::Rng;
use instructions::{op1, op2, opc, opk, opp};

const GFX9: Arch = Arch::Gcn14;

/// Returns a 64-bit number that is often small, at the end of a range, or near the program.
fn address(rng: &mut Rng, base: u64) -> u64 {
    let near = rng.below(80) as u64;
    match rng.below(5) {
        0 => rng.bits64(),
        1 => near,
        2 => u64::MAX - near,
        3 => 1 << rng.below(64),
        _ => base.wrapping_add(near).wrapping_sub(20),
    }
}

#[test]
fn jumps_anywhere() {
    // s_setpc s[2:3]; s_nop x 3; s_swappc s[4:5], s[6:7]; s_nop; s_cbranch_g_fork; s_nop; s_endpgm
    let words = [
        op1(GFX9, "s_setpc_b64", 0, 2),
        opp(GFX9, "s_nop", 0).repeat(3),
        op1(GFX9, "s_swappc_b64", 4, 6),
        opp(GFX9, "s_nop", 0),
        op2(GFX9, "s_cbranch_g_fork", 0, 8, 10),
        opp(GFX9, "s_nop", 0),
        opp(GFX9, "s_endpgm", 0),
    ]
    .concat();
    let mut rng = Rng::new(1);
    for round in 0..150 {
        let base = [0, 0x1000, 0xffff_ffff_fff0, u64::MAX - 31, u64::MAX - 3][round % 5] & !3;
        let program = program(GFX9, &words, base);
        let wave = wave_with(&program, |state| {
            for pair in [2, 6, 8, 10] {
                state.set_pair(pair, address(&mut rng, base));
            }
        });
        let (end, outcome) = agree(&program, &wave, 30);
        if let Some(detail) = outcome.detail() {
            assert_eq!((detail.kind, detail.pc), ("pc-out-of-range", end.state.pc));
            assert!(program.word_index(detail.pc).is_none());
        }
    }
}

#[test]
fn branches_off_the_program_and_round_the_end_of_memory() {
    for base in [0, u64::MAX - 3, u64::MAX - 7, u64::MAX - 0x1_ffff] {
        for offset in [i16::MIN, -2, 1, 7, i16::MAX] {
            for (mnemonic, sopk) in [("s_branch", false), ("s_cbranch_execnz", false), ("s_call_b64", true)] {
                let words = if sopk { opk(GFX9, mnemonic, 2, offset as u16) } else { opp(GFX9, mnemonic, offset) };
                let program = program(GFX9, &words, base & !3);
                let target = (base & !3).wrapping_add(4).wrapping_add_signed(4 * offset as i64);
                let (end, outcome) = agree(&program, &Wave::new(&program), 10);
                let detail = outcome.detail().unwrap();
                assert_eq!((detail.kind, detail.pc, detail.from), ("pc-out-of-range", target, Some(base & !3)));
                assert_eq!((end.state.pc, end.executed), (target, 1));
            }
        }
    }
}

/// A region with enough targets to need a table. Addresses differ from a target in any bit.
#[test]
fn jump_tables_take_whole_addresses() {
    let calls = 12;
    let words = [
        opk(GFX9, "s_call_b64", 10, 0).repeat(calls),
        op2(GFX9, "s_add_u32", 1, 1, 129),
        op1(GFX9, "s_setpc_b64", 0, 2),
    ]
    .concat();
    let program = program(GFX9, &words, 0x1000);
    for target in (0x1004..=0x1000 + 4 * calls as u64).step_by(12) {
        for bit in 0..64 {
            let wave = wave_with(&program, |state| state.set_pair(2, target ^ 1 << bit));
            let (end, outcome) = agree_under(&settings()[3..], &program, &wave, 40);
            let address = (target ^ 1 << bit) & !3;
            match program.word_index(address) {
                Some(_) => assert_eq!(outcome, Outcome::Budget),
                None => assert_eq!((outcome.name(), end.state.pc), ("fault", address)),
            }
        }
    }
}

#[test]
fn fork_stack_over_and_underflow() {
    // Twelve forks split the lanes, and more joins follow: CSP wraps in both directions, over s0..s31.
    let mut words = Vec::new();
    for _ in 0..12 {
        words.extend(op2(GFX9, "s_cbranch_g_fork", 0, 40, 42));
    }
    for _ in 0..30 {
        words.extend(op1(GFX9, "s_cbranch_join", 0, 44));
    }
    words.extend(opp(GFX9, "s_endpgm", 0));
    let program = program(GFX9, &words, 0x100);
    for (mask, target, depth, csp) in [
        (0x5555_5555_5555_5555u64, 0x104u64, 0u32, 0u32),
        (0x0000_0000_ffff_ffff, 0x110, 9, 6),
        (0xaaaa_0000_0000_0001, 0x140, 0, 7),
        (1, 0xdead_0000_beef_0003, u32::MAX, 3),
        (0x0f0f_0f0f_0f0f_0f0f, 0x100, 3, 0),
    ] {
        let wave = wave_with(&program, |state| {
            state.sgpr[..32].fill(0x108);
            state.set_pair(40, mask);
            state.set_pair(42, target);
            state.sgpr[44] = depth;
            state.mode = csp << 29;
        });
        agree(&program, &wave, 300);
    }
}

/// A literal is an instruction that jumps to the instruction with this literal.
#[test]
fn code_within_literals() {
    let literal = opp(GFX9, "s_cbranch_scc0", -2)[0]; // to the s_mov whose literal it is
    let words = [
        opp(GFX9, "s_branch", 1),                         // 0: into the literal
        vec![op1(GFX9, "s_mov_b32", 0, 255)[0], literal], // 1, 2
        op2(GFX9, "s_add_u32", 1, 1, 129),                // 3
        opc(GFX9, "s_cmp_gt_u32", 1, 132),                // 4
        opp(GFX9, "s_cbranch_scc0", -4),                  // 5: into the literal
        opp(GFX9, "s_endpgm", 0),                         // 6
    ]
    .concat();
    let program = program(GFX9, &words, 0x40);
    let (end, outcome) = agree(&program, &Wave::new(&program), 100);
    assert_eq!((outcome, end.state.sgpr[1], end.state.sgpr[0]), (Outcome::Ended, 5, literal));
    assert_eq!(end.state.notes.codes(), ["jump-into-literal"]);
}

#[test]
fn the_smallest_programs() {
    let empty = program(GFX9, &[], 0);
    let (_, outcome) = agree(&empty, &Wave::new(&empty), 5);
    assert_eq!(outcome.detail().map(|d| (d.kind, d.from)), Some(("pc-out-of-range", None)));
    for (word, name) in [
        (0xbf81_0000, "ended"),
        (0xbf82_ffff, "budget"),
        (0xbf80_0000, "fault"),
        (0xbe80_00ff, "fault"),
        (0xffff_ffff, "fault"),
        (0, "fault"),                 // v_cndmask_b32 v0, s0, v0
        (0xbe80_2f00, "unsupported"), // s_mov_regrd_b32 s0, s0
        (0xbf92_0001, "trap"),
        (0xbf8d_0001, "halted"),
    ] {
        let program = program(GFX9, &[word], 0x20);
        let (_, outcome) = agree(&program, &Wave::new(&program), 5);
        assert_eq!(outcome.name(), name, "{word:#010x}");
        // The budget is 0.
        let (end, outcome) = agree(&program, &Wave::new(&program), 0);
        assert_eq!((outcome, end.executed), (Outcome::Budget, 0));
    }
}

/// Small programs of random dwords, half of them jumps and movrels, start in any state and at any address.
#[test]
fn random_dwords() {
    let mut rng = Rng::new(3);
    let mut kinds = std::collections::BTreeMap::new();
    for round in 0..1500 {
        let arch = Arch::ALL[round % Arch::ALL.len()];
        let words: Vec<u32> = (0..rng.between(1, 40))
            .map(|_| {
                let random = rng.bits();
                match rng.below(8) {
                    0 => random,
                    1 => 0xbf80_0000 | random & 0x001f_0007, // SOPP, small offsets
                    2 => 0xbe80_0000 | random & 0x007f_ffff, // SOP1
                    3 => 0xb000_0000 | random & 0x0fff_001f, // SOPK
                    4 => 0xbf00_0000 | random & 0x007f_ffff, // SOPC
                    5 => 0x7c00_0000 | random & 0x01ff_ffff, // VOPC
                    _ => 0x8000_0000 | random & 0x3f7f_ffff, // SOP2
                }
            })
            .collect();
        let base = address(&mut rng, 0) & !3;
        let program = program(arch, &words, base);
        let wave = wave_with(&program, |state| {
            for pair in (0..128).step_by(2) {
                state.set_pair(pair, address(&mut rng, base));
            }
            state.mode = rng.bits();
            state.scc = rng.below(2);
            state.pc = base.wrapping_add(4 * rng.below(words.len() as u32) as u64);
        });
        let settings = settings();
        let (_, outcome) = agree_under(&settings[round % 2..][..1], &program, &wave, 200);
        *kinds.entry(outcome.detail().map_or(outcome.name(), |d| d.kind)).or_insert(0) += 1;
    }
    assert!(kinds.len() >= 6, "{kinds:?}");
}

/// Calls are 5,000 deep. (Return addresses are overwritten. The test shows that host stacks do not grow.)
#[test]
fn deep_call_chains() {
    let mut words = Vec::new();
    for _ in 0..5000 {
        words.extend(opk(GFX9, "s_call_b64", 10, 0));
    }
    words.extend(op1(GFX9, "s_setpc_b64", 0, 12));
    let program = program(GFX9, &words, 0);
    let wave = wave_with(&program, |state| state.set_pair(12, 4));
    let default = RunOptions::default().hot(0).engine(EngineKind::JitNoCheck);
    let (end, outcome) = agree_under(&[default], &program, &wave, 20_000);
    assert_eq!((outcome, end.executed), (Outcome::Budget, 20_000));
}

/// The program has sixty-five thousand blocks of one branch.
#[test]
fn very_many_tiny_blocks() {
    let mut words = opp(GFX9, "s_cbranch_scc1", 0).repeat(1 << 16);
    words.extend(opp(GFX9, "s_endpgm", 0));
    let program = program(GFX9, &words, 0);
    let region_max = if cfg!(debug_assertions) { 250 } else { MAX_REGION as u32 };
    let options = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0).region_max(region_max);
    let result = run(&program, &mut Wave::new(&program), &options);
    assert_eq!(result.outcome, Ok(Outcome::Ended));
    assert_eq!(result.stats.regions_compiled, ((1 << 16) + 1u64).div_ceil(region_max as u64));
}

/// With a region for each block, address space and mappings must suffice. (Few programs have so much hot code.)
#[test]
fn very_many_regions() {
    let count = if cfg!(debug_assertions) { 3_000 } else { 80_000 };
    let mut words = opp(GFX9, "s_cbranch_scc1", 0).repeat(count);
    words.extend(opp(GFX9, "s_endpgm", 0));
    let program = program(GFX9, &words, 0);
    let options = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0).region_max(1);
    let result = run(&program, &mut Wave::new(&program), &options);
    assert_eq!(result.outcome, Ok(Outcome::Ended));
}

/// Returns the number of instructions, and bytes of machine code, of the largest region at the start of a program.
fn compiled_size(words: &[u32]) -> (usize, usize) {
    let program = program(GFX9, words, 0);
    let mut compiler = Compiler::new(CompileOptions { region_max: MAX_REGION, ..CompileOptions::default() })
        .expect("a host with a JIT");
    let key = RegionKey { pc: 0, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
    let region = compiler.compile(&program, &key).unwrap().expect("instructions");
    (region.inst_count(), region.code_size())
}

/// The size of code is bounded by the program's length, for programs of any shape.
#[test]
fn code_of_large_regions_is_bounded() {
    // Each shape is a function of the approximate number of instructions.
    type Shape = fn(usize) -> Vec<u32>;
    let shapes: [(&str, Shape); 8] = [
        ("branches", branches),
        ("calls", |n| [op1(GFX9, "s_swappc_b64", 4, 6).repeat(n - 1), opp(GFX9, "s_endpgm", 0)].concat()),
        ("jump table", jump_table),
        ("returns", |n| {
            let pair = [op1(GFX9, "s_swappc_b64", 4, 6), op2(GFX9, "s_add_u32", 9, 9, 129)].concat();
            [pair.repeat(n / 2), opp(GFX9, "s_endpgm", 0)].concat()
        }),
        ("forks", |n| [op2(GFX9, "s_cbranch_g_fork", 0, 40, 42).repeat(n / 2), opp(GFX9, "s_endpgm", 0)].concat()),
        ("joins", |n| [op1(GFX9, "s_cbranch_join", 0, 40).repeat(n / 2), opp(GFX9, "s_endpgm", 0)].concat()),
        ("exits", exits),
        ("loops", |n| {
            // The loops are nested as deeply as there are loops.
            let heads = op2(GFX9, "s_add_u32", 1, 1, 129).repeat(n / 2);
            let tails = (0..n / 2).flat_map(|i| opp(GFX9, "s_cbranch_scc1", -((2 * i + 2).min(32_000) as i16)));
            heads.into_iter().chain(tails).chain(opp(GFX9, "s_endpgm", 0)).collect()
        }),
    ];
    let most = MAX_REGION / 10;
    for (name, shape) in shapes {
        let (count, size) = compiled_size(&shape(most));
        assert!(count > most / 3, "{name}: {count} instructions");
        assert!(size <= 1000 * count, "{name}: {size} bytes for {count} instructions");
    }
}

/// Returns blocks of eight instructions with branches forward and back.
fn branches(n: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for i in 0..n / 8 {
        for k in 0..7 {
            words.extend(op2(GFX9, "s_add_u32", (i as u32 * 5 + k) % 100, (i as u32 * 3 + k) % 100, 129));
        }
        let offset = if i % 3 == 0 { -8 * (1 + i.min(100) as i16) } else { 8 * ((i % 50) as i16) };
        words.extend(opp(GFX9, "s_cbranch_scc1", offset));
    }
    words.extend(opp(GFX9, "s_endpgm", 0));
    words
}

/// Returns code with as many address-taken labels as computed jumps.
fn jump_table(n: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for i in 0..n / 5 {
        words.extend(op1(GFX9, "s_getpc_b64", 2, 0));
        words.extend([op2(GFX9, "s_add_u32", 2, 2, 255)[0], 4 * (i as u32 % 7)]);
        words.extend(op2(GFX9, "s_addc_u32", 3, 3, 128));
        words.extend(opp(GFX9, "s_cbranch_scc1", 1));
        words.extend(op1(GFX9, "s_setpc_b64", 0, 20));
    }
    words.extend(opp(GFX9, "s_endpgm", 0));
    words
}

/// Returns code that writes many registers. Then a tree of blocks writes different ones, and each block leaves the
/// region.
fn exits(n: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for register in 0..70 {
        words.extend(op1(GFX9, "s_mov_b32", register, 129));
    }
    let leaves = n / 4;
    for i in 0..leaves as u32 {
        words.extend(opp(GFX9, "s_cbranch_vccz", 3));
        words.extend(op1(GFX9, "s_mov_b32", 72 + i % 29, 129));
        words.extend(op1(GFX9, "s_mov_b32", 72 + i / 29 % 29, 129));
        words.extend(opp(GFX9, "s_branch", i16::MAX)); // out of the program
    }
    words.extend(opp(GFX9, "s_endpgm", 0));
    words
}

#[test]
fn forty_thousand_instructions_with_five_thousand_branches() {
    let count = if cfg!(debug_assertions) { 8_000 } else { 40_000 };
    let program = program(GFX9, &branches(count), 0);
    let default = RunOptions::default().hot(0).engine(EngineKind::JitNoCheck);
    agree_under(&[default], &program, &Wave::new(&program), 100_000);
}

/// A jump table with thousands of targets, which are found only while the program runs.
#[test]
fn thousands_of_observed_targets() {
    // loop: s2 = table + 8 * i; s_setpc; ... entry i: s_add_u32 s9; s_branch loop.
    let count = 3000i64;
    let head = [
        op2(GFX9, "s_add_u32", 4, 4, 129),
        vec![op2(GFX9, "s_and_b32", 5, 4, 255)[0], 1023],
        op2(GFX9, "s_lshl_b32", 5, 5, 131),
        op2(GFX9, "s_add_u32", 2, 6, 5),
        op2(GFX9, "s_addc_u32", 3, 7, 128),
        op1(GFX9, "s_setpc_b64", 0, 2),
    ]
    .concat();
    let mut words = head.clone();
    for i in 0..count {
        words.extend(op2(GFX9, "s_add_u32", 9, 9, 4));
        words.extend(opp(GFX9, "s_branch", -(head.len() as i64 + 2 * i + 2) as i16));
    }
    let program = program(GFX9, &words, 0x1000);
    let wave = wave_with(&program, |state| state.set_pair(6, 0x1000 + 4 * head.len() as u64));
    for hot in [0, 100] {
        let options = RunOptions::default().hot(hot).engine(EngineKind::JitNoCheck);
        let (_, outcome) = agree_under(std::slice::from_ref(&options), &program, &wave, 100_000);
        assert_eq!(outcome, Outcome::Budget);
        let mut engine = Engine::new(options.max_insts(100_000));
        let stats = engine.run(&program, &mut wave.clone()).stats;
        assert!(stats.regions_compiled <= 1100, "hot {hot}: {} regions", stats.regions_compiled);
    }
}
