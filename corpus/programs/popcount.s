; Bits of a row of pseudo-random numbers counted in five ways, which must agree.
; in:  s0 = seed, s1 = how many numbers
; out: s2 = by s_bcnt1_i32_b32, s3 = by 32 - s_bcnt0, s4 = by clearing the lowest bit (Kernighan),
;      s5 = in parallel within the word, s6 = by s_ff1 and s_bitset0, s7 = s_bcnt1_i32_b64 of number:~number
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[4:5], 0
    s_mov_b64 s[6:7], 0
next:
    s_mul_i32 s0, s0, 1664525
    s_add_u32 s0, s0, 1013904223
    s_bcnt1_i32_b32 s10, s0
    s_add_u32 s2, s2, s10
    s_bcnt0_i32_b32 s10, s0
    s_sub_u32 s10, 32, s10
    s_add_u32 s3, s3, s10
    s_mov_b32 s11, s0
kernighan:
    s_cmp_eq_u32 s11, 0
    s_cbranch_scc1 kernighan_done
    s_sub_u32 s12, s11, 1
    s_and_b32 s11, s11, s12
    s_addk_i32 s4, 1
    s_branch kernighan
kernighan_done:
    s_lshr_b32 s11, s0, 1
    s_and_b32 s11, s11, 0x55555555
    s_sub_u32 s11, s0, s11
    s_lshr_b32 s12, s11, 2
    s_and_b32 s12, s12, 0x33333333
    s_and_b32 s11, s11, 0x33333333
    s_add_u32 s11, s11, s12
    s_lshr_b32 s12, s11, 4
    s_add_u32 s11, s11, s12
    s_and_b32 s11, s11, 0x0f0f0f0f
    s_mul_i32 s11, s11, 0x01010101
    s_lshr_b32 s11, s11, 24
    s_add_u32 s5, s5, s11
    s_mov_b32 s11, s0
lowest:
    s_ff1_i32_b32 s12, s11              ; -1 when nothing is left
    s_cmpk_lt_i32 s12, 0
    s_cbranch_scc1 lowest_done
    s_bitset0_b32 s11, s12
    s_addk_i32 s6, 1
    s_branch lowest
lowest_done:
    s_mov_b32 s12, s0
    s_not_b32 s13, s0
    s_bcnt1_i32_b64 s11, s[12:13]       ; always 32
    s_add_u32 s7, s7, s11
    s_sub_u32 s1, s1, 1
    s_cmp_lg_u32 s1, 0
    s_cbranch_scc1 next
    s_endpgm
