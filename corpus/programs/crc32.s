; CRC-32 (IEEE 802.3, reflected) of a message, bit by bit.
; in:  s0 = length in bytes (at most 64), s16..s31 = message, first byte in the lowest bits
; out: s1 = CRC
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s1, -1
    s_mov_b32 s2, 0                     ; byte number
    s_mov_b32 s3, 0xedb88320
byte:
    s_lshr_b32 m0, s2, 2
    s_movrels_b32 s4, s16
    s_lshl_b32 s5, s2, 3                ; s_lshr takes the low five bits: 8 * (n mod 4)
    s_lshr_b32 s4, s4, s5
    s_and_b32 s4, s4, 0xff
    s_xor_b32 s1, s1, s4
    s_movk_i32 s6, 8
bit:
    s_bfe_i32 s7, s1, 0x10000           ; all ones if bit 0 is set
    s_and_b32 s7, s7, s3
    s_lshr_b32 s1, s1, 1
    s_xor_b32 s1, s1, s7
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 bit
    s_addk_i32 s2, 1
    s_cmp_lt_u32 s2, s0
    s_cbranch_scc1 byte
    s_not_b32 s1, s1
    s_endpgm
