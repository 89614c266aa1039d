//! Codes and their sessions: what is kept from lease to lease, what is not, and how many are kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier};
use std::thread;

#[cfg(feature = "jit")]
use gcnsim_engine::GroupEnd;
use gcnsim_engine::reach::{Order, Why};
use gcnsim_engine::{
    Code, Codes, EngineError, EngineKind, Member, RunOptions, RunStats, Session, Show, WaveGroup, Window,
};
use gcnsim_isa::{Arch, Program};
use gcnsim_machine::{Context, Outcome, Wave};

const ARCH: Arch = Arch::Gcn14;
/// s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 back; s_endpgm
const LOOP: [u32; 5] = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
/// The engine that checks all.
const ENGINE: EngineKind = if cfg!(feature = "jit") { EngineKind::Check } else { EngineKind::Interp };
/// S_ENDPGM.
const END: u32 = 0xbf81_0000;

fn code(words: &[u32]) -> Code {
    Code::new(&Program::from_words(ARCH, words))
}

fn options(engine: EngineKind) -> RunOptions {
    RunOptions::default().engine(engine).hot(100)
}

/// Runs a wave with a value in s0 to its end. Returns s1 and the cost.
fn run(session: &mut Session, count: u32) -> (u32, RunStats) {
    let mut wave = Wave::new(session.program());
    wave.state.sgpr[0] = count;
    let result = session.run(&mut wave, None);
    assert_eq!(result.outcome, Ok(Outcome::Ended));
    (wave.state.sgpr[1], result.stats)
}

/// Runs two waves of a group to their ends.
#[cfg(feature = "jit")]
fn run_group(session: &mut Session, count: u32) -> RunStats {
    let wave = || {
        let mut wave = Wave::new(session.program());
        wave.state.sgpr[0] = count;
        Member::new(wave)
    };
    let mut group = WaveGroup::new(vec![wave(), wave()], u64::MAX);
    let (mut stats, mut context) = (RunStats::default(), Context::ready(0));
    assert_eq!(session.run_waves(&mut group, &mut context, None, None, &mut stats), GroupEnd::Ended);
    assert_eq!(group.members[1].wave.state.sgpr[1], count * (count + 1) / 2);
    stats
}

#[test]
fn an_idle_session_has_decoded_the_code_and_nobody_elses_memory() {
    // ds_read_b32 v2, v0; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s1, v2; v_mov_b32 v1, 7; ds_write_b32 v0, v1;
    // s_endpgm
    let words = [0xd86c_0000, 0x0200_0000, 0xbf8c_c07f, 0x7e02_0502, 0x7e02_0287, 0xd81a_0000, 0x0000_0100, END];
    let code = code(&words);
    for engine in [EngineKind::Interp, EngineKind::default()] {
        for round in 0..3 {
            let mut lease = code.lease(&options(engine));
            let decoded = lease.interp().entered_words().count();
            assert_eq!(decoded, if round == 0 { 0 } else { 6 });
            assert_eq!(run(&mut lease, 0).0, 0, "what the last wave left in LDS is gone");
            let result = lease.interp().run(&mut Wave::new(code.program()), 1_000);
            assert_eq!(result, Outcome::Ended);
            assert_eq!((code.idle_sessions(), lease.code().is_same(&code)), (0, true));
            drop(lease);
            assert_eq!(code.idle_sessions(), 1);
        }
        assert_eq!(code.fresh(&options(engine)).interp().entered_words().count(), 0);
        drop(code.lease(&options(engine)));
        if engine == EngineKind::default() {
            break;
        }
        // The next engine has a session of its own.
        let first = code.lease(&options(engine));
        assert_eq!(code.idle_sessions(), 0);
        std::mem::forget(first);
    }
}

