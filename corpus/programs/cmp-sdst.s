; VOP3 compares into many SGPR pairs, into VCC, and into pairs that are sources at the same time.
; in:  v0 = signed lane values; the bounds are -100, -80, ..., 100
; out: s[40:41] .. s[60:61] = lanes at or above each bound, s[62:63] = lanes in an odd-numbered interval
; generations: gcn1.0 gcn1.2 gcn1.4
.set I, 0
.rept 11
    s_movk_i32 s0, 20*I-100
    v_cmp_le_i32_e64 s[40+2*I:41+2*I], s0, v0
    .set I, I+1
.endr
    s_mov_b64 s[62:63], 0
.set I, 0
.rept 11
    s_xor_b64 s[62:63], s[62:63], s[40+2*I:41+2*I]
    .set I, I+1
.endr
    ; the pair as a 32-bit source and as the destination
    s_movk_i32 s10, 7
    s_mov_b32 s11, -1
    v_cmp_lt_i32_e64 s[10:11], s10, v0
    v_cmp_lt_u32_e64 vcc, vcc_lo, v0
    s_endpgm
