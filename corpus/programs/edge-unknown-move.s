; s_mov_regrd_b32, an instruction whose meaning nobody has published: the run stops there with `unsupported`.
; out: s0 = 1
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_movk_i32 s0, 1
.if GCN >= 12
    .long 0xbe812f00                    ; s_mov_regrd_b32 s1, s0: opcode 47
.else
    .long 0xbe813300                    ; opcode 51
.endif
    s_endpgm
