; Square roots bit by bit.
; in:  s100 = iterations
; out: s64 = generator, s65 = sum of roots
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_mov_b32 s2, s0
    s_mov_b32 s3, 0
    s_mov_b32 s4, 0x40000000
bit:
    s_add_u32 s5, s3, s4
    s_lshr_b32 s3, s3, 1
    s_cmp_ge_u32 s2, s5
    s_cbranch_scc0 less
    s_sub_u32 s2, s2, s5
    s_add_u32 s3, s3, s4
less:
    s_lshr_b32 s4, s4, 2
    s_cbranch_scc1 bit
    s_add_u32 s1, s1, s3
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
