; Bit fields, counts, searches and reversals of a random sequence.
; in:  s100 = iterations
; out: s64 = generator, s65 = sum of counts, s66 = fold of fields
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 12345
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
    s_mov_b32 s11, 7 | 13 << 16
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_bcnt1_i32_b32 s3, s0
    s_add_u32 s1, s1, s3
    s_bfe_u32 s4, s0, s11
    s_xor_b32 s2, s2, s4
    s_brev_b32 s5, s0
    s_ff1_i32_b32 s6, s5
    s_add_u32 s1, s1, s6
    s_ff0_i32_b32 s7, s0
    s_add_u32 s1, s1, s7
    s_flbit_i32 s7, s0
    s_bfm_b32 s12, s3, s7
    s_add_u32 s2, s2, s12
    s_bitset0_b32 s5, s3
    s_xor_b32 s2, s2, s5
    s_sext_i32_i8 s13, s2
    s_sub_u32 s1, s1, s13
    s_quadmask_b32 s13, s0
    s_xor_b32 s2, s2, s13
    NEXT loop
    s_mov_b32 s64, s0
    s_mov_b32 s65, s1
    s_mov_b32 s66, s2
    FINISH
