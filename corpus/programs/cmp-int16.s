; All eight predicates on 16-bit integers, signed and unsigned; the upper halves must not matter.
; in:  v0, v1, s20, exec
; out: s[2:3] = fold of the masks
; generations: gcn1.2 gcn1.4
.include "fold.inc"
    s_mov_b64 s[2:3], 0
.irp op, f, lt, eq, le, gt, ne, ge, t
    v_cmp_\op\()_i16_e32 vcc, v0, v1
    FOLD vcc
    v_cmp_\op\()_u16_e64 s[10:11], v0, v1
    FOLD s[10:11]
    v_cmp_\op\()_i16_e64 s[12:13], -1, v0
    FOLD s[12:13]
    v_cmp_\op\()_u16_e32 vcc, s20, v0
    FOLD vcc
.endr
    s_endpgm
