; Product of two 4x4 matrices of integers in s16.. and s32.., indexed by movrel; then the transposed product by pairs.
; in:  s16..s31 = A, s32..s47 = B, row by row
; out: s48..s63 = A*B, s64..s79 = its rows exchanged in pairs by s_movrels_b64 / s_movreld_b64 (rows 2, 3, 0, 1)
; generations: gcn1.0 gcn1.2 gcn1.4
    s_mov_b32 s0, 0                     ; 4*row + column
cell:
    s_and_b32 s1, s0, 3                 ; column
    s_andn2_b32 s2, s0, 3               ; 4*row
    s_mov_b32 s3, 0                     ; k
    s_mov_b32 s4, 0                     ; sum
product:
    s_add_u32 m0, s2, s3
    s_movrels_b32 s5, s16
    s_lshl_b32 s6, s3, 2
    s_add_u32 m0, s6, s1
    s_movrels_b32 s6, s32
    s_mul_i32 s5, s5, s6
    s_add_i32 s4, s4, s5
    s_addk_i32 s3, 1
    s_cmpk_eq_i32 s3, 4
    s_cbranch_scc0 product
    s_mov_b32 m0, s0
    s_movreld_b32 s48, s4
    s_addk_i32 s0, 1
    s_cmpk_lt_i32 s0, 16
    s_cbranch_scc1 cell
    s_mov_b32 s0, 0
pair:
    s_mov_b32 m0, s0
    s_movrels_b64 s[4:5], s[48:49]
    s_xor_b32 m0, s0, 8
    s_movreld_b64 s[64:65], s[4:5]
    s_addk_i32 s0, 2
    s_cmpk_lg_u32 s0, 16
    s_cbranch_scc1 pair
    s_endpgm
