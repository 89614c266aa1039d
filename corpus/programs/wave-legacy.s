; What only the first two generations have: legacy and clamped float functions, shifts with the value first.
; in:  v0, v1 = binary32, v2 = integers, v[4:5] = binary64
; out: v6, v7 = legacy minimum and maximum (the second operand if one is NaN), v8 = v0 * v1 + v1, v9 = v0 * v1 + v0
;      where a zero times anything is zero, v10, v11 = 1 / v0 with infinity clamped, made zero; v12, v13 = the same
;      for 1 / sqrt(|v0|), v14 = log2(|v0|) with -infinity clamped, v15 = lit(v0, v1, v0), v[16:17] = 1 / v[4:5]
;      clamped, v[18:19] = 1 / sqrt |v[4:5]| clamped, v20, v21, v22 = v2 shifted left, right, right with sign by the
;      exponent field of v0, v[24:25] = v[4:5] right with sign, v26 = v0 * v2 as integers, v27 = its high half,
;      signed, v3 = 2^max(0, log2 |v0|) (gcn1.1)
; generations: gcn1.0 gcn1.1
    v_min_legacy_f32 v6, v0, v1
    v_max_legacy_f32 v7, v0, v1
    v_mov_b32 v8, v1
    v_mac_legacy_f32 v8, v0, v1
    v_mad_legacy_f32 v9, v0, v1, v0
    v_rcp_clamp_f32 v10, v0
    v_rcp_legacy_f32 v11, v0
    v_rsq_clamp_f32 v12, |v0|
    v_rsq_legacy_f32 v13, |v0|
    v_log_clamp_f32 v14, |v0|
    v_mullit_f32 v15, v0, v1, v0
    v_rcp_clamp_f64 v[16:17], v[4:5]
    v_rsq_clamp_f64 v[18:19], |v[4:5]|
    v_lshrrev_b32 v28, 23, v0
    v_lshl_b32 v20, v2, v28
    v_lshr_b32 v21, v2, v28
    v_ashr_i32 v22, v2, v28
    v_ashr_i64 v[24:25], v[4:5], v28
    v_mul_lo_i32 v26, v0, v2
    v_mul_hi_i32 v27, v0, v2
    .if GCN >= 11
        v_log_legacy_f32 v3, |v0|
        v_max_f32 v3, 0, v3
        v_exp_legacy_f32 v3, v3
    .endif
    v_mov_b32 v28, 0
    s_endpgm
