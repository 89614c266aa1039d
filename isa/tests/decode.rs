//! Lengths, forms and refusals that no golden line shows, case by case.

use gcnsim_isa::{Arch, DecodeErrorKind, Form, Src, decode, decode_strict};

/// Checks text and length of legal words.
#[track_caller]
fn is(arch: Arch, words: [u32; 2], size: u32, text: &str) {
    let inst = decode(arch, words[0], Some(words[1])).expect(text);
    assert_eq!((inst.to_string().as_str(), inst.size()), (text, size), "{arch}");
}

#[track_caller]
fn illegal_operand(arch: Arch, words: [u32; 2]) {
    let error = decode(arch, words[0], Some(words[1])).expect_err("illegal operand");
    assert_eq!(error.kind, DecodeErrorKind::IllegalOperand, "{error}");
}

/// Checks words with a field that the instruction ignores: the text of the others, and that a strict reader refuses.
#[track_caller]
fn idle(arch: Arch, words: [u32; 2], text: &str) {
    is(arch, words, 8, text);
    let error = decode_strict(arch, words[0], Some(words[1])).expect_err("an idle field");
    assert_eq!(error.kind, DecodeErrorKind::IllegalOperand, "{error}");
    let inst = decode(arch, words[0], Some(words[1])).unwrap();
    assert_eq!(inst.idle_reason(), Some(error.reason));
    let clean = inst.without_idle_fields();
    assert_eq!(decode_strict(arch, clean.words[0], Some(clean.words[1])), Ok(clean));
}

#[track_caller]
fn illegal_instruction(arch: Arch, word: u32) {
    let error = decode(arch, word, Some(0)).expect_err("illegal instruction");
    assert_eq!(error.kind, DecodeErrorKind::IllegalInstruction, "{error}");
}

#[track_caller]
fn truncated(arch: Arch, word: u32) {
    let error = decode(arch, word, None).expect_err("truncated");
    assert_eq!(error.kind, DecodeErrorKind::Truncated, "{error}");
}

#[test]
fn a_literal_follows_where_a_used_source_is_255() {
    for arch in Arch::ALL {
        is(arch, [0x8001_ff02, 0xdead_beef], 8, "s_add_u32 s1, s2, 0xdeadbeef");
        is(arch, [0x8001_ffff, 0xdead_beef], 8, "s_add_u32 s1, 0xdeadbeef, 0xdeadbeef");
        truncated(arch, 0x8001_ff02);
        // SRC0 of V_NOP, SSRC0 of S_GETPC_B64 and the immediate of S_SET_GPR_IDX_ON are not sources.
        is(arch, [0x7e00_00ff, 1], 4, "v_nop");
    }
    is(Arch::Gcn10, [0xbe80_1fff, 1], 4, "s_getpc_b64 s[0:1]");
    is(Arch::Gcn14, [0xbe80_1cff, 1], 4, "s_getpc_b64 s[0:1]");
    is(Arch::Gcn12, [0xbf11_ff01, 1], 4, "s_set_gpr_idx_on s1, 0xff");
    is(Arch::Gcn12, [0xbf11_03ff, 9], 8, "s_set_gpr_idx_on 9, gpr_idx(SRC0,SRC1)");
    truncated(Arch::Gcn14, 0xba00_f801);
}

#[test]
fn a_constant_always_follows_madmk_and_madak() {
    is(Arch::Gcn10, [0x4002_0501, 7], 8, "v_madmk_f32 v1, v1, 0x7, v2");
    is(Arch::Gcn14, [0x2e02_0501, 7], 8, "v_madmk_f32 v1, v1, 0x7, v2");
    is(Arch::Gcn12, [0x4a02_04ff, 0x0001_4000], 8, "v_madak_f16 v1, 2.0, v2, 0x14000");
    truncated(Arch::Gcn12, 0x4a02_04f2);
}

#[test]
fn smrd_takes_a_literal_offset_on_gcn_1_1_only() {
    is(Arch::Gcn11, [0xc000_02ff, 0x1234], 8, "s_load_dword s0, s[2:3], 0x1234");
    truncated(Arch::Gcn11, 0xc000_02ff);
    illegal_operand(Arch::Gcn10, [0xc000_02ff, 0x1234]);
    is(Arch::Gcn10, [0xc000_03ff, 0], 4, "s_load_dword s0, s[2:3], 0xff");
    // The same word is SMEM on later generations.
    truncated(Arch::Gcn12, 0xc000_0300);
}

