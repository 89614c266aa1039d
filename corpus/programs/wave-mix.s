; Dot products of binary16 vectors summed in binary32 (V_MAD_MIX_F32, on gcn1.4.1 V_FMA_MIX_F32), and results of both
; halves.
; in:  v[0:3], v[4:7] = packed vectors of eight, v8 = start
; out: v9 = dot product, v10 = binary16 of v9 / 16 + v8 (low half) and of |v9| * -1 + v8 (high half)
; generations: gcn1.4 gcn1.4.1
.macro MIX suffix, rest:vararg
    .if GCN > 14
        v_fma_mix\suffix \rest
    .else
        v_mad_mix\suffix \rest
    .endif
.endm
    v_mov_b32 v9, v8
.set I, 0
.rept 4
    MIX _f32, v9, v[I], v[4+I], v9 op_sel_hi:[1,1,0]
    MIX _f32, v9, v[I], v[4+I], v9 op_sel:[1,1,0] op_sel_hi:[1,1,0]
    .set I, I+1
.endr
    v_mov_b32 v11, 0x3d800000           ; 1/16
    MIX lo_f16, v10, v9, v11, v8 op_sel_hi:[0,0,0]
    MIX hi_f16, v10, |v9|, -1.0, v8 op_sel_hi:[0,0,0]
    v_mov_b32 v11, 0
    s_endpgm
