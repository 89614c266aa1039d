; Cube map coordinates: face, and the place on it as a texture unit wants it.
; in:  v0, v1, v2 = direction; the largest component is a power of two
; out: v3 = face, v4, v5 = coordinates / |major axis| + 1.5 (1 to 2), v6 = major axis, v7 = lanes of this lane's face
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
    v_cubeid_f32 v3, v0, v1, v2
    v_cubesc_f32 v4, v0, v1, v2
    v_cubetc_f32 v5, v0, v1, v2
    v_cubema_f32 v6, v0, v1, v2
    v_rcp_f32 v8, |v6|                  ; exact: a power of two
    v_mov_b32 v9, 0x3fc00000            ; 1.5
    v_mad_f32 v4, v4, v8, v9
    v_mad_f32 v5, v5, v8, v9
    s_mov_b64 s[2:3], exec
face:
    v_readfirstlane_b32 s4, v3
    v_cmp_eq_f32 vcc, s4, v3
    s_and_saveexec_b64 s[6:7], vcc
    s_bcnt1_i32_b64 s5, exec
    v_mov_b32 v7, s5
    s_andn2_b64 exec, s[6:7], exec
    s_cbranch_execnz face
    s_mov_b64 exec, s[2:3]
    CLEAR 8, 2
    s_endpgm
