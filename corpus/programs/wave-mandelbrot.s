; The Mandelbrot set on a raster of 8 x 8 points: lanes leave the loop when they escape. Binary32, V_MAD not fused.
; in:  s1 = most iterations
; out: v2 = iterations, v0, v1 = the last point
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
    LANE v3
    v_and_b32 v4, 7, v3
    v_lshrrev_b32 v5, 3, v3
    v_cvt_f32_u32 v4, v4
    v_cvt_f32_u32 v5, v5
    v_mov_b32 v8, 0xbff5c28f            ; -1.92
    v_mov_b32 v9, 0xbf8ccccd            ; -1.1
    v_mov_b32 v6, 0x3eb33333            ; 0.35
    v_mac_f32 v8, v4, v6                ; the point c = v8 + i v9
    v_madmk_f32 v9, v5, 0x3e99999a, v9  ; 0.3
    v_mov_b32 v0, 0
    v_mov_b32 v1, 0
    v_mov_b32 v2, 0
    s_mov_b32 s0, s1
iteration:
    v_mul_f32 v4, v0, v0
    v_mul_f32 v5, v1, v1
    v_add_f32 v6, v4, v5
    v_cmp_ge_f32 vcc, 4.0, v6
    s_and_b64 exec, exec, vcc
    s_cbranch_execz done
    v_mul_f32 v7, v0, v1
    v_mad_f32 v1, v7, 2.0, v9
    v_sub_f32 v4, v4, v5
    v_add_f32 v0, v4, v8
    v_add_f32 v2, 1.0, v2
    REPEAT s0, iteration
done:
    s_mov_b64 exec, -1
    v_cvt_u32_f32 v2, v2
    CLEAR 3, 7
    s_mov_b32 s0, 0
    s_endpgm
