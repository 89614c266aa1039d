; Conversions between integers and floats.
; in:  v0 = binary32, v[2:3] = binary64, v4 = integers, v1 = binary32 between -1.5 and 1.5
; out: v8, v9 = i32 and u32 of v0, v10, v11 = of v[2:3], v12, v13 = floor and round half up of v0, v14, v15 = binary32
;      of signed and unsigned v4, v[16:17], v[18:19] = binary64 of both, v20..v23 = bytes of v4 as binary32, v24 =
;      4-bit offset, v25 = v[2:3] as binary32, v[26:27] = v0 as binary64, v28 = v1 as binary16, v29 = that as
;      binary32, v30 = v1 and v0 as binary16 toward zero, v31, v32 = v1 and -v1 as signed and unsigned 16-bit
;      fractions, v33, v34 = v4 and v4 >> 9 cut to u16, to i16 (arithmetic shift), v35 = v4 with byte 2 = v1 * 200
;      rounded
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_cvt_i32_f32 v8, v0
    v_cvt_u32_f32 v9, v0
    v_cvt_i32_f64 v10, v[2:3]
    v_cvt_u32_f64 v11, v[2:3]
    v_cvt_flr_i32_f32 v12, v0
    v_cvt_rpi_i32_f32 v13, v0
    v_cvt_f32_i32 v14, v4
    v_cvt_f32_u32 v15, v4
    v_cvt_f64_i32 v[16:17], v4
    v_cvt_f64_u32 v[18:19], v4
    v_cvt_f32_ubyte0 v20, v4
    v_cvt_f32_ubyte1 v21, v4
    v_cvt_f32_ubyte2 v22, v4
    v_cvt_f32_ubyte3 v23, v4
    v_cvt_off_f32_i4 v24, v4
    v_cvt_f32_f64 v25, v[2:3]
    v_cvt_f64_f32 v[26:27], v0
    v_cvt_f16_f32 v28, v1
    v_cvt_f32_f16 v29, v28
    v_cvt_pkrtz_f16_f32 v30, v1, v0
    v_cvt_pknorm_i16_f32 v31, v1, -v1
    v_cvt_pknorm_u16_f32 v32, v1, -v1
    v_lshrrev_b32 v36, 9, v4
    v_cvt_pk_u16_u32 v33, v4, v36
    v_ashrrev_i32 v36, 9, v4
    v_cvt_pk_i16_i32 v34, v4, v36
    v_mul_f32 v36, 0x43480000, v1
    v_cvt_pk_u8_f32 v35, v36, 2, v4
    CLEAR 36, 1
    s_endpgm
