; Minimum, maximum, absolute value and difference, selection and conditional moves.
; in:  s100 = iterations
; out: s64..s67
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 99
    s_mov_b32 s1, 0
    s_mov_b32 s2, -1
    s_mov_b32 s3, 0
    s_mov_b32 s4, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_ashr_i32 s5, s0, 6
    s_max_i32 s1, s1, s5
    s_addk_i32 s1, -5
    s_min_u32 s2, s2, s0
    s_add_u32 s2, s2, 9
    s_absdiff_i32 s6, s5, s1
    s_cmp_gt_u32 s6, s2
    s_cselect_b32 s7, s6, s2
    s_xor_b32 s3, s3, s7
    s_abs_i32 s6, s5
    s_cmp_lt_i32 s6, s7
    s_cmov_b32 s4, s7
    s_min_i32 s6, s6, s3
    s_max_u32 s6, s6, s2
    s_add_u32 s4, s4, s6
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s3
    s_mov_b32 s67, s4
    FINISH
