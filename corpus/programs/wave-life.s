; The game of life on a torus of 64 rows (lanes) and 32 columns (bits), by bit-sliced adders.
; Rows above and below come by DPP rotation of the wave, before gcn1.2 lane by lane.
; in:  v0 = rows, s0 = generations
; out: v0
; generations: gcn1.0 gcn1.2 gcn1.4
.include "vector.inc"
.macro MAJORITY d, a, b, c              ; d must differ from the others
    v_xor_b32 \d, \a, \b
    v_bfi_b32 \d, \d, \c, \a
.endm
generation:
    .if GCN >= 12
        s_nop 1
        v_mov_b32_dpp v1, v0 wave_ror:1 row_mask:0xf bank_mask:0xf
        v_mov_b32_dpp v2, v0 wave_rol:1 row_mask:0xf bank_mask:0xf
    .else
        .set I, 0
        .rept 64
            v_readlane_b32 s2, v0, I
            v_writelane_b32 v1, s2, (I+1)&63
            v_writelane_b32 v2, s2, (I-1)&63
            .set I, I+1
        .endr
    .endif
    ; columns of three: v3 + 2 * v4; their neighbours on both sides: v5, v6 and v7, v8
    v_xor_b32 v3, v0, v1
    v_xor_b32 v3, v3, v2
    MAJORITY v4, v0, v1, v2
    ROTR v5, v3, 1
    ROTR v6, v4, 1
    ROTR v7, v3, 31
    ROTR v8, v4, 31
    ; all nine: v9 + 2 * (v4 + v6 + v8 + v10)
    v_xor_b32 v9, v3, v5
    v_xor_b32 v9, v9, v7
    MAJORITY v10, v3, v5, v7
    v_xor_b32 v11, v4, v6
    v_and_b32 v12, v4, v6
    v_xor_b32 v13, v8, v10
    v_and_b32 v14, v8, v10
    ; exactly one of the four (nine cells: 3), exactly two (nine cells: 4)
    v_or_b32 v15, v12, v14
    v_not_b32 v15, v15
    v_xor_b32 v16, v11, v13
    v_and_b32 v15, v15, v16
    v_or_b32 v16, v11, v13
    v_not_b32 v16, v16
    v_xor_b32 v17, v12, v14
    v_and_b32 v16, v16, v17
    v_and_b32 v17, v11, v13
    v_or_b32 v16, v16, v17
    v_and_b32 v16, v16, v0
    v_bfi_b32 v0, v9, v15, v16
    REPEAT s0, generation
    CLEAR 1, 17
    s_mov_b32 s2, 0
    s_endpgm
