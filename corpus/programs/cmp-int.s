; All eight predicates on 32- and 64-bit integers, signed and unsigned.
; in:  v0, v1 (32 bits), v[2:3], v[4:5] (64 bits), exec
; out: s[2:3] = fold of the masks
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "fold.inc"
    s_mov_b64 s[2:3], 0
.irp op, f, lt, eq, le, gt, ne, ge, t
    v_cmp_\op\()_i32_e32 vcc, v0, v1
    FOLD vcc
    v_cmp_\op\()_u32_e64 s[10:11], v0, v1
    FOLD s[10:11]
    v_cmp_\op\()_i64_e64 s[12:13], v[2:3], v[4:5]
    FOLD s[12:13]
    v_cmp_\op\()_u64_e32 vcc, v[2:3], v[4:5]
    FOLD vcc
.endr
    s_endpgm
