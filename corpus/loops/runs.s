; How long the greatest run of ones is in a random number, one bit after the other.
; in:  s100 = iterations
; out: s64 = generator, s65 = sum
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0                     ; sum of lengths
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_mov_b32 s2, s0
    s_mov_b32 s3, 0                     ; run
    s_mov_b32 s4, 0                     ; greatest
    s_mov_b32 s5, 32
bit:
    s_add_u32 s3, s3, 1
    s_bitcmp1_b32 s2, 0
    s_cselect_b32 s3, s3, 0
    s_cmp_gt_u32 s3, s4
    s_cbranch_scc0 short
    s_mov_b32 s4, s3
short:
    s_lshr_b32 s2, s2, 1
    s_sub_u32 s5, s5, 1
    s_cmp_lg_u32 s5, 0
    s_cbranch_scc1 bit
    s_add_u32 s1, s1, s4
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
