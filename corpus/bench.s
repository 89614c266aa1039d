; The benchmark program: thirteen different scalar and compare algorithms one after the other,
; about 10^9 executed instructions in all. Results in s64 and above; everything else is cleared at the end.
; in:  v0 = lane values (see build_long.py), v1 = floats, v[2:3] = signed 64-bit integers
; out: s64..s97, see the sections
; generations: gcn1.4
;
; The loop counts below are divided by SCALE (default 1), so that the program can be validated on a slow model with
; -defsym SCALE=1000. What it must compute, and how many instructions that takes, is corpus/tools/bench_expected.c.
.ifndef SCALE
.set SCALE, 1
.endif
.include "finish.inc"
.set N_HASH, 7000000/SCALE
.set N_CHAIN, 7000000/SCALE
.set N_BITS, 6000000/SCALE
.set N_COLLATZ, 120000/SCALE
.set N_GCD, 600000/SCALE
.set N_INVERSE, 120000/SCALE
.set N_SIEVE, (3000+SCALE-1)/SCALE
.set N_CALLS, 6000000/SCALE
.set N_SHORT, 400000/SCALE
.set N_LANES, 2000000/SCALE
.set N_SELECT, 7000000/SCALE
.set N_DIVIDE, 130000/SCALE
.set N_TYPES, 400000/SCALE

.macro COUNT_DOWN counter, label        ; three instructions
    s_sub_u32 \counter, \counter, 1
    s_cmp_lg_u32 \counter, 0
    s_cbranch_scc1 \label
.endm

; --- xorshift64 folded through a multiplicative mix: s[64:65] = state, s66 = mix
    s_mov_b32 s0, 0x89abcdef
    s_mov_b32 s1, 0x01234567
    s_mov_b32 s6, 0
    s_mov_b32 s9, 0x85ebca6b
    s_mov_b32 s10, N_HASH
hash:
    s_lshl_b64 s[4:5], s[0:1], 13
    s_xor_b64 s[0:1], s[0:1], s[4:5]
    s_lshr_b64 s[4:5], s[0:1], 7
    s_xor_b64 s[0:1], s[0:1], s[4:5]
    s_lshl_b64 s[4:5], s[0:1], 17
    s_xor_b64 s[0:1], s[0:1], s[4:5]
    s_xor_b32 s6, s6, s0
    s_mul_i32 s6, s6, s9
    s_lshr_b32 s7, s6, 13
    s_xor_b32 s6, s6, s7
    s_add_u32 s6, s6, s1
    COUNT_DOWN s10, hash
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s6

; --- 128-bit carry and borrow chains between 64-bit pairs: s[68:71] = c
    s_mov_b64 s[0:1], 1                 ; a
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[4:5], 3                 ; b
    s_mov_b64 s[6:7], 0
    s_mov_b64 s[12:13], 0               ; c
    s_mov_b64 s[14:15], 0
    s_mov_b32 s10, N_CHAIN
chain:
    s_add_u32 s0, s0, s4
    s_addc_u32 s1, s1, s5
    s_addc_u32 s2, s2, s6
    s_addc_u32 s3, s3, s7
    s_lshl_b64 s[8:9], s[0:1], 1
    s_xor_b64 s[4:5], s[4:5], s[8:9]
    s_lshr_b64 s[8:9], s[2:3], 3
    s_xor_b64 s[6:7], s[6:7], s[8:9]
    s_sub_u32 s12, s12, s0
    s_subb_u32 s13, s13, s1
    s_subb_u32 s14, s14, s2
    s_subb_u32 s15, s15, s3
    COUNT_DOWN s10, chain
    s_mov_b64 s[68:69], s[12:13]
    s_mov_b64 s[70:71], s[14:15]

; --- bit fields and counts of a random sequence: s72 = sum of counts, s73 = fold of fields
    s_mov_b32 s0, 12345
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
    s_mov_b32 s11, 9 | 11 << 16
    s_mov_b32 s10, N_BITS
