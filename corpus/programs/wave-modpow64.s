; 64 modular powers of 64-bit numbers, by Montgomery multiplication.
; in:  v[0:1] = bases, v[2:3] = exponents, v[4:5] = moduli, odd and below 2^63 (bases below them)
; out: v[0:1] = base^exponent mod modulus
; generations: gcn1.0 gcn1.1 gcn1.4 gcn1.4.1
.include "vector.inc"
; {v[d] .. v[d+3]} = v[a:a+1] * v[b:b+1]; clobbers v[50:53]
.macro MUL128 d, a, b
    .if GCN >= 11
        v_mov_b32 v51, 0
        v_mad_u64_u32 v[\d:\d+1], s[2:3], v[\a], v[\b], 0
        v_mov_b32 v50, v[\d+1]
        v_mad_u64_u32 v[52:53], s[2:3], v[\a+1], v[\b], v[50:51]
        v_mov_b32 v50, v52
        v_mov_b32 v52, v53
        v_mov_b32 v53, 0
        v_mad_u64_u32 v[50:51], s[2:3], v[\a], v[\b+1], v[50:51]
        v_mov_b32 v[\d+1], v50
        v_mov_b32 v50, v51
        v_mov_b32 v51, 0
        v_mad_u64_u32 v[52:53], s[2:3], v[\a+1], v[\b+1], v[52:53]
        ADD_FIRST v[\d+2], v52, v50
        ADD_NEXT v[\d+3], v53, v51
    .else
        v_mul_lo_u32 v[\d], v[\a], v[\b]
        v_mul_hi_u32 v[\d+1], v[\a], v[\b]
        v_mul_lo_u32 v50, v[\a+1], v[\b]
        v_mul_hi_u32 v51, v[\a+1], v[\b]
        v_mul_lo_u32 v52, v[\a], v[\b+1]
        v_mul_hi_u32 v53, v[\a], v[\b+1]
        v_mul_lo_u32 v[\d+2], v[\a+1], v[\b+1]
        v_mul_hi_u32 v[\d+3], v[\a+1], v[\b+1]
        ADD_FIRST v[\d+1], v[\d+1], v50
        ADD_NEXT v[\d+2], v[\d+2], v51
        v_mov_b32 v50, 0
        ADD_NEXT v[\d+3], v[\d+3], v50
        ADD_FIRST v[\d+1], v[\d+1], v52
        ADD_NEXT v[\d+2], v[\d+2], v53
        ADD_NEXT v[\d+3], v[\d+3], v50
    .endif
.endm
; v[d:d+1] = low half of v[a:a+1] * v[b:b+1]; d differs from a and b; clobbers v50
.macro MUL64 d, a, b
    v_mul_lo_u32 v[\d], v[\a], v[\b]
    v_mul_hi_u32 v[\d+1], v[\a], v[\b]
    v_mul_lo_u32 v50, v[\a+1], v[\b]
    VADD v[\d+1], v[\d+1], v50
    v_mul_lo_u32 v50, v[\a], v[\b+1]
    VADD v[\d+1], v[\d+1], v50
.endm
; v[d:d+1] = v[x:x+1] less the modulus, if that is not negative; clobbers v[50:51]
.macro REDUCE d, x
    SUB_FIRST v50, v[\x], v4
    SUB_NEXT v51, v[\x+1], v5
    v_cndmask_b32 v[\d], v50, v[\x], vcc
    v_cndmask_b32 v[\d+1], v51, v[\x+1], vcc
.endm
; v[d:d+1] = v[a:a+1] * v[b:b+1] / 2^64 mod modulus
.macro MONTGOMERY d, a, b
    MUL128 30, \a, \b
    MUL64 34, 30, 6
    MUL128 36, 34, 4
    ADD_FIRST v30, v30, v36
    ADD_NEXT v31, v31, v37
    ADD_NEXT v32, v32, v38
    ADD_NEXT v33, v33, v39
    REDUCE \d, 32
.endm
    ; v[6:7] = -1 / modulus mod 2^64: right in 3 bits, then 6, 12, 24, 48, 96
    v_mov_b32 v6, v4
    v_mov_b32 v7, v5
    s_movk_i32 s0, 5
newton:
    MUL64 8, 4, 6
    SUB_FIRST v8, 2, v8
    v_mov_b32 v10, 0
    SUB_NEXT v9, v10, v9
    MUL64 10, 6, 8
    v_mov_b32 v6, v10
    v_mov_b32 v7, v11
    REPEAT s0, newton
    SUB_FIRST v6, 0, v6
    v_mov_b32 v50, 0
    SUB_NEXT v7, v50, v7
    ; v[12:13] = 2^64 mod modulus (one in this form), v[14:15] = 2^128 mod modulus, by doubling
    v_mov_b32 v14, 1
    v_mov_b32 v15, 0
    s_mov_b32 s0, 128
double:
    SHL64 v[14:15], v[14:15], 1
    REDUCE 14, 14
    s_cmp_lg_u32 s0, 65
    s_cbranch_scc1 not_half
    v_mov_b32 v12, v14
    v_mov_b32 v13, v15
not_half:
    REPEAT s0, double
    MONTGOMERY 14, 0, 14                ; the base in this form
    s_movk_i32 s0, 64
bit:
    MONTGOMERY 12, 12, 12
    MONTGOMERY 16, 12, 14
    v_cmp_gt_i32 vcc, 0, v3             ; the highest bit of the exponent
    v_cndmask_b32 v12, v12, v16, vcc
    v_cndmask_b32 v13, v13, v17, vcc
    SHL64 v[2:3], v[2:3], 1
    REPEAT s0, bit
    v_mov_b32 v14, 1
    v_mov_b32 v15, 0
    MONTGOMERY 0, 12, 14
    CLEAR 2, 18
    CLEAR 30, 10
    CLEAR 50, 4
    s_endpgm
