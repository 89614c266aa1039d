//! EXEC, lane masks, and destinations that are sources.

use super::*;

const ARCH: Arch = Arch::Gcn14;
/// Lanes in many places, 0 and 63 among them.
const SOME: u64 = 0x8000_0001_f0f0_5a01;

#[test]
fn inactive_lanes_keep_their_destination() {
    for exec in [SOME, 1, 1 << 63, 0, u64::MAX] {
        let mut setup = Setup::new(ARCH).exec(exec);
        setup.fill(1, |lane| 100 + lane);
        setup.fill(2, |lane| 1000 * lane);
        setup.fill(3, |lane| !lane);
        setup.run(vop2(ARCH, Vop2::VAddU32, 3, v(1), 2));
        for lane in 0..64 {
            let expected = if exec >> lane & 1 == 1 { 100 + 1001 * lane as u32 } else { !(lane as u32) };
            assert_eq!(setup.lane(3, lane), expected, "lane {lane}, EXEC {exec:x}");
        }
    }
}

#[test]
fn a_wide_destination_is_masked_in_both_dwords() {
    let mut setup = Setup::new(ARCH).exec(SOME);
    setup.fill(4, |lane| lane | 0x8000_0000);
    setup.fill(5, |lane| lane << 8);
    setup.set(6, 2, 0x1111_1111_2222_2222);
    setup.run(vop3(ARCH, Vop3::VLshlrevB64, 6, [129, v(4), 0]));
    for lane in 0..64 {
        let expected = match SOME >> lane & 1 {
            1 => [2 * lane as u32, (lane as u32) << 9 | 1],
            _ => [0x2222_2222, 0x1111_1111],
        };
        assert_eq!([setup.lane(6, lane), setup.lane(7, lane)], expected, "{lane}");
    }
}

#[test]
fn sources_are_read_before_the_destination_is_written() {
    // First v1 = v1 + v1; then a pair that overlaps its destination by one register, in both directions.
    let mut setup = Setup::new(ARCH);
    setup.fill(1, |lane| lane + 1);
    setup.run(vop2(ARCH, Vop2::VAddU32, 1, v(1), 1));
    assert_eq!(setup.lane(1, 63), 128);
    for vdst in [4, 6] {
        let mut setup = Setup::new(ARCH);
        setup.set(5, 2, 0x0123_4567_89ab_cdef);
        setup.run(vop3(ARCH, Vop3::VLshrrevB64, vdst, [132, v(5), 0]));
        let (low, high) = (setup.same(vdst as usize), setup.same(vdst as usize + 1));
        assert_eq!((high, low), (0x0012_3456, 0x789a_bcde), "v{vdst}");
    }
}

#[test]
fn the_bits_of_inactive_lanes_in_a_mask_result_are_0() {
    let mut setup = Setup::new(ARCH).exec(SOME);
    setup.state.set_vcc(u64::MAX);
    setup.fill(1, |lane| if lane % 2 == 0 { u32::MAX } else { 0 });
    setup.run(vop2(ARCH, Vop2::VAddCoU32, 2, 129, 1));
    assert_eq!(setup.state.vcc(), SOME & 0x5555_5555_5555_5555);
    // With EXEC = 0 the mask is 0, and nothing else happens.
    let mut setup = setup.exec(0);
    let before = setup.vgprs.clone();
    setup.run(vop2(ARCH, Vop2::VAddCoU32, 2, 129, 1));
    assert_eq!((setup.state.vcc(), setup.vgprs == before), (0, true));
}

#[test]
fn carry_in_and_out() {
    let mut setup = Setup::new(ARCH);
    let mask = 0xffff_0000_ff00_f0f0;
    setup.state.set_vcc(mask);
    setup.fill(1, |lane| if lane < 32 { u32::MAX } else { 7 });
    setup.run(vop2(ARCH, Vop2::VAddcCoU32, 2, ZERO, 1));
    for lane in 0..64 {
        let carry = (mask >> lane & 1) as u32;
        let expected = if lane < 32 { u32::MAX.wrapping_add(carry) } else { 7 + carry };
        assert_eq!(setup.lane(2, lane), expected, "{lane}");
    }
    assert_eq!(setup.state.vcc(), mask & 0xffff_ffff);
    // Subtraction of 0 - 0 - borrow, with masks in SGPRs. Exchanging S1 and S0 gives the same here.
    for op in [Vop2::VSubbCoU32, Vop2::VSubbrevCoU32] {
        let mut setup = Setup::new(ARCH).exec(SOME);
        setup.state.set_pair(8, mask);
        setup.run(vop2_e64(ARCH, op, 2, 10, [ZERO, ZERO, 8]));
        assert_eq!(setup.state.pair(10), mask & SOME);
        assert_eq!([setup.lane(2, 0), setup.lane(2, 63), setup.lane(2, 12)], [0, u32::MAX, u32::MAX]);
    }
    // The carry is that of the exact sum: S1 + borrow is 2^32.
    let mut setup = Setup::new(ARCH);
    setup.state.set_vcc(u64::MAX);
    setup.set(1, 1, 0xffff_ffff);
    setup.run(vop2(ARCH, Vop2::VSubbCoU32, 2, v(1), 1));
    assert_eq!((setup.same(2), setup.state.vcc()), (u32::MAX, u64::MAX));
    // The mask that is read may be the one that is written.
    let mut setup = Setup::new(ARCH);
    setup.state.set_pair(8, 1 << 40);
    setup.set(1, 1, 0xffff_ffff);
    setup.run(vop2_e64(ARCH, Vop2::VAddcCoU32, 1, 8, [v(1), ZERO, 8]));
    assert_eq!((setup.lane(1, 40), setup.lane(1, 41), setup.state.pair(8)), (0, u32::MAX, 1 << 40));
}

