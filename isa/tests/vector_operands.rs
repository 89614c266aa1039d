//! Operands and modifiers of vector instructions in every form. llvm-mc assembled the words from the texts. Where it
//! refuses to, a field of similar words was changed. The expectations were written by hand.

use gcnsim_isa::Arch::{Gcn10, Gcn11, Gcn12, Gcn14, Gcn141};
use gcnsim_isa::{Arch, Dpp, Inst, OperandType, Sdwa, Src, decode};

/// Decodes words and checks their text.
#[track_caller]
fn inst(arch: Arch, words: [u32; 2], text: &str) -> Inst {
    let inst = decode(arch, words[0], Some(words[1])).expect(text);
    assert_eq!(inst.to_string(), text);
    inst
}

const VCC: Option<u8> = Some(106);

/// VDST, SDST, and the masks that are written and read.
type Destinations = [Option<u8>; 4];

#[test]
fn destinations_and_masks() {
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, Destinations)] = &[
        (Gcn10, [0x7e0a_0203, 0], "v_mov_b32_e32 v5, s3", [Some(5), None, None, None]),
        (Gcn10, [0x7e00_0000, 0], "v_nop", [None; 4]),
        (Gcn10, [0x7e00_8200, 0], "v_clrexcp", [None; 4]),
        (Gcn10, [0x4a02_0702, 0], "v_add_i32_e32 v1, vcc, v2, v3", [Some(1), None, VCC, None]),
        (Gcn10, [0xd24a_0401, 0x0002_0702], "v_add_i32_e64 v1, s[4:5], v2, v3", [Some(1), None, Some(4), None]),
        (Gcn10, [0x5002_0702, 0], "v_addc_u32_e32 v1, vcc, v2, v3, vcc", [Some(1), None, VCC, VCC]),
        (Gcn10, [0xd250_0401, 0x001a_0702], "v_addc_u32_e64 v1, s[4:5], v2, v3, s[6:7]", [Some(1), None, Some(4), Some(6)]),
        (Gcn14, [0xd11c_0401, 0x001a_0702], "v_addc_co_u32_e64 v1, s[4:5], v2, v3, s[6:7]", [Some(1), None, Some(4), Some(6)]),
        (Gcn10, [0xd200_0201, 0x201a_0702], "v_cndmask_b32_e64 v1, -v2, |v3|, s[6:7]", [Some(1), None, None, Some(6)]),
        (Gcn14, [0x0002_06fa, 0xff01_4002], "v_cndmask_b32_dpp v1, v2, v3, vcc row_mirror row_mask:0xf bank_mask:0xf", [Some(1), None, None, VCC]),
        (Gcn12, [0x3802_06fa, 0xff01_4202], "v_addc_u32_dpp v1, vcc, v2, v3, vcc row_bcast:15 row_mask:0xf bank_mask:0xf", [Some(1), None, VCC, VCC]),
        (Gcn12, [0x3202_06f9, 0x0c03_0602], "v_add_u32_sdwa v1, vcc, v2, sext(v3) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_0", [Some(1), None, VCC, None]),
        (Gcn10, [0x020a_0f03, 0], "v_readlane_b32 s5, v3, s7", [None, Some(5), None, None]),
        (Gcn12, [0xd289_0005, 0x0000_0f03], "v_readlane_b32 s5, v3, s7", [None, Some(5), None, None]),
        (Gcn14, [0xd289_006a, 0x0000_f903], "v_readlane_b32 vcc_lo, v3, m0", [None, VCC, None, None]),
        (Gcn10, [0x7e12_0504, 0], "v_readfirstlane_b32 s9, v4", [None, Some(9), None, None]),
        (Gcn14, [0xd28a_0005, 0x0000_f803], "v_writelane_b32 v5, s3, m0", [Some(5), None, None, None]),
        (Gcn10, [0xd2dc_0401, 0x841e_0b03], "v_div_scale_f64 v[1:2], s[4:5], v[3:4], v[5:6], -v[7:8]", [Some(1), None, Some(4), None]),
        (Gcn10, [0xd2e0_0001, 0x041e_0b03], "v_div_fmas_f64 v[1:2], v[3:4], v[5:6], v[7:8]", [Some(1), None, None, VCC]),
        (Gcn14, [0xd1e2_0001, 0x0412_0702], "v_div_fmas_f32 v1, v2, v3, v4", [Some(1), None, None, VCC]),
        (Gcn11, [0xd2ec_0401, 0x0420_0d03], "v_mad_u64_u32 v[1:2], s[4:5], v3, s6, v[8:9]", [Some(1), None, Some(4), None]),
        (Gcn14, [0x3202_0702, 0], "v_add_co_u32_e32 v1, vcc, v2, v3", [Some(1), None, VCC, None]),
        (Gcn14, [0xd134_8001, 0x0002_0702], "v_add_u32_e64 v1, v2, v3 clamp", [Some(1), None, None, None]),
        (Gcn14, [0xd382_4001, 0x1801_8302], "v_pk_add_i16 v1, v2, -1", [Some(1), None, None, None]),
        (Gcn14, [0xd405_0c02, 0], "v_interp_p2_f32_e32 v1, v2, attr3.x", [Some(1), None, None, None]),
        // Compares and scalar instructions have none of these destinations.
        (Gcn14, [0x7d94_0501, 0], "v_cmp_eq_u32_e32 vcc, v1, v2", [None; 4]),
        (Gcn14, [0x8001_0302, 0], "s_add_u32 s1, s2, s3", [None; 4]),
    ];
    for &(arch, words, text, expected) in cases {
        let inst = inst(arch, words, text);
        assert_eq!([inst.vdst(), inst.sdst(), inst.mask_dst(), inst.mask_src()], expected, "{text}");
    }
}

