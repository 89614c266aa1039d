; Prime factors with multiplicity by trial division, stored in ascending order with s_movreld.
; in:  s0 = number, 2..2^31-1
; out: s10.. = factors, s1 = how many
; generations: gcn1.0 gcn1.2
.include "udiv.inc"
    s_mov_b32 m0, 0
    s_movk_i32 s2, 2                    ; trial divisor
trial:
    s_mul_i32 s3, s2, s2
    s_cmp_gt_u32 s3, s0
    s_cbranch_scc1 rest
    UDIVMOD32 s4, s5, s0, s2, s6
    s_cmp_lg_u32 s5, 0
    s_cbranch_scc1 next
    s_movreld_b32 s10, s2
    s_add_u32 m0, m0, 1
    s_mov_b32 s0, s4
    s_branch trial
next:
    s_addk_i32 s2, 1
    s_branch trial
rest:
    s_cmp_eq_u32 s0, 1
    s_cbranch_scc1 done
    s_movreld_b32 s10, s0
    s_add_u32 m0, m0, 1
done:
    s_mov_b32 s1, m0
    s_endpgm