bits:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_bcnt1_i32_b32 s3, s0
    s_add_u32 s1, s1, s3
    s_bfe_i32 s4, s0, s11
    s_xor_b32 s2, s2, s4
    s_brev_b32 s5, s0
    s_ff1_i32_b32 s6, s5
    s_add_u32 s1, s1, s6
    s_flbit_i32_b32 s7, s0
    s_add_u32 s1, s1, s7
    s_bfm_b32 s12, s3, s6
    s_add_u32 s2, s2, s12
    s_andn2_b32 s13, s5, s12
    s_bitset1_b32 s13, s7
    s_xor_b32 s2, s2, s13
    COUNT_DOWN s10, bits
    s_mov_b32 s72, s1
    s_mov_b32 s73, s2

; --- Collatz chains of 1..N: s74 = steps in all, s75 = longest
    s_mov_b32 s0, N_COLLATZ
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
collatz_next:
    s_mov_b32 s3, s0
    s_mov_b32 s4, 0
    s_cmp_eq_u32 s3, 1
    s_cbranch_scc1 collatz_done
collatz_step:
    s_addk_i32 s4, 1
    s_bitcmp1_b32 s3, 0
    s_cbranch_scc1 collatz_odd
    s_lshr_b32 s3, s3, 1
    s_cmp_lg_u32 s3, 1
    s_cbranch_scc1 collatz_step
    s_branch collatz_done
collatz_odd:
    s_mul_i32 s3, s3, 3
    s_addk_i32 s3, 1
    s_branch collatz_step
collatz_done:
    s_add_u32 s1, s1, s4
    s_max_u32 s2, s2, s4
    COUNT_DOWN s0, collatz_next
    s_mov_b32 s74, s1
    s_mov_b32 s75, s2

; --- binary GCDs of a random sequence: s76 = sum of the GCDs, s77 = subtractions
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s10, N_GCD
gcd_next:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_or_b32 s3, s0, 1                  ; odd, so the GCD is odd
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s4, s0, 3
    s_bitset1_b32 s4, 20                ; not zero
gcd_even:
    s_ff1_i32_b32 s5, s4
    s_lshr_b32 s4, s4, s5
    s_cmp_ge_u32 s4, s3
    s_cbranch_scc1 gcd_ordered
    s_mov_b32 s5, s3
    s_mov_b32 s3, s4
    s_mov_b32 s4, s5
gcd_ordered:
    s_addk_i32 s2, 1
    s_sub_u32 s4, s4, s3
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 gcd_even
    s_add_u32 s1, s1, s3
    COUNT_DOWN s10, gcd_next
    s_mov_b32 s76, s1
    s_mov_b32 s77, s2

; --- modular inverses by b^(p-2) mod p = 2^31 - 1, nested loops: s78 = xor of the inverses, s79 = good ones
.macro MODMUL d, a, b                   ; eight instructions
    s_mul_hi_u32 s13, \a, \b
    s_mul_i32 s12, \a, \b
    s_lshr_b64 s[14:15], s[12:13], 31
    s_and_b32 s12, s12, s7
    s_add_u32 s12, s12, s14
    s_sub_u32 s13, s12, s7
    s_cmp_ge_u32 s12, s7
    s_cselect_b32 \d, s13, s12
.endm
    s_brev_b32 s7, -2                   ; p
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s10, N_INVERSE
inverse_next:
    s_add_u32 s3, s10, 1                ; b
    s_mov_b32 s4, s3                    ; power
    s_movk_i32 s5, 1                    ; result
    s_sub_u32 s6, s7, 2                 ; exponent
inverse_bit:
    s_bitcmp1_b32 s6, 0
    s_cbranch_scc0 inverse_square
    MODMUL s5, s5, s4
inverse_square:
    MODMUL s4, s4, s4
    s_lshr_b32 s6, s6, 1
    s_cbranch_scc1 inverse_bit
    s_xor_b32 s1, s1, s5
    MODMUL s5, s5, s3
    s_cmp_eq_u32 s5, 1
    s_addc_u32 s2, s2, 0
    COUNT_DOWN s10, inverse_next
    s_mov_b32 s78, s1
    s_mov_b32 s79, s2

; --- sieve over 1024 bits in s16..s47 with s_movrels / s_movreld, repeated: s80 = primes, summed over the repetitions
    s_mov_b32 s0, 0
    s_mov_b32 s10, N_SIEVE
sieve_again:
    s_mov_b32 m0, 0
