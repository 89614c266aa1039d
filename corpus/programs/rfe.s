; s_rfe_b64 (and s_rfe_restore_b64 from gcn1.2 on) outside a trap handler: plain jumps.
; out: s0 = stations passed
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s0, 0
    s_getpc_b64 s[2:3]
base:
    s_add_u32 s4, s2, first-base
    s_addc_u32 s5, s3, 0
    s_rfe_b64 s[4:5]
    s_trap 1
first:
    s_addk_i32 s0, 1
.if GCN >= 12
    s_add_u32 s4, s2, second-base
    s_addc_u32 s5, s3, 0
    s_rfe_restore_b64 s[4:5], s0
    s_trap 1
second:
    s_addk_i32 s0, 1
.endif
    s_endpgm
