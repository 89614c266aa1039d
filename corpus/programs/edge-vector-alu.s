; Beside the vector ALU: an image instruction has no memory to work on in a raw run, the run stops there with `unsupported`.
; The vector instruction before it is executed.
; out: s0 = 1, v0 = 1
; generations: gcn1.0 gcn1.4
    s_movk_i32 s0, 1
    v_mov_b32_e32 v0, s0
    image_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf
    s_movk_i32 s0, 2
    s_endpgm
