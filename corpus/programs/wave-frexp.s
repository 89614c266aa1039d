; Mantissas and exponents, taken apart and put together, binary32 and binary64, denormals included.
; in:  v0 = binary32, v[2:3] = binary64, v4 = exponents to add
; out: v5, v6 = mantissa and exponent of v0, v[8:9], v7 = of v[2:3], v10 = v0 * 2^v4, v[12:13] = v[2:3] * 2^v4,
;      v1 = 1 where mantissa * 2^exponent gives v0 and v[2:3] back
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_frexp_mant_f32 v5, v0
    v_frexp_exp_i32_f32 v6, v0
    v_frexp_mant_f64 v[8:9], v[2:3]
    v_frexp_exp_i32_f64 v7, v[2:3]
    v_ldexp_f32 v10, v0, v4
    v_ldexp_f64 v[12:13], v[2:3], v4
    v_ldexp_f32 v14, v5, v6
    v_cmp_eq_u32 vcc, v14, v0
    v_ldexp_f64 v[14:15], v[8:9], v7
    v_cmp_eq_u32 s[2:3], v14, v2
    s_and_b64 vcc, vcc, s[2:3]
    v_cmp_eq_u32 s[2:3], v15, v3
    s_and_b64 vcc, vcc, s[2:3]
    v_cndmask_b32 v1, 0, 1, vcc
    CLEAR 14, 2
    s_endpgm
