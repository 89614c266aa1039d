; A polynomial in binary16 three ways: fused (V_FMA_F16), with two roundings (V_MAD_F16, V_MAC_F16), and with
; constants in the instruction (V_MADAK_F16, V_MADMK_F16).
; in:  v0 = argument (binary32), s[0:5] = coefficients (binary16)
; out: v1 = argument as binary16, v2 = fused, v3 = unfused, v4 = with constants (1.5 x - 0.75) x + 3, and v2 added and
;      subtracted, v5 = v2 as binary32, v6 = v2 rounded to an integer, v7 = v2 as i16, v8 = fraction of v2, v9 = its
;      exponent, v10 = its mantissa
; generations: gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_cvt_f16_f32 v1, v0
    v_mov_b32 v11, s5
    v_mov_b32 v12, s5
.irp s, s4, s3, s2, s1, s0
    v_mov_b32 v13, \s
    v_fma_f16 v11, v11, v1, v13
    v_mov_b32 v14, \s
    v_mac_f16 v14, v12, v1
    v_mov_b32 v12, v14
.endr
    v_mov_b32 v2, v11
    v_mov_b32 v3, v12
    v_mov_b32 v4, 0x3e00                ; 1.5
    v_madak_f16 v4, v4, v1, 0xba00      ; - 0.75
    v_mov_b32 v13, 0x4200               ; 3
    v_mad_f16 v4, v4, v1, v13
    v_madmk_f16 v4, v4, 0x3c00, v11     ; + the fused value
    v_sub_f16 v4, v4, v11               ; - the fused value again
    v_cvt_f32_f16 v5, v2
    v_rndne_f16 v6, v2
    v_cvt_i16_f16 v7, v2
    v_fract_f16 v8, v2
    v_frexp_exp_i16_f16 v9, v2
    v_frexp_mant_f16 v10, v2
    CLEAR 11, 4
    s_endpgm
