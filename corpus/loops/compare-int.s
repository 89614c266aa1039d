; Integer compares of all widths against a random scalar.
; in:  s100 = iterations, v0 = 32-bit, v[2:3] = 64-bit, v6 = 16-bit lane values
; out: s64..s69 = lanes counted for i32, u32, i64, u64, i16, u16
; generations: gcn1.4
.include "loop.inc"
.macro COUNT mask, d
    s_bcnt1_i32_b64 s5, \mask
    s_add_u32 \d, \d, s5
.endm
    s_mov_b32 s0, 7
    s_mov_b64 s[20:21], 0
    s_mov_b64 s[22:23], 0
    s_mov_b64 s[24:25], 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_ashr_i32 s1, s0, 31
    v_cmp_lt_i32_e32 vcc, s0, v0
    COUNT vcc, s20
    v_cmp_ge_u32_e64 s[12:13], s0, v0
    COUNT s[12:13], s21
    v_cmp_gt_i64_e32 vcc, s[0:1], v[2:3]
    COUNT vcc, s22
    v_cmp_le_u64_e64 s[14:15], s[0:1], v[2:3]
    COUNT s[14:15], s23
    v_cmp_gt_i16_e32 vcc, s0, v6
    COUNT vcc, s24
    v_cmp_ne_u16_e64 s[16:17], s0, v6
    COUNT s[16:17], s25
    NEXT loop
    s_mov_b64 s[64:65], s[20:21]
    s_mov_b64 s[66:67], s[22:23]
    s_mov_b64 s[68:69], s[24:25]
    FINISH
