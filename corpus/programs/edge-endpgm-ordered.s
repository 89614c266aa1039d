; s_endpgm_ordered_ps_done ends a run as s_endpgm does.
; out: s0 = 1
; generations: gcn1.4
    s_movk_i32 s0, 1
    s_endpgm_ordered_ps_done
    s_movk_i32 s0, 2
