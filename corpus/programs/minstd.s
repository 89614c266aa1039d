; Park-Miller generator x = 16807 * x mod (2^31 - 1) by Schrage's method, in signed arithmetic.
; in:  s0 = seed, s1 = steps
; out: s2 = state after the steps
; generations: gcn1.0 gcn1.1
.set QUOTIENT, 127773                   ; (2^31 - 1) / 16807
.set REST, 2836                         ; (2^31 - 1) % 16807
    s_mov_b32 s2, s0
step:
    ; s3 = x / QUOTIENT, s4 = x % QUOTIENT: x >> 17 is never too big an estimate; repeat on the rest
    s_mov_b32 s3, 0
    s_mov_b32 s4, s2
refine:
    s_lshr_b32 s5, s4, 17
    s_cbranch_scc0 last
    s_add_u32 s3, s3, s5
    s_mul_i32 s5, s5, QUOTIENT
    s_sub_i32 s4, s4, s5
    s_branch refine
last:
    s_cmp_ge_i32 s4, QUOTIENT
    s_cbranch_scc0 exact
    s_sub_i32 s4, s4, QUOTIENT
    s_addk_i32 s3, 1
exact:
    s_mulk_i32 s4, 16807
    s_mulk_i32 s3, REST
    s_sub_i32 s2, s4, s3
    s_cmp_gt_i32 s2, 0
    s_cbranch_scc1 positive
    s_add_i32 s2, s2, 0x7fffffff
positive:
    s_sub_u32 s1, s1, 1
    s_cmp_lg_u32 s1, 0
    s_cbranch_scc1 step
    s_endpgm
