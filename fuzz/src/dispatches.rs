//! Small code objects, and dispatches of them on both engines: what the targets `descriptor`, `metadata`, `launch` and
//! `dispatch` share.

use std::path::Path;

use gcnsim_engine::Run;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::Arch;
use gcnsim_isa::kernel::KernelDescriptor;
use gcnsim_jit::helpers::Level;
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::code_object::metadata::KernelMetadata;
use gcnsim_loader::code_object::{CodeObject, Kernel, LoadSegment};

/// Most bytes of scratch of a wave, and of buffers: a dispatch has to be quick.
pub const MOST_MEMORY: u64 = 1 << 20;

/// A chip of each generation.
const CHIPS: [&str; 5] = ["gfx600", "gfx701", "gfx803", "gfx900", "gfx906"];

/// An object with one kernel `k`: code at 0x1000, and 100 bytes of data at an odd dword.
pub fn object(chip: u8, code: &[u8], descriptor: KernelDescriptor, metadata: Option<KernelMetadata>) -> CodeObject {
    let chip = usize::from(chip) % CHIPS.len();
    let segment = |address, bytes: Vec<u8>, executable: bool| LoadSegment {
        address,
        size: bytes.len() as u64,
        bytes: bytes.into(),
        writable: !executable,
        executable,
    };
    let kernel = Kernel { name: "k".into(), descriptor_address: 0x1000, descriptor, entry: 0x1000, metadata };
    CodeObject {
        chip: CHIPS[chip],
        arch: Arch::ALL[chip],
        version: 4,
        segments: vec![segment(0x1000, code.to_vec(), true), segment(0x10004, vec![0x5a; 100], false)],
        relocations: Vec::new(),
        kernels: vec![kernel],
        variables: Vec::new(),
        printf: Vec::new(),
        part: None,
        bytes: Vec::<u8>::new().into(),
    }
}

/// How compiled code is made: everything at once in regions of several sizes, late, checked, and for other processors.
pub fn setting(number: u8) -> RunOptions {
    let plain = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0);
    match number % 8 {
        0 => plain,
        1 => plain.region_max(1),
        2 => plain.region_max(4),
        3 => plain.hot(3),
        4 => plain.engine(EngineKind::Check).counting_classes(),
        5 => plain.without_segments(),
        6 => plain.level(Level::Avx2).without_segments(),
        _ => plain.level(Level::Portable).without_segments(),
    }
}

/// What a launch leaves: how it ran, and a hash of its buffers.
type Left = (Run, u64);

/// Runs a launch on both engines, with at most `max_insts` instructions. Outcome, counts, notes, buffers and the
/// stopped wave must agree.
pub fn agree(object: &CodeObject, launch: &LaunchSpec, number: u8, max_insts: u64) {
    let interp = RunOptions::default().engine(EngineKind::Interp);
    let (expected, actual) = match [interp, setting(number)].map(|options| run(object, launch, options, max_insts)) {
        [Ok(expected), Ok(actual)] => (expected, actual),
        [expected, actual] => return assert_eq!(actual.err(), expected.err()),
    };
    let ((expected, expected_hash), (actual, hash)) = (expected, actual);
    assert_eq!(actual.outcome, expected.outcome);
    assert!(actual.outcome.is_ok(), "a failure of ours");
    assert_eq!((actual.instructions, actual.notes, hash), (expected.instructions, expected.notes, expected_hash));
    match (actual.stopped, expected.stopped) {
        (None, None) => {}
        (Some(actual), Some(expected)) => {
            assert_eq!((actual.group, actual.index), (expected.group, expected.index));
            assert_eq!((actual.wave.executed, actual.wave.state), (expected.wave.executed, expected.wave.state));
            assert!(actual.wave.vgprs == expected.wave.vgprs, "vector registers differ");
        }
        (actual, expected) => panic!("a wave stopped on one engine: {} {}", actual.is_some(), expected.is_some()),
    }
}

fn run(object: &CodeObject, launch: &LaunchSpec, run: RunOptions, max_insts: u64) -> Result<Left, String> {
    let options = DispatchOptions::default().run(run).jobs(1).max_insts(max_insts);
    let mut launcher = Launcher::new(object, Path::new("nowhere"), &[], &options).map_err(|error| error.to_string())?;
    let result = launcher.launch(launch, &|_| {}).map_err(|error| error.to_string())?;
    Ok((result.run, result.state_hash))
}
