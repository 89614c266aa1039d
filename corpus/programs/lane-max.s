; Largest and smallest value over the active lanes by a search from the top bit down: one compare and s_cbranch_vccz a bit.
; in:  v0 = lane values, exec
; out: s0 = unsigned maximum, s1 = signed maximum, s2 = unsigned minimum, s[4:5] = lanes that hold the unsigned maximum
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s0, 0
    s_brev_b32 s1, 1                    ; INT_MIN
    s_mov_b32 s2, 0
    s_movk_i32 s10, 31
bit:
    s_lshl_b32 s11, 1, s10
    s_or_b32 s12, s0, s11
    v_cmp_le_u32_e32 vcc, s12, v0
    s_cbranch_vccz no_unsigned
    s_mov_b32 s0, s12
no_unsigned:
    s_xor_b32 s12, s1, s11              ; for bit 31 the trial is 0: above INT_MIN
    v_cmp_le_i32_e32 vcc, s12, v0
    s_cbranch_vccz no_signed
    s_mov_b32 s1, s12
no_signed:
    s_or_b32 s12, s2, s11               ; minimum: the largest number that no active lane is below
    v_cmp_gt_u32_e32 vcc, s12, v0
    s_cbranch_vccnz no_minimum
    s_mov_b32 s2, s12
no_minimum:
    s_sub_u32 s10, s10, 1
    s_cbranch_scc0 bit
    v_cmp_eq_u32_e64 s[4:5], s0, v0
    s_endpgm
