; A layer of a quantised network: dot products of 8-, 4- and 16-bit integers with weights in SGPRs.
; in:  v[0:3] = inputs, s[16:19] = weights, v4 = bias
; out: v5 = 16 signed bytes, v6 = unsigned, v7 = 32 signed nibbles, v8 = unsigned, v9 = 8 signed halfwords, saturated,
;      v10 = unsigned, v11 = halves of v0 as 16-bit floats (small integers), dot with (3, -2), plus 1.0
; generations: gcn1.4.1
.macro DOT d, op
    v_mov_b32 \d, v4
    \op \d, v0, s16, \d
    \op \d, v1, s17, \d
    \op \d, v2, s18, \d
    \op \d, v3, s19, \d
.endm
    DOT v5, v_dot4_i32_i8
    DOT v6, v_dot4_u32_u8
    DOT v7, v_dot8_i32_i4
    DOT v8, v_dot8_u32_u4
    v_mov_b32 v9, v4
    v_dot2_i32_i16 v9, v0, s16, v9 clamp
    v_dot2_i32_i16 v9, v1, s17, v9 clamp
    v_dot2_i32_i16 v9, v2, s18, v9 clamp
    v_dot2_i32_i16 v9, v3, s19, v9 clamp
    DOT v10, v_dot2_u32_u16
    v_and_b32 v12, 63, v0
    v_cvt_f16_u16 v12, v12
    v_lshrrev_b32 v13, 26, v0
    v_cvt_f16_u16 v13, v13
    v_pack_b32_f16 v12, v12, v13
    s_mov_b32 s0, 0xc0004200            ; 3, -2
    v_dot2_f32_f16 v11, v12, s0, 1.0
    v_mov_b32 v12, 0
    v_mov_b32 v13, 0
    s_endpgm
