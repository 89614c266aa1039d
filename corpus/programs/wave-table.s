; A table of sixteen VGPRs that every lane reads at its own index: lanes with equal index share one relative move.
; in:  v0 = index (0..15), v[16:31] = table, s0 = rounds
; out: v0 = index after so many rounds of index = table[index], v[32:47] = visits of each entry, v1 = rounds waited
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
round:
    s_mov_b64 s[2:3], exec
    v_mov_b32 v2, v0
group:
    v_readfirstlane_b32 s1, v2
    v_cmp_eq_u32 vcc, s1, v2
    s_and_saveexec_b64 s[4:5], vcc
    .if GCN >= 14
        s_set_gpr_idx_on s1, 1          ; SRC0
        v_mov_b32 v0, v16
        v_mov_b32 v3, v32
        s_set_gpr_idx_off
        VADD v3, 1, v3
        s_set_gpr_idx_on s1, 8          ; DST
        v_mov_b32 v32, v3
        s_set_gpr_idx_off
    .else
        s_mov_b32 m0, s1
        v_movrels_b32 v0, v16
        v_movrels_b32 v3, v32
        VADD v3, 1, v3
        v_movreld_b32 v32, v3
    .endif
    s_andn2_b64 exec, s[4:5], exec
    VADD v1, 1, v1
    s_cbranch_execnz group
    s_mov_b64 exec, s[2:3]
    REPEAT s0, round
    .if GCN < 14                        ; both indices at once: v[52 + m0] = v[16 + m0]
        s_mov_b32 m0, 3
        v_movrelsd_b32 v52, v16
        v_mov_b32 v3, v55
        v_mov_b32 v55, 0
    .else
        v_mov_b32 v3, v19
    .endif
    CLEAR 2, 1
    s_mov_b32 m0, 0
    s_mov_b64 vcc, 0
    s_endpgm
