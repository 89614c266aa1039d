; Reductions by V_READLANE over the active lanes, and groups of lanes with equal keys by V_READFIRSTLANE.
; in:  v0 = numbers, v1 = keys, exec
; out: s10 = sum, s11 = minimum, s12 = maximum (signed), v2 = sum of the active lanes before this one,
;      v3 = lanes with this key, v4 = rank among them, s13 = keys
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    s_mov_b64 s[2:3], exec
    s_mov_b64 s[8:9], exec
    s_mov_b32 s10, 0
    s_brev_b32 s12, 1
    s_not_b32 s11, s12
lane:
    s_ff1_i32_b64 s4, s[2:3]
    v_readlane_b32 s5, v0, s4
    s_mov_b32 m0, s4
    .if GCN >= 12                       ; v_writelane_b32 v2, s10, m0: legal, but this assembler refuses it
        .long 0xd28a0002, 0x0000f80a
    .else
        .long 0x0404f80a
    .endif
    s_add_u32 s10, s10, s5
    s_min_i32 s11, s11, s5
    s_max_i32 s12, s12, s5
    s_bitset0_b64 s[2:3], s4
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 lane
    s_cmp_lg_u32 s3, 0
    s_cbranch_scc1 lane
    s_mov_b32 s13, 0
group:
    v_readfirstlane_b32 s4, v1
    v_cmp_eq_u32 vcc, s4, v1
    s_and_saveexec_b64 s[6:7], vcc
    s_bcnt1_i32_b64 s5, exec
    v_mov_b32 v3, s5
    v_mbcnt_lo_u32_b32 v4, exec_lo, 0
    v_mbcnt_hi_u32_b32 v4, exec_hi, v4
    s_addk_i32 s13, 1
    s_andn2_b64 exec, s[6:7], exec
    s_cbranch_execnz group
    s_mov_b64 exec, s[8:9]
    s_endpgm
