; 256-bit sums with carry chains: lane n makes n + 40 steps of (a, b) = (b, a + b), then c = a - b, borrow in SGPRs.
; out: v[0:7] = a, v[8:15] = b, v[16:23] = c (from a = n, b = 2^256 - 1 - n)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "vector.inc"
    LANE v0
    VADD v24, 40, v0
    v_not_b32 v8, v0
.set I, 1
.rept 7
    v_mov_b32 v[I], 0
    v_mov_b32 v[8+I], -1
    .set I, I+1
.endr
step:
    ADD_FIRST v16, v0, v8
.set I, 1
.rept 7
    ADD_NEXT v[16+I], v[I], v[8+I]
    .set I, I+1
.endr
.set I, 0
.rept 8
    v_mov_b32 v[I], v[8+I]
    v_mov_b32 v[8+I], v[16+I]
    .set I, I+1
.endr
    VADD v24, -1, v24
    v_cmp_lt_i32 vcc, 0, v24
    s_and_b64 exec, exec, vcc
    s_cbranch_execnz step
    s_mov_b64 exec, -1
    .if GCN >= 14
        v_sub_co_u32_e64 v16, s[4:5], v0, v8
    .elseif GCN >= 12
        v_sub_u32_e64 v16, s[4:5], v0, v8
    .else
        v_sub_i32_e64 v16, s[4:5], v0, v8
    .endif
.set I, 1
.rept 7
    .if GCN >= 14
        v_subb_co_u32_e64 v[16+I], s[4:5], v[I], v[8+I], s[4:5]
    .else
        v_subb_u32_e64 v[16+I], s[4:5], v[I], v[8+I], s[4:5]
    .endif
    .set I, I+1
.endr
    CLEAR 24, 1
    s_mov_b64 vcc, 0
    s_endpgm
