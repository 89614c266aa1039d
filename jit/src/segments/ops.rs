//! The instructions that segments are made of: a row each. With AVX-512 they are encoded by EVEX, with AVX2 by VEX.

/// The places of operands, and which of them the instruction reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The destination, a register source, a source in a register or in memory.
    Binary,
    /// The operands are those of `Binary`. The two sources can be exchanged.
    Commutative,
    /// The destination, a source in a register or in memory.
    Unary,
    /// A shift by an immediate. The opcode digit takes the place of the destination, which moves to VVVV.
    Shift(u8),
    /// The destination is a source too; then come a register and a source in a register or in memory.
    Tied,
    /// The destination is a mask register; then as `Binary`.
    Compare,
    /// From a vector register to the narrow source in `rm`, which is the destination.
    Narrow,
    /// From `rm` to a mask register, or the other way round.
    Mask,
    /// The operands are those of `Binary` and a third source, in a register. The signs of its elements say which
    /// elements come from the second source.
    Choice,
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The mnemonic.
    pub name: &'static str,
    /// Prefix: 0 none, 1 66, 2 F3, 3 F2.
    pub prefix: u8,
    /// Opcode map: 1 0F, 2 0F38, 3 0F3A.
    pub map: u8,
    /// W of EVEX.
    pub wide: bool,
    /// The opcode byte.
    pub opcode: u8,
    /// The places of its operands.
    pub shape: Shape,
    /// Bytes of an element that is broadcast from memory; 0 if it cannot be.
    pub element: u8,
    /// Whether an immediate byte follows.
    pub immediate: bool,
    /// The mnemonic with AVX2; none if it has no such instruction.
    pub vex: Option<&'static str>,
    /// W of VEX. Where the processor ignores it, it is clear: decoders that take it for a part of the opcode exist.
    pub vex_wide: bool,
    /// Whether only AVX2 has the operation, and AVX-512 does not.
    pub is_vex_only: bool,
}

macro_rules! prefix {
    (NP) => {
        0
    };
    (P66) => {
        1
    };
    (F3) => {
        2
    };
    (F2) => {
        3
    };
}

macro_rules! map {
    (M0F) => {
        1
    };
    (M38) => {
        2
    };
    (M3A) => {
        3
    };
}

macro_rules! immediate {
    () => {
        false
    };
    (ib) => {
        true
    };
}

macro_rules! vex {
    () => {
        None
    };
    ($name:ident) => {
        Some(stringify!($name))
    };
}

macro_rules! only {
    () => {
        false
    };
    (W1) => {
        false
    };
    ($(W1)? only) => {
        true
    };
}

macro_rules! vex_wide {
    ($(only)?) => {
        false
    };
    (W1 $(only)?) => {
        true
    };
}

macro_rules! ops {
    ($($Op:ident = $name:ident $prefix:ident $map:ident W $wide:literal $opcode:literal
        $shape:ident $(($digit:literal))? $element:literal $($ib:ident)? $(=> $vex:ident $($more:ident)*)?;)*) => {
        /// An instruction, by name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        #[repr(u8)]
        pub enum Op { $($Op,)* }

        impl Op {
            /// Whether the last source is half a register, and so half as many bytes in memory.
            pub fn takes_half(self) -> bool {
                matches!(
                    self,
                    Op::WidenFrom16
                        | Op::WidenFromI16
                        | Op::FromF16
                        | Op::F64FromF32
                        | Op::JoinHalves
                        | Op::JoinHalves256
                )
            }

            /// The list of all instructions.
            #[cfg(test)]
            pub const ALL: &'static [Op] = &[$(Op::$Op),*];

            /// Returns the row of the instruction.
            pub fn row(self) -> &'static Row {
                const ROWS: &[Row] = &[$(Row {
                    name: stringify!($name),
                    prefix: prefix!($prefix),
                    map: map!($map),
                    wide: $wide == 1,
                    opcode: $opcode,
                    shape: Shape::$shape $(($digit))?,
                    element: $element,
                    immediate: immediate!($($ib)?),
                    vex: vex!($($vex)?),
                    vex_wide: vex_wide!($($($more)*)?),
                    is_vex_only: only!($($($more)*)?),
                }),*];
                &ROWS[self as usize]
            }
        }
    };
}

