; SCC, VCCZ and EXECZ read as operands.
; in:  exec
; out: s0 = sixteen readings as bits, s[2:3] = SCC as a 64-bit operand
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro BIT src
    s_mov_b32 s4, \src                  ; moves leave SCC alone
    s_lshl_b32 s0, s0, 1
    s_or_b32 s0, s0, s4
.endm
    s_mov_b64 s[10:11], exec
    s_mov_b32 s0, 0
    s_cmp_eq_u32 s10, s10
    s_mov_b64 s[2:3], src_scc
    BIT src_scc
    s_cmp_lg_u32 s10, s10
    BIT src_scc
    s_mov_b64 vcc, 0
    BIT src_vccz
    s_mov_b64 vcc, 2
    BIT src_vccz
    BIT src_execz
    s_mov_b64 exec, 0
    BIT src_execz
    s_mov_b64 exec, s[10:11]
    s_cmp_eq_u32 s10, s10
    s_add_u32 s5, src_scc, src_scc      ; 2
    BIT s5
    s_endpgm
