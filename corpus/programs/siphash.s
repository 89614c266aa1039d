; SipHash-2-4 of 64-bit words (the last one with the length byte already in place).
; in:  s[0:3] = key, s4 = number of words (at most 8), s[16:17], s[18:19], ... = the words
; out: s[6:7] = tag
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
; v0..v3 live in s[40:41], s[42:43], s[44:45], s[46:47]
.macro ADD64 d, a
    s_add_u32 s[\d], s[\d], s[\a]
    s_addc_u32 s[\d+1], s[\d+1], s[\a+1]
.endm
.macro ROTL64 d, n
    s_lshl_b64 s[48:49], s[\d:\d+1], \n
    s_lshr_b64 s[\d:\d+1], s[\d:\d+1], 64-\n
    s_or_b64 s[\d:\d+1], s[\d:\d+1], s[48:49]
.endm
.macro HALF a, b, c, d, r, t
    ADD64 \a, \b
    ADD64 \c, \d
    ROTL64 \b, \r
    ROTL64 \d, \t
    s_xor_b64 s[\b:\b+1], s[\b:\b+1], s[\a:\a+1]
    s_xor_b64 s[\d:\d+1], s[\d:\d+1], s[\c:\c+1]
.endm
.macro SWAP_HALVES a
    s_mov_b32 s50, s[\a]
    s_mov_b32 s[\a], s[\a+1]
    s_mov_b32 s[\a+1], s50
.endm
    s_mov_b32 s8, 0x70736575            ; "somepseudorandomlygeneratedbytes"
    s_mov_b32 s9, 0x736f6d65
    s_xor_b64 s[40:41], s[0:1], s[8:9]
    s_mov_b32 s8, 0x6e646f6d
    s_mov_b32 s9, 0x646f7261
    s_xor_b64 s[42:43], s[2:3], s[8:9]
    s_mov_b32 s8, 0x6e657261
    s_mov_b32 s9, 0x6c796765
    s_xor_b64 s[44:45], s[0:1], s[8:9]
    s_mov_b32 s8, 0x79746573
    s_mov_b32 s9, 0x74656462
    s_xor_b64 s[46:47], s[2:3], s[8:9]
    s_mov_b32 m0, 0
    s_mov_b32 s5, 0                     ; 0: in the message, 1: finalising
block:
    s_movrels_b64 s[10:11], s[16:17]
    s_xor_b64 s[46:47], s[46:47], s[10:11]
    s_movk_i32 s12, 2
rounds:
    HALF 40, 42, 44, 46, 13, 16
    SWAP_HALVES 40
    HALF 44, 42, 40, 46, 17, 21
    SWAP_HALVES 44
    s_sub_u32 s12, s12, 1
    s_cmp_lg_u32 s12, 0
    s_cbranch_scc1 rounds
    s_cmp_eq_u32 s5, 1
    s_cbranch_scc1 done
    s_xor_b64 s[40:41], s[40:41], s[10:11]
    s_add_u32 m0, m0, 2
    s_lshl_b32 s13, s4, 1
    s_cmp_lt_u32 m0, s13
    s_cbranch_scc1 block
    s_movk_i32 s5, 1
    s_movk_i32 s12, 4
    s_xor_b32 s44, s44, 0xff
    s_branch rounds
done:
    s_xor_b64 s[6:7], s[40:41], s[42:43]
    s_xor_b64 s[8:9], s[44:45], s[46:47]
    s_xor_b64 s[6:7], s[6:7], s[8:9]
    s_endpgm
