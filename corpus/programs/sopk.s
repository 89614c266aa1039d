; The 16-bit immediate forms: all twelve S_CMPK at the edges, s_movk, s_addk with overflow, s_mulk, s_cmovk.
; in:  s40..s47 = numbers to compare
; out: s[2:3] = SCC bits of 96 comparisons folded, s4 = sum of the chain, s5 = overflows of s_addk, s6 = product
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro NOTE
    s_cselect_b32 s8, 1, 0
    s_lshr_b32 s9, s3, 31               ; rotate the 64-bit fold by one, put the bit in by xor
    s_lshl_b64 s[2:3], s[2:3], 1
    s_or_b32 s2, s2, s9
    s_xor_b32 s2, s2, s8
.endm
    s_mov_b64 s[2:3], 0
    s_mov_b32 m0, 0
number:
    s_movrels_b32 s1, s40
    s_cmpk_eq_i32 s1, 0x8000
    NOTE
    s_cmpk_lg_i32 s1, 0xffff
    NOTE
    s_cmpk_gt_i32 s1, 0x8000
    NOTE
    s_cmpk_ge_i32 s1, 0x7fff
    NOTE
    s_cmpk_lt_i32 s1, 0xffff
    NOTE
    s_cmpk_le_i32 s1, 0x8000
    NOTE
    s_cmpk_eq_u32 s1, 0x8000
    NOTE
    s_cmpk_lg_u32 s1, 0xffff
    NOTE
    s_cmpk_gt_u32 s1, 0x8000
    NOTE
    s_cmpk_ge_u32 s1, 0x7fff
    NOTE
    s_cmpk_lt_u32 s1, 0xffff
    NOTE
    s_cmpk_le_u32 s1, 0x8000
    NOTE
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 8
    s_cbranch_scc1 number
    ; add 32767 until the 32-bit sum has overflowed three times, counting by SCC
    s_brev_b32 s4, 1                    ; INT_MIN
    s_mov_b32 s5, 0
    s_mov_b32 s7, 0x7fff8000
add:
    s_addk_i32 s4, 0x7fff
    s_cbranch_scc0 no_overflow
    s_addk_i32 s5, 1
no_overflow:
    s_add_u32 s4, s4, s7
    s_cmpk_lt_u32 s5, 3
    s_cbranch_scc1 add
    s_movk_i32 s6, -3
    s_mulk_i32 s6, 0x7fff
    s_mulk_i32 s6, -123
    s_cmp_eq_u32 s6, 0
    s_cmovk_i32 s6, 1                   ; not taken
    s_endpgm
