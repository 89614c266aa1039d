; s_setpc_b64 to an address behind the end.
; out: s0 = 2, s[4:5] = the address
; generations: gcn1.1
    s_movk_i32 s0, 1
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 0x1000
    s_addc_u32 s5, s5, 0
    s_addk_i32 s0, 1
    s_setpc_b64 s[4:5]
    s_endpgm
