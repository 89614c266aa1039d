; Nothing but what the sidecar sets: SCC, VCC, EXEC, M0, MODE and the PC at the start, folded into registers.
; in:  scc = 1, vcc, exec, m0, mode; pc = 8
; out: s0 = SCC, s[2:3] = VCC, s[4:5] = EXEC, s6 = M0, s7 = MODE, s8 = 0 (the instruction at 0 is not run)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_movk_i32 s8, 1
    s_nop 0
    s_cselect_b32 s0, 1, 0
    s_mov_b64 s[2:3], vcc
    s_mov_b64 s[4:5], exec
    s_mov_b32 s6, m0
    s_getreg_b32 s7, hwreg(HW_REG_MODE)
    s_endpgm
