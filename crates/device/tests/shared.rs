//! Memory that the host reads and writes while kernels run.
#![cfg(feature = "jit")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use gcnsim_device::{Device, DeviceOptions, Grid, OneThread, Registers, Request, Run, Scratch, memory};
use gcnsim_engine::observe::Observers;
use gcnsim_engine::{EngineError, EngineKind, RunOptions};
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_isa::{Arch, Opcode, Sop2};
use gcnsim_machine::{Backing, Mapping};

const ROUNDS: u32 = 1000;
/// Places of the counter of the host, of the sum of the waves, and of the number of rounds, in bytes.
const HOST: usize = 0;
const SUM: usize = 64;
const ROUND: usize = 128;

/// Reads the counter of the host, adds it to s7, adds 1 to the sum for each lane, and stores the number of the round.
const KERNEL: [u32; 18] = [
    0x7e00_0280,
    0x7e02_0281,
    0xbe85_0080,
    0xbe87_0080, // v_mov_b32 v0, 0; v_mov_b32 v1, 1; s_mov_b32 s5, 0; s7
    0xc003_0180,
    0,
    0xbf8c_0000,
    0x8007_0607, // s_load_dword s6, s[0:1], 0 glc; s_waitcnt; s_add_u32 s7, s7, s6
    0xdd08_8040,
    0x0000_0100, // global_atomic_add v0, v1, s[0:1] offset:64
    0x8005_8105,
    0x7e04_0205, // s_add_u32 s5, s5, 1; v_mov_b32 v2, s5
    0xdc70_8080,
    0x0000_0200, // global_store_dword v0, v2, s[0:1] offset:128
    0xbf0a_ff05,
    ROUNDS,
    0xbf85_fff3,
    0xbf81_0000, // s_cmp_lt_u32 s5, ROUNDS; s_cbranch_scc1; s_endpgm
];

/// Each work-item stores its number: s_lshl_b32 s3, s2, 6; v_add_u32_e32 v0, s3, v0; v_lshlrev_b32_e32 v1, 2, v0;
/// global_store_dword v1, v0, s[0:1]; s_endpgm
const STORE: [u32; 6] = [0x8e03_8602, 0x6800_0003, 0x2402_0082, 0xdc70_8000, 0x0000_0001, 0xbf81_0000];

fn device(run: RunOptions, jobs: usize, words: &[u32], shared: bool) -> (Device, Arc<Backing>) {
    let device = Device::new(Arch::Gcn14, DeviceOptions::default().run(run).jobs(jobs));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    device.map(Mapping::read_only(0x1_0000, "code", memory("code", &bytes, 4096).unwrap())).unwrap();
    let data = memory("data", &[], 1 << 16).unwrap();
    device.map(Mapping { shared, ..Mapping::new(0x10_0000, "data", data.clone()) }).unwrap();
    (device, data)
}

fn registers(groups: u32) -> Registers {
    Registers {
        pc: 0x1_0000,
        rsrc1: Rsrc1(0),
        rsrc2: Rsrc2(2 << 1 | 1 << 7),
        user_sgprs: vec![0x10_0000, 0],
        grid: Grid { groups: [groups, 1, 1], group: [64, 1, 1], start: [0; 3], partial: [0; 3] },
        lds_bytes: 0,
        scratch: Scratch::default(),
    }
}

fn run(device: &Device, groups: u32) -> Run {
    device.dispatch(registers(groups)).unwrap().run(Request::new(&mut Observers::none())).unwrap()
}

fn dword(data: &Backing, at: usize) -> u32 {
    u32::from_le_bytes(data.read(at))
}

