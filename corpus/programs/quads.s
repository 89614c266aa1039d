; Whole-quad mode and quad masks in both widths; the 64-bit result against two 32-bit halves.
; in:  s[0:1] = lane mask
; out: s[2:3] = s_wqm_b64, s[4:5] = s_quadmask_b64, s6, s7 = s_wqm_b32 of the halves,
;      s8 = both s_quadmask_b32 joined, s9 = quads of four lanes touched, summed over 64 rotations of the mask
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_wqm_b64 s[2:3], s[0:1]
    s_quadmask_b64 s[4:5], s[0:1]
    s_wqm_b32 s6, s0
    s_wqm_b32 s7, s1
    s_quadmask_b32 s8, s1
    s_lshl_b32 s8, s8, 8
    s_quadmask_b32 s10, s0
    s_or_b32 s8, s8, s10
    s_mov_b32 s9, 0
    s_mov_b64 s[12:13], s[0:1]
    s_movk_i32 s11, 63
rotate:
    s_quadmask_b64 s[14:15], s[12:13]
    s_bcnt1_i32_b64 s16, s[14:15]
    s_add_u32 s9, s9, s16
    s_lshr_b64 s[14:15], s[12:13], 63
    s_lshl_b64 s[12:13], s[12:13], 1
    s_or_b64 s[12:13], s[12:13], s[14:15]
    s_sub_u32 s11, s11, 1
    s_cbranch_scc0 rotate
    s_endpgm
