; Integer results that saturate (CLAMP).
; in:  v0, v1
; out: v2 = x + y, v3 = x - y, both unsigned 32 bits; v4 = x + y, v5 = x - y of the low halves, unsigned; v6 = x * y
;      of the low 24 bits, unsigned 32 bits; v7 = signed 24-bit product + x, signed 32 bits; v8 = low halves x * y +
;      y, unsigned; gcn1.4: v9 = x + y, v10 = x - y, signed 32 bits; v11 = x + y of the low halves, x - y of the high
;      ones, signed; v12 = x + y, v13 = x - y of both halves, signed, v14, v15 = unsigned; v16 = halves x * y + x,
;      signed; v17 = low halves x * y + y, signed 32 bits
; generations: gcn1.2 gcn1.4 gcn1.4.1
    .if GCN >= 14
        v_add_u32 v2, v0, v1 clamp
        v_sub_u32 v3, v0, v1 clamp
    .else
        v_add_u32 v2, vcc, v0, v1 clamp
        v_mov_b32 v18, vcc_lo           ; the carry is that of the exact sum
        v_sub_u32 v3, s[4:5], v0, v1 clamp
    .endif
    v_add_u16 v4, v0, v1 clamp
    v_sub_u16 v5, v0, v1 clamp
    v_mul_u32_u24 v6, v0, v1 clamp
    v_mad_i32_i24 v7, v0, v1, v0 clamp
    v_mad_u16 v8, v0, v1, v1 clamp
    .if GCN >= 14
        v_add_i32 v9, v0, v1 clamp
        v_sub_i32 v10, v0, v1 clamp
        v_add_i16 v11, v0, v1 clamp
        v_sub_i16 v11, v0, v1 op_sel:[1,1,1] clamp
        v_pk_add_i16 v12, v0, v1 clamp
        v_pk_sub_i16 v13, v0, v1 clamp
        v_pk_add_u16 v14, v0, v1 clamp
        v_pk_sub_u16 v15, v0, v1 clamp
        v_pk_mad_i16 v16, v0, v1, v0 clamp
        v_mad_i32_i16 v17, v0, v1, v1 clamp
    .endif
    s_endpgm