/// Type and value of each source.
type Sources = &'static [(OperandType, Src)];

#[test]
fn sources() {
    use OperandType as T;
    use Src::{Imm, Sgpr, Vgpr};
    const PI: u64 = 0x4049_0fdb;
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, Sources)] = &[
        (Gcn10, [0x4002_0702, 0x4049_0fdb], "v_madmk_f32 v1, v2, 0x40490fdb, v3", &[(T::f32, Vgpr(2)), (T::f32, Imm(PI)), (T::f32, Vgpr(3))]),
        (Gcn14, [0x3002_0702, 0x4049_0fdb], "v_madak_f32 v1, v2, v3, 0x40490fdb", &[(T::f32, Vgpr(2)), (T::f32, Vgpr(3)), (T::f32, Imm(PI))]),
        (Gcn14, [0x4a02_0702, 0x0001_3c00], "v_madak_f16 v1, v2, v3, 0x13c00", &[(T::f16, Vgpr(2)), (T::f16, Vgpr(3)), (T::f16, Imm(0x3c00))]),
        // The literal of SRC0 and the constant are one dword.
        (Gcn14, [0x3002_06ff, 0x4049_0fdb], "v_madak_f32 v1, 0x40490fdb, v3, 0x40490fdb", &[(T::f32, Imm(PI)), (T::f32, Vgpr(3)), (T::f32, Imm(PI))]),
        (Gcn10, [0x7e02_42ff, 0x4049_0fdb], "v_trunc_f32_e32 v1, 0x40490fdb", &[(T::f32, Imm(PI))]),
        (Gcn10, [0x7e04_0801, 0], "v_cvt_f64_i32_e32 v[2:3], s1", &[(T::i32, Sgpr(1))]),
        (Gcn10, [0xd2c2_0001, 0x0002_0604], "v_lshl_b64 v[1:2], s[4:5], v3", &[(T::b64, Sgpr(4)), (T::u32, Vgpr(3))]),
        (Gcn12, [0xd28f_0001, 0x0000_0903], "v_lshlrev_b64 v[1:2], v3, s[4:5]", &[(T::u32, Vgpr(3)), (T::b64, Sgpr(4))]),
        (Gcn12, [0xd1e9_6a01, 0x0305_0b03], "v_mad_i64_i32 v[1:2], vcc, v3, 5, -1", &[(T::i32, Vgpr(3)), (T::i32, Imm(5)), (T::i64, Imm(u64::MAX))]),
        (Gcn11, [0xd2ea_0004, 0x0422_0701], "v_mqsad_u32_u8 v[4:7], v[1:2], v3, v[8:11]", &[(T::b64, Vgpr(1)), (T::b32, Vgpr(3)), (T::b128, Vgpr(8))]),
        (Gcn10, [0x020a_0f03, 0], "v_readlane_b32 s5, v3, s7", &[(T::b32, Vgpr(3)), (T::b32, Sgpr(7))]),
        (Gcn14, [0xd289_007c, 0x0001_0b03], "v_readlane_b32 m0, v3, 5", &[(T::b32, Vgpr(3)), (T::b32, Imm(5))]),
        (Gcn14, [0x0202_06f9, 0x0086_5402], "v_add_f32_sdwa v1, s2, v3 mul:2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:BYTE_0", &[(T::f32, Sgpr(2)), (T::f32, Vgpr(3))]),
        // A half of a constant can be selected, so it has 32 bits.
        (Gcn14, [0xd382_4001, 0x1801_8302], "v_pk_add_i16 v1, v2, -1", &[(T::i16, Vgpr(2)), (T::i16, Imm(0xffff_ffff))]),
        (Gcn14, [0xd38f_4001, 0x1801_e502], "v_pk_add_f16 v1, v2, 1.0", &[(T::f16, Vgpr(2)), (T::f16, Imm(0x3c00))]),
        (Gcn141, [0xd3a6_4001, 0x1c11_8302], "v_dot2_i32_i16 v1, v2, -1, v4", &[(T::i16, Vgpr(2)), (T::i16, Imm(0xffff_ffff)), (T::i32, Vgpr(4))]),
        (Gcn14, [0xd206_0001, 0x03c8_0702], "v_fma_f16 v1, v2, s3, 1.0", &[(T::f16, Vgpr(2)), (T::f16, Sgpr(3)), (T::f16, Imm(0x3c00))]),
        // OP_SEL_HI chooses the type of MIX sources.
        (Gcn14, [0xd3a2_4001, 0x03ca_0702], "v_mad_mixhi_f16 v1, v2, v3, 1.0 op_sel_hi:[0,0,1]", &[(T::f32, Vgpr(2)), (T::f32, Vgpr(3)), (T::f16, Imm(0x3c00))]),
        (Gcn14, [0xd3a2_0001, 0x03ca_0702], "v_mad_mixhi_f16 v1, v2, v3, 1.0", &[(T::f32, Vgpr(2)), (T::f32, Vgpr(3)), (T::f32, Imm(0x3f80_0000))]),
    ];
    for &(arch, words, text, expected) in cases {
        let inst = inst(arch, words, text);
        let found: Vec<_> = (0..inst.src_count()).map(|i| (inst.src_type(i), inst.src(i))).collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// The modifiers of an instruction in one line: `abs`, `neg` and `neg_hi` with the numbers of the sources, then others
/// that are not 0.
fn modifiers(inst: &Inst) -> String {
    let list = |name: &str, has: &dyn Fn(usize) -> bool| -> Option<String> {
        let numbers: String = (0..3).filter(|&i| has(i)).map(|i| i.to_string()).collect();
        (!numbers.is_empty()).then(|| format!("{name}:{numbers}"))
    };
    let number = |name: &str, n: u32| (n != 0).then(|| format!("{name}:{n:#b}"));
    let all = [
        list("abs", &|i| inst.abs(i)),
        list("neg", &|i| inst.neg(i)),
        list("neg_hi", &|i| inst.neg_hi(i)),
        (inst.omod() != 0).then(|| format!("omod:{}", inst.omod())),
        inst.clamp().then(|| "clamp".to_string()),
        number("op_sel", inst.op_sel()),
        number("op_sel_hi", inst.op_sel_hi()),
        inst.writes_half().map(|half| format!("half:{half}")),
        inst.reads_vdst().then(|| "reads_vdst".to_string()),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn modifiers_of_long_forms() {
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, &str)] = &[
        (Gcn10, [0xd23e_0905, 0x2802_0f03], "v_mac_f32_e64 v5, -|v3|, v7 clamp mul:2", "abs:0 neg:0 omod:1 clamp reads_vdst"),
        (Gcn10, [0xd200_0201, 0x201a_0702], "v_cndmask_b32_e64 v1, -v2, |v3|, s[6:7]", "abs:1 neg:0"),
        (Gcn10, [0xd2dc_0401, 0x841e_0b03], "v_div_scale_f64 v[1:2], s[4:5], v[3:4], v[5:6], -v[7:8]", "neg:2"),
        (Gcn10, [0xd256_0001, 0x0002_0702], "v_ldexp_f32_e64 v1, v2, v3", ""),
        // Integers have CLAMP from GCN 1.2 on.
        (Gcn10, [0xd212_0801, 0x0002_0702], "v_mul_i32_i24_e64 v1, v2, v3 clamp", ""),
        (Gcn12, [0xd108_8001, 0x0002_0702], "v_mul_u32_u24_e64 v1, v2, v3 clamp", "clamp"),
        // The bit of CLAMP belongs to SDST there.
        (Gcn10, [0xd24a_0801, 0x0002_0702], "v_add_i32_e64 v1, s[8:9], v2, v3", ""),
        (Gcn12, [0xd119_8401, 0x0002_0702], "v_add_u32_e64 v1, s[4:5], v2, v3 clamp", "clamp"),
        (Gcn12, [0xd133_0001, 0x3002_0702], "v_ldexp_f16_e64 v1, -v2, v3 mul:4", "neg:0 omod:2"),
        // NEG of an integer source is accepted, but has no meaning.
        (Gcn12, [0xd133_0001, 0x4002_0702], "v_ldexp_f16_e64 v1, v2, sext(v3)", ""),
        // CLAMP and OMOD of conversions to integer are accepted, but have no meaning.
        (Gcn12, [0xd148_8101, 0x0800_0102], "v_cvt_i32_f32_e64 v1, |v2| clamp mul:2", "abs:0"),
        (Gcn12, [0xd296_8101, 0x2000_0702], "v_cvt_pkrtz_f16_f32 v1, -|v2|, s3 clamp", "abs:0 neg:0 clamp"),
        (Gcn12, [0xd1ea_8201, 0x2412_0702], "v_mad_f16 v1, -v2, |v3|, v4 clamp", "abs:1 neg:0 clamp"),
        (Gcn14, [0xd203_6801, 0x0412_0702], "v_mad_f16 v1, v2, v3, v4 op_sel:[1,0,1,1]", "op_sel:0b1101 half:1 reads_vdst"),
        (Gcn14, [0xd206_0001, 0x03c8_0702], "v_fma_f16 v1, v2, s3, 1.0", "half:0 reads_vdst"),
        (Gcn14, [0xd1ea_0001, 0x0412_0702], "v_mad_legacy_f16 v1, v2, v3, v4", ""),
        (Gcn14, [0xd1f8_5001, 0x0412_0702], "v_max3_i16 v1, v2, v3, v4 op_sel:[0,1,0,1]", "op_sel:0b1010 half:1 reads_vdst"),
        (Gcn14, [0xd1f8_0001, 0x0412_0702], "v_max3_i16 v1, v2, v3, v4", ""),
        (Gcn14, [0xd29e_0001, 0x0002_0702], "v_add_i16 v1, v2, v3", "half:0 reads_vdst"),
        (Gcn14, [0xd1f1_1801, 0x0412_0702], "v_mad_u32_u16 v1, v2, v3, v4 op_sel:[1,1,0,0]", "op_sel:0b11"),
        (Gcn14, [0xd2a0_0a01, 0x2002_0702], "v_pack_b32_f16 v1, -v2, |v3| op_sel:[1,0,0]", "abs:1 neg:0 op_sel:0b1"),
        (Gcn14, [0xd299_1001, 0x0002_0702], "v_cvt_pknorm_i16_f16 v1, v2, v3 op_sel:[0,1,0]", "op_sel:0b10"),
        (Gcn14, [0xd29c_8001, 0x0002_0702], "v_add_i32 v1, v2, v3 clamp", "clamp"),
        // LLVM does not write OP_SEL of a promoted instruction. For 32-bit operands it has no meaning.
        (Gcn14, [0xd11f_4801, 0x0002_0702], "v_add_f16_e64 v1, v2, v3", "op_sel:0b1001 half:1 reads_vdst"),
        (Gcn14, [0xd14b_4801, 0x0000_0102], "v_cvt_f32_f16_e64 v1, v2", "op_sel:0b1"),
        (Gcn14, [0xd101_7801, 0x0002_0702], "v_add_f32_e64 v1, v2, v3", ""),
        (Gcn12, [0xd11f_0001, 0x0002_0702], "v_add_f16_e64 v1, v2, v3", ""),
        (Gcn14, [0xd28a_0005, 0x0000_f803], "v_writelane_b32 v5, s3, m0", "reads_vdst"),
    ];
    for &(arch, words, text, expected) in cases {
        assert_eq!(modifiers(&inst(arch, words, text)), expected, "{text}");
    }
}

#[test]
fn modifiers_of_packed_forms() {
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, &str)] = &[
        (
            Gcn14, [0xd38e_cd01, 0x5410_0702],
            "v_pk_fma_f16 v1, v2, s3, v4 op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,1,0] neg_hi:[1,0,1] clamp",
            "neg:1 neg_hi:02 clamp op_sel:0b1 op_sel_hi:0b110",
        ),
        (Gcn14, [0xd382_4001, 0x1801_8302], "v_pk_add_i16 v1, v2, -1", "op_sel_hi:0b111"),
        // CLAMP does not apply to this instruction.
        (Gcn14, [0xd381_c001, 0x1802_0702], "v_pk_mul_lo_u16 v1, v2, v3 clamp", "op_sel_hi:0b111"),
        (
            Gcn14, [0xd3a0_0a01, 0x2c10_0702],
            "v_mad_mix_f32 v1, -v2, |s3|, v4 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
            "abs:1 neg:0 op_sel:0b1 op_sel_hi:0b1",
        ),
        (Gcn14, [0xd3a1_0001, 0x0412_0702], "v_mad_mixlo_f16 v1, v2, v3, v4", "half:0 reads_vdst"),
        (
            Gcn141, [0xd3a2_e001, 0x0c12_0702],
            "v_fma_mixhi_f16 v1, v2, v3, v4 op_sel:[0,0,1] op_sel_hi:[1,0,1] clamp",
            "clamp op_sel:0b100 op_sel_hi:0b101 half:1 reads_vdst",
        ),
        (Gcn141, [0xd3a8_c001, 0x1a14_0702], "v_dot4_i32_i8 v1, v2, s3, 5 clamp", "clamp op_sel_hi:0b111"),
        (Gcn141, [0xd3a3_5001, 0x1c12_0702], "v_dot2_f32_f16 v1, v2, v3, v4 op_sel:[0,1,0]", "op_sel:0b10 op_sel_hi:0b111"),
    ];
    for &(arch, words, text, expected) in cases {
        assert_eq!(modifiers(&inst(arch, words, text)), expected, "{text}");
    }
}

