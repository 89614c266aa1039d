; A word that is no instruction of the generation: SOPP opcode 100.
; out: s0 = 1
; generations: gcn1.1 gcn1.2
    s_movk_i32 s0, 1
    .long 0xbfe40000
    s_movk_i32 s0, 2
    s_endpgm
