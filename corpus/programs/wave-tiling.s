; Addresses of a tiled surface with the three-operand instructions of gcn1.4, and halves chosen by OP_SEL.
; in:  v0 = x | y << 16 (below 1024), s0 = pitch in tiles, s1 = base, v1, v2 = pairs of halfwords
; out: v3 = address of the pixel in 8 x 8 tiles of 4 bytes, v4 = a hash of x and y, v5 = (x | y | base) with 3 low
;      bits clear, v6, v7, v8 = smallest, middle, largest of v1 low, v1 high, v2 low (signed), v9, v10, v11 = of v1
;      low, v2 low, v2 high (unsigned), v12 = v1 low * v2 high + base (unsigned), v13 = bytes of both halves of v1,
;      saturated, v14 = low half v1 low * v2 low + v2 high, high half: unchanged; v15 = xor, then sum; v16 = borrow of
;      v0 - v1
; generations: gcn1.4 gcn1.4.1
.include "vector.inc"
    v_and_b32 v20, 0xffff, v0           ; x
    v_lshrrev_b32 v21, 16, v0           ; y
    v_lshrrev_b32 v22, 3, v20
    v_lshrrev_b32 v23, 3, v21
    v_mad_u32_u24 v22, v23, s0, v22     ; tile
    v_and_b32 v23, 7, v20
    v_and_b32 v24, 7, v21
    v_lshl_or_b32 v23, v24, 3, v23      ; pixel of the tile
    v_lshl_add_u32 v22, v22, 6, v23
    v_lshlrev_b32 v3, 2, v22
    v_add_u32 v3, s1, v3
    v_add_lshl_u32 v4, v20, v21, 7
    v_xad_u32 v4, v4, v0, v20
    v_or3_b32 v5, v20, v21, s1
    v_and_or_b32 v5, v5, -8, 0
    v_min3_i16 v6, v1, v1, v2 op_sel:[0,1,0,0]
    v_med3_i16 v7, v1, v1, v2 op_sel:[0,1,0,0]
    v_max3_i16 v8, v1, v1, v2 op_sel:[0,1,0,0]
    v_min3_u16 v9, v1, v2, v2 op_sel:[0,0,1,0]
    v_med3_u16 v10, v1, v2, v2 op_sel:[0,0,1,0]
    v_max3_u16 v11, v1, v2, v2 op_sel:[0,0,1,0]
    v_mad_u32_u16 v12, v1, v2, s1 op_sel:[0,1,0,0]
    v_sat_pk_u8_i16 v13, v1
    v_mov_b32 v14, v0
    v_mad_i16 v14, v1, v2, v2 op_sel:[0,0,1,0]
    .if GCN > 14
        v_xnor_b32 v15, v1, v2
        v_not_b32 v15, v15
        v_add_u32 v15, v15, v0
    .else
        v_xad_u32 v15, v1, v2, v0
    .endif
    v_subrev_co_u32 v25, vcc, v1, v0
    v_mov_b32 v16, 0
    v_addc_co_u32 v16, vcc, v16, v16, vcc
    CLEAR 20, 6
    s_mov_b64 vcc, 0
    s_endpgm
