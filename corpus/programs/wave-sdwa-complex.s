; Complex numbers of two 16-bit fractions in one register: repeated products, halves selected and placed by SDWA.
; in:  v0 = z, v1 = w (low half real), s0 = products
; out: v0 = z, v2 = its real part with the sign extended, v3 = sum of the magnitudes |re| + |im|, v4 = bytes 1 and 2
;      added, signed
; generations: gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro PART d, a, b
    v_mul_i32_i24_sdwa \d, sext(v0), sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_\a src1_sel:WORD_\b
.endm
    v_mov_b32 v3, 0
product:
    PART v5, 0, 0
    PART v6, 1, 1
    PART v7, 0, 1
    PART v8, 1, 0
    VSUB v5, v5, v6
    VADD v7, v7, v8
    v_lshrrev_b32 v5, 15, v5
    v_lshrrev_b32 v7, 15, v7
    v_mov_b32_sdwa v0, v5 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0
    v_mov_b32_sdwa v0, v7 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0
    v_sub_u16_sdwa v5, v9, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
    v_sub_u16_sdwa v6, v9, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1
    v_max_i16_sdwa v5, v5, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0
    v_max_i16_sdwa v6, v6, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1
    VADD v3, v3, v5
    VADD v3, v3, v6
    REPEAT s0, product
    v_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0
    .if GCN >= 14
        v_add_u32_sdwa v4, sext(v0), sext(v0) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:BYTE_2
    .else
        v_add_u32_sdwa v4, vcc, sext(v0), sext(v0) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:BYTE_2
    .endif
    CLEAR 5, 4
    s_mov_b64 vcc, 0
    s_endpgm
