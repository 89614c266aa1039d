//! VOP1 rows: one vector source. Columns: see [`crate::table`].

/// Calls a macro with the rows of VOP1.
#[macro_export]
macro_rules! for_each_vop1 {
    ($callback:ident) => {
        $callback! { Vop1 VOP1
    v_nop = VNop { op: [0 0 0 0 0], dst: none, src: [], has: [VOP3 SDWA DPP BARE], "no operation" }
    v_mov_b32 = VMovB32 { op: [1 1 1 1 1], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = S0" }
    v_readfirstlane_b32 = VReadfirstlaneB32 { op: [2 2 2 2 2], dst: b32, src: [b32], has: [SDST REG0], "D = S0 of the lowest active lane (of lane 0 if none is)" }
    v_cvt_i32_f64 = VCvtI32F64 { op: [3 3 3 3 3], dst: i32, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 as i32: truncated and saturated, NaN = 0" }
    v_cvt_f64_i32 = VCvtF64I32 { op: [4 4 4 4 4], dst: f64, src: [i32], has: [VOP3 CLAMP OMOD], "D = S0 as f64, exact" }
    v_cvt_f32_i32 = VCvtF32I32 { op: [5 5 5 5 5], dst: f32, src: [i32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = S0 as f32, rounded" }
    v_cvt_f32_u32 = VCvtF32U32 { op: [6 6 6 6 6], dst: f32, src: [u32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = S0 as f32, rounded" }
    v_cvt_u32_f32 = VCvtU32F32 { op: [7 7 7 7 7], dst: u32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 as u32: truncated and saturated, NaN = 0" }
    v_cvt_i32_f32 = VCvtI32F32 { op: [8 8 8 8 8], dst: i32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 as i32: truncated and saturated, NaN = 0" }
    v_mov_fed_b32 = VMovFedB32 { op: [9 9 9 9 9], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = S0, with an error planted in it" }
    v_cvt_f16_f32 = VCvtF16F32 { op: [10 10 10 10 10], dst: f16, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 as f16, rounded" }
    v_cvt_f32_f16 = VCvtF32F16 { op: [11 11 11 11 11], dst: f32, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 as f32, exact" }
    v_cvt_rpi_i32_f32 = VCvtRpiI32F32 { op: [12 12 12 12 12], dst: i32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP], "D = floor(S0 + 0.5) as i32, saturated" }
    v_cvt_flr_i32_f32 = VCvtFlrI32F32 { op: [13 13 13 13 13], dst: i32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP], "D = floor(S0) as i32, saturated" }
    v_cvt_off_f32_i4 = VCvtOffF32I4 { op: [14 14 14 14 14], dst: f32, src: [b32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = i4 S0[3:0] / 16" }
    v_cvt_f32_f64 = VCvtF32F64 { op: [15 15 15 15 15], dst: f32, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 as f32, rounded" }
    v_cvt_f64_f32 = VCvtF64F32 { op: [16 16 16 16 16], dst: f64, src: [f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 as f64, exact" }
    v_cvt_f32_ubyte0 = VCvtF32Ubyte0 { op: [17 17 17 17 17], dst: f32, src: [u32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = unsigned byte 0 of S0 as f32" }
    v_cvt_f32_ubyte1 = VCvtF32Ubyte1 { op: [18 18 18 18 18], dst: f32, src: [u32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = unsigned byte 1 of S0 as f32" }
    v_cvt_f32_ubyte2 = VCvtF32Ubyte2 { op: [19 19 19 19 19], dst: f32, src: [u32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = unsigned byte 2 of S0 as f32" }
    v_cvt_f32_ubyte3 = VCvtF32Ubyte3 { op: [20 20 20 20 20], dst: f32, src: [u32], has: [VOP3 SDWA DPP CLAMP OMOD], "D = unsigned byte 3 of S0 as f32" }
    v_cvt_u32_f64 = VCvtU32F64 { op: [21 21 21 21 21], dst: u32, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 as u32: truncated and saturated, NaN = 0" }
    v_cvt_f64_u32 = VCvtF64U32 { op: [22 22 22 22 22], dst: f64, src: [u32], has: [VOP3 CLAMP OMOD], "D = S0 as f64, exact" }
    v_trunc_f64 = VTruncF64 { op: [- 23 23 23 23], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 rounded toward zero to an integer" }
    v_ceil_f64 = VCeilF64 { op: [- 24 24 24 24], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 rounded up to an integer" }
    v_rndne_f64 = VRndneF64 { op: [- 25 25 25 25], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 rounded to the nearest integer, ties to even" }
    v_floor_f64 = VFloorF64 { op: [- 26 26 26 26], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 rounded down to an integer" }
    v_fract_f32 = VFractF32 { op: [32 32 27 27 27], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 - floor(S0), below 1" }
    v_trunc_f32 = VTruncF32 { op: [33 33 28 28 28], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded toward zero to an integer" }
    v_ceil_f32 = VCeilF32 { op: [34 34 29 29 29], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded up to an integer" }
    v_rndne_f32 = VRndneF32 { op: [35 35 30 30 30], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded to the nearest integer, ties to even" }
    v_floor_f32 = VFloorF32 { op: [36 36 31 31 31], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded down to an integer" }
    v_exp_f32 = VExpF32 { op: [37 37 32 32 32], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 2 ^ S0" }
    v_log_f32 = VLogF32 { op: [39 39 33 33 33], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = log2(S0)" }
    v_rcp_f32 = VRcpF32 { op: [42 42 34 34 34], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 1 / S0" }
    v_rcp_iflag_f32 = VRcpIflagF32 { op: [43 43 35 35 35], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 1 / S0, with the exceptions of an integer division" }
    v_rsq_f32 = VRsqF32 { op: [46 46 36 36 36], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 1 / sqrt(S0)" }
    v_rcp_f64 = VRcpF64 { op: [47 47 37 37 37], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / S0" }
    v_log_clamp_f32 = VLogClampF32 { op: [38 38 - - -], dst: f32, src: [f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = log2(S0); -infinity becomes the lowest number" }
    v_rsq_f64 = VRsqF64 { op: [49 49 38 38 38], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / sqrt(S0)" }
    v_sqrt_f32 = VSqrtF32 { op: [51 51 39 39 39], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = sqrt(S0)" }
    v_rcp_clamp_f32 = VRcpClampF32 { op: [40 40 - - -], dst: f32, src: [f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / S0; infinity becomes the largest number" }
    v_sqrt_f64 = VSqrtF64 { op: [52 52 40 40 40], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = sqrt(S0)" }
    v_rcp_legacy_f32 = VRcpLegacyF32 { op: [41 41 - - -], dst: f32, src: [f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / S0; infinity becomes 0" }
    v_sin_f32 = VSinF32 { op: [53 53 41 41 41], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = sin(2 pi S0)" }
    v_cos_f32 = VCosF32 { op: [54 54 42 42 42], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = cos(2 pi S0)" }
    v_not_b32 = VNotB32 { op: [55 55 43 43 43], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = ~S0" }
    v_bfrev_b32 = VBfrevB32 { op: [56 56 44 44 44], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = S0 with its bits in reverse order" }
    v_rsq_clamp_f32 = VRsqClampF32 { op: [44 44 - - -], dst: f32, src: [f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / sqrt(S0); infinity becomes the largest number" }
    v_ffbh_u32 = VFfbhU32 { op: [57 57 45 45 45], dst: u32, src: [u32], has: [VOP3 SDWA DPP], "D = number of leading zeros of S0; -1 if S0 = 0" }
    v_rsq_legacy_f32 = VRsqLegacyF32 { op: [45 45 - - -], dst: f32, src: [f32], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / sqrt(S0); infinity becomes 0" }
    v_ffbl_b32 = VFfblB32 { op: [58 58 46 46 46], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = number of trailing zeros of S0; -1 if S0 = 0" }
    v_ffbh_i32 = VFfbhI32 { op: [59 59 47 47 47], dst: i32, src: [i32], has: [VOP3 SDWA DPP], "D = number of leading bits equal to the sign; -1 if all are" }
    v_frexp_exp_i32_f64 = VFrexpExpI32F64 { op: [60 60 48 48 48], dst: i32, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = exponent of S0 for a mantissa in [0.5, 1); else 0" }
    v_rcp_clamp_f64 = VRcpClampF64 { op: [48 48 - - -], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / S0; infinity becomes the largest number" }
    v_frexp_mant_f64 = VFrexpMantF64 { op: [61 61 49 49 49], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = mantissa of S0, in [0.5, 1) with its sign" }
    v_fract_f64 = VFractF64 { op: [62 62 50 50 50], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = S0 - floor(S0), below 1" }
    v_rsq_clamp_f64 = VRsqClampF64 { op: [50 50 - - -], dst: f64, src: [f64], has: [VOP3 ABS NEG CLAMP OMOD], "D = 1 / sqrt(S0); infinity becomes the largest number" }
    v_frexp_exp_i32_f32 = VFrexpExpI32F32 { op: [63 63 51 51 51], dst: i32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP], "D = exponent of S0 for a mantissa in [0.5, 1); else 0" }
    v_frexp_mant_f32 = VFrexpMantF32 { op: [64 64 52 52 52], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = mantissa of S0, in [0.5, 1) with its sign" }
    v_clrexcp = VClrexcp { op: [65 65 53 53 53], dst: none, src: [], has: [VOP3 BARE], "clears the exception state" }
    v_mov_prsv_b32 = VMovPrsvB32 { op: [- - - 54 54], dst: b32, src: [b32], has: [VOP3 SDWA DPP], unknown: true, "undocumented" }
    v_movreld_b32 = VMovreldB32 { op: [66 66 54 - -], dst: b32, src: [b32], has: [VOP3], fx: [WVGPRS], "VGPR[D + M0] = S0" }
    v_movrels_b32 = VMovrelsB32 { op: [67 67 55 - -], dst: b32, src: [b32], has: [VOP3 REG0], fx: [RVGPRS], "D = VGPR[S0 + M0]" }
    v_screen_partition_4se_b32 = VScreenPartition4seB32 { op: [- - - 55 55], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = entry S0[7:0] of the table of screen partitions" }
    v_movrelsd_b32 = VMovrelsdB32 { op: [68 68 56 - -], dst: b32, src: [b32], has: [VOP3 REG0], fx: [RVGPRS WVGPRS], "VGPR[D + M0] = VGPR[S0 + M0]" }
    v_cvt_f16_u16 = VCvtF16U16 { op: [- - 57 57 57], dst: f16, src: [u16], has: [VOP3 SDWA DPP CLAMP OMOD], "D = S0 as f16, rounded" }
    v_cvt_f16_i16 = VCvtF16I16 { op: [- - 58 58 58], dst: f16, src: [i16], has: [VOP3 SDWA DPP CLAMP OMOD], "D = S0 as f16, rounded" }
    v_cvt_u16_f16 = VCvtU16F16 { op: [- - 59 59 59], dst: u16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 as u16: truncated and saturated, NaN = 0" }
    v_cvt_i16_f16 = VCvtI16F16 { op: [- - 60 60 60], dst: i16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 as i16: truncated and saturated, NaN = 0" }
    v_rcp_f16 = VRcpF16 { op: [- - 61 61 61], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 1 / S0" }
    v_sqrt_f16 = VSqrtF16 { op: [- - 62 62 62], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = sqrt(S0)" }
    v_rsq_f16 = VRsqF16 { op: [- - 63 63 63], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 1 / sqrt(S0)" }
    v_log_f16 = VLogF16 { op: [- - 64 64 64], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = log2(S0)" }
    v_exp_f16 = VExpF16 { op: [- - 65 65 65], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 2 ^ S0" }
    v_frexp_mant_f16 = VFrexpMantF16 { op: [- - 66 66 66], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = mantissa of S0, in [0.5, 1) with its sign" }
    v_frexp_exp_i16_f16 = VFrexpExpI16F16 { op: [- - 67 67 67], dst: i16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = exponent of S0 for a mantissa in [0.5, 1); else 0" }
    v_floor_f16 = VFloorF16 { op: [- - 68 68 68], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded down to an integer" }
    v_ceil_f16 = VCeilF16 { op: [- - 69 69 69], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded up to an integer" }
    v_trunc_f16 = VTruncF16 { op: [- - 70 70 70], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded toward zero to an integer" }
    v_rndne_f16 = VRndneF16 { op: [- - 71 71 71], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 rounded to the nearest integer, ties to even" }
    v_fract_f16 = VFractF16 { op: [- - 72 72 72], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = S0 - floor(S0), below 1" }
    v_sin_f16 = VSinF16 { op: [- - 73 73 73], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = sin(2 pi S0)" }
    v_cos_f16 = VCosF16 { op: [- - 74 74 74], dst: f16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = cos(2 pi S0)" }
    v_exp_legacy_f32 = VExpLegacyF32 { op: [- 70 75 75 75], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = 2 ^ S0, less accurate" }
    v_log_legacy_f32 = VLogLegacyF32 { op: [- 69 76 76 76], dst: f32, src: [f32], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = log2(S0), less accurate" }
    v_cvt_norm_i16_f16 = VCvtNormI16F16 { op: [- - - 77 77], dst: i16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = clamp(S0, -1, 1) * 32767 as i16, nearest even" }
    v_cvt_norm_u16_f16 = VCvtNormU16F16 { op: [- - - 78 78], dst: u16, src: [f16], has: [VOP3 SDWA DPP ABS NEG CLAMP OMOD], "D = clamp(S0, 0, 1) * 65535 as u16, nearest even" }
    v_sat_pk_u8_i16 = VSatPkU8I16 { op: [- - - 79 79], dst: b32, src: [b32], has: [VOP3 SDWA DPP], "D = both i16 halves of S0, each saturated to u8" }
    v_writelane_regwr_b32 = VWritelaneRegwrB32 { op: [- - - 80 80], dst: b32, src: [b32], has: [], unknown: true, "undocumented" }
    v_swap_b32 = VSwapB32 { op: [- - - 81 81], dst: b32, src: [b32], has: [VGPR0], fx: [RDST], "D and S0 are exchanged" }
        }
    };
}
