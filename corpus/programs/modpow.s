; Modular power by square and multiply; the product by doubling and adding, so no multiplier is needed.
; The multiplication is a subroutine reached with s_swappc_b64.
; in:  s0 = base, s1 = exponent, s2 = modulus (below 2^31)
; out: s3 = base^exponent mod modulus, s4 = number of calls
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_getpc_b64 s[20:21]
base:
    s_add_u32 s20, s20, mulmod-base
    s_addc_u32 s21, s21, 0
    s_movk_i32 s3, 1
    s_movk_i32 s4, 0
next_bit:
    s_cmp_eq_u32 s1, 0
    s_cbranch_scc1 done
    s_bitcmp1_b32 s1, 0
    s_cbranch_scc0 square
    s_mov_b32 s10, s3
    s_mov_b32 s11, s0
    s_swappc_b64 s[30:31], s[20:21]
    s_mov_b32 s3, s12
    s_addk_i32 s4, 1
square:
    s_mov_b32 s10, s0
    s_mov_b32 s11, s0
    s_swappc_b64 s[30:31], s[20:21]
    s_mov_b32 s0, s12
    s_addk_i32 s4, 1
    s_lshr_b32 s1, s1, 1
    s_branch next_bit
done:
    s_endpgm

; s12 = s10 * s11 mod s2; s10, s11 < s2; clobbers s10, s11, s13
mulmod:
    s_mov_b32 s12, 0
mulmod_bit:
    s_cmp_eq_u32 s11, 0
    s_cbranch_scc1 mulmod_done
    s_bitcmp1_b32 s11, 0
    s_cbranch_scc0 mulmod_double
    s_add_u32 s12, s12, s10
    s_sub_u32 s13, s12, s2
    s_cmp_ge_u32 s12, s2
    s_cselect_b32 s12, s13, s12
mulmod_double:
    s_lshl_b32 s10, s10, 1
    s_sub_u32 s13, s10, s2
    s_cmp_ge_u32 s10, s2
    s_cselect_b32 s10, s13, s10
    s_lshr_b32 s11, s11, 1
    s_branch mulmod_bit
mulmod_done:
    s_setpc_b64 s[30:31]