#[test]
fn cndmask() {
    let mut setup = Setup::new(ARCH);
    setup.state.set_vcc(SOME);
    setup.set(1, 1, 0x3f80_0000);
    setup.set(2, 1, 0x4000_0000);
    setup.run(vop2(ARCH, Vop2::VCndmaskB32, 3, v(1), 2));
    setup.state.set_pair(20, !SOME);
    // S0 has ABS and S1 has NEG.
    let [w, w1] = vop2_e64(ARCH, Vop2::VCndmaskB32, 4, 1, [243, v(2), 20]);
    setup.run([w, w1 | 2 << 29]);
    for lane in 0..64 {
        let set = SOME >> lane & 1 == 1;
        assert_eq!(setup.lane(3, lane), if set { 0x4000_0000 } else { 0x3f80_0000 });
        assert_eq!(setup.lane(4, lane), if set { 0x3f80_0000 } else { 0xc000_0000 });
    }
}

#[test]
fn counting_bits_below_a_lane() {
    let mut setup = Setup::new(Arch::Gcn12);
    setup.set(1, 1, 0xffff_ffff);
    setup.run(vop3(Arch::Gcn12, Vop3::VMbcntLoU32B32, 2, [v(1), 129, 0]));
    setup.run(vop3(Arch::Gcn12, Vop3::VMbcntHiU32B32, 3, [v(1), v(2), 0]));
    for lane in 0..64 {
        assert_eq!(setup.lane(2, lane), 1 + (lane as u32).min(32));
        assert_eq!(setup.lane(3, lane), 1 + lane as u32);
    }
    setup.state.set_exec(0x8000_0000_8000_0002);
    setup.run(vop3(Arch::Gcn12, Vop3::VMbcntLoU32B32, 4, [EXEC, ZERO, 0]));
    setup.run(vop3(Arch::Gcn12, Vop3::VMbcntHiU32B32, 4, [EXEC + 1, v(4), 0]));
    assert_eq!([1, 31, 63].map(|lane| setup.lane(4, lane)), [0, 1, 2]);
}

#[test]
fn scalar_sources() {
    let mut setup = Setup::new(ARCH);
    setup.state.sgpr[7] = 0x1234_5678;
    setup.state.sgpr[8] = 0x9abc_def0;
    setup.state.scc = 1;
    for (code, expected) in [(7, 0x1234_5678), (193, u32::MAX), (242, 0x3f80_0000), (251, 1), (252, 0), (253, 1)] {
        setup.run(vop1(ARCH, Vop1::VMovB32, 3, code));
        assert_eq!(setup.same(3), expected, "{code}");
    }
    setup.run([vop1(ARCH, Vop1::VMovB32, 3, 255)[0], 0xdead_beef]);
    assert_eq!(setup.same(3), 0xdead_beef);
    // A pair is shifted, and a 64-bit constant has all its bits.
    setup.run(vop3(ARCH, Vop3::VLshrrevB64, 4, [132, 7, 0]));
    assert_eq!([setup.same(5), setup.same(4)], [0x09ab_cdef, 0x0123_4567]);
    setup.run(vop3(ARCH, Vop3::VAshrrevI64, 4, [129, 193, 0]));
    assert_eq!([setup.same(5), setup.same(4)], [u32::MAX; 2]);
    setup.run(vop3(ARCH, Vop3::VLshrrevB64, 4, [ZERO, 248, 0]));
    assert_eq!([setup.same(5), setup.same(4)], [0x3fc4_5f30, 0x6dc9_c882]);
}

#[test]
fn vcc_and_exec_are_read_before_they_are_written() {
    // SDST = EXEC: the destination is still written under the old EXEC.
    let mut setup = Setup::new(ARCH).exec(SOME);
    setup.set(1, 1, 0xffff_ffff);
    setup.run(vop2_e64(ARCH, Vop2::VAddCoU32, 2, EXEC, [v(1), 129 + 1, 0]));
    assert_eq!(setup.state.exec(), SOME);
    assert_eq!([setup.lane(2, 0), setup.lane(2, 1)], [1, 0]);
    let mut setup = Setup::new(ARCH);
    setup.state.set_vcc(5);
    setup.fill(1, |lane| u32::MAX * (lane % 2));
    setup.run(vop2_e64(ARCH, Vop2::VAddCoU32, 2, VCC, [VCC, v(1), 0]));
    assert_eq!([setup.lane(2, 0), setup.lane(2, 1)], [5, 4]);
    assert_eq!(setup.state.vcc(), 0xaaaa_aaaa_aaaa_aaaa);
}
