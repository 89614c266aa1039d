; if / else if / else over lanes with the usual mask idiom: v_cmp, s_and_saveexec, s_cbranch_execz, s_xor, s_or.
; in:  v0 = 32-bit floats, exec
; out: s[10:11] = lanes below 0, s[12:13] = lanes of 0..1, s[14:15] = the rest, s16 = empty branches skipped
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[10:11], 0
    s_mov_b64 s[12:13], 0
    s_mov_b64 s[14:15], 0
    s_mov_b32 s16, 1
    v_cmp_gt_f32_e32 vcc, 0, v0
    s_and_saveexec_b64 s[20:21], vcc
    s_cbranch_execz not_negative
    s_mov_b64 s[10:11], exec
not_negative:
    s_xor_b64 exec, exec, s[20:21]
    s_cbranch_execz endif
    v_cmp_ge_f32_e32 vcc, 1.0, v0
    s_and_saveexec_b64 s[22:23], vcc
    s_cbranch_execz above_one
    s_mov_b64 s[12:13], exec
above_one:
    s_xor_b64 exec, exec, s[22:23]
    s_cbranch_execz endif_inner
    s_mov_b64 s[14:15], exec
endif_inner:
    s_or_b64 exec, exec, s[22:23]
endif:
    s_or_b64 exec, exec, s[20:21]
    ; no lane is above 1e30: the branch must be skipped
    s_mov_b32 s17, 0x7149f2ca           ; 1e30
    v_cmp_lt_f32_e32 vcc, s17, v0
    s_and_saveexec_b64 s[20:21], vcc
    s_cbranch_execz skipped
    s_mov_b32 s16, 0
skipped:
    s_or_b64 exec, exec, s[20:21]
    s_endpgm
