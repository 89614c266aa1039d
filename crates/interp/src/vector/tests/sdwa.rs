//! Sub-dword addressing (docs/gcn/valu-packed.md#sdwa).

use super::*;

const ARCH: Arch = Arch::Gcn14;
const S0: u32 = 0x92f4_5678;
const OLD: u32 = 0xaabb_ccdd;

/// v1 = S0, v2 = S1, v3 = OLD. v3 is the destination.
fn run(op: Vop2, s1: u32, dst_sel: u32, unused: u32, sel: [u32; 2], modifiers: u32) -> u32 {
    let mut setup = Setup::new(ARCH);
    setup.set(1, 1, S0.into());
    setup.set(2, 1, s1.into());
    setup.set(3, 1, OLD.into());
    setup.run(sdwa(vop2(ARCH, op, 3, v(1), 2), dst_sel, unused, sel, modifiers));
    setup.same(3)
}

const SEXT_0: u32 = 1 << 19;
const SEXT_1: u32 = 1 << 27;

#[test]
fn source_selectors() {
    let parts = [0x78, 0x56, 0xf4, 0x92, 0x5678, 0x92f4, S0];
    let extended = [0x78, 0x56, 0xffff_fff4, 0xffff_ff92, 0x5678, 0xffff_92f4, S0];
    for sel in 0..7 {
        let i = sel as usize;
        assert_eq!(run(Vop2::VOrB32, 0, 6, 0, [sel, 6], 0), parts[i], "SRC0_SEL {sel}");
        assert_eq!(run(Vop2::VOrB32, 0, 6, 0, [sel, 6], SEXT_0), extended[i], "SRC0_SEL {sel} SEXT");
        assert_eq!(run(Vop2::VAndB32, S0, 6, 0, [6, sel], 0), S0 & parts[i], "SRC1_SEL {sel}");
        assert_eq!(run(Vop2::VAndB32, S0, 6, 0, [6, sel], SEXT_1), S0 & extended[i], "SRC1_SEL {sel} SEXT");
    }
}

#[test]
fn destination_selectors() {
    // The result is 92f45678 | 1; its lowest bits go to the field.
    let result = |sel, unused| run(Vop2::VOrB32, 1, sel, unused, [6, 6], 0);
    let negative = |sel| run(Vop2::VOrB32, 0x8080, sel, 1, [6, 6], 0);
    for (sel, pad, sext, keep, sext_negative) in [
        (0, 0x0000_0079, 0x0000_0079, 0xaabb_cc79, 0xffff_fff8),
        (1, 0x0000_7900, 0x0000_7900, 0xaabb_79dd, 0xffff_f800),
        (2, 0x0079_0000, 0x0079_0000, 0xaa79_ccdd, 0xfff8_0000),
        (3, 0x7900_0000, 0x7900_0000, 0x79bb_ccdd, 0xf800_0000),
        (4, 0x0000_5679, 0x0000_5679, 0xaabb_5679, 0xffff_d6f8),
        (5, 0x5679_0000, 0x5679_0000, 0x5679_ccdd, 0xd6f8_0000),
        (6, 0x92f4_5679, 0x92f4_5679, 0x92f4_5679, 0x92f4_d6f8),
    ] {
        assert_eq!([result(sel, 0), result(sel, 1), result(sel, 2)], [pad, sext, keep], "DST_SEL {sel}");
        assert_eq!(negative(sel), sext_negative, "DST_SEL {sel}");
    }
}

#[test]
fn sixteen_bits() {
    // A byte is sign-extended to 16 bits: 0xfff4 + 3. PRESERVE keeps the bits outside the field, but not those outside
    // the half.
    assert_eq!(run(Vop2::VAddU16, 3, 6, 0, [2, 6], SEXT_0), 0xfff7);
    assert_eq!(run(Vop2::VAddU16, 3, 5, 2, [2, 6], SEXT_0), 0xfff7_ccdd);
    // Words: 0x92f4 + 0x5678.
    assert_eq!(run(Vop2::VAddU16, S0, 6, 0, [5, 4], 0), 0xe96c);
}

