//! Memory of dispatches: traces of earlier groups and launches, relocations of the image, LDS, barriers. The objects
//! are made here, with words by llvm-mc 15 for gfx900.

use std::path::Path;

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{DeviceOptions, OneThread};
use gcnsim_engine::observe::{At, Needs, Observer, Observers, Step};
use gcnsim_isa::Arch;
use gcnsim_isa::kernel::{CodeProperties, KernelDescriptor, Rsrc1, Rsrc2};
use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
use gcnsim_launches::place::PlacedLaunch;
use gcnsim_launches::{DispatchOptions, Launcher, launch};
use gcnsim_loader::code_object::{CodeObject, Kernel, LoadSegment, Relocation, RelocationPart};
use gcnsim_machine::Context;

/// Returns an object with code at 0x1000 and 64 bytes of data at 0x3010. The kernel starts with the kernarg pointer in
/// s[0:1], the initial value of FLAT_SCRATCH in s[2:3], the group's id in s4 and the scratch offset in s5. It has 16
/// VGPRs, 260 bytes of LDS and 4 bytes of scratch.
pub fn object(code: &[u32]) -> CodeObject {
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let segment = |address, bytes: Vec<u8>, executable: bool| LoadSegment {
        address,
        size: bytes.len() as u64,
        bytes: bytes.into(),
        writable: !executable,
        executable,
    };
    let descriptor = KernelDescriptor {
        group_segment_size: 260,
        private_segment_size: 4,
        kernarg_size: 8,
        entry_offset: 0,
        rsrc1: Rsrc1(3),
        rsrc2: Rsrc2(1 << 7 | 4 << 1 | 1),
        properties: CodeProperties { user_sgprs: 1 << 3 | 1 << 5, dynamic_stack: false, private_element_size: 4 },
    };
    let kernel = Kernel { name: "k".into(), descriptor_address: 0x1000, descriptor, entry: 0x1000, metadata: None };
    CodeObject {
        chip: "gfx900",
        arch: Arch::Gcn14,
        version: 4,
        segments: vec![segment(0x1000, code, true), segment(0x3010, vec![0; 64], false)],
        relocations: Vec::new(),
        kernels: vec![kernel],
        variables: Vec::new(),
        printf: Vec::new(),
        part: None,
        bytes: Vec::<u8>::new().into(),
    }
}

/// Returns the dwords of the buffer `out` after a launch.
fn out(code: &[u32], grid: u32, group: u32, size: usize) -> Vec<u32> {
    let spec = LaunchSpec::new("k", &[grid], &[group]).unwrap();
    let spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0xff; size]);
    let result = launch(&object(code), &spec, &DispatchOptions::default().jobs(1)).unwrap();
    assert_eq!(result.run.outcome, Ok(Outcome::Ended));
    dwords(&result.buffer("out").unwrap())
}

pub fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// Each work-item stores the values that it finds in LDS, scratch and v5, and then changes all three.
#[test]
fn groups_find_nothing_of_those_before() {
    #[rustfmt::skip]
    let code = [
        0x8066_0502, 0x8267_8003, // s_add_u32 flat_scratch_lo, s2, s5; s_addc_u32 flat_scratch_hi, s3, 0
        0xc006_0180, 0x0000_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0x2402_0082, 0x7e10_0280, // v_lshlrev_b32 v1, 2, v0; v_mov_b32 v8, 0
        0xd86c_0000, 0x0300_0001, // ds_read_b32 v3, v1
        0xdc50_4000, 0x047f_0008, // scratch_load_dword v4, v8, off
        0xbf8c_0000,              // s_waitcnt 0
        0x280a_0705, 0x280a_0905, // v_or_b32 v5, v5, v3; v_or_b32 v5, v5, v4
        0x8e08_8804, 0x680c_0208, // s_lshl_b32 s8, s4, 8; v_add_u32 v6, s8, v1
        0xdc70_8000, 0x0006_0506, // global_store_dword v6, v5, s[6:7]
        0x7e0a_0281, 0xd81a_0000, 0x0000_0501, // v_mov_b32 v5, 1; ds_write_b32 v1, v5
        0x7e0a_0282, 0xdc70_4000, 0x007f_0508, // v_mov_b32 v5, 2; scratch_store_dword v8, v5, off
        0x7e0a_0284, 0xbf81_0000, // v_mov_b32 v5, 4; s_endpgm
    ];
    assert_eq!(out(&code, 3 * 64, 64, 3 * 256), [0; 192]);
}

