; Who of 41 is left over if every seventh leaves; remainders by subtraction.
; in:  s100 = how many circles
; out: s65 = sum of places
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s1, 0
    s_mov_b32 s5, 7
loop:
    s_mov_b32 s2, 0
    s_mov_b32 s3, 2
circle:
    s_add_u32 s2, s2, s5
remainder:
    s_cmp_ge_u32 s2, s3
    s_cbranch_scc0 done
    s_sub_u32 s2, s2, s3
    s_branch remainder
done:
    s_add_u32 s3, s3, 1
    s_cmp_le_u32 s3, 41
    s_cbranch_scc1 circle
    s_add_u32 s1, s1, s2
    NEXT loop
    s_mov_b32 s65, s1
    FINISH
