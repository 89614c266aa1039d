; xorshift32 into a murmur-like mix: shifts, xors, 32-bit products, literals.
; in:  s100 = iterations
; out: s64 = generator, s65 = hash
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 0x9e3779b9
    s_mov_b32 s1, 0
    s_mov_b32 s8, 0xcc9e2d51
    s_mov_b32 s9, 0x1b873593
loop:
    s_lshl_b32 s2, s0, 13
    s_xor_b32 s0, s0, s2
    s_lshr_b32 s2, s0, 17
    s_xor_b32 s0, s0, s2
    s_lshl_b32 s2, s0, 5
    s_xor_b32 s0, s0, s2
    s_mul_i32 s3, s0, s8
    s_lshl_b32 s4, s3, 15
    s_lshr_b32 s3, s3, 17
    s_or_b32 s3, s3, s4
    s_mul_i32 s3, s3, s9
    s_xor_b32 s1, s1, s3
    s_lshl_b32 s4, s1, 13
    s_lshr_b32 s1, s1, 19
    s_or_b32 s1, s1, s4
    s_mulk_i32 s1, 5
    s_add_u32 s1, s1, 0xe6546b64
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
