; Fibonacci numbers in 256 bits: eight-register carry chains.
; in:  s0 = n
; out: s[8:15] = F(n) mod 2^256, s[16:23] = F(n+1) mod 2^256
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.set I, 0
.rept 16
    s_mov_b32 s[8+I], 0
    .set I, I+1
.endr
    s_movk_i32 s16, 1
next:
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc1 done
    ; (a, b) = (b, a + b): a += b, then exchange
    s_add_u32 s8, s8, s16
.set I, 1
.rept 7
    s_addc_u32 s[8+I], s[8+I], s[16+I]
    .set I, I+1
.endr
.set I, 0
.rept 4
    s_mov_b64 s[24:25], s[8+I:9+I]
    s_mov_b64 s[8+I:9+I], s[16+I:17+I]
    s_mov_b64 s[16+I:17+I], s[24:25]
    .set I, I+2
.endr
    s_addk_i32 s0, -1
    s_branch next
done:
    s_endpgm
