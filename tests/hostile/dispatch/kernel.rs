//! Makes objects with one kernel, and runs their launches in every way.

use std::path::Path;

use gcnsim::Outcome;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::Arch;
use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor, Rsrc1, Rsrc2};
use gcnsim_jit::helpers::Level;
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, LaunchFailure, LaunchResult, Launcher};
use gcnsim_loader::code_object::{CodeObject, Kernel, LoadSegment};

pub const END: u32 = 0xbf81_0000;
pub const S_NOP: u32 = 0xbf80_0000;
pub const S_BARRIER: u32 = 0xbf8a_0000;
/// s_waitcnt 0
pub const WAIT: u32 = 0xbf8c_0000;
/// s_branch to itself.
pub const FOR_EVER: u32 = 0xbf82_ffff;
/// Address of the object's data: an odd dword.
pub const DATA: u64 = 0x5004;

/// Descriptor of the kernel. A wave starts with the address of the packet in s[0:1], the queue in s[2:3], kernarg in
/// s[4:5], the initial value of FLAT_SCRATCH in s[6:7], the group's id in s8 and the offset of its scratch in s9. The
/// kernel has 16 VGPRs, 512 bytes of LDS and 4 bytes of scratch a lane.
pub const DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    group_segment_size: 512,
    private_segment_size: 4,
    kernarg_size: 8,
    entry_offset: 0,
    rsrc1: Rsrc1(3),
    rsrc2: Rsrc2(1 << 7 | 8 << 1 | 1),
    properties: CodeProperties { user_sgprs: 0b10_1110, dynamic_stack: false, private_element_size: 4 },
};

/// Returns an object with `code` at 0x1000, and 60 writable bytes at [`DATA`].
pub fn object(code: &[u32], descriptor: KernelDescriptor) -> CodeObject {
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let segment = |address, bytes: Vec<u8>, executable: bool| LoadSegment {
        address,
        size: bytes.len() as u64,
        bytes: bytes.into(),
        writable: !executable,
        executable,
    };
    let kernel = Kernel { name: "k".into(), descriptor_address: 0x1000, descriptor, entry: 0x1000, metadata: None };
    CodeObject {
        chip: "gfx900",
        arch: Arch::Gcn14,
        version: 4,
        segments: vec![segment(0x1000, code, true), segment(DATA, (0..60).collect(), false)],
        relocations: Vec::new(),
        kernels: vec![kernel],
        variables: Vec::new(),
        printf: Vec::new(),
        part: None,
        bytes: Vec::<u8>::new().into(),
    }
}

/// Returns a launch of `grid` work-items in groups of `group`, without arguments.
pub fn grid(grid: u32, group: u32) -> LaunchSpec {
    LaunchSpec::new("k", &[grid], &[group]).unwrap()
}

/// Returns the settings with which launches run; the first is the interpreter.
fn ways() -> Vec<RunOptions> {
    let plain = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0);
    let mut ways = vec![
        RunOptions::default().engine(EngineKind::Interp),
        plain.clone().engine(EngineKind::Check),
        plain.clone().region_max(1),
        RunOptions::default(),
    ];
    for level in Level::available() {
        ways.extend([true, false].map(|segments| {
            let mut options = plain.clone().level(level);
            options.segments = segments;
            options
        }));
    }
    ways
}

fn launch(object: &CodeObject, spec: &LaunchSpec, run: RunOptions, max: u64) -> Result<LaunchResult, LaunchFailure> {
    let options = DispatchOptions::default().run(run).jobs(1).max_insts(max);
    Launcher::new(object, Path::new(""), &[], &options)?.launch(spec, &|_| {})
}

/// Runs a launch in every way. Outcome, counts, buffers, and the wave that stopped must be the same. Returns the
/// interpreter's result.
#[track_caller]
pub fn everywhere(object: &CodeObject, spec: &LaunchSpec, max: u64) -> LaunchResult {
    let mut ways = ways().into_iter();
    let expected = launch(object, spec, ways.next().unwrap(), max).unwrap();
    for way in ways {
        let what = format!("{:?} {:?} segments {}", way.engine, way.level, way.segments);
        let result = launch(object, spec, way, max).unwrap();
        let say = |result: &LaunchResult| {
            let run = &result.run;
            let stopped = run
                .stopped
                .as_ref()
                .map(|at| (at.group, at.index, at.wave.executed, at.wave.state.clone(), at.wave.vgprs.clone()));
            (run.outcome.clone(), run.instructions, run.notes, result.state_hash, stopped)
        };
        assert_eq!(say(&result), say(&expected), "{what}");
    }
    expected
}

/// Returns the error of a launch that is refused by every engine.
#[track_caller]
pub fn refused(object: &CodeObject, spec: &LaunchSpec) -> String {
    let options = DispatchOptions::default();
    let checked = Launcher::new(object, Path::new(""), &[], &options).unwrap().check(spec);
    let message = checked.expect_err("it can be launched").to_string();
    let launched = launch(object, spec, RunOptions::default(), 10).expect_err("it was launched").to_string();
    assert_eq!(launched, message);
    message
}

/// Returns the address of the memory fault that ended a launch, and the name of the nearest mapping.
#[track_caller]
pub fn fault(result: &LaunchResult) -> (u64, String) {
    let Ok(Outcome::Fault(detail)) = &result.run.outcome else { panic!("{:?}", result.run.outcome) };
    let memory = detail.memory.expect("a fault of memory");
    let near = result.placed.dispatch.near(memory.address, result.run.stopped.as_ref().unwrap().index).unwrap();
    (memory.address, near.name.to_string())
}

/// Returns the dwords of a buffer.
pub fn dwords(result: &LaunchResult, name: &str) -> Vec<u32> {
    result.buffer(name).unwrap().as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}
