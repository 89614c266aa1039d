//! DS atomics, and DS instructions that move values between lanes, as compiled code executes them. Expected values
//! follow from docs/gcn/memory.md#atomic-operations, docs/gcn/lds.md and docs/gcn/memory-check-values.md.

use crate::memory_machine;

use gcnsim_isa::Arch;
use memory_machine::{Machine, ds, gds};

const OLD: u32 = 0xaaaa_aaaa;

/// Returns a wave in which v1 is 4 * lane, v2 is the lane's number plus 1, v3 is 0, and v6 to v9 are [`OLD`].
fn machine(arch: Arch) -> Machine {
    let mut m = Machine::new(arch);
    m.set(1, |lane| 4 * lane);
    m.set(2, |lane| lane + 1);
    for n in 6..10 {
        m.set(n, |_| OLD);
    }
    m
}

/// Checks that VGPR `n` is `value` in active lanes, [`OLD`] in others.
#[track_caller]
fn check(m: &Machine, n: usize, value: impl Fn(u32) -> u32) {
    for lane in 0..64 {
        let expected = if m.exec >> lane & 1 == 1 { value(lane) } else { OLD };
        assert_eq!(m.vgprs[n].0[lane as usize], expected, "v{n}, lane {lane}, EXEC {:x}", m.exec);
    }
}

#[test]
fn atomics_of_lanes_add_up() {
    for records in [false, true] {
        for exec in [u64::MAX, 0x8000_0000_0000_00f1] {
            let active: Vec<u32> = (0..64).filter(|lane| exec >> lane & 1 == 1).collect();
            let start = || {
                let mut m = machine(Arch::Gcn12);
                m.exec = exec;
                if records {
                    m.context.start_recording();
                }
                m
            };
            // Each lane has a place of its own.
            let mut m = start();
            m.plain("ds_add_rtn_u32 v6, v1, v2", ds(m.arch, 32, 0, [1, 2, 0, 6]));
            check(&m, 6, |lane| lane);
            for lane in 0..64 {
                let added = if active.contains(&lane) { lane + 1 } else { 0 };
                assert_eq!(m.dword(4 * lane as usize), lane + added);
            }
            // All lanes have one place: each sees the sums of the lanes below it.
            let mut m = start();
            m.set(1, |_| 40);
            let below = |lane: u32| active.iter().filter(|&&other| other < lane).map(|other| other + 1).sum::<u32>();
            m.plain("ds_add_u32 v1, v2", ds(m.arch, 0, 0, [1, 2, 0, 0]));
            let sum = 10 + below(64);
            assert_eq!(m.dword(40), sum);
            let notes = m.run("ds_add_rtn_u32 v6, v1, v2", ds(m.arch, 32, 0, [1, 2, 0, 6]));
            assert_eq!((notes, m.dword(40)), (Some(vec!["lane-order"]), sum + below(64)));
            check(&m, 6, |lane| sum + below(lane));
            // The lanes have four places, by the remainder of their number divided by four.
            let mut m = start();
            m.set(1, |lane| lane % 4 * 12);
            m.plain("ds_max_u32 v1, v2", ds(m.arch, 8, 0, [1, 2, 0, 0]));
            let highest = |rest: u32| active.iter().filter(|&&lane| lane % 4 == rest).max().map_or(0, |lane| lane + 1);
            for rest in 0..4 {
                assert_eq!(m.dword(12 * rest as usize), highest(rest).max(3 * rest));
            }
            let notes = m.run("ds_wrxchg_rtn_b32 v6, v1, v2", ds(m.arch, 45, 0, [1, 2, 0, 6]));
            assert_eq!(notes, Some(vec!["lane-order"]));
            let last = |lane: u32| active.iter().filter(|&&other| other < lane && other % 4 == lane % 4).max();
            check(&m, 6, |lane| last(lane).map_or(highest(lane % 4).max(lane % 4 * 3), |other| other + 1));
        }
    }
}

