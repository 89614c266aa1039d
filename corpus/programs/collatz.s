; Collatz: the start at or below N with the longest chain.
; in:  s0 = N
; out: s1 = start, s2 = length of its chain (start and 1 included)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_movk_i32 s3, 1                    ; start
each:
    s_mov_b32 s4, s3
    s_movk_i32 s5, 1
step:
    s_cmp_eq_u32 s4, 1
    s_cbranch_scc1 finished
    s_addk_i32 s5, 1
    s_bitcmp0_b32 s4, 0
    s_cbranch_scc1 even
    s_mulk_i32 s4, 3
    s_addk_i32 s4, 1
    s_branch step
even:
    s_lshr_b32 s4, s4, 1
    s_branch step
finished:
    s_cmp_gt_u32 s5, s2
    s_cselect_b32 s2, s5, s2
    s_cselect_b32 s1, s3, s1
    s_addk_i32 s3, 1
    s_cmp_le_u32 s3, s0
    s_cbranch_scc1 each
    s_endpgm
