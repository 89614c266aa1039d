//! Compares the rows of the vector ALU with lists that were written by hand from docs/gcn: types, effects, classes.

use std::collections::BTreeMap;

use gcnsim_isa::table::{Has, all_rows};
use gcnsim_isa::{Encoding, Fx, InstDesc, Kind, OperandType};

/// Every row except interpolation and undocumented instructions: encoding, types as `destination<-sources`, mnemonics
/// without `v_`. For packed instructions the sources are those of a half.
const SIGNATURES: &[(Encoding, &str, &str)] = &[
    (Encoding::Vop1, "none<-", "nop clrexcp"),
    (Encoding::Vop1, "b32<-b32", "mov_b32 mov_fed_b32 readfirstlane_b32 swap_b32 movreld_b32 movrels_b32 movrelsd_b32"),
    (Encoding::Vop1, "b32<-b32", "not_b32 bfrev_b32 ffbl_b32 screen_partition_4se_b32 sat_pk_u8_i16"),
    (Encoding::Vop1, "u32<-u32", "ffbh_u32"),
    (Encoding::Vop1, "i32<-i32", "ffbh_i32"),
    (Encoding::Vop1, "f32<-u32", "cvt_f32_u32 cvt_f32_ubyte0 cvt_f32_ubyte1 cvt_f32_ubyte2 cvt_f32_ubyte3"),
    (Encoding::Vop1, "f32<-i32", "cvt_f32_i32"),
    (Encoding::Vop1, "f32<-b32", "cvt_off_f32_i4"),
    (Encoding::Vop1, "f32<-f16", "cvt_f32_f16"),
    (Encoding::Vop1, "f32<-f64", "cvt_f32_f64"),
    (Encoding::Vop1, "f64<-f32", "cvt_f64_f32"),
    (Encoding::Vop1, "f64<-i32", "cvt_f64_i32"),
    (Encoding::Vop1, "f64<-u32", "cvt_f64_u32"),
    (Encoding::Vop1, "f16<-f32", "cvt_f16_f32"),
    (Encoding::Vop1, "f16<-u16", "cvt_f16_u16"),
    (Encoding::Vop1, "f16<-i16", "cvt_f16_i16"),
    (Encoding::Vop1, "i32<-f32", "cvt_i32_f32 cvt_rpi_i32_f32 cvt_flr_i32_f32 frexp_exp_i32_f32"),
    (Encoding::Vop1, "u32<-f32", "cvt_u32_f32"),
    (Encoding::Vop1, "i32<-f64", "cvt_i32_f64 frexp_exp_i32_f64"),
    (Encoding::Vop1, "u32<-f64", "cvt_u32_f64"),
    (Encoding::Vop1, "i16<-f16", "cvt_i16_f16 cvt_norm_i16_f16 frexp_exp_i16_f16"),
    (Encoding::Vop1, "u16<-f16", "cvt_u16_f16 cvt_norm_u16_f16"),
    (
        Encoding::Vop1,
        "f32<-f32",
        "fract_f32 trunc_f32 ceil_f32 rndne_f32 floor_f32 frexp_mant_f32 exp_f32 log_f32 rcp_f32",
    ),
    (Encoding::Vop1, "f32<-f32", "rcp_iflag_f32 rsq_f32 sqrt_f32 sin_f32 cos_f32 exp_legacy_f32 log_legacy_f32"),
    (Encoding::Vop1, "f32<-f32", "log_clamp_f32 rcp_clamp_f32 rsq_clamp_f32 rcp_legacy_f32 rsq_legacy_f32"),
    (
        Encoding::Vop1,
        "f64<-f64",
        "fract_f64 trunc_f64 ceil_f64 rndne_f64 floor_f64 frexp_mant_f64 rcp_f64 rsq_f64 sqrt_f64",
    ),
    (Encoding::Vop1, "f64<-f64", "rcp_clamp_f64 rsq_clamp_f64"),
    (
        Encoding::Vop1,
        "f16<-f16",
        "fract_f16 trunc_f16 ceil_f16 rndne_f16 floor_f16 frexp_mant_f16 rcp_f16 sqrt_f16 rsq_f16",
    ),
    (Encoding::Vop1, "f16<-f16", "log_f16 exp_f16 sin_f16 cos_f16"),
    (Encoding::Vop2, "b32<-b32,b32", "cndmask_b32 readlane_b32 writelane_b32 and_b32 or_b32 xor_b32 xnor_b32"),
    (
        Encoding::Vop2,
        "f32<-f32,f32",
        "add_f32 sub_f32 subrev_f32 mul_f32 mul_legacy_f32 mac_f32 mac_legacy_f32 fmac_f32",
    ),
    (Encoding::Vop2, "f32<-f32,f32", "min_f32 max_f32 min_legacy_f32 max_legacy_f32"),
    (Encoding::Vop2, "f32<-f32,f32,f32", "madmk_f32 madak_f32"),
    (Encoding::Vop2, "f32<-f32,i32", "ldexp_f32"),
    (Encoding::Vop2, "f16<-f16,f16", "add_f16 sub_f16 subrev_f16 mul_f16 mac_f16 min_f16 max_f16"),
    (Encoding::Vop2, "f16<-f16,f16,f16", "madmk_f16 madak_f16"),
    (Encoding::Vop2, "f16<-f16,i16", "ldexp_f16"),
    (Encoding::Vop2, "i32<-i32,i32", "mul_i32_i24 mul_hi_i32_i24 min_i32 max_i32 add_i32 sub_i32 subrev_i32"),
    (Encoding::Vop2, "u32<-u32,u32", "mul_u32_u24 mul_hi_u32_u24 min_u32 max_u32 add_u32 sub_u32 subrev_u32"),
    (Encoding::Vop2, "u32<-u32,u32", "add_co_u32 sub_co_u32 subrev_co_u32 addc_co_u32 subb_co_u32 subbrev_co_u32"),
    (Encoding::Vop2, "u32<-u32,u32", "addc_u32 subb_u32 subbrev_u32"),
    (Encoding::Vop2, "b32<-b32,u32", "lshl_b32 lshr_b32"),
    (Encoding::Vop2, "i32<-i32,u32", "ashr_i32"),
    (Encoding::Vop2, "b32<-u32,b32", "lshlrev_b32 lshrrev_b32"),
    (Encoding::Vop2, "i32<-u32,i32", "ashrrev_i32"),
    (Encoding::Vop2, "u16<-u16,u16", "add_u16 sub_u16 subrev_u16 mul_lo_u16 lshlrev_b16 lshrrev_b16 min_u16 max_u16"),
    (Encoding::Vop2, "i16<-i16,i16", "ashrrev_i16 min_i16 max_i16"),
    (Encoding::Vop2, "b32<-u32,u32", "bfm_b32 cvt_pk_u16_u32"),
    (Encoding::Vop2, "b32<-i32,i32", "cvt_pk_i16_i32"),
    (Encoding::Vop2, "u32<-b32,u32", "bcnt_u32_b32 mbcnt_lo_u32_b32 mbcnt_hi_u32_b32"),
    (Encoding::Vop2, "b32<-f32,u32", "cvt_pkaccum_u8_f32"),
    (Encoding::Vop2, "b32<-f32,f32", "cvt_pknorm_i16_f32 cvt_pknorm_u16_f32 cvt_pkrtz_f16_f32"),
    (Encoding::Vop3, "f32<-f32,f32,f32", "mad_f32 mad_legacy_f32 mullit_f32 fma_f32 div_scale_f32 div_fmas_f32"),
    (Encoding::Vop3, "f32<-f32,f32,f32", "div_fixup_f32 min3_f32 max3_f32 med3_f32"),
    (Encoding::Vop3, "f32<-f32,f32,f32", "cubeid_f32 cubesc_f32 cubetc_f32 cubema_f32"),
    (Encoding::Vop3, "f64<-f64,f64,f64", "fma_f64 div_scale_f64 div_fmas_f64 div_fixup_f64"),
    (Encoding::Vop3, "f64<-f64,f64", "add_f64 mul_f64 min_f64 max_f64"),
    (Encoding::Vop3, "f64<-f64,i32", "ldexp_f64 trig_preop_f64"),
    (Encoding::Vop3, "f32<-f32,i32", "ldexp_f32"),
    (Encoding::Vop3, "f16<-f16,f16,f16", "mad_f16 fma_f16 div_fixup_f16 min3_f16 max3_f16 med3_f16"),
    (Encoding::Vop3, "f16<-f16,f16,f16", "mad_legacy_f16 fma_legacy_f16 div_fixup_legacy_f16"),
    (Encoding::Vop3, "u16<-u16,u16,u16", "mad_u16 mad_legacy_u16 min3_u16 max3_u16 med3_u16"),
    (Encoding::Vop3, "i16<-i16,i16,i16", "mad_i16 mad_legacy_i16 min3_i16 max3_i16 med3_i16"),
    (Encoding::Vop3, "i16<-i16,i16", "add_i16 sub_i16"),
    (Encoding::Vop3, "u32<-u16,u16,u32", "mad_u32_u16"),
    (Encoding::Vop3, "i32<-i16,i16,i32", "mad_i32_i16"),
    (Encoding::Vop3, "i32<-i32,i32,i32", "mad_i32_i24 min3_i32 max3_i32 med3_i32"),
    (Encoding::Vop3, "u32<-u32,u32,u32", "mad_u32_u24 min3_u32 max3_u32 med3_u32 bfe_u32 lerp_u8"),
    (
        Encoding::Vop3,
        "u32<-u32,u32,u32",
        "sad_u8 sad_hi_u8 sad_u16 sad_u32 msad_u8 xad_u32 lshl_add_u32 add_lshl_u32 add3_u32",
    ),
    (Encoding::Vop3, "i32<-i32,u32,u32", "bfe_i32"),
    (Encoding::Vop3, "b32<-b32,b32,b32", "bfi_b32 perm_b32 lshl_or_b32 and_or_b32 or3_b32"),
    (Encoding::Vop3, "b32<-b32,b32,u32", "alignbit_b32 alignbyte_b32"),
    (Encoding::Vop3, "b32<-f32,u32,u32", "cvt_pk_u8_f32"),
    (Encoding::Vop3, "b64<-b64,b32,b64", "qsad_u8 qsad_pk_u16_u8 mqsad_pk_u16_u8"),
    (Encoding::Vop3, "b128<-b64,b32,b128", "mqsad_u32_u8"),
    (Encoding::Vop3, "u64<-u32,u32,u64", "mad_u64_u32"),
    (Encoding::Vop3, "i64<-i32,i32,i64", "mad_i64_i32"),
    (Encoding::Vop3, "b64<-b64,u32", "lshl_b64 lshr_b64"),
    (Encoding::Vop3, "i64<-i64,u32", "ashr_i64"),
    (Encoding::Vop3, "b64<-u32,b64", "lshlrev_b64 lshrrev_b64"),
    (Encoding::Vop3, "i64<-u32,i64", "ashrrev_i64"),
    (Encoding::Vop3, "u32<-u32,u32", "mul_lo_u32 mul_hi_u32"),
    (Encoding::Vop3, "i32<-i32,i32", "mul_lo_i32 mul_hi_i32 add_i32 sub_i32"),
    (Encoding::Vop3, "b32<-b32,b32", "readlane_b32 writelane_b32"),
    (Encoding::Vop3, "u32<-b32,u32", "bcnt_u32_b32 mbcnt_lo_u32_b32 mbcnt_hi_u32_b32"),
    (Encoding::Vop3, "b32<-u32,u32", "bfm_b32 cvt_pk_u16_u32"),
    (Encoding::Vop3, "b32<-i32,i32", "cvt_pk_i16_i32"),
    (Encoding::Vop3, "b32<-f32,u32", "cvt_pkaccum_u8_f32"),
    (Encoding::Vop3, "b32<-f32,f32", "cvt_pknorm_i16_f32 cvt_pknorm_u16_f32 cvt_pkrtz_f16_f32"),
    (Encoding::Vop3, "b32<-f16,f16", "cvt_pknorm_i16_f16 cvt_pknorm_u16_f16 pack_b32_f16"),
    (Encoding::Vop3p, "b32<-i16,i16,i16", "pk_mad_i16"),
    (Encoding::Vop3p, "b32<-u16,u16,u16", "pk_mad_u16"),
    (Encoding::Vop3p, "b32<-i16,i16", "pk_add_i16 pk_sub_i16 pk_min_i16 pk_max_i16 pk_ashrrev_i16"),
    (
        Encoding::Vop3p,
        "b32<-u16,u16",
        "pk_add_u16 pk_sub_u16 pk_min_u16 pk_max_u16 pk_mul_lo_u16 pk_lshlrev_b16 pk_lshrrev_b16",
    ),
    (Encoding::Vop3p, "b32<-f16,f16,f16", "pk_fma_f16"),
    (Encoding::Vop3p, "b32<-f16,f16", "pk_add_f16 pk_mul_f16 pk_min_f16 pk_max_f16"),
    (Encoding::Vop3p, "f32<-f16,f16,f16", "mad_mix_f32 fma_mix_f32"),
    (Encoding::Vop3p, "f16<-f16,f16,f16", "mad_mixlo_f16 mad_mixhi_f16 fma_mixlo_f16 fma_mixhi_f16"),
    (Encoding::Vop3p, "f32<-f16,f16,f32", "dot2_f32_f16"),
    (Encoding::Vop3p, "i32<-i16,i16,i32", "dot2_i32_i16"),
    (Encoding::Vop3p, "u32<-u16,u16,u32", "dot2_u32_u16"),
    (Encoding::Vop3p, "i32<-b32,b32,i32", "dot4_i32_i8 dot8_i32_i4"),
    (Encoding::Vop3p, "u32<-b32,b32,u32", "dot4_u32_u8 dot8_u32_u4"),
];

