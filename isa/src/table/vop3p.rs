//! VOP3P rows: packed 16-bit operations. Columns: see [`crate::table`].

/// Calls a macro with the rows of VOP3P.
#[macro_export]
macro_rules! for_each_vop3p {
    ($callback:ident) => {
        $callback! { Vop3p VOP3P
    v_pk_mad_i16 = VPkMadI16 { op: [- - - 0 0], dst: b32, src: [i16 i16 i16], has: [PK CLAMP], "D = S0 * S1 + S2, per half" }
    v_pk_mul_lo_u16 = VPkMulLoU16 { op: [- - - 1 1], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = low 16 bits of S0 * S1, per half" }
    v_pk_add_i16 = VPkAddI16 { op: [- - - 2 2], dst: b32, src: [i16 i16], has: [PK CLAMP], "D = S0 + S1, per half" }
    v_pk_sub_i16 = VPkSubI16 { op: [- - - 3 3], dst: b32, src: [i16 i16], has: [PK CLAMP], "D = S0 - S1, per half" }
    v_pk_lshlrev_b16 = VPkLshlrevB16 { op: [- - - 4 4], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = S1 << S0[3:0], per half" }
    v_pk_lshrrev_b16 = VPkLshrrevB16 { op: [- - - 5 5], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = S1 >> S0[3:0], per half" }
    v_pk_ashrrev_i16 = VPkAshrrevI16 { op: [- - - 6 6], dst: b32, src: [i16 i16], has: [PK CLAMP], "D = S1 >> S0[3:0], signed, per half" }
    v_pk_max_i16 = VPkMaxI16 { op: [- - - 7 7], dst: b32, src: [i16 i16], has: [PK CLAMP], "D = larger of S0, S1, per half" }
    v_pk_min_i16 = VPkMinI16 { op: [- - - 8 8], dst: b32, src: [i16 i16], has: [PK CLAMP], "D = smaller of S0, S1, per half" }
    v_pk_mad_u16 = VPkMadU16 { op: [- - - 9 9], dst: b32, src: [u16 u16 u16], has: [PK CLAMP], "D = S0 * S1 + S2, per half" }
    v_pk_add_u16 = VPkAddU16 { op: [- - - 10 10], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = S0 + S1, per half" }
    v_pk_sub_u16 = VPkSubU16 { op: [- - - 11 11], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = S0 - S1, per half" }
    v_pk_max_u16 = VPkMaxU16 { op: [- - - 12 12], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = larger of S0, S1, per half" }
    v_pk_min_u16 = VPkMinU16 { op: [- - - 13 13], dst: b32, src: [u16 u16], has: [PK CLAMP], "D = smaller of S0, S1, per half" }
    v_pk_fma_f16 = VPkFmaF16 { op: [- - - 14 14], dst: b32, src: [f16 f16 f16], has: [PK CLAMP], "D = S0 * S1 + S2, rounded once, per half" }
    v_pk_add_f16 = VPkAddF16 { op: [- - - 15 15], dst: b32, src: [f16 f16], has: [PK CLAMP], "D = S0 + S1, per half" }
    v_pk_mul_f16 = VPkMulF16 { op: [- - - 16 16], dst: b32, src: [f16 f16], has: [PK CLAMP], "D = S0 * S1, per half" }
    v_pk_min_f16 = VPkMinF16 { op: [- - - 17 17], dst: b32, src: [f16 f16], has: [PK CLAMP], "D = smaller of S0, S1, per half" }
    v_pk_max_f16 = VPkMaxF16 { op: [- - - 18 18], dst: b32, src: [f16 f16], has: [PK CLAMP], "D = larger of S0, S1, per half" }
    v_fma_mix_f32 = VFmaMixF32 { op: [- - - - 32], gfx904: 32, dst: f32, src: [f16 f16 f16], has: [MIX CLAMP], "D = S0 * S1 + S2 of f32 or f16 sources, rounded once" }
    v_mad_mix_f32 = VMadMixF32 { op: [- - - 32 -], gfx904: -, dst: f32, src: [f16 f16 f16], has: [MIX CLAMP], "D = S0 * S1 + S2 of f32 or f16 sources, rounded twice" }
    v_fma_mixlo_f16 = VFmaMixloF16 { op: [- - - - 33], gfx904: 33, dst: f16, src: [f16 f16 f16], has: [MIX CLAMP HALF], "D[15:0] = S0 * S1 + S2 of f32 or f16 sources, rounded once" }
    v_mad_mixlo_f16 = VMadMixloF16 { op: [- - - 33 -], gfx904: -, dst: f16, src: [f16 f16 f16], has: [MIX CLAMP HALF], "D[15:0] = S0 * S1 + S2 of f32 or f16 sources, rounded twice" }
    v_fma_mixhi_f16 = VFmaMixhiF16 { op: [- - - - 34], gfx904: 34, dst: f16, src: [f16 f16 f16], has: [MIX CLAMP HALF], "D[31:16] = S0 * S1 + S2 of f32 or f16 sources, rounded once" }
    v_mad_mixhi_f16 = VMadMixhiF16 { op: [- - - 34 -], gfx904: -, dst: f16, src: [f16 f16 f16], has: [MIX CLAMP HALF], "D[31:16] = S0 * S1 + S2 of f32 or f16 sources, rounded twice" }
    v_dot2_f32_f16 = VDot2F32F16 { op: [- - - - 35], dst: f32, src: [f16 f16 f32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 2 halves" }
    v_dot2_i32_i16 = VDot2I32I16 { op: [- - - - 38], dst: i32, src: [i16 i16 i32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 2 halves" }
    v_dot2_u32_u16 = VDot2U32U16 { op: [- - - - 39], dst: u32, src: [u16 u16 u32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 2 halves" }
    v_dot4_i32_i8 = VDot4I32I8 { op: [- - - - 40], dst: i32, src: [b32 b32 i32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 4 signed bytes" }
    v_dot4_u32_u8 = VDot4U32U8 { op: [- - - - 41], dst: u32, src: [b32 b32 u32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 4 bytes" }
    v_dot8_i32_i4 = VDot8I32I4 { op: [- - - - 42], dst: i32, src: [b32 b32 i32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 8 signed nibbles" }
    v_dot8_u32_u4 = VDot8U32U4 { op: [- - - - 43], dst: u32, src: [b32 b32 u32], has: [PK CLAMP], "D = S2 + sum of S0 * S1 of 8 nibbles" }
        }
    };
}
