//! Registers that vector instructions read and write, and notes that their words decide. The expectations were written
//! by hand.

use gcnsim_isa::Arch::{Gcn10, Gcn11, Gcn12, Gcn14, Gcn141};
use gcnsim_isa::{Arch, Inst, Note, RegSet, decode};

#[track_caller]
fn inst(arch: Arch, words: [u32; 2], text: &str) -> Inst {
    let inst = decode(arch, words[0], Some(words[1])).expect(text);
    assert_eq!(inst.to_string(), text);
    inst
}

/// A set of registers as `s[4:5] vcc v7 scc`: scalar registers, then VGPRs, then SCC. MODE, M0 and EXEC are checked
/// elsewhere.
fn registers(set: &RegSet) -> String {
    let sgprs = (0..124).filter(|code| set.sgprs >> code & 1 == 1).map(|code| match code {
        106 => "vcc_lo".to_string(),
        107 => "vcc_hi".to_string(),
        _ => format!("s{code}"),
    });
    let vgprs: Vec<String> = match set.vgprs.iter().count() {
        256 => vec!["all".into()],
        _ => set.vgprs.iter().map(|number| format!("v{number}")).collect(),
    };
    sgprs.chain(vgprs).chain(set.scc.then(|| "scc".to_string())).collect::<Vec<_>>().join(" ")
}

const M0: u128 = 1 << 124;
const EXEC: u128 = 3 << 126;

#[test]
fn registers_of_every_kind_of_operand() {
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, &str, &str)] = &[
        (Gcn10, [0x3e0a_0e03, 0], "v_mac_f32_e32 v5, s3, v7", "s3 v5 v7", "v5"),
        (Gcn10, [0x5002_0702, 0], "v_addc_u32_e32 v1, vcc, v2, v3, vcc", "vcc_lo vcc_hi v2 v3", "vcc_lo vcc_hi v1"),
        (Gcn10, [0xd250_0401, 0x001a_0702], "v_addc_u32_e64 v1, s[4:5], v2, v3, s[6:7]", "s6 s7 v2 v3", "s4 s5 v1"),
        (Gcn10, [0xd200_0201, 0x201a_0702], "v_cndmask_b32_e64 v1, -v2, |v3|, s[6:7]", "s6 s7 v2 v3", "v1"),
        (Gcn10, [0xd2dc_0401, 0x841e_0b03], "v_div_scale_f64 v[1:2], s[4:5], v[3:4], v[5:6], -v[7:8]", "v3 v4 v5 v6 v7 v8", "s4 s5 v1 v2"),
        (Gcn10, [0xd2e0_0001, 0x041e_0b03], "v_div_fmas_f64 v[1:2], v[3:4], v[5:6], v[7:8]", "vcc_lo vcc_hi v3 v4 v5 v6 v7 v8", "v1 v2"),
        (Gcn11, [0xd2ea_0004, 0x0422_0701], "v_mqsad_u32_u8 v[4:7], v[1:2], v3, v[8:11]", "v1 v2 v3 v8 v9 v10 v11", "v4 v5 v6 v7"),
        (Gcn10, [0xd2c2_0001, 0x0002_0604], "v_lshl_b64 v[1:2], s[4:5], v3", "s4 s5 v3", "v1 v2"),
        (Gcn10, [0x020a_0f03, 0], "v_readlane_b32 s5, v3, s7", "s7 v3", "s5"),
        (Gcn14, [0xd28a_0005, 0x0000_0e03], "v_writelane_b32 v5, s3, s7", "s3 s7 v5", "v5"),
        (Gcn14, [0x7e02_a302, 0], "v_swap_b32 v1, v2", "v1 v2", "v1 v2"),
        (Gcn10, [0x7e02_8502, 0], "v_movreld_b32_e32 v1, v2", "v2", "all"),
        (Gcn10, [0x7e02_8702, 0], "v_movrels_b32_e32 v1, v2", "all", "v1"),
        (Gcn10, [0x7e02_8902, 0], "v_movrelsd_b32_e32 v1, v2", "all", "all"),
        (Gcn14, [0xd29e_0001, 0x0002_0702], "v_add_i16 v1, v2, v3", "v1 v2 v3", "v1"),
        (Gcn14, [0x7e02_02fd, 0], "v_mov_b32_e32 v1, src_scc", "scc", "v1"),
        (Gcn14, [0x7e02_02fb, 0], "v_mov_b32_e32 v1, src_vccz", "vcc_lo vcc_hi", "v1"),
        (Gcn14, [0x7e02_02ff, 0x1234], "v_mov_b32_e32 v1, 0x1234", "", "v1"),
        (Gcn14, [0x7d94_0501, 0], "v_cmp_eq_u32_e32 vcc, v1, v2", "v1 v2", "vcc_lo vcc_hi"),
        (Gcn14, [0x7d88_04f9, 0x8609_8601], "v_cmp_gt_i32_sdwa s[6:7], sext(v1), s2 src0_sel:BYTE_1 src1_sel:DWORD", "s2 v1", "s6 s7"),
        (Gcn14, [0x7e00_0000, 0], "v_nop", "", ""),
    ];
    for &(arch, words, text, reads, writes) in cases {
        let inst = inst(arch, words, text);
        assert_eq!((registers(&inst.reads()).as_str(), registers(&inst.writes()).as_str()), (reads, writes), "{text}");
        // All instructions except V_NOP may be skipped or indexed.
        let (is_nop, reads) = (text == "v_nop", inst.reads());
        assert_eq!((reads.mode, reads.sgprs & M0 != 0), (!is_nop, !is_nop), "{text}");
        let whatever_exec = is_nop || text.starts_with("v_readlane") || text.starts_with("v_writelane");
        assert_eq!(reads.sgprs & EXEC == EXEC, !whatever_exec, "{text}");
        assert_eq!((inst.writes().mode, inst.writes().sgprs & EXEC), (false, 0), "{text}");
    }
}