#[cfg(feature = "jit")]
#[test]
fn a_lease_counts_only_what_it_does() {
    let code = code(&LOOP);
    let mut lease = code.lease(&options(EngineKind::Jit));
    let (sum, first) = run(&mut lease, 1_000);
    assert_eq!((sum, first.regions_compiled, first.regions_entered), (500_500, 1, 1));
    assert!(first.compile_ns > 0 && first.checks > 0);
    let (_, again) = run(&mut lease, 1_000);
    assert_eq!((again.regions_compiled, again.regions_entered), (0, 0), "this lease has counted it");
    let profile = lease.profile();
    assert_eq!((profile.len(), profile[0].pc), (1, 0));
    let (before, checks) = (profile[0].entered, first.checks + again.checks);
    drop(lease);

    let mut lease = code.lease(&options(EngineKind::Jit));
    assert!(lease.profile().is_empty());
    let (sum, second) = run(&mut lease, 100_000);
    assert_eq!(sum, 705_082_704);
    assert_eq!((second.regions_compiled, second.regions_entered, second.compile_ns), (0, 1, 0));
    let profile = lease.profile();
    // From its start on the wave is in the region.
    assert_eq!((profile.len(), profile[0].executed), (1, 400_001));
    assert!(second.checks > 0 && profile[0].entered >= second.checks);
    drop(lease);

    // All entries together are checked 64 times. Turns of groups in a relay count like others.
    let mut lease = code.lease(&options(EngineKind::Jit));
    let stats: Vec<RunStats> = (0..64).map(|_| run_group(&mut lease, 1_000)).collect();
    let sum = stats.iter().fold(RunStats::default(), |mut sum, stats| {
        sum.add(stats);
        sum
    });
    assert_eq!((sum.regions_compiled, sum.regions_entered), (0, 1));
    assert!(checks + second.checks + sum.checks <= 64 && before > 0);
    assert_eq!(lease.profile()[0].executed, 128 * 4_001);
    drop(lease);
    let mut lease = code.lease(&options(EngineKind::Jit));
    let stats = run_group(&mut lease, 1_000);
    assert_eq!((stats.regions_entered, stats.checks, lease.profile()[0].executed), (1, 0, 2 * 4_001));
}

#[cfg(feature = "jit")]
#[test]
fn sessions_compile_each_region_once() {
    let code = code(&LOOP);
    let (mut one, mut other) = (code.lease(&options(EngineKind::Jit)), code.lease(&options(EngineKind::Jit)));
    let [one, other] = [run(&mut one, 1_000), run(&mut other, 1_000)].map(|(_, stats)| stats);
    let fresh = run(&mut code.fresh(&options(EngineKind::Jit)), 1_000).1;
    for other in [other, fresh] {
        assert_eq!((other.regions_compiled, other.checks), (1, one.checks));
        assert!(other.compile_ns < one.compile_ns, "{other:?} {one:?}");
    }
}

#[test]
fn settings_choose_the_session() {
    let code = code(&LOOP);
    let base = options(EngineKind::default());
    drop(code.lease(&base));
    let stop = Some(Arc::default());
    let alike = base.clone().max_insts(1).waves(4_095).timing_regions().stop(stop);
    let lease = code.lease(&alike);
    assert_eq!((code.idle_sessions(), lease.code().idle_sessions()), (0, 0));
    drop(lease);
    for other in [
        base.clone().hot(99),
        base.clone().region_max(10),
        base.clone().counting_classes(),
        base.clone().checked_entries(1),
        base.clone().engine(EngineKind::Interp),
        #[cfg(feature = "jit")]
        base.clone().waves(4_096),
        #[cfg(feature = "jit")]
        base.clone().without_segments(),
        #[cfg(feature = "jit")]
        base.clone().shared(Arc::default()),
    ] {
        // Only the session for `base` is idle, and it stays.
        if other.engine != base.engine || other.engine != EngineKind::Interp {
            let lease = code.lease(&other);
            assert_eq!(code.idle_sessions(), 1, "{other:?}");
            std::mem::forget(lease);
        }
    }
}

