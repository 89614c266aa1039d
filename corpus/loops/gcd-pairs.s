; The GCD of 1,024 pairs that repeat, by subtraction.
; in:  s100 = how many pairs
; out: s65 = sum
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s1, 0
    s_mov_b32 s8, 0x9e3779b1
loop:
    s_and_b32 s0, s100, 0x3ff
    s_mul_i32 s0, s0, s8
    s_lshr_b32 s2, s0, 24
    s_or_b32 s2, s2, 1
    s_bfe_u32 s3, s0, 8 | 8 << 16
    s_or_b32 s3, s3, 1
step:
    s_cmp_eq_u32 s2, s3
    s_cbranch_scc1 done
    s_cmp_gt_u32 s2, s3
    s_cbranch_scc0 less
    s_sub_u32 s2, s2, s3
    s_branch step
less:
    s_sub_u32 s3, s3, s2
    s_branch step
done:
    s_add_u32 s1, s1, s2
    NEXT loop
    s_mov_b32 s65, s1
    FINISH
