; Extended Euclid: x, y with a*x + b*y = gcd(a, b).
; in:  s0 = a, s1 = b, both in 1..2^31-1
; out: s2 = gcd, s3 = x, s4 = y (signed)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.include "udiv.inc"
    s_mov_b32 s10, s0                   ; r0
    s_mov_b32 s11, s1                   ; r1
    s_movk_i32 s12, 1                   ; x0
    s_movk_i32 s13, 0                   ; x1
    s_movk_i32 s14, 0                   ; y0
    s_movk_i32 s15, 1                   ; y1
loop:
    s_cmp_eq_u32 s11, 0
    s_cbranch_scc1 done
    UDIVMOD32 s20, s21, s10, s11, s22
    s_mov_b32 s10, s11
    s_mov_b32 s11, s21
    s_mul_i32 s23, s20, s13
    s_sub_i32 s23, s12, s23
    s_mov_b32 s12, s13
    s_mov_b32 s13, s23
    s_mul_i32 s23, s20, s15
    s_sub_i32 s23, s14, s23
    s_mov_b32 s14, s15
    s_mov_b32 s15, s23
    s_branch loop
done:
    s_mov_b32 s2, s10
    s_mov_b32 s3, s12
    s_mov_b32 s4, s14
    s_endpgm
