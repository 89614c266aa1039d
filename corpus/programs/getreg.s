; Reads hardware registers whose values a run defines: MODE, STATUS, TRAPSTS and the constant ones.
; in:  trapsts, vcc, exec
; out: s0 = MODE, s1 = TRAPSTS, s2.. = STATUS bits SCC, EXECZ, VCCZ in four situations, s10.. = HW_ID, GPR_ALLOC, LDS_ALLOC, IB_STS
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_getreg_b32 s0, hwreg(HW_REG_MODE)
    s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS)
    s_cmp_eq_u32 s0, s0
    s_getreg_b32 s2, hwreg(HW_REG_STATUS, 0, 11)
    s_mov_b64 s[30:31], exec
    s_mov_b64 exec, 0
    s_getreg_b32 s3, hwreg(HW_REG_STATUS, 0, 11)
    s_mov_b64 vcc, 1
    s_cmp_lg_u32 s0, s0
    s_getreg_b32 s4, hwreg(HW_REG_STATUS, 0, 11)
    s_mov_b64 exec, s[30:31]
    s_getreg_b32 s5, hwreg(HW_REG_STATUS, 9, 2)
    s_getreg_b32 s10, hwreg(HW_REG_HW_ID)
    s_getreg_b32 s11, hwreg(HW_REG_GPR_ALLOC)
    s_getreg_b32 s12, hwreg(HW_REG_LDS_ALLOC)
    s_getreg_b32 s13, hwreg(HW_REG_IB_STS)
    ; writes to STATUS are ignored
    s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 0, 1), 1
    s_getreg_b32 s14, hwreg(HW_REG_STATUS, 0, 1)
    s_endpgm
