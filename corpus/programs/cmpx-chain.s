; Lanes that pass a chain of V_CMPX conditions of several types, each narrowing EXEC and writing its destination too.
; in:  v0 = unsigned, v1 = signed, v2 = 32-bit floats, v[4:5] = 64-bit integers
; out: s[10:11] .. s[18:19] = EXEC after each step (from the SDST or VCC), s0 = lanes left
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[30:31], exec
    s_movk_i32 s20, 200
    v_cmpx_gt_u32_e32 vcc, s20, v0      ; v0 < 200
    s_mov_b64 s[10:11], vcc
    v_cmpx_le_i32_e64 s[12:13], -10, v1
    v_cmpx_lg_f32_e64 s[14:15], v2, v2  ; never: put back what it cleared
    s_cbranch_execnz wrong
    s_mov_b64 exec, s[12:13]
    v_cmpx_o_f32_e32 vcc, v2, v2        ; no NaN
    s_mov_b64 s[16:17], exec
    v_cmpx_lt_i64_e32 vcc, 0, v[4:5]
    s_mov_b64 s[18:19], vcc
    s_bcnt1_i32_b64 s0, exec
    s_mov_b64 exec, s[30:31]
    s_endpgm
wrong:
    s_trap 2