/// Compilers load a `half3` as eight bytes, of which the last two may be after the buffer.
#[test]
fn aligned_loads_may_end_behind_a_buffer() {
    use gcnsim_engine::{EngineKind, RunOptions};
    let run = |load: [u32; 2], engine| {
        #[rustfmt::skip]
        let code = [
            0xc006_0180, 0x0000_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
            0x7e02_0280, load[0], load[1], 0xbf8c_0000, // v_mov_b32 v1, 0; load; s_waitcnt 0
            0xdc70_8000, 0x0006_0301, 0xbf81_0000, // global_store_dword v1, v3, s[6:7]; s_endpgm
        ];
        let spec = LaunchSpec::new("k", &[1], &[1]).unwrap();
        let spec = spec.args([ArgValue::buffer("out")]).buffer("out", (1..=14).collect());
        let run = RunOptions::default().engine(engine).hot(0);
        let options = DispatchOptions::default().run(run);
        launch(&object(&code), &spec, &options).unwrap()
    };
    for engine in [EngineKind::Interp, EngineKind::Check] {
        let result = run([0xdc54_8008, 0x0206_0001], engine); // global_load_dwordx2 v[2:3], v1, s[6:7] offset:8
        assert_eq!(result.run.outcome, Ok(Outcome::Ended));
        assert_eq!(result.run.notes.codes(), ["kernarg-guessed", "load-past-end"]);
        assert_eq!(result.buffer("out").unwrap()[..5], [13, 14, 0, 0, 5]);
        // The load at offset 12 is not aligned, and the one at 16 is outside.
        for load in [0xdc54_800c, 0xdc54_8010] {
            let result = run([load, 0x0206_0001], engine);
            assert!(matches!(result.run.outcome, Ok(Outcome::Fault(_))), "{:?}", result.run.outcome);
        }
    }
}

/// Compilers merge two loads of eight bytes to one of sixteen, at an address that is a multiple of eight.
#[test]
fn scalar_loads_end_behind_a_buffer_by_the_alignment_of_their_address() {
    use gcnsim_engine::{EngineKind, RunOptions};
    let run = |offset, engine| {
        #[rustfmt::skip]
        let code = [
            0xc006_0180, 0x0000_0000, 0xbf8c_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0; s_waitcnt 0
            0xc00a_0203, offset, 0xbf8c_0000, // s_load_dwordx4 s[8:11], s[6:7], offset; s_waitcnt 0
            0x7e02_0280, 0x7e06_020b, // v_mov_b32 v1, 0; v_mov_b32 v3, s11
            0xdc70_8000, 0x0006_0301, 0xbf81_0000, // global_store_dword v1, v3, s[6:7]; s_endpgm
        ];
        let spec = LaunchSpec::new("k", &[1], &[1]).unwrap();
        let spec = spec.args([ArgValue::buffer("out")]).buffer("out", (1..=22).collect());
        let run = RunOptions::default().engine(engine).hot(0);
        let options = DispatchOptions::default().run(run);
        launch(&object(&code), &spec, &options).unwrap()
    };
    for engine in [EngineKind::Interp, EngineKind::Check] {
        let result = run(8, engine);
        assert_eq!(result.run.outcome, Ok(Outcome::Ended));
        assert_eq!(result.run.notes.codes(), ["kernarg-guessed", "load-past-end"]);
        assert_eq!(result.buffer("out").unwrap()[..5], [21, 22, 0, 0, 5]);
        // From offset 12 on, the pieces are dwords, of which the last one begins outside.
        assert!(matches!(run(12, engine).run.outcome, Ok(Outcome::Fault(_))));
    }
}

