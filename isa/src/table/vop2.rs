//! VOP2 rows: two vector sources. Columns: see [`crate::table`].

/// Calls a macro with the rows of VOP2.
#[macro_export]
macro_rules! for_each_vop2 {
    ($callback:ident) => {
        $callback! { Vop2 VOP2
    v_cndmask_b32 = VCndmaskB32 { op: [0 0 0 0 0], dst: b32, src: [b32 b32], has: [VOP3 SDWA DPP ABS NEG VCC_IN], "D = VCC[lane] (VOP3: S2[lane]) ? S1 : S0" }
    v_add_f32 = VAddF32 { op: [3 3 1 1 1], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 + S1" }
    v_readlane_b32 = VReadlaneB32 { op: [1 1 - - -], dst: b32, src: [b32 b32], has: [SDST REG0 LANE1], "D = S0 of lane S1[5:0]" }
    v_sub_f32 = VSubF32 { op: [4 4 2 2 2], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 - S1" }
    v_writelane_b32 = VWritelaneB32 { op: [2 2 - - -], dst: b32, src: [b32 b32], has: [LANE1 SCALAR0], fx: [RDST], "D of lane S1[5:0] = S0" }
    v_subrev_f32 = VSubrevF32 { op: [5 5 3 3 3], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S1 - S0" }
    v_mul_legacy_f32 = VMulLegacyF32 { op: [7 7 4 4 4], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 * S1, where 0 times anything is 0" }
    v_mul_f32 = VMulF32 { op: [8 8 5 5 5], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 * S1" }
    v_mac_legacy_f32 = VMacLegacyF32 { op: [6 6 - - -], dst: f32, src: [f32 f32], has: [VOP3 ABS NEG CLAMP OMOD], fx: [RDST], "D = S0 * S1 + D, where 0 times anything is 0" }
    v_mul_i32_i24 = VMulI32I24 { op: [9 9 6 6 6], dst: i32, src: [i32 i32], has: [VOP3 SDWA DPP CLAMP], "D = low 32 bits of i24 S0 * i24 S1" }
    v_mul_hi_i32_i24 = VMulHiI32I24 { op: [10 10 7 7 7], dst: i32, src: [i32 i32], has: [VOP3 SDWA DPP], "D = bits 63:32 of i24 S0 * i24 S1" }
    v_mul_u32_u24 = VMulU32U24 { op: [11 11 8 8 8], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP], "D = low 32 bits of u24 S0 * u24 S1" }
    v_mul_hi_u32_u24 = VMulHiU32U24 { op: [12 12 9 9 9], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP], "D = bits 63:32 of u24 S0 * u24 S1" }
    v_min_f32 = VMinF32 { op: [15 15 10 10 10], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = smaller of S0, S1" }
    v_max_f32 = VMaxF32 { op: [16 16 11 11 11], dst: f32, src: [f32 f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = larger of S0, S1" }
    v_min_i32 = VMinI32 { op: [17 17 12 12 12], dst: i32, src: [i32 i32], has: [VOP3 SDWA DPP], "D = smaller of S0, S1" }
    v_max_i32 = VMaxI32 { op: [18 18 13 13 13], dst: i32, src: [i32 i32], has: [VOP3 SDWA DPP], "D = larger of S0, S1" }
    v_min_legacy_f32 = VMinLegacyF32 { op: [13 13 - - -], dst: f32, src: [f32 f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 < S1 ? S0 : S1" }
    v_max_legacy_f32 = VMaxLegacyF32 { op: [14 14 - - -], dst: f32, src: [f32 f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 >= S1 ? S0 : S1" }
    v_min_u32 = VMinU32 { op: [19 19 14 14 14], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP], "D = smaller of S0, S1" }
    v_max_u32 = VMaxU32 { op: [20 20 15 15 15], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP], "D = larger of S0, S1" }
    v_lshrrev_b32 = VLshrrevB32 { op: [22 22 16 16 16], dst: b32, src: [u32 b32], has: [VOP3 SDWA DPP], "D = S1 >> S0[4:0]" }
    v_ashrrev_i32 = VAshrrevI32 { op: [24 24 17 17 17], dst: i32, src: [u32 i32], has: [VOP3 SDWA DPP], "D = S1 >> S0[4:0], signed" }
    v_lshlrev_b32 = VLshlrevB32 { op: [26 26 18 18 18], dst: b32, src: [u32 b32], has: [VOP3 SDWA DPP], "D = S1 << S0[4:0]" }
    v_and_b32 = VAndB32 { op: [27 27 19 19 19], dst: b32, src: [b32 b32], has: [VOP3 SDWA DPP], "D = S0 & S1" }
    v_or_b32 = VOrB32 { op: [28 28 20 20 20], dst: b32, src: [b32 b32], has: [VOP3 SDWA DPP], "D = S0 | S1" }
    v_lshr_b32 = VLshrB32 { op: [21 21 - - -], dst: b32, src: [b32 u32], has: [VOP3], "D = S0 >> S1[4:0]" }
    v_xor_b32 = VXorB32 { op: [29 29 21 21 21], dst: b32, src: [b32 b32], has: [VOP3 SDWA DPP], "D = S0 ^ S1" }
    v_mac_f32 = VMacF32 { op: [31 31 22 22 22], dst: f32, src: [f32 f32], has: [VOP3 SDWA_12 DPP ABS NEG CLAMP OMOD], fx: [RDST], "D = S0 * S1 + D, rounded twice" }
    v_ashr_i32 = VAshrI32 { op: [23 23 - - -], dst: i32, src: [i32 u32], has: [VOP3], "D = S0 >> S1[4:0], signed" }
    v_madmk_f32 = VMadmkF32 { op: [32 32 23 23 23], dst: f32, src: [f32 f32 f32], has: [MADMK], "D = S0 * K + S1, rounded twice; K is the constant" }
    v_madak_f32 = VMadakF32 { op: [33 33 24 24 24], dst: f32, src: [f32 f32 f32], has: [MADAK], "D = S0 * S1 + K, rounded twice; K is the constant" }
    v_add_co_u32 = VAddCoU32 { op: [- - - 25 25], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT], "D = S0 + S1; VCC (VOP3: SDST) = unsigned carry out" }
    v_lshl_b32 = VLshlB32 { op: [25 25 - - -], dst: b32, src: [b32 u32], has: [VOP3], "D = S0 << S1[4:0]" }
    v_sub_co_u32 = VSubCoU32 { op: [- - - 26 26], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT], "D = S0 - S1; VCC (VOP3: SDST) = unsigned borrow" }
    v_subrev_co_u32 = VSubrevCoU32 { op: [- - - 27 27], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT], "D = S1 - S0; VCC (VOP3: SDST) = unsigned borrow" }
    v_addc_co_u32 = VAddcCoU32 { op: [- - - 28 28], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT VCC_IN], "D = S0 + S1 + VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned carry out" }
    v_addc_u32 = VAddcU32 { op: [40 40 28 - -], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT VCC_IN], "D = S0 + S1 + VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned carry out" }
    v_subb_co_u32 = VSubbCoU32 { op: [- - - 29 29], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT VCC_IN], "D = S0 - S1 - VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned borrow" }
    v_subb_u32 = VSubbU32 { op: [41 41 29 - -], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT VCC_IN], "D = S0 - S1 - VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned borrow" }
    v_bfm_b32 = VBfmB32 { op: [30 30 - - -], dst: b32, src: [u32 u32], has: [VOP3], "D = S0[4:0] ones << S1[4:0]" }
    v_subbrev_co_u32 = VSubbrevCoU32 { op: [- - - 30 30], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT VCC_IN], "D = S1 - S0 - VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned borrow" }
    v_subbrev_u32 = VSubbrevU32 { op: [42 42 30 - -], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT VCC_IN], "D = S1 - S0 - VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned borrow" }
    v_add_f16 = VAddF16 { op: [- - 31 31 31], dst: f16, src: [f16 f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 + S1" }
    v_sub_f16 = VSubF16 { op: [- - 32 32 32], dst: f16, src: [f16 f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 - S1" }
    v_subrev_f16 = VSubrevF16 { op: [- - 33 33 33], dst: f16, src: [f16 f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S1 - S0" }
    v_bcnt_u32_b32 = VBcntU32B32 { op: [34 34 - - -], dst: u32, src: [b32 u32], has: [VOP3], "D = number of ones in S0, + S1" }
    v_mul_f16 = VMulF16 { op: [- - 34 34 34], dst: f16, src: [f16 f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 * S1" }
    v_mac_f16 = VMacF16 { op: [- - 35 35 35], dst: f16, src: [f16 f16], has: [VOP3 SDWA_12 DPP ABS NEG CLAMP OMOD HALF], fx: [RDST], "D = S0 * S1 + D, rounded twice" }
    v_mbcnt_lo_u32_b32 = VMbcntLoU32B32 { op: [35 35 - - -], dst: u32, src: [b32 u32], has: [VOP3], "D = number of ones in S0 for lanes 0 to 31 below this one, + S1" }
    v_madmk_f16 = VMadmkF16 { op: [- - 36 36 36], dst: f16, src: [f16 f16 f16], has: [MADMK HALF], "D = S0 * K + S1, rounded twice; K is the constant" }
    v_mbcnt_hi_u32_b32 = VMbcntHiU32B32 { op: [36 36 - - -], dst: u32, src: [b32 u32], has: [VOP3], "D = number of ones in S0 for lanes 32 to 63 below this one, + S1" }
    v_add_i32 = VAddI32 { op: [37 37 - - -], dst: i32, src: [i32 i32], has: [VOP3 VCC_OUT CLAMP], "D = S0 + S1; VCC (VOP3: SDST) = unsigned carry out" }
    v_madak_f16 = VMadakF16 { op: [- - 37 37 37], dst: f16, src: [f16 f16 f16], has: [MADAK HALF], "D = S0 * S1 + K, rounded twice; K is the constant" }
    v_add_u16 = VAddU16 { op: [- - 38 38 38], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP CLAMP], "D = S0 + S1" }
    v_sub_i32 = VSubI32 { op: [38 38 - - -], dst: i32, src: [i32 i32], has: [VOP3 VCC_OUT CLAMP], "D = S0 - S1; VCC (VOP3: SDST) = unsigned borrow" }
    v_sub_u16 = VSubU16 { op: [- - 39 39 39], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP CLAMP], "D = S0 - S1" }
    v_subrev_i32 = VSubrevI32 { op: [39 39 - - -], dst: i32, src: [i32 i32], has: [VOP3 VCC_OUT CLAMP], "D = S1 - S0; VCC (VOP3: SDST) = unsigned borrow" }
    v_subrev_u16 = VSubrevU16 { op: [- - 40 40 40], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP CLAMP], "D = S1 - S0" }
    v_mul_lo_u16 = VMulLoU16 { op: [- - 41 41 41], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP], "D = low 16 bits of S0 * S1" }
    v_lshlrev_b16 = VLshlrevB16 { op: [- - 42 42 42], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP], "D = S1 << S0[3:0]" }
    v_ldexp_f32 = VLdexpF32 { op: [43 43 - - -], dst: f32, src: [f32 i32], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 * 2 ^ S1" }
    v_lshrrev_b16 = VLshrrevB16 { op: [- - 43 43 43], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP], "D = S1 >> S0[3:0]" }
    v_ashrrev_i16 = VAshrrevI16 { op: [- - 44 44 44], dst: i16, src: [i16 i16], has: [VOP3 SDWA DPP], "D = S1 >> S0[3:0], signed" }
    v_cvt_pkaccum_u8_f32 = VCvtPkaccumU8F32 { op: [44 44 - - -], dst: b32, src: [f32 u32], has: [VOP3 ABS NEG CLAMP], fx: [RDST], "D = D with byte S1[1:0] replaced by S0 as u8, rounded and saturated" }
    v_cvt_pknorm_i16_f32 = VCvtPknormI16F32 { op: [45 45 - - -], dst: b32, src: [f32 f32], has: [VOP3 ABS NEG CLAMP], "D = {S1, S0}, each clamped to [-1, 1] and * 32767 as i16" }
    v_max_f16 = VMaxF16 { op: [- - 45 45 45], dst: f16, src: [f16 f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = larger of S0, S1" }
    v_cvt_pknorm_u16_f32 = VCvtPknormU16F32 { op: [46 46 - - -], dst: b32, src: [f32 f32], has: [VOP3 ABS NEG CLAMP], "D = {S1, S0}, each clamped to [0, 1] and * 65535 as u16" }
    v_min_f16 = VMinF16 { op: [- - 46 46 46], dst: f16, src: [f16 f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = smaller of S0, S1" }
    v_cvt_pkrtz_f16_f32 = VCvtPkrtzF16F32 { op: [47 47 - - -], dst: b32, src: [f32 f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = {S1, S0}, each as f16, rounded toward zero" }
    v_max_u16 = VMaxU16 { op: [- - 47 47 47], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP], "D = larger of S0, S1" }
    v_cvt_pk_u16_u32 = VCvtPkU16U32 { op: [48 48 - - -], dst: b32, src: [u32 u32], has: [VOP3], "D = {S1, S0}, each saturated to u16" }
    v_max_i16 = VMaxI16 { op: [- - 48 48 48], dst: i16, src: [i16 i16], has: [VOP3 SDWA DPP], "D = larger of S0, S1" }
    v_cvt_pk_i16_i32 = VCvtPkI16I32 { op: [49 49 - - -], dst: b32, src: [i32 i32], has: [VOP3], "D = {S1, S0}, each saturated to i16" }
    v_min_u16 = VMinU16 { op: [- - 49 49 49], dst: u16, src: [u16 u16], has: [VOP3 SDWA DPP], "D = smaller of S0, S1" }
    v_min_i16 = VMinI16 { op: [- - 50 50 50], dst: i16, src: [i16 i16], has: [VOP3 SDWA DPP], "D = smaller of S0, S1" }
    v_ldexp_f16 = VLdexpF16 { op: [- - 51 51 51], dst: f16, src: [f16 i16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 * 2 ^ i16 S1" }
    v_add_u32_carry = VAddU32Carry { op: [- - 25 - -], mnemonic: v_add_u32, dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT], "D = S0 + S1; VCC (VOP3: SDST) = unsigned carry out" }
    v_add_u32 = VAddU32 { op: [- - - 52 52], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP], "D = S0 + S1" }
    v_sub_u32_carry = VSubU32Carry { op: [- - 26 - -], mnemonic: v_sub_u32, dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT], "D = S0 - S1; VCC (VOP3: SDST) = unsigned borrow" }
    v_sub_u32 = VSubU32 { op: [- - - 53 53], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP], "D = S0 - S1" }
    v_subrev_u32_carry = VSubrevU32Carry { op: [- - 27 - -], mnemonic: v_subrev_u32, dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP VCC_OUT], "D = S1 - S0; VCC (VOP3: SDST) = unsigned borrow" }
    v_subrev_u32 = VSubrevU32 { op: [- - - 54 54], dst: u32, src: [u32 u32], has: [VOP3 SDWA DPP CLAMP], "D = S1 - S0" }
    v_fmac_f32 = VFmacF32 { op: [- - - - 59], dst: f32, src: [f32 f32], has: [VOP3 DPP ABS NEG CLAMP OMOD], fx: [RDST], "D = S0 * S1 + D, rounded once" }
    v_xnor_b32 = VXnorB32 { op: [- - - - 61], dst: b32, src: [b32 b32], has: [VOP3 SDWA DPP], "D = ~(S0 ^ S1)" }
        }
    };
}