#[test]
fn operands_of_atomics() {
    let mut m = machine(Arch::Gcn14);
    m.exec = 1;
    // The value to compare with is in DATA0, the new one in DATA1 (docs/gcn/memory-check-values.md#check-values).
    m.set_dword(0, 3);
    m.set(2, |_| 3);
    m.set(4, |_| 7);
    m.plain("ds_cmpst_b32 v1, v2, v4", ds(m.arch, 16, 0, [1, 2, 4, 0]));
    assert_eq!(m.dword(0), 7);
    m.plain("ds_cmpst_rtn_b32 v6, v1, v2, v4 offset:8", ds(m.arch, 48, 8, [1, 2, 4, 6]));
    assert_eq!((m.dword(8), m.vgprs[6].0[0]), (2, 2));
    // MSKOR clears the bits of 3 in 7 and sets those of 16, which gives 20. WRAP subtracts 3 from 20, as that is not
    // less, but adds 16 to 1.
    m.set(4, |_| 16);
    m.plain("ds_mskor_b32 v1, v2, v4", ds(m.arch, 12, 0, [1, 2, 4, 0]));
    assert_eq!(m.dword(0), 20);
    m.plain("ds_wrap_rtn_b32 v6, v1, v2, v4", ds(m.arch, 52, 0, [1, 2, 4, 6]));
    assert_eq!((m.dword(0), m.vgprs[6].0[0]), (17, 20));
    m.plain("ds_wrap_rtn_b32 v6, v1, v2, v4 offset:4", ds(m.arch, 52, 4, [1, 2, 4, 6]));
    assert_eq!((m.dword(4), m.vgprs[6].0[0]), (17, 1));
    m.set(3, |_| 0);
    m.plain("ds_rsub_rtn_u64 v[6:7], v1, v[2:3] offset:16", ds(m.arch, 98, 16, [1, 2, 0, 6]));
    // 3 - (5 << 32 | 4).
    assert_eq!((m.dword(16), m.dword(20)), (u32::MAX, 0xffff_fffa));
    assert_eq!((m.vgprs[6].0[0], m.vgprs[7].0[0]), (4, 5));
    m.set_dword(0, 0x3f80_0000);
    m.set(2, |_| 0x4000_0000);
    m.plain("ds_add_rtn_f32 v6, v1, v2", ds(m.arch, 53, 0, [1, 2, 0, 6]));
    assert_eq!((m.dword(0), m.vgprs[6].0[0]), (0x4040_0000, 0x3f80_0000));
    m.mode = 0;
    m.set(2, |_| 1);
    m.set_dword(0, 2);
    assert_eq!(m.run("ds_min_f32 v1, v2", ds(m.arch, 18, 0, [1, 2, 0, 0])), Some(vec!["lds-float-denorm"]));
    assert_eq!(m.dword(0), 2);
}

#[test]
fn two_addresses_and_marks() {
    let mut m = machine(Arch::Gcn14);
    m.exec = 2;
    m.set(4, |_| 200);
    let text = "ds_wrxchg2_rtn_b32 v[6:7], v1, v2, v4 offset0:4 offset1:6";
    m.plain(text, ds(m.arch, 46, 0x604, [1, 2, 4, 6]));
    assert_eq!((m.dword(20), m.dword(28), m.vgprs[6].0[1], m.vgprs[7].0[1]), (2, 200, 5, 7));
    let text = "ds_wrxchg2_rtn_b32 v[6:7], v1, v2, v4 offset0:8 offset1:8";
    m.plain(text, ds(m.arch, 46, 0x808, [1, 2, 4, 6]));
    assert_eq!((m.dword(36), m.vgprs[6].0[1], m.vgprs[7].0[1]), (2, 9, 9));
    m.set(2, |_| 0x8000_0011);
    m.set(3, |_| 0x12);
    m.plain("ds_condxchg32_rtn_b64 v[6:7], v1, v[2:3] offset:62", ds(m.arch, 126, 62, [1, 2, 0, 6]));
    assert_eq!((m.dword(64), m.dword(68), m.vgprs[6].0[1], m.vgprs[7].0[1]), (0x11, 17, 16, 17));
}

