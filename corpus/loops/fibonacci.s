; Fibonacci numbers modulo a prime, by a subtraction that is seldom foreseen.
; in:  s100 = iterations
; out: s64, s65 = the last two, s66 = fold
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 0
    s_mov_b32 s1, 1
    s_mov_b32 s3, 0
    s_mov_b32 s8, 1000000007
loop:
    s_add_u32 s2, s0, s1
    s_mov_b32 s0, s1
    s_cmp_ge_u32 s2, s8
    s_cbranch_scc0 small
    s_sub_u32 s2, s2, s8
small:
    s_mov_b32 s1, s2
    s_xor_b32 s3, s3, s1
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s3
    FINISH