#[test]
fn modifiers_of_short_forms() {
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, &str)] = &[
        (Gcn10, [0x3e0a_0e03, 0], "v_mac_f32_e32 v5, s3, v7", "reads_vdst"),
        (Gcn10, [0x5802_0602, 0], "v_cvt_pkaccum_u8_f32_e32 v1, s2, v3", "reads_vdst"),
        (Gcn10, [0x4002_0702, 0x4049_0fdb], "v_madmk_f32 v1, v2, 0x40490fdb, v3", ""),
        // The register that V_MOVRELD keeps is not known.
        (Gcn10, [0x7e02_8502, 0], "v_movreld_b32_e32 v1, v2", ""),
        (Gcn12, [0x7e02_7702, 0], "v_cvt_u16_f16_e32 v1, v2", ""),
        (Gcn12, [0x4602_0702, 0], "v_mac_f16_e32 v1, v2, v3", "reads_vdst"),
        (Gcn14, [0x4602_0702, 0], "v_mac_f16_e32 v1, v2, v3", "half:0 reads_vdst"),
        (Gcn12, [0x4a02_0702, 0x0000_3c00], "v_madak_f16 v1, v2, v3, 0x3c00", ""),
        (Gcn14, [0x4a02_0702, 0x0000_3c00], "v_madak_f16 v1, v2, v3, 0x3c00", "half:0 reads_vdst"),
        (Gcn14, [0x7e02_1502, 0], "v_cvt_f16_f32_e32 v1, v2", ""),
        (Gcn14, [0x7e02_a302, 0], "v_swap_b32 v1, v2", "reads_vdst"),
        (Gcn141, [0x7602_0702, 0], "v_fmac_f32_e32 v1, v2, v3", "reads_vdst"),
        (Gcn14, [0xd405_0c02, 0], "v_interp_p2_f32_e32 v1, v2, attr3.x", "reads_vdst"),
        // SDWA and DPP.
        (
            Gcn12, [0x0202_06f9, 0x0635_3102],
            "v_add_f32_sdwa v1, -|v2|, v3 clamp dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD",
            "abs:0 neg:0 clamp reads_vdst",
        ),
        (
            Gcn14, [0x1602_06f9, 0x9606_3602],
            "v_max_f32_sdwa v1, v2, -s3 clamp dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
            "neg:1 clamp",
        ),
        (
            Gcn14, [0x0202_06f9, 0x0086_5402],
            "v_add_f32_sdwa v1, s2, v3 mul:2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:BYTE_0",
            "omod:1 reads_vdst",
        ),
        // CLAMP has no effect here.
        (
            Gcn14, [0x7e02_02f9, 0x000a_2d02],
            "v_mov_b32_sdwa v1, sext(v2) clamp dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_2", "",
        ),
        (Gcn12, [0x7c42_04f9, 0x1425_0001], "v_cmp_lt_f16 vcc, |v1|, -v2 src0_sel:WORD_1 src1_sel:WORD_0", "abs:0 neg:1"),
        (
            Gcn12, [0x3e02_06fa, 0xa599_1302],
            "v_add_f16_dpp v1, -v2, |v3| row_shr:3 row_mask:0xa bank_mask:0x5 bound_ctrl:1", "abs:1 neg:0",
        ),
        (Gcn12, [0x2c02_06fa, 0xff01_3402], "v_mac_f32_dpp v1, v2, v3 wave_rol:1 row_mask:0xf bank_mask:0xf", "reads_vdst"),
    ];
    for &(arch, words, text, expected) in cases {
        assert_eq!(modifiers(&inst(arch, words, text)), expected, "{text}");
    }
}

