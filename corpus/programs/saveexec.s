; The whole save-exec family, and on gcn1.4 the ANDN1/ORN1 and wrexec forms; destinations fold into a hash.
; in:  exec, s[0:1] = mask, s[2:3] = hash so far
; out: s[2:3] = hash of all saved and new EXEC values, s4 = SCC bits, s[6:7] = EXEC at the start
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro FOLD a
    s_lshl_b64 s[8:9], s[2:3], 5
    s_lshr_b64 s[2:3], s[2:3], 59
    s_or_b64 s[2:3], s[2:3], s[8:9]
    s_xor_b64 s[2:3], s[2:3], \a
.endm
.macro APPLY op
    s_mov_b64 exec, s[6:7]
    \op s[10:11], s[0:1]
    s_cselect_b32 s12, 1, 0
    s_lshl_b32 s4, s4, 1
    s_or_b32 s4, s4, s12
    FOLD s[10:11]
    FOLD exec
    s_mov_b64 exec, s[6:7]
    \op s[10:11], 0                     ; with an empty and a full mask
    FOLD exec
    s_mov_b64 exec, s[6:7]
    s_mov_b64 s[14:15], -1
    \op s[14:15], s[14:15]              ; source is the destination
    FOLD s[14:15]
    FOLD exec
.endm
    s_mov_b64 s[6:7], exec
    s_mov_b32 s4, 0
    APPLY s_and_saveexec_b64
    APPLY s_or_saveexec_b64
    APPLY s_xor_saveexec_b64
    APPLY s_andn2_saveexec_b64
    APPLY s_orn2_saveexec_b64
    APPLY s_nand_saveexec_b64
    APPLY s_nor_saveexec_b64
    APPLY s_xnor_saveexec_b64
.if GCN >= 14
    APPLY s_andn1_saveexec_b64
    APPLY s_orn1_saveexec_b64
    APPLY s_andn1_wrexec_b64
    APPLY s_andn2_wrexec_b64
.endif
    s_mov_b64 exec, s[6:7]
    s_endpgm
