; A program of exactly max_insts instructions ends: the s_endpgm is the last one of the budget.
; out: s0 = 5
; generations: gcn1.4
    s_movk_i32 s0, 5
    s_nop 0
    s_nop 0
    s_endpgm
