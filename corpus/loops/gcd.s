; Binary GCDs of a random sequence: a short inner loop of unknown length with a branch inside.
; in:  s100 = how many GCDs
; out: s64 = generator, s65 = sum of the GCDs, s66 = subtractions
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_mov_b32 s8, 1664525
    s_mov_b32 s9, 1013904223
loop:
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_or_b32 s3, s0, 1
    s_mul_i32 s0, s0, s8
    s_add_u32 s0, s0, s9
    s_lshr_b32 s4, s0, 3
    s_bitset1_b32 s4, 20
even:
    s_ff1_i32_b32 s5, s4
    s_lshr_b32 s4, s4, s5
    s_cmp_ge_u32 s4, s3
    s_cbranch_scc1 ordered
    s_mov_b32 s5, s3
    s_mov_b32 s3, s4
    s_mov_b32 s4, s5
ordered:
    s_addk_i32 s2, 1
    s_sub_u32 s4, s4, s3
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 even
    s_add_u32 s1, s1, s3
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s2
    FINISH
