; A sorting network on four registers: minima and maxima, whose operands are seldom equal.
; in:  s100 = iterations
; out: s64 = generator, s65 = digest
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 99
    s_mov_b32 s1, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s2, s0, 16
    s_and_b32 s3, s0, 0xffff
    s_bfe_u32 s4, s0, 8 | 16 << 16
    s_bfe_u32 s5, s0, 3 | 15 << 16
    s_min_u32 s6, s2, s3
    s_max_u32 s3, s2, s3
    s_min_u32 s7, s4, s5
    s_max_u32 s5, s4, s5
    s_min_u32 s2, s6, s7
    s_max_u32 s4, s6, s7
    s_min_u32 s6, s3, s5
    s_max_u32 s5, s3, s5
    s_min_u32 s3, s4, s6
    s_max_u32 s4, s4, s6
    s_lshl_b32 s3, s3, 1
    s_add_u32 s1, s1, s2
    s_add_u32 s1, s1, s3
    s_xor_b32 s1, s1, s4
    s_sub_u32 s1, s1, s5
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
