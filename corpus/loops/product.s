; Products modulo a number by doubling and adding.
; in:  s100 = iterations
; out: s64 = generator, s65 = fold
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s5, 65521
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s2, s0, 17
    s_and_b32 s3, s0, 0xffff
    s_mov_b32 s4, 0
digit:
    s_bitcmp0_b32 s3, 0
    s_cbranch_scc1 even
    s_add_u32 s4, s4, s2
    s_cmp_ge_u32 s4, s5
    s_cbranch_scc0 even
    s_sub_u32 s4, s4, s5
even:
    s_add_u32 s2, s2, s2
    s_cmp_ge_u32 s2, s5
    s_cbranch_scc0 small
    s_sub_u32 s2, s2, s5
small:
    s_lshr_b32 s3, s3, 1
    s_cbranch_scc1 digit
    s_xor_b32 s1, s1, s4
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
