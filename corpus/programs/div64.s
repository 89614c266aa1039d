; Unsigned 64-bit division with remainder by restoring shift and subtract.
; in:  s[0:1] = dividend, s[2:3] = divisor (not 0, below 2^63)
; out: s[4:5] = quotient, s[6:7] = remainder
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[4:5], s[0:1]            ; dividend moves out at the top, quotient in at the bottom
    s_mov_b64 s[6:7], 0
    s_movk_i32 s8, 64
step:
    s_add_u32 s4, s4, s4
    s_addc_u32 s5, s5, s5
    s_addc_u32 s6, s6, s6
    s_addc_u32 s7, s7, s7
    s_sub_u32 s10, s6, s2
    s_subb_u32 s11, s7, s3              ; SCC = borrow: does not fit
    s_cbranch_scc1 next
    s_mov_b64 s[6:7], s[10:11]
    s_or_b32 s4, s4, 1
next:
    s_addk_i32 s8, -1
    s_cmp_lg_i32 s8, 0
    s_cbranch_scc1 step
    s_endpgm
