; A lagged Fibonacci generator in a ring of sixteen registers, indexed with s_movrels / s_movreld.
; in:  s100 = iterations
; out: s64 = index, s65 = fold, s[66:81] = the ring
; generations: gcn1.4
.include "loop.inc"
.set I, 0
.rept 16
    s_mov_b32 s[16+I], 0x01234567*(2*I+1)
    .set I, I+1
.endr
    s_mov_b32 s0, 0
    s_mov_b32 s1, 0
loop:
    s_mov_b32 m0, s0
    s_movrels_b32 s2, s16
    s_add_u32 s3, s0, 9
    s_and_b32 m0, s3, 15
    s_movrels_b32 s3, s16
    s_add_u32 s2, s2, s3
    s_mov_b32 m0, s0
    s_movreld_b32 s16, s2
    s_xor_b32 s1, s1, s2
    s_add_u32 s0, s0, 1
    s_and_b32 s0, s0, 15
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
.set I, 0
.rept 8
    s_mov_b64 s[66+I:67+I], s[16+I:17+I]
    .set I, I+2
.endr
    FINISH
