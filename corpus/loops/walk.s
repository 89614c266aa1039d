; A random walk in the plane that begins again when it has left a circle.
; in:  s100 = iterations
; out: s64 = generator, s65 = walks, s[66:67] = place
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b64 s[2:3], 0                 ; place
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_bitcmp1_b32 s0, 31
    s_cbranch_scc1 vertical
    s_bitcmp1_b32 s0, 30
    s_cbranch_scc1 west
    s_add_u32 s2, s2, 1
    s_branch on
west:
    s_sub_u32 s2, s2, 1
    s_branch on
vertical:
    s_bitcmp1_b32 s0, 30
    s_cbranch_scc1 south
    s_add_u32 s3, s3, 1
    s_branch on
south:
    s_sub_u32 s3, s3, 1
on:
    s_mul_i32 s4, s2, s2
    s_mul_i32 s5, s3, s3
    s_add_u32 s4, s4, s5
    s_cmp_gt_u32 s4, 400
    s_cbranch_scc0 inside
    s_mov_b64 s[2:3], 0
    s_add_u32 s1, s1, 1
inside:
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b64 s[66:67], s[2:3]
    FINISH
