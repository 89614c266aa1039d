; Counting sort of 64 byte-sized lane values into s32..s95, and their sum by layers (how many lanes are >= t, for each t).
; in:  v0 = lane values below 256
; out: s32..s95 = values in ascending order, s0 = sum, s1 = distinct values
; generations: gcn1.0 gcn1.2 gcn1.4
    s_mov_b64 s[0:1], 0
    s_mov_b32 m0, 0
    s_mov_b32 s2, 0                     ; value
value:
    v_cmp_eq_u32_e32 vcc, s2, v0
    s_cbranch_vccz none
    s_addk_i32 s1, 1
    s_bcnt1_i32_b64 s3, vcc
store:
    s_movreld_b32 s32, s2
    s_add_u32 m0, m0, 1
    s_sub_u32 s3, s3, 1
    s_cmp_eq_u32 s3, 0
    s_cbranch_scc0 store
none:
    s_addk_i32 s2, 1
    v_cmp_le_u32_e64 s[4:5], s2, v0
    s_bcnt1_i32_b64 s3, s[4:5]          ; SCC = lanes left
    s_add_u32 s0, s0, s3
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 value
    s_endpgm
