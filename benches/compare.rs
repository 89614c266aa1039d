//! Measures vector compares by type, in a loop of sixteen of them. They are called from compiled code with the helpers
//! of each level that the CPU has, and interpreted. For some types there is also a loop in Rust with AVX-512 intrinsics
//! in place of the calls. The result is nanoseconds of CPU time per compare of 64 lanes, without compiling. All kinds
//! of one type take turns.
//!
//! `cargo bench --bench compare -- [WORD...]` restricts it to types whose names contain a word.

mod common;

use std::time::Duration;

use common::assemble::{Assembler, constant};
use common::median;
use gcnsim::{Outcome, Wave};
use gcnsim_bench_support::clock::thread_time;
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::table::{Sop2, Sopc, Sopp, Vopc};
use gcnsim_isa::{Program, WaveState};
use gcnsim_jit::helpers::Level;
use gcnsim_random::Rng;

const ROUNDS: usize = 9;
/// Number of compares in the loop.
const COMPARES: u32 = 16;
/// Number of the SGPR that counts the iterations.
const COUNTER: u32 = 40;

/// MODE with denormal inputs kept, or flushed, for all types.
const KEPT: u32 = 0x3f0;
const FLUSHED: u32 = 0x300;

/// Names of the cases, with the compare and MODE of each.
const CASES: [(&str, Vopc, u32); 14] = [
    ("u32", Vopc::VCmpLtU32, KEPT),
    ("i32", Vopc::VCmpGtI32, KEPT),
    ("f32", Vopc::VCmpLtF32, KEPT),
    ("f32-flushed", Vopc::VCmpLtF32, FLUSHED),
    ("u64", Vopc::VCmpLtU64, KEPT),
    ("i64", Vopc::VCmpGtI64, KEPT),
    ("f64", Vopc::VCmpLtF64, KEPT),
    ("f64-flushed", Vopc::VCmpLtF64, FLUSHED),
    ("u16", Vopc::VCmpLtU16, KEPT),
    ("i16", Vopc::VCmpGtI16, KEPT),
    ("f16", Vopc::VCmpLtF16, KEPT),
    ("class-f32", Vopc::VCmpClassF32, KEPT),
    ("class-f64", Vopc::VCmpClassF64, KEPT),
    ("class-f16", Vopc::VCmpClassF16, KEPT),
];

/// A program that runs sixteen compares of v0 (or v[0:1]) with v2 (or v[2:3]) `s40` times.
fn program(op: Vopc) -> Program {
    let mut code = Assembler::default();
    for _ in 0..COMPARES {
        code.vopc(op, 256, 2);
    }
    code.sop2(Sop2::SSubU32, COUNTER, COUNTER, constant(1));
    code.sopc(Sopc::SCmpLgU32, COUNTER, constant(0));
    code.branch(Sopp::SCbranchScc1, 0);
    code.finish()
}

/// The wave at the start of a program, with random v0 to v3.
fn wave(program: &Program, mode: u32, iterations: u32) -> Wave {
    let mut wave = Wave::new(program);
    wave.state.mode = mode;
    wave.state.sgpr[COUNTER as usize] = iterations;
    let mut random = Rng::new(1);
    let file = &mut wave.vgprs;
    for n in 0..4 {
        for lane in file.lanes_mut(n) {
            *lane = random.bits();
        }
    }
    wave
}

/// Runs the program once. Returns nanoseconds per compare, and the final state.
fn run(program: &Program, mode: u32, iterations: u32, engine: EngineKind, level: Option<Level>) -> (f64, WaveState) {
    let mut wave = wave(program, mode, iterations);
    let start = thread_time();
    let result = Engine::new(RunOptions::default().engine(engine).level(level)).run(program, &mut wave);
    let time = thread_time() - start;
    assert_eq!(result.outcome, Ok(Outcome::Ended));
    (per_compare(time.saturating_sub(Duration::from_nanos(result.stats.compile_ns)), iterations), wave.state)
}

