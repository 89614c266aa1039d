; 128 x 128 -> 256 bit product by schoolbook columns with s_mul_i32 and s_mul_hi_u32.
; in:  s[0:3], s[4:7] = factors
; out: s[8:15] = product
; generations: gcn1.4
.set I, 0
.rept 8
    s_mov_b32 s[8+I], 0
    .set I, I+1
.endr
; add s[20:21] at column \c and let the carry run to the top
.macro ACCUMULATE c
    s_add_u32 s[8+\c], s[8+\c], s20
    s_addc_u32 s[9+\c], s[9+\c], s21
    .set K, \c+2
    .rept 6-\c
        s_addc_u32 s[8+K], s[8+K], 0
        .set K, K+1
    .endr
.endm
.set I, 0
.rept 4
    .set J, 0
    .rept 4
        s_mul_hi_u32 s21, s[I], s[4+J]
        s_mul_i32 s20, s[I], s[4+J]
        ACCUMULATE I+J
        .set J, J+1
    .endr
    .set I, I+1
.endr
    s_endpgm
