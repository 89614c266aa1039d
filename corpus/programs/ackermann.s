; Ackermann's function with its pending first arguments on a stack in s10...
; in:  s0 = m, s1 = n
; out: s2 = A(m, n), s3 = reductions, s4 = deepest stack
; generations: gcn1.0 gcn1.2
    s_mov_b32 s2, s1
    s_mov_b64 s[4:5], 0
    s_mov_b32 s3, 0
    s_mov_b32 m0, 0
    s_movreld_b32 s10, s0
    s_add_u32 m0, m0, 1
reduce:
    s_cmp_eq_u32 m0, 0
    s_cbranch_scc1 done
    s_max_u32 s4, s4, m0
    s_addk_i32 s3, 1
    s_sub_u32 m0, m0, 1
    s_movrels_b32 s6, s10
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc0 positive
    s_addk_i32 s2, 1                    ; A(0, n) = n + 1
    s_branch reduce
positive:
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 both
    s_sub_u32 s6, s6, 1                 ; A(m, 0) = A(m - 1, 1)
    s_movreld_b32 s10, s6
    s_add_u32 m0, m0, 1
    s_movk_i32 s2, 1
    s_branch reduce
both:
    s_sub_u32 s7, s6, 1                 ; A(m, n) = A(m - 1, A(m, n - 1))
    s_movreld_b32 s10, s7
    s_movreld_b32 s11, s6
    s_add_u32 m0, m0, 2
    s_sub_u32 s2, s2, 1
    s_branch reduce
done:
    s_endpgm
