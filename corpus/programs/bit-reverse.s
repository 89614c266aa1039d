; Reversal of bits by s_brev and by exchanging neighbours, pairs, nibbles, bytes, halves.
; in:  s0 = number, s[2:3] = 64-bit number
; out: s1 = reversed (s_brev_b32), s4 = reversed (exchanges), s[6:7] = reversed (s_brev_b64), s11 = palindromes,
;      s5 = 1 if number and its reversal are equal
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro EXCHANGE mask, n
    s_lshr_b32 s8, s4, \n
    s_and_b32 s8, s8, \mask
    s_and_b32 s4, s4, \mask
    s_lshl_b32 s4, s4, \n
    s_or_b32 s4, s4, s8
.endm
    s_brev_b32 s1, s0
    s_mov_b32 s4, s0
    EXCHANGE 0x55555555, 1
    EXCHANGE 0x33333333, 2
    EXCHANGE 0x0f0f0f0f, 4
    EXCHANGE 0x00ff00ff, 8
    s_lshr_b32 s8, s4, 16
    s_lshl_b32 s4, s4, 16
    s_or_b32 s4, s4, s8
    s_brev_b64 s[6:7], s[2:3]
    s_cmp_eq_u32 s0, s1
    s_cselect_b32 s5, 1, 0
    ; the 64-bit form is the 32-bit form on exchanged halves
    s_brev_b32 s9, s2
    s_brev_b32 s8, s3
    s_xor_b64 s[8:9], s[8:9], s[6:7]
    s_cbranch_scc0 same
    s_trap 1
same:
    ; palindromes among the 16-bit numbers below 1024: n with brev(n) >> 16 == n
    s_mov_b32 s10, 0
    s_mov_b32 s11, 0
palindromes:
    s_brev_b32 s12, s10
    s_lshr_b32 s12, s12, 22             ; reversed within ten bits
    s_cmp_eq_u32 s12, s10
    s_addc_u32 s11, s11, 0
    s_addk_i32 s10, 1
    s_cmpk_lt_u32 s10, 1024
    s_cbranch_scc1 palindromes
    s_endpgm
