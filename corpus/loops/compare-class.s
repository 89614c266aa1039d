; V_CMP_CLASS of all three widths with a random class mask.
; in:  s100 = iterations, v1 = 32-bit, v[4:5] = 64-bit, v6 = 16-bit lane values
; out: s64..s66 = lanes counted for f32, f64, f16
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 7
    s_mov_b64 s[20:21], 0
    s_mov_b32 s22, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_bfe_u32 s4, s0, 14 | 10 << 16
    v_cmp_class_f32_e64 vcc, v1, s4
    s_bcnt1_i32_b64 s5, vcc
    s_add_u32 s20, s20, s5
    v_cmp_class_f64_e64 s[12:13], v[4:5], s4
    s_bcnt1_i32_b64 s5, s[12:13]
    s_add_u32 s21, s21, s5
    v_cmp_class_f16_e64 s[14:15], v6, s4
    s_bcnt1_i32_b64 s5, s[14:15]
    s_add_u32 s22, s22, s5
    NEXT loop
    s_mov_b64 s[64:65], s[20:21]
    s_mov_b32 s66, s22
    FINISH