/// LDS is allocated in units of 512 bytes: offset 508 is inside, 512 is not.
#[test]
fn lds_reaches_to_the_end_of_its_granule() {
    #[rustfmt::skip]
    let code = [
        0xc006_0180, 0x0000_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0x7e02_02ff, 0x0000_01fc, 0x7e04_0289, // v_mov_b32 v1, 508; v_mov_b32 v2, 9
        0xd81a_0000, 0x0000_0201, 0xd81a_0004, 0x0000_0201, // ds_write_b32 v1, v2; the same with offset:4
        0xd86c_0000, 0x0300_0001, 0xd86c_0004, 0x0400_0001, // ds_read_b32 v3, v1; ds_read_b32 v4, v1 offset:4
        0x7e0a_0280, 0xbf8c_0000, // v_mov_b32 v5, 0; s_waitcnt 0
        0xdc74_8000, 0x0006_0305, // global_store_dwordx2 v5, v[3:4], s[6:7]
        0xbf81_0000,
    ];
    assert_eq!(out(&code, 1, 1, 8), [9, 0]);
}

/// The second wave executes more instructions than two turns have before the barrier. The first wave waits for it
/// there.
#[test]
fn a_barrier_waits_for_waves_that_take_long() {
    #[rustfmt::skip]
    let code = [
        0xc006_0180, 0x0000_0000, 0x7e02_0280, // s_load_dwordx2 s[6:7], s[0:1], 0x0; v_mov_b32 v1, 0
        0x7e10_0500, 0xbf06_8008, 0xbf85_000a, // v_readfirstlane_b32 s8, v0; s_cmp_eq_u32 s8, 0; s_cbranch_scc1 first
        0xbe89_00ff, 0x000f_4240, // s_mov_b32 s9, 1000000
        0x8089_8109, 0xbf07_8009, 0xbf85_fffd, // loop: s_sub_u32 s9, s9, 1; s_cmp_lg_u32 s9, 0; s_cbranch_scc1 loop
        0x7e04_0285, 0xd81a_0000, 0x0000_0201, // v_mov_b32 v2, 5; ds_write_b32 v1, v2
        0xbf8a_0000, 0xbf81_0000, // s_barrier; s_endpgm
        0xbf8a_0000, 0xd86c_0000, 0x0300_0001, 0xbf8c_0000, // first: s_barrier; ds_read_b32 v3, v1; s_waitcnt 0
        0xdc70_8000, 0x0006_0301, 0xbf81_0000, // global_store_dword v1, v3, s[6:7]; s_endpgm
    ];
    assert_eq!(out(&code, 128, 128, 4), [5]);
}