#[test]
fn smem_offsets_of_gcn_1_4_are_signed_and_may_be_two() {
    is(Arch::Gcn12, [0xc002_0001, 0x000f_ffff], 8, "s_load_dword s0, s[2:3], 0xfffff");
    is(Arch::Gcn14, [0xc002_0001, 0x001f_ffff], 8, "s_load_dword s0, s[2:3], -0x1");
    is(Arch::Gcn14, [0xc002_4001, 0x0800_0010], 8, "s_load_dword s0, s[2:3], s4 offset:0x10");
    is(Arch::Gcn14, [0xc000_4001, 0x0800_0000], 8, "s_load_dword s0, s[2:3], s4");
}

#[test]
fn sdwa_compares_write_vcc_and_later_a_named_pair() {
    let words = [0x7c82_06f9, 0x0604_0001];
    is(Arch::Gcn12, words, 8, "v_cmp_lt_f32 vcc, v1, v3 src0_sel:WORD_0 src1_sel:DWORD");
    is(Arch::Gcn14, words, 8, "v_cmp_lt_f32_sdwa vcc, v1, v3 src0_sel:WORD_0 src1_sel:DWORD");
    let words = [0x7c82_06f9, 0x0614_8201];
    is(Arch::Gcn14, words, 8, "v_cmp_lt_f32_sdwa s[2:3], -v1, v3 src0_sel:WORD_0 src1_sel:DWORD");
    let inst = decode(Arch::Gcn14, words[0], Some(words[1])).unwrap();
    assert_eq!((inst.form, inst.dst(), inst.src(0)), (Form::Sdwa, Some(2), Src::Vgpr(1)));
    // One bit for each source says that it is scalar.
    let words = [0x7c82_06f9, 0x8684_0001];
    is(Arch::Gcn14, words, 8, "v_cmp_lt_f32_sdwa vcc, s1, s3 src0_sel:WORD_0 src1_sel:DWORD");
    is(Arch::Gcn12, words, 8, "v_cmp_lt_f32 vcc, v1, v3 src0_sel:WORD_0 src1_sel:DWORD");
    illegal_operand(Arch::Gcn14, [0x7c82_06f9, 0x0604_ff01]);
    // 64-bit compares have no SDWA form. GCN 1.0 and 1.1 have no SDWA at all.
    illegal_operand(Arch::Gcn12, [0x7cc2_06f9, 0x0604_0001]);
    illegal_operand(Arch::Gcn11, [0x7c02_06f9, 0x0604_0001]);
    truncated(Arch::Gcn12, 0x7c82_06f9);
}

#[test]
fn sdwa_selectors_and_modifiers() {
    is(
        Arch::Gcn12,
        [0x0202_06f9, 0x0506_0601],
        8,
        "v_add_f32_sdwa v1, v1, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1",
    );
    for second in [0x0506_0701, 0x0507_0601, 0x0706_0601, 0x0506_1e01, 0x050e_0601] {
        illegal_operand(Arch::Gcn12, [0x0202_06f9, second]);
    }
    // Rows without an SDWA form: 64 bits, MADMK, READFIRSTLANE; V_MAC_F32 from GCN 1.4 on.
    for word in [0x7e00_06f9, 0x2e02_06f9, 0x7e00_04f9] {
        illegal_operand(Arch::Gcn14, [word, 0x0000_0601]);
    }
    illegal_operand(Arch::Gcn14, [0x2c02_06f9, 0x0506_0601]);
    assert!(decode(Arch::Gcn12, 0x2c02_06f9, Some(0x0506_0601)).is_ok());
}

#[test]
fn dpp_controls() {
    let text = "v_cmp_lt_f32_dpp vcc, v1, v3 row_shl:1 row_mask:0xf bank_mask:0xf";
    is(Arch::Gcn12, [0x7c82_06fa, 0xff01_0101], 8, text);
    is(
        Arch::Gcn14,
        [0x7e02_02fa, 0xff09_4201],
        8,
        "v_mov_b32_dpp v1, v1 row_bcast:15 row_mask:0xf bank_mask:0xf bound_ctrl:1",
    );
    for ctrl in [0x100, 0x110, 0x120, 0x131, 0x13d, 0x144, 0x150, 0x1ff] {
        illegal_operand(Arch::Gcn12, [0x7e02_02fa, 0xff00_0001 | ctrl << 8]);
    }
    // Integers ignore NEG and ABS.
    let text = "v_cmp_lt_i32_dpp vcc, v1, v3 row_shl:1 row_mask:0xf bank_mask:0xf";
    idle(Arch::Gcn12, [0x7d82_06fa, 0xff11_0101], text);
    illegal_operand(Arch::Gcn11, [0x7e02_02fa, 0xff01_0101]);
}

