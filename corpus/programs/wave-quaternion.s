; Quaternion products in binary32, q = q * r again and again, by V_MUL, V_MAD and V_MAC (two roundings each).
; in:  v[0:3] = q (w, x, y, z), v[4:7] = r, s0 = products
; out: v[0:3], v8 = the squared norm, v9 = the rotated unit vector's x component: 1 - 2 (y^2 + z^2)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
product:
    v_mul_f32 v10, v0, v4
    v_mad_f32 v10, -v1, v5, v10
    v_mad_f32 v10, -v2, v6, v10
    v_mad_f32 v10, -v3, v7, v10
    v_mul_f32 v11, v0, v5
    v_mac_f32 v11, v1, v4
    v_mac_f32 v11, v2, v7
    v_mad_f32 v11, v3, -v6, v11
    v_mul_f32 v12, v0, v6
    v_mad_f32 v12, v1, -v7, v12
    v_mac_f32 v12, v2, v4
    v_mac_f32 v12, v3, v5
    v_mul_f32 v13, v0, v7
    v_mac_f32 v13, v1, v6
    v_mad_f32 v13, v2, v5, -v13         ; -(w z + x y) + y x ...
    v_sub_f32 v13, 0, v13               ; ... turned round: w z + x y - y x
    v_mac_f32 v13, v3, v4
    v_mov_b32 v0, v10
    v_mov_b32 v1, v11
    v_mov_b32 v2, v12
    v_mov_b32 v3, v13
    REPEAT s0, product
    v_mul_f32 v8, v0, v0
    v_mac_f32 v8, v1, v1
    v_mac_f32 v8, v2, v2
    v_mac_f32 v8, v3, v3
    v_mul_f32 v10, v2, v2
    v_mac_f32 v10, v3, v3
    v_mad_f32 v9, v10, -2.0, 1.0
    CLEAR 10, 4
    s_endpgm
