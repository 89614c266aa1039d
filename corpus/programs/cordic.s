; Sine and cosine by CORDIC in 2.30 fixed point, signed shifts and conditional negation.
; in:  s0 = angle in radians * 2^30 (between -pi/2 and pi/2)
; out: s1 = cosine, s2 = sine (both * 2^30, about 28 good bits), s3 = remaining angle
; generations: gcn1.0 gcn1.2 gcn1.4
.macro ROTATE i, atan
    s_ashr_i32 s4, s1, \i
    s_ashr_i32 s5, s2, \i
    s_ashr_i32 s6, s3, 31               ; -1 if the angle left is negative
    s_xor_b32 s4, s4, s6                ; negate by xor and subtract
    s_sub_i32 s4, s4, s6
    s_xor_b32 s5, s5, s6
    s_sub_i32 s5, s5, s6
    s_xor_b32 s7, s6, \atan
    s_sub_i32 s7, s7, s6
    s_sub_i32 s1, s1, s5
    s_add_i32 s2, s2, s4
    s_sub_i32 s3, s3, s7
.endm
    s_mov_b32 s1, 652032874             ; 0.60725293500888 * 2^30
    s_mov_b32 s2, 0
    s_mov_b32 s3, s0
.set I, 0
.irp atan, 843314857, 497837829, 263043837, 133525159, 67021687, 33543516, 16775851, 8388437, 4194283, 2097149, 1048576, 524288, 262144, 131072, 65536, 32768, 16384, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4
    ROTATE I, \atan
    .set I, I+1
.endr
    s_endpgm
