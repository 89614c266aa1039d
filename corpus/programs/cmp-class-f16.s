; V_CMP_CLASS_F16 and V_CMPX_CLASS: classes of 16-bit floats, then narrowing EXEC to the finite negative lanes.
; in:  v0 = 16-bit floats in bits 15:0, exec
; out: s32..s41 = lanes of each class, s[10:11] = finite negative lanes
; generations: gcn1.2 gcn1.4
    s_mov_b32 m0, 0
    s_movk_i32 s0, 1
class:
    v_cmp_class_f16_e64 s[6:7], v0, s0
    s_bcnt1_i32_b64 s1, s[6:7]
    s_movreld_b32 s32, s1
    s_lshl_b32 s0, s0, 1
    s_add_u32 m0, m0, 1
    s_cmp_lt_u32 m0, 10
    s_cbranch_scc1 class
    s_mov_b64 s[8:9], exec
    s_movk_i32 s0, 1 << 3 | 1 << 4 | 1 << 5
    v_cmpx_class_f16_e64 s[10:11], v0, s0
    s_xor_b64 s[12:13], s[10:11], exec  ; equal: all zero
    s_mov_b64 exec, s[8:9]
    s_endpgm
