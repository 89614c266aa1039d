; Division by constants through the high half of a product: by 10 and by 7, checked against multiplying back.
; in:  s0 = seed, s1 = numbers to divide
; out: s2 = good divisions by 10, s3 = good signed divisions by 7, s4 = xor of the quotients
; generations: gcn1.4
    s_mov_b64 s[2:3], 0
    s_mov_b32 s4, 0
    s_mov_b32 s10, 0xcccccccd
    s_mov_b32 s11, 0x92492493
next:
    s_mul_i32 s0, s0, 1664525
    s_add_u32 s0, s0, 1013904223
    s_mul_hi_u32 s12, s0, s10
    s_lshr_b32 s12, s12, 3
    s_xor_b32 s4, s4, s12
    s_mul_i32 s13, s12, 10
    s_sub_u32 s13, s0, s13
    s_cmp_lt_u32 s13, 10
    s_addc_u32 s2, s2, 0
    s_mul_hi_i32 s12, s0, s11
    s_add_i32 s12, s12, s0
    s_ashr_i32 s12, s12, 2
    s_lshr_b32 s13, s0, 31
    s_add_u32 s12, s12, s13             ; round towards zero
    s_xor_b32 s4, s4, s12
    s_mul_i32 s13, s12, 7
    s_sub_i32 s13, s0, s13
    s_abs_i32 s13, s13
    s_cmpk_lt_i32 s13, 7
    s_addc_u32 s3, s3, 0
    s_addk_i32 s1, -1
    s_cmpk_lg_i32 s1, 0
    s_cbranch_scc1 next
    s_endpgm
