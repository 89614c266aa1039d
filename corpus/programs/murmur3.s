; MurmurHash3 x86_32 of a message of whole words, finaliser included.
; in:  s0 = number of 32-bit words (at most 16), s1 = seed, s16..s31 = message
; out: s2 = hash
; generations: gcn1.2 gcn1.4
    s_mov_b32 s2, s1
    s_mov_b32 m0, 0
word:
    s_movrels_b32 s4, s16
    s_mul_i32 s4, s4, 0xcc9e2d51
    s_lshl_b32 s5, s4, 15
    s_lshr_b32 s4, s4, 17
    s_or_b32 s4, s4, s5
    s_mul_i32 s4, s4, 0x1b873593
    s_xor_b32 s2, s2, s4
    s_lshl_b32 s5, s2, 13
    s_lshr_b32 s2, s2, 19
    s_or_b32 s2, s2, s5
    s_mulk_i32 s2, 5
    s_add_u32 s2, s2, 0xe6546b64
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, s0
    s_cbranch_scc1 word
    s_lshl_b32 s5, s0, 2
    s_xor_b32 s2, s2, s5
    s_lshr_b32 s5, s2, 16
    s_xor_b32 s2, s2, s5
    s_mul_i32 s2, s2, 0x85ebca6b
    s_lshr_b32 s5, s2, 13
    s_xor_b32 s2, s2, s5
    s_mul_i32 s2, s2, 0xc2b2ae35
    s_lshr_b32 s5, s2, 16
    s_xor_b32 s2, s2, s5
    s_endpgm
