; Beside the vector ALU: nobody has published what S_MOV_REGRD_B32 does, so the run stops there with `unsupported`. The
; vector instruction before it is executed.
; out: s0 = 1, v0 = 1
; generations: gcn1.0 gcn1.4
    s_movk_i32 s0, 1
    v_mov_b32_e32 v0, s0
.if GCN >= 12
    .long 0xbe812f00                    ; s_mov_regrd_b32 s1, s0: opcode 47
.else
    .long 0xbe813300                    ; opcode 51
.endif
    s_movk_i32 s0, 2
    s_endpgm
