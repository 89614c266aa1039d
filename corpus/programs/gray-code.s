; Gray code: neighbours differ in one bit, and decoding gives the number back.
; in:  s0 = how many numbers
; out: s1 = single-bit steps, s2 = good round trips, s3 = xor of all codes, s4 = sum of changed bit positions
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[2:3], 0
    s_mov_b32 s1, 0
    s_mov_b32 s4, 0
    s_mov_b32 s5, 0                     ; n
    s_mov_b32 s6, 0                     ; code of n - 1
next:
    s_addk_i32 s5, 1
    s_lshr_b32 s7, s5, 1
    s_xor_b32 s7, s7, s5
    s_xor_b32 s3, s3, s7
    s_xor_b32 s8, s7, s6
    s_bcnt1_i32_b32 s9, s8
    s_cmp_eq_u32 s9, 1
    s_addc_u32 s1, s1, 0
    s_ff1_i32_b32 s9, s8
    s_add_u32 s4, s4, s9
    s_mov_b32 s6, s7
    ; decode: prefix xor by doubling shifts
    s_lshr_b32 s8, s7, 16
    s_xor_b32 s7, s7, s8
    s_lshr_b32 s8, s7, 8
    s_xor_b32 s7, s7, s8
    s_lshr_b32 s8, s7, 4
    s_xor_b32 s7, s7, s8
    s_lshr_b32 s8, s7, 2
    s_xor_b32 s7, s7, s8
    s_lshr_b32 s8, s7, 1
    s_xor_b32 s7, s7, s8
    s_cmp_eq_u32 s7, s5
    s_addc_u32 s2, s2, 0
    s_cmp_lt_u32 s5, s0
    s_cbranch_scc1 next
    s_endpgm
