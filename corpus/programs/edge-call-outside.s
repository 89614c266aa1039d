; s_swappc_b64 to an address with upper bits set.
; out: s0 = 1, s[4:5] = return address
; generations: gcn1.0 gcn1.4
    s_movk_i32 s0, 1
    s_mov_b32 s2, 0x100
    s_mov_b32 s3, 0x12
    s_swappc_b64 s[4:5], s[2:3]
    s_endpgm
