; Signed and unsigned fields of 64-bit words: s_bfe_u64, s_bfe_i64, s_bfe_i32, s_bfm_b64, and the degenerate widths.
; in:  s[0:1] = packed record: 7-bit, 13-bit signed, 20-bit, 24-bit signed
; out: s4..s7 = the four fields, s[8:9] = record packed again, s10.. = degenerate cases
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_bfe_u64 s[4:5], s[0:1], 0 | 7 << 16
    s_bfe_i64 s[12:13], s[0:1], 7 | 13 << 16
    s_mov_b32 s5, s12
    s_bfe_u64 s[6:7], s[0:1], 20 | 20 << 16
    s_bfe_i64 s[12:13], s[0:1], 40 | 24 << 16
    s_mov_b32 s7, s12
    ; pack
    s_mov_b32 s8, s4
    s_mov_b32 s9, 0
    s_bfe_u32 s12, s5, 13 << 16
    s_lshl_b32 s12, s12, 7
    s_or_b32 s8, s8, s12
    s_mov_b32 s14, s6
    s_mov_b32 s15, 0
    s_lshl_b64 s[14:15], s[14:15], 20
    s_or_b64 s[8:9], s[8:9], s[14:15]
    s_lshl_b32 s15, s7, 8
    s_mov_b32 s14, 0
    s_bfm_b64 s[16:17], 24, 40
    s_and_b64 s[14:15], s[14:15], s[16:17]
    s_or_b64 s[8:9], s[8:9], s[14:15]
    ; degenerate: width 0, width beyond the end, full width
    s_bfe_u32 s10, s0, 5
    s_bfe_i32 s11, s1, 24 | 32 << 16    ; cut at bit 31: the arithmetic shift
    s_bfe_u32 s12, s1, 32 << 16         ; the whole register
    s_bfe_i64 s[14:15], s[0:1], 60 | 40 << 16
    s_bfe_u64 s[18:19], s[0:1], 64 << 16
    s_bfm_b32 s20, 0, 7                 ; empty mask
    s_bfm_b32 s21, 31, 4                ; cut off at the top
    s_endpgm
