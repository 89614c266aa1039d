; Jacobi symbols (a/n) for a = 1, 2, 3, ...
; in:  s0 = n (odd, below 2^31), s1 = how many a (at most 32)
; out: s2 = bit a-1 set where (a/n) = 1, s3 = bit a-1 set where (a/n) = -1
; generations: gcn1.1 gcn1.4
.include "udiv.inc"
    s_mov_b64 s[2:3], 0
    s_mov_b32 s4, 0                     ; a - 1
each:
    s_add_u32 s5, s4, 1                 ; a
    s_mov_b32 s6, s0                    ; n
    s_movk_i32 s7, 1                    ; sign
reduce:
    UDIVMOD32 s20, s21, s5, s6, s22
    s_mov_b32 s5, s21
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 finished
    s_ff1_i32_b32 s8, s5
    s_lshr_b32 s5, s5, s8
    s_bitcmp1_b32 s8, 0
    s_cbranch_scc0 reciprocity
    s_and_b32 s9, s6, 7
    s_cmp_eq_u32 s9, 3
    s_cbranch_scc1 flip_two
    s_cmp_eq_u32 s9, 5
    s_cbranch_scc0 reciprocity
flip_two:
    s_sub_i32 s7, 0, s7
reciprocity:
    s_and_b32 s9, s5, s6
    s_and_b32 s9, s9, 3
    s_cmp_eq_u32 s9, 3
    s_cbranch_scc0 swap
    s_mulk_i32 s7, -1
swap:
    s_xor_b32 s5, s5, s6
    s_xor_b32 s6, s5, s6
    s_xor_b32 s5, s5, s6
    s_branch reduce
finished:
    s_cmp_eq_u32 s6, 1
    s_cbranch_scc0 next                 ; common factor: the symbol is 0
    s_cmpk_lt_i32 s7, 0
    s_cbranch_scc1 minus
    s_bitset1_b32 s2, s4
    s_branch next
minus:
    s_bitset1_b32 s3, s4
next:
    s_add_u32 s4, s4, 1
    s_cmp_lt_u32 s4, s1
    s_cbranch_scc1 each
    s_endpgm
