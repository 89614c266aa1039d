; Conditional data movement without branches: s_cselect (32 and 64 bits), s_cmov, s_cmovk, with clamping as the example.
; in:  s0..s7 = signed numbers, s8 = low, s9 = high
; out: s16..s23 = clamped, s24 = how many were clamped, s[26:27] = (low, high) or (high, low) by the last comparison,
;      s28 = index of the largest, s30 = -1 if any is negative, s[32:33] = 1.0 as a double if the first is above the second
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s24, 0
    s_mov_b32 s28, 0
    s_mov_b32 s29, s0
    s_mov_b32 s30, 0
    s_mov_b32 m0, 0
each:
    s_movrels_b32 s10, s0
    s_cmp_lt_i32 s10, s8
    s_cselect_b32 s11, s8, s10
    s_cselect_b32 s12, 1, 0
    s_cmp_gt_i32 s11, s9
    s_cmov_b32 s11, s9
    s_cmov_b32 s12, 1
    s_movreld_b32 s16, s11
    s_add_u32 s24, s24, s12
    s_cmp_gt_i32 s10, s29
    s_cmov_b32 s29, s10
    s_cmov_b32 s28, m0
    s_cmp_lt_i32 s10, 0
    s_cmovk_i32 s30, -1
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 8
    s_cbranch_scc1 each
    s_mov_b32 s10, s9
    s_mov_b32 s11, s8
    s_cmp_ge_i32 s7, s6
    s_cselect_b64 s[26:27], s[8:9], s[10:11]
    s_mov_b64 s[32:33], 0
    s_cmp_gt_i32 s0, s1
    s_cmov_b64 s[32:33], 1.0
    s_endpgm
