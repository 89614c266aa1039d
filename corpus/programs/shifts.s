; All shifts by all counts, those beyond the width too (taken modulo 32 or 64).
; in:  s[0:1] = number
; out: s2..s4 = xor-sums of lshl, lshr, ashr (32 bits), s[6:7], s[8:9], s[10:11] = of the 64-bit ones, s12 = zero results
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro ZERO
    s_cselect_b32 s21, 0, 1             ; SCC = result is not zero
    s_add_u32 s12, s12, s21
.endm
    s_mov_b32 s12, 0
    s_mov_b64 s[2:3], 0
    s_mov_b32 s4, 0
    s_mov_b64 s[6:7], 0
    s_mov_b64 s[8:9], 0
    s_mov_b64 s[10:11], 0
    s_mov_b32 s20, 0
count:
    s_lshl_b32 s22, s0, s20
    ZERO
    s_xor_b32 s2, s2, s22
    s_lshr_b32 s22, s1, s20
    ZERO
    s_xor_b32 s3, s3, s22
    s_ashr_i32 s22, s1, s20
    ZERO
    s_xor_b32 s4, s4, s22
    s_lshl_b64 s[22:23], s[0:1], s20
    ZERO
    s_xor_b64 s[6:7], s[6:7], s[22:23]
    s_lshr_b64 s[22:23], s[0:1], s20
    ZERO
    s_xor_b64 s[8:9], s[8:9], s[22:23]
    s_ashr_i64 s[22:23], s[0:1], s20
    ZERO
    s_xor_b64 s[10:11], s[10:11], s[22:23]
    s_addk_i32 s20, 1
    s_cmpk_lg_i32 s20, 100
    s_cbranch_scc1 count
    s_endpgm