/// Launches that share buffers also share the object's data, which stay changed. Other launches get them afresh.
#[test]
fn launches_with_shared_buffers_share_data_of_the_object() {
    #[rustfmt::skip]
    let code = [
        0xc006_0180, 0x0000_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0xbe88_1c00, 0x8008_ff08, 0x0000_2004, 0x8209_8009, // s_getpc_b64 s[8:9]; s[8:9] += 0x2004: data
        0x7e02_0280, 0xdc50_8000, 0x0208_0001, // v_mov_b32 v1, 0; global_load_dword v2, v1, s[8:9]
        0xbf8c_0000, 0x6804_0481, // s_waitcnt 0; v_add_u32 v2, 1, v2
        0xdc70_8000, 0x0008_0201, 0xdc70_8000, 0x0006_0201, // global_store_dword v1, v2, s[8:9]; ..., s[6:7]
        0xbf81_0000,
    ];
    let object = object(&code);
    let launch = r#"{"name":"N","kernel":"k","grid":[1],"group":[1],"args":[{"buffer":"out"}]BUFFERS}"#;
    for (shared, own, expected) in
        [(r#""buffers":{"out":{"size":4}},"#, "", [1, 2]), ("", r#","buffers":{"out":{"size":4}}"#, [1, 1])]
    {
        let [first, second] = ["a", "b"].map(|name| launch.replace("N", name).replace("BUFFERS", own));
        let file = LaunchFile::parse(&format!(r#"{{{shared}"launch":[{first},{second}]}}"#), Syntax::Json).unwrap();
        let options = DispatchOptions::default();
        let mut launcher = Launcher::new(&object, Path::new(""), &file.buffers, &options).unwrap();
        for (launch, expected) in file.launches.iter().zip(expected) {
            let result = launcher.launch(launch, &|_| {}).unwrap();
            assert_eq!(dwords(&result.buffer("out").unwrap()), [expected], "{shared}");
        }
    }
}

/// Relocated addresses move with the image, and keep their low bits.
#[test]
fn relocations_of_the_image_are_applied() {
    let mut object = object(&[0xbf81_0000; 4]);
    object.relocations = [
        (0x3010, RelocationPart::Whole, 0x3_0000_1234),
        (0x3018, RelocationPart::Low, 0x3_0000_1234),
        (0x301c, RelocationPart::High, 0x3_0000_1234),
    ]
    .map(|(place, part, target)| Relocation { place, target, part })
    .to_vec();
    let geometry = Geometry::new(&[1], &[1], &[]).unwrap();
    let placed =
        PlacedLaunch::new(&object, &object.kernels[0], &geometry, (&[], &[]), None, &DeviceOptions::default(), 0)
            .unwrap();
    let moved = placed.addresses.image;
    assert_eq!(moved & 0xfff, 0);
    let mut bytes = [0; 16];
    let mut context = Context::ready(0);
    context.space = placed.dispatch.space().clone();
    context.load(moved + 0x3010, &mut bytes, None).unwrap();
    let expected = moved + 0x3_0000_1234;
    let (low, high) = (expected as u32, (expected >> 32) as u32);
    assert_eq!(dwords(&bytes), [low, high, low, high]);
    // The object need not begin at the start of a page.
    object.segments[0].address = 0x1100;
    object.kernels[0].entry = 0x1100;
    let placed =
        PlacedLaunch::new(&object, &object.kernels[0], &geometry, (&[], &[]), None, &DeviceOptions::default(), 0)
            .unwrap();
    assert_eq!(placed.addresses.image & 0xfff, 0);
}

/// A check takes back the writes of compiled code, which would lose atomics of other threads. So each check runs alone;
/// and one thread runs everything if all of it is checked, or if atomics return old values. (Profiles of regions exist
/// only in runs on one thread.)
#[test]
fn atomics_of_all_threads_count_though_code_is_checked() {
    use gcnsim_engine::{EngineKind, RunOptions};
    const GROUPS: u32 = 2000;
    let run = |glc: u32, engine: EngineKind| {
        #[rustfmt::skip]
        let code = [
            0xc006_0180, 0x0000_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
            0x7e02_0280, 0x7e04_0281, // v_mov_b32 v1, 0; v_mov_b32 v2, 1
            0xdd08_8000 | glc << 16, 0x0006_0201, 0xbf81_0000, // global_atomic_add (v0,) v1, v2, s[6:7]; s_endpgm
        ];
        let spec = LaunchSpec::new("k", &[GROUPS * 64], &[64]).unwrap();
        let spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0; 4]);
        // The threads share the number of entries to check.
        let run = RunOptions::default().engine(engine).hot(0).checked_entries(4 * u64::from(GROUPS));
        let options = DispatchOptions::default().run(run).jobs(4);
        let result = launch(&object(&code), &spec, &options).unwrap();
        assert_eq!(result.run.outcome, Ok(Outcome::Ended));
        assert_eq!(dwords(&result.buffer("out").unwrap()), [GROUPS * 64], "{engine:?}");
        (result.run.regions.is_empty(), result.run.stats.checks)
    };
    assert_eq!(run(0, EngineKind::JitNoCheck), (true, 0));
    let (has_threads, checks) = run(0, EngineKind::Jit);
    assert!(has_threads && checks >= u64::from(GROUPS) - 4, "{checks} checks");
    assert!(!run(0, EngineKind::Check).0);
    assert!(!run(1, EngineKind::Jit).0);
}

/// In a dispatch of many waves one region serves the start of the kernel and its loop, on any number of threads.
#[test]
fn a_large_dispatch_compiles_its_kernel_once() {
    #[rustfmt::skip]
    let code = [
        0xbe80_00c0, // s_mov_b32 s0, 64
        0x8080_8100, 0xbf07_8000, 0xbf85_fffd, // s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 -3
        0xbf81_0000,
    ];
    let run = |waves: u32, jobs: usize| {
        let spec = LaunchSpec::new("k", &[64 * waves], &[64]).unwrap();
        let options = DispatchOptions::default().jobs(jobs);
        let result = launch(&object(&code), &spec, &options).unwrap();
        assert_eq!(result.run.outcome, Ok(Outcome::Ended));
        assert_eq!(result.run.instructions, u64::from(waves) * (2 + 64 * 3));
        let stats = result.run.stats;
        (stats.regions_compiled, stats.regions_entered, stats.checks)
    };
    assert_eq!(run(64, 1), (1, 1, 64));
    // Each thread counts the region. One of them may have had all groups.
    let (compiled, entered, checks) = run(640, 2);
    assert!((1..=2).contains(&compiled) && (1..=2).contains(&entered) && checks >= 32, "{compiled} {entered} {checks}");
}

/// Runs a kernel on `groups` groups of one work-item, on up to `jobs` threads. Returns the buffer `out`, the notes, and
/// the reason if one thread ran all groups. At the start of `body`, s[6:7] is the address of the buffer (`size` zeros),
/// s4 the group, v1 is 0, and v2 is s4.
fn on_threads(body: &[u32], groups: u32, size: usize, jobs: usize) -> (Vec<u8>, Vec<&'static str>, Option<OneThread>) {
    #[rustfmt::skip]
    let begin = [
        0xc006_0180, 0x0000_0000, 0x7e02_0280, 0x7e04_0204, 0xbf8c_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0; v_mov..
    ];
    let code = [&begin, body, &[0xbf81_0000][..]].concat();
    let spec = LaunchSpec::new("k", &[groups], &[1]).unwrap();
    let spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0; size]);
    let options = DispatchOptions::default().jobs(jobs);
    let result = launch(&object(&code), &spec, &options).unwrap();
    assert_eq!(result.run.outcome, Ok(Outcome::Ended));
    // The note `kernarg-guessed` comes from the object, which has no metadata.
    let notes = result.run.notes.codes().into_iter().filter(|&code| code != "kernarg-guessed").collect();
    (result.buffer("out").unwrap(), notes, result.run.one_thread)
}

