; Six nested forks that halve the active lanes each time: the fork stack fills s0..s23 and unwinds in reverse order.
; in:  v0..v5 = bit 0..5 of the lane number
; out: s40 = order in which the groups finish (base 8 digits: the innermost, 6, comes first), s41 = deepest CSP,
;      s42 = sum of 10 * s42 + lanes of each group, s[44:45] = the only lane of the innermost group
; generations: gcn1.1 gcn1.2 gcn1.4
; On a tie the passing side runs first and the other one waits.
.macro GROUP k
    s_lshl_b32 s40, s40, 3
    s_or_b32 s40, s40, \k
    s_mul_i32 s42, s42, 10
    s_bcnt1_i32_b64 s43, exec
    s_add_u32 s42, s42, s43
.endm
.macro LEVEL k
    v_cmp_eq_u32_e32 vcc, 1, v\k
    s_cbranch_i_fork vcc, deeper\k
    GROUP \k
    s_branch join
deeper\k:
.endm
    s_mov_b32 s32, 0
    s_mov_b32 s40, 0
    s_mov_b32 s42, 0
    s_mov_b64 s[34:35], exec
    LEVEL 0
    LEVEL 1
    LEVEL 2
    LEVEL 3
    LEVEL 4
    LEVEL 5
    s_getreg_b32 s41, hwreg(HW_REG_MODE, 29, 3)
    s_mov_b64 s[44:45], exec
    GROUP 6
join:
    s_cbranch_join s32
    s_mov_b64 exec, s[34:35]
    s_endpgm
