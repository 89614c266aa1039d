; GPR index mode with source and destination: a gap sort (Shell) of sixteen VGPRs, the same order in all lanes.
; Comparisons and moves go by an index that is the same for all lanes; each lane keeps its own numbers in order.
; in:  v[16:31] = numbers
; out: v[16:31], ascending in every lane
; generations: gcn1.2 gcn1.4
.include "vector.inc"
.macro GAP g
    s_movk_i32 s0, \g                   ; i = g .. 15
pass\@:
    s_sub_u32 s1, s0, \g                ; j = i - g, i - 2 g, ...: order v[16+j] and v[16+j+g]
down\@:
    s_set_gpr_idx_on s1, 1              ; SRC0
    v_mov_b32 v0, v16
    v_mov_b32 v1, v[16+\g]
    s_set_gpr_idx_off
    v_min_i32 v2, v0, v1
    v_max_i32 v3, v0, v1
    s_set_gpr_idx_on s1, 8              ; DST
    v_mov_b32 v16, v2
    v_mov_b32 v[16+\g], v3
    s_set_gpr_idx_off
    s_sub_u32 s1, s1, \g
    s_cbranch_scc0 down\@
    s_addk_i32 s0, 1
    s_cmp_lt_u32 s0, 16
    s_cbranch_scc1 pass\@
.endm
    GAP 7
    GAP 3
    GAP 1
    CLEAR 0, 4
    s_mov_b32 m0, 0
    s_mov_b32 s1, 0
    s_endpgm
