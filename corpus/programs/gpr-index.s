; GPR index mode: a table of eight VGPRs v8..v15 read through M0, as the first source, the second, and both.
; in:  v0 = key, v8..v15 = ascending bounds
; out: s32..s39 = lanes above bound k, s40..s46 = lanes with bound k < bound k+1, s48, s49 = M0 and MODE while on, s50 = MODE after
; generations: gcn1.2 gcn1.4
    s_mov_b32 s0, 0
first:
    s_set_gpr_idx_on s0, 1              ; SRC0
    s_nop 0
    v_cmp_lt_u32_e32 vcc, v8, v0
    s_set_gpr_idx_off
    s_bcnt1_i32_b64 s1, vcc
    s_mov_b32 m0, s0
    s_movreld_b32 s32, s1
    s_addk_i32 s0, 1
    s_cmpk_lt_u32 s0, 8
    s_cbranch_scc1 first
    s_mov_b32 s0, 0
both:
    s_set_gpr_idx_on s0, 3              ; SRC0 and SRC1
    v_cmp_lt_u32_e64 s[4:5], v8, v9
    s_set_gpr_idx_off
    s_bcnt1_i32_b64 s1, s[4:5]
    s_and_b32 m0, m0, 0xff
    s_movreld_b32 s40, s1
    s_addk_i32 s0, 1
    s_cmpk_lt_u32 s0, 7
    s_cbranch_scc1 both
    ; change index and mode while it is on; scalar sources are not indexed
    s_set_gpr_idx_on s0, 0
    s_set_gpr_idx_mode 2                ; SRC1
    s_movk_i32 s2, 0x105
    s_set_gpr_idx_idx s2                ; only the low eight bits
    v_cmp_gt_u32_e32 vcc, s2, v8        ; v13
    s_mov_b32 s48, m0
    s_getreg_b32 s49, hwreg(HW_REG_MODE)
    s_set_gpr_idx_off
    s_getreg_b32 s50, hwreg(HW_REG_MODE)
    s_endpgm
