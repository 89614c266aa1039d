; s_sethalt 1 stops the wave: it has completed, what follows is not executed.
; out: s0 = 1
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_movk_i32 s0, 1
    s_sethalt 0
    s_sethalt 1
    s_movk_i32 s0, 2
    s_endpgm
