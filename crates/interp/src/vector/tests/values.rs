//! Tests single values: the check values of docs/gcn/valu-check-values.md, and edge cases.

use super::*;

/// The destination and bit 63 of the mask result of an instruction in VOP3 form, with or without CLAMP. All operands
/// are in VGPRs.
fn result(arch: Arch, opcode: Opcode, clamp: bool, sources: &[u128]) -> (u128, bool) {
    let mut setup = Setup::new(arch);
    let desc = opcode.desc();
    let mut src = [0; 3];
    for (i, &value) in sources.iter().enumerate() {
        setup.set(10 + 4 * i, desc.src[i].dwords() as usize, value);
        src[i] = v(10 + 4 * i as u32);
    }
    let op = match opcode {
        Opcode::Vop1(_) => number(arch, opcode) + if arch.is_gcn12_or_later() { 320 } else { 384 },
        Opcode::Vop2(_) => number(arch, opcode) + 256,
        _ => number(arch, opcode),
    };
    let words = |bits: u32| vop3_word(arch, op, 40, bits | if clamp { 0x80 } else { 0 }, src);
    // SDST is s[4:5] where there is one.
    let has_sdst = setup.inst(words(0)).mask_dst().is_some();
    let words = words(if has_sdst { 4 } else { 0 });
    setup.run(words);
    let dwords = desc.dst.dwords() as usize;
    let value = (0..dwords).fold(0, |value, i| value | u128::from(setup.same(40 + i)) << (32 * i));
    let mask = setup.state.pair(4);
    assert!(mask == 0 || mask == u64::MAX, "{mask:x}");
    (value, mask >> 63 == 1)
}

fn one(op: Vop1, s0: u32) -> u32 {
    let results = Arch::ALL.into_iter().filter(|&arch| Opcode::Vop1(op).desc().op[arch as usize] != NO_OPCODE);
    let mut results = results.map(|arch| result(arch, Opcode::Vop1(op), false, &[s0.into()]).0 as u32);
    let first = results.next().unwrap();
    assert!(results.all(|result| result == first));
    first
}

fn two(op: Vop2, s0: u32, s1: u32) -> u32 {
    let opcode = Opcode::Vop2(op);
    let arch = Arch::ALL.into_iter().rev().find(|&arch| opcode.desc().op[arch as usize] != NO_OPCODE).unwrap();
    result(arch, opcode, false, &[s0.into(), s1.into()]).0 as u32
}

fn three(op: Vop3, sources: &[u128]) -> u128 {
    let opcode = Opcode::Vop3(op);
    let arch = Arch::ALL.into_iter().rev().find(|&arch| opcode.desc().op[arch as usize] != NO_OPCODE).unwrap();
    result(arch, opcode, false, sources).0
}

fn clamped(op: Vop3, sources: &[u128]) -> u128 {
    result(Arch::Gcn14, Opcode::Vop3(op), true, sources).0
}

const A: u128 = 0x89ab_cdef;
const B: u128 = 0x0100_7f23;

