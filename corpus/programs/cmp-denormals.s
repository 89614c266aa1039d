; Denormal inputs under the four FP_DENORM settings of MODE for 32-bit and for 64-bit (and 16-bit) floats.
; in:  v0 = 32-bit floats, v[2:3] = 64-bit floats
; out: s32..s35 = lanes of v0 equal to 0 under setting 0, 1, 2, 3; s36..s39 = the same of v[2:3];
;      s40, s41 = lanes of class "denormal" in v0 with flushing and without (V_CMP_CLASS never flushes); s42 = MODE at the end
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_getreg_b32 s10, hwreg(HW_REG_MODE)
    s_mov_b32 m0, 0
setting:
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), m0
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0
    v_cmp_eq_f32_e32 vcc, 0, v0
    s_bcnt1_i32_b64 s0, vcc
    s_movreld_b32 s32, s0
    s_setreg_b32 hwreg(HW_REG_MODE, 6, 2), m0
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
    v_cmp_eq_f64_e32 vcc, 0, v[2:3]
    s_bcnt1_i32_b64 s0, vcc
    s_movreld_b32 s36, s0
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 4
    s_cbranch_scc1 setting
    s_movk_i32 s1, 1 << 4 | 1 << 7
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0
    v_cmp_class_f32_e64 s[4:5], v0, s1
    s_bcnt1_i32_b64 s40, s[4:5]
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15
    v_cmp_class_f32_e64 s[4:5], v0, s1
    s_bcnt1_i32_b64 s41, s[4:5]
    s_setreg_b32 hwreg(HW_REG_MODE), s10
    s_getreg_b32 s42, hwreg(HW_REG_MODE, 0, 32)
    s_endpgm
