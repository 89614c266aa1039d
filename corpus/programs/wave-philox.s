; Philox4x32-10: lane n draws four words for each counter (n, k, 0, 0), k = 0, 1, ..., and folds them.
; in:  s[0:1] = key, s2 = draws
; out: v[8:11] = folded words
; generations: gcn1.0 gcn1.1 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro MULTIPLY lo, hi, x, m            ; the pair v[lo:hi] = x * m
    .if GCN >= 11
        v_mad_u64_u32 v[\lo:\hi], vcc, \x, \m, 0
    .else
        v_mul_lo_u32 v\lo, \x, \m
        v_mul_hi_u32 v\hi, \x, \m
    .endif
.endm
    s_mov_b32 s4, 0xd2511f53
    s_mov_b32 s5, 0xcd9e8d57
    LANE v12
    s_mov_b32 s3, 0                     ; k
draw:
    v_mov_b32 v0, v12
    v_mov_b32 v1, s3
    v_mov_b32 v2, 0
    v_mov_b32 v3, 0
    s_mov_b32 s6, s0
    s_mov_b32 s7, s1
    s_movk_i32 s8, 10
round:
    MULTIPLY 4, 5, v0, s4
    MULTIPLY 6, 7, v2, s5
    v_xor_b32 v0, v7, v1
    v_xor_b32 v0, s6, v0
    v_mov_b32 v1, v6
    v_xor_b32 v2, v5, v3
    v_xor_b32 v2, s7, v2
    v_mov_b32 v3, v4
    s_add_u32 s6, s6, 0x9e3779b9
    s_add_u32 s7, s7, 0xbb67ae85
    REPEAT s8, round
.set I, 0
.rept 4
    ROTR v[8+I], v[8+I], 27             ; rotate the fold by 5 to the left
    v_xor_b32 v[8+I], v[8+I], v[I]
    .set I, I+1
.endr
    s_addk_i32 s3, 1
    s_cmp_lg_u32 s3, s2
    s_cbranch_scc1 draw
    CLEAR 0, 8
    CLEAR 12, 1
    s_mov_b32 s3, 0
    s_mov_b64 vcc, 0
    s_endpgm
