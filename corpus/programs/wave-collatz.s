; Collatz: per lane the start with the longest sequence among lane + 1, lane + 65, lane + 129, ...
; in:  s0 = starts per lane
; out: v0 = start, v1 = length
; generations: gcn1.0 gcn1.2 gcn1.4
.include "vector.inc"
    LANE v2
    VADD v2, 1, v2
    v_mov_b32 v0, 0
    v_mov_b32 v1, 0
start:
    v_mov_b32 v3, v2
    v_mov_b32 v4, 1                     ; length
step:
    v_cmp_ne_u32 vcc, 1, v3
    s_and_b64 exec, exec, vcc
    s_cbranch_execz arrived
    v_bfe_i32 v5, v3, 0, 1              ; odd: -1
    v_lshrrev_b32 v6, 1, v3
    v_mad_u32_u24 v7, v3, 3, 1          ; below 2^24 on the way; asserted where the result is computed
    v_bfi_b32 v3, v5, v7, v6
    VADD v4, 1, v4
    s_branch step
arrived:
    s_mov_b64 exec, -1
    v_cmp_gt_u32 vcc, v4, v1
    v_cndmask_b32 v0, v0, v2, vcc
    v_max_u32 v1, v1, v4
    VADD v2, 64, v2
    REPEAT s0, start
    CLEAR 2, 6
    s_mov_b64 vcc, 0
    s_endpgm
