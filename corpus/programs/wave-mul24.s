; 24-bit multiplications: a generator modulo 2^24, fixed-point rotations, and 48-bit products.
; in:  v0 = seeds, s0 = steps
; out: v0 = state of x = 0xb5ad4f x + 0x00fc43 (mod 2^24), v1 = xor of the high halves of x * x, v[2:3] = a point
;      turned each step by the angle with cosine 0x7ffd88 / 2^23 and sine 0x01921d / 2^23, each product rounded down
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    s_mov_b32 s1, 0xb5ad4f
    s_mov_b32 s2, 0xfc43
    s_mov_b32 s3, 0x7ffd88              ; cosine * 2^23
    s_mov_b32 s4, 0x01921d              ; sine * 2^23
    v_mov_b32 v1, 0
    v_and_b32 v2, 0xfffff, v0
    VSUB v2, 0x80000, v2
    v_bfe_u32 v3, v0, 3, 20
    VSUB v3, 0x80000, v3
step:
    v_mov_b32 v4, s2
    v_mad_u32_u24 v0, v0, s1, v4
    v_mul_hi_u32_u24 v5, v0, v0
    v_xor_b32 v1, v1, v5
    ; the 48-bit products of the rotation, shifted right by 23
    v_mul_i32_i24 v6, v2, s3
    v_mul_hi_i32_i24 v7, v2, s3
    v_alignbit_b32 v6, v7, v6, 23
    v_mul_i32_i24 v8, v3, s4
    v_mul_hi_i32_i24 v7, v3, s4
    v_alignbit_b32 v8, v7, v8, 23
    v_mul_i32_i24 v9, v3, s3
    v_mul_hi_i32_i24 v7, v3, s3
    v_alignbit_b32 v9, v7, v9, 23
    v_mul_i32_i24 v10, v2, s4
    v_mul_hi_i32_i24 v7, v2, s4
    v_alignbit_b32 v10, v7, v10, 23
    VSUB v2, v6, v8
    VADD v3, v9, v10
    v_mad_i32_i24 v2, v2, 1, 0          ; keeps 24 bits with sign
    REPEAT s0, step
    v_and_b32 v0, 0xffffff, v0
    CLEAR 4, 7
    s_mov_b64 vcc, 0
    s_endpgm