/// v_lshlrev_b32 v1, 2, v2
const DWORD_OF_GROUP: u32 = 0x2402_0482;
/// global_store_dword v1, v2, s[6:7]
const STORE: [u32; 2] = [0xdc70_8000, 0x0006_0201];

/// All groups write to one place. The last one in order wins, not the last one by chance.
#[test]
fn groups_that_write_one_place_do_so_in_order() {
    const GROUPS: u32 = 2000;
    for _ in 0..3 {
        let (out, notes, why) = on_threads(&STORE, GROUPS, 4, 2);
        assert_eq!(dwords(&out), [GROUPS - 1]);
        assert_eq!((notes, why), (vec!["groups-overlap"], Some(OneThread::Repeated)));
    }
    let (out, notes, why) = on_threads(&STORE, GROUPS, 4, 1);
    assert_eq!((dwords(&out), notes, why), (vec![GROUPS - 1], vec!["groups-overlap"], Some(OneThread::Asked)));
}

/// Each group adds 1 to the value that the group before it left.
#[test]
fn groups_that_read_what_others_write_do_so_in_order() {
    const GROUPS: u32 = 500;
    #[rustfmt::skip]
    let body = [
        DWORD_OF_GROUP, 0xdc50_8000, 0x0306_0001, 0xbf8c_0000, // global_load_dword v3, v1, s[6:7]; s_waitcnt 0
        0x6806_0681, 0xdc70_8004, 0x0006_0301, // v_add_u32 v3, 1, v3; global_store_dword v1, v3, s[6:7] offset:4
    ];
    for jobs in [1, 2] {
        let (out, notes, _) = on_threads(&body, GROUPS, 4 * GROUPS as usize + 4, jobs);
        assert_eq!(dwords(&out), (0..=GROUPS).collect::<Vec<u32>>());
        assert_eq!(notes, ["groups-overlap"], "{jobs}");
    }
    // Only the last group writes, and to the place that all groups have read: 3 to dword 0.
    #[rustfmt::skip]
    let body = [
        0xdc50_8000, 0x0306_0001, 0xbf07_ff04, GROUPS - 1, // global_load_dword v3, v1, s[6:7]; s_cmp_lg_u32 s4, last
        0xbf85_0003, 0x7e04_0283, STORE[0], STORE[1], // s_cbranch_scc1 end; v_mov_b32 v2, 3; store
    ];
    for jobs in [1, 2] {
        let (out, notes, _) = on_threads(&body, GROUPS, 4, jobs);
        assert_eq!((dwords(&out), notes), (vec![3], vec!["groups-overlap"]), "{jobs}");
    }
    // The last group writes where no other has read.
    let body = [&body[..6], &[STORE[0] | 4, STORE[1]]].concat();
    for jobs in [1, 2] {
        let (out, notes, _) = on_threads(&body, GROUPS, 8, jobs);
        assert_eq!((dwords(&out), notes), (vec![0, 3], vec![]), "{jobs}");
    }
}