#[test]
fn a_stop_lasts_as_long_as_the_lease() {
    let code = code(&LOOP);
    let stop = Arc::new(true.into());
    let stopped = options(EngineKind::default()).stop(stop);
    let mut wave = Wave::new(code.program());
    // The interpreter alone looks at the flag after each 32 million instructions.
    wave.state.sgpr[0] = 20_000_000;
    let result = code.lease(&stopped).run(&mut wave, None);
    assert_eq!(result.outcome, Err(EngineError::Interrupted));
    assert_eq!(code.idle_sessions(), 1, "that is no failure");
    assert_eq!(run(&mut code.lease(&options(EngineKind::default())), 1_000).0, 500_500);
}

#[test]
fn threads_have_sessions_of_their_own() {
    let (code, together) = (code(&LOOP), Barrier::new(2));
    for _ in 0..2 {
        thread::scope(|scope| {
            for count in [1_000, 2_000] {
                let (code, together) = (code.clone(), &together);
                scope.spawn(move || {
                    let mut lease = code.lease(&options(EngineKind::default()));
                    together.wait();
                    for _ in 0..20 {
                        assert_eq!(run(&mut lease, count).0, count * (count + 1) / 2);
                    }
                });
            }
        });
        assert_eq!(code.idle_sessions(), 2);
    }
}

#[test]
fn a_session_that_panicked_or_failed_is_not_used_again() {
    let code = code(&LOOP);
    let panics = catch_unwind(AssertUnwindSafe(|| {
        let _lease = code.lease(&options(EngineKind::default()));
        std::panic::resume_unwind(Box::new("on purpose"));
    }));
    assert_eq!((panics.is_err(), code.idle_sessions()), (true, 0));
    // The panic is caught before the lease ends.
    let mut lease = code.lease(&options(EngineKind::default()));
    let mut group = WaveGroup::new(vec![Member::new(Wave::new(code.program()))], 100);
    let show: Show<'_> = &|_, _| std::panic::resume_unwind(Box::new("on purpose"));
    let panics = catch_unwind(AssertUnwindSafe(|| {
        lease.run_waves(&mut group, &mut Context::ready(0), Some(show), None, &mut RunStats::default());
    }));
    drop(lease);
    assert_eq!((panics.is_err(), code.idle_sessions()), (true, 0));
}

#[cfg(feature = "jit")]
#[test]
fn a_session_that_found_a_divergence_is_not_used_again() {
    let code = code(&LOOP);
    let plant = Some(code.program().decode_word(2).unwrap().opcode);
    let mut wave = Wave::new(code.program());
    wave.state.sgpr[0] = 1_000;
    let result = code.lease(&options(EngineKind::Jit).plant(plant)).run(&mut wave, None);
    assert!(matches!(result.outcome, Err(EngineError::Divergence(_))), "{result:?}");
    assert_eq!(code.idle_sessions(), 0);
}

#[test]
fn order_and_loops_are_known() {
    let free = code(&LOOP);
    assert_eq!((free.order(), free.order(), free.spins().is_empty()), (Order::Free, Order::Free, true));
    // global_atomic_swap v0, v1, s[2:3]
    let swaps = code(&[0xdd00_8000, 0x0002_0100, END]);
    assert_eq!(swaps.order(), Order::Matters(Why::Atomics));
}

#[test]
fn equal_programs_are_one_code() {
    let codes = Codes::default();
    let program = |base, entry, last: u8| Program::new(ARCH, Arc::new(vec![0, 0, 0x80, 0xbf, 0, 0, last]), base, entry);
    let first = codes.get(&program(0x1000, 0, 1));
    assert!(first.is_same(&codes.get(&program(0x1000, 0, 1))), "other memory");
    assert!(first.is_same(&codes.get(first.program())), "the same memory");
    let others = [program(0x1000, 4, 1), program(0x2000, 0, 1), program(0x1000, 0, 2)].map(|other| codes.get(&other));
    let of_arch = |arch| Program::new(arch, Arc::new(first.program().bytes().to_vec()), 0x1000, 0);
    let other_arch = codes.get(&of_arch(Arch::Gcn12));
    assert!(first.is_same(&codes.get(&of_arch(ARCH))));
    assert!(others.iter().chain([&other_arch]).all(|other| !first.is_same(other)));
    assert_eq!(codes.count(), 5);
    assert_eq!(others[0].program().entry(), 0x1004);
}

