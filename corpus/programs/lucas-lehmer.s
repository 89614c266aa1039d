; Lucas-Lehmer test of the Mersenne numbers 2^p - 1 for odd primes p up to 31.
; in:  s0 = bit p set for each exponent p to test
; out: s1 = bit p set where 2^p - 1 is prime
; generations: gcn1.4
; needs s_mul_hi_u32
    s_mov_b32 s1, 0
each:
    s_ff1_i32_b32 s2, s0                ; p
    s_bitset0_b32 s0, s2
    s_bfm_b32 s3, s2, 0                 ; M = 2^p - 1
    s_movk_i32 s4, 4                    ; s
    s_sub_u32 s5, s2, 2                 ; rounds
round:
    s_mul_hi_u32 s7, s4, s4
    s_mul_i32 s6, s4, s4
    ; s^2 mod M: add the two p-bit digits
    s_lshr_b64 s[8:9], s[6:7], s2
    s_and_b32 s6, s6, s3
    s_add_u32 s6, s6, s8
    s_sub_u32 s7, s6, s3
    s_cmp_ge_u32 s6, s3
    s_cselect_b32 s6, s7, s6
    ; minus 2 mod M
    s_add_u32 s8, s6, s3
    s_sub_u32 s9, s8, 2
    s_sub_u32 s8, s6, 2
    s_cmp_ge_u32 s6, 2
    s_cselect_b32 s4, s8, s9
    s_sub_u32 s5, s5, 1
    s_cmp_lg_u32 s5, 0
    s_cbranch_scc1 round
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc0 not_prime
    s_bitset1_b32 s1, s2
not_prime:
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 each
    s_endpgm