#[test]
fn signs_come_after_the_selection() {
    // V_CNDMASK does not work on floats; V_MAX_F16 does: -|word 1| and the smallest number.
    let neg_abs = 1 << 20 | 1 << 21;
    let mut setup = Setup::new(ARCH);
    setup.set(1, 1, 0x3c00_ffff);
    setup.set(2, 1, 0xfbff_fbff);
    setup.run(sdwa(vop2(ARCH, Vop2::VMaxF16, 3, v(1), 2), 6, 0, [5, 4], neg_abs));
    assert_eq!(setup.same(3), 0xbc00);
    // The binary32 pattern of a byte: 0x56 is a denormal, kept in this mode; NEG acts on bit 31.
    setup.set(1, 1, S0.into());
    setup.run(sdwa(vop2(ARCH, Vop2::VMaxF32, 3, v(1), 2), 6, 0, [1, 6], 1 << 20));
    assert_eq!(setup.same(3), 0x8000_0056);
}

#[test]
fn scalar_sources_of_gcn14() {
    let mut setup = Setup::new(ARCH);
    setup.state.sgpr[5] = 0x1122_3344;
    setup.set(1, 1, 0x5566_7788);
    // S0 is s5 by bit 23, selected. S1 is s5 by bit 31.
    let [w, w1] = sdwa(vop2(ARCH, Vop2::VOrB32, 3, v(5), 1), 6, 0, [2, 6], 0);
    setup.run([w, w1 | 1 << 23]);
    assert_eq!(setup.same(3), 0x5566_77aa);
    let [w, w1] = sdwa(vop2(ARCH, Vop2::VOrB32, 3, v(1), 5), 6, 0, [3, 0], 0);
    setup.run([w, w1 | 1 << 31]);
    assert_eq!(setup.same(3), 0x55);
}

#[test]
fn carries_and_masks() {
    let mut setup = Setup::new(ARCH);
    setup.fill(1, |lane| 0x0100_0000 * (lane + 192));
    setup.set(2, 1, 0xffff_ff80);
    // Lane + 192 in the top byte, zero-extended, plus 0xffffff80.
    setup.run(sdwa(vop2(ARCH, Vop2::VAddCoU32, 3, v(1), 2), 4, 0, [3, 6], 0));
    assert_eq!(setup.state.vcc(), u64::MAX);
    assert_eq!([setup.lane(3, 0), setup.lane(3, 63)], [64, 127]);
    setup.state.set_vcc(2);
    setup.run(sdwa(vop2(ARCH, Vop2::VCndmaskB32, 3, v(1), 2), 0, 0, [3, 6], 0));
    assert_eq!([setup.lane(3, 0), setup.lane(3, 1)], [192, 128]);
}

#[test]
fn inactive_lanes_keep_all_bits() {
    let mut setup = Setup::new(ARCH).exec(1 << 63);
    setup.set(1, 1, S0.into());
    setup.set(3, 1, OLD.into());
    setup.run(sdwa(vop1(ARCH, Vop1::VMovB32, 3, v(1)), 1, 0, [0, 6], 0));
    assert_eq!([setup.lane(3, 62), setup.lane(3, 63)], [OLD, 0x7800]);
}

#[test]
fn an_accumulator_is_read_whole() {
    // On GCN 1.2, v3 = 2.0 * 3.0 + v3 goes to the upper half only.
    let mut setup = Setup::new(Arch::Gcn12);
    setup.set(1, 1, 0x4000_0000);
    setup.set(2, 1, 0x4040_0000);
    setup.set(3, 1, 0x3f80_0000);
    setup.run(sdwa(vop2(Arch::Gcn12, Vop2::VMacF32, 3, v(1), 2), 5, 2, [6, 6], 0));
    // 7.0 is 40e00000, whose low half is 0.
    assert_eq!(setup.same(3), 0);
    setup.set(3, 1, 0x3f80_0001);
    setup.set(1, 1, 0);
    setup.run(sdwa(vop2(Arch::Gcn12, Vop2::VMacF32, 3, v(1), 2), 5, 2, [6, 6], 0));
    assert_eq!(setup.same(3), 0x0001_0001);
}
