; Float compares of all widths: 32 bits with denormals kept and flushed, 64 bits, 16 bits.
; in:  s100 = iterations, v1 = 32-bit, v[4:5] = 64-bit, v6 = 16-bit lane values
; out: s64..s68 = lanes counted for f32 (kept), f32 (flushed), f64, f16, f32 unordered-or-less
; generations: gcn1.4
.include "loop.inc"
.macro COUNT mask, d
    s_bcnt1_i32_b64 s5, \mask
    s_add_u32 \d, \d, s5
.endm
    s_mov_b32 s0, 7
    s_mov_b64 s[20:21], 0
    s_mov_b64 s[22:23], 0
    s_mov_b32 s24, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_xor_b32 s1, s0, 0x5a5a5a5a
    v_cmp_lt_f32_e32 vcc, s0, v1
    COUNT vcc, s20
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
    v_cmp_eq_f32_e64 s[12:13], |v1|, 0
    COUNT s[12:13], s21
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
    v_cmp_gt_f64_e32 vcc, s[0:1], v[4:5]
    COUNT vcc, s22
    v_cmp_le_f16_e64 s[14:15], s0, v6
    COUNT s[14:15], s23
    v_cmp_nge_f32_e32 vcc, s1, v1
    COUNT vcc, s24
    NEXT loop
    s_mov_b64 s[64:65], s[20:21]
    s_mov_b64 s[66:67], s[22:23]
    s_mov_b32 s68, s24
    FINISH
