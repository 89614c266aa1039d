; Three nested loops with short blocks and fixed trip counts (8 and 4 inside).
; in:  s100 = iterations of the outermost loop
; out: s64, s65
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
loop:
    s_mov_b32 s2, 8
middle:
    s_add_u32 s1, s1, s2
    s_mov_b32 s3, 4
inner:
    s_lshl_b32 s4, s0, 2
    s_add_u32 s0, s0, s4
    s_xor_b32 s0, s0, s3
    s_sub_u32 s3, s3, 1
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 inner
    s_xor_b32 s1, s1, s0
    s_sub_u32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 middle
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
