; Batcher's network for eight numbers with s_min / s_max: once unsigned, once signed.
; in:  s0..s7 = numbers
; out: s8..s15 = ascending unsigned, s16..s23 = ascending signed
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro NETWORK first, kind
.irp pair, 0x01, 0x23, 0x45, 0x67, 0x02, 0x13, 0x46, 0x57, 0x12, 0x56, 0x04, 0x15, 0x26, 0x37, 0x24, 0x35, 0x12, 0x34, 0x56
    s_min_\kind s24, s[\first+(\pair>>4)], s[\first+(\pair&15)]
    s_max_\kind s[\first+(\pair&15)], s[\first+(\pair>>4)], s[\first+(\pair&15)]
    s_mov_b32 s[\first+(\pair>>4)], s24
.endr
.endm
.set I, 0
.rept 8
    s_mov_b32 s[8+I], s[I]
    s_mov_b32 s[16+I], s[I]
    .set I, I+1
.endr
    NETWORK 8, u32
    NETWORK 16, i32
    s_endpgm
