; 16-bit numbers, one a lane: exact float functions, quotients, rounding, conversions, shifts, products.
; in:  v0 = integers q (1..60), v1 = integers d (1..30), v2, v3 = 16-bit integers, v4 = binary16 (multiples of 1/16)
; out: v5 = (q d) / d by V_RCP_F32 and V_DIV_FIXUP_F16, v6 = sqrt(q^2), v7 = 1/2^(d & 7), v8 = 2^((d & 7) - 4), v9 =
;      log2 of v8, v10, v11, v12 = v4 down, up, to zero, v13 = v2 as binary16 (signed), v14 = unsigned, v15 = v4 as
;      u16, v16 = v2 >> 3 signed, v17 = unsigned, v18 = v2 * v3, v19 = v2 * v3 + v2, v20, v21 = smaller and larger
;      unsigned, v22, v23 = of v4 and v5, v24 = v4 * 2^(d & 3), v25 = sin, v26 = cos of (d & 3) quarter turns, v27 = 1
;      / sqrt(4^(d & 3))
; generations: gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_cvt_f16_u16 v30, v0
    v_cvt_f16_u16 v31, v1
    v_mul_f16 v32, v30, v31             ; q d, exact
    v_cvt_f32_f16 v33, v32
    v_cvt_f32_f16 v34, v31
    v_rcp_f32 v34, v34
    v_mul_f32 v33, v33, v34
    v_cvt_f16_f32 v33, v33
    v_div_fixup_f16 v5, v33, v31, v32
    v_mul_f16 v32, v30, v30
    v_sqrt_f16 v6, v32
    v_and_b32 v33, 7, v1
    v_ldexp_f16 v34, 1.0, v33
    v_rcp_f16 v7, v34
    v_cvt_f16_u16 v34, v33
    v_add_f16 v34, -4.0, v34
    v_exp_f16 v8, v34
    v_log_f16 v9, v8
    v_floor_f16 v10, v4
    v_ceil_f16 v11, v4
    v_trunc_f16 v12, v4
    v_cvt_f16_i16 v13, v2
    v_cvt_f16_u16 v14, v2
    v_cvt_u16_f16 v15, v4
    v_ashrrev_i16 v16, 3, v2
    v_lshrrev_b16 v17, 3, v2
    v_mul_lo_u16 v18, v2, v3
    v_mad_i16 v19, v2, v3, v2
    v_min_u16 v20, v2, v3
    v_max_u16 v21, v2, v3
    v_min_f16 v22, v4, v5
    v_max_f16 v23, v4, v5
    v_and_b32 v33, 3, v1
    v_ldexp_f16 v24, v4, v33
    v_cvt_f16_u16 v34, v33
    v_mul_f16 v34, 0x3400, v34          ; 1/4
    v_sin_f16 v25, v34
    v_cos_f16 v26, v34
    v_lshlrev_b16 v33, 1, v33
    v_ldexp_f16 v33, 1.0, v33
    v_rsq_f16 v27, v33
    CLEAR 30, 5
    s_endpgm
