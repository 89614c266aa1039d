; Division of binary64 as LLVM expands it: V_DIV_SCALE, V_RCP, two Newton steps, V_DIV_FMAS, V_DIV_FIXUP. Exactly
; rounded.
; in:  v[0:1] = numerators, v[2:3] = denominators
; out: v[4:5] = quotients, v[6:7] = the reverse quotients
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro DIVIDE q, n, d                   ; numbers of pairs
    v_div_scale_f64 v[20:21], s[2:3], v[\d:\d+1], v[\d:\d+1], v[\n:\n+1]
    v_rcp_f64 v[22:23], v[20:21]
    v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
    v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
    v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
    v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
    v_div_scale_f64 v[26:27], vcc, v[\n:\n+1], v[\d:\d+1], v[\n:\n+1]
    v_mul_f64 v[28:29], v[26:27], v[22:23]
    v_fma_f64 v[24:25], -v[20:21], v[28:29], v[26:27]
    .if GCN == 10                       ; the flag does not work there: was exactly one scaled?
        v_cmp_eq_u32 vcc, v[\d+1], v21
        v_cmp_eq_u32 s[2:3], v[\n+1], v27
        s_xor_b64 vcc, vcc, s[2:3]
    .endif
    v_div_fmas_f64 v[28:29], v[24:25], v[22:23], v[28:29]
    v_div_fixup_f64 v[\q:\q+1], v[28:29], v[\d:\d+1], v[\n:\n+1]
.endm
    DIVIDE 4, 0, 2
    DIVIDE 6, 2, 0
    CLEAR 20, 10
    s_mov_b64 vcc, 0
    s_mov_b64 s[2:3], 0
    s_endpgm