/// The groups that ended before a launch stopped are known to overlap or not, and the stopped one does not count. The
/// same holds for launches whose memory earlier ones have left, and if every wave is watched.
#[test]
fn overlaps_are_noted_where_a_launch_stops_and_where_it_is_watched() {
    #[rustfmt::skip]
    let code = [
        0xc006_0180, 0x0000_0000, 0x7e02_0280, 0x7e04_0204, 0xbf8c_0000, // s_load_dwordx2 s[6:7], s[0:1], 0x0; v_mov..
        STORE[0], STORE[1], 0xbf07_8304, 0xbf85_0001, 0xbf92_0001, 0xbf81_0000, // store; s_trap 1 in group 3; s_endpgm
    ];
    struct Nothing;
    impl Observer for Nothing {
        fn needs(&mut self, _: &At<'_>, _: &gcnsim::Wave) -> Needs {
            Needs::NOTHING
        }

        fn after(&mut self, _: &At<'_>, _: &Step<'_>, _: &gcnsim::Wave, _: &gcnsim_machine::Context) {}
    }
    for (groups, expected) in [(1, false), (2, true), (4, true), (5, true)] {
        for jobs in [1, 2] {
            let spec = LaunchSpec::new("k", &[groups], &[1]).unwrap();
            let spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0; 4]);
            let options = DispatchOptions::default().jobs(jobs);
            let object = object(&code);
            let mut launcher = Launcher::new(&object, Path::new(""), &[], &options).unwrap();
            let plain = launcher.launch(&spec, &|_| {}).unwrap();
            let watched = launcher.launch_observed(&spec, &|_| {}, &mut Observers::one(&mut Nothing)).unwrap();
            for result in [&plain, &watched] {
                assert_eq!(result.run.outcome == Ok(Outcome::Ended), groups < 4);
                assert_eq!(result.run.notes.codes().contains(&"groups-overlap"), expected, "{groups} {jobs}");
            }
        }
    }
}

/// Several groups write different bytes of one dword. They do not overlap, which a run byte by byte finds out.
#[test]
fn groups_with_bytes_of_their_own_do_not_overlap() {
    const GROUPS: u32 = 600;
    let body = [0x7e02_0204, 0xdc60_8000, 0x0006_0201]; // v_mov_b32 v1, s4; global_store_byte v1, v2, s[6:7]
    for jobs in [1, 2] {
        let (out, notes, _) = on_threads(&body, GROUPS, GROUPS as usize, jobs);
        assert_eq!((out, notes), ((0..GROUPS).map(|group| group as u8).collect(), vec![]), "{jobs}");
    }
}

