; xorshift32, xorshift64 and xorshift128 side by side.
; in:  s0 = 32-bit seed, s[2:3] = 64-bit seed, s[4:7] = 128-bit seed (x in s4, w in s7), s8 = steps
; out: the same registers after the steps
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
step:
    s_lshl_b32 s9, s0, 13
    s_xor_b32 s0, s0, s9
    s_lshr_b32 s9, s0, 17
    s_xor_b32 s0, s0, s9
    s_lshl_b32 s9, s0, 5
    s_xor_b32 s0, s0, s9
    s_lshl_b64 s[10:11], s[2:3], 13
    s_xor_b64 s[2:3], s[2:3], s[10:11]
    s_lshr_b64 s[10:11], s[2:3], 7
    s_xor_b64 s[2:3], s[2:3], s[10:11]
    s_lshl_b64 s[10:11], s[2:3], 17
    s_xor_b64 s[2:3], s[2:3], s[10:11]
    s_lshl_b32 s9, s4, 11               ; t = x ^ (x << 11)
    s_xor_b32 s12, s4, s9
    s_mov_b32 s4, s5
    s_mov_b32 s5, s6
    s_mov_b32 s6, s7
    s_lshr_b32 s9, s12, 8
    s_xor_b32 s12, s12, s9
    s_lshr_b32 s9, s7, 19               ; w = w ^ (w >> 19) ^ t ^ (t >> 8)
    s_xor_b32 s7, s7, s9
    s_xor_b32 s7, s7, s12
    s_addk_i32 s8, -1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 step
    s_endpgm
