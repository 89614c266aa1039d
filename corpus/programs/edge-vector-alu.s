; A vector ALU instruction in the middle: outside the core, the run stops there with `unsupported`.
; out: s0 = 1
; generations: gcn1.0 gcn1.4
    s_movk_i32 s0, 1
    v_mov_b32_e32 v0, s0
    s_movk_i32 s0, 2
    s_endpgm