sieve_fill:
    s_movreld_b64 s[16:17], -1
    s_add_u32 m0, m0, 2
    s_cmp_lt_u32 m0, 32
    s_cbranch_scc1 sieve_fill
    s_and_b32 s16, s16, -4
    s_movk_i32 s2, 2
sieve_prime:
    s_bitcmp1_b32 s16, s2
    s_cbranch_scc0 sieve_skip
    s_mul_i32 s3, s2, s2
sieve_strike:
    s_cmpk_ge_u32 s3, 1024
    s_cbranch_scc1 sieve_skip
    s_lshr_b32 m0, s3, 5
    s_movrels_b32 s4, s16
    s_bitset0_b32 s4, s3
    s_movreld_b32 s16, s4
    s_add_u32 s3, s3, s2
    s_branch sieve_strike
sieve_skip:
    s_addk_i32 s2, 1
    s_cmpk_lt_u32 s2, 32
    s_cbranch_scc1 sieve_prime
    s_mov_b32 m0, 0
sieve_count:
    s_movrels_b64 s[4:5], s[16:17]
    s_bcnt1_i32_b64 s5, s[4:5]
    s_add_u32 s0, s0, s5
    s_add_u32 m0, m0, 2
    s_cmp_lt_u32 m0, 32
    s_cbranch_scc1 sieve_count
    COUNT_DOWN s10, sieve_again
    s_mov_b32 s80, s0

; --- calls: s_swappc_b64 through a computed address, s_call_b64 to a function that calls on: s81 = hash
    s_getpc_b64 s[20:21]
calls_base:
    s_add_u32 s20, s20, function_mix-calls_base
    s_addc_u32 s21, s21, 0
    s_mov_b32 s0, 1
    s_mov_b32 s10, N_CALLS
calls:
    s_swappc_b64 s[30:31], s[20:21]
    s_call_b64 s[32:33], function_twice
    COUNT_DOWN s10, calls
    s_mov_b32 s81, s0
    s_branch short_blocks
function_mix:
    s_lshr_b32 s1, s0, 15
    s_xor_b32 s0, s0, s1
    s_mul_i32 s0, s0, 0x2c1b3c6d
    s_setpc_b64 s[30:31]
function_twice:
    s_add_u32 s0, s0, s10
    s_call_b64 s[30:31], function_mix
    s_addk_i32 s0, 77
    s_setpc_b64 s[32:33]

; --- nested loops with short blocks of 16-bit immediates: s82 = sum
short_blocks:
    s_mov_b32 s0, 0
    s_mov_b32 s10, N_SHORT
short_outer:
    s_movk_i32 s1, -100
short_inner:
    s_addk_i32 s1, 7
    s_cmpk_gt_i32 s1, 50
    s_cbranch_scc1 short_big
    s_add_u32 s0, s0, s1
    s_branch short_inner_next
short_big:
    s_mulk_i32 s0, 5
    s_addk_i32 s0, -3
short_inner_next:
    s_cmpk_lt_i32 s1, 150
    s_cbranch_scc1 short_inner
    s_cmpk_lg_u32 s0, 0x1234
    s_cmovk_i32 s2, 0x55
    s_addk_i32 s10, -1
    s_cmpk_lg_i32 s10, 0
    s_cbranch_scc1 short_outer
    s_mov_b32 s82, s0

; --- EXEC-mask loop: lanes above a random threshold, among them those of a second condition: s83, s84 = lanes counted, s85 = skips
    s_mov_b32 s0, 7
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s3, 0
    s_mov_b32 s10, N_LANES
lanes:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    v_cmp_lt_u32_e32 vcc, s0, v0
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz lanes_none
    s_bcnt1_i32_b64 s6, exec
    s_add_u32 s1, s1, s6
    v_cmp_gt_i32_e64 s[12:13], 0, v0
    s_bcnt1_i32_b64 s6, s[12:13]
    s_add_u32 s2, s2, s6
    s_branch lanes_end
lanes_none:
    s_addk_i32 s3, 1
lanes_end:
    s_or_b64 exec, exec, s[4:5]
    COUNT_DOWN s10, lanes
    s_mov_b32 s83, s1
    s_mov_b32 s84, s2
    s_mov_b32 s85, s3