#[test]
fn check_values_of_the_notes() {
    use Vop3::*;
    for (op, sources, expected) in [
        (VSadU8, vec![A, B, 0x10], 0x25d),
        (VMsadU8, vec![A, B, 0x10], 0x1b2),
        (VSadHiU8, vec![A, B, 0x10], 0x024d_0010),
        (VSadU16, vec![A, B, 0x10], 0xd787),
        (VSadU32, vec![A, B, 0x10], 0x88ab_4edc),
        (VLerpU8, vec![A, B, 0x0001_0100], 0x4556_a689),
        (VQsadPkU16U8, vec![0x8899_aabb_ccdd_eeff, B, 0x0001_0002_0003_0004], 0x0228_026d_02b2_02f7),
        (VMqsadPkU16U8, vec![0x8899_aabb_ccdd_eeff, B, 0x0001_0002_0003_0004], 0x017e_01b2_01e6_021a),
        (VPermB32, vec![0x0102_0304, 0x8586_8788, 0x0c08_0700], 0x00ff_0188),
        (VPermB32, vec![0x0102_0304, 0x8586_8788, 0x0d0b_0905], 0xff00_ff03),
        (VPermB32, vec![0x1122_3344, 0x5566_7788, 0x0605_0403], 0x2233_4455),
        (VAlignbitB32, vec![A, B, 12], 0xdef0_1007),
        (VAlignbyteB32, vec![A, B, 1], 0xef01_007f),
        (VAlignbyteB32, vec![A, B, 5], 0xef01_007f),
        (VBfeI32, vec![A, 4, 8], 0xffff_ffde),
        (VBfeU32, vec![A, 4, 8], 0xde),
        (VBfeU32, vec![A, 28, 31], 8),
        (VBfeI32, vec![A, 28, 31], 0xffff_fff8),
        (VBfmB32, vec![8, 28], 0xf000_0000),
        (VBfmB32, vec![3, 30], 0xc000_0000),
        (VBfmB32, vec![32, 0], 0),
    ] {
        assert_eq!(three(op, &sources), expected, "{op:?} {sources:x?}");
    }
    assert_eq!(two(Vop2::VMulI32I24, 0xff80_0001, 3), 0xfe80_0003);
    assert_eq!(two(Vop2::VMulHiI32I24, 0xff80_0001, 3), 0xffff_ffff);
    assert_eq!(two(Vop2::VMulU32U24, 0x12ff_ffff, 0x00ff_ffff), 0xfe00_0001);
    assert_eq!(two(Vop2::VMulHiU32U24, 0x12ff_ffff, 0x00ff_ffff), 0x0000_ffff);
    let mad = Opcode::Vop3(VMadU64U32);
    let sources = [0xffff_ffff, 0xffff_ffff, u64::MAX.into()];
    assert_eq!(result(Arch::Gcn11, mad, false, &sources), (0xffff_fffe_0000_0000, true));
}

#[test]
fn bits() {
    assert_eq!(one(Vop1::VNotB32, 0x0f0f_1234), 0xf0f0_edcb);
    assert_eq!(one(Vop1::VBfrevB32, 0x8000_0002), 0x4000_0001);
    for (s0, high, low, signed) in [
        (0, u32::MAX, u32::MAX, u32::MAX),
        (u32::MAX, 0, 0, u32::MAX),
        (1, 31, 0, 31),
        (0x8000_0000, 0, 31, 1),
        (0x4000_0000, 1, 30, 1),
        (7, 29, 0, 29),
        (0xffff_fffe, 0, 1, 31),
        (0x0001_0000, 15, 16, 15),
    ] {
        let results = [one(Vop1::VFfbhU32, s0), one(Vop1::VFfblB32, s0), one(Vop1::VFfbhI32, s0)];
        assert_eq!(results, [high, low, signed], "{s0:x}");
    }
    // The first and last entries of the table and one in the middle. Only eight bits of the index count.
    let screen = [0, 1, 2, 31, 32, 255, 256, 0x1_0020].map(|s0| one(Vop1::VScreenPartition4seB32, s0));
    assert_eq!(screen, [1, 3, 7, 0xf, 0xd, 1, 1, 0xd]);
    assert_eq!(one(Vop1::VSatPkU8I16, 0x0100_ffff), 0xff00);
    assert_eq!(one(Vop1::VSatPkU8I16, 0x8000_00ff), 0x00ff);
    assert_eq!(two(Vop2::VXnorB32, 0xff00_ff00, 0x0ff0_0ff0), 0x0f0f_0f0f);
    assert_eq!(three(Vop3::VBfiB32, &[0xf0f0_f0f0, 0x1234_5678, 0x9abc_def0]), 0x1a3c_5e70);
    assert_eq!(three(Vop3::VBcntU32B32, &[0xffff_ffff, 0xffff_fff0]), 0x10);
    assert_eq!(three(Vop3::VBfeI32, &[0xffff_ffff, 0, 0]), 0);
    assert_eq!(three(Vop3::VBfeI32, &[0x8000_0000, 31, 1]), 0xffff_ffff);
    assert_eq!(three(Vop3::VBfeU32, &[0xffff_ffff, 0, 32]), 0);
    assert_eq!(three(Vop3::VAlignbitB32, &[1, 0x8000_0000, 31]), 3);
    assert_eq!(three(Vop3::VAlignbitB32, &[1, 0x8000_0000, 32]), 0x8000_0000);
}

