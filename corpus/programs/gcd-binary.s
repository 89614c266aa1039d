; Binary GCD of 64-bit numbers: factors of two by s_ff1_i32_b64, then shift and subtract.
; in:  s[0:1], s[2:3] = two positive numbers
; out: s[4:5] = gcd, s6 = subtract steps
; generations: gcn1.2 gcn1.4
; needs s_cmp_lg_u64
    s_mov_b32 s6, 0
    s_or_b64 s[8:9], s[0:1], s[2:3]
    s_ff1_i32_b64 s7, s[8:9]            ; common power of two
    s_ff1_i32_b64 s8, s[0:1]
    s_lshr_b64 s[0:1], s[0:1], s8
loop:
    s_ff1_i32_b64 s8, s[2:3]
    s_lshr_b64 s[2:3], s[2:3], s8
    s_add_u32 s6, s6, 1
    ; order the pair: s[0:1] <= s[2:3]
    s_sub_u32 s10, s2, s0
    s_subb_u32 s11, s3, s1              ; SCC = s[2:3] < s[0:1]
    s_cselect_b64 s[12:13], s[2:3], s[0:1]
    s_cbranch_scc0 ordered
    s_sub_u32 s10, s0, s2
    s_subb_u32 s11, s1, s3
ordered:
    s_mov_b64 s[0:1], s[12:13]
    s_mov_b64 s[2:3], s[10:11]
    s_cmp_lg_u64 s[2:3], 0
    s_cbranch_scc1 loop
    s_lshl_b64 s[4:5], s[0:1], s7
    s_endpgm
