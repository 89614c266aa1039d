; Compares against inline constants, literals and scalar registers of every type.
; in:  v0 (32 bits), v[2:3] (64 bits), s20, s[22:23], exec
; out: s[2:3] = fold of the masks
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "fold.inc"
.macro TEST op, a, b
    \op vcc, \a, \b
    FOLD vcc
.endm
    s_mov_b64 s[2:3], 0
    TEST v_cmp_eq_u32_e32, 0, v0
    TEST v_cmp_eq_u32_e32, 64, v0
    TEST v_cmp_gt_i32_e32, -16, v0
    TEST v_cmp_eq_u32_e32, 1.0, v0              ; the bit pattern of the float
    TEST v_cmp_lt_u32_e32, 0x12345678, v0       ; literal
    TEST v_cmp_le_i32_e32, s20, v0
    TEST v_cmp_lt_f32_e32, -4.0, v0
    TEST v_cmp_gt_f32_e32, 0x40490fdb, v0       ; pi
    TEST v_cmp_ge_f32_e32, 0.5, v0
    TEST v_cmp_lg_f32_e32, 1, v0                ; integer 1 is the smallest denormal, not 1.0
    TEST v_cmp_lt_i64_e32, -1, v[2:3]
    TEST v_cmp_eq_u64_e32, -16, v[2:3]          ; sign-extended to 64 bits in both
    TEST v_cmp_gt_i64_e32, 0x80000000, v[2:3]   ; literal: sign-extended
    TEST v_cmp_gt_u64_e32, 0x80000000, v[2:3]   ; literal: zero-extended
    TEST v_cmp_eq_u64_e32, 1.0, v[2:3]          ; the bit pattern of the double
    TEST v_cmp_lt_u64_e32, s[22:23], v[2:3]
    TEST v_cmp_gt_f64_e32, 1.0, v[2:3]
    TEST v_cmp_gt_f64_e32, 0x40091eb8, v[2:3]   ; literal: the high half
    TEST v_cmp_le_f64_e32, s[22:23], v[2:3]
    TEST v_cmp_ne_u64_e32, exec, v[2:3]
    TEST v_cmp_ge_u64_e32, vcc, v[2:3]          ; VCC as source and destination
    s_mov_b32 m0, 100
    TEST v_cmp_lt_u32_e32, m0, v0
    v_cmp_lt_f32_e64 s[10:11], v0, 2.0
    FOLD s[10:11]
    v_cmp_gt_i32_e64 s[10:11], v0, s20
    FOLD s[10:11]
.if GCN >= 12
    TEST v_cmp_lt_f32_e32, 0.15915494, v0       ; 1/(2*pi)
    TEST v_cmp_gt_f16_e32, 0.5, v0
    TEST v_cmp_lt_u16_e32, 0x8000, v0
.endif
    s_endpgm
