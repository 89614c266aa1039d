; Towers of Hanoi with s_call_b64 and a stack in s40..; the moves are folded into a hash, the pegs kept as bit sets.
; in:  s0 = discs (at most 10)
; out: s1 = moves, s2 = hash of the moves (31 * hash + 4 * from + to), s10, s11, s12 = discs on the pegs
; generations: gcn1.4
    s_mov_b32 s1, 0
    s_mov_b32 s2, 0
    s_bfm_b32 s10, s0, 0
    s_mov_b32 s11, 0
    s_mov_b32 s12, 0
    s_mov_b32 s3, 0                     ; from, to, spare
    s_mov_b32 s4, 2
    s_mov_b32 s5, 1
    s_mov_b32 s6, 0                     ; stack pointer
    s_call_b64 s[30:31], solve
    s_endpgm

; moves s0 discs from peg s3 to peg s4
solve:
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc1 leave
    s_mov_b32 m0, s6
    s_movreld_b64 s[40:41], s[30:31]
    s_add_u32 s6, s6, 2
    s_sub_u32 s0, s0, 1
    s_mov_b32 s7, s4                    ; to <-> spare
    s_mov_b32 s4, s5
    s_mov_b32 s5, s7
    s_call_b64 s[30:31], solve
    s_mov_b32 s7, s4
    s_mov_b32 s4, s5
    s_mov_b32 s5, s7
    ; the disc s0 itself
    s_addk_i32 s1, 1
    s_mulk_i32 s2, 31
    s_lshl2_add_u32 s7, s3, s4
    s_add_u32 s2, s2, s7
    s_mov_b32 m0, s3
    s_movrels_b32 s7, s10
    s_bitset0_b32 s7, s0
    s_movreld_b32 s10, s7
    s_mov_b32 m0, s4
    s_movrels_b32 s7, s10
    s_bitset1_b32 s7, s0
    s_movreld_b32 s10, s7
    s_mov_b32 s7, s3                    ; from <-> spare
    s_mov_b32 s3, s5
    s_mov_b32 s5, s7
    s_call_b64 s[30:31], solve
    s_mov_b32 s7, s3
    s_mov_b32 s3, s5
    s_mov_b32 s5, s7
    s_add_u32 s0, s0, 1
    s_sub_u32 s6, s6, 2
    s_mov_b32 m0, s6
    s_movrels_b64 s[30:31], s[40:41]
leave:
    s_setpc_b64 s[30:31]
