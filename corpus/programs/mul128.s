; 64 x 64 -> 128 bit product by shift and add: no multiplier, four-register shifts and carry chains.
; in:  s[0:1], s[2:3] = factors
; out: s[4:7] = product
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[4:5], 0
    s_mov_b64 s[6:7], 0
    s_mov_b64 s[8:9], s[0:1]            ; the shifted factor
    s_mov_b64 s[10:11], 0
bit:
    s_bitcmp1_b32 s2, 0
    s_cbranch_scc0 no_add
    s_add_u32 s4, s4, s8
    s_addc_u32 s5, s5, s9
    s_addc_u32 s6, s6, s10
    s_addc_u32 s7, s7, s11
no_add:
    s_add_u32 s8, s8, s8
    s_addc_u32 s9, s9, s9
    s_addc_u32 s10, s10, s10
    s_addc_u32 s11, s11, s11
    s_lshr_b64 s[2:3], s[2:3], 1        ; SCC = bits left
    s_cbranch_scc1 bit
    s_endpgm
