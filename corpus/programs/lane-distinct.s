; Distinct lane values: find the smallest among the active lanes, switch off those that hold it, repeat until EXEC is empty.
; in:  v0 = unsigned lane values, exec
; out: s0 = distinct values, s1 = largest multiplicity, s2 = the (smallest) value that has it, s3 = xor of the distinct values
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[0:1], 0
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[30:31], exec
round:
    s_mov_b32 s10, 0
    s_movk_i32 s11, 31
bit:
    s_mov_b32 s12, s10
    s_bitset1_b32 s12, s11
    v_cmp_gt_u32_e32 vcc, s12, v0
    s_cbranch_vccnz below
    s_mov_b32 s10, s12
below:
    s_addk_i32 s11, -1
    s_cmpk_ge_i32 s11, 0
    s_cbranch_scc1 bit
    ; s10 = minimum
    s_bcnt1_i32_b64 s13, exec
    v_cmpx_ne_u32_e32 vcc, s10, v0      ; EXEC keeps the other lanes
    s_bcnt1_i32_b64 s14, exec
    s_sub_u32 s13, s13, s14
    s_addk_i32 s0, 1
    s_xor_b32 s3, s3, s10
    s_cmp_gt_u32 s13, s1
    s_cselect_b32 s1, s13, s1
    s_cselect_b32 s2, s10, s2
    s_cbranch_execnz round
    s_mov_b64 exec, s[30:31]
    s_endpgm