/// What is mapped after a dispatch was made is found by kernels that run beside the host, in several groups, at its new
/// place; elsewhere it is a fault.
#[test]
fn memory_that_is_mapped_late_is_found() {
    const LATE: u64 = 0x20_0000;
    for engine in [EngineKind::Interp, EngineKind::Jit] {
        for (host_writes, jobs) in [(false, 1), (true, 1), (true, 2)] {
            let mut options = RunOptions::default().engine(engine).hot(0);
            options.host_writes = host_writes;
            let (device, _) = device(options, jobs, &STORE, true);
            let first = memory("first", &[], 4096).unwrap();
            device.map(Mapping { shared: true, ..Mapping::new(LATE + 4096, "first", first) }).unwrap();
            let mut registers = registers(8);
            registers.user_sgprs = vec![LATE as u32, 0];
            let dispatch = device.dispatch(registers).unwrap();
            // Half of it lies where something else was.
            device.unmap(LATE + 4096);
            let late = memory("late", &[], 8192).unwrap();
            device.map(Mapping { shared: true, ..Mapping::new(LATE, "late", late.clone()) }).unwrap();
            let run = dispatch.run(Request::new(&mut Observers::none())).unwrap();
            assert_eq!(run.has_ended(), host_writes, "{engine:?} {jobs}");
            let stored: Vec<u32> = (0..512).map(|item| dword(&late, 4 * item)).collect();
            assert!(!host_writes || stored.into_iter().eq(0..512), "{engine:?} {jobs}");
        }
    }
}

/// The host counts, and looks at what the kernel counts: neither ever goes back.
#[test]
fn the_host_reads_and_writes_while_a_kernel_runs() {
    for (engine, hot) in
        [(EngineKind::Interp, 0), (EngineKind::Jit, 0), (EngineKind::Jit, 4000), (EngineKind::Check, 0)]
    {
        for (jobs, groups) in [(1, 1), (1, 4), (2, 4)] {
            let options = RunOptions::default().engine(engine).hot(hot).with_host_writes();
            let (device, data) = device(options, jobs, &KERNEL, true);
            let [is_looking, is_over] = [(); 2].map(|()| AtomicBool::new(false));
            let (run, looks) = thread::scope(|scope| {
                let host = scope.spawn(|| {
                    let (mut looks, mut sum, mut round) = (0, 0, 0);
                    while !is_over.load(Ordering::Acquire) {
                        data.update32(HOST, |count| count.wrapping_add(1));
                        let now = dword(&data, SUM);
                        assert!(now >= sum, "{sum} was taken back to {now}");
                        let at = dword(&data, ROUND);
                        assert!(groups > 1 || at >= round, "{round} was taken back to {at}");
                        (looks, sum, round) = (looks + 1, now, at);
                        is_looking.store(true, Ordering::Release);
                    }
                    looks
                });
                while !is_looking.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                let run = self::run(&device, groups);
                is_over.store(true, Ordering::Release);
                (run, host.join().unwrap())
            });
            assert!(run.has_ended() && looks > 0, "{engine:?} {jobs}: {:?}", run.outcome);
            assert_eq!(run.instructions, u64::from(groups) * (4 + 9 * u64::from(ROUNDS) + 1));
            assert_eq!((dword(&data, SUM), dword(&data, ROUND)), (groups * 64 * ROUNDS, ROUNDS), "{engine:?} {jobs}");
            let why = if jobs == 2 && engine != EngineKind::Check { OneThread::Repeated } else { OneThread::Asked };
            assert!(groups == 1 || run.one_thread == Some(why) || engine == EngineKind::Check, "{:?}", run.one_thread);
        }
    }
}

/// A wrong lowering repeats, whatever the host writes.
#[test]
fn mistakes_are_found_while_the_host_writes() {
    for is_written in [false, true] {
        let plant = Some(Opcode::Sop2(Sop2::SAddU32));
        let options = RunOptions::default().hot(0).plant(plant).with_host_writes();
        let (device, data) = device(options, 1, &KERNEL, true);
        let is_over = AtomicBool::new(!is_written);
        let run = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    data.update32(HOST + 4, |count| count.wrapping_add(1));
                }
            });
            let run = self::run(&device, 1);
            is_over.store(true, Ordering::Relaxed);
            run
        });
        assert!(matches!(run.outcome, Err(EngineError::Divergence(_))), "{:?}", run.outcome);
    }
}

/// Several threads run a kernel whose stores the host does not look at. If it may, one thread does.
#[test]
fn one_thread_stores_where_the_host_looks() {
    for (shared, host_writes) in [(false, false), (false, true), (true, true)] {
        let mut options = RunOptions::default().hot(0);
        options.host_writes = host_writes;
        let (device, data) = device(options, 2, &STORE, shared);
        let run = self::run(&device, 100);
        assert!(run.has_ended(), "{:?}", run.outcome);
        assert_eq!((run.one_thread, run.instructions), (shared.then_some(OneThread::Repeated), 500));
        assert!((0..6400).all(|item| dword(&data, 4 * item) == item as u32));
    }
}
