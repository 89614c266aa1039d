; PCG32 (XSH-RR): 64-bit linear congruential state, data-dependent rotation of the output.
; in:  s[0:1] = state, s[2:3] = increment (odd), s4 = outputs to draw
; out: s5 = xor of all outputs, s6 = the last one, s[0:1] = final state
; generations: gcn1.4
; needs s_mul_hi_u32
    s_mov_b32 s8, 0x4c957f2d            ; multiplier 6364136223846793005
    s_mov_b32 s9, 0x5851f42d
    s_mov_b32 s5, 0
draw:
    ; output from the old state
    s_lshr_b64 s[10:11], s[0:1], 18
    s_xor_b64 s[10:11], s[10:11], s[0:1]
    s_lshr_b64 s[10:11], s[10:11], 27
    s_lshr_b32 s12, s1, 27              ; rotation
    s_mov_b32 s11, s10
    s_lshr_b64 s[10:11], s[10:11], s12
    s_mov_b32 s6, s10
    s_xor_b32 s5, s5, s6
    ; state = state * multiplier + increment
    s_mul_hi_u32 s13, s0, s8
    s_mul_i32 s14, s0, s9
    s_mul_i32 s15, s1, s8
    s_add_u32 s13, s13, s14
    s_add_u32 s13, s13, s15
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s2
    s_addc_u32 s1, s13, s3
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 draw
    s_endpgm
