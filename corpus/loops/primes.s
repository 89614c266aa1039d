; Odd numbers without a divisor among 3, 5, 11 and 13; the loop divides by multiplying with reciprocals.
; in:  s100 = iterations
; out: s64 = how many, s65 = the last one, s66 = the next number
; generations: gcn1.4
.include "loop.inc"
.macro DIVIDE reciprocal, shift, by
    s_mul_hi_u32 s4, s0, \reciprocal
    s_lshr_b32 s4, s4, \shift
    s_mul_i32 s4, s4, \by
    s_cmp_eq_u32 s4, s0
    s_cbranch_scc1 composite
.endm
    s_mov_b32 s0, 3
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s8, 0xaaaaaaab
    s_mov_b32 s9, 0xcccccccd
    s_mov_b32 s10, 0xba2e8ba3
    s_mov_b32 s11, 0x4ec4ec4f
loop:
    DIVIDE s8, 1, 3
    DIVIDE s9, 2, 5
    DIVIDE s10, 3, 11
    DIVIDE s11, 2, 13
    s_add_u32 s1, s1, 1
    s_mov_b32 s2, s0
composite:
    s_add_u32 s0, s0, 2
    NEXT loop
    s_mov_b32 s64, s1
    s_mov_b32 s65, s2
    s_mov_b32 s66, s0
    FINISH
