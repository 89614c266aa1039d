; Packed 16-bit integers: brightness of RGB565 pixels, two per lane, and a rotation of halves by OP_SEL.
; in:  v0 = two pixels
; out: v0 = brightness of both (77 r + 150 g + 29 b of channels widened to 8 bits, / 256), v1 = the larger in both
;      halves, v2 = the smaller, v3 = -v0 of each half, shifted right with sign by 1 (low half) and 2 (high half)
; generations: gcn1.4 gcn1.4.1
    s_mov_b32 s0, 0x004d004d
    s_mov_b32 s1, 0x00960096
    s_mov_b32 s2, 0x001d001d
    v_pk_lshrrev_b16 v4, 11, v0 op_sel_hi:[0,1]         ; r: 5 bits
    v_pk_lshlrev_b16 v5, 5, v0 op_sel_hi:[0,1]
    v_pk_lshrrev_b16 v5, 10, v5 op_sel_hi:[0,1]         ; g: 6 bits
    v_pk_lshlrev_b16 v6, 11, v0 op_sel_hi:[0,1]
    v_pk_lshrrev_b16 v6, 11, v6 op_sel_hi:[0,1]         ; b: 5 bits
    v_pk_lshrrev_b16 v7, 2, v4 op_sel_hi:[0,1]
    v_pk_lshlrev_b16 v4, 3, v4 op_sel_hi:[0,1]
    v_or_b32 v4, v4, v7
    v_pk_lshrrev_b16 v7, 4, v5 op_sel_hi:[0,1]
    v_pk_lshlrev_b16 v5, 2, v5 op_sel_hi:[0,1]
    v_or_b32 v5, v5, v7
    v_pk_lshrrev_b16 v7, 2, v6 op_sel_hi:[0,1]
    v_pk_lshlrev_b16 v6, 3, v6 op_sel_hi:[0,1]
    v_or_b32 v6, v6, v7
    v_pk_mul_lo_u16 v7, v4, s0
    v_pk_mad_u16 v7, v5, s1, v7
    v_pk_mad_u16 v7, v6, s2, v7 op_sel_hi:[1,0,1]
    v_pk_lshrrev_b16 v0, 8, v7 op_sel_hi:[0,1]
    v_pk_max_u16 v1, v0, v0 op_sel:[0,1] op_sel_hi:[1,0]
    v_pk_min_i16 v2, v0, v0 op_sel:[0,1] op_sel_hi:[1,0]
    v_pk_sub_i16 v3, 0, v0
    v_mov_b32 v4, 0x00020001
    v_pk_ashrrev_i16 v3, v4, v3
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
    s_endpgm
