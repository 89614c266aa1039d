; ChaCha20: 64 blocks of key stream, one per lane; the sixteen words of a block are folded to four.
; in:  s[0:15] = the state, the counter of lane 0 in s12
; out: v[0:3] = xor of the rows
; generations: gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
.macro MIX a, d, b, n                   ; a += b, d = (d ^ a) <<< n
    VADD v\a, v\a, v\b
    v_xor_b32 v\d, v\d, v\a
    ROTR v\d, v\d, 32-\n
.endm
.macro QUARTER a, b, c, d
    MIX \a, \d, \b, 16
    MIX \c, \b, \d, 12
    MIX \a, \d, \b, 8
    MIX \c, \b, \d, 7
.endm
    LANE v16
.set I, 0
.rept 16
    v_mov_b32 v[I], s[I]
    .set I, I+1
.endr
    VADD v12, v12, v16
    s_movk_i32 s20, 10
double_round:
    QUARTER 0, 4, 8, 12
    QUARTER 1, 5, 9, 13
    QUARTER 2, 6, 10, 14
    QUARTER 3, 7, 11, 15
    QUARTER 0, 5, 10, 15
    QUARTER 1, 6, 11, 12
    QUARTER 2, 7, 8, 13
    QUARTER 3, 4, 9, 14
    REPEAT s20, double_round
.set I, 0
.rept 16
    VADD v[I], s[I], v[I]
    .set I, I+1
.endr
    VADD v12, v12, v16
.set I, 0
.rept 4
    v_xor_b32 v[I], v[I], v[I+4]
    v_xor_b32 v[I], v[I], v[I+8]
    v_xor_b32 v[I], v[I], v[I+12]
    .set I, I+1
.endr
    CLEAR 4, 13
    s_endpgm
