; Bubble sort of eight random numbers in registers, indexed with s_movrels / s_movreld.
; in:  s100 = iterations
; out: s64 = generator, s65 = exchanges, s66 = sum
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0                     ; exchanges
    s_mov_b32 s6, 0                     ; sum of one in the middle
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mov_b32 s2, 7
fill:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_mov_b32 m0, s2
    s_movreld_b32 s16, s0
    s_sub_u32 s2, s2, 1
    s_cmp_ge_i32 s2, 0
    s_cbranch_scc1 fill
    s_mov_b32 s3, 7
outer:
    s_mov_b32 s2, 0
inner:
    s_mov_b32 m0, s2
    s_movrels_b32 s4, s16
    s_movrels_b32 s5, s17
    s_cmp_gt_u32 s4, s5
    s_cbranch_scc0 ordered
    s_movreld_b32 s16, s5
    s_movreld_b32 s17, s4
    s_add_u32 s1, s1, 1
ordered:
    s_add_u32 s2, s2, 1
    s_cmp_lt_u32 s2, s3
    s_cbranch_scc1 inner
    s_sub_u32 s3, s3, 1
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 outer
    s_add_u32 s6, s6, s19
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s6
    FINISH
