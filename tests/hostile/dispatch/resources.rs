//! Sizes that no host has: LDS, scratch, grids, launches, buffers.

use std::time::{Duration, Instant};

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_isa::kernel::{KernelDescriptor, Rsrc2};
use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind, KernelMetadata};

use super::kernel::*;

/// Returns an object whose kernel ends at once.
fn ends(descriptor: KernelDescriptor) -> CodeObject {
    object(&[END], descriptor)
}

/// Sums of LDS do not wrap, neither of static and dynamic LDS, nor of two arguments, nor by their alignment.
#[test]
fn lds_of_more_than_a_group_has() {
    for (fixed, dynamic, given) in [
        (65_537, &[][..], 65_537u64),
        (u32::MAX, &[], u64::from(u32::MAX)),
        (u32::MAX, &[1], (1 << 32) + 1),
        (4, &[u32::MAX, 16], (1 << 32) + 32),
        (0, &[u32::MAX, u32::MAX, u32::MAX], 3 << 32),
    ] {
        let object = ends(KernelDescriptor { group_segment_size: fixed, kernarg_size: 64, ..DESCRIPTOR });
        let spec = grid(1, 1).args(dynamic.iter().map(|&bytes| ArgValue::Local(bytes)));
        let message = refused(&object, &spec);
        let found: u64 = message.split(' ').next().unwrap().parse().unwrap();
        assert!(message.ends_with(" bytes of LDS: a group has at most 65536"), "{message}");
        // Dynamic LDS begins at a multiple of 16, which may add up to 15 bytes.
        assert!((given.saturating_sub(64)..=given + 64).contains(&found), "{message}, {given}");
    }
    let object = ends(KernelDescriptor { group_segment_size: 65_536, ..DESCRIPTOR });
    assert_eq!(everywhere(&object, &grid(1, 1), 10).run.outcome, Ok(Outcome::Ended));
}

/// The metadata may state any alignment of dynamic LDS.
#[test]
fn lds_of_any_alignment() {
    let local = |offset, pointee_align| Arg {
        name: None,
        type_name: None,
        offset,
        size: 4,
        kind: ArgKind::Local,
        pointee_align,
    };
    for (align, fits) in [(1, true), (3, true), (1 << 14, true), (1 << 15, false), (1 << 32, false), (u64::MAX, false)]
    {
        let mut object = ends(KernelDescriptor { group_segment_size: 5, ..DESCRIPTOR });
        let args = vec![local(0, align), local(4, align)];
        object.kernels[0].metadata = Some(KernelMetadata {
            name: "k".into(),
            symbol: "k.kd".into(),
            args,
            kernarg_size: 8,
            ..Default::default()
        });
        let spec = grid(1, 1).args([ArgValue::Local(8), ArgValue::Local(8)]);
        match fits {
            true => assert_eq!(everywhere(&object, &spec, 10).run.outcome, Ok(Outcome::Ended), "{align}"),
            false => assert!(refused(&object, &spec).contains(" bytes of LDS: "), "{align}"),
        }
    }
}

#[test]
fn scratch_of_gigabytes() {
    for (size, dynamic_stack) in [(u32::MAX, false), (u32::MAX - 3, true), (0x8000_0000, false), (1 << 30, true)] {
        let properties = gcnsim_isa::kernel::CodeProperties { dynamic_stack, ..DESCRIPTOR.properties };
        let object = ends(KernelDescriptor { private_segment_size: size, properties, ..DESCRIPTOR });
        let options = gcnsim_launches::DispatchOptions::default().max_insts(10);
        let message = gcnsim_launches::launch(&object, &grid(1024, 1024), &options).unwrap_err().to_string();
        assert!(message.starts_with("no room for scratch of "), "{message}");
    }
}

