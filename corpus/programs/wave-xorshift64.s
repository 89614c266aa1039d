; xorshift64*: 64 generators of 64 bits, their outputs added up.
; in:  v[0:1] = seeds, s0 = draws
; out: v[0:1] = states, v[4:5] = sums
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
.macro XOR64 a, b, c, d
    v_xor_b32 \a, \a, \c
    v_xor_b32 \b, \b, \d
.endm
    s_mov_b32 s2, 0x4f6cdd1d            ; the multiplier
    s_mov_b32 s3, 0x2545f491
draw:
    SHR64 v[2:3], v[0:1], 12
    XOR64 v0, v1, v2, v3
    SHL64 v[2:3], v[0:1], 25
    XOR64 v0, v1, v2, v3
    SHR64 v[2:3], v[0:1], 27
    XOR64 v0, v1, v2, v3
    .if GCN >= 11
        v_mad_u64_u32 v[2:3], vcc, v0, s2, 0
    .else
        v_mul_lo_u32 v2, v0, s2
        v_mul_hi_u32 v3, v0, s2
    .endif
    v_mul_lo_u32 v6, v0, s3
    VADD v3, v3, v6
    v_mul_lo_u32 v6, v1, s2
    VADD v3, v3, v6
    ADD_FIRST v4, v4, v2
    ADD_NEXT v5, v5, v3
    REPEAT s0, draw
    CLEAR 2, 2
    CLEAR 6, 1
    s_mov_b64 vcc, 0
    s_endpgm
