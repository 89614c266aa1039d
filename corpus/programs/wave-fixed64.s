; Fixed-point filters: 64-bit sums of signed products (V_MAD_I64_I32), high halves, long shifts; averages and masked
; distances.
; in:  v[0:3] = samples, s[8:11] = taps
; out: v[4:5] = sum of products, v6 = that >> 20, v7 = sum of the high halves, v8 = averages of the bytes of v0 and v1
;      rounded up where v2 has a bit 0, v9 = averages over v[0:3], v[12:15] = masked distances of four places of
;      v[0:1] from v2, v[16:17] = the same as halfwords, plus 1, 2, 3, 4
; generations: gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    v_mad_i64_i32 v[4:5], vcc, v0, s8, v[4:5]
    v_mad_i64_i32 v[4:5], vcc, v1, s9, v[4:5]
    v_mad_i64_i32 v[4:5], vcc, v2, s10, v[4:5]
    v_mad_i64_i32 v[4:5], vcc, v3, s11, v[4:5]
    .if GCN >= 12
        v_ashrrev_i64 v[10:11], 20, v[4:5]
    .else
        v_ashr_i64 v[10:11], v[4:5], 20
    .endif
    v_mov_b32 v6, v10
    v_mul_hi_i32 v7, v0, s8
    v_mul_hi_i32 v10, v1, s9
    VADD v7, v7, v10
    v_mul_hi_i32 v10, v2, s10
    VADD v7, v7, v10
    v_mul_hi_i32 v10, v3, s11
    VADD v7, v7, v10
    v_lerp_u8 v8, v0, v1, v2
    v_lerp_u8 v9, v0, v1, 0
    v_lerp_u8 v10, v2, v3, 0
    v_lerp_u8 v9, v9, v10, 0
    v_mov_b32 v20, 0
    v_mov_b32 v21, 0
    v_mov_b32 v22, 0
    v_mov_b32 v23, 0
    v_mqsad_u32_u8 v[12:15], v[0:1], v2, v[20:23]
    v_mov_b32 v20, 0x00020001
    v_mov_b32 v21, 0x00040003
    v_mqsad_pk_u16_u8 v[16:17], v[0:1], v2, v[20:21]
    CLEAR 10, 2
    CLEAR 20, 2
    s_mov_b64 vcc, 0
    s_endpgm
