//! Launches on a device: memory that lives on, modules, registers, and what is refused.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use gcnsim_device::{Device, DeviceOptions, DispatchError, Grid, Launch, Registers, Request, Run, Scratch, memory};
use gcnsim_engine::observe::{At, Needs, Observer, Observers, Step};
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::Arch;
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::{Context, Mapping, Outcome, Wave};
use gcnsim_random::Rng;

fn object(name: &str) -> Arc<CodeObject> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels").join(name);
    Arc::new(CodeObject::parse(&FileBytes::read(&path).unwrap()).unwrap())
}

fn device() -> (Device, Arc<CodeObject>) {
    let object = object("kernels-gfx900-v5-O2.co");
    (Device::new(object.arch, DeviceOptions::default().jobs(2)), object)
}

fn ended(launch: Launch<'_>) -> Run {
    let run = launch.run().unwrap();
    assert_eq!(run.outcome, Ok(Outcome::Ended));
    run
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

fn bytes(floats: impl IntoIterator<Item = f32>) -> Vec<u8> {
    floats.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// y = a * x + y, twice, from two modules on one memory; the second time with a part of x.
#[test]
fn memory_lives_on_between_launches_and_modules() {
    let (device, one) = device();
    let two = object("kernels-gfx900-v4-O0.co");
    let (one, two) = (device.load(&one).unwrap(), device.load(&two).unwrap());
    let (x, y) = (device.alloc(4096).unwrap(), device.alloc(4096).unwrap());
    x.write(0, &bytes((0..1024).map(|i| i as f32))).unwrap();
    let saxpy = one.kernel("saxpy").unwrap();
    assert_eq!(saxpy.arguments().unwrap().len(), 4);
    let run = ended(saxpy.launch([1024], [256]).arg(&y).arg(&x).arg(2.0f32).arg(1000i32).budget(1_000_000));
    assert!(run.instructions > 0);
    let part = x.slice(64..).unwrap();
    ended(two.kernel("saxpy").unwrap().launch([1024], [256]).arg(&y).arg(part).arg(1.0f32).arg(10i32));
    let expected = (0..1024).map(|i| {
        if i < 10 {
            3.0 * i as f32 + 16.0
        } else if i < 1000 {
            2.0 * i as f32
        } else {
            0.0
        }
    });
    assert_eq!(floats(&y.to_vec()), expected.collect::<Vec<_>>());
    assert_eq!(floats(&x.to_vec())[1023], 1023.0);
}

#[test]
fn snapshots_bring_memory_back() {
    let (device, object) = device();
    let collatz = device.load(&object).unwrap().kernel("collatz").unwrap();
    let steps = device.alloc(12).unwrap();
    let launch = |first: u32| ended(collatz.launch([3], [64]).arg(&steps).arg(first));
    launch(6);
    let (before, left) = (device.snapshot(), steps.to_vec());
    launch(27);
    assert_ne!(steps.to_vec(), left);
    device.restore(&before);
    assert_eq!(steps.to_vec(), left);
    assert_eq!(steps.hash(), xxhash_rust::xxh3::xxh3_64(&left));
}

#[test]
fn addresses_stay_and_freed_ones_come_back_late() {
    let (device, _) = device();
    let first = device.alloc(100).unwrap();
    let second = device.alloc(1 << 20).unwrap();
    let (at, other) = (first.address(), second.address());
    assert!(other >= at + 100 + (64 << 10), "a gap follows each buffer");
    drop(first);
    let third = device.alloc(100).unwrap();
    assert!(third.address() > other, "what was freed is not used again at once");
    assert_eq!(second.address(), other);
}

#[test]
fn what_cannot_be_is_an_error() {
    let (device, object) = device();
    let module = device.load(&object).unwrap();
    assert!(matches!(device.alloc(u64::MAX), Err(DispatchError::NoRoom { .. })));
    assert!(matches!(device.alloc(1 << 60), Err(DispatchError::NoRoom { .. })));
    assert!(matches!(module.kernel("no"), Err(DispatchError::NoKernel { .. })));
    let buffer = device.alloc(16).unwrap();
    assert!(matches!(buffer.slice(8..32), Err(DispatchError::Beyond { .. })));
    assert!(matches!(buffer.slice(..=u64::MAX), Err(DispatchError::Beyond { .. })));
    assert!(matches!(buffer.write(u64::MAX, &[0; 2]), Err(DispatchError::Beyond { .. })));
    let saxpy = module.kernel("saxpy").unwrap();
    assert!(matches!(saxpy.launch([64], [64]).arg(1u32).run(), Err(DispatchError::Args(_))));
    assert!(matches!(saxpy.launch([0], [64]).run(), Err(DispatchError::NoGrid)));
    assert!(matches!(saxpy.launch([64; 4], [64]).run(), Err(DispatchError::NoGrid)));
    assert!(matches!(saxpy.launch([2048], [2048]).run(), Err(DispatchError::TooManyItems(2048))));
    let elsewhere = Device::new(object.arch, DeviceOptions::default()).alloc(64).unwrap();
    let launch = saxpy.launch([4], [4]).arg(&elsewhere).arg(&buffer).arg(1.0f32).arg(4i32);
    assert!(matches!(launch.run(), Err(DispatchError::OtherDevice)));
    assert!(matches!(
        Device::new(Arch::Gcn10, DeviceOptions::default()).load(&object),
        Err(DispatchError::Arch { .. })
    ));
    // A fault is a value.
    let launch = saxpy.launch([4], [4]).arg(0u64).arg(&buffer).arg(1.0f32).arg(4i32);
    assert_eq!(launch.run().unwrap().outcome.unwrap().name(), "fault");
}

#[test]
fn a_buffer_outlives_its_device_and_devices_run_at_once() {
    let buffer = device().0.alloc(8).unwrap();
    buffer.fill(7);
    assert_eq!(buffer.to_vec(), [7; 8]);
    let results: Vec<Vec<u8>> = thread::scope(|scope| {
        let each = |first: u32| {
            let (device, object) = device();
            let collatz = device.load(&object).unwrap().kernel("collatz").unwrap();
            let steps = device.alloc(4).unwrap();
            for _ in 0..20 {
                ended(collatz.launch([1], [64]).arg(&steps).arg(first));
            }
            steps.to_vec()
        };
        let threads: Vec<_> = [6, 27].map(|first| scope.spawn(move || each(first))).into();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results, [[8, 0, 0, 0], [111, 0, 0, 0]]);
}

#[test]
fn threads_share_one_device() {
    let (device, object) = device();
    let collatz = device.load(&object).unwrap().kernel("collatz").unwrap();
    thread::scope(|scope| {
        for (first, expected) in [(6u32, 8), (27, 111)] {
            let (device, collatz) = (device.clone(), collatz.clone());
            scope.spawn(move || {
                for _ in 0..20 {
                    let steps = device.alloc(4).unwrap();
                    ended(collatz.launch([1], [64]).arg(&steps).arg(first));
                    assert_eq!(steps.to_vec(), [expected, 0, 0, 0]);
                }
            });
        }
    });
}

/// Counts instructions, and the waves that end.
#[derive(Default)]
struct Count(u64, u32);

impl Observer for Count {
    fn needs(&mut self, _: &At<'_>, _: &Wave) -> Needs {
        Needs::STEPS
    }

    fn after(&mut self, _: &At<'_>, step: &Step<'_>, _: &Wave, _: &Context) {
        self.0 += step.executed;
    }

    fn over(&mut self, _: &At<'_>, _: &Wave, _: &Context) {
        self.1 += 1;
    }
}

#[test]
fn any_number_of_observers_see_a_launch() {
    let (device, object) = device();
    let collatz = device.load(&object).unwrap().kernel("collatz").unwrap();
    let steps = device.alloc(512).unwrap();
    let (mut one, mut two) = (Count::default(), Count::default());
    let launch = collatz.launch([128], [64]).arg(&steps).arg(6u32);
    let run = ended(launch.observe(&mut one).observe(&mut two));
    assert_eq!((one.0, one.1, two.0, two.1), (run.instructions, 2, run.instructions, 2));
}

/// Registers of a program at `pc` with groups of 64 work-items, which gets the address in s[0:1].
fn registers(pc: u64, address: u64) -> Registers {
    Registers {
        pc,
        rsrc1: Rsrc1(0),
        // Two user SGPRs, and the id of the group in x.
        rsrc2: Rsrc2(2 << 1 | 1 << 7),
        user_sgprs: vec![address as u32, (address >> 32) as u32],
        grid: Grid { groups: [3, 1, 1], group: [64, 1, 1], start: [1, 0, 0], partial: [0; 3] },
        lds_bytes: 0,
        scratch: Scratch::default(),
    }
}

#[test]
fn registers_run_what_lies_in_memory() {
    let device = Device::new(Arch::Gcn14, DeviceOptions::default());
    let out = device.alloc(64).unwrap();
    // s_mov_b32 s4, 1 or 2; s_lshl_b32 s3, s2, 2; v_mov_b32 v0, s3; v_mov_b32 v1, s4;
    // global_store_dword v0, v1, s[0:1]; s_endpgm
    let words = |value: u32| {
        let mov = 0xbe84_0080 + value;
        [mov, 0x8e03_8202, 0x7e00_0203, 0x7e02_0204, 0xdc70_8000, 0x0000_0100, 0xbf81_0000]
    };
    let code = |value: u32| words(value).iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let text = memory("code", &code(1), 4096).unwrap();
    device.map(Mapping::read_only(0x7f12_0000_0000, "code", text.clone())).unwrap();
    let run = || {
        let dispatch = device.dispatch(registers(0x7f12_0000_0000, out.address())).unwrap();
        let run = dispatch.run(Request::new(&mut Observers::none())).unwrap();
        assert_eq!((run.outcome, run.instructions), (Ok(Outcome::Ended), 2 * 6));
        out.to_vec().chunks(4).map(|dword| dword[0]).take(4).collect::<Vec<_>>()
    };
    // Groups 1 and 2 store at four times their id.
    assert_eq!(run(), [0, 1, 1, 0]);
    // The host writes other code there.
    text.write(0, &code(2));
    assert_eq!(run(), [0, 2, 2, 0]);
    assert!(device.unmap(0x7f12_0000_0000));
    assert!(matches!(device.dispatch(registers(0x7f12_0000_0000, 0)), Err(DispatchError::NoCode { .. })));
}

/// s_load_dwordx2 s[6:7], s[0:1], 0; s_waitcnt; s_swappc_b64 s[8:9], s[6:7]; s_endpgm
const CALLER: [u32; 5] = [0xc006_0180, 0, 0xbf8c_0000, 0xbe88_1e06, 0xbf81_0000];

/// s_mov_b32 s4, value; s_lshl_b32 s3, s2, 2; v_mov_b32 v0, s3; v_mov_b32 v1, s4;
/// global_store_dword v0, v1, s[0:1] offset:16; s_setpc_b64 s[8:9]
fn function(value: u32) -> [u32; 7] {
    [0xbe84_0080 + value, 0x8e03_8202, 0x7e00_0203, 0x7e02_0204, 0xdc70_8010, 0x0000_0100, 0xbe80_1d08]
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A kernel gets the address of a function from memory. Only what is reached is read, wherever it lies, and when it has
/// changed, that is seen: the kernel, the functions, and which of them is called.
#[test]
fn functions_are_found_when_they_are_called() {
    const FAR: u64 = 200 << 20;
    let engines = [EngineKind::Interp, EngineKind::Jit, EngineKind::Check];
    for engine in engines.into_iter().take(if cfg!(feature = "jit") { 3 } else { 1 }) {
        for (base, size) in [(0x7f12_0000_0000u64, FAR + 4096), (0xffff_8000_0000_0000, 1 << 30)] {
            let options = DeviceOptions::default().run(RunOptions::default().engine(engine).hot(0));
            let device = Device::new(Arch::Gcn14, options);
            let out = device.alloc(64).unwrap();
            let text = memory("code", &bytes_of(&CALLER), size).unwrap();
            device.map(Mapping::read_only(base, "code", text.clone())).unwrap();
            let near = [0x1000, 0x2000, 100 << 20];
            for (value, at) in (1..).zip(near) {
                text.write(at, &bytes_of(&function(value)));
            }
            let run = |at: u64, is_seen: bool| {
                out.fill(0);
                out.write(0, &base.wrapping_add(at).to_le_bytes()).unwrap();
                let dispatch = device.dispatch(registers(base, out.address())).unwrap();
                let mut seen = Count::default();
                let mut observers = if is_seen { Observers::one(&mut seen) } else { Observers::none() };
                let run = dispatch.run(Request { max_insts: Some(1000), ..Request::new(&mut observers) }).unwrap();
                let stored = out.to_vec()[16..].chunks(4).map(|dword| dword[0]).take(4).collect::<Vec<_>>();
                let waves = if run.has_ended() { 2 } else { 1 };
                assert!(!is_seen || (seen.0, seen.1) == (run.instructions, waves));
                (run.outcome.map(|outcome| outcome.name()), run.instructions, stored)
            };
            let ended = |value| (Ok("ended"), 2 * (4 + 6), vec![0, value, value, 0]);
            let count = || device.options().codes.count();
            assert_eq!(run(0x1000, false), ended(1), "{engine:?}");
            assert_eq!(count(), 2, "the caller alone, and with the function");
            assert_eq!((run(0x1000, true), run(0x1000, false), count()), (ended(1), ended(1), 2));
            assert_eq!((run(0x2000, true), count()), (ended(2), 3));
            assert_eq!((run(100 << 20, false), run(0x1000, false), count()), (ended(3), ended(1), 4));
            text.write(0x3000, &[7; 64]);
            assert_eq!((run(0x2000, false), count()), (ended(2), 4), "nobody has reached what was written");
            text.write(0x1000, &bytes_of(&function(5)));
            assert_eq!((run(0x2000, false), run(0x1000, true), run(100 << 20, false)), (ended(2), ended(5), ended(3)));
            text.write(0x1000, &bytes_of(&function(1)));
            let before = count();
            assert_eq!((run(0x1000, false), run(100 << 20, false), count()), (ended(1), ended(3), before), "as before");
            // Outside the mapping, and where nothing is that decodes.
            let fault = |executed| (Ok("fault"), executed, vec![0; 4]);
            text.write(0x4000, &[0xff; 4]);
            assert_eq!((run(size, false), run(0x4000, true), run(size, true)), (fault(3), fault(3), fault(3)));
        }
    }
}

/// Whatever the registers are, a dispatch ends, or is refused.
#[test]
fn registers_of_any_value_stay_in_the_sandbox() {
    let mut random = Rng::new(46);
    let device = Device::new(Arch::Gcn12, DeviceOptions::default());
    let out = device.alloc(64).unwrap();
    // s_endpgm and other dwords
    let text: Vec<u8> = [0x7e00_0280u32, 0xbf81_0000, 0xbf81_0000].iter().flat_map(|word| word.to_le_bytes()).collect();
    device.map(Mapping::read_only(0x1000, "code", memory("code", &text, 12).unwrap())).unwrap();
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut any = || random.bits64();
        let sometimes = |value: u32, otherwise: u32, dice: u64| if dice.is_multiple_of(4) { value } else { otherwise };
        let small = |value: u64| (value % 5) as u32;
        let mut three = |most: u32| [0; 3].map(|_: u32| sometimes(any() as u32, (any() as u32) % most, any()));
        let grid = Grid { groups: three(4), group: three(20), start: three(3), partial: three(20) };
        let registers = Registers {
            pc: match small(any()) {
                0 => any(),
                1 => out.address(),
                pc => 0x1000 + u64::from(pc) * 4 - 8,
            },
            rsrc1: Rsrc1(any() as u32),
            rsrc2: Rsrc2(any() as u32),
            user_sgprs: (0..small(any()) * 8).map(|_| any() as u32).collect(),
            // Empty grids and small ones. A grid of 2^60 groups ends with the budget.
            grid,
            lds_bytes: sometimes(any() as u32, 512, any()),
            scratch: Scratch { address: any(), lane_bytes: sometimes(any() as u32, 16 * small(any()), any()) },
        };
        match device.dispatch(registers).map(|dispatch| {
            let mut nobody = Observers::none();
            dispatch.run(Request { max_insts: Some(1000), ..Request::new(&mut nobody) })
        }) {
            Ok(Ok(run)) => {
                assert!(run.outcome.is_ok() && run.instructions <= 1000, "{run:?}");
                ran += 1;
            }
            Ok(Err(_)) | Err(_) => refused += 1,
        }
    }
    assert!(ran > 100 && refused > 100, "{ran} {refused}");
}
