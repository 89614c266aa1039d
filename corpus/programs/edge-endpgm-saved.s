; s_endpgm_saved ends a run as s_endpgm does.
; out: s0 = 1
; generations: gcn1.2 gcn1.4
    s_movk_i32 s0, 1
    s_endpgm_saved
    s_movk_i32 s0, 2