#[test]
fn shifts_mask_their_count() {
    assert_eq!(two(Vop2::VLshrB32, 0x8000_0000, 63), 1);
    assert_eq!(two(Vop2::VLshrrevB32, 32 + 4, 0x8000_0000), 0x0800_0000);
    assert_eq!(two(Vop2::VAshrI32, 0x8000_0000, 31), 0xffff_ffff);
    assert_eq!(two(Vop2::VAshrrevI32, 33, 0x8000_0000), 0xc000_0000);
    assert_eq!(two(Vop2::VLshlB32, 3, 31), 0x8000_0000);
    assert_eq!(two(Vop2::VLshlrevB32, 32, 3), 3);
    assert_eq!(two(Vop2::VLshlrevB16, 16 + 1, 0x8001), 2);
    assert_eq!(two(Vop2::VLshrrevB16, 15, 0xffff_8000), 1);
    assert_eq!(two(Vop2::VAshrrevI16, 15, 0x8000), 0xffff);
    assert_eq!(three(Vop3::VLshlB64, &[0x8000_0000_0000_0003, 64 + 32]), 0x3_0000_0000);
    assert_eq!(three(Vop3::VLshrB64, &[0x8000_0000_0000_0003, 63]), 1);
    assert_eq!(three(Vop3::VAshrI64, &[0x8000_0000_0000_0003, 63]), 0xffff_ffff_ffff_ffff);
    assert_eq!(three(Vop3::VLshlrevB64, &[63, 3]), 0x8000_0000_0000_0000);
    assert_eq!(three(Vop3::VLshrrevB64, &[1, 0x8000_0000_0000_0003]), 0x4000_0000_0000_0001);
    assert_eq!(three(Vop3::VAshrrevI64, &[32, 0x8000_0000_0000_0000]), 0xffff_ffff_8000_0000);
}

#[test]
fn sums_wrap() {
    use Vop3::*;
    assert_eq!(three(VLshlAddU32, &[0x8000_0001, 33, 0xffff_ffff]), 1);
    assert_eq!(three(VAddLshlU32, &[0xffff_ffff, 2, 36]), 0x10);
    assert_eq!(three(VAdd3U32, &[0xffff_ffff, 0xffff_ffff, 3]), 1);
    assert_eq!(three(VXadU32, &[0xff, 0x0f, 0xffff_ffff]), 0xef);
    assert_eq!(three(VLshlOrB32, &[1, 4, 0x100]), 0x110);
    assert_eq!(three(VAndOrB32, &[0xff, 0x3c, 0x8000_0000]), 0x8000_003c);
    assert_eq!(three(VOr3B32, &[1, 2, 4]), 7);
    assert_eq!(three(VMulLoU32, &[0x1_0001, 0x1_0001]), 0x2_0001);
    assert_eq!(three(VMulLoI32, &[0xffff_ffff, 5]), 0xffff_fffb);
    assert_eq!(three(VMulHiU32, &[0xffff_ffff, 0xffff_ffff]), 0xffff_fffe);
    assert_eq!(three(VMulHiI32, &[0x8000_0000, 0x8000_0000]), 0x4000_0000);
    assert_eq!(three(VMulHiI32, &[0xffff_ffff, 1]), 0xffff_ffff);
    assert_eq!(three(VMadI32I24, &[0x0080_0000, 0x0080_0000, 5]), 5);
    assert_eq!(three(VMadU32U24, &[0xff00_0003, 0x0000_0005, 0xffff_fff1]), 0);
    assert_eq!(three(VMadU32U16, &[0xffff, 0xffff, 0xffff_ffff]), 0xfffe_0000);
    assert_eq!(three(VMadI32I16, &[0x8000, 0x8000, 0x8000_0000]), 0xc000_0000);
    assert_eq!(three(VMqsadU32U8, &[0x0000_0000_0404_0404, 0x0101_0101, 0xffff_ffff_0000_0001_0000_0002_0000_0003]), {
        // Distances of four, three, two and one 4 and of zeros: 12, 9 + 1, 6 + 2, 3 + 3; the last one wraps.
        0x0000_0005_0000_0009_0000_000c_0000_000f
    });
}

