//! Segments that load guest memory, in loops, against the interpreter: elements of all sizes in rows and other places,
//! ends of mappings, faults in the middle, masks before and behind a load, any budget.
#![cfg(all(feature = "jit", target_arch = "x86_64"))]

use std::sync::Arc;

use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, LANES, Program};
use gcnsim_jit::helpers::Level;
use gcnsim_machine::{Backing, Context, Mapping, Outcome, Wave};
use gcnsim_random::Rng;

// Words of gfx900.
/// s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0
const COUNT: [u32; 2] = [0x8080_8100, 0xbf07_8000];
const END: u32 = 0xbf81_0000;
/// s_cbranch_scc1, by a distance in dwords.
const BRANCH: u32 = 0xbf85_0000;

/// Opcodes of loads of bytes and shorts, of one to four dwords, and of parts of registers (D16).
const LOADS: [u32; 14] = [16, 17, 18, 19, 20, 21, 22, 23, 32, 33, 34, 35, 36, 37];
const LOAD_DWORD: u32 = 20;

/// GLOBAL loads from `v[from:from+1]`, with an OFFSET, or FLAT.
fn load_of(op: u32, to: u32, from: u32, offset: i32, is_flat: bool) -> [u32; 2] {
    let (segment, saddr) = if is_flat { (0, 0) } else { (0x8000, 0x7f << 16) };
    let offset = offset as u32 & if is_flat { 0xfff } else { 0x1fff };
    [0xdc00_0000 | op << 18 | segment | offset, to << 24 | saddr | from]
}

/// `global_load_dword v[to], v[from:from+1], off offset:offset`, or FLAT.
fn load(to: u32, from: u32, offset: i32, is_flat: bool) -> [u32; 2] {
    load_of(LOAD_DWORD, to, from, offset, is_flat)
}

/// A GLOBAL load from s[10:11] and v14.
fn based_load(op: u32, to: u32, offset: i32) -> [u32; 2] {
    [0xdc00_8000 | op << 18 | offset as u32 & 0x1fff, to << 24 | 10 << 16 | 14]
}

/// An instruction of the body of a loop: loads of v[2:3] and v[4:5], steps of these addresses, and what uses results.
fn body_part(rng: &mut Rng) -> Vec<u32> {
    let (to, from) = (rng.pick(&[1, 1, 6, 7, 8, 2, 4]), rng.pick(&[2, 4]));
    let short = |op: u32, d: u32, s1: u32, s0: u32| vec![op << 25 | d << 17 | s1 << 9 | s0];
    let vgpr = |n: u32| 256 + n;
    let any = rng.pick(&LOADS);
    let op = rng.pick(&[LOAD_DWORD, any]);
    match rng.below(21) {
        0..4 => load_of(op, to, from, rng.pick(&[0, 0, 4, 64]), rng.below(4) == 0).to_vec(),
        4 => load_of(op, rng.pick(&[1, 6, 7]), from, rng.pick(&[-4, -64, 2]), false).to_vec(),
        5 => based_load(op, rng.pick(&[1, 6, 7]), rng.pick(&[0, -4, 3])).to_vec(),
        16 => based_load(op, to, 0).to_vec(),
        // s_add_u32 s10, s10, s1; s_sub_u32 s1, 64, s1
        17 => vec![0x800a_010a],
        18 => vec![0x8081_01c0],
        // s_max_u32 s9, s1, s1, which raises a note; s_add_u32 s21, s21, s1, which a movrel may read
        19 => vec![0x8489_0101],
        20 => vec![0x8015_0115],
        // v_add_u32 v2 or v4, s1 or 64, itself
        6 | 7 => short(0x34, from, from, rng.pick(&[1, 1, 192])),
        // v_xor_b32 v9, v1, v9; v_add_u32 v10, v6, v10
        8 => short(0x15, 9, 9, vgpr(1)),
        9 => short(0x34, 10, 10, vgpr(6)),
        // v_mul_f32 v11, v1, v6, which leaves NaNs to helpers
        10 => short(5, 11, 6, vgpr(1)),
        // v_cmp_lt_u32 vcc, v1, v6
        11 => vec![0x7c00_0000 | 0xc9 << 17 | 6 << 9 | vgpr(1)],
        // v_cndmask_b32 v12, v1, v7, vcc
        12 => short(0, 12, 7, vgpr(1)),
        // v_add_co_u32 v13, vcc, v1, v13
        13 => short(0x19, 13, 13, vgpr(1)),
        // s_add_u32 s6, s6, s1; s_mov_b64 s[8:9], vcc
        14 => vec![0x8006_0106],
        _ => vec![0xbe88_016a],
    }
}

