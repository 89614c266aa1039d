; Two coroutines that hand over to each other with s_swappc_b64 on one and the same pair: a producer of
; squares and a consumer that sums them; each resumes where it stopped.
; in:  s0 = values to pass
; out: s1 = sum, s2 = alternating sum, s3 = hand-overs
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b64 s[2:3], 0
    s_mov_b32 s1, 0
    s_getpc_b64 s[20:21]                ; the other side's address
base:
    s_add_u32 s20, s20, producer-base
    s_addc_u32 s21, s21, 0
consumer:
    s_swappc_b64 s[20:21], s[20:21]     ; source and destination are the same pair
    s_addk_i32 s3, 1
    s_add_u32 s1, s1, s4
    s_add_u32 s2, s2, s4
    s_swappc_b64 s[20:21], s[20:21]
    s_addk_i32 s3, 1
    s_add_u32 s1, s1, s4
    s_sub_u32 s2, s2, s4
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 consumer
    s_endpgm
producer:
    s_movk_i32 s5, 0
produce:
    s_addk_i32 s5, 1
    s_mul_i32 s4, s5, s5
    s_sub_u32 s0, s0, 1
    s_swappc_b64 s[20:21], s[20:21]
    s_branch produce
