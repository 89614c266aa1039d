//! The state in which kernels start, compared with the tables of docs/gcn/dispatch.md, docs/gcn/kernel-arguments.md and
//! docs/gcn/dispatch-example.md.

use gcnsim_isa::kernel::{KernelDescriptor, Rsrc1, Rsrc2};

use super::*;
use crate::waves::Waves;
use gcnsim_loader::code_object::metadata::{Arg, KernelMetadata};

/// The addresses of the worked example.
const ADDRESSES: Addresses = Addresses {
    image: 0x5000_0000,
    kernarg: 0x2000_0000,
    packet: 0x3000_0000,
    queue: 0x6000_0000,
    scratch: 0x4000_0000,
    printf: 0,
};

fn of_kernel(kernel: &Kernel, arch: Arch, geometry: &Geometry, addresses: &Addresses) -> Registers {
    registers(&kernel.descriptor, kernel.entry, arch, geometry, addresses, (0, private_size(kernel)))
}

/// Returns the waves of a kernel.
fn waves(kernel: &Kernel, arch: Arch, geometry: Geometry, addresses: &Addresses) -> Waves {
    Waves::new(arch, of_kernel(kernel, arch, &geometry, addresses))
}

fn saxpy(version: u8) -> Kernel {
    let v5 = version >= 5;
    let properties = if v5 { 0x9 } else { 0xb };
    let hidden = |offset, size, kind| Arg {
        name: None,
        type_name: None,
        offset,
        size,
        kind: ArgKind::Hidden(kind),
        pointee_align: 1,
    };
    let by_value = |offset, size, kind| Arg { name: None, type_name: None, offset, size, kind, pointee_align: 1 };
    let mut args = vec![
        by_value(0, 8, ArgKind::Buffer),
        by_value(8, 8, ArgKind::Buffer),
        by_value(16, 4, ArgKind::ByValue),
        by_value(20, 4, ArgKind::ByValue),
    ];
    if v5 {
        args.push(hidden(24, 4, Hidden::BlockCount(0)));
    } else {
        args.extend((0..3).map(|d| hidden(24 + 8 * d as u64, 8, Hidden::GlobalOffset(d))));
    }
    Kernel {
        name: "saxpy".into(),
        descriptor_address: 0x1000,
        descriptor: KernelDescriptor {
            group_segment_size: 0,
            private_segment_size: 0,
            kernarg_size: if v5 { 280 } else { 80 },
            entry_offset: 192,
            rsrc1: Rsrc1(0x00af_0040),
            rsrc2: Rsrc2(if v5 { 0x8c } else { 0x90 }),
            properties: CodeProperties { user_sgprs: properties, dynamic_stack: false, private_element_size: 4 },
        },
        entry: 0x10c0,
        metadata: Some(KernelMetadata { args, ..KernelMetadata::default() }),
    }
}