/// Nanoseconds per compare.
fn per_compare(time: Duration, iterations: u32) -> f64 {
    time.as_nanos() as f64 / (COMPARES as f64 * iterations as f64)
}

/// The same loop in Rust with inlined compares, which was written by hand for a few types.
mod by_hand {
    use std::arch::x86_64::*;
    use std::hint::black_box;
    use std::time::Duration;

    use gcnsim::Wave;
    use gcnsim_bench_support::clock::thread_time;
    use gcnsim_isa::{LANES, Vgpr};

    macro_rules! loops {
        ($($name:ident($a:ident, $b:ident, $i:ident) -> $lanes:expr;)*) => {
            $(
                #[target_feature(enable = "avx512f,avx512bw,bmi2")]
                fn $name(registers: &[Vgpr; 4], exec: u64, iterations: u32) -> u64 {
                    let mut vcc = 0;
                    for _ in 0..iterations {
                        for _ in 0..super::COMPARES {
                            // The compiler must not know that the registers stay the same.
                            let registers = black_box(registers);
                            let $a = |half: usize, $i: usize| load(&registers[half], $i);
                            let $b = |half: usize, $i: usize| load(&registers[2 + half], $i);
                            let lanes: u64 = $lanes;
                            vcc = black_box(lanes & exec);
                        }
                    }
                    vcc
                }
            )*
        };
    }

    /// Lanes 16 `i` to 16 `i` + 15 of a register.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(register: &Vgpr, i: usize) -> __m512i {
        assert!(i < LANES / 16);
        // SAFETY: these are sixteen of the 64 dwords, 64-byte aligned.
        unsafe { _mm512_load_si512(register.0.as_ptr().cast::<__m512i>().add(i)) }
    }

    /// The mask of 64 lanes, of which `test` returns a quarter each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn join(test: impl Fn(usize) -> __mmask16) -> u64 {
        let [low, high] = [0, 2].map(|i| _mm512_kunpackw(test(i + 1).into(), test(i).into()));
        _mm512_kunpackd(high.into(), low.into())
    }

    /// The indices of the low 16-bit words of 32 dwords.
    const EVEN: [u16; 32] = {
        let mut numbers = [0; 32];
        let mut i = 0;
        while i < 32 {
            numbers[i] = 2 * i as u16;
            i += 1;
        }
        numbers
    };

    loops! {
        u32_lt(a, b, i) -> join(|i| _mm512_cmplt_epu32_mask(a(0, i), b(0, i)));
        f32_lt(a, b, i) -> join(|i| {
            _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_castsi512_ps(a(0, i)), _mm512_castsi512_ps(b(0, i)))
        });
        u64_lt(a, b, i) -> join(|i| {
            // The low halves decide where the high ones are equal.
            let low = _mm512_cmpeq_epi32_mask(a(1, i), b(1, i));
            let a = _mm512_mask_mov_epi32(a(1, i), low, a(0, i));
            _mm512_cmplt_epu32_mask(a, _mm512_mask_mov_epi32(b(1, i), low, b(0, i)))
        });
        i64_gt(a, b, i) -> join(|i| {
            let sign = _mm512_set1_epi32(i32::MIN);
            let low = _mm512_cmpeq_epi32_mask(a(1, i), b(1, i));
            let a = _mm512_mask_xor_epi32(a(1, i), low, a(0, i), sign);
            _mm512_cmpgt_epi32_mask(a, _mm512_mask_xor_epi32(b(1, i), low, b(0, i), sign))
        });
        f64_lt(a, b, i) -> {
            let test = |unpack: fn(__m512i, __m512i) -> __m512i| {
                u32::from_le_bytes([0, 1, 2, 3].map(|i| {
                    let (a, b) = (unpack(a(0, i), a(1, i)), unpack(b(0, i), b(1, i)));
                    _mm512_cmp_pd_mask::<_CMP_LT_OQ>(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b))
                }))
            };
            let low = test(|lo, hi| _mm512_unpacklo_epi32(lo, hi));
            let high = test(|lo, hi| _mm512_unpackhi_epi32(lo, hi));
            _pdep_u64(low.into(), 0x3333_3333_3333_3333) | _pdep_u64(high.into(), 0xcccc_cccc_cccc_cccc)
        };
        u16_lt(a, b, i) -> {
            let [low, high] = [0, 2].map(|i| {
                // SAFETY: there are 64 readable bytes, and the load needs no alignment.
                let even = unsafe { _mm512_loadu_si512(EVEN.as_ptr().cast()) };
                let lanes = |first, second| _mm512_permutex2var_epi16(first, even, second);
                _mm512_cmplt_epu16_mask(lanes(a(0, i), a(0, i + 1)), lanes(b(0, i), b(0, i + 1)))
            });
            _mm512_kunpackd(high.into(), low.into())
        };
    }

    /// The time of the loop for a type, and the last result. `None` if there is no loop for the type, or this CPU
    /// cannot run it.
    pub fn run(name: &str, wave: &Wave, iterations: u32) -> Option<(Duration, u64)> {
        let supported = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("bmi2");
        let registers: &[Vgpr; 4] = wave.vgprs.regs().first_chunk()?;
        let of = match name {
            _ if !supported => return None,
            "u32" => u32_lt,
            "f32" => f32_lt,
            "u64" => u64_lt,
            "i64" => i64_gt,
            "f64" => f64_lt,
            "u16" => u16_lt,
            _ => return None,
        };
        let start = thread_time();
        // SAFETY: the CPU has these features.
        let vcc = unsafe { of(registers, wave.state.exec(), iterations) };
        Some((thread_time() - start, vcc))
    }
}

