; Calls through s_swappc_b64 / s_setpc_b64: one address computed by s_getpc_b64 in the loop, one kept in a register.
; in:  s100 = iterations
; out: s64, s65
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_getpc_b64 s[22:23]
first_base:
    s_add_u32 s22, s22, fold-first_base
    s_addc_u32 s23, s23, 0
loop:
    s_getpc_b64 s[20:21]
base:
    s_add_u32 s20, s20, mix-base
    s_addc_u32 s21, s21, 0
    s_swappc_b64 s[30:31], s[20:21]
    s_swappc_b64 s[30:31], s[22:23]
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
mix:
    s_lshr_b32 s2, s0, 15
    s_xor_b32 s0, s0, s2
    s_mul_i32 s0, s0, 0x2c1b3c6d
    s_setpc_b64 s[30:31]
fold:
    s_lshl_b32 s2, s1, 1
    s_lshr_b32 s1, s1, 31
    s_or_b32 s1, s1, s2
    s_add_u32 s1, s1, s0
    s_setpc_b64 s[30:31]
