; Reachable sums of a set, as bits of a 128-bit word shifted by each element.
; in:  s0..s9 = ten numbers below 32
; out: s[12:15] = bit k set if k is the sum of a subset, s10 = how many sums, s11 = largest
; generations: gcn1.1 gcn1.4
    s_mov_b64 s[12:13], 1
    s_mov_b64 s[14:15], 0
    s_mov_b32 m0, 0
element:
    s_movrels_b32 s16, s0
    s_sub_u32 s17, 64, s16
    s_lshl_b64 s[20:21], s[14:15], s16
    s_lshr_b64 s[22:23], s[12:13], s17  ; element 0 would shift by 64: excluded
    s_or_b64 s[20:21], s[20:21], s[22:23]
    s_lshl_b64 s[22:23], s[12:13], s16
    s_or_b64 s[12:13], s[12:13], s[22:23]
    s_or_b64 s[14:15], s[14:15], s[20:21]
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 10
    s_cbranch_scc1 element
    s_bcnt1_i32_b64 s10, s[12:13]
    s_bcnt1_i32_b64 s11, s[14:15]
    s_add_u32 s10, s10, s11
    s_flbit_i32_b64 s11, s[14:15]
    s_sub_u32 s11, 127, s11
    s_endpgm