/// Rows of VOP1, VOP2, VOP3 and VOP3P, without interpolation and undocumented instructions.
fn rows() -> impl Iterator<Item = &'static InstDesc> {
    let is_vector =
        |row: &&InstDesc| matches!(row.encoding, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 | Encoding::Vop3p);
    all_rows().filter(is_vector).filter(|row| !row.unknown && !row.has.any(Has::ATTR))
}

fn name(row: &InstDesc) -> &'static str {
    row.mnemonic.strip_prefix("v_").unwrap()
}

#[test]
fn types_of_every_row() {
    let mut expected = BTreeMap::new();
    for (encoding, signature, names) in SIGNATURES {
        for name in names.split(' ') {
            let twice = expected.insert((encoding.name(), name), *signature);
            assert_eq!(twice, None, "{name} is listed twice");
        }
    }
    let mut seen = BTreeMap::new();
    for row in rows() {
        let text = |types: &[OperandType]| types.iter().map(|ty| format!("{ty:?}")).collect::<Vec<_>>().join(",");
        let signature = format!("{:?}<-{}", row.dst, text(row.src));
        assert_eq!(expected.get(&(row.encoding.name(), name(row))), Some(&signature.as_str()), "{}", row.mnemonic);
        seen.insert((row.encoding.name(), name(row)), ());
    }
    let missing: Vec<_> = expected.keys().filter(|key| !seen.contains_key(*key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A row that is not in a list must not have its effect.
#[test]
fn implicit_effects_of_every_row() {
    const NOTHING: &str = "nop clrexcp";
    const WHATEVER_EXEC: &str = "readlane_b32 writelane_b32";
    const MASK_IN: &str = "cndmask_b32 addc_u32 addc_co_u32 subb_u32 subb_co_u32 subbrev_u32 subbrev_co_u32 \
                           div_fmas_f32 div_fmas_f64";
    // V_ADD_I32 and similar of VOP2, and V_ADD_U32 and similar of GCN 1.2, follow below.
    const MASK_OUT: &str = "add_co_u32 sub_co_u32 subrev_co_u32 addc_u32 addc_co_u32 subb_u32 subb_co_u32 subbrev_u32 \
                            subbrev_co_u32 div_scale_f32 div_scale_f64 mad_u64_u32 mad_i64_i32";
    const OLD_DESTINATION: &str = "mac_f32 mac_f16 mac_legacy_f32 fmac_f32 cvt_pkaccum_u8_f32 swap_b32 writelane_b32";
    for row in rows() {
        let is_in = |list: &str| list.split_whitespace().any(|listed| listed == name(row));
        let carries = match (row.encoding, row.mnemonic) {
            (Encoding::Vop2, "v_add_i32" | "v_sub_i32" | "v_subrev_i32") => true,
            (Encoding::Vop2, "v_add_u32" | "v_sub_u32" | "v_subrev_u32") => row.op[2] != gcnsim_isa::NO_OPCODE,
            _ => false,
        };
        let something = !is_in(NOTHING);
        let expected = [
            (Fx::REXEC, something && !is_in(WHATEVER_EXEC)),
            (Fx::RMODE, something),
            (Fx::RM0, something),
            (Fx::RVCC, is_in(MASK_IN)),
            (Fx::WVCC, is_in(MASK_OUT) || carries),
            (Fx::RDST, is_in(OLD_DESTINATION)),
            (Fx::RVGPRS, is_in("movrels_b32 movrelsd_b32")),
            (Fx::WVGPRS, is_in("movreld_b32 movrelsd_b32")),
            (Fx::RSCC.or(Fx::WSCC).or(Fx::WEXEC).or(Fx::WM0).or(Fx::WMODE).or(Fx::RSGPRS).or(Fx::WSGPRS), false),
        ];
        for (fx, has) in expected {
            assert_eq!(row.fx.has(fx), has, "{} {:?}: {fx:?}", row.mnemonic, row.encoding);
        }
    }
}

#[test]
fn classes_follow_encodings() {
    for row in all_rows() {
        let expected = match row.encoding.name() {
            "VOP1" | "VOP2" | "VOP3" | "VOP3P" => Kind::Valu,
            "VOPC" => Kind::Vcmp,
            "SMRD" | "SMEM" => Kind::Smem,
            "MUBUF" | "MTBUF" | "FLAT" | "GLOBAL" | "SCRATCH" => Kind::Vmem,
            "DS" => Kind::Lds,
            "MIMG" => Kind::Image,
            "EXP" => Kind::Export,
            "VINTRP" => Kind::Other,
            "SOPC" if row.mnemonic.starts_with("s_cmp_") || row.mnemonic.starts_with("s_bitcmp") => Kind::Scmp,
            _ => continue,
        };
        assert_eq!(row.kind, expected, "{}", row.mnemonic);
    }
    let names = Kind::ALL.map(Kind::name).join(" ");
    assert_eq!(names, "salu scmp branch vcmp system other valu smem vmem lds image export");
    assert!(Kind::ALL.iter().enumerate().all(|(i, kind)| *kind as usize == i));
}
