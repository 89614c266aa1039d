; V_CMP_CLASS: how many lanes are of each of the ten classes, for 32- and 64-bit floats, and with a mask per lane.
; in:  v0 = 32-bit floats, v[2:3] = 64-bit floats, v4 = class masks per lane, exec
; out: s32..s41 = lanes of each class (32 bits), s42..s51 (64 bits), s[10:11] = lanes of v0 whose class is in v4,
;      s[12:13] = lanes with two finite numbers (by V_CMPX_CLASS), s52 = their count
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 m0, 0
    s_movk_i32 s0, 1
class:
    v_cmp_class_f32_e64 s[6:7], v0, s0
    s_bcnt1_i32_b64 s1, s[6:7]
    s_movreld_b32 s32, s1
    v_cmp_class_f64_e64 vcc, v[2:3], s0
    s_bcnt1_i32_b64 s1, vcc
    s_movreld_b32 s42, s1
    s_lshl_b32 s0, s0, 1
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 10
    s_cbranch_scc1 class
    v_cmp_class_f32_e32 vcc, v0, v4
    s_mov_b64 s[10:11], vcc
    s_mov_b64 s[14:15], exec
    s_movk_i32 s0, 0x1f8                ; the finite classes
    v_cmpx_class_f32_e64 s[12:13], v0, s0
    v_cmpx_class_f64_e64 s[12:13], v[2:3], s0
    s_bcnt1_i32_b64 s52, exec
    s_mov_b64 exec, s[14:15]
    s_endpgm
