; The sieve of Eratosthenes for numbers below 512, as bits of sixteen registers.
; in:  s100 = how many sieves
; out: s65 = sum of primes, s66 = the bits of the last 32 numbers
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s1, 0                     ; sum of primes
    s_mov_b32 s8, 512
loop:
    s_mov_b64 s[16:17], 0
    s_mov_b64 s[18:19], 0
    s_mov_b64 s[20:21], 0
    s_mov_b64 s[22:23], 0
    s_mov_b64 s[24:25], 0
    s_mov_b64 s[26:27], 0
    s_mov_b64 s[28:29], 0
    s_mov_b64 s[30:31], 0
    s_mov_b32 s2, 2
number:
    s_lshr_b32 m0, s2, 5
    s_movrels_b32 s4, s16
    s_bitcmp1_b32 s4, s2
    s_cbranch_scc1 composite
    s_add_u32 s1, s1, s2
    s_mul_i32 s3, s2, s2
    s_cmp_ge_u32 s3, s8
    s_cbranch_scc1 composite
strike:
    s_lshr_b32 m0, s3, 5
    s_movrels_b32 s4, s16
    s_bitset1_b32 s4, s3
    s_movreld_b32 s16, s4
    s_add_u32 s3, s3, s2
    s_cmp_lt_u32 s3, s8
    s_cbranch_scc1 strike
composite:
    s_add_u32 s2, s2, 1
    s_cmp_lt_u32 s2, s8
    s_cbranch_scc1 number
    NEXT loop
    s_mov_b32 s65, s1
    s_mov_b32 s66, s31
    FINISH
