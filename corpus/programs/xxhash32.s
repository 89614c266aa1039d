; xxHash32 of a message of 16-byte stripes.
; in:  s0 = number of stripes (1..4), s1 = seed, s16..s31 = message
; out: s2 = hash
; generations: gcn1.0 gcn1.4
.set P1, 0x9e3779b1
.set P2, 0x85ebca77
.set P3, 0xc2b2ae3d
.macro ROTL d, n, t
    s_lshl_b32 \t, \d, \n
    s_lshr_b32 \d, \d, 32-\n
    s_or_b32 \d, \d, \t
.endm
.macro LANE acc, src
    s_movrels_b32 s8, \src
    s_mul_i32 s8, s8, P2
    s_add_u32 \acc, \acc, s8
    ROTL \acc, 13, s9
    s_mul_i32 \acc, \acc, P1
.endm
    s_add_u32 s4, s1, P1
    s_add_u32 s4, s4, P2
    s_add_u32 s5, s1, P2
    s_mov_b32 s6, s1
    s_sub_u32 s7, s1, P1
    s_mov_b32 m0, 0
    s_mov_b32 s3, s0
stripe:
    LANE s4, s16
    LANE s5, s17
    LANE s6, s18
    LANE s7, s19
    s_add_u32 m0, m0, 4
    s_sub_u32 s3, s3, 1
    s_cmp_eq_u32 s3, 0
    s_cbranch_scc0 stripe
    ROTL s4, 1, s9
    ROTL s5, 7, s9
    ROTL s6, 12, s9
    ROTL s7, 18, s9
    s_add_u32 s2, s4, s5
    s_add_u32 s2, s2, s6
    s_add_u32 s2, s2, s7
    s_lshl_b32 s9, s0, 4                ; length in bytes
    s_add_u32 s2, s2, s9
    s_lshr_b32 s9, s2, 15
    s_xor_b32 s2, s2, s9
    s_mul_i32 s2, s2, P2
    s_lshr_b32 s9, s2, 13
    s_xor_b32 s2, s2, s9
    s_mul_i32 s2, s2, P3
    s_lshr_b32 s9, s2, 16
    s_xor_b32 s2, s2, s9
    s_endpgm
