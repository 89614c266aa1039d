; Adler-32 of a message.
; in:  s0 = length in bytes (at most 64), s16..s31 = message, first byte in the lowest bits
; out: s1 = checksum
; generations: gcn1.0 gcn1.2
.set MOD, 65521
    s_movk_i32 s2, 1                    ; a
    s_movk_i32 s3, 0                    ; b
    s_mov_b32 s4, 0
byte:
    s_lshr_b32 m0, s4, 2
    s_movrels_b32 s5, s16
    s_and_b32 s6, s4, 3
    s_lshl_b32 s6, s6, 3
    s_or_b32 s6, s6, 0x80000            ; eight bits from there
    s_bfe_u32 s5, s5, s6
    s_add_u32 s2, s2, s5
    s_cmp_ge_u32 s2, MOD
    s_cbranch_scc0 small_a
    s_sub_u32 s2, s2, MOD
small_a:
    s_add_u32 s3, s3, s2
    s_cmpk_ge_u32 s3, MOD
    s_cbranch_scc0 small_b
    s_sub_u32 s3, s3, MOD
small_b:
    s_addk_i32 s4, 1
    s_cmp_lt_u32 s4, s0
    s_cbranch_scc1 byte
    s_lshl_b32 s1, s3, 16
    s_or_b32 s1, s1, s2
    s_endpgm