/// The code that is entered at 0x5000 + 4 * `entry` in memory that begins at 0x5000.
fn in_memory(codes: &Codes, memory: &[u32], entry: u64) -> Code {
    with_window(memory, |window| codes.in_memory(window, 0x5000 + 4 * entry))
}

/// The first dword of each range that is known, and the one behind it.
fn known(code: &Code) -> Vec<(usize, usize)> {
    code.program().known().unwrap().iter().map(|part| (part.start, part.end)).collect()
}

fn with_window<T>(memory: &[u32], find: impl FnOnce(&Window<'_>) -> T) -> T {
    let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
    let load = |address: u64, to: &mut [u8]| {
        let offset = (address - 0x5000) as usize;
        to.copy_from_slice(&bytes[offset..offset + to.len()]);
    };
    find(&Window { arch: ARCH, base: 0x5000, size: bytes.len(), load: &load })
}

/// s_branch to a loop in another page, and data: only what is reached is known, and only its changes matter.
#[test]
fn code_in_memory_changes_with_what_is_reached() {
    let codes = Codes::default();
    let mut memory = vec![0xffff_ffffu32; 5000];
    memory[10] = 0xbf82_0000 | (4000 - 11);
    memory[4000..4005].copy_from_slice(&LOOP);
    let first = in_memory(&codes, &memory, 10);
    assert_eq!(known(&first), [(10, 11), (4000, 4005)]);
    assert_eq!((first.program().word(10), first.program().word(11)), (Some(memory[10]), None));
    let mut wave = Wave::new(first.program());
    wave.state.sgpr[0] = 100;
    assert_eq!(first.lease(&options(EngineKind::default())).run(&mut wave, None).outcome, Ok(Outcome::Ended));
    assert!(first.is_same(&in_memory(&codes, &memory, 10)));
    for changed in [0, 9, 11, 3999, 4005, 4999] {
        memory[changed] = 0xbf80_0000;
        assert!(first.is_same(&in_memory(&codes, &memory, 10)), "dword {changed} is not reached");
    }
    for changed in [10, 4000, 4004] {
        let before = std::mem::replace(&mut memory[changed], 0xbf80_0001);
        let other = in_memory(&codes, &memory, 10);
        assert!(!other.is_same(&first) && other.is_same(&in_memory(&codes, &memory, 10)));
        memory[changed] = before;
        assert!(first.is_same(&in_memory(&codes, &memory, 10)), "as before");
    }
    assert!(!first.is_same(&in_memory(&codes, &memory, 4000)), "another entry");
    assert!(!first.is_same(&in_memory(&codes, &memory[..4999], 10)), "another window");
}

/// s_setpc_b64 s[0:1], and what lies where it goes.
#[test]
fn code_in_memory_grows() {
    let codes = Codes::default();
    let mut memory = vec![END; 3000];
    memory[0] = 0xbe80_1d00;
    memory[2000] = 0xbe82_0081;
    memory[2001] = END;
    let first = in_memory(&codes, &memory, 0);
    assert_eq!(known(&first), [(0, 1)]);
    let (at, behind) = (0x5000 + 8000, 0x5000 + 12_000);
    let mut wave = Wave::new(first.program());
    wave.state.sgpr[0] = at as u32;
    for engine in [EngineKind::Interp, ENGINE] {
        let mut wave = wave.clone();
        let outcome = first.lease(&options(engine)).run(&mut wave, None).outcome;
        assert_eq!(outcome.unwrap().detail().map(|detail| (detail.kind, detail.pc)), Some(("pc-out-of-range", at)));
        assert_eq!((wave.state.pc, wave.executed, first.program().is_unknown(wave.state.pc)), (at, 1, true));
    }
    let grow = |memory: &[u32], code: &Code, pc| with_window(memory, |window| codes.grow(window, code, pc));
    assert!(grow(&memory, &first, behind).is_none() && grow(&memory, &first, 0x5000).is_none());
    let second = grow(&memory, &first, at).unwrap();
    assert_eq!(known(&second), [(0, 1), (2000, 2002)]);
    assert_eq!(second.lease(&options(ENGINE)).run(&mut wave, None).outcome, Ok(Outcome::Ended));
    assert_eq!((wave.state.sgpr[2], wave.executed), (1, 3));
    assert!(second.is_same(&in_memory(&codes, &memory, 0)), "it is known from now on");
    // s_mov_b32 s2, 2
    memory[2000] = 0xbe82_0082;
    let other = in_memory(&codes, &memory, 0);
    assert!(!other.is_same(&second) && !grow(&memory, &other, at).unwrap().is_same(&second));
    // Ever more entries: in the end, everything is known.
    let mut code = other;
    for n in 0..100 {
        code = grow(&memory, &code, 0x5000 + 8 * (100 + n)).unwrap_or(code);
    }
    assert_eq!(known(&code), [(0, 3000)]);
    assert_eq!(Order::Matters(Why::Jump), code.order());
}

/// The last dword that is known begins s_mov_b32 s4, literal, and the literal is not known.
#[test]
fn the_second_dword_of_an_instruction_may_be_unknown() {
    let codes = Codes::default();
    let memory = [0xbe80_1d00, 0, 0xffff_ffff, 0xbe84_00ff, 5, END];
    let grow = |code: &Code, word: u64| with_window(&memory, |window| codes.grow(window, code, 0x5000 + 4 * word));
    let code = grow(&in_memory(&codes, &memory, 0), 2).unwrap();
    assert_eq!(known(&code), [(0, 1), (2, 4)], "the second dword of what is no instruction");
    let mut wave = Wave::new(code.program());
    wave.state.pc = 0x500c;
    let outcome = code.lease(&options(ENGINE)).run(&mut wave, None).outcome;
    assert_eq!(outcome.unwrap().detail().map(|detail| (detail.kind, detail.pc)), Some(("truncated", 0x500c)));
    let code = grow(&code, 3).unwrap();
    assert_eq!(known(&code), [(0, 1), (2, 6)]);
    assert_eq!(code.lease(&options(ENGINE)).run(&mut wave, None).outcome, Ok(Outcome::Ended));
    assert_eq!(wave.state.sgpr[4], 5);
}

#[test]
fn what_was_used_last_is_kept() {
    let words = |n: u32| Program::from_words(ARCH, &[n, END]);
    let codes = Codes::with_limits(3, usize::MAX);
    let first = codes.get(&words(0));
    for n in 1..10 {
        codes.get(&words(n));
        assert!(codes.get(&words(0)).is_same(&first), "it is used each time");
        assert_eq!(codes.count(), 3.min(n as usize + 1));
    }
    // 0, 8 and 9 are there, 8 was not used for longest, and 7 is not there.
    let nine = codes.get(&words(9));
    let seven = codes.get(&words(7));
    assert!(codes.get(&words(9)).is_same(&nine) && codes.get(&words(7)).is_same(&seven));
    assert_eq!(codes.count(), 3);
    assert!(codes.get(&words(0)).is_same(&first));
    assert!(!codes.get(&words(1)).is_same(&nine) && !codes.get(&words(9)).is_same(&nine), "9 made room for 1");

    let codes = Codes::with_limits(100, 20);
    let codes_of: Vec<Code> = (0..5).map(|n| codes.get(&words(n))).collect();
    assert_eq!(codes.count(), 2, "of 8 bytes each");
    assert!(codes.get(&words(4)).is_same(&codes_of[4]) && codes.get(&words(3)).is_same(&codes_of[3]));
    let large = codes.get(&Program::from_words(ARCH, &[END; 100]));
    assert_eq!((codes.count(), large.program().word_count()), (1, 100), "one is always kept");
}

#[test]
fn codes_and_leases_go_to_other_threads() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Code>();
    is_shared::<Codes>();
    is_sent::<gcnsim_engine::Lease>();
}
