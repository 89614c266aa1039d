; Morton order with s_bitreplicate_b64_b32: 32-bit coordinates interleave to 64 bits in five instructions.
; in:  s0, s1 = coordinates
; out: s[2:3] = Morton code (bit i of s0 at 2i), s4 = how many steps of a walk land on the diagonal
; generations: gcn1.4
    s_bitreplicate_b64_b32 s[6:7], s0
    s_bitreplicate_b64_b32 s[8:9], s1
    s_mov_b32 s10, 0x55555555
    s_mov_b32 s11, s10
    s_and_b64 s[6:7], s[6:7], s[10:11]
    s_andn2_b64 s[8:9], s[8:9], s[10:11]
    s_or_b64 s[2:3], s[6:7], s[8:9]
    ; walk along the curve: code c has its point on the diagonal if even and odd bits agree
    s_mov_b32 s4, 0
    s_mov_b32 s12, 0
walk:
    s_lshr_b32 s13, s12, 1
    s_xor_b32 s13, s13, s12
    s_and_b32 s13, s13, s10
    s_cselect_b32 s14, 0, 1             ; SCC = differs somewhere
    s_add_u32 s4, s4, s14
    s_addk_i32 s12, 1
    s_cmpk_lt_u32 s12, 4096
    s_cbranch_scc1 walk
    s_endpgm
