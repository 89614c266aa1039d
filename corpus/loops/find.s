; Where a pattern of four bits stands first in a text of 28 bits.
; in:  s100 = iterations
; out: s64 = generator, s65 = sum of places, s66 = texts without
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0                     ; sum of places
    s_mov_b32 s6, 0                     ; texts without the pattern
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s3, s0, 28
    s_and_b32 s2, s0, 0xfffffff
    s_mov_b32 s4, 0
next:
    s_and_b32 s5, s2, 15
    s_cmp_eq_u32 s5, s3
    s_cbranch_scc1 found
    s_lshr_b32 s2, s2, 1
    s_add_u32 s4, s4, 1
    s_cmp_lt_u32 s4, 25
    s_cbranch_scc1 next
    s_add_u32 s6, s6, 1
found:
    s_add_u32 s1, s1, s4
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s6
    FINISH
