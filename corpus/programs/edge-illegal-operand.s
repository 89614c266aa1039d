; Source code 209, which names nothing.
; out: s0 = 1
; generations: gcn1.0 gcn1.4
    s_movk_i32 s0, 1
    .long 0x800080d1                    ; s_add_u32 s0, (209), 0
    s_endpgm
