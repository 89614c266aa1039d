; Screen derivatives as pixel shaders take them: differences within quads of 2 x 2 by DPP, of floats and of packed
; texels by SDWA.
; in:  v0 = binary32 of each pixel, v1 = texel of signed bytes, v2 = two binary16
; out: v3 = right minus left, v4 = lower minus upper, v5 = |v3| + |v4|, v6 = sum of the quad, v7 = bytes 1 and 3 of v1
;      as signed numbers multiplied, as binary32; v8 = low half of v2 minus its high half (binary16) in the high half,
;      the larger magnitude in the low one; v9 = the high half as binary32; v10 = v0 of the pixel two to the left in
;      its row of 16 (wrapping), minus v0; 0 in even lanes, which are off
; generations: gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    s_nop 1
    v_mov_b32_dpp v3, v0 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
    v_mov_b32_dpp v4, v0 quad_perm:[0,1,0,1] row_mask:0xf bank_mask:0xf
    v_subrev_f32_dpp v3, v0, v3 quad_perm:[1,1,3,3] row_mask:0xf bank_mask:0xf
    v_subrev_f32_dpp v4, v0, v4 quad_perm:[2,3,2,3] row_mask:0xf bank_mask:0xf
    v_sub_f32 v3, 0, v3
    v_sub_f32 v4, 0, v4
    v_add_f32 v5, |v3|, |v4|
    v_add_f32_dpp v6, v0, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    s_nop 1
    v_add_f32_dpp v6, v6, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
    v_cvt_f32_i32_sdwa v7, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1
    v_cvt_f32_i32_sdwa v11, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3
    v_mul_f32 v7, v7, v11
    v_sub_f16_sdwa v8, v2, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1
    v_max_f16_sdwa v8, |v2|, |v2| dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_1
    v_cvt_f32_f16_sdwa v9, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
    v_mov_b32 v10, 0
    s_mov_b32 exec_lo, 0xaaaaaaaa
    s_mov_b32 exec_hi, 0xaaaaaaaa
    v_sub_f32_dpp v10, v0, v0 row_ror:2 row_mask:0xf bank_mask:0xf
    s_mov_b64 exec, -1
    CLEAR 11, 1
    s_endpgm
