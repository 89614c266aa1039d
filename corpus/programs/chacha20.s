; ChaCha20 block function (RFC 8439): ten double rounds in a loop.
; in:  s[0:7] = key, s8 = block counter, s[9:11] = nonce
; out: s[16:31] = key stream block
; generations: gcn1.1 gcn1.2
.macro MIX a, b, d, n
    s_add_u32 s[\a], s[\a], s[\b]
    s_xor_b32 s[\d], s[\d], s[\a]
    s_lshl_b32 s40, s[\d], \n
    s_lshr_b32 s[\d], s[\d], 32-\n
    s_or_b32 s[\d], s[\d], s40
.endm
.macro QUARTER a, b, c, d
    MIX 16+\a, 16+\b, 16+\d, 16
    MIX 16+\c, 16+\d, 16+\b, 12
    MIX 16+\a, 16+\b, 16+\d, 8
    MIX 16+\c, 16+\d, 16+\b, 7
.endm
    s_mov_b32 s16, 0x61707865           ; "expand 32-byte k"
    s_mov_b32 s17, 0x3320646e
    s_mov_b32 s18, 0x79622d32
    s_mov_b32 s19, 0x6b206574
    s_mov_b64 s[20:21], s[0:1]
    s_mov_b64 s[22:23], s[2:3]
    s_mov_b64 s[24:25], s[4:5]
    s_mov_b64 s[26:27], s[6:7]
    s_mov_b64 s[28:29], s[8:9]
    s_mov_b64 s[30:31], s[10:11]
    s_movk_i32 s41, 10
double_round:
    QUARTER 0, 4, 8, 12
    QUARTER 1, 5, 9, 13
    QUARTER 2, 6, 10, 14
    QUARTER 3, 7, 11, 15
    QUARTER 0, 5, 10, 15
    QUARTER 1, 6, 11, 12
    QUARTER 2, 7, 8, 13
    QUARTER 3, 4, 9, 14
    s_addk_i32 s41, -1
    s_cmpk_gt_i32 s41, 0
    s_cbranch_scc1 double_round
    s_add_u32 s16, s16, 0x61707865
    s_add_u32 s17, s17, 0x3320646e
    s_add_u32 s18, s18, 0x79622d32
    s_add_u32 s19, s19, 0x6b206574
.set I, 0
.rept 12
    s_add_u32 s[20+I], s[20+I], s[I]
    .set I, I+1
.endr
    s_endpgm
