; Adler-32 of random bytes: two sums modulo 65521, by subtractions.
; in:  s100 = iterations
; out: s64 = generator, s65 and s66 = sums
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 1
    s_mov_b32 s2, 0
    s_mov_b32 s5, 65521
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_mov_b32 s3, s0
    s_mov_b32 s4, 4
byte:
    s_and_b32 s6, s3, 0xff
    s_lshr_b32 s3, s3, 8
    s_add_u32 s1, s1, s6
    s_cmp_ge_u32 s1, s5
    s_cbranch_scc0 low
    s_sub_u32 s1, s1, s5
low:
    s_add_u32 s2, s2, s1
    s_cmp_ge_u32 s2, s5
    s_cbranch_scc0 high
    s_sub_u32 s2, s2, s5
high:
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 byte
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s2
    FINISH
