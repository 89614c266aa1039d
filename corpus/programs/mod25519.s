; Powers of two modulo the prime 2^255 - 19, by doubling with eight-register chains and a conditional subtraction.
; in:  s0 = exponent
; out: s[8:15] = 2^exponent mod (2^255 - 19)
; generations: gcn1.0 gcn1.2 gcn1.4
    s_movk_i32 s8, 1
.set I, 1
.rept 7
    s_mov_b32 s[8+I], 0
    .set I, I+1
.endr
    s_bfm_b32 s3, 31, 0                 ; top word of the prime
next:
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc1 done
    s_add_u32 s8, s8, s8
.set I, 1
.rept 7
    s_addc_u32 s[8+I], s[8+I], s[8+I]
    .set I, I+1
.endr
    s_sub_u32 s16, s8, 0xffffffed
.set I, 1
.rept 6
    s_subb_u32 s[16+I], s[8+I], -1
    .set I, I+1
.endr
    s_subb_u32 s23, s15, s3             ; SCC = below the prime
    s_cbranch_scc1 keep
.set I, 0
.rept 4
    s_mov_b64 s[8+I:9+I], s[16+I:17+I]
    .set I, I+2
.endr
keep:
    s_sub_u32 s0, s0, 1
    s_branch next
done:
    s_endpgm
