; Sieve of Eratosthenes over 1024 numbers kept as bits of s32..s63, indexed with s_movrels/s_movreld.
; out: s0 = number of primes below 1024, s1 = largest of them, s32..s63 = bit n set if n is prime
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 m0, 0
fill:
    s_movreld_b32 s32, -1
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 32
    s_cbranch_scc1 fill
    s_bitset0_b32 s32, 0                ; 0 and 1 are not prime
    s_bitset0_b32 s32, 1
    s_movk_i32 s2, 2                    ; p
next_prime:
    s_bitcmp1_b32 s32, s2               ; p < 32, so its bit is in the first register
    s_cbranch_scc0 skip
    s_mul_i32 s3, s2, s2                ; multiple
strike:
    s_cmpk_ge_u32 s3, 1024
    s_cbranch_scc1 skip
    s_lshr_b32 m0, s3, 5
    s_movrels_b32 s4, s32
    s_bitset0_b32 s4, s3
    s_movreld_b32 s32, s4
    s_add_u32 s3, s3, s2
    s_branch strike
skip:
    s_addk_i32 s2, 1
    s_cmpk_lt_u32 s2, 32
    s_cbranch_scc1 next_prime
    ; count, and find the highest set bit
    s_mov_b32 s0, 0
    s_mov_b32 m0, 0
count:
    s_movrels_b32 s4, s32
    s_bcnt1_i32_b32 s5, s4
    s_add_u32 s0, s0, s5
    s_flbit_i32_b32 s6, s4
    s_sub_u32 s6, 31, s6
    s_lshl_b32 s7, m0, 5
    s_add_u32 s6, s6, s7
    s_cmp_lg_u32 s5, 0
    s_cselect_b32 s1, s6, s1
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 32
    s_cbranch_scc1 count
    s_endpgm
