; Every V_CMPX of the plain families, VOP3 and VOPC form in turn; EXEC folds into a hash and is restored each time.
; in:  v0, v1 (32 bits and, from gcn1.2 on, 16 bits), v[2:3], v[4:5] (64 bits), exec
; out: s[2:3] = fold of EXEC and destination after each compare
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "fold.inc"
.macro BOTH name, a, b
    v_cmpx_\name\()_e32 vcc, \a, \b
    FOLD vcc
    FOLD exec
    s_mov_b64 exec, s[8:9]
    v_cmpx_\name\()_e64 s[10:11], \b, \a
    FOLD s[10:11]
    FOLD exec
    s_mov_b64 exec, s[8:9]
.endm
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[8:9], exec
.irp op, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
    BOTH \op\()_f32, v0, v1
    BOTH \op\()_f64, v[2:3], v[4:5]
.if GCN >= 12
    BOTH \op\()_f16, v0, v1
.endif
.endr
.irp op, f, lt, eq, le, gt, ne, ge, t
    BOTH \op\()_i32, v0, v1
    BOTH \op\()_u32, v0, v1
    BOTH \op\()_i64, v[2:3], v[4:5]
    BOTH \op\()_u64, v[2:3], v[4:5]
.if GCN >= 12
    BOTH \op\()_i16, v0, v1
    BOTH \op\()_u16, v0, v1
.endif
.endr
    s_endpgm