/// Returns a loop of a few rounds.
fn looped(rng: &mut Rng) -> Vec<u32> {
    let mut words = vec![0xbf80_0000];
    for _ in 0..2 + rng.below(12) {
        words.extend(body_part(rng));
    }
    words.extend(COUNT);
    let distance = -(words.len() as i32 + 1);
    words.push(BRANCH | distance as u16 as u32);
    if rng.below(3) == 0 {
        // s_movrels_b32 s30, s21: SGPRs of the region live in memory.
        words.push(0xbe9e_2a15);
    }
    words.push(END);
    words
}

/// Guest memory: a mapping at 64 KiB, one that adjoins it, and one around 4 GiB.
fn context(rng: &mut Rng) -> Context {
    let mut context = Context::ready(256);
    for (base, len, name) in [(0x1_0000, 0x1000, "a"), (0x1_1000, 0x400, "b"), (0xffff_fe00, 0x400, "c")] {
        let backing = Backing::zeroed(len).unwrap();
        for at in (0..len).step_by(4) {
            let random = rng.bits();
            let value = rng.pick(&[random, 0x3f80_0000, 0x7fc0_1234, at as u32, 0x7f80_0001]);
            backing.write(at, &value.to_le_bytes());
        }
        context.space.map(Mapping::new(base, name, Arc::new(backing)));
    }
    context
}

/// Addresses of lanes, mostly rows near the ends of mappings.
fn addresses(rng: &mut Rng) -> [u64; LANES] {
    let ends = [0x1_0000_u64, 0x1_0800, 0x1_1000, 0x1_1400, 0xffff_fe00, 0x1_0000_0000, 0x1_0000_0200];
    let step = rng.pick(&[1, 2, 4, 4, 4, 8, 12, 16]);
    let (up, down) = (step * u64::from(rng.below(160)), step * u64::from(rng.below(320)));
    let start = rng.pick(&ends).wrapping_add(up).wrapping_sub(down);
    let row = |lane: usize| start + step * lane as u64;
    let mut all: [u64; LANES] = std::array::from_fn(row);
    match rng.below(12) {
        0 => all = std::array::from_fn(|lane| start + step * (lane as u64 % 16) + 256 * (lane as u64 / 16)),
        1 => all = [start; LANES],
        2 => all = std::array::from_fn(|_| 0x1_0000 + 4 * u64::from(rng.below(1024))),
        3 => all[rng.below(64) as usize] = rng.pick(&[0, 8, 0x1_0ffd, 1 << 40, u64::MAX - 3, 0xffff_0000_0001_0000]),
        4 => all[rng.below(64) as usize] ^= 4 << rng.below(8),
        5 => all = std::array::from_fn(|lane| row(63 - lane)),
        6 => all = std::array::from_fn(|lane| row(lane) + 1),
        7 => all = std::array::from_fn(|_| start + u64::from(rng.below(24))),
        // Words and bytes of the last dwords of a mapping, in no order.
        8 => all = std::array::from_fn(|_| 0x1_0fe8 + u64::from(rng.below(23))),
        _ => {}
    }
    all
}

fn wave(rng: &mut Rng, program: &Program) -> Wave {
    let mut wave = Wave::new(program);
    for n in [2, 4] {
        let addresses = addresses(rng);
        *wave.vgprs.lanes_mut(n) = addresses.map(|address| address as u32);
        *wave.vgprs.lanes_mut(n + 1) = addresses.map(|address| (address >> 32) as u32);
    }
    let based = addresses(rng);
    let base = rng.pick(&[0, based[0], 0xffff_ff00, 0xffff_fff0, 0x1_0000]);
    (wave.state.sgpr[10], wave.state.sgpr[11]) = (base as u32, (base >> 32) as u32);
    *wave.vgprs.lanes_mut(14) = based.map(|address| address.wrapping_sub(base) as u32);
    for n in 6..14 {
        *wave.vgprs.lanes_mut(n) = std::array::from_fn(|_| {
            let random = rng.bits();
            rng.pick(&[0x3f80_0000, 7, random])
        });
    }
    let random = rng.bits64();
    wave.state.set_exec(rng.pick(&[!0, !0, !0, !0, 0, 1 << (random & 63), 0x0fff_ffff_ffff_fff0, random]));
    wave.state.sgpr[0] = 3 + rng.below(12);
    wave.state.sgpr[1] = rng.pick(&[4, 64, 256, 0, 8, -4i32 as u32, -64i32 as u32]);
    wave
}

