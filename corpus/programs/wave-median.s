; The median of nine: sorted triples, then the largest minimum, the middle median and the smallest maximum.
; in:  v[0:8]
; out: v9 = signed, v10 = unsigned, v11 = as floats (no NaN)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.macro MEDIAN d, t
    v_min3_\t v12, v0, v1, v2
    v_med3_\t v13, v0, v1, v2
    v_max3_\t v14, v0, v1, v2
    v_min3_\t v15, v3, v4, v5
    v_med3_\t v16, v3, v4, v5
    v_max3_\t v17, v3, v4, v5
    v_min3_\t v18, v6, v7, v8
    v_med3_\t v19, v6, v7, v8
    v_max3_\t v20, v6, v7, v8
    v_max3_\t v12, v12, v15, v18
    v_med3_\t v13, v13, v16, v19
    v_min3_\t v14, v14, v17, v20
    v_med3_\t \d, v12, v13, v14
.endm
.include "vector.inc"
    MEDIAN v9, i32
    MEDIAN v10, u32
    MEDIAN v11, f32
    CLEAR 12, 9
    s_endpgm
