; Integer square roots of all lanes at once: a loop that lanes leave when r*r passes their value.
; in:  v0 = lane values below 2^20, exec
; out: s32..s63 = how many lanes have isqrt 0, 1, ... 31; s0 = lanes with a larger one; s1 = turns of the loop
; generations: gcn1.0 gcn1.1 gcn1.4
    s_mov_b64 s[20:21], exec
    s_mov_b64 s[0:1], 0
    s_mov_b32 m0, 0
    s_movk_i32 s2, 1                    ; r
turn:
    s_addk_i32 s1, 1
    s_mul_i32 s3, s2, s2
    v_cmp_gt_u32_e32 vcc, s3, v0        ; done: r*r > value
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz stay
    s_bcnt1_i32_b64 s6, exec
    s_cmp_ge_u32 m0, 32
    s_cbranch_scc1 large
    s_movreld_b32 s32, s6
    s_branch stay
large:
    s_add_u32 s0, s0, s6
stay:
    s_andn2_b64 exec, s[4:5], vcc
    s_add_u32 m0, m0, 1
    s_addk_i32 s2, 1
    s_cbranch_execnz turn
    s_mov_b64 exec, s[20:21]
    s_endpgm
