; Jump targets that are no multiple of four (the two low bits are dropped), and a jump into a literal, which then executes.
; in:  nothing
; out: s0 = stations passed
; generations: gcn1.0 gcn1.2 gcn1.4
    s_mov_b32 s0, 0
    s_getpc_b64 s[2:3]
base:
    s_add_u32 s4, s2, first-base+1
    s_addc_u32 s5, s3, 0
    s_setpc_b64 s[4:5]
    s_trap 1
first:
    s_addk_i32 s0, 1
    s_add_u32 s4, s2, second-base+3
    s_addc_u32 s5, s3, 0
    s_swappc_b64 s[6:7], s[4:5]
    s_trap 1
second:
    s_addk_i32 s0, 1
    .long 0xbf820002                    ; s_branch over the next word, to the literal of the one after
    s_trap 1
.if GCN >= 12
    s_mov_b32 s1, 0xb7000003            ; the literal is s_addk_i32 s0, 3
.else
    s_mov_b32 s1, 0xb7800003
.endif
    s_addk_i32 s0, 1
    s_endpgm
