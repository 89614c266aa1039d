; Order statistics over 64 lanes by binary search and counting: minimum, quartiles, median, maximum.
; in:  v0 = unsigned lane values
; out: s0..s4 = the 1st, 16th, 32nd, 48th, 64th smallest value
; generations: gcn1.1 gcn1.2 gcn1.4
    s_movk_i32 s10, 1
    s_movk_i32 s11, 16
    s_movk_i32 s12, 32
    s_movk_i32 s13, 48
    s_movk_i32 s14, 64
    s_mov_b32 m0, 0
statistic:
    s_movrels_b32 s20, s10              ; rank
    s_mov_b32 s21, -1                   ; smallest number with at least that many lanes at or below it
    s_movk_i32 s22, 31
bit:
    s_mov_b32 s23, s21
    s_bitset0_b32 s23, s22
    v_cmp_ge_u32_e32 vcc, s23, v0
    s_bcnt1_i32_b64 s24, vcc
    s_cmp_ge_u32 s24, s20
    s_cselect_b32 s21, s23, s21
    s_sub_u32 s22, s22, 1
    s_cbranch_scc0 bit
    s_movreld_b32 s0, s21
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 5
    s_cbranch_scc1 statistic
    s_endpgm