ops! {
    // Moves. Broadcasts and stores are special: see `Encoder`.
    Load = vmovdqu32 F3 M0F W 0 0x6f Unary 0 => vmovdqu;
    Copy = vmovdqa32 P66 M0F W 0 0x6f Unary 0 => vmovdqa;
    Blend = vpblendmd P66 M38 W 0 0x64 Binary 4;
    MaskToBits = vpmovd2m F3 M38 W 0 0x39 Mask 0;
    BitsToMask64 = vpmovm2q F3 M38 W 1 0x38 Mask 0;
    // Integers of 32 and 64 bits.
    Add32 = vpaddd P66 M0F W 0 0xfe Commutative 4 => vpaddd;
    Sub32 = vpsubd P66 M0F W 0 0xfa Binary 4 => vpsubd;
    Add64 = vpaddq P66 M0F W 1 0xd4 Commutative 8 => vpaddq;
    And = vpandd P66 M0F W 0 0xdb Commutative 4 => vpand;
    Or = vpord P66 M0F W 0 0xeb Commutative 4 => vpor;
    Xor = vpxord P66 M0F W 0 0xef Commutative 4 => vpxor;
    And64 = vpandq P66 M0F W 1 0xdb Commutative 8 => vpand;
    Or64 = vporq P66 M0F W 1 0xeb Commutative 8 => vpor;
    Xor64 = vpxorq P66 M0F W 1 0xef Commutative 8 => vpxor;
    MulLow = vpmulld P66 M38 W 0 0x40 Commutative 4 => vpmulld;
    MulU64 = vpmuludq P66 M0F W 1 0xf4 Commutative 8 => vpmuludq;
    MulI64 = vpmuldq P66 M38 W 1 0x28 Commutative 8 => vpmuldq;
    MinI32 = vpminsd P66 M38 W 0 0x39 Commutative 4 => vpminsd;
    MaxI32 = vpmaxsd P66 M38 W 0 0x3d Commutative 4 => vpmaxsd;
    MinU32 = vpminud P66 M38 W 0 0x3b Commutative 4 => vpminud;
    MaxU32 = vpmaxud P66 M38 W 0 0x3f Commutative 4 => vpmaxud;
    ShlVar = vpsllvd P66 M38 W 0 0x47 Binary 4 => vpsllvd;
    ShrVar = vpsrlvd P66 M38 W 0 0x45 Binary 4 => vpsrlvd;
    SarVar = vpsravd P66 M38 W 0 0x46 Binary 4 => vpsravd;
    ShlVar64 = vpsllvq P66 M38 W 1 0x47 Binary 8 => vpsllvq W1;
    ShrVar64 = vpsrlvq P66 M38 W 1 0x45 Binary 8 => vpsrlvq W1;
    SarVar64 = vpsravq P66 M38 W 1 0x46 Binary 8;
    Shl = vpslld P66 M0F W 0 0x72 Shift(6) 4 ib => vpslld;
    Shr = vpsrld P66 M0F W 0 0x72 Shift(2) 4 ib => vpsrld;
    Sar = vpsrad P66 M0F W 0 0x72 Shift(4) 4 ib => vpsrad;
    Ror = vprord P66 M0F W 0 0x72 Shift(0) 4 ib;
    Shl64 = vpsllq P66 M0F W 1 0x73 Shift(6) 8 ib => vpsllq;
    Shr64 = vpsrlq P66 M0F W 1 0x73 Shift(2) 8 ib => vpsrlq;
    Sar64 = vpsraq P66 M0F W 1 0x72 Shift(4) 8 ib;
    LeadingZeros = vplzcntd P66 M38 W 0 0x44 Unary 4;
    PopCount = vpopcntd P66 M38 W 0 0x55 Unary 4;
    Funnel = vpshrdd P66 M3A W 0 0x73 Binary 4 ib;
    FunnelVar = vpshrdvd P66 M38 W 0 0x73 Tied 4;
    Logic = vpternlogd P66 M3A W 0 0x25 Tied 4 ib;
    // Permutations.
    Permute = vpermd P66 M38 W 0 0x36 Binary 4 => vpermd;
    Compress = vpcompressd P66 M38 W 0 0x8b Narrow 0;
    ShuffleQuarters = vshufi64x2 P66 M3A W 1 0x43 Binary 8 ib;
    Pick = vpermt2d P66 M38 W 0 0x7e Tied 4;
    PermuteBytes = vpermb P66 M38 W 0 0x8d Binary 0;
    Bytes = vpshufb P66 M38 W 0 0x00 Binary 0 => vpshufb;
    InterleaveLow = vpunpckldq P66 M0F W 0 0x62 Binary 4 => vpunpckldq;
    InterleaveHigh = vpunpckhdq P66 M0F W 0 0x6a Binary 4 => vpunpckhdq;
    ShuffleTwo = vshufps NP M0F W 0 0xc6 Binary 4 ib => vshufps;
    // Bytes and words.
    AverageU8 = vpavgb P66 M0F W 0 0xe0 Binary 0 => vpavgb;
    SubU8 = vpsubb P66 M0F W 0 0xf8 Binary 0 => vpsubb;
    MinU8 = vpminub P66 M0F W 0 0xda Binary 0 => vpminub;
    MaxU8 = vpmaxub P66 M0F W 0 0xde Binary 0 => vpmaxub;
    SumBytes = vpmaddubsw P66 M38 W 0 0x04 Binary 0 => vpmaddubsw;
    SumWords = vpmaddwd P66 M0F W 0 0xf5 Binary 0 => vpmaddwd;
    MulLow16 = vpmullw P66 M0F W 0 0xd5 Binary 0 => vpmullw;
    MinU16 = vpminuw P66 M38 W 0 0x3a Binary 0 => vpminuw;
    MaxU16 = vpmaxuw P66 M38 W 0 0x3e Binary 0 => vpmaxuw;
    MinI16 = vpminsw P66 M0F W 0 0xea Binary 0 => vpminsw;
    MaxI16 = vpmaxsw P66 M0F W 0 0xee Binary 0 => vpmaxsw;
    // Tests of integers.
    CompareI32 = vpcmpd P66 M3A W 0 0x1f Compare 4 ib;
    CompareU32 = vpcmpud P66 M3A W 0 0x1e Compare 4 ib;
    CompareI64 = vpcmpq P66 M3A W 1 0x1f Compare 8 ib;
    CompareU64 = vpcmpuq P66 M3A W 1 0x1e Compare 8 ib;
    Test = vptestmd P66 M38 W 0 0x27 Compare 4;
    TestNot = vptestnmd F3 M38 W 0 0x27 Compare 4;
    // Binary32.
    AddF32 = vaddps NP M0F W 0 0x58 Commutative 4 => vaddps;
    SubF32 = vsubps NP M0F W 0 0x5c Binary 4 => vsubps;
    MulF32 = vmulps NP M0F W 0 0x59 Commutative 4 => vmulps;
    DivF32 = vdivps NP M0F W 0 0x5e Binary 4 => vdivps;
    MaxF32 = vmaxps NP M0F W 0 0x5f Binary 4 => vmaxps;
    SqrtF32 = vsqrtps NP M0F W 0 0x51 Unary 4 => vsqrtps;
    RangeF32 = vrangeps P66 M3A W 0 0x50 Binary 4 ib;
    RoundF32 = vrndscaleps P66 M3A W 0 0x08 Unary 4 ib => vroundps;
    ScaleF32 = vscalefps P66 M38 W 0 0x2c Binary 4;
    CompareF32 = vcmpps NP M0F W 0 0xc2 Compare 4 ib;
    FromI32 = vcvtdq2ps NP M0F W 0 0x5b Unary 4 => vcvtdq2ps;
    FromU32 = vcvtudq2ps F2 M0F W 0 0x7a Unary 4;
    ToI32 = vcvttps2dq F3 M0F W 0 0x5b Unary 4 => vcvttps2dq;
    ToU32 = vcvttps2udq NP M0F W 0 0x78 Unary 4;
    Fma132F32 = vfmadd132ps P66 M38 W 0 0x98 Tied 4 => vfmadd132ps;
    Fma213F32 = vfmadd213ps P66 M38 W 0 0xa8 Tied 4 => vfmadd213ps;
    Fma231F32 = vfmadd231ps P66 M38 W 0 0xb8 Tied 4 => vfmadd231ps;
    // Binary16, in the low halves of 16 dwords.
    NarrowTo16 = vpmovdw F3 M38 W 0 0x33 Narrow 0;
    WidenFrom16 = vpmovzxwd P66 M38 W 0 0x33 Unary 0 => vpmovzxwd;
    WidenFromI16 = vpmovsxwd P66 M38 W 0 0x23 Unary 0 => vpmovsxwd;
    // A quarter of a vector, in memory.
    WidenFrom8 = vpmovzxbd P66 M38 W 0 0x31 Unary 0 => vpmovzxbd;
    WidenFromI8 = vpmovsxbd P66 M38 W 0 0x21 Unary 0 => vpmovsxbd;
    FromF16 = vcvtph2ps P66 M38 W 0 0x13 Unary 0 => vcvtph2ps;
    ToF16 = vcvtps2ph P66 M3A W 0 0x1d Narrow 0 ib => vcvtps2ph;
    // Binary64.
    AddF64 = vaddpd P66 M0F W 1 0x58 Commutative 8 => vaddpd;
    MulF64 = vmulpd P66 M0F W 1 0x59 Commutative 8 => vmulpd;
    SubF64 = vsubpd P66 M0F W 1 0x5c Binary 8 => vsubpd;
    ScaleF64 = vscalefpd P66 M38 W 1 0x2c Binary 8;
    DivF64 = vdivpd P66 M0F W 1 0x5e Binary 8 => vdivpd;
    SqrtF64 = vsqrtpd P66 M0F W 1 0x51 Unary 8 => vsqrtpd;
    // Eight lanes at once.
    F64FromF32 = vcvtps2pd NP M0F W 0 0x5a Unary 0 => vcvtps2pd;
    F32FromF64 = vcvtpd2ps P66 M0F W 1 0x5a Unary 8 => vcvtpd2ps;
    UpperHalf = vextractf64x4 P66 M3A W 1 0x1b Narrow 0 ib;
    JoinHalves = vinsertf64x4 P66 M3A W 1 0x1a Binary 0 ib;
    RangeF64 = vrangepd P66 M3A W 1 0x50 Binary 8 ib;
    RoundF64 = vrndscalepd P66 M3A W 1 0x09 Unary 8 ib => vroundpd;
    CompareF64 = vcmppd P66 M0F W 1 0xc2 Compare 8 ib;
    Fma132F64 = vfmadd132pd P66 M38 W 1 0x98 Tied 8 => vfmadd132pd W1;
    Fma213F64 = vfmadd213pd P66 M38 W 1 0xa8 Tied 8 => vfmadd213pd W1;
    Fma231F64 = vfmadd231pd P66 M38 W 1 0xb8 Tied 8 => vfmadd231pd W1;
    // Instructions of AVX2 that stand in for those of AVX-512.
    AndNot = vpandn P66 M0F W 0 0xdf Binary 4 => vpandn only;
    Choose = vblendvps P66 M3A W 0 0x4a Choice 4 => vblendvps only;
    BlendDwords = vpblendd P66 M3A W 0 0x02 Binary 4 ib => vpblendd only;
    PermuteQwords = vpermq P66 M3A W 0 0x00 Unary 8 ib => vpermq W1 only;
    SubSaturatedU16 = vpsubusw P66 M0F W 0 0xd9 Binary 4 => vpsubusw only;
    EqualI32 = vpcmpeqd P66 M0F W 0 0x76 Commutative 4 => vpcmpeqd only;
    GreaterI32 = vpcmpgtd P66 M0F W 0 0x66 Binary 4 => vpcmpgtd only;
    EqualI64 = vpcmpeqq P66 M38 W 0 0x29 Commutative 8 => vpcmpeqq only;
    GreaterI64 = vpcmpgtq P66 M38 W 0 0x37 Binary 8 => vpcmpgtq only;
    LanesF32 = vcmpps NP M0F W 0 0xc2 Binary 4 ib => vcmpps only;
    LanesF64 = vcmppd P66 M0F W 0 0xc2 Binary 8 ib => vcmppd only;
    MinF32 = vminps NP M0F W 0 0x5d Binary 4 => vminps only;
    MinF64 = vminpd P66 M0F W 0 0x5d Binary 8 => vminpd only;
    MaxF64 = vmaxpd P66 M0F W 0 0x5f Binary 8 => vmaxpd only;
    ShuffleHalves = vperm2i128 P66 M3A W 0 0x46 Binary 4 ib => vperm2i128 only;
    UpperHalf256 = vextractf128 P66 M3A W 0 0x19 Narrow 0 ib => vextractf128 only;
    JoinHalves256 = vinsertf128 P66 M3A W 0 0x18 Binary 0 ib => vinsertf128 only;
}
