; All sixteen predicates on 16-bit floats; the upper halves of the registers hold other numbers that must not matter.
; in:  v0, v1 = floats in bits 15:0, exec
; out: s[2:3] = fold of the masks
; generations: gcn1.2 gcn1.4
.include "fold.inc"
    s_mov_b64 s[2:3], 0
.irp op, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
    v_cmp_\op\()_f16_e32 vcc, v0, v1
    FOLD vcc
    v_cmp_\op\()_f16_e64 s[10:11], v1, 1.0
    FOLD s[10:11]
.endr
    s_endpgm
