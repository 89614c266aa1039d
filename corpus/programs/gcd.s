; Greatest common divisor by Euclid's algorithm with subtractions.
; in:  s0, s1 = two positive numbers
; out: s2 = gcd, s3 = number of subtractions
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s3, 0
loop:
    s_cmp_eq_u32 s0, s1
    s_cbranch_scc1 done
    s_add_u32 s3, s3, 1
    s_cmp_gt_u32 s0, s1
    s_cbranch_scc0 smaller
    s_sub_u32 s0, s0, s1
    s_branch loop
smaller:
    s_sub_u32 s1, s1, s0
    s_branch loop
done:
    s_mov_b32 s2, s0
    s_endpgm
