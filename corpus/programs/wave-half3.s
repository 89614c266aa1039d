; Three halves at once: minimum, median and maximum of binary16, packing, normalised integers, and what gcn1.4 calls
; legacy.
; in:  v0, v1 = pairs of binary16 between -1 and 1
; out: v2, v3, v4 = smallest, middle, largest of v0 low, v0 high, v1 low; v5 = v0 high and -v1 low packed, v6 = v0 low
;      and v1 high as signed, v7 = as unsigned 16-bit fractions, v8, v9 = v0 low signed, unsigned; v10 = median in the
;      high half of v1's copy, v11, v12 = v0 low * v1 low + v0 low fused and not (binary16 legacy), v13, v14 = the
;      integer products + v0 of the low halves
; generations: gcn1.4
    v_min3_f16 v2, v0, v0, v1 op_sel:[0,1,0,0]
    v_med3_f16 v3, v0, v0, v1 op_sel:[0,1,0,0]
    v_max3_f16 v4, v0, v0, v1 op_sel:[0,1,0,0]
    v_pack_b32_f16 v5, v0, -v1 op_sel:[1,0,0]
    v_cvt_pknorm_i16_f16 v6, v0, v1 op_sel:[0,1,0]
    v_cvt_pknorm_u16_f16 v7, v0, v1 op_sel:[0,1,0]
    v_cvt_norm_i16_f16 v8, v0
    v_cvt_norm_u16_f16 v9, v0
    v_mov_b32 v10, v1
    v_med3_f16 v10, v0, v0, v1 op_sel:[0,1,0,1]
    v_fma_legacy_f16 v11, v0, v1, v0
    v_mad_legacy_f16 v12, v0, v1, v0
    v_mad_legacy_u16 v13, v0, v1, v0
    v_mad_legacy_i16 v14, v0, v1, v0
    s_endpgm
