; A CRC without branches: the polynomial is masked by the bit that goes out.
; in:  s100 = iterations
; out: s64 = CRC
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, -1
    s_mov_b32 s1, 0x12345
    s_mov_b32 s8, 0xedb88320
loop:
    s_xor_b32 s0, s0, s1
    s_add_u32 s1, s1, 0x3d
    s_mov_b32 s4, 8
bit:
    s_and_b32 s2, s0, 1
    s_sub_u32 s2, 0, s2
    s_and_b32 s2, s2, s8
    s_lshr_b32 s0, s0, 1
    s_xor_b32 s0, s0, s2
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 bit
    NEXT loop
    s_mov_b32 s64, s0
    FINISH
