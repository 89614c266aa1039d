; s_mov_fed_b32, which assemblers do not know (the word is written out): a plain move.
; in:  s1
; out: s0 = s1
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.if GCN >= 12
    .long 0xbe803101                    ; s_mov_fed_b32 s0, s1: opcode 49
.else
    .long 0xbe803501                    ; opcode 53
.endif
    s_endpgm
