; Ordered dithering of an 8 x 8 tile (one pixel a lane) in 65 shades: the Bayer threshold of a lane from its bits.
; out: v0 = thresholds, s[2:3] = xor of the tiles, rotated, s4 = white pixels of all shades
; generations: gcn1.0 gcn1.2 gcn1.4
.include "vector.inc"
    LANE v1
    v_lshrrev_b32 v2, 3, v1             ; y
    v_and_b32 v1, 7, v1                 ; x
    v_xor_b32 v1, v1, v2                ; threshold = bits (x^y)0 y0 (x^y)1 y1 (x^y)2 y2, highest first
    v_bfrev_b32 v1, v1                  ; bits 31, 30, 29
    v_bfrev_b32 v2, v2
    v_mov_b32 v0, 0
.irp k, 31, 30, 29
    v_bfe_u32 v3, v1, \k, 1
    v_lshlrev_b32 v0, 1, v0
    v_or_b32 v0, v0, v3
    v_bfe_u32 v3, v2, \k, 1
    v_lshlrev_b32 v0, 1, v0
    v_or_b32 v0, v0, v3
.endr
    s_mov_b64 s[2:3], 0
    s_mov_b32 s4, 0
    s_mov_b32 s0, 0
shade:
    v_cmp_gt_u32 vcc, s0, v0
    s_bcnt1_i32_b64 s5, vcc
    s_add_u32 s4, s4, s5
    s_lshl_b64 s[6:7], s[2:3], 3
    s_lshr_b64 s[2:3], s[2:3], 61
    s_or_b64 s[2:3], s[2:3], s[6:7]
    s_xor_b64 s[2:3], s[2:3], vcc
    s_addk_i32 s0, 1
    s_cmpk_le_u32 s0, 64
    s_cbranch_scc1 shade
    CLEAR 1, 3
    s_endpgm
