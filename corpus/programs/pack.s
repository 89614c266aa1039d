; 16-bit halves packed and unpacked with s_pack and s_lshlN_add: a fixed-point dot product of packed pairs.
; in:  s0..s7 = words of two signed 16-bit numbers
; out: s8 = sum over neighbours (s0,s1), (s2,s3), ... of lo*lo + hi*hi, s10, s11, s12 = LL, LH, HH packings of s0 and s1,
;      s13 = s0 * 31 by s_lshlN_add and a subtraction, s14 = carries met
; generations: gcn1.4
    s_mov_b32 s8, 0
    s_mov_b32 m0, 0
pair:
    s_movrels_b32 s20, s0
    s_movrels_b32 s21, s1
    s_sext_i32_i16 s22, s20
    s_sext_i32_i16 s23, s21
    s_mul_i32 s24, s22, s23
    s_add_i32 s8, s8, s24
    s_ashr_i32 s22, s20, 16
    s_ashr_i32 s23, s21, 16
    s_mul_i32 s24, s22, s23
    s_add_i32 s8, s8, s24
    s_add_u32 m0, m0, 2
    s_cmp_lt_u32 m0, 8
    s_cbranch_scc1 pair
    s_pack_ll_b32_b16 s10, s0, s1
    s_pack_lh_b32_b16 s11, s0, s1
    s_pack_hh_b32_b16 s12, s0, s1
    s_mov_b32 s14, 0
    s_lshl1_add_u32 s13, s0, s0         ; 3x
    s_addc_u32 s14, s14, 0
    s_lshl2_add_u32 s15, s0, s13        ; 7x
    s_addc_u32 s14, s14, 0
    s_lshl3_add_u32 s16, s0, s15        ; 15x
    s_addc_u32 s14, s14, 0
    s_lshl4_add_u32 s13, s0, s16        ; 31x
    s_addc_u32 s14, s14, 0
    s_endpgm
