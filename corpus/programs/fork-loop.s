; A loop that each lane leaves after its own number of turns, by forking out of it.
; in:  v0 = turns of each lane (at least 1)
; out: s40 = turns, s41 = sum of active lanes over all turns (= sum of v0), s42 = exits, s43 = hash of the group sizes
; generations: gcn1.0 gcn1.2 gcn1.4
; Groups bigger than the rest wait on the fork stack (s0..s27), so it gets up to six deep.
    s_mov_b32 s32, 0
    s_mov_b64 s[34:35], exec
    s_mov_b64 s[40:41], 0
    s_mov_b64 s[42:43], 0
turn:
    s_addk_i32 s40, 1
    s_bcnt1_i32_b64 s44, exec
    s_add_u32 s41, s41, s44
    v_cmp_eq_u32_e64 s[36:37], s40, v0
    s_cbranch_i_fork s[36:37], leave
    s_branch turn
leave:
    s_addk_i32 s42, 1
    s_mulk_i32 s43, 31
    s_bcnt1_i32_b64 s44, exec
    s_add_u32 s43, s43, s44
    s_cbranch_join s32
    s_mov_b64 exec, s[34:35]
    s_endpgm
