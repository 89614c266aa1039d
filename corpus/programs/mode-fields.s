; Fields of MODE and TRAPSTS written and read back through s_setreg_b32, s_setreg_imm32_b32, s_getreg_b32.
; in:  mode, trapsts
; out: s10..s14 = rounding, denormals, clamp, IEEE, exceptions as written; s15 = MODE then; s16 = TRAPSTS after a field
;      is filled; s17 = MODE after a write that reaches over bit 31; s18 = MODE restored; s19 = written fields that read back
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_getreg_b32 s20, hwreg(HW_REG_MODE)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 9
    s_getreg_b32 s10, hwreg(HW_REG_MODE, 0, 4)
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xfffffff6
    s_getreg_b32 s11, hwreg(HW_REG_MODE, 4, 4)
    s_movk_i32 s0, 2                    ; only the low bit is taken
    s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), s0
    s_getreg_b32 s12, hwreg(HW_REG_MODE, 8, 1)
    s_setreg_b32 hwreg(HW_REG_MODE, 9, 1), s0
    s_getreg_b32 s13, hwreg(HW_REG_MODE, 9, 1)
    s_movk_i32 s0, 0x55
    s_setreg_b32 hwreg(HW_REG_MODE, 12, 7), s0
    s_getreg_b32 s14, hwreg(HW_REG_MODE, 12, 7)
    s_getreg_b32 s15, hwreg(HW_REG_MODE)
    s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 2, 4), 0xf
    s_getreg_b32 s16, hwreg(HW_REG_TRAPSTS, 0, 9)
    s_movk_i32 s0, 0x7e0                ; four bits fit, all zero; the rest would lie above bit 31
    s_setreg_b32 hwreg(HW_REG_MODE, 28, 12), s0
    s_getreg_b32 s17, hwreg(HW_REG_MODE, 0, 32)
    s_setreg_b32 hwreg(HW_REG_MODE), s20
    s_getreg_b32 s18, hwreg(HW_REG_MODE)
    ; walk a three-bit field over bits 0..23
    s_mov_b32 s19, 0
.set I, 0
.rept 8
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 3*I, 3), 5
    s_getreg_b32 s1, hwreg(HW_REG_MODE, 3*I, 3)
    s_cmp_eq_u32 s1, 5
    s_addc_u32 s19, s19, 0
    .set I, I+1
.endr
    s_setreg_b32 hwreg(HW_REG_MODE), s20
    s_endpgm
