; Data kept in TBA, TMA, TTMP (plain storage to a run), FLAT_SCRATCH and VCC halves, as sources and destinations.
; in:  s0 = seed
; out: s1 = hash of everything read back
; generations: gcn1.1 gcn1.2 gcn1.4
.macro KEEP r
    s_mul_i32 s0, s0, 1664525
    s_add_u32 s0, s0, 1013904223
    s_mov_b32 \r, s0
.endm
.macro READ r
    s_mulk_i32 s1, 31
    s_add_u32 s1, s1, \r
.endm
.if GCN < 14
    KEEP tba_lo
    KEEP tba_hi
    KEEP tma_lo
    KEEP tma_hi
.endif
    KEEP ttmp0
    KEEP ttmp5
    KEEP ttmp11
    KEEP flat_scratch_lo
    KEEP flat_scratch_hi
    KEEP vcc_lo
    KEEP vcc_hi
    KEEP m0
    s_mov_b32 s1, 0
.if GCN < 14
    READ tba_lo
    READ tba_hi
    READ tma_lo
    READ tma_hi
.endif
    READ ttmp0
    READ ttmp5
    READ ttmp11
    READ flat_scratch_lo
    READ flat_scratch_hi
    READ vcc_lo
    READ vcc_hi
    READ m0
    s_xor_b64 flat_scratch, flat_scratch, vcc
    READ flat_scratch_lo
    READ flat_scratch_hi
    s_endpgm
