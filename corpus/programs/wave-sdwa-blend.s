; Alpha blending of sixteen pixels over one another, byte by byte with SDWA: t = a * alpha + b * (255 - alpha) + 128,
; channel = (t + (t >> 8)) >> 8. The pixel on top turns by a byte each time.
; in:  v0 = bottom, v1 = top, v2 = alpha (byte 0)
; out: v0
; generations: gcn1.2 gcn1.4
.include "vector.inc"
.macro CHANNEL n
    v_mul_u32_u24_sdwa v4, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_\n src1_sel:BYTE_0
    v_mul_u32_u24_sdwa v5, v0, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_\n src1_sel:DWORD
    VADD v4, v4, v5
    VADD v4, 0x80, v4
    v_mov_b32_sdwa v5, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1
    .if GCN >= 14
        v_add_u32_sdwa v4, v4, v5 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_0
    .else
        v_add_u32_sdwa v4, vcc, v4, v5 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_0
    .endif
    v_mov_b32_sdwa v6, v4 dst_sel:BYTE_\n dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3
.endm
    v_sub_u16_sdwa v3, v7, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0     ; 0 - alpha
    VADD v3, -1, v3                     ; 255 - alpha: alpha is not 0
    s_movk_i32 s0, 16
pixel:
    CHANNEL 0
    CHANNEL 1
    CHANNEL 2
    CHANNEL 3
    v_mov_b32 v0, v6
    ROTR v1, v1, 8
    REPEAT s0, pixel
    CLEAR 3, 4
    s_mov_b64 vcc, 0
    s_endpgm
