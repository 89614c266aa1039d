; Prefix sums, running maxima, minima and xors of the lanes by DPP: row shifts, then the row broadcasts.
; in:  v0 (integers), v1 (floats)
; out: v2 = sums including the own lane, v3 = excluding it, v4 = running signed maxima, v5 = running unsigned minima,
;      v6 = running xors, v7 = running float maxima, v8 = each quad's sum, v9 = v0 mirrored within rows, s0 = the total
; generations: gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro SCAN op, v
    \op \v, \v, \v row_shr:1 row_mask:0xf bank_mask:0xf
    s_nop 1
    \op \v, \v, \v row_shr:2 row_mask:0xf bank_mask:0xf
    s_nop 1
    \op \v, \v, \v row_shr:4 row_mask:0xf bank_mask:0xe
    s_nop 1
    \op \v, \v, \v row_shr:8 row_mask:0xf bank_mask:0xc
    s_nop 1
    \op \v, \v, \v row_bcast:15 row_mask:0xa bank_mask:0xf
    s_nop 1
    \op \v, \v, \v row_bcast:31 row_mask:0xc bank_mask:0xf
.endm
.macro ADD_DPP d, a, b, rest:vararg
    .if GCN >= 14
        v_add_u32_dpp \d, \a, \b \rest
    .else
        v_add_u32_dpp \d, vcc, \a, \b \rest
    .endif
.endm
    v_mov_b32 v2, v0
    v_mov_b32 v4, v0
    v_mov_b32 v5, v0
    v_mov_b32 v6, v0
    v_mov_b32 v7, v1
    v_mov_b32 v8, v0
    ADD_DPP v2, v2, v2, row_shr:1 row_mask:0xf bank_mask:0xf
    s_nop 1
    ADD_DPP v2, v2, v2, row_shr:2 row_mask:0xf bank_mask:0xf
    s_nop 1
    ADD_DPP v2, v2, v2, row_shr:4 row_mask:0xf bank_mask:0xe
    s_nop 1
    ADD_DPP v2, v2, v2, row_shr:8 row_mask:0xf bank_mask:0xc
    s_nop 1
    ADD_DPP v2, v2, v2, row_bcast:15 row_mask:0xa bank_mask:0xf
    s_nop 1
    ADD_DPP v2, v2, v2, row_bcast:31 row_mask:0xc bank_mask:0xf
    v_readlane_b32 s0, v2, 63
    v_mov_b32_dpp v3, v2 wave_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
    SCAN v_max_i32_dpp, v4
    SCAN v_min_u32_dpp, v5
    ; xor is not idempotent, but no lane is counted twice either
    SCAN v_xor_b32_dpp, v6
    SCAN v_max_f32_dpp, v7
    s_nop 1
    ADD_DPP v8, v8, v8, quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    s_nop 1
    ADD_DPP v8, v8, v8, quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
    v_mov_b32_dpp v9, v0 row_mirror row_mask:0xf bank_mask:0xf
    s_endpgm
