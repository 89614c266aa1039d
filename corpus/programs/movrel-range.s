; Relative moves at the edge of the register file: in range, past the end (reads s0, drops writes), odd pairs, wrapping sums.
; in:  s0, s1, s101
; out: s10.. = what was read, s30.. = untouched by dropped writes
; generations: gcn1.0 gcn1.2 gcn1.4
    s_movk_i32 s30, 1
    s_movk_i32 s31, 2
    s_mov_b32 m0, 1
    s_movrels_b32 s10, s100             ; s101
    s_mov_b32 m0, 60
    s_movrels_b32 s11, s60              ; 120: no SGPR
    s_movrels_b64 s[12:13], s[60:61]
    s_mov_b32 m0, 71
    s_movreld_b32 s60, -1               ; 131: beyond the operand codes
    s_mov_b32 m0, 1
    s_movrels_b64 s[14:15], s[100:101]  ; 101: odd
    s_movreld_b64 s[30:31], -1          ; 31: odd, dropped
    s_mov_b32 m0, -4                    ; sums wrap in 32 bits
    s_movrels_b32 s16, s5               ; s1
    s_movreld_b32 s24, s16              ; s20
    s_mov_b32 m0, -8
    s_movreld_b32 s4, -1                ; below s0: dropped
    s_mov_b32 m0, 0
    s_mov_b64 vcc, 5
    s_movrels_b32 s17, vcc_lo           ; not an SGPR of the file, but m0 = 0
    s_mov_b32 m0, 1
    s_movrels_b32 s18, vcc_lo           ; reads s0
    s_endpgm
