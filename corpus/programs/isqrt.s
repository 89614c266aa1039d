; Integer square roots, digit by digit: of a 64-bit number with borrow chains and of a 32-bit one.
; in:  s[0:1] = N (below 2^63), s2 = n
; out: s[4:5] = isqrt(N), s[6:7] = N - isqrt(N)^2, s8 = isqrt(n)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[4:5], 0
    s_mov_b64 s[6:7], s[0:1]
    s_bfm_b64 s[10:11], 1, 62           ; digit = 1 << 62
loop64:
    s_add_u32 s12, s4, s10
    s_addc_u32 s13, s5, s11
    s_sub_u32 s14, s6, s12
    s_subb_u32 s15, s7, s13             ; SCC = trial is too big
    s_cbranch_scc1 too_big
    s_mov_b64 s[6:7], s[14:15]
    s_lshr_b64 s[4:5], s[4:5], 1
    s_or_b64 s[4:5], s[4:5], s[10:11]
    s_branch next64
too_big:
    s_lshr_b64 s[4:5], s[4:5], 1
next64:
    s_lshr_b64 s[10:11], s[10:11], 2    ; SCC = digits left
    s_cbranch_scc1 loop64
    ; the 32-bit one
    s_mov_b32 s8, 0
    s_mov_b32 s9, 0x40000000
loop32:
    s_add_u32 s12, s8, s9
    s_lshr_b32 s8, s8, 1
    s_cmp_ge_u32 s2, s12
    s_cbranch_scc0 next32
    s_sub_u32 s2, s2, s12
    s_add_u32 s8, s8, s9
next32:
    s_lshr_b32 s9, s9, 2
    s_cbranch_scc1 loop32
    s_endpgm
