; ABS and NEG on float compares (VOP3), NaNs included, and their effect on classes.
; in:  v0, v1 = 32-bit floats, v[2:3], v[4:5] = 64-bit floats, exec
; out: s[2:3] = fold of the masks
; generations: gcn1.0 gcn1.2 gcn1.4
.include "fold.inc"
    s_mov_b64 s[2:3], 0
.irp op, lt, eq, ge, lg, nle, u
    v_cmp_\op\()_f32_e64 s[10:11], |v0|, v1
    FOLD s[10:11]
    v_cmp_\op\()_f32_e64 s[10:11], -v0, v1
    FOLD s[10:11]
    v_cmp_\op\()_f32_e64 s[10:11], v0, -|v1|
    FOLD s[10:11]
    v_cmp_\op\()_f32_e64 s[10:11], -|v0|, |v1|
    FOLD s[10:11]
    v_cmp_\op\()_f64_e64 s[10:11], |v[2:3]|, -v[4:5]
    FOLD s[10:11]
    v_cmp_\op\()_f64_e64 s[10:11], -|v[2:3]|, |v[4:5]|
    FOLD s[10:11]
.endr
    s_movk_i32 s20, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5       ; the negative classes
    v_cmp_class_f32_e64 s[10:11], v0, s20
    FOLD s[10:11]
    v_cmp_class_f32_e64 s[10:11], -v0, s20
    FOLD s[10:11]
    v_cmp_class_f32_e64 s[10:11], |v0|, s20
    FOLD s[10:11]
    v_cmp_class_f64_e64 s[10:11], -|v[2:3]|, s20
    FOLD s[10:11]
    s_endpgm
