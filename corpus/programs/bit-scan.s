; Walk over the set bits of a 64-bit word from below (s_ff1) and from above (s_flbit),
; over its clear bits (s_ff0), and count sign bits (s_flbit_i32).
; in:  s[0:1] = word
; out: s2 = sum of 3^k * position of the k-th set bit, s3 = the same from above, s4 = number of clear bits,
;      s5 = sum of their positions, s6, s7 = sign bits of s1 and of s[0:1], s8 = s_ff0 of -1, s9 = s_flbit_i32 of 0,
;      s15 = s_bcnt0_i32_b64 of the word (= s4)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[10:11], s[0:1]
    s_mov_b32 s2, 0
    s_movk_i32 s12, 1
up:
    s_ff1_i32_b64 s13, s[10:11]
    s_cmp_eq_u32 s13, -1
    s_cbranch_scc1 up_done
    s_bitset0_b64 s[10:11], s13
    s_mul_i32 s14, s12, s13
    s_add_u32 s2, s2, s14
    s_mulk_i32 s12, 3
    s_branch up
up_done:
    s_mov_b64 s[10:11], s[0:1]
    s_mov_b32 s3, 0
    s_movk_i32 s12, 1
down:
    s_flbit_i32_b64 s13, s[10:11]
    s_cmp_eq_i32 s13, -1
    s_cbranch_scc1 down_done
    s_sub_u32 s13, 63, s13
    s_bitset0_b64 s[10:11], s13
    s_mul_i32 s14, s12, s13
    s_add_u32 s3, s3, s14
    s_mulk_i32 s12, 3
    s_branch down
down_done:
    s_mov_b64 s[10:11], s[0:1]
    s_mov_b64 s[4:5], 0
zeros:
    s_ff0_i32_b64 s13, s[10:11]
    s_cmpk_lg_u32 s13, 0xffff           ; compares all 32 bits: never equal
    s_cbranch_scc0 zeros_done
    s_cmpk_eq_i32 s13, -1
    s_cbranch_scc1 zeros_done
    s_bitset1_b64 s[10:11], s13
    s_addk_i32 s4, 1
    s_add_u32 s5, s5, s13
    s_branch zeros
zeros_done:
    s_flbit_i32 s6, s1
    s_flbit_i32_i64 s7, s[0:1]
    s_ff0_i32_b32 s8, -1
    s_flbit_i32 s9, 0
    s_bcnt0_i32_b64 s15, s[0:1]
    s_endpgm
