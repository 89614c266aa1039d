//! Moves between a lane and a scalar register, V_SWAP and V_MOVREL*
//! (docs/gcn/valu-integer.md#moves-and-lane-operations).

use super::*;

/// SDST of VOP1 and VOP3 lies in the field of VDST.
const S6: u32 = 6;

#[test]
fn readfirstlane() {
    for arch in Arch::ALL {
        for (exec, lane) in [(u64::MAX, 0), (1 << 63, 63), (0xff00, 8), (0, 0)] {
            let mut setup = Setup::new(arch).exec(exec);
            setup.fill(1, |lane| 100 + lane);
            setup.run(vop1(arch, Vop1::VReadfirstlaneB32, S6, v(1)));
            assert_eq!(setup.state.sgpr[6], 100 + lane, "{arch} {exec:x}");
        }
        let mut setup = Setup::new(arch);
        setup.state.sgpr[3] = 77;
        setup.run(vop1(arch, Vop1::VReadfirstlaneB32, S6, 3));
        assert_eq!(setup.state.sgpr[6], 77);
    }
}

#[test]
fn readlane_and_writelane() {
    for arch in [Arch::Gcn10, Arch::Gcn12] {
        let read = |lane: u32| match arch {
            Arch::Gcn10 => vop2(arch, Vop2::VReadlaneB32, S6, v(1), lane),
            _ => vop3(arch, Vop3::VReadlaneB32, S6, [v(1), lane, 0]),
        };
        let write = |value: u32, lane: u32| match arch {
            Arch::Gcn10 => vop2(arch, Vop2::VWritelaneB32, 2, value, lane),
            _ => vop3(arch, Vop3::VWritelaneB32, 2, [value, lane, 0]),
        };
        // EXEC does not matter.
        let mut setup = Setup::new(arch).exec(0);
        setup.fill(1, |lane| 100 + lane);
        setup.fill(2, |lane| lane);
        setup.run(read(128 + 63));
        assert_eq!(setup.state.sgpr[6], 163);
        // Six bits of the lane number count.
        setup.state.sgpr[M0 as usize] = 64 + 5;
        setup.run(read(M0));
        assert_eq!(setup.state.sgpr[6], 105);
        setup.run(write(6, M0));
        setup.run(write(193, 128 + 63));
        for lane in 0..64 {
            let expected = [(5, 105), (63, u32::MAX)].iter().find(|(n, _)| *n == lane).map_or(lane as u32, |(_, x)| *x);
            assert_eq!(setup.lane(2, lane), expected, "{lane}");
        }
    }
}

#[test]
fn a_vgpr_as_lane_number_or_value_is_its_lane_0() {
    let arch = Arch::Gcn14;
    let mut setup = Setup::new(arch);
    setup.fill(1, |lane| 100 + lane);
    setup.fill(3, |lane| if lane == 0 { 7 } else { 9 });
    setup.run(vop3(arch, Vop3::VReadlaneB32, S6, [v(1), v(3), 0]));
    assert_eq!(setup.state.sgpr[6], 107);
    setup.run(vop3(arch, Vop3::VWritelaneB32, 2, [v(1), v(3), 0]));
    assert_eq!([setup.lane(2, 7), setup.lane(2, 9)], [100, 0]);
}

#[test]
fn lane_reads_into_special_registers() {
    let mut setup = Setup::new(Arch::Gcn12);
    setup.set(1, 1, 0x1234);
    for code in [VCC, EXEC + 1, M0] {
        setup.run(vop1(Arch::Gcn12, Vop1::VReadfirstlaneB32, code, v(1)));
        assert_eq!(setup.state.sgpr[code as usize], 0x1234);
    }
}

#[test]
fn swap() {
    let mut setup = Setup::new(Arch::Gcn14).exec(0x8000_0000_0000_0001);
    setup.fill(1, |lane| lane);
    setup.fill(2, |lane| 100 + lane);
    setup.run(vop1(Arch::Gcn14, Vop1::VSwapB32, 1, v(2)));
    assert_eq!([0, 1, 63].map(|lane| setup.lane(1, lane)), [100, 1, 163]);
    assert_eq!([0, 1, 63].map(|lane| setup.lane(2, lane)), [0, 101, 63]);
    setup.run(vop1(Arch::Gcn14, Vop1::VSwapB32, 1, v(1)));
    assert_eq!(setup.lane(1, 0), 100);
}

#[test]
fn movrel() {
    for arch in [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12] {
        let new = |m0: u32| {
            let mut setup = Setup::new(arch).exec(1 << 63);
            (0..256).for_each(|n| setup.fill(n, |lane| 1000 * n as u32 + lane));
            setup.state.sgpr[M0 as usize] = m0;
            setup
        };
        let mut setup = new(10);
        setup.run(vop1(arch, Vop1::VMovrelsB32, 3, v(5)));
        setup.run(vop1(arch, Vop1::VMovreldB32, 4, v(7)));
        setup.run(vop1(arch, Vop1::VMovrelsdB32, 40, v(60)));
        assert_eq!([3, 14, 50].map(|n| setup.lane(n, 63)), [15_063, 7_063, 70_063]);
        assert_eq!([3, 14, 50].map(|n| setup.lane(n, 62)), [3_062, 14_062, 50_062]);
        assert_eq!(setup.notes(), []);
        // M0 is unsigned. A register past the last one reads as v0 or is not written.
        for m0 in [251, u32::MAX] {
            let mut setup = new(m0);
            let words = vop1(arch, Vop1::VMovrelsB32, 3, v(5));
            setup.run(words);
            assert_eq!((setup.lane(3, 63), setup.notes()), (63, vec![Note::MovrelRange]), "{m0}");
        }
        let mut setup = new(250);
        let before = setup.vgprs.clone();
        setup.run(vop1(arch, Vop1::VMovreldB32, 6, v(7)));
        assert_eq!((setup.vgprs == before, setup.notes()), (true, vec![Note::MovrelRange]));
        setup.run(vop1(arch, Vop1::VMovreldB32, 5, 130));
        assert_eq!(setup.lane(255, 63), 2);
    }
}