/// Untouched memory costs nothing: 256 MiB for each of a hundred groups.
#[test]
fn much_scratch_of_many_groups() {
    let object = ends(KernelDescriptor { private_segment_size: 256 << 10, ..DESCRIPTOR });
    let start = Instant::now();
    let result = everywhere(&object, &grid(100 * 1024, 1024), 10_000);
    assert_eq!((result.run.outcome, result.run.instructions), (Ok(Outcome::Ended), 1600));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// Scratch of megabytes is zero for every group, although it is replaced rather than cleared.
#[test]
fn much_scratch_is_zero_for_every_group() {
    #[rustfmt::skip]
    let code = [
        0xc006_0302, 0, // s_load_dwordx2 s[12:13], s[4:5], 0x0
        0x8066_0906, 0x8267_8007, // s_add_u32 flat_scratch_lo, s6, s9; s_addc_u32 flat_scratch_hi, s7, 0
        0x7e04_02ff, 0xfffc, // v_mov_b32 v2, 65532
        0xdc50_4000, 0x037f_0002, // scratch_load_dword v3, v2, off
        0x7e02_0285, 0xdc70_4000, 0x007f_0102, // v_mov_b32 v1, 5; scratch_store_dword v2, v1, off
        0x7e08_0280, 0xdd24_8000, 0x000c_0304, // v_mov_b32 v4, 0; global_atomic_or v4, v3, s[12:13]
        END,
    ];
    for size in [64 << 10, 128 << 10] {
        let object = object(&code, KernelDescriptor { private_segment_size: size, ..DESCRIPTOR });
        let spec = grid(3 * 128, 128).args([ArgValue::buffer("out")]).buffer("out", vec![0; 4]);
        let result = everywhere(&object, &spec, 1000);
        assert_eq!((result.run.outcome.clone(), dwords(&result, "out")), (Ok(Outcome::Ended), vec![0]));
    }
}

/// Grids of 2^32 groups, and of more than a counter can hold, run until the budget ends.
#[test]
fn grids_without_an_end() {
    for (sizes, groups) in [([1 << 16, 1 << 16, 1], 1 << 32), ([u32::MAX; 3], u64::MAX)] {
        let spec = LaunchSpec::new("k", &sizes, &[1]).unwrap();
        let result = everywhere(&ends(DESCRIPTOR), &spec, 5000);
        assert_eq!((result.run.outcome, result.run.instructions), (Ok(Outcome::Budget), 5000));
        assert_eq!((result.facts.groups, result.run.stopped.unwrap().group), (groups, [5000, 0, 0]));
    }
    // The last group of a row is partial; sizes and offsets do not wrap.
    let spec = LaunchSpec::new("k", &[u32::MAX], &[1024]).unwrap();
    assert_eq!(
        (spec.geometry.grid().count(), spec.geometry.grid().size_of([0x3f_ffff, 0, 0])),
        (1 << 22, [1023, 1, 1])
    );
    let rsrc2 = Rsrc2(7 << 7 | 31 << 1 | 1);
    let object = ends(KernelDescriptor { rsrc2, ..DESCRIPTOR });
    assert_eq!(everywhere(&object, &grid(1, 1), 10).run.outcome, Ok(Outcome::Ended), "31 user SGPRs");
}

/// Of 2^16 launches each takes only a moment to read, and two of one name are found.
#[test]
fn very_many_launches() {
    let count = 1 << 16;
    let launch = |name: usize| format!(r#"{{"name":"{name}","kernel":"k","grid":1,"group":1}}"#);
    let text = |last: usize| {
        let launches: Vec<String> = (0..count - 1).chain([last]).map(launch).collect();
        format!(r#"{{"launch":[{}]}}"#, launches.join(","))
    };
    let start = Instant::now();
    let file = LaunchFile::parse(&text(count), Syntax::Json).unwrap();
    assert_eq!(file.launches.len(), count);
    assert_eq!(
        LaunchFile::parse(&text(5), Syntax::Json).unwrap_err().to_string(),
        "launch[65535]: a second launch named '5'"
    );
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    let object = ends(DESCRIPTOR);
    let options = gcnsim_launches::DispatchOptions::default().jobs(1);
    let mut launcher = gcnsim_launches::Launcher::new(&object, "".as_ref(), &[], &options).unwrap();
    for launch in file.launches.iter().step_by(64) {
        launcher.check(launch).unwrap();
        assert_eq!(launcher.launch(launch, &|_| {}).unwrap().run.outcome, Ok(Outcome::Ended));
    }
}

/// Launch files with numbers at the ends of their ranges, and with buffers that do not fit any memory.
#[test]
fn buffers_of_extreme_numbers() {
    let parse = |buffers: &str| {
        let text = format!(r#"{{"launch":{{"kernel":"k","grid":1,"group":1,"buffers":{{{buffers}}}}}}}"#);
        LaunchFile::parse(&text, Syntax::Json)
    };
    for (content, expected) in [
        (r#"{"iota":{"type":"u8","start":1,"step":"0x7fffffffffffffffffffffffffffffff"},"size":3}"#, [1, 0, 255]),
        (
            r#"{"iota":{"type":"i8","start":-128,"step":"-0x7fffffffffffffffffffffffffffffff"},"size":3}"#,
            [128, 129, 130],
        ),
        (r#"{"random":{"type":"u8","min":7,"max":7,"seed":18446744073709551615},"size":3}"#, [7; 3]),
    ] {
        let file = parse(&format!(r#""b":{content}"#)).unwrap();
        let result = everywhere(&ends(DESCRIPTOR), &file.launches[0], 10);
        assert_eq!(result.buffer("b").unwrap(), expected, "{content}");
    }
    for buffers in [
        r#""b":{"size":1099511627776}"#,
        r#""b":{"size":18446744073709551615}"#,
        r#""b":{"fill":{"u8":1},"size":1099511627776}"#,
        r#""b":{"size":9000000000},"c":{"size":9000000000},"d":{"size":9000000000},"e":{"size":900000000000}"#,
    ] {
        let file = parse(buffers).unwrap();
        assert!(refused(&ends(DESCRIPTOR), &file.launches[0]).starts_with("no room for "), "{buffers}");
    }
    for wrong in [r#""b":{"size":18446744073709551616}"#, r#""b":{"size":-1}"#, r#""b":{"u8":[],"fill":{"u8":0}}"#] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    let deep = format!(r#""b":{{"struct":{}{}}}"#, r#"[{"struct":"#.repeat(5000), "[]}]".repeat(5000));
    assert!(parse(&deep).is_err());
}
