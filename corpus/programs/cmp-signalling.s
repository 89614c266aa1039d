; The V_CMPS and V_CMPSX forms of gcn1.0 and gcn1.1: same result bits as the plain compares.
; in:  v0, v1 = 32-bit floats, v[2:3], v[4:5] = 64-bit floats, exec
; out: s[2:3] = fold of the masks, s[8:9] = lanes left by the last compare
; generations: gcn1.0 gcn1.1
.include "fold.inc"
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[12:13], exec
.irp op, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
    v_cmps_\op\()_f32_e32 vcc, v0, v1
    FOLD vcc
    v_cmps_\op\()_f64_e64 s[10:11], v[2:3], v[4:5]
    FOLD s[10:11]
    v_cmpsx_\op\()_f32_e64 s[10:11], v1, v0
    FOLD exec
    v_cmpsx_\op\()_f64_e32 vcc, v[4:5], v[2:3]      ; among the lanes that are left
    FOLD vcc
    s_mov_b64 s[8:9], exec
    s_mov_b64 exec, s[12:13]
.endr
    s_endpgm
