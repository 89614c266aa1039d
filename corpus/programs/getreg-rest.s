; The hardware registers without a defined meaning to a run: reads give 0 (PC_LO: the next PC), writes are dropped.
; out: s0 = PC_LO read at `here`, s1 = PC_HI, s2 = or of all the others, s3 = address of `here`
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_getpc_b64 s[4:5]
here:
    s_getreg_b32 s0, hwreg(8)
    s_getreg_b32 s1, hwreg(9)
    s_mov_b32 s3, s4
    s_mov_b32 s2, 0
    s_mov_b32 s6, -1
.irp id, 0, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 31, 32, 50, 63
    s_setreg_b32 hwreg(\id), s6
    s_getreg_b32 s7, hwreg(\id)
    s_or_b32 s2, s2, s7
.endr
.irp id, 4, 5, 6, 7, 8, 9
    s_setreg_imm32_b32 hwreg(\id), 0x12345678
.endr
.irp id, 4, 5, 6, 7, 9
    s_getreg_b32 s7, hwreg(\id)
    s_or_b32 s2, s2, s7
.endr
    s_endpgm