#[test]
fn loops_of_loads_do_what_the_interpreter_does() {
    let of = |region_max, level| {
        let (engine, level) = (EngineKind::JitNoCheck, Some(level));
        Engine::new(RunOptions::default().engine(engine).hot(0).region_max(region_max).level(level))
    };
    let mut rng = Rng::new(0x9e37_79b9_7f4a_7c15);
    let mut interpreter = Engine::new(RunOptions::default().engine(EngineKind::Interp));
    let (mut faults, mut ends) = (0, 0);
    for _ in 0..1000 {
        let words = looped(&mut rng);
        let program = Program::from_words(Arch::Gcn14, &words);
        let (start, mut context) = (wave(&mut rng, &program), context(&mut rng));
        let budget = if rng.below(4) == 0 { Some(rng.below(200).into()) } else { None };
        let mut expected = start.clone();
        let outcome = interpreter.run_alone(&program, &mut expected, &mut context, budget).outcome;
        faults += matches!(outcome, Ok(Outcome::Fault(_))) as u32;
        ends += matches!(outcome, Ok(Outcome::Ended)) as u32;
        let levels = Level::available().filter(|&level| level != Level::Portable);
        for (level, region_max) in levels.flat_map(|level| [(level, 1000), (level, 7)]) {
            let (mut engine, mut found) = (of(region_max, level), start.clone());
            let result = engine.run_alone(&program, &mut found, &mut context, budget);
            let about = || format!("{}: {words:#x?}, {:#x}", level.name(), start.state.exec());
            assert_eq!(result.outcome, outcome, "{}", about());
            assert_eq!(found.executed, expected.executed, "{}", about());
            // Compiled code that used up its budget does not say what it executed last.
            if outcome != Ok(Outcome::Budget) {
                assert_eq!(found.last_pc, expected.last_pc, "{}", about());
            }
            assert_eq!(found.state, expected.state, "{}", about());
            for n in 0..16 {
                assert_eq!(found.vgprs.lanes(n), expected.vgprs.lanes(n), "v{n}, {}", about());
            }
        }
    }
    assert!(faults > 200 && ends > 200, "{faults} faults, {ends} ends");
}

/// A session knows the place of a mapping from a run in one context. In another context the same addresses lie
/// elsewhere, or some of them nowhere.
#[test]
fn what_is_known_of_a_context_does_not_hold_in_another() {
    // The loop loads v1 from v[2:3], and adds it to v9 (v_add_u32 v9, v1, v9).
    let mut words = vec![0xbf80_0000];
    words.extend(load(1, 2, 0, false));
    words.push(0x34 << 25 | 9 << 17 | 9 << 9 | 257);
    words.extend(COUNT);
    words.extend([BRANCH | (-7i16) as u16 as u32, END]);
    let program = Program::from_words(Arch::Gcn14, &words);
    let mut engine = Engine::new(RunOptions::default().engine(EngineKind::JitNoCheck).hot(0));
    let session = engine.session(&program);
    for (value, lanes) in [(3, LANES), (5, LANES), (7, LANES - 1), (11, LANES)] {
        let (mut context, backing) = (Context::ready(0), Backing::zeroed(4 * lanes).unwrap());
        (0..lanes).for_each(|lane| backing.write(4 * lane, &u32::to_le_bytes(value)));
        context.space.map(Mapping::new(0x1_0000, "data", Arc::new(backing)));
        let mut wave = Wave::new(&program);
        wave.state.sgpr[0] = 10;
        *wave.vgprs.lanes_mut(2) = std::array::from_fn(|lane| 0x1_0000 + 4 * lane as u32);
        let before = wave.vgprs.lanes(9)[0];
        let outcome = session.run_in(&mut wave, &mut context, None).outcome;
        if lanes == LANES {
            assert_eq!((outcome, wave.vgprs.lanes(9)[LANES - 1]), (Ok(Outcome::Ended), before + 10 * value));
        } else {
            assert!(matches!(outcome, Ok(Outcome::Fault(fault)) if fault.pc == 4), "{value}");
            assert_eq!(wave.executed, 1);
        }
    }
}
