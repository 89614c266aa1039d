//! The upper half of VDST under 16-bit results, and OP_SEL (docs/gcn/valu.md#16-bit-values-in-32-bit-registers).

use super::*;

/// v1 = 5 and 7, v2 = 3 and 100 (low, high half), v4 = 0x22221111, v3 = 0xaaaabbbb. v3 is the destination.
fn setup(arch: Arch) -> Setup {
    let mut setup = Setup::new(arch);
    setup.set(1, 1, 0x0007_0005);
    setup.set(2, 1, 0x0064_0003);
    setup.set(4, 1, 0x2222_1111);
    setup.set(3, 1, 0xaaaa_bbbb);
    setup
}

#[test]
fn gcn12_zeroes_it() {
    let arch = Arch::Gcn12;
    for words in [
        vop2(arch, Vop2::VAddU16, 3, v(1), 2),
        vop2_e64(arch, Vop2::VAddU16, 3, 0, [v(1), v(2), 0]),
        dpp(vop2(arch, Vop2::VAddU16, 3, v(1), 2), 0xe4, false),
    ] {
        let mut setup = setup(arch);
        setup.run(words);
        assert_eq!(setup.same(3), 8);
    }
    let mut setup = setup(arch);
    setup.run(vop3(arch, Vop3::VMadU16, 3, [v(1), v(2), v(4)]));
    assert_eq!((setup.same(3), setup.notes()), (0x1120, vec![]));
}

#[test]
fn gcn14_zeroes_or_keeps_it() {
    let arch = Arch::Gcn14;
    let run = |op, src: [u32; 3]| {
        let mut setup = setup(arch);
        setup.run(vop3(arch, op, 3, src));
        (setup.same(3), setup.notes())
    };
    let all = [v(1), v(2), v(4)];
    assert_eq!(run(Vop3::VMadU16, all), (0xaaaa_1120, vec![]));
    assert_eq!(run(Vop3::VMadI16, all), (0xaaaa_1120, vec![]));
    assert_eq!(run(Vop3::VMadLegacyU16, all), (0x1120, vec![]));
    assert_eq!(run(Vop3::VMadLegacyI16, all), (0x1120, vec![]));
    assert_eq!(run(Vop3::VAddI16, [v(1), v(2), 0]), (0xaaaa_0008, vec![Note::Hi16New9]));
    assert_eq!(run(Vop3::VSubI16, [v(1), v(2), 0]), (0xaaaa_0002, vec![Note::Hi16New9]));
    assert_eq!(run(Vop3::VMin3U16, all), (3, vec![Note::Hi16New9]));
    assert_eq!(run(Vop3::VMax3I16, all), (0x1111, vec![Note::Hi16New9]));
    assert_eq!(run(Vop3::VMed3I16, all), (5, vec![Note::Hi16New9]));
    assert_eq!(run(Vop3::VMadU32U16, all), (0x2222_1120, vec![]));
    let mut plain = setup(arch);
    plain.run(vop2(arch, Vop2::VAddU16, 3, v(1), 2));
    assert_eq!(plain.same(3), 8);
}

#[test]
fn no_note_where_the_upper_half_was_0() {
    let mut setup = setup(Arch::Gcn14).exec(!1);
    setup.fill(3, |lane| if lane == 0 { 0xffff_0000 } else { 0xffff });
    setup.run(vop3(Arch::Gcn14, Vop3::VAddI16, 3, [v(1), v(2), 0]));
    assert_eq!((setup.lane(3, 0), setup.lane(3, 1), setup.notes()), (0xffff_0000, 8, vec![]));
}

#[test]
fn op_sel() {
    let arch = Arch::Gcn14;
    let run = |op, src: [u32; 3], op_sel: u32| {
        let mut setup = setup(arch);
        let [w, w1] = vop3(arch, op, 3, src);
        setup.run([w | op_sel << 11, w1]);
        (setup.same(3), setup.notes())
    };
    let all = [v(1), v(2), v(4)];
    // 7 * 3 + 0x1111, 5 * 100 + 0x1111, 5 * 3 + 0x2222; to the upper half, the low one is kept.
    assert_eq!(run(Vop3::VMadU16, all, 1).0, 0xaaaa_1126);
    assert_eq!(run(Vop3::VMadU16, all, 2).0, 0xaaaa_1305);
    assert_eq!(run(Vop3::VMadU16, all, 4).0, 0xaaaa_2231);
    assert_eq!(run(Vop3::VMadU16, all, 8).0, 0x1120_bbbb);
    assert_eq!(run(Vop3::VMin3U16, all, 8), (0x0003_bbbb, vec![]));
    assert_eq!(run(Vop3::VMax3U16, all, 15), (0x2222_bbbb, vec![]));
    // S2 and D have 32 bits, so only the first two bits count.
    assert_eq!(run(Vop3::VMadU32U16, all, 3).0, 0x2222_13cd);
    assert_eq!(run(Vop3::VMadI32I16, all, 15).0, 0x2222_13cd);
    // A promoted instruction: 7 + 100 goes to the upper half.
    let mut promoted = setup(arch);
    promoted.run(vop2_e64(arch, Vop2::VAddU16, 3, 0b1011 << 3, [v(1), v(2), 0]));
    assert_eq!(promoted.same(3), 0x006b_bbbb);
    // The upper half of an integer constant is its sign, and of a float constant 0.
    assert_eq!(run(Vop3::VMadU16, [193, v(2), v(4)], 1).0, 0xaaaa_110e);
    assert_eq!(run(Vop3::VMadU16, [129, v(2), v(4)], 1).0, 0xaaaa_1111);
}

#[test]
fn half_floats() {
    // 1.0 * 1.0 + accumulator 2.0 in the low half: 3.0 there; MAC keeps the upper half on GCN 1.4, and zeroes it
    // before.
    for (arch, expected) in [(Arch::Gcn12, 0x4200), (Arch::Gcn14, 0xaaaa_4200)] {
        let mut setup = Setup::new(arch);
        setup.set(1, 1, 0x3c00);
        setup.set(3, 1, 0xaaaa_4000);
        setup.run(vop2(arch, Vop2::VMacF16, 3, v(1), 1));
        assert_eq!(setup.same(3), expected, "{arch}");
    }
    // V_PACK: S1 to the upper half; -|S0.hi|.
    let mut setup = Setup::new(Arch::Gcn14);
    setup.set(1, 1, 0x3c00_7c01);
    setup.set(2, 1, 0x1234_8001);
    let [w, w1] = vop3(Arch::Gcn14, Vop3::VPackB32F16, 3, [v(1), v(2), 0]);
    setup.run([w, w1]);
    assert_eq!(setup.same(3), 0x8001_7c01);
    setup.run([w | 1 << 11 | 1 << 8, w1 | 1 << 29]);
    assert_eq!(setup.same(3), 0x8001_bc00);
}
