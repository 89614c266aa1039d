//! VOP3P (docs/gcn/valu-packed.md#vop3p).

use super::*;

const A: u32 = 0x8000_7fff;
const B: u32 = 0x0001_0002;
const C: u32 = 0xffff_0003;

fn run(words: [u32; 2]) -> u32 {
    let arch = Arch::Gcn141;
    let mut setup = Setup::new(arch);
    for (n, value) in [(1, A), (2, B), (3, C)] {
        setup.set(n, 1, value.into());
    }
    setup.run(words);
    setup.same(9)
}

/// The instruction with CLAMP.
const fn clamped([w, w1]: [u32; 2]) -> [u32; 2] {
    [w | 1 << 15, w1]
}

#[test]
fn both_halves() {
    use Vop3p::*;
    for (op, wrapped, saturated) in [
        // 0x8000 + 1, 0x7fff + 2.
        (VPkAddI16, 0x8001_8001, 0x8001_7fff),
        (VPkAddU16, 0x8001_8001, 0x8001_8001),
        (VPkSubI16, 0x7fff_7ffd, 0x8000_7ffd),
        (VPkSubU16, 0x7fff_7ffd, 0x7fff_7ffd),
        (VPkMulLoU16, 0x8000_fffe, 0x8000_fffe),
        (VPkMaxI16, 0x0001_7fff, 0x0001_7fff),
        (VPkMinI16, 0x8000_0002, 0x8000_0002),
        (VPkMaxU16, 0x8000_7fff, 0x8000_7fff),
        (VPkMinU16, 0x0001_0002, 0x0001_0002),
    ] {
        let words = vop3p(op, 9, [v(1), v(2), 0]);
        assert_eq!([run(words), run(clamped(words))], [wrapped, saturated], "{op:?}");
    }
    // The counts 1 and 2 are in S0.
    assert_eq!(run(vop3p(VPkLshlrevB16, 9, [v(2), v(1), 0])), 0x0000_fffc);
    assert_eq!(run(vop3p(VPkLshrrevB16, 9, [v(2), v(1), 0])), 0x4000_1fff);
    assert_eq!(run(vop3p(VPkAshrrevI16, 9, [v(2), v(1), 0])), 0xc000_1fff);
    // The counts 0xffff and 3 are beyond 15 or within it.
    assert_eq!(run(vop3p(VPkLshlrevB16, 9, [v(3), v(2), 0])), 0x8000_0010);
    // 0x8000 * 1 - 1, 0x7fff * 2 + 3.
    let mad = vop3p(VPkMadI16, 9, [v(1), v(2), v(3)]);
    assert_eq!([run(mad), run(clamped(mad))], [0x7fff_0001, 0x8000_7fff]);
    let mad = vop3p(VPkMadU16, 9, [v(1), v(2), v(3)]);
    assert_eq!([run(mad), run(clamped(mad))], [0x7fff_0001, 0xffff_ffff]);
}

#[test]
fn halves_are_selected() {
    let add = |op_sel, op_sel_hi| run(vop3p_select(Vop3p::VPkAddU16, 9, [v(1), v(2), 0], op_sel, op_sel_hi));
    // Low result: halves OP_SEL of S0, S1; high result: halves OP_SEL_HI.
    assert_eq!(add(0b00, 0b00), 0x8001_8001);
    assert_eq!(add(0b01, 0b00), 0x8001_8002);
    assert_eq!(add(0b10, 0b11), 0x8001_8000);
    assert_eq!(add(0b11, 0b10), 0x8000_8001);
}

#[test]
fn constants() {
    // An integer constant fills the upper half with its sign, a float constant with 0.
    let add = |code, op_sel_hi| run(vop3p_select(Vop3p::VPkAddU16, 9, [code, v(2), 0], 0, op_sel_hi));
    assert_eq!(add(193, 3), 0x0000_0001);
    assert_eq!(add(130, 3), 0x0001_0004);
    assert_eq!(add(130, 2), 0x0003_0004);
    let max = |op_sel_hi| run(vop3p_select(Vop3p::VPkMaxF16, 9, [242, ZERO, 0], 0, op_sel_hi));
    assert_eq!([max(3), max(2)], [0x0000_3c00, 0x3c00_3c00]);
}