#[test]
fn both_operands_in_lds() {
    let mut m = machine(Arch::Gcn12);
    m.exec = 4;
    // In lane 2 the address is 8. The dword there is increased by that 3 dwords behind it. Then the dword before it is
    // copied.
    m.plain("ds_add_src2_u32 v1 offset:3", ds(m.arch, 128, 3, [1, 0, 0, 0]));
    assert_eq!(m.dword(8), 2 + 5);
    m.plain("ds_write_src2_b32 v1 offset:32767", ds(m.arch, 141, 0x7fff, [1, 0, 0, 0]));
    assert_eq!(m.dword(8), 1);
    // With bit 15 of OFFSET set, the register has both the address 16 and the distance of -2 dwords.
    m.set(1, |_| (0x7ffe << 17) | 16);
    m.plain("ds_add_src2_u32 v1 offset:32768", ds(m.arch, 128, 0x8000, [1, 0, 0, 0]));
    assert_eq!(m.dword(16), 4 + 1);
    m.set(1, |_| 8000);
    assert_eq!(m.run("ds_add_src2_u32 v1", ds(m.arch, 128, 0, [1, 0, 0, 0])), Some(vec!["ds-src2"]));
}

#[test]
fn misaligned_and_out_of_range_atomics() {
    let mut m = machine(Arch::Gcn14);
    m.set(1, |lane| 4 * lane + u32::from(lane == 40));
    m.refused("ds_add_rtn_u32 v6, v1, v2", ds(m.arch, 32, 0, [1, 2, 0, 6]));
    m.refused("ds_add_u64 v1, v[2:3]", ds(m.arch, 64, 0, [1, 2, 0, 0]));
    // Accesses out of range are no faults, whatever their alignment.
    m.set(1, |lane| 1024 + lane);
    m.plain("ds_add_rtn_u32 v6, v1, v2", ds(m.arch, 32, 0, [1, 2, 0, 6]));
    check(&m, 6, |_| 0);
    let mut m = machine(Arch::Gcn11);
    m.set(1, |lane| 4 * lane + 3);
    assert_eq!(m.run("ds_add_rtn_u32 v6, v1, v2", ds(m.arch, 32, 0, [1, 2, 0, 6])), Some(vec!["lds-misaligned"]));
    check(&m, 6, |lane| lane);
}

#[test]
fn append_and_consume_count_lanes() {
    let mut m = machine(Arch::Gcn14);
    m.exec = 0x8000_0000_0000_0ff0;
    // M0 is no part of addresses in LDS.
    m.sgpr[124] = 0x2_ffc0;
    assert_eq!(m.run("ds_append v6 offset:22", ds(m.arch, 190, 22, [0, 0, 0, 6])), Some(vec!["ds-append-m0"]));
    check(&m, 6, |_| 5);
    assert_eq!(m.dword(20), 14);
    m.sgpr[124] = 0x1_ffff;
    assert_eq!(m.run("ds_consume v6 offset:20", ds(m.arch, 189, 20, [0, 0, 0, 6])), Some(vec!["ds-append-m0"]));
    check(&m, 6, |_| 14);
    assert_eq!(m.dword(20), 5);
    // In GDS only the base in M0 counts. The size there is 0.
    m.sgpr[124] = 0x0100_0000;
    m.plain("ds_append v6 gds", gds(m.arch, 190, 0, [0, 0, 0, 6]));
    m.plain("ds_append v6 gds", gds(m.arch, 190, 0, [0, 0, 0, 6]));
    check(&m, 6, |_| 9);
    assert_eq!(m.context.gds[0x100], 18);
    m.exec = 0;
    m.plain("ds_append v6 gds", gds(m.arch, 190, 0, [0, 0, 0, 6]));
    assert_eq!(m.context.gds[0x100], 18);
}