/// Groups that have nothing in common run on several threads, though they read and write one buffer.
#[test]
fn groups_that_do_not_overlap_run_on_all_threads() {
    const GROUPS: u32 = 1000;
    #[rustfmt::skip]
    let body = [
        DWORD_OF_GROUP, STORE[0], STORE[1], 0xdc50_8000, 0x0306_0001, // store; global_load_dword v3, v1, s[6:7]
        0x6806_0681, 0xdc70_8000, 0x0006_0301, // v_add_u32 v3, 1, v3; global_store_dword v1, v3, s[6:7]
    ];
    let (out, notes, why) = on_threads(&body, GROUPS, 4 * GROUPS as usize, 2);
    assert_eq!((dwords(&out), notes, why), ((1..=GROUPS).collect(), vec![], None));
    // One thread runs atomics that return old values; several threads run those that do not.
    let add = |glc: u32| [0xdd08_8000 | glc << 16, 0x0306_0201]; // global_atomic_add v3, v1, v2, s[6:7]
    assert_eq!(on_threads(&add(1), GROUPS, 4, 2).2, Some(OneThread::Atomics));
    let (out, notes, why) = on_threads(&add(0), GROUPS, 4, 2);
    assert_eq!((dwords(&out), notes, why), (vec![GROUPS * (GROUPS - 1) / 2], vec![], None));
    // Atomics do not overlap each other, but a load of what others add to does.
    let body = [&add(0)[..], &[0xdc50_8000, 0x0306_0001]].concat(); // global_load_dword v3, v1, s[6:7]
    for jobs in [1, 2] {
        assert_eq!(on_threads(&add(0), GROUPS, 4, jobs).1, Vec::<&str>::new(), "{jobs}");
        assert_eq!(on_threads(&body, GROUPS, 4, jobs).1, ["groups-overlap"], "{jobs}");
    }
}

/// A group that waits for a later group goes on when that has run: after the same number of instructions on all
/// engines, with any number of threads.
#[test]
fn groups_that_wait_for_later_ones_end() {
    use gcnsim_engine::{EngineKind, RunOptions};
    #[rustfmt::skip]
    let code = [
        0xc006_0180, 0x0000_0000, 0x7e02_0280, 0x7e04_0281, 0xbf8c_0000, // s[6:7]; v1 = 0; v2 = 1
        0xbf07_8004, 0xbf85_0006, // s_cmp_lg_u32 s4, 0; s_cbranch_scc1 store
        0xdc50_8000, 0x0306_0001, 0x7e10_0503, // loop: global_load_dword v3, v1, s[6:7]; v_readfirstlane_b32 s8, v3
        0xbf06_8008, 0xbf85_fffb, 0xbf81_0000, // s_cmp_eq_u32 s8, 0; s_cbranch_scc1 loop; s_endpgm
        0xdc70_8000, 0x0006_0201, 0xbf81_0000, // store: global_store_dword v1, v2, s[6:7]; s_endpgm
    ];
    let mut instructions = None;
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check] {
        for jobs in [1, 2] {
            let spec = LaunchSpec::new("k", &[2], &[1]).unwrap();
            let spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0; 4]);
            let run = RunOptions::default().engine(engine).hot(0);
            let options = DispatchOptions::default().run(run).jobs(jobs).max_insts(20_001);
            let result = launch(&object(&code), &spec, &options).unwrap();
            assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{engine:?} {jobs}");
            assert_eq!(dwords(&result.buffer("out").unwrap()), [1]);
            // The first look comes after 16,384 instructions, and the second 128 later. Each takes a few rounds of five.
            let instructions = *instructions.get_or_insert(result.run.instructions);
            assert_eq!(result.run.instructions, instructions, "{engine:?} {jobs}");
            assert!((16_512..16_600).contains(&instructions), "{instructions}");
        }
    }
}

/// A device answers where nothing is mapped. With a device groups run on one thread.
#[test]
fn a_device_sees_accesses_of_groups_in_order() {
    use gcnsim_machine::{Access, Peripheral};
    use std::sync::{Arc, Mutex};
    #[derive(Default)]
    struct Sink(Vec<(u64, Vec<u8>)>);
    impl Peripheral for Sink {
        fn allows(&self, address: u64, _bytes: u32, access: Access) -> bool {
            address >> 12 == 1 && access == Access::Store
        }
        fn load(&mut self, _: u64, _: &mut [u8]) {}
        fn store(&mut self, address: u64, bytes: &[u8]) {
            self.0.push((address, bytes.to_vec()));
        }
    }
    let sink = Arc::new(Mutex::new(Sink::default()));
    // v_mov_b32 v1, 0; v_mov_b32 v2, s4; s_movk_i32 s6, 0x1000; s_mov_b32 s7, 0; store
    let code = [0x7e02_0280, 0x7e04_0204, 0xb006_1000, 0xbe87_0080, STORE[0], STORE[1], 0xbf81_0000];
    let spec = LaunchSpec::new("k", &[3], &[1]).unwrap();
    let spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0; 4]);
    let peripheral = Some(sink.clone().into());
    let options = DispatchOptions::default().jobs(2).peripheral(peripheral);
    let result = launch(&object(&code), &spec, &options).unwrap();
    assert_eq!((result.run.outcome, result.run.one_thread), (Ok(Outcome::Ended), Some(OneThread::Peripheral)));
    let expected: Vec<_> = (0..3u32).map(|group| (0x1000, group.to_le_bytes().to_vec())).collect();
    assert_eq!(sink.lock().unwrap().0, expected);
}