#[test]
fn packed_floats() {
    // NEG_LO and NEG_HI give 1 - 2 in the low half and -(1) - 2 in the high half.
    let [w, w1] = vop3p_select(Vop3p::VPkAddF16, 9, [242, 244, 0], 0, 0);
    assert_eq!(run([w, w1]), 0x4200_4200);
    assert_eq!(run([w | 0b11 << 8, w1 | 0b10 << 29]), 0xc200_bc00);
    // CLAMP limits each half to 0..=1.
    assert_eq!(run(clamped([w, w1 | 0b11 << 29])), 0x3c00_0000);
}

#[test]
fn dot_products() {
    use Vop3p::*;
    let all = [v(1), v(2), v(3)];
    // C is -65533 as i32. -32768 * 1 + 32767 * 2 - 65533 = -32767; unsigned 32768 + 65534 + 4294901763 = 2^32 + 32769.
    assert_eq!(run(vop3p(VDot2I32I16, 9, all)), 0xffff_8001);
    assert_eq!(run(vop3p(VDot2U32U16, 9, all)), 0x0000_8001);
    assert_eq!(run(clamped(vop3p(VDot2U32U16, 9, all))), 0xffff_ffff);
    // The low halves are selected twice: 2 * 32767 * 2 - 65533.
    assert_eq!(run(vop3p_select(VDot2I32I16, 9, all, 0, 0)), 65_535);
    // Bytes 80 00 7f ff and 00 01 00 02: as i8 0 + 0 + 0 - 2, as u8 255 * 2.
    assert_eq!(run(vop3p(VDot4I32I8, 9, all)), 0xffff_0001);
    assert_eq!(run(vop3p(VDot4U32U8, 9, all)), 0xffff_0201);
    // OP_SEL has no effect there.
    assert_eq!(run(vop3p_select(VDot4U32U8, 9, all, 0, 0)), 0xffff_0201);
    // Nibbles of A times those of A: 64 + 49 + 1 + 1 + 1 signed; 64 + 49 + 225 * 3 unsigned.
    let squares = [v(1), v(1), ZERO];
    assert_eq!(run(vop3p(VDot8I32I4, 9, squares)), 116);
    assert_eq!(run(vop3p(VDot8U32U4, 9, squares)), 788);
    // 2^31 - 1 is added to the squares of A.
    let mut setup = Setup::new(Arch::Gcn141);
    setup.set(1, 1, A.into());
    setup.set(4, 1, 0x7fff_ffff);
    setup.run(clamped(vop3p(VDot2I32I16, 9, [v(1), v(1), v(4)])));
    assert_eq!(setup.same(9), 0x7fff_ffff);
    setup.run(vop3p(VDot2I32I16, 9, [v(1), v(1), v(4)]));
    // 2^30 + (2^15 - 1)^2 + 2^31 - 1 = 2^32 - 2^16.
    assert_eq!(setup.same(9), 0xffff_0000);
}

#[test]
fn mixed_precision() {
    // S0: 1.5 as binary32; S1: the upper half of v2, 2.0 as binary16; S2: the low half, -|-0.5|.
    let arch = Arch::Gcn14;
    let mut setup = Setup::new(arch);
    setup.set(1, 1, 0x3fc0_0000);
    setup.set(2, 1, 0x4000_b800);
    setup.set(9, 1, 0xaaaa_bbbb);
    let [w, w1] = vop3p_select(Vop3p::VMadMixF32, 9, [v(1), v(2), v(2)], 0b010, 0b110);
    setup.run([w | 1 << 10, w1 | 1 << 31]);
    assert_eq!(setup.same(9), 0x4020_0000);
    // Without ABS, S2 is -(-0.5), and the result 3.5.
    setup.run([w, w1 | 1 << 31]);
    assert_eq!(setup.same(9), 0x4060_0000);
    for (op, expected) in [(Vop3p::VMadMixloF16, 0xaaaa_4100), (Vop3p::VMadMixhiF16, 0x4100_bbbb)] {
        setup.set(9, 1, 0xaaaa_bbbb);
        setup.run(vop3p_select(op, 9, [v(1), v(2), v(2)], 0b010, 0b110));
        assert_eq!(setup.same(9), expected, "{op:?}");
    }
    // Constants are binary32, or binary16 where OP_SEL_HI says so: 1.0 * 1.0 + 2.0.
    setup.run(vop3p_select(Vop3p::VMadMixF32, 9, [242, 242, 244], 0, 0b100));
    assert_eq!(setup.same(9), 0x4040_0000);
}
