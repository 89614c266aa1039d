; Six queens on a board of 36: a stack of levels in registers, indexed with s_movrels / s_movreld.
; in:  s100 = how many searches
; out: s65 = solutions
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s1, 0                     ; solutions
    s_mov_b32 s8, 63
loop:
    s_mov_b32 s2, 0                     ; level
    s_mov_b32 s16, s8                   ; free places of a level
    s_mov_b32 s24, 0                    ; taken columns
    s_mov_b32 s32, 0                    ; taken diagonals
    s_mov_b32 s40, 0
try:
    s_mov_b32 m0, s2
    s_movrels_b32 s3, s16
    s_cmp_eq_u32 s3, 0
    s_cbranch_scc1 back
    s_sub_u32 s4, 0, s3
    s_and_b32 s4, s4, s3
    s_xor_b32 s3, s3, s4
    s_movreld_b32 s16, s3
    s_movrels_b32 s5, s24
    s_or_b32 s5, s5, s4
    s_cmp_eq_u32 s5, s8
    s_cbranch_scc1 solution
    s_movrels_b32 s6, s32
    s_or_b32 s6, s6, s4
    s_lshl_b32 s6, s6, 1
    s_movrels_b32 s7, s40
    s_or_b32 s7, s7, s4
    s_lshr_b32 s7, s7, 1
    s_add_u32 s2, s2, 1
    s_mov_b32 m0, s2
    s_movreld_b32 s24, s5
    s_movreld_b32 s32, s6
    s_movreld_b32 s40, s7
    s_or_b32 s3, s5, s6
    s_or_b32 s3, s3, s7
    s_andn2_b32 s3, s8, s3
    s_movreld_b32 s16, s3
    s_branch try
solution:
    s_add_u32 s1, s1, 1
    s_branch try
back:
    s_sub_u32 s2, s2, 1
    s_cmp_ge_i32 s2, 0
    s_cbranch_scc1 try
    NEXT loop
    s_mov_b32 s65, s1
    FINISH