#[test]
fn notes_that_the_words_decide() {
    use Note::*;
    #[rustfmt::skip]
    let cases: &[(Arch, [u32; 2], &str, &[Note])] = &[
        (Gcn14, [0x7e02_0302, 0], "v_mov_b32_e32 v1, v2", &[]),
        (Gcn14, [0x7e02_1302, 0], "v_mov_fed_b32_e32 v1, v2", &[MovFed]),
        (Gcn14, [0x7e02_4502, 0], "v_rcp_f32_e32 v1, v2", &[TranscendentalApprox]),
        // Instructions that read more than one scalar value.
        (Gcn14, [0xd1cb_0001, 0x0410_0602], "v_fma_f32 v1, s2, s3, v4", &[ConstantBus]),
        (Gcn14, [0xd1cb_0001, 0x0410_0402], "v_fma_f32 v1, s2, s2, v4", &[]),
        (Gcn14, [0xd1cc_0002, 0x0418_0804], "v_fma_f64 v[2:3], s[4:5], s[4:5], v[6:7]", &[]),
        (Gcn14, [0xd100_0001, 0x01aa_0602], "v_cndmask_b32_e64 v1, s2, v3, vcc", &[ConstantBus]),
        (Gcn14, [0xd100_0001, 0x01aa_066a], "v_cndmask_b32_e64 v1, vcc_lo, v3, vcc", &[]),
        (Gcn14, [0x0002_0604, 0], "v_cndmask_b32_e32 v1, s4, v3, vcc", &[ConstantBus]),
        (Gcn14, [0x0002_0680, 0], "v_cndmask_b32_e32 v1, 0, v3, vcc", &[]),
        (Gcn10, [0x4202_06ff, 0x4049_0fdb], "v_madak_f32 v1, 0x40490fdb, v3, 0x40490fdb", &[]),
        (Gcn10, [0x4202_0602, 0x4049_0fdb], "v_madak_f32 v1, s2, v3, 0x40490fdb", &[ConstantBus]),
        (Gcn14, [0xd28a_0005, 0x0000_f803], "v_writelane_b32 v5, s3, m0", &[]),
        (Gcn14, [0xd28a_0005, 0x0000_0e03], "v_writelane_b32 v5, s3, s7", &[ConstantBus]),
        // Pairs.
        (Gcn10, [0xd250_0501, 0x001a_0702], "v_addc_u32_e64 v1, s[5:6], v2, v3, s[6:7]", &[OddSgprPair]),
        (Gcn10, [0xd250_0401, 0x001e_0702], "v_addc_u32_e64 v1, s[4:5], v2, v3, s[7:8]", &[OddSgprPair]),
        // Lanes.
        (Gcn14, [0xd289_007c, 0x0001_0b03], "v_readlane_b32 m0, v3, 5", &[ValuDstM0]),
        (Gcn14, [0x7ef8_0503, 0], "v_readfirstlane_b32 m0, v3", &[ValuDstM0]),
        (Gcn14, [0xd289_0005, 0x0002_0f03], "v_readlane_b32 s5, v3, v7", &[LaneSelVgpr]),
        (Gcn14, [0xd28a_0005, 0x0002_0e03], "v_writelane_b32 v5, s3, v7", &[LaneSelVgpr]),
        // Modifiers.
        (Gcn12, [0xd148_8101, 0x0000_0102], "v_cvt_i32_f32_e64 v1, |v2| clamp", &[CvtIntClamp]),
        (Gcn12, [0xd148_0101, 0x0800_0102], "v_cvt_i32_f32_e64 v1, |v2| mul:2", &[CvtIntClamp]),
        (Gcn12, [0xd296_8101, 0x2000_0702], "v_cvt_pkrtz_f16_f32 v1, -|v2|, s3 clamp", &[]),
        (Gcn12, [0xd108_8001, 0x0002_0702], "v_mul_u32_u24_e64 v1, v2, v3 clamp", &[IntClamp]),
        (Gcn12, [0xd119_8401, 0x0002_0702], "v_add_u32_e64 v1, s[4:5], v2, v3 clamp", &[]),
        (Gcn14, [0xd381_c001, 0x1802_0702], "v_pk_mul_lo_u16 v1, v2, v3 clamp", &[IntClamp]),
        (Gcn14, [0xd11f_4801, 0x0002_0702], "v_add_f16_e64 v1, v2, v3", &[OpselPromoted]),
        (Gcn14, [0xd203_6801, 0x0412_0702], "v_mad_f16 v1, v2, v3, v4 op_sel:[1,0,1,1]", &[]),
        (Gcn14, [0x4602_0702, 0], "v_mac_f16_e32 v1, v2, v3", &[MacF16Hi16]),
        (Gcn12, [0x4602_0702, 0], "v_mac_f16_e32 v1, v2, v3", &[]),
        (Gcn12, [0x7e02_7702, 0], "v_cvt_u16_f16_e32 v1, v2", &[CvtI16Hi16]),
        (Gcn14, [0x7e02_9f02, 0], "v_sat_pk_u8_i16_e32 v1, v2", &[CvtI16Hi16]),
        // SDWA and DPP. There is no OMOD for integers in SDWA: its bits are idle.
        (
            Gcn14, [0x7e02_10f9, 0x0006_4602],
            "v_cvt_i32_f32_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD",
            &[],
        ),
        (
            Gcn12, [0x0202_06f9, 0x0605_0602],
            "v_add_f32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD",
            &[SdwaF32Subword],
        ),
        (Gcn12, [0x7c20_04f9, 0x0620_0001], "v_cmp_class_f32 vcc, |v1|, v2 src0_sel:BYTE_0 src1_sel:DWORD", &[SdwaF32Subword]),
        (Gcn12, [0x7c20_04f9, 0x0526_0001], "v_cmp_class_f32 vcc, |v1|, v2 src0_sel:DWORD src1_sel:WORD_1", &[]),
        (Gcn12, [0x7c42_04f9, 0x1425_2001], "v_cmp_lt_f16 vcc, |v1|, -v2 clamp src0_sel:WORD_1 src1_sel:WORD_0", &[SdwaVopcClamp]),
        (Gcn12, [0x7d94_04fa, 0xff01_4001], "v_cmp_eq_u32_dpp vcc, v1, v2 row_mirror row_mask:0xf bank_mask:0xf", &[DppVopc]),
        // Instructions.
        (Gcn10, [0xd2a0_0001, 0x0412_0702], "v_mullit_f32 v1, v2, v3, v4", &[Mullit]),
        (Gcn10, [0xd2dc_0401, 0x841e_0b03], "v_div_scale_f64 v[1:2], s[4:5], v[3:4], v[5:6], -v[7:8]", &[DivScaleVccGfx6]),
        (Gcn11, [0xd2dc_0401, 0x841e_0b03], "v_div_scale_f64 v[1:2], s[4:5], v[3:4], v[5:6], -v[7:8]", &[]),
        (Gcn12, [0xd1e9_6a01, 0x0305_0b03], "v_mad_i64_i32 v[1:2], vcc, v3, 5, -1", &[MadI64Carry]),
        (Gcn11, [0xd2ea_0004, 0x0422_0701], "v_mqsad_u32_u8 v[4:7], v[1:2], v3, v[8:11]", &[]),
        (Gcn11, [0xd2ea_0005, 0x0422_0701], "v_mqsad_u32_u8 v[5:8], v[1:2], v3, v[8:11]", &[QsadOverlap]),
        (Gcn11, [0xd2ea_0002, 0x0420_0d01], "v_mqsad_u32_u8 v[2:5], v[1:2], s6, v[8:11]", &[QsadOverlap]),
        (Gcn14, [0xd3a1_0001, 0x0412_0702], "v_mad_mixlo_f16 v1, v2, v3, v4", &[MixRound]),
        (Gcn141, [0xd3a3_4001, 0x1c12_0702], "v_dot2_f32_f16 v1, v2, v3, v4", &[Dot2Rounding]),
        (Gcn14, [0x7e02_6d02, 0], "v_mov_prsv_b32_e32 v1, v2", &[UndocOp]),
    ];
    for &(arch, words, text, expected) in cases {
        let inst = inst(arch, words, text);
        assert_eq!(inst.static_notes().iter().collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn what_only_names_are_known_of_is_refused() {
    for (arch, words, text) in [
        (Gcn14, [0x7e02_6d02, 0], "v_mov_prsv_b32_e32 v1, v2"),
        (Gcn12, [0xd28e_0001, 0x0002_0702], "v_mac_legacy_f32 v1, v2, v3"),
    ] {
        let inst = inst(arch, words, text);
        assert_eq!(inst.unsupported(), Some("its meaning is undocumented"), "{text}");
        assert!(!inst.opcode.is_executed());
    }
}
