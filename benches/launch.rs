//! What a launch costs. `engine`: taking a session that has run the code before, and running a group of one wave of 21
//! scalar and vector instructions. `registers`: a dispatch of such a wave on a device. `mappings`: the same with 64 MB of
//! memory around the code, and 200 mappings. `kernel`: a launch of a kernel of
//! one wave with two buffers on a device that lives on; the buffers have 256 bytes, or 64 MB. Elements are launches.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use gcnsim::Wave;
use gcnsim_device::{Device, DeviceOptions, Grid, Registers, Request, Scratch, memory};
use gcnsim_engine::{Code, EngineKind, GroupEnd, Member, Observers, RunOptions, RunStats, Status, WaveGroup};
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_isa::{Arch, Program};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::{Context, Mapping, Outcome};

/// s_add_u32 s2, s0, s1, six times; v_add_f32 v1, v0, v0 and v_mul_f32 v2, v0, v1, seven times; s_endpgm.
fn words() -> Vec<u32> {
    [&[0x8002_0100; 6][..], &[0x0202_0100, 0x0a04_0300].repeat(7), &[0xbf81_0000]].concat()
}

fn engine(benches: &mut BenchmarkGroup<'_, WallTime>, name: &str, options: &RunOptions) {
    let code = Code::new(&Program::from_words(Arch::Gcn14, &words()));
    let (start, mut context) = (Wave::new(code.program()), Context::ready(0));
    let mut group = WaveGroup::new(vec![Member::new(start.clone())], 0);
    benches.bench_function(format!("engine/{name}"), |b| {
        b.iter(|| {
            let (mut lease, mut stats) = (code.lease(options), RunStats::default());
            group.begin(1_000);
            let Member { wave, status, .. } = &mut group.members[0];
            wave.state.clone_from(&start.state);
            (wave.executed, *status) = (0, Status::Ready);
            let end = lease.run_waves(&mut group, &mut context, None, None, &mut stats);
            assert_eq!(end, GroupEnd::Ended);
            assert_eq!(group.left, 1_000 - 21);
            stats
        });
    });
}

/// The registers of one wave of a program at `pc`.
fn registers_at(pc: u64) -> Registers {
    Registers {
        pc,
        rsrc1: Rsrc1(0),
        rsrc2: Rsrc2(0),
        user_sgprs: Vec::new(),
        grid: Grid { groups: [1; 3], group: [64, 1, 1], start: [0; 3], partial: [0; 3] },
        lds_bytes: 0,
        scratch: Scratch::default(),
    }
}

fn registers(benches: &mut BenchmarkGroup<'_, WallTime>, name: &str, options: &RunOptions) {
    let device = Device::new(Arch::Gcn14, DeviceOptions::default().run(options.clone()));
    let bytes: Vec<u8> = words().iter().flat_map(|word| word.to_le_bytes()).collect();
    device.map(Mapping::read_only(0x1_0000, "code", memory("code", &bytes, 4096).unwrap())).unwrap();
    let registers = registers_at(0x1_0000);
    benches.bench_function(format!("registers/{name}"), |b| {
        b.iter(|| {
            let dispatch = device.dispatch(registers.clone()).unwrap();
            let run = dispatch.run(Request::new(&mut Observers::none())).unwrap();
            assert_eq!(run.instructions, 21);
            run
        });
    });
}

/// A dispatch on a device with 200 mappings, by registers of one wave, whose code lies in the midst of 64 MB.
fn mappings(benches: &mut BenchmarkGroup<'_, WallTime>, name: &str, options: &RunOptions) {
    let device = Device::new(Arch::Gcn14, DeviceOptions::default().run(options.clone()));
    let text = memory("code", &[], 64 << 20).unwrap();
    let bytes: Vec<u8> = words().iter().flat_map(|word| word.to_le_bytes()).collect();
    text.write(32 << 20, &bytes);
    device.map(Mapping::read_only(0x7f00_0000_0000, "code", text)).unwrap();
    for number in 1..200u64 {
        let mapping = Mapping::new(0x7f00_0000_0000 + (number << 32), "data", memory("data", &[], 1 << 20).unwrap());
        device.map(mapping).unwrap();
    }
    let registers = registers_at(0x7f00_0000_0000 + (32 << 20));
    benches.bench_function(format!("mappings/{name}"), |b| {
        b.iter(|| {
            let run = device.dispatch(registers.clone()).unwrap().run(Request::new(&mut Observers::none())).unwrap();
            assert_eq!(run.instructions, 21);
            run
        });
    });
}

fn kernel(benches: &mut BenchmarkGroup<'_, WallTime>, name: &str, options: &RunOptions) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    let object = Arc::new(CodeObject::parse(&FileBytes::read(path.as_ref()).unwrap()).unwrap());
    let device = Device::new(object.arch, DeviceOptions::default().run(options.clone()));
    let saxpy = device.load(&object).unwrap().kernel("saxpy").unwrap();
    for (size, bytes) in [("small", 256), ("64M", 64 << 20)] {
        let [x, y] = [0; 2].map(|_| device.alloc(bytes).unwrap());
        benches.bench_function(format!("kernel/{name}/{size}"), |b| {
            b.iter(|| {
                let launch = saxpy.launch([64], [64]).arg(&y).arg(&x).arg(2.0f32).arg(64i32);
                let run = launch.run().unwrap();
                assert_eq!(run.outcome, Ok(Outcome::Ended));
                run
            });
        });
    }
}

fn launch(criterion: &mut Criterion) {
    let mut benches = criterion.benchmark_group("launch");
    benches.sample_size(50).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    benches.throughput(Throughput::Elements(1));
    for (name, engine) in [("interp", EngineKind::Interp), ("jit", EngineKind::Jit)] {
        let options = RunOptions::default().engine(engine);
        self::engine(&mut benches, name, &options);
        registers(&mut benches, name, &options);
        mappings(&mut benches, name, &options);
        kernel(&mut benches, name, &options);
    }
    benches.finish();
}

criterion_group!(benches, launch);
criterion_main!(benches);
