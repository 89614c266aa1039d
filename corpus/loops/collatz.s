; Lengths of Collatz sequences, and the greatest odd step.
; in:  s100 = iterations
; out: s64 = next start, s66 = steps, s67 = greatest
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b64 s[2:3], 0                 ; steps, greatest
loop:
    s_mov_b32 s4, s0
step:
    s_and_b32 s5, s4, 1
    s_cbranch_scc1 odd
    s_lshr_b32 s4, s4, 1
    s_branch on
odd:
    s_mul_i32 s5, s4, 3
    s_add_u32 s4, s5, 1
    s_max_u32 s3, s3, s4
on:
    s_add_u32 s2, s2, 1
    s_cmp_lg_u32 s4, 1
    s_cbranch_scc1 step
    s_add_u32 s0, s0, 2
    s_and_b32 s0, s0, 0xffff
    NEXT loop
    s_mov_b32 s64, s0
    s_mov_b64 s[66:67], s[2:3]
    FINISH
