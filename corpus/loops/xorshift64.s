; xorshift64* : 64-bit shifts and xors, a 64-bit product by parts, 64-bit sum.
; in:  s100 = iterations
; out: s[64:65] = generator, s[66:67] = sum of the outputs
; generations: gcn1.4
.include "loop.inc"
    s_mov_b64 s[0:1], 1
    s_mov_b64 s[10:11], 0
    s_mov_b32 s8, 0x4f6cdd1d
    s_mov_b32 s9, 0x2545f491
loop:
    s_lshr_b64 s[2:3], s[0:1], 12
    s_xor_b64 s[0:1], s[0:1], s[2:3]
    s_lshl_b64 s[2:3], s[0:1], 25
    s_xor_b64 s[0:1], s[0:1], s[2:3]
    s_lshr_b64 s[2:3], s[0:1], 27
    s_xor_b64 s[0:1], s[0:1], s[2:3]
    s_mul_hi_u32 s5, s0, s8
    s_mul_i32 s6, s0, s9
    s_mul_i32 s7, s1, s8
    s_mul_i32 s4, s0, s8
    s_add_u32 s5, s5, s6
    s_add_u32 s5, s5, s7
    s_add_u32 s10, s10, s4
    s_addc_u32 s11, s11, s5
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b64 s[66:67], s[10:11]
    FINISH
