; A library in front, the program behind it: the run starts at `entry` of the sidecar, not at 0.
; in:  s0
; out: s1 = s0 * 3 + 7, s2 = the address the run started at
; generations: gcn1.1 gcn1.4
triple:
    s_mul_i32 s1, s0, 3
    s_setpc_b64 s[30:31]
add_seven:
    s_addk_i32 s1, 7
    s_setpc_b64 s[30:31]
entry:
    s_getpc_b64 s[2:3]
after:
    s_sub_u32 s2, s2, after-entry
    s_add_u32 s4, s2, triple-entry
    s_subb_u32 s5, s3, 0
    s_cmp_lt_u32 s4, s2
    s_mov_b32 s5, s3
    s_swappc_b64 s[30:31], s[4:5]
    s_sub_u32 s4, s2, entry-add_seven
    s_subb_u32 s5, s3, 0
    s_swappc_b64 s[30:31], s[4:5]
    s_endpgm
