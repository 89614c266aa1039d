; A small stack machine: its byte code in s40.., each operation reached through s_setpc_b64 with a computed address
; (every handler starts on a 32-byte slot).
; in:  s40.. = code, four bits an operation, first in the lowest bits:
;      0 stop, 1 push 1, 2 add, 3 multiply, 4 duplicate, 5 swap, 6 negate, 7 increment
; out: s0 = top of the stack at the end, s1 = operations executed
; generations: gcn1.0 gcn1.2 gcn1.4
; s10 = top of stack, s11.. = the rest below it (s11 + m0), s2 = operation number
    s_mov_b64 s[0:1], 0
    s_mov_b32 s2, 0
    s_mov_b32 s10, 0
    s_mov_b32 s3, 0                     ; stack depth below the top
    s_getpc_b64 s[20:21]
base:
    s_add_u32 s20, s20, handlers-base
    s_addc_u32 s21, s21, 0
dispatch:
    s_addk_i32 s1, 1
    s_lshr_b32 m0, s2, 3
    s_movrels_b32 s4, s40
    s_lshl_b32 s5, s2, 2
    s_lshr_b32 s4, s4, s5
    s_and_b32 s4, s4, 7
    s_addk_i32 s2, 1
    s_lshl_b32 s4, s4, 5
    s_add_u32 s22, s20, s4
    s_addc_u32 s23, s21, 0
    s_setpc_b64 s[22:23]
.p2align 5
handlers:
    s_mov_b32 s0, s10                   ; 0 stop
    s_endpgm
.p2align 5
    s_mov_b32 m0, s3                    ; 1 push 1
    s_movreld_b32 s11, s10
    s_addk_i32 s3, 1
    s_movk_i32 s10, 1
    s_branch dispatch
.p2align 5
    s_sub_u32 s3, s3, 1                 ; 2 add
    s_mov_b32 m0, s3
    s_movrels_b32 s5, s11
    s_add_u32 s10, s10, s5
    s_branch dispatch
.p2align 5
    s_sub_u32 s3, s3, 1                 ; 3 multiply
    s_mov_b32 m0, s3
    s_movrels_b32 s5, s11
    s_mul_i32 s10, s10, s5
    s_branch dispatch
.p2align 5
    s_mov_b32 m0, s3                    ; 4 duplicate
    s_movreld_b32 s11, s10
    s_addk_i32 s3, 1
    s_branch dispatch
.p2align 5
    s_sub_u32 m0, s3, 1                 ; 5 swap
    s_movrels_b32 s5, s11
    s_movreld_b32 s11, s10
    s_mov_b32 s10, s5
    s_branch dispatch
.p2align 5
    s_sub_i32 s10, 0, s10               ; 6 negate
    s_branch dispatch
.p2align 5
    s_addk_i32 s10, 1                   ; 7 increment
    s_branch dispatch
