; Square roots of binary64, exactly rounded: V_RSQ_F64, Goldschmidt steps, two corrections; small operands scaled by
; 2^256.
; in:  v[0:1]
; out: v[2:3] = square roots
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
    s_mov_b32 s0, 0
    s_mov_b32 s1, 0x10000000            ; 2^-767
    v_cmp_gt_f64 vcc, s[0:1], v[0:1]
    v_mov_b32 v4, 0x100
    v_cndmask_b32 v4, 0, v4, vcc
    v_ldexp_f64 v[0:1], v[0:1], v4
    v_rsq_f64 v[6:7], v[0:1]
    v_mul_f64 v[8:9], v[0:1], v[6:7]    ; g, near the root
    v_mul_f64 v[6:7], v[6:7], 0.5       ; h, near half of its reciprocal
    v_fma_f64 v[10:11], -v[6:7], v[8:9], 0.5
    v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]
    v_fma_f64 v[6:7], v[6:7], v[10:11], v[6:7]
    v_fma_f64 v[10:11], -v[8:9], v[8:9], v[0:1]
    v_fma_f64 v[8:9], v[10:11], v[6:7], v[8:9]
    v_fma_f64 v[10:11], -v[8:9], v[8:9], v[0:1]
    v_fma_f64 v[8:9], v[10:11], v[6:7], v[8:9]
    v_mov_b32 v4, 0xffffff80
    v_cndmask_b32 v4, 0, v4, vcc
    v_ldexp_f64 v[8:9], v[8:9], v4
    v_mov_b32 v4, 0x260                 ; zeros and +infinity are their own roots
    v_cmp_class_f64 vcc, v[0:1], v4
    v_cndmask_b32 v2, v8, v0, vcc
    v_cndmask_b32 v3, v9, v1, vcc
    CLEAR 0, 2
    CLEAR 4, 8
    s_mov_b64 vcc, 0
    s_mov_b32 s1, 0
    s_endpgm
