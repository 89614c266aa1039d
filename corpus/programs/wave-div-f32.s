; Division of binary32 as LLVM expands it, with denormals kept in the steps between, and in operands and results by
; MODE.
; in:  v0 = numerators, v1 = denominators
; out: v2 = quotients, v3 = the reverse quotients
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro DIVIDE q, n, d
    v_div_scale_f32 v20, s[2:3], \d, \d, \n
    v_div_scale_f32 v21, vcc, \n, \d, \n
    v_rcp_f32 v22, v20
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
    v_fma_f32 v23, -v20, v22, 1.0
    v_fma_f32 v22, v23, v22, v22
    v_mul_f32 v23, v21, v22
    v_fma_f32 v24, -v20, v23, v21
    v_fma_f32 v23, v24, v22, v23
    v_fma_f32 v24, -v20, v23, v21
    s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s0
    v_div_fmas_f32 v22, v24, v22, v23
    v_div_fixup_f32 \q, v22, \d, \n
.endm
    s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 2)
    DIVIDE v2, v0, v1
    DIVIDE v3, v1, v0
    CLEAR 20, 5
    s_mov_b64 vcc, 0
    s_mov_b64 s[2:3], 0
    s_endpgm
