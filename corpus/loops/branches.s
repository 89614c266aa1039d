; Data-dependent branches on the bits of a random sequence: four paths of different length.
; in:  s100 = iterations
; out: s64..s67
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s3, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_bitcmp1_b32 s0, 31
    s_cbranch_scc0 low
    s_add_u32 s1, s1, s0
    s_bitcmp1_b32 s0, 30
    s_cbranch_scc0 second
    s_xor_b32 s2, s2, s0
    s_branch next
second:
    s_sub_u32 s1, s1, 7
    s_lshl_b32 s4, s1, 3
    s_xor_b32 s2, s2, s4
    s_branch next
low:
    s_cmp_gt_u32 s1, s0
    s_cbranch_scc1 keep
    s_lshr_b32 s1, s1, 1
keep:
    s_addk_i32 s3, 1
next:
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b64 s[66:67], s[2:3]
    FINISH
