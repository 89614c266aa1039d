; Tone mapping of a pixel: brightness, colours moved towards it, and the channels packed into bytes one by one.
; in:  v0, v1, v2 = red, green, blue (binary32), s0, s1, s2 = weights
; out: v3 = brightness (weights times channels; on gcn1.4.1 the last product is fused), v4 = 1.5 * brightness + 0.25,
;      v5 = red minus brightness, at most 0.75, v6 = bytes of the channels and of v4, each times 255, rounded,
;      saturated; v7 = product of the low 24 bits of v6 with itself; gcn1.4: v8, v9 = larger signed and smaller
;      unsigned halves of v6 and v7
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro PACK byte, v
    v_mul_f32 v10, 0x437f0000, \v
    v_cvt_pkaccum_u8_f32 v6, v10, \byte
.endm
    v_nop
    v_mul_f32 v3, s0, v0
    v_mad_legacy_f32 v3, v1, s1, v3
    v_mov_b32 v10, s2
    .if GCN > 14
        v_fmac_f32 v3, v2, v10
    .else
        v_mac_f32 v3, v2, v10
    .endif
    v_mov_b32 v10, 0x3fc00000
    v_madak_f32 v4, v3, v10, 0x3e800000
    v_subrev_f32 v5, v3, v0
    v_min_f32 v5, 0x3f400000, v5
    v_clrexcp
    PACK 0, v0
    PACK 1, v1
    PACK 2, v2
    PACK 3, v4
    v_mul_u32_u24 v7, v6, v6
    .if GCN >= 14
        v_pk_max_i16 v8, v6, v7
        v_pk_min_u16 v9, v6, v7
    .endif
    CLEAR 10, 1
    s_endpgm
