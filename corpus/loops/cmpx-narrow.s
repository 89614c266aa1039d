; A chain of three V_CMPX that narrow EXEC (u32, then f32, then i64), counted and restored.
; in:  s100 = iterations, v0 = 32-bit, v1 = floats, v[2:3] = 64-bit lane values
; out: s64..s66 = lanes left after each, s67 = turns in which none was left
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 7
    s_mov_b64 s[20:21], 0
    s_mov_b64 s[22:23], 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
    s_mov_b64 s[10:11], exec
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_ashr_i32 s1, s0, 31
    v_cmpx_gt_u32_e32 vcc, s0, v0
    s_bcnt1_i32_b64 s5, vcc
    s_add_u32 s20, s20, s5
    v_cmpx_nlt_f32_e64 s[12:13], s0, v1
    s_bcnt1_i32_b64 s5, s[12:13]
    s_add_u32 s21, s21, s5
    v_cmpx_ge_i64_e32 vcc, s[0:1], v[2:3]
    s_bcnt1_i32_b64 s5, exec
    s_add_u32 s22, s22, s5
    s_cmp_eq_u32 s5, 0
    s_addc_u32 s23, s23, 0
    s_mov_b64 exec, s[10:11]
    NEXT loop
    s_mov_b64 s[64:65], s[20:21]
    s_mov_b64 s[66:67], s[22:23]
    FINISH
