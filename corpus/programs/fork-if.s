; if/else by s_cbranch_g_fork: lanes above a threshold take one side, the rest the other; the smaller group runs first.
; in:  v0 = lane values, s40 = threshold
; out: s[50:51], s[52:53] = EXEC seen by the two sides (above, not above), s54 = order (1 then 2: above first gives 12),
;      s55, s56 = the same threshold test with all lanes on one side: visits
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
; The fork stack lies in s0..s3; JOIN leaves EXEC with the side that ran last, so it is saved and restored.
    s_mov_b32 s41, 0                    ; CSP outside
    s_mov_b64 s[42:43], exec
    s_mov_b32 s54, 0
    s_getpc_b64 s[44:45]
base:
    s_add_u32 s44, s44, above-base
    s_addc_u32 s45, s45, 0
    v_cmp_lt_u32_e32 vcc, s40, v0
    s_cbranch_g_fork vcc, s[44:45]
    s_mov_b64 s[52:53], exec
    s_mulk_i32 s54, 10
    s_addk_i32 s54, 2
    s_branch endif
above:
    s_mov_b64 s[50:51], exec
    s_mulk_i32 s54, 10
    s_addk_i32 s54, 1
endif:
    s_cbranch_join s41
    s_mov_b64 exec, s[42:43]
    ; uniform branches: nothing is pushed, one side only
    s_mov_b64 s[46:47], 0
    s_mov_b32 s55, 0
    s_mov_b32 s56, 0
    s_cbranch_i_fork s[46:47], never
    s_addk_i32 s55, 1
never:
    s_cbranch_join s41
    s_mov_b64 s[46:47], -1
    s_cbranch_i_fork s[46:47], always
    s_addk_i32 s56, 1
always:
    s_cbranch_join s41
    s_endpgm
