; 64-bit operands at odd registers, which assemblers refuse (the words are written out): treated as the pair n, n+1.
; in:  s1, s2, s[4:5]
; out: s[7:8] = s[1:2] moved, s[10:11] = s[1:2] + 1 bit set
; generations: gcn1.2 gcn1.4
    .long 0xbe870101                    ; s_mov_b64 s[7:8], s[1:2]
    .long 0x878a0401                    ; s_or_b64 s[10:11], s[1:2], s[4:5]
    s_endpgm
