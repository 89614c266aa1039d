; All inline constants as 32-bit and 64-bit operands, and literals in 64-bit operands (zero- or sign-extended by type).
; out: s[2:3] = sum of the 32-bit readings, s[4:5] = sum of the 64-bit readings,
;      s[6:7] = literal through s_mov_b64, s[8:9] = through s_ashr_i64, s[10:11] = through s_bfe_i64, s12 = s_flbit_i32_i64
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro BOTH c
    s_mov_b32 s20, \c
    s_add_u32 s2, s2, s20
    s_addc_u32 s3, s3, 0
    s_mov_b64 s[20:21], \c
    s_add_u32 s4, s4, s20
    s_addc_u32 s5, s5, s21
.endm
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[4:5], 0
.set I, -16
.rept 81
    BOTH I
    .set I, I+1
.endr
.irp c, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0
    BOTH \c
.endr
.if GCN >= 12
    BOTH 0.15915494309189532
.endif
    s_mov_b64 s[6:7], 0x80000000
    s_ashr_i64 s[8:9], 0x80000000, 4
    s_mov_b32 s13, 64 << 16
    s_bfe_i64 s[10:11], 0x80000001, s13
    s_flbit_i32_i64 s12, 0x80000000     ; sign-extended: 33 equal bits on top
    s_endpgm
