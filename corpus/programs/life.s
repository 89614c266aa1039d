; Conway's Game of Life on an 8x8 torus held in one 64-bit pair, neighbours added bit by bit in parallel.
; in:  s[0:1] = board (bit 8*y + x), s2 = generations
; out: s[0:1] = board afterwards, s3 = live cells
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro ROTL64 d, a, n
    s_lshl_b64 s[50:51], \a, \n
    s_lshr_b64 \d, \a, 64-\n
    s_or_b64 \d, \d, s[50:51]
.endm
; three-bit counters in s[10:11], s[12:13], s[14:15] (ones, twos, fours)
.macro COUNT a
    s_and_b64 s[50:51], s[10:11], \a
    s_xor_b64 s[10:11], s[10:11], \a
    s_and_b64 s[52:53], s[12:13], s[50:51]
    s_xor_b64 s[12:13], s[12:13], s[50:51]
    s_or_b64 s[14:15], s[14:15], s[52:53]       ; 4 and more: only "2 or 3" matters
.endm
    s_mov_b32 s40, 0x7f7f7f7f           ; all columns but the last
    s_mov_b32 s41, s40
    s_mov_b32 s42, 0xfefefefe           ; all columns but the first
    s_mov_b32 s43, s42
generation:
    ; west and east neighbours within the rows
    s_and_b64 s[20:21], s[0:1], s[40:41]
    s_lshl_b64 s[20:21], s[20:21], 1
    s_andn2_b64 s[22:23], s[0:1], s[40:41]
    s_lshr_b64 s[22:23], s[22:23], 7
    s_or_b64 s[20:21], s[20:21], s[22:23]
    s_and_b64 s[22:23], s[0:1], s[42:43]
    s_lshr_b64 s[22:23], s[22:23], 1
    s_andn2_b64 s[24:25], s[0:1], s[42:43]
    s_lshl_b64 s[24:25], s[24:25], 7
    s_or_b64 s[22:23], s[22:23], s[24:25]
    s_mov_b64 s[10:11], 0
    s_mov_b64 s[12:13], 0
    s_mov_b64 s[14:15], 0
    COUNT s[20:21]
    COUNT s[22:23]
    ROTL64 s[30:31], s[20:21], 8
    COUNT s[30:31]
    ROTL64 s[30:31], s[20:21], 56
    COUNT s[30:31]
    ROTL64 s[30:31], s[22:23], 8
    COUNT s[30:31]
    ROTL64 s[30:31], s[22:23], 56
    COUNT s[30:31]
    ROTL64 s[30:31], s[0:1], 8
    COUNT s[30:31]
    ROTL64 s[30:31], s[0:1], 56
    COUNT s[30:31]
    ; alive next: three neighbours, or two and alive
    s_andn2_b64 s[12:13], s[12:13], s[14:15]
    s_or_b64 s[10:11], s[10:11], s[0:1]
    s_and_b64 s[0:1], s[10:11], s[12:13]
    s_sub_u32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 generation
    s_bcnt1_i32_b64 s3, s[0:1]
    s_endpgm
