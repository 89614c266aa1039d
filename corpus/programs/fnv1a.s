; FNV-1a in 32 and in 64 bits; the 64-bit product as h * 0x1b3 + (h << 40), by 16-bit digits.
; in:  s0 = length in bytes (at most 64), s16..s31 = message, first byte in the lowest bits
; out: s1 = 32-bit hash, s[2:3] = 64-bit hash
; generations: gcn1.1 gcn1.2
    s_mov_b32 s1, 0x811c9dc5
    s_mov_b32 s2, 0x84222325
    s_mov_b32 s3, 0xcbf29ce4
    s_mov_b32 s4, 0
byte:
    s_lshr_b32 m0, s4, 2
    s_movrels_b32 s5, s16
    s_lshl_b32 s6, s4, 3
    s_lshr_b32 s5, s5, s6
    s_and_b32 s5, s5, 0xff
    ; 32 bits
    s_xor_b32 s1, s1, s5
    s_mul_i32 s1, s1, 0x01000193
    ; 64 bits
    s_xor_b32 s2, s2, s5
    s_and_b32 s6, s2, 0xffff
    s_mulk_i32 s6, 0x1b3
    s_lshr_b32 s7, s2, 16
    s_mulk_i32 s7, 0x1b3
    s_lshl_b32 s8, s7, 16
    s_lshr_b32 s9, s7, 16
    s_lshl_b32 s10, s2, 8
    s_mulk_i32 s3, 0x1b3
    s_add_u32 s2, s6, s8
    s_addc_u32 s3, s3, s9
    s_add_u32 s3, s3, s10
    s_addk_i32 s4, 1
    s_cmp_lt_u32 s4, s0
    s_cbranch_scc1 byte
    s_endpgm
