; Calls through a table of function addresses in s[40:41], s[42:43], ..., picked by s_movrels_b64.
; in:  s0 = seed, s1 = calls
; out: s2 = accumulator, s3 = calls of each function, one byte each
; generations: gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s2, s0
    s_mov_b32 s3, 0
    s_getpc_b64 s[20:21]
base:
    s_add_u32 s40, s20, add-base
    s_addc_u32 s41, s21, 0
    s_add_u32 s42, s20, multiply-base
    s_addc_u32 s43, s21, 0
    s_add_u32 s44, s20, mix-base
    s_addc_u32 s45, s21, 0
    s_add_u32 s46, s20, twice-base
    s_addc_u32 s47, s21, 0
next:
    s_lshr_b32 s4, s2, 13
    s_xor_b32 s4, s4, s2
    s_and_b32 s4, s4, 3
    s_lshl_b32 s5, s4, 3
    s_lshl_b32 s5, 1, s5
    s_add_u32 s3, s3, s5
    s_lshl_b32 m0, s4, 1
    s_movrels_b64 s[6:7], s[40:41]
    s_swappc_b64 s[30:31], s[6:7]
    s_sub_u32 s1, s1, 1
    s_cmp_lg_u32 s1, 0
    s_cbranch_scc1 next
    s_endpgm
add:
    s_add_u32 s2, s2, 0x9e3779b9
    s_setpc_b64 s[30:31]
multiply:
    s_mul_i32 s2, s2, 69069
    s_setpc_b64 s[30:31]
mix:
    s_lshr_b32 s8, s2, 15
    s_xor_b32 s2, s2, s8
    s_setpc_b64 s[30:31]
twice:                                  ; calls add and mix: keeps its own return address
    s_mov_b64 s[32:33], s[30:31]
    s_swappc_b64 s[30:31], s[40:41]
    s_swappc_b64 s[30:31], s[44:45]
    s_setpc_b64 s[32:33]
