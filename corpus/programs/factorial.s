; Factorials in 160 bits: multiply by a 32-bit number with s_mul_hi_u32 and a carry chain.
; in:  s0 = n (at most 40)
; out: s[4:8] = n!
; generations: gcn1.4
    s_movk_i32 s4, 1
    s_mov_b32 s5, 0
    s_mov_b64 s[6:7], 0
    s_mov_b32 s8, 0
    s_movk_i32 s1, 1
next:
    s_mul_hi_u32 s10, s4, s1
    s_mul_hi_u32 s11, s5, s1
    s_mul_hi_u32 s12, s6, s1
    s_mul_hi_u32 s13, s7, s1
    s_mul_i32 s4, s4, s1
    s_mul_i32 s5, s5, s1
    s_mul_i32 s6, s6, s1
    s_mul_i32 s7, s7, s1
    s_mul_i32 s8, s8, s1
    s_add_u32 s5, s5, s10
    s_addc_u32 s6, s6, s11
    s_addc_u32 s7, s7, s12
    s_addc_u32 s8, s8, s13
    s_add_u32 s1, s1, 1
    s_cmp_le_u32 s1, s0
    s_cbranch_scc1 next
    s_endpgm
