; Every conditional branch taken and not taken; each passage leaves its bit.
; in:  exec
; out: s0 = bits of the branches that went as they should (all of 0..9, and 10..13 from gcn1.1 on)
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s0, 0
    s_mov_b64 s[10:11], exec
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 wrong
    s_bitset1_b32 s0, 0
    s_cbranch_scc1 a
    s_branch wrong
a:  s_bitset1_b32 s0, 1
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc1 wrong
    s_bitset1_b32 s0, 2
    s_cbranch_scc0 b
    s_branch wrong
b:  s_mov_b64 vcc, 0
    s_cbranch_vccnz wrong
    s_bitset1_b32 s0, 3
    s_cbranch_vccz c
    s_branch wrong
c:  s_mov_b32 vcc_hi, 1                 ; the upper half alone
    s_mov_b64 vcc, vcc
    s_cbranch_vccz wrong
    s_bitset1_b32 s0, 4
    s_cbranch_vccnz d
    s_branch wrong
d:  s_bitset1_b32 s0, 5
    s_mov_b64 exec, 0
    s_cbranch_execnz wrong
    s_bitset1_b32 s0, 6
    s_cbranch_execz e
    s_branch wrong
e:  s_mov_b32 exec_hi, 0x80000000
    s_cbranch_execz wrong
    s_bitset1_b32 s0, 7
    s_cbranch_execnz f
    s_branch wrong
f:  s_bitset1_b32 s0, 8
    s_mov_b64 exec, s[10:11]
    s_branch forward
backward:
    s_bitset1_b32 s0, 9
    s_branch debugger
forward:
    s_branch backward
debugger:
.if GCN >= 11
    s_cbranch_cdbgsys wrong             ; no debugger: never taken
    s_bitset1_b32 s0, 10
    s_cbranch_cdbguser wrong
    s_bitset1_b32 s0, 11
    s_cbranch_cdbgsys_or_user wrong
    s_bitset1_b32 s0, 12
    s_cbranch_cdbgsys_and_user wrong
    s_bitset1_b32 s0, 13
.endif
    s_endpgm
wrong:
    s_trap 1
