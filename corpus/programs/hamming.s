; Hamming(15,11): encode, flip each bit in turn, correct, decode.
; in:  s0 = first data word, s1 = how many data words
; out: s2 = corrected words that match, s3 = xor of all code words, s4 = sum of syndromes
; generations: gcn1.1 gcn1.2
; Position p (1..15) is bit p; parity bits sit at 1, 2, 4, 8; the syndrome is the position of the error.
.macro SYNDROME d, word
    s_mov_b32 \d, 0
    s_and_b32 s20, \word, 0xff00        ; positions with bit 3
    s_bcnt1_i32_b32 s20, s20
    s_and_b32 s20, s20, 1
    s_or_b32 \d, \d, s20
    s_lshl_b32 \d, \d, 1
    s_and_b32 s20, \word, 0xf0f0
    s_bcnt1_i32_b32 s20, s20
    s_and_b32 s20, s20, 1
    s_or_b32 \d, \d, s20
    s_lshl_b32 \d, \d, 1
    s_and_b32 s20, \word, 0xcccc
    s_bcnt1_i32_b32 s20, s20
    s_and_b32 s20, s20, 1
    s_or_b32 \d, \d, s20
    s_lshl_b32 \d, \d, 1
    s_and_b32 s20, \word, 0xaaaa
    s_bcnt1_i32_b32 s20, s20
    s_and_b32 s20, s20, 1
    s_or_b32 \d, \d, s20
.endm
    s_mov_b64 s[2:3], 0
    s_mov_b32 s4, 0
next:
    ; data bits to positions 3, 5-7, 9-15
    s_and_b32 s5, s0, 1
    s_lshl_b32 s5, s5, 3
    s_bfe_u32 s6, s0, 1 | 3 << 16
    s_lshl_b32 s6, s6, 5
    s_or_b32 s5, s5, s6
    s_bfe_u32 s6, s0, 4 | 7 << 16
    s_lshl_b32 s6, s6, 9
    s_or_b32 s5, s5, s6
    SYNDROME s7, s5
    ; each parity bit k of the syndrome goes to position 2^k
    s_movk_i32 s8, 0
parity:
    s_bitcmp1_b32 s7, s8
    s_cbranch_scc0 parity_zero
    s_lshl_b32 s9, 1, s8
    s_bitset1_b32 s5, s9
parity_zero:
    s_addk_i32 s8, 1
    s_cmp_lt_u32 s8, 4
    s_cbranch_scc1 parity
    s_xor_b32 s3, s3, s5
    s_movk_i32 s8, 1                    ; position to spoil
spoil:
    s_lshl_b32 s10, 1, s8
    s_xor_b32 s10, s10, s5
    SYNDROME s11, s10
    s_add_u32 s4, s4, s11
    s_lshl_b32 s12, 1, s11
    s_xor_b32 s10, s10, s12
    s_cmp_eq_u32 s10, s5
    s_addc_u32 s2, s2, 0
    s_addk_i32 s8, 1
    s_cmpk_le_u32 s8, 15
    s_cbranch_scc1 spoil
    s_addk_i32 s0, 37
    s_sub_u32 s1, s1, 1
    s_cmp_lg_u32 s1, 0
    s_cbranch_scc1 next
    s_endpgm