/// Each group loads 64 dwords by a descriptor of the first 4 KiB of a buffer, and stores them, increased, behind that.
/// Group `late` also stores 100 where the fourth group after it loads, to what the groups before it have only loaded.
#[test]
fn a_late_group_stores_to_what_others_load() {
    use gcnsim_engine::{EngineKind, RunOptions};
    #[rustfmt::skip]
    let code = [
        0xbe8f_0004,                           // s_mov_b32 s15, s4
        0xc00a_0100, 0, 0xc00a_0200, 0x10,     // s_load_dwordx4 s[4:7], s[0:1], 0x0; s_load_dwordx4 s[8:11], s[0:1], 0x10
        0xc002_0340, 0x20, 0x2402_0082,        // s_load_dword s13, s[0:1], 0x20; v_lshlrev_b32 v1, 2, v0
        0x8e0c_880f, 0x6802_020c, 0xb00e_1000, // s_lshl_b32 s12, s15, 8; v_add_u32 v1, s12, v1; s_movk_i32 s14, 0x1000
        0xbf8c_c07f, 0xe050_1000, 0x8001_0201, // s_waitcnt lgkmcnt(0); buffer_load_dword v2, v1, s[4:7], 0 offen
        0xbf8c_0f70, 0x6804_0481,              // s_waitcnt vmcnt(0); v_add_u32 v2, 1, v2
        0xe070_1000, 0x0e02_0201,              // buffer_store_dword v2, v1, s[8:11], s14 offen
        0xbf07_0d0f, 0xbf85_0006,              // s_cmp_lg_u32 s15, s13; s_cbranch_scc1 over
        0x6802_02ff, 0x400, 0x7e04_02ff, 0x64, // v_add_u32 v1, 0x400, v1; v_mov_b32 v2, 0x64
        0xe070_1000, 0x8002_0201, 0xbf81_0000, // buffer_store_dword v2, v1, s[8:11], 0 offen; over: s_endpgm
    ];
    let mut object = object(&code);
    object.kernels[0].descriptor.kernarg_size = 36;
    let number = |value: u32| ArgValue::Bytes { bytes: value.to_le_bytes().to_vec(), align: 4 };
    for late in [16, 5, 11] {
        let spec = LaunchSpec::new("k", &[16 * 64], &[64]).unwrap();
        let [words, all] = [0x1000, 0x2000].map(|records| [ArgValue::buffer("data"), number(records), number(0x27fac)]);
        let spec = spec.args(words).args(all).args([number(late)]);
        let data: Vec<u8> = (0..2048u32).flat_map(u32::to_le_bytes).collect();
        let spec = spec.buffer("data", data);
        let stored = |n: u32| n / 64 == late + 4;
        let loaded = (0..1024).map(|n| if stored(n) { 100 } else { n });
        let expected: Vec<u32> = loaded.clone().chain(loaded.map(|n| n + 1)).collect();
        for engine in [EngineKind::Interp, EngineKind::Check, EngineKind::JitNoCheck] {
            let run = RunOptions::default().engine(engine).hot(0);
            for jobs in [1, 2, 2] {
                let options = DispatchOptions::default().run(run.clone()).jobs(jobs);
                let result = launch(&object, &spec, &options).unwrap();
                assert_eq!(result.run.outcome, Ok(Outcome::Ended));
                assert_eq!(dwords(&result.buffer("data").unwrap()), expected, "{late} {engine:?} {jobs}");
                let overlaps = result.run.notes.codes().contains(&"groups-overlap");
                assert_eq!(overlaps, late < 12, "{late} {engine:?} {jobs}");
            }
        }
    }
}
