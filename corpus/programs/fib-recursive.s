; Fibonacci by double recursion: a call stack of return addresses and arguments in s40.., indexed by m0.
; in:  s0 = n (at most 14)
; out: s1 = F(n), s2 = calls made, s3 = deepest stack pointer
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[2:3], 0
    s_mov_b32 m0, 0
    s_getpc_b64 s[20:21]
base:
    s_add_u32 s20, s20, fib-base
    s_addc_u32 s21, s21, 0
    s_swappc_b64 s[30:31], s[20:21]
    s_endpgm

; s1 = F(s0); s[30:31] = return address
fib:
    s_addk_i32 s2, 1
    s_cmp_lt_u32 s0, 2
    s_cbranch_scc0 recurse
    s_mov_b32 s1, s0
    s_setpc_b64 s[30:31]
recurse:
    s_movreld_b64 s[40:41], s[30:31]    ; frame: return address, argument, partial result
    s_movreld_b32 s42, s0
    s_add_u32 m0, m0, 4
    s_max_u32 s3, s3, m0
    s_sub_u32 s0, s0, 1
    s_swappc_b64 s[30:31], s[20:21]
    s_sub_u32 m0, m0, 4
    s_movreld_b32 s43, s1
    s_movrels_b32 s0, s42
    s_add_u32 m0, m0, 4
    s_sub_u32 s0, s0, 2
    s_swappc_b64 s[30:31], s[20:21]
    s_sub_u32 m0, m0, 4
    s_movrels_b32 s4, s43
    s_add_u32 s1, s1, s4
    s_movrels_b64 s[30:31], s[40:41]
    s_setpc_b64 s[30:31]
