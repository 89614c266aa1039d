; Wolfram's rule 30 on a ring of 64 cells; the middle cell's history is the output.
; in:  s[0:1] = cells, s2 = steps
; out: s[0:1] = cells afterwards, s[4:5] = last 64 states of cell 32
; generations: gcn1.0 gcn1.4
    s_mov_b64 s[4:5], 0
step:
    s_lshl_b64 s[6:7], s[0:1], 1        ; right neighbours of each cell (bit i-1)
    s_lshr_b32 s8, s1, 31
    s_or_b32 s6, s6, s8
    s_lshr_b64 s[8:9], s[0:1], 1        ; left neighbours (bit i+1)
    s_bitcmp1_b32 s0, 0
    s_cselect_b32 s10, 0x80000000, 0
    s_or_b32 s9, s9, s10
    s_or_b64 s[6:7], s[6:7], s[0:1]
    s_xor_b64 s[0:1], s[6:7], s[8:9]    ; left xor (centre or right)
    s_bitcmp1_b64 s[0:1], 32
    s_addc_u32 s4, s4, s4               ; shift the cell in
    s_addc_u32 s5, s5, s5
    s_sub_u32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 step
    s_endpgm
