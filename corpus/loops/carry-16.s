; Carry and borrow chains on sixteen registers: a 512-bit addition and a 512-bit subtraction an iteration.
; in:  s100 = iterations
; out: s[64:79] = a, s[80:95] = c
; generations: gcn1.4
.include "loop.inc"
.set I, 0
.rept 16
    s_mov_b32 s[I], I+1
    s_mov_b32 s[16+I], 3*I+5
    s_mov_b32 s[32+I], 0
    .set I, I+1
.endr
loop:
    s_add_u32 s0, s0, s16
.set I, 1
.rept 15
    s_addc_u32 s[I], s[I], s[16+I]
    .set I, I+1
.endr
    s_sub_u32 s32, s32, s0
.set I, 1
.rept 15
    s_subb_u32 s[32+I], s[32+I], s[I]
    .set I, I+1
.endr
    s_xor_b32 s16, s16, s15
    NEXT loop
.set I, 0
.rept 8
    s_mov_b64 s[64+I:65+I], s[I:I+1]
    s_mov_b64 s[80+I:81+I], s[32+I:33+I]
    .set I, I+2
.endr
    FINISH
