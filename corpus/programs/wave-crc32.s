; CRC-32 of 64 messages of 24 bytes: the words of a linear congruential generator per lane, first byte highest.
; The words are turned by V_PERM_B32, or with two rotations before gcn1.2.
; in:  v0 = seeds
; out: v1 = CRC
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    s_mov_b32 s1, 1664525
    s_mov_b32 s2, 0xedb88320
    s_mov_b32 s3, 0x00010203
    s_mov_b32 s4, 0x00ff00ff
    v_mov_b32 v1, -1
    s_movk_i32 s0, 6
word:
    v_mul_lo_u32 v0, v0, s1
    VADD v0, 1013904223, v0
    .if GCN >= 12
        v_perm_b32 v2, v0, v0, s3
    .else
        ROTR v2, v0, 24
        ROTR v3, v0, 8
        v_bfi_b32 v2, s4, v2, v3
    .endif
    v_xor_b32 v1, v1, v2
    s_movk_i32 s5, 4
byte:
.rept 8
    v_bfe_i32 v3, v1, 0, 1              ; all ones if the lowest bit is set
    v_and_b32 v3, s2, v3
    v_lshrrev_b32 v1, 1, v1
    v_xor_b32 v1, v1, v3
.endr
    REPEAT s5, byte
    REPEAT s0, word
    v_not_b32 v1, v1
    CLEAR 2, 2
    s_endpgm
