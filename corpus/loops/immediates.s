; The 16-bit immediate forms: s_movk, s_cmpk, s_addk, s_mulk, s_cmovk.
; in:  s100 = iterations
; out: s64..s66
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 0
    s_mov_b32 s1, 1
    s_mov_b32 s2, 0
loop:
    s_addk_i32 s0, 0x1357
    s_mulk_i32 s1, 0x6255
    s_addk_i32 s1, -0x3619
    s_movk_i32 s3, 0x100
    s_cmpk_gt_i32 s1, 0x4000
    s_cmovk_i32 s3, -0x7f
    s_add_u32 s2, s2, s3
    s_cmpk_lt_u32 s0, 0x8000
    s_cbranch_scc1 below
    s_movk_i32 s0, -9
    s_addk_i32 s0, 20
below:
    s_cmpk_eq_i32 s3, 0x100
    s_addc_u32 s2, s2, 0
    s_cmpk_le_u32 s1, 0xffff
    s_cmovk_i32 s1, 0x7a31
    s_addk_i32 s100, -1
    s_cmpk_lg_i32 s100, 0
    s_cbranch_scc1 loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s2
    FINISH
