//! VOP3 rows: up to three vector sources. Only instructions that are not promoted from another encoding are here.
//! Columns: see [`crate::table`].

/// Calls a macro with the rows of VOP3.
#[macro_export]
macro_rules! for_each_vop3 {
    ($callback:ident) => {
        $callback! { Vop3 VOP3
    v_mullit_f32 = VMullitF32 { op: [336 336 - - -], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = S2 > 0 and S1 > -MAX ? S0 * S1 : -MAX, where MAX is the largest number" }
    v_lshl_b64 = VLshlB64 { op: [353 353 - - -], dst: b64, src: [b64 u32], has: [], "D = S0 << S1[5:0]" }
    v_lshr_b64 = VLshrB64 { op: [354 354 - - -], dst: b64, src: [b64 u32], has: [], "D = S0 >> S1[5:0]" }
    v_ashr_i64 = VAshrI64 { op: [355 355 - - -], dst: i64, src: [i64 u32], has: [], "D = S0 >> S1[5:0], signed" }
    v_mul_lo_i32 = VMulLoI32 { op: [363 363 - - -], dst: i32, src: [i32 i32], has: [], "D = low 32 bits of S0 * S1" }
    v_qsad_u8 = VQsadU8 { op: [370 - - - -], dst: b64, src: [b64 b32 b64], has: [CLAMP], "D.u16[k] = S2.u16[k] + sum of |(S0 >> 8k) - S1| of 4 bytes" }
    v_mad_legacy_f32 = VMadLegacyF32 { op: [320 320 448 448 448], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = S0 * S1 + S2, rounded twice; 0 times anything is 0" }
    v_mad_f32 = VMadF32 { op: [321 321 449 449 449], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = S0 * S1 + S2, rounded twice" }
    v_mad_i32_i24 = VMadI32I24 { op: [322 322 450 450 450], dst: i32, src: [i32 i32 i32], has: [CLAMP], "D = i24 S0 * i24 S1 + S2" }
    v_mad_u32_u24 = VMadU32U24 { op: [323 323 451 451 451], dst: u32, src: [u32 u32 u32], has: [CLAMP], "D = u24 S0 * u24 S1 + S2" }
    v_cubeid_f32 = VCubeidF32 { op: [324 324 452 452 452], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = number of the cube face that (S0, S1, S2) hits" }
    v_cubesc_f32 = VCubescF32 { op: [325 325 453 453 453], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = S coordinate of (S0, S1, S2) on its cube face" }
    v_cubetc_f32 = VCubetcF32 { op: [326 326 454 454 454], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = T coordinate of (S0, S1, S2) on its cube face" }
    v_cubema_f32 = VCubemaF32 { op: [327 327 455 455 455], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = twice the major axis of (S0, S1, S2)" }
    v_bfe_u32 = VBfeU32 { op: [328 328 456 456 456], dst: u32, src: [u32 u32 u32], has: [], "D = S2[4:0] bits of S0 from bit S1[4:0] on" }
    v_bfe_i32 = VBfeI32 { op: [329 329 457 457 457], dst: i32, src: [i32 u32 u32], has: [], "D = S2[4:0] bits of S0 from bit S1[4:0] on, sign-extended" }
    v_bfi_b32 = VBfiB32 { op: [330 330 458 458 458], dst: b32, src: [b32 b32 b32], has: [], "D = (S0 & S1) | (~S0 & S2)" }
    v_fma_f32 = VFmaF32 { op: [331 331 459 459 459], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = S0 * S1 + S2, rounded once" }
    v_fma_f64 = VFmaF64 { op: [332 332 460 460 460], dst: f64, src: [f64 f64 f64], has: [ABS NEG CLAMP OMOD], "D = S0 * S1 + S2, rounded once" }
    v_lerp_u8 = VLerpU8 { op: [333 333 461 461 461], dst: u32, src: [u32 u32 u32], has: [], "D = (S0 + S1 + bit 0 of S2) >> 1, per byte" }
    v_alignbit_b32 = VAlignbitB32 { op: [334 334 462 462 462], dst: b32, src: [b32 b32 u32], has: [], "D = low 32 bits of {S0, S1} >> S2[4:0]" }
    v_alignbyte_b32 = VAlignbyteB32 { op: [335 335 463 463 463], dst: b32, src: [b32 b32 u32], has: [], "D = low 32 bits of {S0, S1} >> 8 * S2[1:0]" }
    v_min3_f32 = VMin3F32 { op: [337 337 464 464 464], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = smallest of S0, S1, S2" }
    v_min3_i32 = VMin3I32 { op: [338 338 465 465 465], dst: i32, src: [i32 i32 i32], has: [], "D = smallest of S0, S1, S2" }
    v_min3_u32 = VMin3U32 { op: [339 339 466 466 466], dst: u32, src: [u32 u32 u32], has: [], "D = smallest of S0, S1, S2" }
    v_max3_f32 = VMax3F32 { op: [340 340 467 467 467], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = largest of S0, S1, S2" }
    v_max3_i32 = VMax3I32 { op: [341 341 468 468 468], dst: i32, src: [i32 i32 i32], has: [], "D = largest of S0, S1, S2" }
    v_max3_u32 = VMax3U32 { op: [342 342 469 469 469], dst: u32, src: [u32 u32 u32], has: [], "D = largest of S0, S1, S2" }
    v_med3_f32 = VMed3F32 { op: [343 343 470 470 470], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = median of S0, S1, S2" }
    v_med3_i32 = VMed3I32 { op: [344 344 471 471 471], dst: i32, src: [i32 i32 i32], has: [], "D = median of S0, S1, S2" }
    v_med3_u32 = VMed3U32 { op: [345 345 472 472 472], dst: u32, src: [u32 u32 u32], has: [], "D = median of S0, S1, S2" }
    v_sad_u8 = VSadU8 { op: [346 346 473 473 473], dst: u32, src: [u32 u32 u32], has: [CLAMP], "D = S2 + sum of |S0 - S1| of 4 bytes" }
    v_sad_hi_u8 = VSadHiU8 { op: [347 347 474 474 474], dst: u32, src: [u32 u32 u32], has: [CLAMP], "D = S2 + (sum of |S0 - S1| of 4 bytes << 16)" }
    v_sad_u16 = VSadU16 { op: [348 348 475 475 475], dst: u32, src: [u32 u32 u32], has: [CLAMP], "D = S2 + sum of |S0 - S1| of 2 halves" }
    v_sad_u32 = VSadU32 { op: [349 349 476 476 476], dst: u32, src: [u32 u32 u32], has: [CLAMP], "D = S2 + |S0 - S1|, unsigned" }
    v_cvt_pk_u8_f32 = VCvtPkU8F32 { op: [350 350 477 477 477], dst: b32, src: [f32 u32 u32], has: [ABS NEG CLAMP], "D = S2 with byte S1[1:0] replaced by S0 as u8, rounded and saturated" }
    v_div_fixup_f32 = VDivFixupF32 { op: [351 351 478 478 478], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], "D = quotient S0 of S2 / S1, with special cases put right" }
    v_div_fixup_f64 = VDivFixupF64 { op: [352 352 479 479 479], dst: f64, src: [f64 f64 f64], has: [ABS NEG CLAMP OMOD], "D = quotient S0 of S2 / S1, with special cases put right" }
    v_div_scale_f32 = VDivScaleF32 { op: [365 365 480 480 480], dst: f32, src: [f32 f32 f32], has: [NEG CLAMP OMOD VCC_OUT], "D = S0, scaled for S2 / S1; SDST = the quotient needs scaling" }
    v_div_scale_f64 = VDivScaleF64 { op: [366 366 481 481 481], dst: f64, src: [f64 f64 f64], has: [NEG CLAMP OMOD VCC_OUT], "D = S0, scaled for S2 / S1; SDST = the quotient needs scaling" }
    v_div_fmas_f32 = VDivFmasF32 { op: [367 367 482 482 482], dst: f32, src: [f32 f32 f32], has: [ABS NEG CLAMP OMOD], fx: [RVCC], "D = S0 * S1 + S2, rounded once, scaled if VCC" }
    v_div_fmas_f64 = VDivFmasF64 { op: [368 368 483 483 483], dst: f64, src: [f64 f64 f64], has: [ABS NEG CLAMP OMOD], fx: [RVCC], "D = S0 * S1 + S2, rounded once, scaled if VCC" }
    v_msad_u8 = VMsadU8 { op: [369 369 484 484 484], dst: u32, src: [u32 u32 u32], has: [CLAMP], "D = S2 + sum of |S0 - S1| of the bytes where S1 is not 0" }
    v_qsad_pk_u16_u8 = VQsadPkU16U8 { op: [- 370 485 485 485], dst: b64, src: [b64 b32 b64], has: [CLAMP], "D.u16[k] = S2.u16[k] + sum of |(S0 >> 8k) - S1| of 4 bytes" }
    v_mqsad_pk_u16_u8 = VMqsadPkU16U8 { op: [371 371 486 486 486], dst: b64, src: [b64 b32 b64], has: [CLAMP], "D.u16[k] = S2.u16[k] + sum of |(S0 >> 8k) - S1| where S1 is not 0" }
    v_mqsad_u32_u8 = VMqsadU32U8 { op: [- 373 487 487 487], dst: b128, src: [b64 b32 b128], has: [CLAMP], "D.u32[k] = S2.u32[k] + sum of |(S0 >> 8k) - S1| where S1 is not 0" }
    v_mad_u64_u32 = VMadU64U32 { op: [- 374 488 488 488], dst: u64, src: [u32 u32 u64], has: [CLAMP VCC_OUT], "D = S0 * S1 + S2 in 64 bits; SDST = carry out" }
    v_mad_i64_i32 = VMadI64I32 { op: [- 375 489 489 489], dst: i64, src: [i32 i32 i64], has: [CLAMP VCC_OUT], "D = S0 * S1 + S2 in 64 bits, signed; SDST = sign of the exact sum" }
    v_mad_legacy_f16 = VMadLegacyF16 { op: [- - - 490 490], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OMOD], "D = S0 * S1 + S2, rounded twice" }
    v_mad_legacy_u16 = VMadLegacyU16 { op: [- - - 491 491], dst: u16, src: [u16 u16 u16], has: [CLAMP], "D = low 16 bits of S0 * S1 + S2" }
    v_mad_legacy_i16 = VMadLegacyI16 { op: [- - - 492 492], dst: i16, src: [i16 i16 i16], has: [CLAMP], "D = low 16 bits of S0 * S1 + S2" }
    v_perm_b32 = VPermB32 { op: [- - 493 493 493], dst: b32, src: [b32 b32 b32], has: [], "D = bytes of {S0, S1} that the bytes of S2 select" }
    v_fma_legacy_f16 = VFmaLegacyF16 { op: [- - - 494 494], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OMOD], "D = S0 * S1 + S2, rounded once" }
    v_div_fixup_legacy_f16 = VDivFixupLegacyF16 { op: [- - - 495 495], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OMOD], "D = quotient S0 of S2 / S1, with special cases put right" }
    v_cvt_pkaccum_u8_f32 = VCvtPkaccumU8F32 { op: [- - 496 496 496], dst: b32, src: [f32 u32], has: [ABS NEG CLAMP], fx: [RDST], "D = D with byte S1[1:0] replaced by S0 as u8, rounded and saturated" }
    v_mad_u32_u16 = VMadU32U16 { op: [- - - 497 497], dst: u32, src: [u16 u16 u32], has: [CLAMP OP_SEL], "D = u16 S0 * u16 S1 + S2" }
    v_mad_i32_i16 = VMadI32I16 { op: [- - - 498 498], dst: i32, src: [i16 i16 i32], has: [CLAMP OP_SEL], "D = i16 S0 * i16 S1 + S2" }
    v_xad_u32 = VXadU32 { op: [- - - 499 499], dst: u32, src: [u32 u32 u32], has: [], "D = (S0 ^ S1) + S2" }
    v_min3_f16 = VMin3F16 { op: [- - - 500 500], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OP_SEL], "D = smallest of S0, S1, S2" }
    v_min3_i16 = VMin3I16 { op: [- - - 501 501], dst: i16, src: [i16 i16 i16], has: [CLAMP OP_SEL], "D = smallest of S0, S1, S2" }
    v_min3_u16 = VMin3U16 { op: [- - - 502 502], dst: u16, src: [u16 u16 u16], has: [CLAMP OP_SEL], "D = smallest of S0, S1, S2" }
    v_max3_f16 = VMax3F16 { op: [- - - 503 503], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OP_SEL], "D = largest of S0, S1, S2" }
    v_max3_i16 = VMax3I16 { op: [- - - 504 504], dst: i16, src: [i16 i16 i16], has: [CLAMP OP_SEL], "D = largest of S0, S1, S2" }
    v_max3_u16 = VMax3U16 { op: [- - - 505 505], dst: u16, src: [u16 u16 u16], has: [CLAMP OP_SEL], "D = largest of S0, S1, S2" }
    v_med3_f16 = VMed3F16 { op: [- - - 506 506], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OP_SEL], "D = median of S0, S1, S2" }
    v_med3_i16 = VMed3I16 { op: [- - - 507 507], dst: i16, src: [i16 i16 i16], has: [CLAMP OP_SEL], "D = median of S0, S1, S2" }
    v_med3_u16 = VMed3U16 { op: [- - - 508 508], dst: u16, src: [u16 u16 u16], has: [CLAMP OP_SEL], "D = median of S0, S1, S2" }
    v_lshl_add_u32 = VLshlAddU32 { op: [- - - 509 509], dst: u32, src: [u32 u32 u32], has: [], "D = (S0 << S1[4:0]) + S2" }
    v_add_lshl_u32 = VAddLshlU32 { op: [- - - 510 510], dst: u32, src: [u32 u32 u32], has: [], "D = (S0 + S1) << S2[4:0]" }
    v_add3_u32 = VAdd3U32 { op: [- - - 511 511], dst: u32, src: [u32 u32 u32], has: [], "D = S0 + S1 + S2" }
    v_lshl_or_b32 = VLshlOrB32 { op: [- - - 512 512], dst: b32, src: [b32 b32 b32], has: [], "D = (S0 << S1[4:0]) | S2" }
    v_and_or_b32 = VAndOrB32 { op: [- - - 513 513], dst: b32, src: [b32 b32 b32], has: [], "D = (S0 & S1) | S2" }
    v_or3_b32 = VOr3B32 { op: [- - - 514 514], dst: b32, src: [b32 b32 b32], has: [], "D = S0 | S1 | S2" }
    v_mad_f16 = VMadF16 { op: [- - 490 515 515], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OMOD OP_SEL HALF], "D = S0 * S1 + S2, rounded twice" }
    v_mad_u16 = VMadU16 { op: [- - 491 516 516], dst: u16, src: [u16 u16 u16], has: [CLAMP OP_SEL HALF], "D = low 16 bits of S0 * S1 + S2" }
    v_mad_i16 = VMadI16 { op: [- - 492 517 517], dst: i16, src: [i16 i16 i16], has: [CLAMP OP_SEL HALF], "D = low 16 bits of S0 * S1 + S2" }
    v_fma_f16 = VFmaF16 { op: [- - 494 518 518], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OMOD OP_SEL HALF], "D = S0 * S1 + S2, rounded once" }
    v_div_fixup_f16 = VDivFixupF16 { op: [- - 495 519 519], dst: f16, src: [f16 f16 f16], has: [ABS NEG CLAMP OMOD OP_SEL HALF], "D = quotient S0 of S2 / S1, with special cases put right" }
    v_interp_p1ll_f16 = VInterpP1llF16 { op: [- - 628 628 628], dst: f32, src: [none f32], has: [ATTR ABS NEG CLAMP OMOD], fx: [RM0], "D = P10 * S1 + P0 of an f16 attribute" }
    v_interp_p1lv_f16 = VInterpP1lvF16 { op: [- - 629 629 629], dst: f32, src: [none f32 f16], has: [ATTR ABS NEG CLAMP OMOD], fx: [RM0], "D = P10 * S1 + S2 of an f16 attribute" }
    v_interp_p2_legacy_f16 = VInterpP2LegacyF16 { op: [- - - 630 630], dst: f16, src: [none f32 f32], has: [ATTR ABS NEG CLAMP], fx: [RM0], "D = P20 * S1 + S2 of an f16 attribute" }
    v_interp_p2_f16 = VInterpP2F16 { op: [- - 630 631 631], dst: f16, src: [none f32 f32], has: [ATTR ABS NEG CLAMP HALF], fx: [RM0], "D = P20 * S1 + S2 of an f16 attribute" }
    v_add_f64 = VAddF64 { op: [356 356 640 640 640], dst: f64, src: [f64 f64], has: [ABS NEG CLAMP OMOD], "D = S0 + S1" }
    v_mul_f64 = VMulF64 { op: [357 357 641 641 641], dst: f64, src: [f64 f64], has: [ABS NEG CLAMP OMOD], "D = S0 * S1" }
    v_min_f64 = VMinF64 { op: [358 358 642 642 642], dst: f64, src: [f64 f64], has: [ABS NEG CLAMP OMOD], "D = smaller of S0, S1" }
    v_max_f64 = VMaxF64 { op: [359 359 643 643 643], dst: f64, src: [f64 f64], has: [ABS NEG CLAMP OMOD], "D = larger of S0, S1" }
    v_ldexp_f64 = VLdexpF64 { op: [360 360 644 644 644], dst: f64, src: [f64 i32], has: [ABS NEG CLAMP OMOD], "D = S0 * 2 ^ S1" }
    v_mul_lo_u32 = VMulLoU32 { op: [361 361 645 645 645], dst: u32, src: [u32 u32], has: [], "D = low 32 bits of S0 * S1" }
    v_mul_hi_u32 = VMulHiU32 { op: [362 362 646 646 646], dst: u32, src: [u32 u32], has: [], "D = high 32 bits of S0 * S1" }
    v_mul_hi_i32 = VMulHiI32 { op: [364 364 647 647 647], dst: i32, src: [i32 i32], has: [], "D = high 32 bits of S0 * S1, signed" }
    v_ldexp_f32 = VLdexpF32 { op: [- - 648 648 648], dst: f32, src: [f32 i32], has: [ABS NEG CLAMP OMOD], "D = S0 * 2 ^ S1" }
    v_readlane_b32 = VReadlaneB32 { op: [- - 649 649 649], dst: b32, src: [b32 b32], has: [SDST REG0 LAX LANE1], "D = S0 of lane S1[5:0]" }
    v_writelane_b32 = VWritelaneB32 { op: [- - 650 650 650], dst: b32, src: [b32 b32], has: [LANE1], fx: [RDST], "D of lane S1[5:0] = S0" }
    v_bcnt_u32_b32 = VBcntU32B32 { op: [- - 651 651 651], dst: u32, src: [b32 u32], has: [], "D = number of ones in S0, + S1" }
    v_mbcnt_lo_u32_b32 = VMbcntLoU32B32 { op: [- - 652 652 652], dst: u32, src: [b32 u32], has: [], "D = number of ones in S0 for lanes 0 to 31 below this one, + S1" }
    v_mbcnt_hi_u32_b32 = VMbcntHiU32B32 { op: [- - 653 653 653], dst: u32, src: [b32 u32], has: [], "D = number of ones in S0 for lanes 32 to 63 below this one, + S1" }
    v_mac_legacy_f32 = VMacLegacyF32 { op: [- - 654 654 654], dst: f32, src: [f32 f32], has: [ABS NEG CLAMP OMOD], fx: [RDST], unknown: true, "undocumented" }
    v_lshlrev_b64 = VLshlrevB64 { op: [- - 655 655 655], dst: b64, src: [u32 b64], has: [], "D = S1 << S0[5:0]" }
    v_lshrrev_b64 = VLshrrevB64 { op: [- - 656 656 656], dst: b64, src: [u32 b64], has: [], "D = S1 >> S0[5:0]" }
    v_ashrrev_i64 = VAshrrevI64 { op: [- - 657 657 657], dst: i64, src: [u32 i64], has: [], "D = S1 >> S0[5:0], signed" }
    v_trig_preop_f64 = VTrigPreopF64 { op: [372 372 658 658 658], dst: f64, src: [f64 i32], has: [ABS NEG CLAMP OMOD], "D = 53 bits of 2 / pi from a place that S0 and S1 choose" }
    v_bfm_b32 = VBfmB32 { op: [- - 659 659 659], dst: b32, src: [u32 u32], has: [], "D = S0[4:0] ones << S1[4:0]" }
    v_cvt_pknorm_i16_f32 = VCvtPknormI16F32 { op: [- - 660 660 660], dst: b32, src: [f32 f32], has: [ABS NEG CLAMP], "D = {S1, S0}, each clamped to [-1, 1] and * 32767 as i16" }
    v_cvt_pknorm_u16_f32 = VCvtPknormU16F32 { op: [- - 661 661 661], dst: b32, src: [f32 f32], has: [ABS NEG CLAMP], "D = {S1, S0}, each clamped to [0, 1] and * 65535 as u16" }
    v_cvt_pkrtz_f16_f32 = VCvtPkrtzF16F32 { op: [- - 662 662 662], dst: b32, src: [f32 f32], has: [ABS NEG CLAMP OMOD], "D = {S1, S0}, each as f16, rounded toward zero" }
    v_cvt_pk_u16_u32 = VCvtPkU16U32 { op: [- - 663 663 663], dst: b32, src: [u32 u32], has: [], "D = {S1, S0}, each saturated to u16" }
    v_cvt_pk_i16_i32 = VCvtPkI16I32 { op: [- - 664 664 664], dst: b32, src: [i32 i32], has: [], "D = {S1, S0}, each saturated to i16" }
    v_cvt_pknorm_i16_f16 = VCvtPknormI16F16 { op: [- - - 665 665], dst: b32, src: [f16 f16], has: [ABS NEG CLAMP OP_SEL], "D = {S1, S0}, each clamped to [-1, 1] and * 32767 as i16" }
    v_cvt_pknorm_u16_f16 = VCvtPknormU16F16 { op: [- - - 666 666], dst: b32, src: [f16 f16], has: [ABS NEG CLAMP OP_SEL], "D = {S1, S0}, each clamped to [0, 1] and * 65535 as u16" }
    v_readlane_regrd_b32 = VReadlaneRegrdB32 { op: [- - - 667 667], dst: b32, src: [b32 b32], has: [SDST REG0 LAX LANE1], unknown: true, "undocumented" }
    v_add_i32 = VAddI32 { op: [- - - 668 668], dst: i32, src: [i32 i32], has: [CLAMP], "D = S0 + S1" }
    v_sub_i32 = VSubI32 { op: [- - - 669 669], dst: i32, src: [i32 i32], has: [CLAMP], "D = S0 - S1" }
    v_add_i16 = VAddI16 { op: [- - - 670 670], dst: i16, src: [i16 i16], has: [CLAMP OP_SEL HALF], "D = S0 + S1" }
    v_sub_i16 = VSubI16 { op: [- - - 671 671], dst: i16, src: [i16 i16], has: [CLAMP OP_SEL HALF], "D = S0 - S1" }
    v_pack_b32_f16 = VPackB32F16 { op: [- - - 672 672], dst: b32, src: [f16 f16], has: [ABS NEG CLAMP OP_SEL], "D = {S1, S0}" }
        }
    };
}
