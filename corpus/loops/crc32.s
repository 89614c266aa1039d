; CRC-32 of a sequence of numbers, a bit at a time: a branch chooses one of two ways for each bit.
; in:  s100 = how many numbers
; out: s64 = CRC
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, -1
    s_mov_b32 s1, 0x12345
    s_mov_b32 s8, 0xedb88320
loop:
    s_xor_b32 s0, s0, s1
    s_addk_i32 s1, 0x3d
.rept 4
    s_bitcmp1_b32 s0, 0
    s_cbranch_scc0 1f
    s_lshr_b32 s0, s0, 1
    s_xor_b32 s0, s0, s8
    s_branch 2f
1:
    s_lshr_b32 s0, s0, 1
2:
.endr
    NEXT loop
    s_mov_b32 s64, s0
    FINISH
