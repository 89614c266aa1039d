; All sixteen predicates on 32-bit floats, VOPC and VOP3 form, NaNs, infinities, zeros and denormals among the lanes.
; (Denormals count as zero before gcn1.4, by the MODE a run starts with.)
; in:  v0, v1 = floats, exec
; out: s[2:3] = fold of the masks, s6 = sum of their bits
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "fold.inc"
    s_mov_b64 s[2:3], 0
    s_mov_b32 s6, 0
.irp op, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
    v_cmp_\op\()_f32_e32 vcc, v0, v1
    FOLD vcc
    v_cmp_\op\()_f32_e64 s[10:11], v1, v0
    FOLD s[10:11]
    s_bcnt1_i32_b64 s7, s[10:11]
    s_add_u32 s6, s6, s7
.endr
    s_endpgm