#[test]
fn vop3_promotions_move_between_generations() {
    is(Arch::Gcn10, [0xd206_0001, 0x0002_0501], 8, "v_add_f32_e64 v1, v1, v2");
    is(Arch::Gcn12, [0xd101_0001, 0x0002_0501], 8, "v_add_f32_e64 v1, v1, v2");
    is(Arch::Gcn11, [0xd302_0001, 0x0000_0101], 8, "v_mov_b32_e64 v1, v1");
    is(Arch::Gcn14, [0xd141_0001, 0x0000_0101], 8, "v_mov_b32_e64 v1, v1");
    is(Arch::Gcn14, [0xd270_0005, 0x0002_0441], 8, "v_interp_p1_f32_e64 v5, v2, attr1.y");
    // Rows that cannot be promoted: MADMK, READFIRSTLANE, SWAP.
    for word in [0xd117_0001, 0xd142_0001, 0xd191_0001] {
        illegal_instruction(Arch::Gcn14, word);
    }
    // A literal is illegal, but not in the field of a source that is not used.
    illegal_operand(Arch::Gcn12, [0xd101_0001, 0x0002_02ff]);
    idle(Arch::Gcn12, [0xd101_0001, 0x0402_0501], "v_add_f32_e64 v1, v1, v2");
    idle(Arch::Gcn12, [0xd101_0001, 0x03fe_0501], "v_add_f32_e64 v1, v1, v2");
}

#[test]
fn modifiers_of_compares() {
    // ABS and NEG of the mask of a class compare, and its CLAMP, have no meaning.
    is(Arch::Gcn14, [0xd010_010a, 0x2002_0902], 8, "v_cmp_class_f32_e64 s[10:11], -|v2|, v4");
    let class = "v_cmp_class_f32_e64 s[10:11], v2, v4";
    idle(Arch::Gcn14, [0xd010_020a, 0x0002_0902], class);
    idle(Arch::Gcn14, [0xd010_000a, 0x4002_0902], class);
    idle(Arch::Gcn14, [0xd010_800a, 0x0002_0902], class);
    idle(Arch::Gcn10, [0xd110_020a, 0x0002_0902], class);
    // Integers have no modifiers, and no compare has OMOD or a third source.
    idle(Arch::Gcn12, [0xd0c1_010a, 0x0002_0902], "v_cmp_lt_i32_e64 s[10:11], v2, v4");
    idle(Arch::Gcn12, [0xd041_000a, 0x0802_0902], "v_cmp_lt_f32_e64 s[10:11], v2, v4");
    idle(Arch::Gcn12, [0xd041_000a, 0x0402_0902], "v_cmp_lt_f32_e64 s[10:11], v2, v4");
}

#[test]
fn idle_fields_of_vector_instructions() {
    // A source field that is not used may hold a literal, a reserved code or a VGPR.
    for src2 in [1, 255, 209, 250, 511] {
        let second = 0x0001_0a00 | src2 << 18;
        idle(Arch::Gcn12, [0xd28a_0001, second], "v_writelane_b32 v1, s0, 5");
        idle(Arch::Gcn14, [0xd28a_0001, second], "v_writelane_b32 v1, s0, 5");
    }
    idle(Arch::Gcn14, [0xd141_0001, 0x0001_fe01 | 1 << 31], "v_mov_b32_e64 v1, s1");
    // ABS, NEG, OMOD and CLAMP of integers.
    for [first, second] in [[1 << 8, 0], [0, 1 << 30], [0, 1 << 31], [0, 3 << 27], [4 << 8, 0]] {
        idle(Arch::Gcn14, [0xd135_0001 | first, 0x0002_0501 | second], "v_sub_u32_e64 v1, v1, v2");
        idle(Arch::Gcn12, [0xd113_0001 | first, 0x0002_0501 | second], "v_and_b32_e64 v1, v1, v2");
    }
    idle(Arch::Gcn12, [0xd113_8001, 0x0002_0501], "v_and_b32_e64 v1, v1, v2");
    idle(Arch::Gcn10, [0xd236_0801, 0x0002_0501], "v_and_b32_e64 v1, v1, v2");
    // Carries have SDST in the place of ABS.
    idle(Arch::Gcn14, [0xd119_0401, 0x2002_0501], "v_add_co_u32_e64 v1, s[4:5], v1, v2");
    // OP_SEL of a source that is not there.
    idle(Arch::Gcn14, [0xd29e_2001, 0x0002_0501], "v_add_i16 v1, v1, v2");
    // Packed: a third source, and NEG of the second integer.
    let packed = "v_pk_add_i16 v1, v1, v2";
    for [first, second] in [[0, 255 << 18], [4 << 8, 0], [1 << 13, 0], [0, 1 << 31], [0, 1 << 30], [2 << 8, 0]] {
        idle(Arch::Gcn14, [0xd382_4001 | first, 0x1802_0501 | second], packed);
    }
    let mov = "v_mov_b32_sdwa v2, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD";
    idle(Arch::Gcn14, [0x7e04_02f9, 0x0016_0600], mov);
    idle(Arch::Gcn14, [0x7e04_02f9, 0x0006_4600], mov);
    // SEXT of a float is no idle field, and V_CNDMASK_B32 might take NEG.
    illegal_operand(Arch::Gcn14, [0x0204_02f9, 0x060e_0600]);
    illegal_operand(Arch::Gcn14, [0x0004_02f9, 0x0616_0600]);
}

