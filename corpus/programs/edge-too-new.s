; s_bitreplicate_b64_b32 in a program for gcn1.2, where its opcode means nothing.
; out: s0 = 1
; generations: gcn1.2
    s_movk_i32 s0, 1
    .long 0xbe823700                    ; s_bitreplicate_b64_b32 s[2:3], s0
    s_endpgm
