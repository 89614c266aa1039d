; Compound growth in 32.32 signed fixed point: products of four partial products with s_mul_hi_u32 / s_mul_hi_i32.
; in:  s[0:1] = factor (32.32, signed), s[2:3] = start (32.32, signed), s4 = steps
; out: s[2:3] = start * factor^steps, each product rounded towards minus infinity
; generations: gcn1.4
step:
    ; (ah:al) * (bh:bl), the middle 64 bits of 128; ah, bh signed
    s_mul_hi_u32 s10, s2, s0            ; al*bl high: the lowest word that counts
    s_mul_i32 s11, s3, s0               ; ah*bl, signed by unsigned
    s_mul_hi_u32 s12, s3, s0
    s_ashr_i32 s13, s3, 31
    s_and_b32 s13, s13, s0
    s_sub_u32 s12, s12, s13
    s_mul_i32 s14, s2, s1               ; al*bh
    s_mul_hi_u32 s15, s2, s1
    s_ashr_i32 s16, s1, 31
    s_and_b32 s16, s16, s2
    s_sub_u32 s15, s15, s16
    s_mul_i32 s17, s3, s1               ; ah*bh low
    s_mul_hi_i32 s18, s3, s1            ; its high part must be the sign for the result to fit
    s_add_u32 s2, s10, s11
    s_addc_u32 s3, s17, s12
    s_add_u32 s2, s2, s14
    s_addc_u32 s3, s3, s15
    s_addk_i32 s4, -1
    s_cmpk_lg_i32 s4, 0
    s_cbranch_scc1 step
    s_endpgm