#[test]
fn least_greatest_and_middle() {
    use Vop3::*;
    let (min, minus, one, max) = (0x8000_0000, 0xffff_ffff, 1, 0x7fff_ffff);
    assert_eq!([two(Vop2::VMinI32, min, max), two(Vop2::VMaxI32, min, max)], [min, max]);
    assert_eq!([two(Vop2::VMinU32, min, max), two(Vop2::VMaxU32, min, max)], [max, min]);
    let [min, minus, one, max] = [min, minus, one, max].map(u128::from);
    assert_eq!([VMin3I32, VMed3I32, VMax3I32].map(|op| three(op, &[max, minus, one])), [minus, one, max]);
    assert_eq!([VMin3U32, VMed3U32, VMax3U32].map(|op| three(op, &[min, one, minus])), [one, min, minus]);
    assert_eq!([VMin3I16, VMed3I16, VMax3I16].map(|op| three(op, &[0x7fff, 0x8000, 3])), [0x8000, 3, 0x7fff]);
    assert_eq!([VMin3U16, VMed3U16, VMax3U16].map(|op| three(op, &[0x7fff, 0x8000, 3])), [3, 0x7fff, 0x8000]);
    assert_eq!([two(Vop2::VMinI16, 0x8000, 1), two(Vop2::VMaxI16, 0x8000, 1)], [0x8000, 1]);
    assert_eq!([two(Vop2::VMinU16, 0x8000, 1), two(Vop2::VMaxU16, 0x8000, 1)], [1, 0x8000]);
    for (order, middle) in
        [([1, 2, 3], 2), ([1, 3, 2], 2), ([2, 1, 3], 2), ([2, 3, 1], 2), ([3, 1, 2], 2), ([3, 2, 1], 2)]
    {
        assert_eq!(three(VMed3U32, &order), middle);
    }
}

#[test]
fn packing_saturates() {
    assert_eq!(three(Vop3::VCvtPkU16U32, &[0x1_0000, 0xffff]), 0xffff_ffff);
    assert_eq!(three(Vop3::VCvtPkU16U32, &[0x1234, 0x5678]), 0x5678_1234);
    assert_eq!(three(Vop3::VCvtPkI16I32, &[0xffff_0000, 0x8000]), 0x7fff_8000);
    assert_eq!(three(Vop3::VCvtPkI16I32, &[0xffff_ffff, 5]), 0x0005_ffff);
}

#[test]
fn carries() {
    for (arch, add, sub, subrev) in [
        (Arch::Gcn10, Vop2::VAddI32, Vop2::VSubI32, Vop2::VSubrevI32),
        (Arch::Gcn12, Vop2::VAddU32Carry, Vop2::VSubU32Carry, Vop2::VSubrevU32Carry),
        (Arch::Gcn14, Vop2::VAddCoU32, Vop2::VSubCoU32, Vop2::VSubrevCoU32),
    ] {
        let run = |op, s0: u32, s1: u32| result(arch, Opcode::Vop2(op), false, &[s0.into(), s1.into()]);
        assert_eq!(run(add, 0xffff_ffff, 1), (0, true));
        assert_eq!(run(add, 0xffff_fffe, 1), (0xffff_ffff, false));
        assert_eq!(run(add, 0x8000_0000, 0x8000_0000), (0, true));
        assert_eq!(run(sub, 1, 2), (0xffff_ffff, true));
        assert_eq!(run(sub, 2, 2), (0, false));
        assert_eq!(run(subrev, 1, 2), (1, false));
        assert_eq!(run(subrev, 2, 1), (0xffff_ffff, true));
    }
}

