; s_getreg_regrd_b32, an instruction whose meaning nobody has published: the run stops there with `unsupported`.
; out: s0 = 1
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_movk_i32 s0, 1
.if GCN >= 12
    .long 0xb980f801                    ; s_getreg_regrd_b32 s0, ...: opcode 19
.else
    .long 0xba00f801                    ; opcode 20
.endif
    s_endpgm
