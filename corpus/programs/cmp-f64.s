; All sixteen predicates on 64-bit floats, VOPC and VOP3 form.
; in:  v[0:1], v[2:3] = floats, s[20:21] = one float, exec
; out: s[2:3] = fold of the masks
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "fold.inc"
    s_mov_b64 s[2:3], 0
.irp op, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
    v_cmp_\op\()_f64_e32 vcc, v[0:1], v[2:3]
    FOLD vcc
    v_cmp_\op\()_f64_e64 s[10:11], s[20:21], v[0:1]
    FOLD s[10:11]
.endr
    s_endpgm
