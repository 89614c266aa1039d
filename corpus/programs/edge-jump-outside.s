; A branch to far behind the end.
; out: s0 = 1
; generations: gcn1.2 gcn1.4
    s_movk_i32 s0, 1
    .long 0xbf820400                    ; s_branch +1024 dwords
    s_endpgm
