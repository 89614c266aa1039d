; Bubble sort of six registers in every lane: V_SWAP_B32 under EXEC.
; in:  v[0:5]
; out: v[0:5], ascending unsigned
; generations: gcn1.4 gcn1.4.1
    s_movk_i32 s0, 5
pass:
.set I, 0
.rept 5
    v_cmp_gt_u32 vcc, v[I], v[I+1]
    s_and_saveexec_b64 s[2:3], vcc
    v_swap_b32 v[I], v[I+1]
    s_mov_b64 exec, s[2:3]
    .set I, I+1
.endr
    s_sub_u32 s0, s0, 1
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 pass
    s_endpgm
