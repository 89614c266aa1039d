; Saturating 32-bit signed accumulation: s_add_i32 / s_sub_i32 set SCC on overflow; s_abs, s_absdiff, s_sext.
; in:  s0 = seed, s1 = steps
; out: s2 = saturated sum, s3 = overflows met, s4 = sum of |8-bit part|, s5 = sum of |a - b| of 16-bit parts
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[2:3], 0
    s_mov_b64 s[4:5], 0
step:
    s_mul_i32 s0, s0, 1103515245
    s_add_u32 s0, s0, 12345
    s_ashr_i32 s8, s0, 2
    s_bitcmp1_b32 s0, 7
    s_cbranch_scc1 subtract
    s_add_i32 s9, s2, s8
    s_cbranch_scc0 store
    s_branch saturate
subtract:
    s_sub_i32 s9, s2, s8
    s_cbranch_scc0 store
saturate:
    s_addk_i32 s3, 1
    s_ashr_i32 s9, s2, 31               ; the old sum's sign decides: MAX or MIN
    s_xor_b32 s9, s9, 0x7fffffff
store:
    s_mov_b32 s2, s9
    s_lshr_b32 s10, s0, 9
    s_sext_i32_i8 s10, s10
    s_abs_i32 s10, s10
    s_add_u32 s4, s4, s10
    s_sext_i32_i16 s11, s0
    s_ashr_i32 s12, s0, 16
    s_absdiff_i32 s11, s11, s12
    s_add_u32 s5, s5, s11
    s_sub_u32 s1, s1, 1
    s_cmp_lg_u32 s1, 0
    s_cbranch_scc1 step
    s_endpgm