#[test]
fn sub_dword_addressing() {
    let add = inst(
        Gcn12,
        [0x0202_06f9, 0x0635_3102],
        "v_add_f32_sdwa v1, -|v2|, v3 clamp dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD",
    );
    let expected = Sdwa { dst_sel: 1, dst_unused: 2, src_sel: [5, 6], sext: [false; 2] };
    assert_eq!(add.sdwa(), Some(expected));
    let carry = inst(
        Gcn12,
        [0x3202_06f9, 0x0c03_0602],
        "v_add_u32_sdwa v1, vcc, v2, sext(v3) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_0",
    );
    let expected = Sdwa { dst_sel: 6, dst_unused: 0, src_sel: [3, 4], sext: [false, true] };
    assert_eq!(carry.sdwa(), Some(expected));
    // V_MOV_B32 has one source. The bits of the other one are not a selector.
    let mov = "v_mov_b32_sdwa v1, sext(v2) dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_2";
    let expected = Sdwa { dst_sel: 5, dst_unused: 1, src_sel: [2, 6], sext: [true, false] };
    assert_eq!(inst(Gcn14, [0x7e02_02f9, 0x000a_0d02], mov).sdwa(), Some(expected));
    assert_eq!(inst(Gcn14, [0x7e02_02f9, 0x0b0a_0d02], mov).sdwa(), Some(expected));
    // Compares name a pair where other instructions have selectors of the destination.
    let cmp = "v_cmp_gt_i32_sdwa s[6:7], sext(v1), s2 src0_sel:BYTE_1 src1_sel:DWORD";
    let cmp = inst(Gcn14, [0x7d88_04f9, 0x8609_8601], cmp);
    let expected = Sdwa { dst_sel: 6, dst_unused: 0, src_sel: [1, 6], sext: [true, false] };
    assert_eq!((cmp.sdwa(), cmp.dst(), cmp.src(1)), (Some(expected), Some(6), Src::Sgpr(2)));
    assert_eq!(inst(Gcn14, [0x7e02_0302, 0], "v_mov_b32_e32 v1, v2").sdwa(), None);
}

#[test]
fn data_parallel_primitives() {
    let add = inst(
        Gcn12,
        [0x3e02_06fa, 0xa599_1302],
        "v_add_f16_dpp v1, -v2, |v3| row_shr:3 row_mask:0xa bank_mask:0x5 bound_ctrl:1",
    );
    let expected = Dpp { ctrl: 0x113, row_mask: 0xa, bank_mask: 5, bound_ctrl: true };
    assert_eq!((add.dpp(), add.sdwa()), (Some(expected), None));
    let mov =
        inst(Gcn14, [0x7e02_02fa, 0xff00_1b02], "v_mov_b32_dpp v1, v2 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf");
    let expected = Dpp { ctrl: 0x1b, row_mask: 15, bank_mask: 15, bound_ctrl: false };
    assert_eq!((mov.dpp(), mov.src(0)), (Some(expected), Src::Vgpr(2)));
    assert_eq!(inst(Gcn14, [0x7e02_0302, 0], "v_mov_b32_e32 v1, v2").dpp(), None);
}
