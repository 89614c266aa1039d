; The eight two-operand bit operations and NOT in both widths against De Morgan: every identity must give zero.
; in:  s[0:1], s[2:3] = operands
; out: s4 = identities that hold (SCC = 0), s[6:7] = fold of all results
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro HOLDS a, b
    s_xor_b64 s[20:21], \a, \b
    s_cselect_b32 s22, 0, 1
    s_add_u32 s4, s4, s22
    s_lshl_b64 s[24:25], s[6:7], 7
    s_lshr_b64 s[6:7], s[6:7], 57
    s_or_b64 s[6:7], s[6:7], s[24:25]
    s_xor_b64 s[6:7], s[6:7], \a
.endm
    s_mov_b32 s4, 0
    s_mov_b64 s[6:7], 0
    s_not_b64 s[10:11], s[0:1]
    s_not_b64 s[12:13], s[2:3]
    s_nand_b64 s[14:15], s[0:1], s[2:3]
    s_or_b64 s[16:17], s[10:11], s[12:13]
    HOLDS s[14:15], s[16:17]
    s_nor_b64 s[14:15], s[0:1], s[2:3]
    s_and_b64 s[16:17], s[10:11], s[12:13]
    HOLDS s[14:15], s[16:17]
    s_andn2_b64 s[14:15], s[0:1], s[2:3]
    s_and_b64 s[16:17], s[0:1], s[12:13]
    HOLDS s[14:15], s[16:17]
    s_orn2_b64 s[14:15], s[0:1], s[2:3]
    s_or_b64 s[16:17], s[0:1], s[12:13]
    HOLDS s[14:15], s[16:17]
    s_xnor_b64 s[14:15], s[0:1], s[2:3]
    s_xor_b64 s[16:17], s[10:11], s[2:3]
    HOLDS s[14:15], s[16:17]
    s_xor_b64 s[14:15], s[0:1], s[2:3]
    s_or_b64 s[16:17], s[0:1], s[2:3]
    s_and_b64 s[18:19], s[0:1], s[2:3]
    s_andn2_b64 s[16:17], s[16:17], s[18:19]
    HOLDS s[14:15], s[16:17]
    ; 32 bits: the two halves on their own
    s_nand_b32 s14, s0, s2
    s_nand_b32 s15, s1, s3
    s_nand_b64 s[16:17], s[0:1], s[2:3]
    HOLDS s[14:15], s[16:17]
    s_nor_b32 s14, s0, s2
    s_nor_b32 s15, s1, s3
    s_nor_b64 s[16:17], s[0:1], s[2:3]
    HOLDS s[14:15], s[16:17]
    s_andn2_b32 s14, s0, s2
    s_andn2_b32 s15, s1, s3
    s_andn2_b64 s[16:17], s[0:1], s[2:3]
    HOLDS s[14:15], s[16:17]
    s_orn2_b32 s14, s0, s2
    s_orn2_b32 s15, s1, s3
    s_orn2_b64 s[16:17], s[0:1], s[2:3]
    HOLDS s[14:15], s[16:17]
    s_xnor_b32 s14, s0, s2
    s_xnor_b32 s15, s1, s3
    s_xnor_b64 s[16:17], s[0:1], s[2:3]
    HOLDS s[14:15], s[16:17]
    s_not_b32 s14, s0
    s_not_b32 s15, s1
    HOLDS s[14:15], s[10:11]
    s_endpgm
