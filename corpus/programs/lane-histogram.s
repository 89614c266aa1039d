; Histogram of 32-bit floats over 16 bins of width 1 from -8 to 8; compares into SGPR pairs, s_and, s_bcnt1.
; in:  v0 = floats
; out: s32..s47 = lanes per bin, s48 = lanes outside (NaN too), s[50:51] = NaN lanes
; generations: gcn1.0 gcn1.2 gcn1.4
    s_mov_b32 s48, 64
    s_mov_b32 m0, 0
bin:
    s_sub_u32 s11, m0, 8                ; integer lower bound
    s_getpc_b64 s[20:21]
pc:
    s_add_u32 s20, s20, to_float-pc
    s_addc_u32 s21, s21, 0
    s_swappc_b64 s[30:31], s[20:21]
    s_mov_b32 s13, s12
    s_addk_i32 s11, 1
    s_swappc_b64 s[30:31], s[20:21]
    v_cmp_le_f32_e64 s[14:15], s13, v0
    v_cmp_gt_f32_e64 s[16:17], s12, v0
    s_and_b64 s[14:15], s[14:15], s[16:17]
    s_bcnt1_i32_b64 s18, s[14:15]
    s_movreld_b32 s32, s18
    s_sub_u32 s48, s48, s18
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 16
    s_cbranch_scc1 bin
    v_cmp_u_f32_e64 s[50:51], v0, v0
    s_endpgm

; s12 = binary32 of the integer s11 (|s11| < 2^24)
to_float:
    s_abs_i32 s22, s11
    s_cbranch_scc0 zero
    s_flbit_i32_b32 s23, s22
    s_lshl_b32 s22, s22, s23            ; leading one to bit 31
    s_lshr_b32 s22, s22, 8
    s_and_b32 s22, s22, 0x7fffff
    s_sub_u32 s23, 158, s23             ; 127 + 31 - zeros
    s_lshl_b32 s23, s23, 23
    s_or_b32 s12, s22, s23
    s_and_b32 s22, s11, 0x80000000
    s_or_b32 s12, s12, s22
    s_setpc_b64 s[30:31]
zero:
    s_mov_b32 s12, 0
    s_setpc_b64 s[30:31]
