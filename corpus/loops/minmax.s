; Medians of three and running minima and maxima of numbers of four bits, of which some are equal.
; in:  s100 = iterations
; out: s64..s67
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 99
    s_mov_b32 s1, 0                     ; the number before
    s_mov_b32 s2, 0                     ; the number before that
    s_mov_b32 s3, 0                     ; sum of the medians
    s_mov_b32 s4, 15                    ; least median
    s_mov_b32 s5, 0                     ; greatest median
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s6, s0, 28
    s_min_u32 s7, s6, s1
    s_max_u32 s10, s6, s1
    s_min_u32 s10, s10, s2
    s_max_u32 s7, s7, s10
    s_add_u32 s3, s3, s7
    s_min_i32 s4, s4, s7
    s_max_i32 s5, s5, s7
    s_mov_b32 s2, s1
    s_mov_b32 s1, s6
    NEXT loop
    s_mov_b32 s64, s0
    s_mov_b32 s65, s3
    s_mov_b64 s[66:67], s[4:5]
    FINISH
