; VSKIP: vector compares are passed over while it is set (they still count as executed).
; in:  v0 = lane values
; out: s[10:11] = mask of the compare that ran, s[12:13] = untouched by the skipped one, s14, s15 = MODE bit 28 on and off,
;      s16 = lanes counted in a loop that skips every other compare
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    v_cmp_gt_u32_e64 s[10:11], 50, v0
    s_mov_b64 s[12:13], -1
    s_movk_i32 s0, 0x10
    s_setvskip s0, 4
    v_cmp_gt_u32_e64 s[12:13], 50, v0
    v_cmpx_gt_u32_e32 vcc, 50, v0
    s_getreg_b32 s14, hwreg(HW_REG_MODE, 28, 1)
    s_setvskip s0, 3
    s_getreg_b32 s15, hwreg(HW_REG_MODE, 28, 1)
    s_mov_b32 s16, 0
    s_mov_b32 s1, 0
turn:
    s_mov_b64 vcc, 0
    s_setvskip s1, 0                    ; odd turns skip
    v_cmp_lt_u32_e32 vcc, s1, v0
    s_setvskip 0, 0
    s_bcnt1_i32_b64 s2, vcc
    s_add_u32 s16, s16, s2
    s_addk_i32 s1, 1
    s_cmpk_lt_u32 s1, 20
    s_cbranch_scc1 turn
    s_endpgm
