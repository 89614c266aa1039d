//! Movement between lanes (docs/gcn/valu-packed.md#dpp).

use super::*;

const ARCH: Arch = Arch::Gcn12;
const OLD: u32 = 0xdddd_0000;

/// v1 = 1000 + lane and v3 = OLD + lane; then v3 = v1 moved. Returns v3.
fn moved(ctrl: u32, bound_ctrl: bool, exec: u64, masks: u32) -> ([u32; LANES], Vec<Note>) {
    let mut setup = Setup::new(ARCH).exec(exec);
    setup.fill(1, |lane| 1000 + lane);
    setup.fill(3, |lane| OLD + lane);
    let [w, w1] = dpp(vop1(ARCH, Vop1::VMovB32, 3, v(1)), ctrl, bound_ctrl);
    setup.run([w, w1 & 0x00ff_ffff | masks << 24]);
    (setup.vgprs[3].0, setup.notes())
}

/// Compares with the expected source of each lane; `None` if it has none.
#[track_caller]
fn check(ctrl: u32, source: impl Fn(u32) -> Option<u32>) {
    for bound_ctrl in [false, true] {
        let (found, notes) = moved(ctrl, bound_ctrl, u64::MAX, 0xff);
        let expected = std::array::from_fn(|lane| match source(lane as u32) {
            Some(source) => 1000 + source,
            None if bound_ctrl => 0,
            None => OLD + lane as u32,
        });
        assert_eq!(found, expected, "DPP_CTRL {ctrl:03x}, BOUND_CTRL {bound_ctrl}");
        assert_eq!(notes, []);
    }
}

#[test]
fn quad_perm() {
    // Lane 0 of a quad gets 3, lane 1 gets 1, lane 2 gets 0, lane 3 gets 2.
    check(0b10_00_01_11, |lane| Some(lane / 4 * 4 + [3, 1, 0, 2][lane as usize % 4]));
    check(0xe4, Some);
    check(0x00, |lane| Some(lane / 4 * 4));
    check(0xff, |lane| Some(lane / 4 * 4 + 3));
}

#[test]
fn row_shifts() {
    for n in 1..16 {
        check(0x100 + n, |lane| (lane % 16 + n <= 15).then_some(lane + n));
        check(0x110 + n, |lane| (lane % 16 >= n).then(|| lane - n));
        check(0x120 + n, |lane| Some(lane / 16 * 16 + (lane + 16 - n) % 16));
    }
}

#[test]
fn wave_shifts() {
    check(0x130, |lane| (lane != 63).then_some(lane + 1));
    check(0x134, |lane| Some((lane + 1) % 64));
    check(0x138, |lane| lane.checked_sub(1));
    check(0x13c, |lane| Some((lane + 63) % 64));
}

#[test]
fn mirrors_and_broadcasts() {
    check(0x140, |lane| Some(lane / 16 * 16 + 15 - lane % 16));
    check(0x141, |lane| Some(lane / 8 * 8 + 7 - lane % 8));
    check(0x142, |lane| [None, Some(15), Some(31), Some(47)][lane as usize / 16]);
    check(0x143, |lane| (lane >= 32).then_some(31));
}

#[test]
fn rows_and_banks() {
    // Rows 0 and 3 and banks 1 and 2 are enabled.
    let (found, _) = moved(0xe4, true, u64::MAX, 0b1001_0110);
    for lane in 0..64u32 {
        let enabled = matches!(lane / 16, 0 | 3) && matches!(lane / 4 % 4, 1 | 2);
        assert_eq!(found[lane as usize], if enabled { 1000 + lane } else { OLD + lane }, "{lane}");
    }
}

#[test]
fn an_inactive_source_lane_is_none() {
    // With wave_shr, lane 1 is inactive and is the source of lane 2.
    let exec = !2;
    let (found, notes) = moved(0x138, false, exec, 0xff);
    assert_eq!([found[0], found[1], found[2], found[3]], [OLD, OLD + 1, OLD + 2, 1002]);
    assert_eq!(notes, [Note::DppInactiveSrc]);
    let (found, notes) = moved(0x138, true, exec, 0xff);
    assert_eq!([found[0], found[1], found[2], found[3]], [0, OLD + 1, 0, 1002]);
    assert_eq!(notes, [Note::DppInactiveSrc]);
    // Lane 4 reads lane 3. In the other case no active lane reads an inactive one.
    let (_, notes) = moved(0x138, true, !0b1100, 0b0001_1110);
    assert_eq!(notes, [Note::DppInactiveSrc]);
    let (_, notes) = moved(0x138, true, 0xffff, 0xff);
    assert_eq!(notes, []);
}

#[test]
fn signs_and_the_other_source() {
    // v3 = max(-|v1 moved|, -v2) as binary32, by wave_rol.
    let mut setup = Setup::new(ARCH);
    setup.fill(1, |lane| (lane as f32 + 1.0).to_bits());
    setup.fill(2, |_| 64.0f32.to_bits());
    let [w, w1] = dpp(vop2(ARCH, Vop2::VMaxF32, 3, v(1), 2), 0x134, false);
    setup.run([w, w1 | 1 << 20 | 1 << 21 | 1 << 22]);
    assert_eq!(setup.lane(3, 0), (-2.0f32).to_bits());
    assert_eq!(setup.lane(3, 62), (-64.0f32).to_bits());
    assert_eq!(setup.lane(3, 63), (-1.0f32).to_bits());
}

#[test]
fn a_disabled_lane_has_no_carry() {
    let mut setup = Setup::new(ARCH);
    setup.set(1, 1, 0xffff_ffff);
    setup.set(2, 1, 1);
    setup.set(3, 1, 5);
    setup.state.set_vcc(u64::MAX);
    setup.run(dpp(vop2(ARCH, Vop2::VAddU32Carry, 3, v(1), 2), 0x111, false));
    assert_eq!(setup.state.vcc(), !0x0001_0001_0001_0001);
    assert_eq!([setup.lane(3, 16), setup.lane(3, 17)], [5, 0]);
    // With BOUND_CTRL lane 0 has 0 + 1 without carry.
    setup.run(dpp(vop2(ARCH, Vop2::VAddU32Carry, 3, v(1), 2), 0x111, true));
    assert_eq!(setup.state.vcc(), !0x0001_0001_0001_0001);
    assert_eq!([setup.lane(3, 16), setup.lane(3, 17)], [1, 0]);
}

#[test]
fn the_source_may_be_the_destination() {
    let mut setup = Setup::new(ARCH);
    setup.fill(1, |lane| lane);
    setup.run(dpp(vop1(ARCH, Vop1::VMovB32, 1, v(1)), 0x134, false));
    assert_eq!([setup.lane(1, 0), setup.lane(1, 31), setup.lane(1, 63)], [1, 32, 0]);
}
