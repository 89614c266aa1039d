; A jump through a computed address into one of four handlers, chosen by random bits.
; in:  s100 = iterations
; out: s64..s66
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
    s_getpc_b64 s[20:21]
base:
    s_add_u32 s20, s20, handlers-base
    s_addc_u32 s21, s21, 0
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s3, s0, 30
    s_lshl_b32 s3, s3, 4
    s_add_u32 s22, s20, s3
    s_addc_u32 s23, s21, 0
    s_setpc_b64 s[22:23]
next:
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s2
    FINISH
.p2align 4
handlers:
    s_add_u32 s1, s1, s0
    s_branch next
.p2align 4
    s_xor_b32 s1, s1, s0
    s_addk_i32 s2, 1
    s_branch next
.p2align 4
    s_sub_u32 s1, s0, s1
    s_branch next
.p2align 4
    s_mulk_i32 s1, 5
    s_addk_i32 s1, 3
    s_branch next
