; Pixel formats by bit fields: RGB888 to RGB565 and back, s_bfe_u32, s_bfm_b32, s_and, s_lshl, s_or.
; in:  s0..s7 = eight colours, 0x00RRGGBB
; out: s8..s11 = the eight in RGB565, two to a register, s16..s23 = expanded back to RGB888
; generations: gcn1.0 gcn1.1
    s_bfm_b32 s30, 5, 11                ; red and blue masks of RGB565
    s_bfm_b32 s31, 6, 5
    s_bfm_b32 s32, 5, 0
    s_mov_b32 m0, 0
next:
    s_movrels_b32 s24, s0
    s_bfe_u32 s25, s24, 19 | 5 << 16
    s_bfe_u32 s26, s24, 10 | 6 << 16
    s_bfe_u32 s27, s24, 3 | 5 << 16
    s_lshl_b32 s25, s25, 11
    s_lshl_b32 s26, s26, 5
    s_or_b32 s28, s25, s26
    s_or_b32 s28, s28, s27
    ; expand: repeat the top bits below
    s_and_b32 s25, s28, s30
    s_and_b32 s26, s28, s31
    s_and_b32 s27, s28, s32
    s_lshl_b32 s33, s25, 8
    s_lshl_b32 s34, s25, 3
    s_and_b32 s34, s34, 0x70000
    s_or_b32 s29, s33, s34
    s_lshl_b32 s33, s26, 5
    s_lshr_b32 s34, s26, 1
    s_and_b32 s34, s34, 0x300
    s_or_b32 s29, s29, s33
    s_or_b32 s29, s29, s34
    s_lshl_b32 s33, s27, 3
    s_lshr_b32 s34, s27, 2
    s_or_b32 s29, s29, s33
    s_or_b32 s29, s29, s34
    s_movreld_b32 s16, s29
    ; pack two
    s_mov_b32 s35, m0
    s_bitcmp1_b32 s35, 0
    s_cbranch_scc1 odd
    s_mov_b32 s36, s28
    s_branch advance
odd:
    s_lshl_b32 s28, s28, 16
    s_or_b32 s36, s36, s28
    s_lshr_b32 m0, s35, 1
    s_movreld_b32 s8, s36
    s_mov_b32 m0, s35
advance:
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 8
    s_cbranch_scc1 next
    s_endpgm
