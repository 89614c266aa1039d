; Two polynomials per lane in packed binary16 by Horner's rule (V_PK_FMA_F16), coefficients in SGPRs.
; in:  v0 = two arguments, s[0:5] = coefficients of both halves, s6 = coefficients 1/8 (low) and 3 (high)
; out: v1 = values, v2 = values with the coefficients of the low half for both and the arguments exchanged,
;      v3 = sum of v1 and -v2, v4 = product clamped to 0..1, v5, v6 = minimum and maximum of v1 and v2
; generations: gcn1.4 gcn1.4.1
.include "vector.inc"
    v_mov_b32 v7, s5
    v_pk_fma_f16 v1, v7, v0, s4
    v_pk_fma_f16 v1, v1, v0, s3
    v_pk_fma_f16 v1, v1, v0, s2
    v_pk_fma_f16 v1, v1, v0, s1
    v_pk_fma_f16 v1, v1, v0, s0
    v_pk_fma_f16 v2, v7, v0, s4 op_sel:[0,1,0] op_sel_hi:[0,0,0]
    v_pk_fma_f16 v2, v2, v0, s3 op_sel:[0,1,0] op_sel_hi:[1,0,0]
    v_pk_fma_f16 v2, v2, v0, s2 op_sel:[0,1,0] op_sel_hi:[1,0,0]
    v_pk_fma_f16 v2, v2, v0, s1 op_sel:[0,1,0] op_sel_hi:[1,0,0]
    v_pk_fma_f16 v2, v2, v0, s0 op_sel:[0,1,0] op_sel_hi:[1,0,0]
    v_pk_add_f16 v3, v1, v2 neg_lo:[0,1] neg_hi:[0,1]
    v_pk_mul_f16 v4, v3, s6 clamp
    v_pk_min_f16 v5, v1, v2
    v_pk_max_f16 v6, v1, v2
    CLEAR 7, 1
    s_endpgm
