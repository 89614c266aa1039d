; Carry chains on eight registers: two 256-bit additions an iteration.
; in:  s100 = iterations
; out: s[64:71], s[72:79] = the two numbers
; generations: gcn1.4
.include "loop.inc"
.set I, 0
.rept 16
    s_mov_b32 s[I], I+1
    .set I, I+1
.endr
loop:
    s_add_u32 s0, s0, s8
.set I, 1
.rept 7
    s_addc_u32 s[I], s[I], s[8+I]
    .set I, I+1
.endr
    s_add_u32 s8, s8, s0
.set I, 1
.rept 7
    s_addc_u32 s[8+I], s[8+I], s[I]
    .set I, I+1
.endr
    NEXT loop
.set I, 0
.rept 8
    s_mov_b64 s[64+I:65+I], s[I:I+1]
    .set I, I+2
.endr
    FINISH