#[test]
fn clamped_integers() {
    use Vop3::*;
    let two = |op, s0: u32, s1: u32| result(Arch::Gcn14, Opcode::Vop2(op), true, &[s0.into(), s1.into()]);
    assert_eq!(two(Vop2::VAddU32, 0xffff_ffff, 1).0, 0xffff_ffff);
    assert_eq!(two(Vop2::VSubU32, 1, 2).0, 0);
    assert_eq!(two(Vop2::VSubrevU32, 2, 1).0, 0);
    // The carry is that of the exact result.
    assert_eq!(two(Vop2::VAddCoU32, 0xffff_ffff, 1), (0xffff_ffff, true));
    assert_eq!(two(Vop2::VSubCoU32, 1, 2), (0, true));
    assert_eq!(two(Vop2::VAddU16, 0xffff, 1).0, 0xffff);
    assert_eq!(two(Vop2::VSubU16, 1, 2).0, 0);
    assert_eq!(two(Vop2::VSubrevU16, 2, 1).0, 0);
    assert_eq!(two(Vop2::VMulI32I24, 0x0080_0000, 0x007f_ffff).0, 0x8000_0000);
    assert_eq!(two(Vop2::VMulU32U24, 0x00ff_ffff, 0x00ff_ffff).0, 0xffff_ffff);
    assert_eq!(clamped(VAddI32, &[0x7fff_ffff, 1]), 0x7fff_ffff);
    assert_eq!(clamped(VSubI32, &[0x8000_0000, 1]), 0x8000_0000);
    assert_eq!(clamped(VAddI16, &[0x7fff, 1]), 0x7fff);
    assert_eq!(clamped(VSubI16, &[0x8000, 1]), 0x8000);
    assert_eq!(clamped(VMadU16, &[0xffff, 0xffff, 0xffff]), 0xffff);
    assert_eq!(clamped(VMadI16, &[0x8000, 0x7fff, 0]), 0x8000);
    assert_eq!(clamped(VMadI32I24, &[0x007f_ffff, 0x007f_ffff, 0]), 0x7fff_ffff);
    assert_eq!(clamped(VMadU32U24, &[0xffff, 0xffff, 0xffff_ffff]), 0xffff_ffff);
    assert_eq!(clamped(VMadU32U16, &[0xffff, 0xffff, 0xffff_ffff]), 0xffff_ffff);
    assert_eq!(clamped(VMadI32I16, &[0x8000, 0x7fff, 0x8000_0000]), 0x8000_0000);
    assert_eq!(clamped(VSadU32, &[0xffff_ffff, 0, 1]), 0xffff_ffff);
    assert_eq!(clamped(VQsadPkU16U8, &[0, 0xffff_ffff, 0xffff_0000_ffff_0000]), 0xffff_03fc_ffff_03fc);
    assert_eq!(clamped(VMqsadU32U8, &[0, 1, 0xffff_ffff << 96]), 0xffff_ffff_0000_0001_0000_0001_0000_0001);
    let mad = |op, sources: &[u128]| result(Arch::Gcn14, Opcode::Vop3(op), true, sources);
    assert_eq!(mad(VMadU64U32, &[1, 1, u64::MAX.into()]), (u64::MAX.into(), true));
    assert_eq!(mad(VMadI64I32, &[1, 1, i64::MAX as u128]), (i64::MAX as u128, false));
    assert_eq!(mad(VMadI64I32, &[0xffff_ffff, 1, 1 << 63]), (1 << 63, true));
}

#[test]
fn the_flag_of_mad_i64_i32_is_the_sign_of_the_exact_sum() {
    let mad = |sources: &[u128]| result(Arch::Gcn11, Opcode::Vop3(Vop3::VMadI64I32), false, sources);
    assert_eq!(mad(&[1, 1, i64::MAX as u128]), (1 << 63, false));
    assert_eq!(mad(&[0xffff_ffff, 1, 1 << 63]), (i64::MAX as u128, true));
    assert_eq!(mad(&[0xffff_ffff, 1, 0]), (u64::MAX.into(), true));
    assert_eq!(mad(&[0xffff_ffff, 1, 1]), (0, false));
}

#[test]
fn clamp_does_nothing_to_integers_before_gcn12() {
    let mul = Vop2::VMulI32I24;
    let mut setup = Setup::new(Arch::Gcn11);
    setup.set(1, 1, 0x007f_ffff);
    // CLAMP is bit 11 there.
    setup.run(vop2_e64(Arch::Gcn11, mul, 2, 8, [v(1), v(1), 0]));
    assert_eq!(setup.same(2), 0xff00_0001);
}
