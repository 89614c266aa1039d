; A 256-bit number rotated left one bit at a time: each 64-bit pair shifted, the bits between them carried over.
; in:  s[8:15] = number, s0 = bits to rotate
; out: s[8:15] = rotated
; generations: gcn1.0 gcn1.1
rotate:
    s_lshr_b64 s[2:3], s[8:9], 63
    s_lshr_b64 s[4:5], s[10:11], 63
    s_lshr_b64 s[6:7], s[12:13], 63
    s_lshr_b64 s[16:17], s[14:15], 63
    s_lshl_b64 s[8:9], s[8:9], 1
    s_lshl_b64 s[10:11], s[10:11], 1
    s_lshl_b64 s[12:13], s[12:13], 1
    s_lshl_b64 s[14:15], s[14:15], 1
    s_or_b64 s[10:11], s[10:11], s[2:3]
    s_or_b64 s[12:13], s[12:13], s[4:5]
    s_or_b64 s[14:15], s[14:15], s[6:7]
    s_or_b64 s[8:9], s[8:9], s[16:17]
    s_sub_u32 s0, s0, 1
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 rotate
    s_endpgm
