; Greatest common divisors by the binary algorithm, a divergent loop.
; in:  v0, v1 (not 0), exec
; out: v0 = gcd of the active lanes
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
    s_mov_b64 s[2:3], exec
    v_or_b32 v2, v0, v1
    v_ffbl_b32 v2, v2                   ; the power of two of the result
    v_ffbl_b32 v3, v0
    v_lshrrev_b32 v0, v3, v0
step:
    v_ffbl_b32 v3, v1
    v_lshrrev_b32 v1, v3, v1
    v_min_u32 v3, v0, v1
    v_max_u32 v1, v0, v1
    v_mov_b32 v0, v3
    VSUB v1, v1, v3
    v_cmp_ne_u32 vcc, 0, v1
    s_and_b64 exec, exec, vcc
    s_cbranch_execnz step
    s_mov_b64 exec, s[2:3]
    v_lshlrev_b32 v0, v2, v0
    s_endpgm
