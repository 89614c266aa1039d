; Every SOPC comparison over all pairs of eight numbers; the SCC bits fold into a hash.
; in:  s40..s47 = numbers
; out: s[2:3] = hash, s0 = comparisons that were true
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro NOTE
    s_addc_u32 s0, s0, 0                ; count, then recover SCC from the difference
    s_sub_u32 s8, s0, s9
    s_mov_b32 s9, s0
    s_lshr_b32 s10, s3, 31
    s_lshl_b64 s[2:3], s[2:3], 1
    s_or_b32 s2, s2, s10
    s_xor_b32 s2, s2, s8
.endm
    s_mov_b64 s[2:3], 0
    s_mov_b32 s0, 0
    s_mov_b32 s9, 0
    s_mov_b32 s20, 0                    ; 8*i + j
next:
    s_lshr_b32 m0, s20, 3
    s_movrels_b32 s12, s40
    s_and_b32 m0, s20, 7
    s_movrels_b32 s14, s40
.irp op, eq_i32, lg_i32, gt_i32, ge_i32, lt_i32, le_i32, eq_u32, lg_u32, gt_u32, ge_u32, lt_u32, le_u32
    s_cmp_\op s12, s14
    NOTE
.endr
    s_bitcmp0_b32 s12, s14
    NOTE
    s_bitcmp1_b32 s14, s12
    NOTE
    s_mov_b32 s13, s14
    s_mov_b32 s15, s12
    s_bitcmp0_b64 s[12:13], s14
    NOTE
    s_bitcmp1_b64 s[12:13], s14
    NOTE
.if GCN >= 12
    s_cmp_eq_u64 s[12:13], s[14:15]
    NOTE
    s_cmp_lg_u64 s[12:13], s[14:15]
    NOTE
.endif
    s_addk_i32 s20, 1
    s_cmpk_lt_i32 s20, 64
    s_cbranch_scc1 next
    s_endpgm
