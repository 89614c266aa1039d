; Transcendental functions, rounded to fixed point, so coarse that any hardware within its bounds gives the same
; numbers.
; in:  v0 = argument
; out: v1 = 1024 sin, v2 = 1024 cos (of v0 revolutions), v3 = 256 * 2^v0, v4 = 4096 log2(v0 + 4), v5 = 4096 / (v0 +
;      4), v6 = 1024 sqrt(v0 + 4), v7 = 4096 / sqrt(v0 + 4), v8 = 256 (v0 + 4)^1.5 as 2^(1.5 log2)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro FIXED d, scale
    v_mul_f32 \d, \scale, \d
    v_rndne_f32 \d, \d
    v_cvt_i32_f32 \d, \d
.endm
    v_fract_f32 v9, v0
    v_sin_f32 v1, v9
    v_cos_f32 v2, v9
    v_exp_f32 v3, v0
    v_add_f32 v9, 4.0, v0
    v_log_f32 v4, v9
    v_mul_f32 v8, 0x3fc00000, v4
    v_exp_f32 v8, v8
    v_rcp_f32 v5, v9
    v_sqrt_f32 v6, v9
    v_rsq_f32 v7, v9
    FIXED v1, 0x44800000
    FIXED v2, 0x44800000
    FIXED v3, 0x43800000
    FIXED v4, 0x45800000
    FIXED v5, 0x45800000
    FIXED v6, 0x44800000
    FIXED v7, 0x45800000
    FIXED v8, 0x43800000
    CLEAR 9, 1
    s_endpgm
