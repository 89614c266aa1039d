; Mask loop without VGPR writes: a threshold creeps up by a pseudo-random step; lanes leave when it passes them, with an
; inner condition on the lanes still in. Loops, nested masks and all four EXEC / VCC branches.
; in:  v0 = unsigned lane values, v1 = signed lane values, s0 = seed
; out: s1 = turns, s2 = sum of active lanes, s3 = sum of active lanes with v1 < 0, s4 = turns in which those were none
; generations: gcn1.4
    s_mov_b64 s[20:21], exec
    s_mov_b32 s1, 0
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[4:5], 0                 ; s5 = threshold
turn:
    s_addk_i32 s1, 1
    s_mul_i32 s0, s0, 1664525
    s_add_u32 s0, s0, 1013904223
    s_lshr_b32 s6, s0, 22
    s_add_u32 s5, s5, s6
    v_cmp_lt_u32_e32 vcc, s5, v0
    s_and_b64 exec, exec, vcc
    s_cbranch_execz done
    s_bcnt1_i32_b64 s7, exec
    s_add_u32 s2, s2, s7
    v_cmp_gt_i32_e32 vcc, 0, v1
    s_cbranch_vccnz some
    s_addk_i32 s4, 1
    s_branch turn
some:
    s_and_saveexec_b64 s[8:9], vcc
    s_bcnt1_i32_b64 s7, exec
    s_add_u32 s3, s3, s7
    s_or_b64 exec, exec, s[8:9]
    s_cbranch_execnz turn
done:
    s_mov_b64 exec, s[20:21]
    s_endpgm
