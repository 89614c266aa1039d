; Carry chains on two registers: Fibonacci numbers by addition and subtraction, summed in three registers.
; in:  s100 = iterations
; out: s[64:65], s[66:67] = neighbours mod 2^64, s[68:70] = 96-bit sum
; generations: gcn1.4
.include "loop.inc"
    s_mov_b64 s[0:1], 1
    s_mov_b64 s[2:3], 1
    s_mov_b64 s[4:5], 0
    s_mov_b32 s6, 0
loop:
    s_add_u32 s0, s0, s2
    s_addc_u32 s1, s1, s3
    s_sub_u32 s2, s0, s2
    s_subb_u32 s3, s1, s3
    s_add_u32 s4, s4, s2
    s_addc_u32 s5, s5, s3
    s_addc_u32 s6, s6, 0
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b64 s[66:67], s[2:3]
    s_mov_b64 s[68:69], s[4:5]
    s_mov_b32 s70, s6
    FINISH
