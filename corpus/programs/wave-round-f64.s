; Rounding of binary64 to integers, fractions, minimum and maximum.
; in:  v[0:1], v[2:3]
; out: v[4:5], v[6:7], v[8:9], v[10:11] = v[0:1] rounded down, up, to zero, to nearest even; v[12:13] = fraction,
;      v[14:15], v[16:17] = smaller and larger of both, v[18:19] = square root of (v[0:1] to nearest even)^2 by
;      V_SQRT_F64
; generations: gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
    v_floor_f64 v[4:5], v[0:1]
    v_ceil_f64 v[6:7], v[0:1]
    v_trunc_f64 v[8:9], v[0:1]
    v_rndne_f64 v[10:11], v[0:1]
    v_fract_f64 v[12:13], v[0:1]
    v_min_f64 v[14:15], v[0:1], v[2:3]
    v_max_f64 v[16:17], v[0:1], v[2:3]
    v_mul_f64 v[18:19], v[10:11], v[10:11]
    v_sqrt_f64 v[18:19], v[18:19]
    v_rndne_f64 v[18:19], v[18:19]
    s_endpgm