#[test]
fn idle_fields_of_memory_instructions() {
    idle(Arch::Gcn14, [0xd86c_0000, 0x0102_0003], "ds_read_b32 v1, v3");
    idle(Arch::Gcn12, [0xd81a_0000, 0x2003_0201], "ds_write_b32 v1, v2");
    idle(Arch::Gcn10, [0xd8d8_0000, 0x01ff_ff03], "ds_read_b32 v1, v3");
    idle(Arch::Gcn11, [0xdc30_0000, 0x0105_0002], "flat_load_dword v1, v[2:3]");
    idle(Arch::Gcn12, [0xdc50_2000, 0x0100_0002], "flat_load_dword v1, v[2:3]");
    idle(Arch::Gcn14, [0xf000_0100, 0x0021_0102], "image_load v1, v2, s[4:11] dmask:0x1");
    illegal_operand(Arch::Gcn14, [0xdc70_2000, 0x0000_0100]);
}

#[test]
fn flat_segments() {
    illegal_instruction(Arch::Gcn10, 0xdc30_0000);
    is(Arch::Gcn11, [0xdc30_0000, 0x0100_0002], 8, "flat_load_dword v1, v[2:3]");
    is(Arch::Gcn14, [0xdc50_0004, 0x0100_0002], 8, "flat_load_dword v1, v[2:3] offset:4");
    is(Arch::Gcn14, [0xdc50_5fff, 0x0104_0000], 8, "scratch_load_dword v1, off, s4 offset:-1");
    is(Arch::Gcn14, [0xdc50_8004, 0x017f_0002], 8, "global_load_dword v1, v[2:3], off offset:4");
    illegal_operand(Arch::Gcn14, [0xdc50_c000, 0x017f_0002]);
    idle(Arch::Gcn12, [0xdc50_0004, 0x0100_0002], "flat_load_dword v1, v[2:3]");
    // A tuple may go past v255, where LLVM decodes nothing. Running it is noted as `reg-range`.
    is(Arch::Gcn14, [0xdc50_0000, 0x0100_00ff], 8, "flat_load_dword v1, v[255:256]");
    is(Arch::Gcn14, [0xdc5c_0000, 0xfd00_0002], 8, "flat_load_dwordx4 v[253:256], v[2:3]");
}

#[test]
fn encodings_that_moved_or_never_were() {
    is(Arch::Gcn11, [0xf800_180f, 0x0403_0201], 8, "exp mrt0 v1, v2, v3, v4 done vm");
    is(Arch::Gcn12, [0xc400_180f, 0x0403_0201], 8, "exp mrt0 v1, v2, v3, v4 done vm");
    is(Arch::Gcn10, [0xc804_0103, 0], 4, "v_interp_p1_f32 v1, v3, attr0.y");
    is(Arch::Gcn12, [0xd404_0103, 0], 4, "v_interp_p1_f32_e32 v1, v3, attr0.y");
    illegal_operand(Arch::Gcn12, [0xd406_0103, 0]);
    for arch in Arch::ALL {
        for word in [0xcc00_0000, 0xe400_0000, 0xec00_0000, 0xf400_0000, 0xfc00_0000] {
            illegal_instruction(arch, word);
        }
    }
    illegal_instruction(Arch::Gcn10, 0xd400_0000);
    illegal_instruction(Arch::Gcn12, 0xc800_0000);
    illegal_instruction(Arch::Gcn12, 0xf800_0000);
    illegal_instruction(Arch::Gcn12, 0xd380_0000);
}
