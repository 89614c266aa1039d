; Argument reduction of huge binary64 numbers after Payne and Hanek: which part of a turn is x radians?
; V_TRIG_PREOP_F64 gives three pieces of 2 / pi that matter for x; quarter turns are their products with x, modulo 4.
; in:  v[0:1] = x, above 1
; out: v2 = 2^24 turns, rounded down
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_trig_preop_f64 v[4:5], v[0:1], 0
    v_trig_preop_f64 v[6:7], v[0:1], 1
    v_trig_preop_f64 v[8:9], v[0:1], 2
    s_mov_b32 s0, 0x7b000000            ; from 2^945 on the pieces are larger by 2^128
    v_cmp_le_u32 vcc, s0, v1
    v_mov_b32 v10, 0xffffff80
    v_cndmask_b32 v10, 0, v10, vcc
    v_ldexp_f64 v[0:1], v[0:1], v10
    v_mul_f64 v[10:11], v[0:1], v[4:5]
    v_fma_f64 v[12:13], v[0:1], v[4:5], -v[10:11]
    v_mul_f64 v[14:15], v[10:11], 0.5
    v_mul_f64 v[14:15], v[14:15], 0.5
    v_fract_f64 v[10:11], v[14:15]
    v_fma_f64 v[12:13], v[0:1], v[6:7], v[12:13]
    v_fma_f64 v[12:13], v[0:1], v[8:9], v[12:13]
    v_mul_f64 v[12:13], v[12:13], 0.5
    v_fma_f64 v[10:11], v[12:13], 0.5, v[10:11]
    v_fract_f64 v[10:11], v[10:11]
    v_ldexp_f64 v[10:11], v[10:11], 24
    v_cvt_u32_f64 v2, v[10:11]
    CLEAR 0, 2
    CLEAR 4, 12
    s_mov_b64 vcc, 0
    s_endpgm
