; Bit tricks on all lanes.
; in:  v0 = x, v1 = y
; out: v2 = reversed, v3 = ones, v4 = leading zeros, v5 = leading sign bits, v6 = trailing zeros, v7 = bytes reversed,
;      v8 = even bits of x and odd bits of y, v9 = low half of x and of y interleaved, v10 = field of x at y % 32,
;      (y >> 8) % 32 bits wide, v11 = the same signed, v12 = mask of that place, v13 = x:y >> (y >> 16) % 32,
;      v14 = x:y shifted by bytes, v15 = Gray code of x, v16 = x back from its Gray code, v17 = next power of two,
;      v18 = parity, v19 = x nor y
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro SPREAD d, n, mask                ; d = (d | d << n) & mask
    s_mov_b32 s0, \mask
    v_lshlrev_b32 v20, \n, \d
    .if GCN >= 14
        v_or_b32 v20, v20, \d
        v_and_b32 \d, s0, v20
    .else
        v_or_b32 \d, \d, v20
        v_and_b32 \d, s0, \d
    .endif
.endm
    v_bfrev_b32 v2, v0
    v_bcnt_u32_b32 v3, v0, 0
    v_ffbh_u32 v4, v0
    v_ffbh_i32 v5, v0
    v_ffbl_b32 v6, v0
    s_mov_b32 s0, 0x00ff00ff
    ROTR v20, v0, 24
    ROTR v21, v0, 8
    v_bfi_b32 v7, s0, v20, v21
    s_mov_b32 s0, 0x55555555
    v_bfi_b32 v8, s0, v0, v1
    v_and_b32 v9, 0xffff, v0
    SPREAD v9, 8, 0x00ff00ff
    SPREAD v9, 4, 0x0f0f0f0f
    SPREAD v9, 2, 0x33333333
    SPREAD v9, 1, 0x55555555
    v_and_b32 v21, 0xffff, v1
    SPREAD v21, 8, 0x00ff00ff
    SPREAD v21, 4, 0x0f0f0f0f
    SPREAD v21, 2, 0x33333333
    SPREAD v21, 1, 0x55555555
    .if GCN >= 14
        v_lshl_or_b32 v9, v21, 1, v9
    .else
        v_lshlrev_b32 v21, 1, v21
        v_or_b32 v9, v9, v21
    .endif
    v_lshrrev_b32 v20, 8, v1
    v_bfe_u32 v10, v0, v1, v20
    v_bfe_i32 v11, v0, v1, v20
    v_bfm_b32 v12, v20, v1
    v_lshrrev_b32 v20, 16, v1
    v_alignbit_b32 v13, v0, v1, v20
    v_lshrrev_b32 v20, 24, v1
    v_alignbyte_b32 v14, v0, v1, v20
    v_lshrrev_b32 v15, 1, v0
    v_xor_b32 v15, v0, v15
    v_mov_b32 v16, v15
.irp n, 1, 2, 4, 8, 16
    v_lshrrev_b32 v20, \n, v16
    v_xor_b32 v16, v16, v20
.endr
    VADD v17, -1, v0
    v_ffbh_u32 v17, v17
    VSUB v17, 32, v17
    v_lshlrev_b32 v17, v17, 1
    v_bcnt_u32_b32 v18, v0, 0
    v_and_b32 v18, 1, v18
    v_not_b32 v20, v0
    v_not_b32 v21, v1
    v_and_b32 v19, v20, v21
    CLEAR 20, 2
    s_mov_b64 vcc, 0
    s_endpgm
