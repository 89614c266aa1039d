; Miller-Rabin primality test, bases 2, 7, 61: exact for odd numbers above 61 and below 2^31.
; Two levels of calls by s_call_b64: is_prime -> mulmod.
; in:  s0..s7 = eight numbers
; out: s8 = bit k set if number k is prime
; generations: gcn1.4
; needs s_call_b64, s_mul_hi_u32
    s_mov_b32 s8, 0
    s_mov_b32 m0, 0
each:
    s_movrels_b32 s9, s0
    s_call_b64 s[30:31], is_prime
    s_lshl_b32 s21, s10, m0
    s_or_b32 s8, s8, s21
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 8
    s_cbranch_scc1 each
    s_endpgm

; s10 = 1 if s9 is prime
is_prime:
    s_sub_u32 s11, s9, 1                ; n - 1 = d * 2^r
    s_ff1_i32_b32 s12, s11              ; r
    s_lshr_b32 s13, s11, s12            ; d
    s_movk_i32 s14, 2                   ; base
    s_mov_b32 s10, 1
with_base:
    ; s15 = base^d mod n
    s_mov_b32 s15, 1
    s_mov_b32 s16, s14
    s_mov_b32 s17, s13
power:
    s_bitcmp1_b32 s17, 0
    s_cbranch_scc0 even_bit
    s_mov_b32 s40, s15
    s_mov_b32 s41, s16
    s_call_b64 s[32:33], mulmod
    s_mov_b32 s15, s42
even_bit:
    s_mov_b32 s40, s16
    s_mov_b32 s41, s16
    s_call_b64 s[32:33], mulmod
    s_mov_b32 s16, s42
    s_lshr_b32 s17, s17, 1
    s_cbranch_scc1 power                ; SCC = bits left
    s_cmp_eq_u32 s15, 1
    s_cbranch_scc1 passed
    s_mov_b32 s18, s12
witness:
    s_cmp_eq_u32 s15, s11
    s_cbranch_scc1 passed
    s_sub_u32 s18, s18, 1
    s_cmp_eq_u32 s18, 0
    s_cbranch_scc1 composite
    s_mov_b32 s40, s15
    s_mov_b32 s41, s15
    s_call_b64 s[32:33], mulmod
    s_mov_b32 s15, s42
    s_branch witness
passed:
    s_cmpk_eq_u32 s14, 61
    s_cbranch_scc1 leave
    s_cmpk_eq_u32 s14, 7
    s_cselect_b32 s14, 61, 7
    s_branch with_base
composite:
    s_mov_b32 s10, 0
leave:
    s_setpc_b64 s[30:31]

; s42 = s40 * s41 mod s9, by a 64-bit product and 64 steps of division
mulmod:
    s_mul_hi_u32 s45, s40, s41
    s_mul_i32 s44, s40, s41
    s_mov_b32 s42, 0
    s_movk_i32 s43, 63
mulmod_step:
    s_bitcmp1_b64 s[44:45], s43
    s_addc_u32 s42, s42, s42
    s_sub_u32 s46, s42, s9
    s_cmp_ge_u32 s42, s9
    s_cselect_b32 s42, s46, s42
    s_sub_u32 s43, s43, 1
    s_cbranch_scc0 mulmod_step
    s_setpc_b64 s[32:33]
