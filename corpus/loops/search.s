; Square roots by binary search: an inner loop of known length whose branch is hard to predict.
; in:  s100 = how many roots
; out: s64 = generator, s65 = sum of the least numbers with greater squares
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 7
    s_mov_b32 s1, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s4, s0, 2
    s_mov_b32 s2, 0
    s_mov_b32 s3, 0x8000
search:
    s_add_u32 s5, s2, s3
    s_lshr_b32 s5, s5, 1
    s_mul_i32 s6, s5, s5
    s_cmp_le_u32 s6, s4
    s_cbranch_scc0 high
    s_add_u32 s2, s5, 1
    s_branch on
high:
    s_mov_b32 s3, s5
on:
    s_cmp_lt_u32 s2, s3
    s_cbranch_scc1 search
    s_add_u32 s1, s1, s2
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
