; No s_endpgm: the run falls off the end.
; out: s0 = 3
; generations: gcn1.1 gcn1.4
    s_movk_i32 s0, 1
    s_add_u32 s0, s0, 2
