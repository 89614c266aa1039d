; Morton order: interleave two 16-bit coordinates with masks, and take them apart again.
; in:  s0 = seed, s1 = how many pairs
; out: s2 = xor of all codes, s3 = number of good round trips
; generations: gcn1.0 gcn1.2
.macro SPREAD d
    s_lshl_b32 s10, \d, 8
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x00ff00ff
    s_lshl_b32 s10, \d, 4
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x0f0f0f0f
    s_lshl_b32 s10, \d, 2
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x33333333
    s_lshl_b32 s10, \d, 1
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x55555555
.endm
.macro GATHER d
    s_and_b32 \d, \d, 0x55555555
    s_lshr_b32 s10, \d, 1
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x33333333
    s_lshr_b32 s10, \d, 2
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x0f0f0f0f
    s_lshr_b32 s10, \d, 4
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0x00ff00ff
    s_lshr_b32 s10, \d, 8
    s_or_b32 \d, \d, s10
    s_and_b32 \d, \d, 0xffff
.endm
    s_mov_b32 s2, 0
    s_mov_b32 s3, 0
next:
    s_mul_i32 s0, s0, 1664525
    s_add_u32 s0, s0, 1013904223
    s_and_b32 s4, s0, 0xffff
    s_lshr_b32 s5, s0, 16
    SPREAD s4
    SPREAD s5
    s_lshl_b32 s5, s5, 1
    s_or_b32 s6, s4, s5
    s_xor_b32 s2, s2, s6
    s_lshr_b32 s7, s6, 1
    GATHER s6
    GATHER s7
    s_lshl_b32 s7, s7, 16
    s_or_b32 s6, s6, s7
    s_cmp_eq_u32 s6, s0
    s_addc_u32 s3, s3, 0
    s_sub_u32 s1, s1, 1
    s_cmp_lg_u32 s1, 0
    s_cbranch_scc1 next
    s_endpgm
