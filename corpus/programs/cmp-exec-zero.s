; Compares with EXEC = 0: the whole destination becomes 0; inactive lanes always give 0, also for "true" and "not" predicates.
; in:  v0
; out: s[10:11] = 0 (was all ones), vcc = 0, s[12:13] = the only active lane's result of V_CMP_TRU, s[14:15] = of V_CMP_NLT
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[20:21], exec
    s_mov_b64 s[10:11], -1
    s_mov_b64 s[12:13], -1
    s_mov_b64 s[14:15], -1
    s_mov_b64 exec, 0
    v_cmp_tru_f32_e64 s[10:11], v0, v0
    s_mov_b64 vcc, -1
    v_cmpx_t_u32_e32 vcc, 0, v0
    s_bitset1_b64 exec, 37
    v_cmp_tru_f32_e64 s[12:13], v0, v0
    v_cmp_nlt_f32_e64 s[14:15], v0, v0
    s_mov_b64 exec, s[20:21]
    s_endpgm
