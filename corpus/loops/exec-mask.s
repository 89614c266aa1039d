; The divergent-branch idiom: v_cmp, s_and_saveexec_b64, s_cbranch_execz, a second compare inside, s_or_b64 exec.
; in:  s100 = iterations, v0 = lane values
; out: s64 = lanes inside, s66 = of them with the sign bit, s67 = skipped bodies
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 7
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s3, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    v_cmp_lt_u32_e32 vcc, s0, v0
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz skipped
    s_bcnt1_i32_b64 s6, exec
    s_add_u32 s1, s1, s6
    v_cmp_gt_i32_e64 s[12:13], 0, v0
    s_bcnt1_i32_b64 s6, s[12:13]
    s_add_u32 s2, s2, s6
    s_branch join
skipped:
    s_addk_i32 s3, 1
join:
    s_or_b64 exec, exec, s[4:5]
    NEXT loop
    s_mov_b32 s64, s1
    s_mov_b64 s[66:67], s[2:3]
    FINISH
