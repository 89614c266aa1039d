; Output modifiers in a mode where they act (IEEE = 0, binary32 denormals flushed): OMOD, CLAMP, and ABS and NEG on
; the way in.
; in:  v0, v1
; out: v2 = 2 (x + y), v3 = 4 (x - y), v4 = x y / 2, v5 = |x| - |y| clamped to 0..1, v6 = -|x| y + x, v7 = (x + y) / 2
;      clamped, v8 = -x where y < 0, else |y|, v9 = the larger of |x| and -y, times 2, v10 = x y with V_MUL_LEGACY_F32
;      (0 * inf = 0)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    v_add_f32 v2, v0, v1 mul:2
    v_sub_f32 v3, v0, v1 mul:4
    v_mul_f32 v4, v0, v1 div:2
    v_sub_f32 v5, |v0|, |v1| clamp
    v_mad_f32 v6, -|v0|, v1, v0
    v_add_f32 v7, v0, v1 clamp div:2
    v_cmp_gt_f32 vcc, 0, v1
    v_cndmask_b32 v8, |v1|, -v0, vcc
    v_max_f32 v9, |v0|, -v1 mul:2
    v_mul_legacy_f32 v10, v0, v1
    s_endpgm
