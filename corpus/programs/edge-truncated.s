; The file ends where the literal of its last instruction should be.
; out: s0 = 1
; generations: gcn1.0 gcn1.4
    s_movk_i32 s0, 1
    .long 0x800000ff                    ; s_add_u32 s0, (literal), s0
