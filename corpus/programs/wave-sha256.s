; SHA-256 of 64 messages at once: lane n hashes 13 words, word i being (n + 1) * (i + 1) * 0x9e3779b1 (big-endian).
; in:  s[32:95] = round constants
; out: v[16:23] = digest words
; generations: gcn1.0 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro SMALL_SIGMA d, x, p, q, r
    ROTR \d, \x, \p
    ROTR v25, \x, \q
    v_xor_b32 \d, \d, v25
    v_lshrrev_b32 v25, \r, \x
    v_xor_b32 \d, \d, v25
.endm
.macro BIG_SIGMA d, x, p, q, r
    ROTR \d, \x, \p
    ROTR v25, \x, \q
    v_xor_b32 \d, \d, v25
    ROTR v25, \x, \r
    v_xor_b32 \d, \d, v25
.endm
.macro ROUND i                          ; a..h rotate through v[16:23]
    s_movrels_b32 s0, s32
    s_add_u32 m0, m0, 1
    BIG_SIGMA v24, v[16+((4-\i)&7)], 6, 11, 25
    v_bfi_b32 v25, v[16+((4-\i)&7)], v[16+((5-\i)&7)], v[16+((6-\i)&7)]
    .if GCN >= 14
        v_add3_u32 v[16+((7-\i)&7)], v[16+((7-\i)&7)], v24, v25
        v_add3_u32 v[16+((7-\i)&7)], v[16+((7-\i)&7)], v[\i], s0
    .else
        VADD v[16+((7-\i)&7)], v[16+((7-\i)&7)], v24
        VADD v[16+((7-\i)&7)], v[16+((7-\i)&7)], v25
        VADD v[16+((7-\i)&7)], v[16+((7-\i)&7)], v[\i]
        VADD v[16+((7-\i)&7)], s0, v[16+((7-\i)&7)]
    .endif
    VADD v[16+((3-\i)&7)], v[16+((3-\i)&7)], v[16+((7-\i)&7)]
    BIG_SIGMA v24, v[16+((0-\i)&7)], 2, 13, 22
    VADD v[16+((7-\i)&7)], v[16+((7-\i)&7)], v24
    v_xor_b32 v25, v[16+((0-\i)&7)], v[16+((1-\i)&7)]           ; majority: where a and b differ, c decides
    v_bfi_b32 v25, v25, v[16+((2-\i)&7)], v[16+((1-\i)&7)]
    VADD v[16+((7-\i)&7)], v[16+((7-\i)&7)], v25
.endm
.macro SCHEDULE i
    SMALL_SIGMA v24, v[(\i+1)&15], 7, 18, 3
    VADD v[\i], v[\i], v24
    VADD v[\i], v[\i], v[(\i+9)&15]
    SMALL_SIGMA v24, v[(\i+14)&15], 17, 19, 10
    VADD v[\i], v[\i], v24
.endm
    LANE v0
    VADD v0, 1, v0
    s_mov_b32 s0, 0x9e3779b1
    v_mul_lo_u32 v0, v0, s0
.set I, 1
.rept 12
    VADD v[I], v[I-1], v0
    .set I, I+1
.endr
    v_bfrev_b32 v13, 1
    v_mov_b32 v14, 0
    v_mov_b32 v15, 416
.set I, 16
.irp h, 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    v_mov_b32 v[I], \h
    .set I, I+1
.endr
    s_mov_b32 m0, 0
sixteen:
.set I, 0
.rept 16
    ROUND I
    .set I, I+1
.endr
    s_cmp_eq_u32 m0, 64
    s_cbranch_scc1 done
.set I, 0
.rept 16
    SCHEDULE I
    .set I, I+1
.endr
    s_branch sixteen
done:
.set I, 16
.irp h, 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    VADD v[I], \h, v[I]
    .set I, I+1
.endr
    CLEAR 0, 16
    CLEAR 24, 2
    s_endpgm