fn main() {
    const JIT: u32 = 200_000;
    const INTERP: u32 = 10_000;
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let levels: Vec<Level> = Level::available().collect();
    let best = Level::best();
    println!("ns per compare, medians of {ROUNDS}; ratios are medians of ratios within a turn");
    print!("| type | by hand |");
    levels.iter().rev().for_each(|level| print!(" {} |", level.name()));
    print!(" interp | compiled / by hand |");
    levels.iter().rev().skip(1).for_each(|level| print!(" {} / {} |", level.name(), best.name()));
    println!();
    println!("|---|{}", "--:|".repeat(2 * levels.len() + 2));
    for (name, op, mode) in CASES {
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let program = program(op);
        let (_, expected) = run(&program, mode, JIT, EngineKind::JitNoCheck, Some(Level::Portable));
        let mut times = vec![Vec::new(); levels.len()];
        let mut ratios = vec![Vec::new(); levels.len()];
        let (mut interp, mut hand, mut to_hand) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let round: Vec<f64> = levels
                .iter()
                .map(|&level| {
                    let (time, state) = run(&program, mode, JIT, EngineKind::JitNoCheck, Some(level));
                    assert_eq!(state, expected, "{name}, {}", level.name());
                    time
                })
                .collect();
            let fastest = round[round.len() - 1];
            for (i, &time) in round.iter().enumerate() {
                times[i].push(time);
                ratios[i].push(time / fastest);
            }
            interp.push(run(&program, mode, INTERP, EngineKind::Interp, None).0);
            if let Some((time, vcc)) = by_hand::run(name, &wave(&program, mode, JIT), JIT) {
                assert_eq!(vcc, expected.vcc(), "{name}");
                let time = per_compare(time, JIT);
                hand.push(time);
                to_hand.push(fastest / time);
            }
        }
        let optional = |times: &mut Vec<f64>, decimals: usize| match times.is_empty() {
            true => "-".to_string(),
            false => format!("{:.decimals$}", median(times)),
        };
        print!("| {name} | {} |", optional(&mut hand, 1));
        times.iter_mut().rev().for_each(|times| print!(" {:.1} |", median(times)));
        print!(" {:.0} | {} |", median(&mut interp), optional(&mut to_hand, 2));
        ratios.iter_mut().rev().skip(1).for_each(|ratios| print!(" {:.1} |", median(ratios)));
        println!();
    }
}
