; MD5 of 64 messages of 16 bytes; message word and step constant are picked by relative moves or in GPR index mode.
; in:  v[0:3] = message, s[32:95] = step constants
; out: v[16:19] = digest
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
; STEPS name, multiplier, addend, four shifts: sixteen steps; the macro FUNCTION_name puts F(b, c, d) into v20
.macro STEPS name, mul, add, r0, r1, r2, r3
    s_mov_b32 s24, 32-\r0
    s_mov_b32 s25, 32-\r1
    s_mov_b32 s26, 32-\r2
    s_mov_b32 s27, 32-\r3
step_\name:
    FUNCTION_\name
    s_mul_i32 s2, s0, \mul
    s_addk_i32 s2, \add
    s_and_b32 s2, s2, 15
    .if GCN >= 14
        s_set_gpr_idx_on s2, 1
        v_mov_b32 v21, v32
        s_set_gpr_idx_off
    .else
        s_mov_b32 m0, s2
        v_movrels_b32 v21, v32
    .endif
    s_mov_b32 m0, s0
    s_movrels_b32 s3, s32
    s_and_b32 m0, s0, 3
    s_movrels_b32 s4, s24
    VADD v20, v20, v16
    VADD v20, s3, v20
    VADD v20, v20, v21
    v_mov_b32 v16, v19
    v_mov_b32 v19, v18
    v_mov_b32 v18, v17
    v_alignbit_b32 v20, v20, v20, s4
    VADD v17, v17, v20
    s_addk_i32 s0, 1
    s_and_b32 s2, s0, 15
    s_cbranch_scc1 step_\name
.endm
.macro FUNCTION_f
    v_bfi_b32 v20, v17, v18, v19
.endm
.macro FUNCTION_g
    v_bfi_b32 v20, v19, v17, v18
.endm
.macro FUNCTION_h
    v_xor_b32 v20, v17, v18
    v_xor_b32 v20, v20, v19
.endm
.macro FUNCTION_i
    v_not_b32 v20, v19
    v_or_b32 v20, v17, v20
    v_xor_b32 v20, v18, v20
.endm
    v_mov_b32 v32, v0
    v_mov_b32 v33, v1
    v_mov_b32 v34, v2
    v_mov_b32 v35, v3
    CLEAR 36, 12
    v_mov_b32 v36, 0x80
    v_mov_b32 v46, 128
    v_mov_b32 v16, 0x67452301
    v_mov_b32 v17, 0xefcdab89
    v_mov_b32 v18, 0x98badcfe
    v_mov_b32 v19, 0x10325476
    s_mov_b32 s0, 0
    STEPS f, 1, 0, 7, 12, 17, 22
    STEPS g, 5, 1, 5, 9, 14, 20
    STEPS h, 3, 5, 4, 11, 16, 23
    STEPS i, 7, 0, 6, 10, 15, 21
    VADD v16, 0x67452301, v16
    VADD v17, 0xefcdab89, v17
    VADD v18, 0x98badcfe, v18
    VADD v19, 0x10325476, v19
    CLEAR 20, 2
    CLEAR 32, 16
    s_endpgm
