; Instructions that change nothing a lone wave can see: waits, messages, priorities, caches; a counter runs between them.
; out: s0 = 12, 13 on gcn1.1, 14 from gcn1.2 on
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
.macro TICK op:vararg
    \op
    s_addk_i32 s0, 1
.endm
    s_movk_i32 s0, 0
    s_mov_b32 m0, 7
    TICK s_nop 3
    TICK s_waitcnt vmcnt(0) & expcnt(0) & lgkmcnt(0)
    TICK s_waitcnt 0
    TICK s_barrier
    TICK s_sleep 2
    TICK s_setprio 3
    TICK s_sendmsg sendmsg(MSG_INTERRUPT)
    TICK s_icache_inv
    TICK s_incperflevel 1
    TICK s_decperflevel 1
    TICK s_ttracedata
    TICK s_sethalt 0
.if GCN >= 11
    TICK s_setkill 1
.endif
.if GCN >= 12
    TICK s_wakeup
.endif
    s_endpgm