/// Returns a kernarg segment of zeros, with explicit arguments up to `end`.
fn placed(size: usize, end: u64) -> PlacedArgs {
    PlacedArgs { kernarg: vec![0; size], end, dynamic_lds: 0, guessed: false, objects: Vec::new() }
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn the_worked_example_v4() {
    let (kernel, arch) = (saxpy(4), Arch::Gcn14);
    let geometry = Geometry::new(&[1000], &[256], &[]).unwrap();
    let packet = dwords(&packet(&kernel, &geometry, 0, &ADDRESSES));
    assert_eq!(packet[..8], [0x0001_0b02, 0x0001_0100, 1, 0x3e8, 1, 1, 0, 0]);
    assert_eq!(packet[8..], [0x5000_1000, 0, 0x2000_0000, 0, 0, 0, 0, 0]);
    let mut placed = placed(80, 24);
    hidden_arguments(&mut placed, &kernel, 4, arch, &geometry, &ADDRESSES);
    assert_eq!(placed.kernarg, [0; 80]);
    let setup = waves(&kernel, arch, geometry, &ADDRESSES);
    let state = setup.state([3, 0, 0], 3);
    assert_eq!(state.sgpr[..9], [0x4000_0000, 0x8000_0000, u32::MAX, 0x00e0_0fac, 0x3000_0000, 0, 0x2000_0000, 0, 3]);
    assert_eq!((state.exec(), state.mode, state.pc), (0x0000_00ff_ffff_ffff, 0x3f0, 0x5000_10c0));
    assert_eq!((setup.waves([3, 0, 0]), setup.waves([0, 0, 0]), setup.vgprs()), (4, 4, 4));
    let vgprs = setup.local_ids(setup.group_size([3, 0, 0]), 3);
    assert_eq!((vgprs.len(), vgprs[0].0[0], vgprs[0].0[39], vgprs[0].0[40]), (1, 192, 231, 0));
}

#[test]
fn the_worked_example_v5() {
    let (kernel, arch) = (saxpy(5), Arch::Gcn12);
    let geometry = Geometry::new(&[1000], &[256], &[]).unwrap();
    let mut placed = placed(280, 24);
    hidden_arguments(&mut placed, &kernel, 5, arch, &geometry, &Addresses { queue: 0, ..ADDRESSES });
    let dwords = dwords(&placed.kernarg);
    let mut expected = vec![0; 70];
    expected[6..12].copy_from_slice(&[3, 1, 1, 0x0001_0100, 0x00e8_0001, 0]);
    expected[22] = 1;
    (expected[54], expected[55]) = (0x2000_0001, 0x2000_0000);
    assert_eq!(dwords, expected);
    let state = waves(&kernel, arch, geometry, &ADDRESSES).state([3, 0, 0], 3);
    assert_eq!(state.sgpr[..7], [0x4000_0000, 0x8000_0000, u32::MAX, 0x00e8_0fac, 0x2000_0000, 0, 3]);
}

#[test]
fn scratch_and_ids_in_three_dimensions() {
    let mut kernel = saxpy(4);
    kernel.descriptor.private_segment_size = 258;
    kernel.descriptor.properties.user_sgprs = 0x2b;
    kernel.descriptor.rsrc2 = Rsrc2(0x95 | 7 << 7 | 1 << 10 | 2 << 11);
    let geometry = Geometry::new(&[10, 9, 8], &[5, 5, 5], &[]).unwrap();
    for (arch, init) in [(Arch::Gcn12, [0, 260]), (Arch::Gcn14, [0x4000_0000, 0])] {
        let setup = waves(&kernel, arch, geometry, &ADDRESSES);
        assert_eq!(setup.wave_scratch(), 17 * 1024);
        let state = setup.state([1, 1, 0], 1);
        // A group of 5 * 4 * 5 work-items has two waves.
        assert_eq!(state.sgpr[8..15], [init[0], init[1], 1, 1, 0, 2 | 1 << 6, 17 * 1024]);
        assert_eq!(state.exec(), (1 << 36) - 1);
        let vgprs = setup.local_ids(setup.group_size([1, 1, 0]), 1);
        // A slice has 5 * 4 work-items, so work-item 64 has x 4, y 0, z 3.
        assert_eq!([0, 1, 2].map(|i| vgprs[i].0[0]), [4, 0, 3]);
        assert_eq!([0, 1, 2].map(|i| vgprs[i].0[35]), [4, 3, 4]);
    }
}

/// Addresses that differ in both dwords.
const FAR: Addresses = Addresses {
    image: 0x11_1000_0000,
    kernarg: 0x12_2000_0040,
    packet: 0x13_3000_0080,
    queue: 0x14_4000_0100,
    scratch: 0x15_5000_0200,
    printf: 0x16_6000_0300,
};

/// Returns a kernel with the given code properties, bits of RSRC2 and bytes of scratch for a work-item.
fn kernel_with(user_sgprs: u32, rsrc2: u32, private_segment_size: u32) -> Kernel {
    let mut kernel = saxpy(4);
    kernel.descriptor.properties.user_sgprs = user_sgprs;
    kernel.descriptor.private_segment_size = private_segment_size;
    kernel.descriptor.rsrc2 = Rsrc2(rsrc2);
    kernel
}

/// Returns a grid of 7 * 6 * 5 groups, whose last ones are partial.
fn solid() -> Geometry {
    Geometry::new(&[61, 50, 10], &[10, 9, 2], &[0x1_0000_0007, 0x2_0000_0008, 0x3_0000_0009]).unwrap()
}

/// Each property bit alone, then several, by docs/gcn/dispatch.md#initial-registers.
#[test]
fn every_user_sgpr() {
    let sgprs = |arch, properties, count: u32| {
        let setup = waves(&kernel_with(properties, count << 1, 9), arch, solid(), &FAR);
        setup.state([0, 0, 0], 0).sgpr[..count as usize + 1].to_vec()
    };
    let gfx9 = Arch::Gcn14;
    let buffer = |word3: u32| vec![0x5000_0200, 0x8000_0015, u32::MAX, word3, 0];
    for (arch, word3) in [
        (Arch::Gcn10, 0x00ea_4fac),
        (Arch::Gcn11, 0x00ea_4fac),
        (Arch::Gcn12, 0x00e8_0fac),
        (gfx9, 0x00e0_0fac),
        (Arch::Gcn141, 0x00e0_0fac),
    ] {
        assert_eq!(sgprs(arch, 1, 4), buffer(word3), "{arch:?}");
    }
    assert_eq!(sgprs(gfx9, 1 << 1, 2), [0x3000_0080, 0x13, 0]);
    assert_eq!(sgprs(gfx9, 1 << 2, 2), [0x4000_0100, 0x14, 0]);
    assert_eq!(sgprs(gfx9, 1 << 3, 2), [0x2000_0040, 0x12, 0]);
    assert_eq!(sgprs(gfx9, 1 << 4, 2), [0, 0, 0]);
    assert_eq!(sgprs(gfx9, 1 << 5, 2), [0x5000_0200, 0x15, 0]);
    // The two dwords are the offset from the hidden base, which is 0, and 9 bytes rounded up to whole dwords.
    for arch in [Arch::Gcn11, Arch::Gcn12] {
        assert_eq!(sgprs(arch, 1 << 5, 2), [0, 12, 0]);
    }
    assert_eq!(sgprs(gfx9, 1 << 6, 1), [12, 0]);
    assert_eq!([7, 8, 9].map(|bit| sgprs(gfx9, 1 << bit, 1)[0]), [7, 6, 5]);
    let most = [0x3000_0080, 0x13, 0x4000_0100, 0x14, 0x2000_0040, 0x12, 0, 0, 0x5000_0200, 0x15, 12, 7, 6, 5, 0];
    assert_eq!(sgprs(gfx9, 0x3fe, 14), most);
}

/// System SGPRs follow the user SGPRs that the descriptor counts, even if the property bits add up to fewer.
#[test]
fn every_system_sgpr() {
    // The user SGPRs are the kernarg pointer and two without a meaning. The wave is the second of three.
    let sgprs = |bits: u32| {
        let setup = waves(&kernel_with(8, 4 << 1 | bits, 20), Arch::Gcn12, solid(), &FAR);
        let state = setup.state([5, 4, 3], 1);
        assert_eq!(state.sgpr[..4], [0x2000_0040, 0x12, 0, 0]);
        state.sgpr[4..9].to_vec()
    };
    assert_eq!([7, 8, 9].map(|bit| sgprs(1 << bit)), [[5, 0, 0, 0, 0], [4, 0, 0, 0, 0], [3, 0, 0, 0, 0]]);
    assert_eq!(sgprs(1 << 10), [3 | 1 << 6, 0, 0, 0, 0]);
    // The scratch of wave 1 begins after the 64 * 20 bytes of wave 0, rounded up to 1 KiB.
    assert_eq!(sgprs(1), [2048, 0, 0, 0, 0]);
    assert_eq!(sgprs(0x781), [5, 4, 3, 3 | 1 << 6, 2048]);
    let setup = waves(&kernel_with(0, 1 << 10, 0), Arch::Gcn12, solid(), &FAR);
    assert_eq!([0, 1, 2].map(|wave| setup.state([0, 0, 0], wave).sgpr[0]), [3 | 1 << 31, 3 | 1 << 6, 3 | 2 << 6]);
}

/// EXEC, work-item ids, MODE, PC, and the apertures that S_GETREG reads.
#[test]
fn every_other_register() {
    let mut kernel = kernel_with(0, 2 << 11, 0);
    kernel.descriptor.rsrc1 = Rsrc1(0x5a << 12 | 1 << 21 | 1 << 26 | 11);
    let setup = waves(&kernel, Arch::Gcn14, solid(), &FAR);
    let state = setup.state([0, 0, 0], 0);
    assert_eq!((state.mode, state.pc, state.sh_mem_bases), (0x80_015a, 0x11_1000_10c0, 0x0001_0002));
    assert_eq!((state.vcc(), state.scc, state.sgpr[124], setup.vgprs()), (0, 0, 0, 48));
    let gfx8 = waves(&kernel, Arch::Gcn12, solid(), &FAR).state([0, 0, 0], 0);
    assert_eq!((gfx8.mode, gfx8.sh_mem_bases), (0x15a, 0));
    // A whole group has 10 * 9 * 2 work-items, the last one 1 * 5 * 2.
    assert_eq!([0, 1, 2].map(|wave| setup.state([0, 0, 0], wave).exec()), [u64::MAX, u64::MAX, (1 << 52) - 1]);
    assert_eq!((setup.waves([0, 0, 0]), setup.waves([6, 5, 4])), (3, 1));
    assert_eq!(setup.state([6, 5, 4], 0).exec(), 0x3ff);
    let ids = |setup: &Waves, group, wave, lane: usize| {
        let vgprs = setup.local_ids(setup.group_size(group), wave);
        [0, 1, 2, 3].map(|i: usize| vgprs.get(i).map_or(0, |vgpr| vgpr.0[lane]))
    };
    assert_eq!(ids(&setup, [0, 0, 0], 0, 63), [3, 6, 0, 0]);
    // Work-item 128 is 1 * 90 + 3 * 10 + 8.
    assert_eq!(ids(&setup, [0, 0, 0], 2, 0), [8, 3, 1, 0]);
    assert_eq!(ids(&setup, [6, 5, 4], 0, 9), [0, 4, 1, 0]);
    for (fields, seen) in [(0, [8, 0, 0, 0]), (1, [8, 3, 0, 0]), (3, [8, 3, 1, 0])] {
        let setup = waves(&kernel_with(0, fields << 11, 0), Arch::Gcn14, solid(), &FAR);
        assert_eq!(ids(&setup, [0, 0, 0], 2, 0), seen);
    }
}

/// The packet by docs/gcn/dispatch.md#packet-and-queue.
#[test]
fn every_field_of_the_packet() {
    let packet = packet(&kernel_with(0, 0, 5), &solid(), 0x1234, &FAR);
    let mut expected = vec![0x0003_0b02, 0x0009_000a, 2, 61, 50, 10, 8, 0x1234];
    expected.extend([0x1000_1000, 0x11, 0x2000_0040, 0x12, 0, 0, 0, 0]);
    assert_eq!(dwords(&packet), expected);
    let line = Geometry::new(&[64], &[64], &[]).unwrap();
    let packet = super::packet(&saxpy(4), &line, 0, &FAR);
    assert_eq!(dwords(&packet)[..6], [0x0001_0b02, 0x0001_0040, 1, 64, 1, 1]);
}

/// The fields of `amd_queue_t` by docs/gcn/dispatch.md#packet-and-queue, the apertures by
/// docs/gcn/dispatch.md#apertures.
#[test]
fn every_field_of_the_queue() {
    for (arch, apertures, word3) in [
        (Arch::Gcn10, None, 0x00ea_4fac),
        (Arch::Gcn11, Some((0x2000_0000, 0x2000_0001)), 0x00ea_4fac),
        (Arch::Gcn12, Some((0x2000_0000, 0x2000_0001)), 0x00e8_0fac),
        (Arch::Gcn14, Some((0x0001_0000, 0x0002_0000)), 0x00e0_0fac),
    ] {
        let found = crate::waves::apertures(arch, FAR.scratch);
        assert_eq!(found.map(|found| (found.shared, found.private)), apertures);
        assert!(found.is_none_or(|found| found.hidden_private_base == FAR.scratch));
        let queue = dwords(&queue(arch, &FAR));
        let (shared, private) = apertures.unwrap_or_default();
        assert_eq!((queue[1], queue[2], queue[3]), (1, 0x3000_0080, 0x13));
        assert_eq!((queue[16], queue[17], queue[34]), (shared, private, 128));
        assert_eq!(queue[36..42], [0x5000_0200, 0x8000_0015, u32::MAX, word3, 0x5000_0200, 0x15]);
        assert_eq!(queue[45], 2);
    }
}

/// The whole block of version 5 is written, listed or not, after explicit arguments of 20 bytes.
#[test]
fn every_hidden_argument_of_v5() {
    let mut kernel = saxpy(5);
    kernel.metadata = Some(KernelMetadata::default());
    let mut placed = PlacedArgs { dynamic_lds: 0x777, ..placed(24 + 256, 20) };
    hidden_arguments(&mut placed, &kernel, 5, Arch::Gcn12, &solid(), &FAR);
    let mut expected = vec![0; 70];
    // Whole groups, group sizes and remainders: 61 = 6 * 10 + 1, 50 = 5 * 9 + 5, 10 = 5 * 2.
    expected[6..12].copy_from_slice(&[6, 5, 5, 0x0009_000a, 0x0001_0002, 0x0000_0005]);
    expected[16..22].copy_from_slice(&[7, 1, 8, 2, 9, 3]);
    (expected[22], expected[24], expected[25], expected[36]) = (3, 0x6000_0300, 0x16, 0x777);
    (expected[54], expected[55], expected[56], expected[57]) = (0x2000_0001, 0x2000_0000, 0x4000_0100, 0x14);
    assert_eq!(dwords(&placed.kernarg), expected);
}

/// Hidden arguments of versions 2 to 4 are where the metadata says. Without metadata they follow the explicit
/// arguments, whose places are guessed.
#[test]
fn every_hidden_argument_of_v4() {
    let mut kernel = saxpy(4);
    if let Some(metadata) = &mut kernel.metadata {
        let printf = Arg { offset: 48, kind: ArgKind::Hidden(Hidden::PrintfBuffer), ..metadata.args[4].clone() };
        metadata.args.push(printf);
    }
    let mut found = placed(56, 24);
    hidden_arguments(&mut found, &kernel, 4, Arch::Gcn12, &solid(), &FAR);
    assert_eq!(dwords(&found.kernarg), [0, 0, 0, 0, 0, 0, 7, 1, 8, 2, 9, 3, 0x6000_0300, 0x16]);
    kernel.metadata = None;
    let mut guessed =
        PlacedArgs { kernarg: vec![0xff; 40], end: 12, dynamic_lds: 0, guessed: true, objects: Vec::new() };
    hidden_arguments(&mut guessed, &kernel, 4, Arch::Gcn12, &solid(), &FAR);
    assert_eq!(dwords(&guessed.kernarg), [u32::MAX, u32::MAX, u32::MAX, u32::MAX, 7, 1, 8, 2, 9, 3]);
}

/// Sizes of scratch by docs/gcn/dispatch.md#scratch, and of the segment by docs/gcn/kernel-arguments.md#the-segment.
#[test]
fn sizes_of_scratch_and_kernarg() {
    let mut kernel = kernel_with(0, 0, 9);
    assert_eq!(
        (private_size(&kernel), of_kernel(&kernel, Arch::Gcn14, &solid(), &FAR).scratch.wave_bytes()),
        (12, 1024)
    );
    kernel.descriptor.properties.dynamic_stack = true;
    assert_eq!(private_size(&kernel), 12 + (16 << 10));
    kernel.descriptor.properties.dynamic_stack = false;
    kernel.metadata = Some(KernelMetadata { dynamic_stack: true, ..KernelMetadata::default() });
    assert_eq!(private_size(&kernel), 12 + (16 << 10));
    let mut kernel = saxpy(4);
    let size = |kernel: &Kernel| kernarg_size(kernel);
    assert_eq!(size(&kernel), 80);
    kernel.descriptor.kernarg_size = 0;
    assert_eq!(size(&kernel), 48);
    if let Some(metadata) = &mut kernel.metadata {
        metadata.kernarg_size = 64;
    }
    assert_eq!(size(&kernel), 64);
}
