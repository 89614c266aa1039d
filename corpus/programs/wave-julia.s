; A Julia set in binary64: the same loop with V_MUL_F64, V_ADD_F64 and V_FMA_F64.
; in:  s1 = most iterations, s[2:3], s[4:5] = c, s[6:7] = the distance of the points
; out: v2 = iterations, v[4:5], v[6:7] = the last point
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
    LANE v3
    v_and_b32 v0, 7, v3
    v_lshrrev_b32 v1, 3, v3
    v_cvt_f64_u32 v[4:5], v0
    v_cvt_f64_u32 v[6:7], v1
    v_add_f64 v[4:5], v[4:5], -4.0
    v_add_f64 v[6:7], v[6:7], -4.0
    v_mul_f64 v[4:5], v[4:5], s[6:7]
    v_mul_f64 v[6:7], v[6:7], s[6:7]
    v_mov_b32 v2, 0
    s_mov_b32 s0, s1
iteration:
    v_mul_f64 v[8:9], v[4:5], v[4:5]
    v_mul_f64 v[10:11], v[6:7], v[6:7]
    v_add_f64 v[12:13], v[8:9], v[10:11]
    v_cmp_ge_f64 vcc, 4.0, v[12:13]
    s_and_b64 exec, exec, vcc
    s_cbranch_execz done
    v_mul_f64 v[14:15], v[4:5], v[6:7]
    v_fma_f64 v[6:7], v[14:15], 2.0, s[4:5]
    v_add_f64 v[8:9], v[8:9], -v[10:11]
    v_add_f64 v[4:5], v[8:9], s[2:3]
    VADD v2, 1, v2
    REPEAT s0, iteration
done:
    s_mov_b64 exec, -1
    CLEAR 0, 2
    CLEAR 3, 1
    CLEAR 8, 8
    s_mov_b32 s0, 0
    s_mov_b64 vcc, 0
    s_endpgm
