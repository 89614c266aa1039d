; Powers of a matrix by squaring: [1 1; 1 0], as numbers a + b phi modulo 2^32.
; in:  s100 = iterations
; out: s64 = generator, s65 = fold
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s2, s0, 12
    s_or_b32 s2, s2, 1
    s_mov_b64 s[4:5], 1                 ; result
    s_mov_b32 s6, 0                     ; square
    s_mov_b32 s7, 1
power:
    s_bitcmp0_b32 s2, 0
    s_cbranch_scc1 even
    s_mul_i32 s10, s4, s6
    s_mul_i32 s11, s5, s7
    s_mul_i32 s12, s4, s7
    s_mul_i32 s13, s5, s6
    s_add_u32 s4, s10, s11
    s_add_u32 s5, s12, s13
    s_add_u32 s5, s5, s11
even:
    s_mul_i32 s10, s6, s6
    s_mul_i32 s11, s7, s7
    s_mul_i32 s12, s6, s7
    s_add_u32 s6, s10, s11
    s_lshl_b32 s12, s12, 1
    s_add_u32 s7, s12, s11
    s_lshr_b32 s2, s2, 1
    s_cbranch_scc1 power
    s_xor_b32 s1, s1, s5
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
