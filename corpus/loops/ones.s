; The bits of random numbers, counted one by one: those that are set, and all.
; in:  s100 = iterations
; out: s64 = generator, s65 and s66 = sums
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_or_b32 s3, s0, 1
clear:
    s_add_u32 s1, s1, 1
    s_sub_u32 s4, s3, 1
    s_and_b32 s3, s3, s4
    s_cbranch_scc1 clear
    s_or_b32 s3, s0, 1
shift:
    s_and_b32 s4, s3, 1
    s_add_u32 s2, s2, s4
    s_lshr_b32 s3, s3, 1
    s_cbranch_scc1 shift
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s2
    FINISH