/// Returns the result of DS_SWIZZLE of the lanes' numbers plus 100.
fn swizzle(arch: Arch, text: &str, pattern: u32, exec: u64) -> [u32; 64] {
    let mut m = machine(arch);
    m.set(1, |lane| 100 + lane);
    m.exec = exec;
    let op = if arch.is_gcn12_or_later() { 61 } else { 53 };
    m.plain(&format!("ds_swizzle_b32 v6, v1 offset:{text}"), ds(arch, op, pattern, [1, 0, 0, 6]));
    m.vgprs[6].0
}

#[test]
fn patterns_of_lanes() {
    let from = |lanes: &[u32]| lanes.iter().map(|lane| lane + 100).collect::<Vec<_>>();
    let all = u64::MAX;
    for arch in [Arch::Gcn10, Arch::Gcn12, Arch::Gcn14] {
        let identity: [u32; 64] = std::array::from_fn(|lane| 100 + lane as u32);
        assert_eq!(swizzle(arch, "swizzle(QUAD_PERM,0,1,2,3)", 0x80e4, all), identity);
        let reversed = swizzle(arch, "swizzle(QUAD_PERM,3,2,1,0)", 0x801b, all);
        assert_eq!(reversed[60..], from(&[63, 62, 61, 60]));
        let pairs = swizzle(arch, "swizzle(BITMASK_PERM,\"0000i\")", 0x0401, all);
        assert_eq!(pairs[30..34], from(&[1, 0, 33, 32]));
        let half = swizzle(arch, "swizzle(QUAD_PERM,1,1,3,3)", 0x80f5, 0x5);
        assert_eq!(half[..4], [0, OLD, 0, OLD]);
    }
    let fft = swizzle(Arch::Gcn14, "57344", 0xe000, all);
    assert_eq!(fft[..8], from(&[0, 16, 8, 24, 4, 20, 12, 28]));
    assert_eq!(fft[32..34], from(&[32, 48]));
    let fft = swizzle(Arch::Gcn14, "57360", 0xe010, all);
    assert_eq!((fft[..4].to_vec(), fft[16..20].to_vec()), (from(&[0, 8, 4, 12]), from(&[16, 24, 20, 28])));
    let rotated = swizzle(Arch::Gcn14, "49184", 0xc020, all);
    assert_eq!([0, 31, 32, 63].map(|lane| rotated[lane]).to_vec(), from(&[1, 0, 33, 32]));
    assert_eq!(swizzle(Arch::Gcn14, "49185", 0xc021, all)[..4], from(&[0, 3, 2, 5]));
    assert_eq!(swizzle(Arch::Gcn14, "50209", 0xc421, all)[..4], from(&[30, 1, 0, 3]));
}

#[test]
fn values_are_pushed_and_pulled() {
    // The data are A, B, C, D and the addresses 0, 0, 12, 4 (docs/gcn/memory-check-values.md#check-values).
    for (exec, pushed, pulled) in
        [(0xf, [0xb, 0xd, 0, 0xc], [0xa, 0xa, 0xd, 0xb]), (0xa, [OLD, 0xd, OLD, 0], [OLD, 0, OLD, 0xb])]
    {
        let mut m = machine(Arch::Gcn12);
        m.exec = exec;
        m.set(1, |lane| [0, 0, 12, 4].get(lane as usize).copied().unwrap_or(0));
        m.set(2, |lane| 0xa + lane);
        m.plain("ds_permute_b32 v6, v1, v2", ds(m.arch, 62, 0, [1, 2, 0, 6]));
        assert_eq!(m.vgprs[6].0[..5], [pushed.as_slice(), &[OLD]].concat());
        m.plain("ds_bpermute_b32 v7, v1, v2", ds(m.arch, 63, 0, [1, 2, 0, 7]));
        assert_eq!(m.vgprs[7].0[..5], [pulled.as_slice(), &[OLD]].concat());
        // The offset is added to the address, so that the lane behind is read. The data may be overwritten.
        m.exec = u64::MAX;
        m.plain("ds_bpermute_b32 v2, v1, v2 offset:4", ds(m.arch, 63, 4, [1, 2, 0, 2]));
        assert_eq!(m.vgprs[2].0[..5], [0xb, 0xb, 0xe, 0xc, 0xb]);
    }
}
