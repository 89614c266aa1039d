; An endless loop: the run stops at exactly max_insts executed instructions.
; out: s0 = turns
; generations: gcn1.0 gcn1.4
    s_mov_b32 s0, 0
loop:
    s_add_u32 s0, s0, 1
    s_branch loop
