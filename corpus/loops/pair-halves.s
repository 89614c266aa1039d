; 64-bit pairs whose halves are also read and written as 32-bit registers.
; in:  s100 = iterations
; out: s[64:65] = state, s66 = bits counted
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 0x12345678
    s_mov_b32 s1, 0x9abcdef0
    s_mov_b32 s8, 0
    s_mov_b32 s9, 0x85ebca6b
    s_mov_b32 s12, 13 | 37 << 16
loop:
    s_lshl_b64 s[2:3], s[0:1], 7
    s_add_u32 s1, s1, s2
    s_xor_b64 s[0:1], s[0:1], s[2:3]
    s_mul_i32 s4, s0, s9
    s_mov_b32 s3, s4
    s_or_b64 s[6:7], s[2:3], s[0:1]
    s_bcnt1_i32_b64 s5, s[6:7]
    s_add_u32 s8, s8, s5
    s_bfe_u64 s[10:11], s[6:7], s12
    s_xor_b32 s0, s0, s11
    s_add_u32 s1, s1, s10
    s_lshr_b64 s[6:7], s[0:1], 29
    s_add_u32 s0, s0, s6
    s_xor_b32 s1, s1, s7
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s8
    FINISH
