; Where is the reference block? Sums of absolute differences of 4 x 4 bytes at eight places of a strip, per lane.
; in:  v[0:3] = block, v[4:15] = strip of four rows of twelve bytes
; out: v16 = best place, v17 = its distance, v[18:19] = distances at places 0..3 as halfwords, v20 = v17 of the bytes
;      that are not 0 in the block, v21 = sum of distances of the rows as halfwords, v22 = as words, v23 = sum of
;      the first words << 16, plus 5
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1
.include "vector.inc"
.macro PLACE n                          ; v25 = distance at place n, v26 = masked
    v_mov_b32 v25, 0
    v_mov_b32 v26, 0
    .set R, 0
    .rept 4
        .if \n & 3
            v_alignbyte_b32 v24, v[5+3*R+\n/4], v[4+3*R+\n/4], \n&3
            v_sad_u8 v25, v24, v[R], v25
            v_msad_u8 v26, v24, v[R], v26
        .else
            v_sad_u8 v25, v[4+3*R+\n/4], v[R], v25
            v_msad_u8 v26, v[4+3*R+\n/4], v[R], v26
        .endif
        .set R, R+1
    .endr
    v_cmp_lt_u32 vcc, v25, v17
    v_mov_b32 v24, \n
    v_cndmask_b32 v16, v16, v24, vcc
    v_cndmask_b32 v17, v17, v25, vcc
    v_cndmask_b32 v20, v20, v26, vcc
.endm
    v_mov_b32 v17, -1
.set N, 0
.rept 8
    PLACE N
    .if N < 4 && GCN < 11
        .if N & 1
            v_lshlrev_b32 v25, 16, v25
            v_or_b32 v[18+N/2], v[18+N/2], v25
        .else
            v_mov_b32 v[18+N/2], v25
        .endif
    .endif
    .set N, N+1
.endr
    .if GCN >= 11
        v_mov_b32 v30, 0
        v_mov_b32 v31, 0
        v_qsad_pk_u16_u8 v[18:19], v[4:5], v0, v[30:31]
        v_qsad_pk_u16_u8 v[30:31], v[7:8], v1, v[18:19]
        v_qsad_pk_u16_u8 v[18:19], v[10:11], v2, v[30:31]
        v_mov_b32 v30, v18
        v_mov_b32 v31, v19
        v_qsad_pk_u16_u8 v[18:19], v[13:14], v3, v[30:31]
    .endif
    v_mov_b32 v21, 0
    v_sad_u16 v21, v0, v4, v21
    v_sad_u16 v21, v1, v7, v21
    v_sad_u32 v22, v0, v4, 0
    v_sad_u32 v22, v1, v7, v22
    v_sad_hi_u8 v23, v0, v4, 5
    CLEAR 24, 8
    s_mov_b64 vcc, 0
    s_endpgm
