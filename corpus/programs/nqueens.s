; The n queens problem by bit masks and backtracking, its stack in s32.. through s_movreld/s_movrels.
; in:  s0 = n (at most 8)
; out: s1 = solutions, s2 = positions tried
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
; s3 = columns, s4, s5 = diagonals, s6 = free squares of this row; one entry is four registers
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[4:5], 0
    s_mov_b32 s1, 0
    s_bfm_b32 s7, s0, 0
    s_mov_b32 m0, 0
row:
    s_or_b32 s8, s3, s4
    s_or_b32 s8, s8, s5
    s_andn2_b32 s6, s7, s8
try:
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc1 back
    s_addk_i32 s2, 1
    s_sub_u32 s9, 0, s6
    s_and_b32 s9, s9, s6                ; lowest free square
    s_xor_b32 s6, s6, s9
    s_or_b32 s10, s3, s9
    s_cmp_eq_u32 s10, s7
    s_cbranch_scc1 solution
    ; push this row, go to the next
    s_movreld_b32 s32, s3
    s_movreld_b32 s33, s4
    s_movreld_b32 s34, s5
    s_movreld_b32 s35, s6
    s_add_u32 m0, m0, 4
    s_mov_b32 s3, s10
    s_or_b32 s4, s4, s9
    s_lshl_b32 s4, s4, 1
    s_or_b32 s5, s5, s9
    s_lshr_b32 s5, s5, 1
    s_branch row
solution:
    s_addk_i32 s1, 1
    s_branch try
back:
    s_cmp_eq_u32 m0, 0
    s_cbranch_scc1 done
    s_sub_u32 m0, m0, 4
    s_movrels_b64 s[4:5], s[32:33]
    s_mov_b32 s3, s4
    s_mov_b32 s4, s5
    s_movrels_b32 s5, s34
    s_movrels_b32 s6, s35
    s_branch try
done:
    s_endpgm
