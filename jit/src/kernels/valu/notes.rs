//! Fidelity notes that depend on the values of lanes.
//!
//! A lane function raises a note by a bit in a `u32`, because [`Notes`](gcnsim_isa::Notes) of 128 bits in a lane loop
//! would cost. The kernel translates the bits once, after its loop, and only if there are any.
//!
//! Notes that the instruction alone decides (`constant-bus`, `qsad-overlap`, ...) are not here: the region raises them.

macro_rules! lane_notes {
    ($($(#[doc = $doc:literal])* $NAME:ident = $code:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($NAME,)* }

        $($(#[doc = $doc])* pub const $NAME: u32 = 1 << Index::$NAME as u32;)*

        /// The codes of the notes, by number of their bit.
        pub const LANE_NOTES: &[&str] = &[$($code),*];
    };
}

lane_notes! {
    /// A transcendental function: the correctly rounded value.
    TRANSCENDENTAL_APPROX = "transcendental-approx",
    /// SIN or COS beyond 256 revolutions.
    TRIG_RANGE = "trig-range",
    /// The square root of -0 is -0.
    SQRT_NEG_ZERO = "sqrt-neg-zero",
    /// TRIG_PREOP past the known bits of 2/pi, or of NaN.
    TRIG_PREOP_TAIL = "trig-preop-tail",
    /// FRACT on GCN 1.0, where hardware has a bug.
    FRACT_GFX6 = "fract-gfx6",
    /// FREXP of infinity or NaN on GCN 1.0, where hardware has a bug.
    FREXP_NONFINITE_GFX6 = "frexp-nonfinite-gfx6",
    /// DIV_SCALE_F64's condition on GCN 1.0, where hardware has a bug.
    DIV_SCALE_VCC_GFX6 = "div-scale-vcc-gfx6",
    /// DIV_SCALE whose S0 equals neither S1 nor S2.
    DIV_SCALE_S0 = "div-scale-s0",
    /// Two different NaN operands met.
    NAN_PAYLOAD = "nan-payload",
    /// A signalling NaN passed unquieted.
    NAN_QUIET = "nan-quiet",
    /// MIN or MAX of two NaNs.
    MINMAX_TWO_NANS = "minmax-two-nans",
    /// MED3 with NaN in S2, or with a signalling NaN under IEEE.
    MED3_NAN = "med3-nan",
    /// A binary16 MAD or MAC flushed a denormal.
    MAD_F16_DENORM = "mad-f16-denorm",
    /// MAD_MIX flushed a binary32 denormal.
    MAD_MIX_DENORM = "mad-mix-denorm",
    /// A conversion met a binary16 denormal that MODE does not keep.
    CVT_F16_DENORM = "cvt-f16-denorm",
    /// A conversion to binary16 while the two rounding fields of MODE differ.
    CVT_F16_ROUND = "cvt-f16-round",
    /// CLAMP or OMOD of a conversion to integer was ignored.
    CVT_INT_CLAMP = "cvt-int-clamp",
    /// A binary16 overflow with MODE.FP16_OVFL.
    FP16_OVFL = "fp16-ovfl",
    /// CLAMP saturated an integer result of other than additions and subtractions.
    INT_CLAMP = "int-clamp",
    /// V_MAC_F16, V_MADMK_F16 or V_MADAK_F16 on GCN 1.4 kept an upper half that is not 0.
    MAC_F16_HI16 = "mac-f16-hi16",
    /// A 16-bit operation new in GCN 1.4 cleared or kept an upper half that is not 0.
    HI16_NEW9 = "hi16-new9",
    /// A conversion to 16-bit integers cleared an upper half that is not 0.
    CVT_I16_HI16 = "cvt-i16-hi16",
    /// A mixed-precision result that depends on the number of roundings.
    MIX_ROUND = "mix-round",
    /// V_DOT2_F32_F16 as two additions.
    DOT2_ROUNDING = "dot2-rounding",
    /// CVT_PK_U8 or CVT_PKACCUM while MODE does not round to nearest even.
    PK_U8_ROUND = "pk-u8-round",
    /// A 32-bit sum of V_MQSAD_U32_U8 wrapped.
    MQSAD_SATURATE = "mqsad-saturate",
    /// The carry of V_MAD_I64_I32.
    MAD_I64_CARRY = "mad-i64-carry",
    /// V_MULLIT_F32.
    MULLIT = "mullit",
    /// A cube instruction with a NaN coordinate.
    CUBE_NAN = "cube-nan",
    /// A 32-bit float operation on a part of a register.
    SDWA_F32_SUBWORD = "sdwa-f32-subword",
    /// DPP read a lane that EXEC switches off.
    DPP_INACTIVE_SRC = "dpp-inactive-src",
}

const _: () = assert!(LANE_NOTES.len() <= 32);
