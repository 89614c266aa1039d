//! Fidelity notes that depend on the values of lanes.
//!
//! A lane function raises a note by a bit in a `u32`: 128 bits of [`Notes`](gcnsim_isa::Notes) in a loop over lanes
//! would cost time. The helper translates the bits once, after its loop, and only if there are any.
//!
//! The region raises the notes that the instruction alone decides (`constant-bus`, `int-clamp`, ...). If a lane
//! function raises one of them, too, nothing changes.

use gcnsim_isa::Note;

macro_rules! lane_notes {
    ($($(#[doc = $doc:literal])* $NAME:ident = $Note:ident,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($NAME,)* }

        $($(#[doc = $doc])* pub const $NAME: u32 = 1 << Index::$NAME as u32;)*

        /// The notes, by the number of their bit.
        pub const LANE_NOTES: &[Note] = &[$(Note::$Note),*];
    };
}

lane_notes! {
    /// A transcendental function: the correctly rounded value.
    TRANSCENDENTAL_APPROX = TranscendentalApprox,
    /// SIN or COS beyond 256 revolutions.
    TRIG_RANGE = TrigRange,
    /// The square root of -0 is -0.
    SQRT_NEG_ZERO = SqrtNegZero,
    /// TRIG_PREOP past the known bits of 2/pi, or of NaN.
    TRIG_PREOP_TAIL = TrigPreopTail,
    /// FRACT on GCN 1.0, where hardware has a bug.
    FRACT_GFX6 = FractGfx6,
    /// FREXP of infinity or NaN on GCN 1.0, where hardware has a bug.
    FREXP_NONFINITE_GFX6 = FrexpNonfiniteGfx6,
    /// DIV_SCALE_F64's condition on GCN 1.0, where hardware has a bug.
    DIV_SCALE_VCC_GFX6 = DivScaleVccGfx6,
    /// DIV_SCALE whose S0 equals neither S1 nor S2.
    DIV_SCALE_S0 = DivScaleS0,
    /// Two different NaN operands met.
    NAN_PAYLOAD = NanPayload,
    /// A signalling NaN stayed signalling.
    NAN_QUIET = NanQuiet,
    /// MIN or MAX of two NaNs.
    MINMAX_TWO_NANS = MinmaxTwoNans,
    /// MED3 with NaN in S2, or with a signalling NaN under IEEE.
    MED3_NAN = Med3Nan,
    /// A binary16 MAD or MAC flushed a denormal.
    MAD_F16_DENORM = MadF16Denorm,
    /// MAD_MIX flushed a binary32 denormal.
    MAD_MIX_DENORM = MadMixDenorm,
    /// A mixed or dot product met a binary16 denormal whose treatment is in doubt.
    MIX_F16_DENORM = MixF16Denorm,
    /// A conversion met a binary16 denormal that MODE does not keep.
    CVT_F16_DENORM = CvtF16Denorm,
    /// A conversion to binary16 while the two rounding fields of MODE differ.
    CVT_F16_ROUND = CvtF16Round,
    /// CLAMP or OMOD of a conversion to integer was ignored.
    CVT_INT_CLAMP = CvtIntClamp,
    /// A binary16 overflow with MODE.FP16_OVFL.
    FP16_OVFL = Fp16Ovfl,
    /// A 16-bit operation new in GCN 1.4 cleared or kept an upper half that is not 0.
    HI16_NEW9 = Hi16New9,
    /// A mixed-precision result that depends on the number of roundings.
    MIX_ROUND = MixRound,
    /// V_DOT2_F32_F16 as two additions.
    DOT2_ROUNDING = Dot2Rounding,
    /// CVT_PK_U8 or CVT_PKACCUM while MODE does not round to nearest even.
    PK_U8_ROUND = PkU8Round,
    /// A 32-bit sum of V_MQSAD_U32_U8 wrapped.
    MQSAD_SATURATE = MqsadSaturate,
    /// V_MULLIT_F32.
    MULLIT = Mullit,
    /// A cube instruction with a NaN coordinate.
    CUBE_NAN = CubeNan,
    /// A 32-bit float operation on a part of a register.
    SDWA_F32_SUBWORD = SdwaF32Subword,
    /// A compare has another result because MODE flushes denormals.
    CMP_DENORM_FLUSH = CmpDenormFlush,
    /// DPP read a lane that EXEC switches off.
    DPP_INACTIVE_SRC = DppInactiveSrc,
}

const _: () = assert!(LANE_NOTES.len() <= 32);
