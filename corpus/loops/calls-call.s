; Calls by s_call_b64, two levels deep, a callee shared by two callers, a conditional early return.
; in:  s100 = iterations
; out: s64, s65
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
loop:
    s_call_b64 s[30:31], outer
    s_call_b64 s[32:33], leaf
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    FINISH
outer:
    s_add_u32 s1, s1, s0
    s_bitcmp1_b32 s1, 4
    s_cbranch_scc1 return
    s_call_b64 s[32:33], leaf
    s_addk_i32 s0, 77
return:
    s_setpc_b64 s[30:31]
leaf:
    s_lshr_b32 s2, s0, 15
    s_xor_b32 s0, s0, s2
    s_mul_i32 s0, s0, 0x2c1b3c6d
    s_setpc_b64 s[32:33]
