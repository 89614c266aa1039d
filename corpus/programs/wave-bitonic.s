; Bitonic sort of 64 signed numbers across the lanes.  Partners at distance 1 to 8 come by DPP from gcn1.2 on,
; the others (before gcn1.2 all) through an SGPR with a single active lane.
; in:  v0
; out: v0, ascending
; generations: gcn1.0 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro EXCHANGE j                       ; v1 = v0 of lane ^ j
    .set BY_DPP, GCN >= 12
    .if BY_DPP && \j == 1
        v_mov_b32_dpp v1, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    .elseif BY_DPP && \j == 2
        v_mov_b32_dpp v1, v0 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
    .elseif BY_DPP && \j == 4
        v_mov_b32_dpp v1, v0 row_half_mirror row_mask:0xf bank_mask:0xf
        s_nop 1
        v_mov_b32_dpp v1, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
    .elseif BY_DPP && \j == 8
        v_mov_b32_dpp v1, v0 row_ror:8 row_mask:0xf bank_mask:0xf
    .else
        s_mov_b32 s0, 0
    lane\@:
        s_xor_b32 s1, s0, \j
        s_lshl_b64 exec, 1, s0
        v_readlane_b32 s2, v0, s1
        v_mov_b32 v1, s2
        s_addk_i32 s0, 1
        s_cmp_lt_u32 s0, 64
        s_cbranch_scc1 lane\@
        s_mov_b64 exec, -1
    .endif
.endm
.macro STAGE k, kmask, j, jmask         ; minimum where the bits j and k of the lane are equal
    s_xnor_b64 s[4:5], \jmask, \kmask
    EXCHANGE \j
    v_min_i32 v2, v0, v1
    v_max_i32 v3, v0, v1
    v_cndmask_b32 v0, v3, v2, s[4:5]
.endm
    s_mov_b32 s40, 0x55555555           ; lanes without bit 1, 2, 4, 8, 16, 32, 64
    s_mov_b32 s41, s40
    s_mov_b32 s42, 0x33333333
    s_mov_b32 s43, s42
    s_mov_b32 s44, 0x0f0f0f0f
    s_mov_b32 s45, s44
    s_mov_b32 s46, 0x00ff00ff
    s_mov_b32 s47, s46
    s_mov_b32 s48, 0x0000ffff
    s_mov_b32 s49, s48
    s_mov_b32 s50, -1
    s_mov_b32 s51, 0
    s_mov_b64 s[52:53], -1
    STAGE 2, s[42:43], 1, s[40:41]
    STAGE 4, s[44:45], 2, s[42:43]
    STAGE 4, s[44:45], 1, s[40:41]
    STAGE 8, s[46:47], 4, s[44:45]
    STAGE 8, s[46:47], 2, s[42:43]
    STAGE 8, s[46:47], 1, s[40:41]
    STAGE 16, s[48:49], 8, s[46:47]
    STAGE 16, s[48:49], 4, s[44:45]
    STAGE 16, s[48:49], 2, s[42:43]
    STAGE 16, s[48:49], 1, s[40:41]
    STAGE 32, s[50:51], 16, s[48:49]
    STAGE 32, s[50:51], 8, s[46:47]
    STAGE 32, s[50:51], 4, s[44:45]
    STAGE 32, s[50:51], 2, s[42:43]
    STAGE 32, s[50:51], 1, s[40:41]
    STAGE 64, s[52:53], 32, s[50:51]
    STAGE 64, s[52:53], 16, s[48:49]
    STAGE 64, s[52:53], 8, s[46:47]
    STAGE 64, s[52:53], 4, s[44:45]
    STAGE 64, s[52:53], 2, s[42:43]
    STAGE 64, s[52:53], 1, s[40:41]
    CLEAR 1, 3
    s_endpgm
