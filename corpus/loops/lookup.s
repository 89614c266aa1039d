; Binary search in a table of sixteen registers, indexed with s_movrels.
; in:  s100 = iterations
; out: s64 = generator, s65 = sum of places
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s16, 3
    s_mov_b32 s17, 9
    s_mov_b32 s18, 17
    s_mov_b32 s19, 27
    s_mov_b32 s20, 39
    s_mov_b32 s21, 53
    s_mov_b32 s22, 69
    s_mov_b32 s23, 87
    s_mov_b32 s24, 107
    s_mov_b32 s25, 129
    s_mov_b32 s26, 153
    s_mov_b32 s27, 179
    s_mov_b32 s28, 207
    s_mov_b32 s29, 237
    s_mov_b32 s30, 12
    s_mov_b32 s31, 46
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s2, s0, 23
    s_mov_b32 s3, 0
    s_mov_b32 s4, 16
probe:
    s_add_u32 s5, s3, s4
    s_lshr_b32 s5, s5, 1
    s_mov_b32 m0, s5
    s_movrels_b32 s6, s16
    s_cmp_lt_u32 s6, s2
    s_cbranch_scc0 high
    s_add_u32 s3, s5, 1
    s_branch on
high:
    s_mov_b32 s4, s5
on:
    s_cmp_lt_u32 s3, s4
    s_cbranch_scc1 probe
    s_add_u32 s1, s1, s3
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