; --- minimum, maximum, select, absolute difference: s86..s89
    s_mov_b32 s0, 99
    s_mov_b32 s1, 0                     ; running signed maximum with decay
    s_mov_b32 s2, -1                    ; running unsigned minimum with growth
    s_mov_b32 s3, 0
    s_mov_b32 s4, 0
    s_mov_b32 s10, N_SELECT
select:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_ashr_i32 s5, s0, 5
    s_max_i32 s1, s1, s5
    s_addc_u32 s4, s4, 0                ; how often the first operand was taken
    s_sub_u32 s1, s1, 3
    s_min_u32 s2, s2, s0
    s_addc_u32 s4, s4, 0
    s_addk_i32 s2, 5
    s_absdiff_i32 s6, s5, s1
    s_cmp_gt_u32 s6, s2
    s_cselect_b32 s7, s6, s2
    s_xor_b32 s3, s3, s7
    COUNT_DOWN s10, select
    s_mov_b32 s86, s1
    s_mov_b32 s87, s2
    s_mov_b32 s88, s3
    s_mov_b32 s89, s4

; --- 64-bit restoring division, a data-dependent branch in each of 64 steps: s[90:91] = sum of quotients, s[92:93] = of remainders
    s_mov_b32 s0, 0xffffffc5
    s_mov_b32 s1, 0xffffffff
    s_mov_b64 s[40:41], 0
    s_mov_b64 s[42:43], 0
    s_mov_b32 s10, N_DIVIDE
divide:
    s_lshl_b64 s[4:5], s[0:1], 9        ; next dividend: xorshift
    s_xor_b64 s[0:1], s[0:1], s[4:5]
    s_lshr_b64 s[4:5], s[0:1], 11
    s_xor_b64 s[0:1], s[0:1], s[4:5]
    s_mov_b64 s[4:5], s[0:1]
    s_lshr_b64 s[2:3], s[0:1], 23       ; divisor: its upper bits
    s_bitset1_b32 s2, 0
    s_mov_b64 s[6:7], 0
    s_movk_i32 s11, 64
divide_step:
    s_add_u32 s4, s4, s4
    s_addc_u32 s5, s5, s5
    s_addc_u32 s6, s6, s6
    s_addc_u32 s7, s7, s7
    s_sub_u32 s12, s6, s2
    s_subb_u32 s13, s7, s3
    s_cbranch_scc1 divide_next
    s_mov_b64 s[6:7], s[12:13]
    s_or_b32 s4, s4, 1
divide_next:
    s_addk_i32 s11, -1
    s_cmp_lg_u32 s11, 0
    s_cbranch_scc1 divide_step
    s_add_u32 s40, s40, s4
    s_addc_u32 s41, s41, s5
    s_add_u32 s42, s42, s6
    s_addc_u32 s43, s43, s7
    COUNT_DOWN s10, divide
    s_mov_b64 s[90:91], s[40:41]
    s_mov_b64 s[92:93], s[42:43]

; --- compares of several types against moving scalars: s94 = lanes (f32), s95 = (i64), s96 = (f32 class), s97 = (u16)
    s_mov_b32 s0, 3
    s_mov_b64 s[40:41], 0
    s_mov_b64 s[42:43], 0
    s_mov_b32 s10, N_TYPES
types:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_ashr_i32 s1, s0, 31               ; i64: the sign-extended number
    s_bfe_u32 s4, s0, 14 | 10 << 16     ; class mask
    v_cmp_lt_f32_e32 vcc, s0, v1
    s_bcnt1_i32_b64 s5, vcc
    s_add_u32 s40, s40, s5
    v_cmp_ge_i64_e64 s[12:13], s[0:1], v[2:3]
    s_bcnt1_i32_b64 s5, s[12:13]
    s_add_u32 s41, s41, s5
    v_cmp_class_f32_e64 s[12:13], v1, s4
    s_bcnt1_i32_b64 s5, s[12:13]
    s_add_u32 s42, s42, s5
    v_cmp_gt_u16_e32 vcc, s0, v0
    s_bcnt1_i32_b64 s5, vcc
    s_add_u32 s43, s43, s5
    COUNT_DOWN s10, types
    s_mov_b64 s[94:95], s[40:41]
    s_mov_b64 s[96:97], s[42:43]
    FINISH
