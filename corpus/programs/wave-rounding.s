; The four rounding modes: sums of products, and rounding to integers, for binary32 and binary64 (and their
; conversions).
; in:  v0, v1 = binary32, v[2:3], v[4:5] = binary64
; out: per mode m (0 even, 1 up, 2 down, 3 to zero): v[8+m] = v0 * v1 + v0 with two roundings, v[12+m] = fused,
;      v[16+2m:17+2m] = v[2:3] * v[4:5] rounded, then + v[2:3] fused with v[4:5], v[24+m] = v[2:3] as binary32; v28,
;      v29, v30, v31 = v0 * 1024 rounded even, up, down, to zero to an integer
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.set M, 0
.rept 4
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5*M
    v_mul_f32 v6, v0, v1
    v_add_f32 v[8+M], v6, v0
    v_fma_f32 v[12+M], v0, v1, v0
    v_mul_f64 v[6:7], v[2:3], v[4:5]
    v_fma_f64 v[16+2*M:17+2*M], v[4:5], v[2:3], v[6:7]
    v_cvt_f32_f64 v[24+M], v[2:3]
    .set M, M+1
.endr
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
    v_mul_f32 v6, 0x44800000, v0
    v_rndne_f32 v28, v6
    v_ceil_f32 v29, v6
    v_floor_f32 v30, v6
    v_trunc_f32 v31, v6
    CLEAR 6, 2
    s_endpgm
