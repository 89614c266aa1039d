; s_trap without a handler: the run stops before it.
; out: s0 = 1
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_movk_i32 s0, 1
    s_trap 2
    s_movk_i32 s0, 2
    s_endpgm
