; 32-bit division as LLVM expands it: an estimate by V_RCP_IFLAG_F32, one Newton step, two corrections. Exact.
; in:  v0 = numerators, v1 = denominators (not 0)
; out: v2 = quotients, v3 = remainders, v4, v5 = the same signed (rounded to zero)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro UDIVREM q, r, n, d
    v_cvt_f32_u32 \q, \d
    v_rcp_iflag_f32 \q, \q
    v_mul_f32 \q, 0x4f7ffffe, \q
    v_cvt_u32_f32 \q, \q
    VSUB \r, 0, \d
    v_mul_lo_u32 \r, \r, \q
    v_mul_hi_u32 \r, \q, \r
    VADD \q, \q, \r
    v_mul_hi_u32 \q, \n, \q
    v_mul_lo_u32 \r, \q, \d
    VSUB \r, \n, \r
.rept 2
    v_cmp_ge_u32 s[2:3], \r, \d
    VADD v20, 1, \q
    v_cndmask_b32 \q, \q, v20, s[2:3]
    VSUB v20, \r, \d
    v_cndmask_b32 \r, \r, v20, s[2:3]
.endr
.endm
    UDIVREM v2, v3, v0, v1
    v_ashrrev_i32 v6, 31, v0
    v_ashrrev_i32 v7, 31, v1
    VADD v8, v0, v6
    v_xor_b32 v8, v8, v6
    VADD v9, v1, v7
    v_xor_b32 v9, v9, v7
    UDIVREM v4, v5, v8, v9
    v_xor_b32 v7, v6, v7
    v_xor_b32 v4, v4, v7
    VSUB v4, v4, v7
    v_xor_b32 v5, v5, v6
    VSUB v5, v5, v6
    CLEAR 6, 4
    CLEAR 20, 1
    s_mov_b64 vcc, 0
    s_endpgm
