//! Fidelity notes: cases whose outcome depends on a choice of ours, because no source settles them.
//!
//! A run collects the codes of the cases that it met. `gcnsim isa --notes` prints this list. In it, 1.2 is a generation
//! and 1.4+ means GCN 1.4 and later; `docs/refer/fidelity.md` says what the names of the sources stand for.
//!
//! [`Inst::static_notes`](crate::Inst::static_notes) raises a note if the words of the instruction decide on
//! it. Otherwise both engines raise it when they meet the case.
//!
//! Cases that depend on operands are met only in lanes that take part in the instruction. Values are those after source
//! modifiers; results are those before OMOD and CLAMP.

use std::fmt;

/// The ground of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// One good source, a source of another generation, or the plain reading where no source speaks.
    Likely,
    /// Sources contradict each other, or there is none.
    Unknown,
}

impl Basis {
    /// `likely` or `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Likely => "likely",
            Basis::Unknown => "unknown",
        }
    }
}

/// Defines the notes. Each has a name, a code, a basis, a case, a choice, and sources (`-`: none).
macro_rules! notes {
    ($($Variant:ident = $code:literal, $Basis:ident: $case:literal, $choice:literal, $source:literal;)*) => {
        /// A case. Its code is stable.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Note { $(#[doc = concat!("`", $case, "`: `", $choice, "`")] $Variant,)* }

        impl Note {
            /// All notes, in order of their bits in [`Notes`].
            pub const ALL: &'static [Note] = &[$(Note::$Variant),*];

            /// The code in results, for example `smax-equal-scc`.
            pub const fn code(self) -> &'static str {
                match self { $(Note::$Variant => $code),* }
            }

            /// The ground of the choice.
            pub const fn basis(self) -> Basis {
                match self { $(Note::$Variant => Basis::$Basis),* }
            }

            /// The case.
            pub const fn case(self) -> &'static str {
                match self { $(Note::$Variant => $case),* }
            }

            /// Our choice.
            pub const fn choice(self) -> &'static str {
                match self { $(Note::$Variant => $choice),* }
            }

            /// The sources; `-` means that none speaks of the case.
            pub const fn source(self) -> &'static str {
                match self { $(Note::$Variant => $source),* }
            }

            /// The case and our choice.
            pub const fn meaning(self) -> &'static str {
                match self { $(Note::$Variant => concat!($case, ": ", $choice)),* }
            }
        }
    };
}

notes! {
    OddSgprPair = "odd-sgpr-pair", Unknown:
        "64-bit scalar operand at an odd SGPR or TTMP",
        "the pair n, n+1",
        "AMD: even; LLVM drops the bit";
    SmaxEqualScc = "smax-equal-scc", Unknown:
        "S_MAX_I32, S_MAX_U32 of equal operands",
        "SCC = 0",
        "Vega, CLRX; CDNA: 1";
    SaveexecSdstExec = "saveexec-sdst-exec", Unknown:
        "S_*_SAVEEXEC, S_*_WREXEC with SDST = EXEC",
        "EXEC, then SDST; SCC of the formula",
        "CDNA; CLRX: EXEC last";
    PcLowBits = "pc-low-bits", Unknown:
        "jump target, no multiple of 4",
        "low bits masked off (by a fork, before it pushes)",
        "-";
    PcHighBits = "pc-high-bits", Unknown:
        "jump target above 48 bits",
        "kept (normally out of range)",
        "Vega's PC has 48";
    MovrelRange = "movrel-range", Unknown:
        "S_MOVREL* past s103 (1.2+: s101) or at an odd pair; V_MOVREL* past the VGPRs",
        "source s0 (s[0:1]) or v0, write dropped",
        "AMD: illegal";
    RfeOutsideTrap = "rfe-outside-trap", Unknown:
        "S_RFE_* (there is no trap handler)",
        "PC = S0",
        "AMD, in handlers";
    HwregPc = "hwreg-pc", Unknown:
        "S_GETREG, S_SETREG of PC_LO, PC_HI",
        "address of the next instruction, write dropped",
        "-";
    HwregDebug = "hwreg-debug", Unknown:
        "S_GETREG, S_SETREG of INST_DW0, INST_DW1, IB_DBG0, IB_DBG1",
        "0, write dropped",
        "-";
    HwregUnknown = "hwreg-unknown", Unknown:
        "S_GETREG, S_SETREG of 0, 14, 16..63, 15 before 1.4",
        "0, write dropped",
        "-";
    HwregOverrun = "hwreg-overrun", Likely:
        "S_GETREG, S_SETREG, offset + size above 32",
        "the excess reads 0, is not written",
        "documented masks";
    CspWrap = "csp-wrap", Unknown:
        "eighth fork without a join; join of the empty stack",
        "CSP wraps in 3 bits; the stack is SGPR 4*CSP..",
        "-";
    Setkill = "setkill", Likely:
        "S_SETKILL",
        "no effect",
        "for a debugger";
    VcmpSdstExec = "vcmp-sdst-exec", Unknown:
        "VOP3, SDWA compare with SDST = EXEC",
        "EXEC is written; V_CMPX: both writes agree",
        "-";
    VcmpExecZero = "vcmp-exec-zero", Likely:
        "compare with EXEC = 0",
        "destination 0",
        "inactive lanes give 0";
    GprIdxRange = "gpr-idx-range", Likely:
        "GPR-index mode moves a source of a compare past v255",
        "v0 (v[0:1])",
        "AMD";
    ApertureRead = "aperture-read", Unknown:
        "SRC_SHARED_*, SRC_PRIVATE_*, SRC_POPS_EXITING_WAVE_ID (235..239, 1.4+)",
        "read 0",
        "up to the driver";
    JumpIntoLiteral = "jump-into-literal", Likely:
        "jump to a dword inside an instruction",
        "what decodes there",
        "-";
    OpselIgnored = "opsel-ignored", Likely:
        "OP_SEL in a VOP3 compare (1.4+)",
        "ignored",
        "LLVM; CLRX documents the bits";
    I16FloatInline = "i16-float-inline", Likely:
        "float constant in a 16-bit integer operand",
        "low half of the binary32 pattern (constant 1.0: 0)",
        "LLVM, later";
    CmpDenormFlush = "cmp-denorm-flush", Likely:
        "float compare in which flushing changes an active lane",
        "MODE is obeyed: bit 4 for F32, bit 6 for F64, F16",
        "AMD";
    Literal64 = "literal-64", Likely:
        "before 1.4: literal in a 64-bit operand whose extension matters",
        "as 1.4: I64 by sign, B64, U64 by zeros, F64 high half",
        "Vega; LLVM";
    BoolSource64 = "bool-source-64", Likely:
        "VCCZ, EXECZ, SCC as a 64-bit source",
        "0 or 1, zero-extended",
        "Vega, for 32 bits";
    BfeWide = "bfe-wide", Likely:
        "S_BFE_* with a width above 32 (64)",
        "as the full width",
        "CDNA, CLRX, literally";
    AbsdiffWrap = "absdiff-wrap", Likely:
        "S_ABSDIFF_I32, difference beyond the signed range",
        "wrapped: INT_MAX - INT_MIN gives 1",
        "Vega, CDNA";
    SubI32Scc = "sub-i32-scc", Likely:
        "SCC of S_SUB_I32 on 1.0",
        "signed overflow, as later",
        "one page: broken";
    MovFed = "mov-fed", Likely:
        "S_MOV_FED_B32, V_MOV_FED_B32",
        "plain move",
        "CLRX: plants an ECC error";
    ClassF16Inline = "class-f16-inline", Likely:
        "1/(2 pi) (code 248) as mask of V_CMP(X)_CLASS_F16",
        "its binary16 pattern, 0x3118",
        "an F16 instruction";
    CdbgBranch = "cdbg-branch", Likely:
        "S_CBRANCH_CDBG*",
        "not taken",
        "only a debugger sets the flags";
    DebugTrap = "debug-trap", Likely:
        "S_TRAP 3 (there is no debugger)",
        "the wave goes on",
        "LLVM, ROCm";
    IdleField = "idle-field", Likely:
        "NEG or ABS on an integer source",
        "ignored",
        "LLVM and Mesa write none";
    DppVopc = "dpp-vopc", Likely:
        "compare in DPP form",
        "executed; lanes that take no part give 0",
        "AMD, CLRX; not LLVM";
    SdwaVopcClamp = "sdwa-vopc-clamp", Likely:
        "CLAMP in an SDWA compare (1.2)",
        "no effect",
        "LLVM accepts the bit";
    SdwaF32Subword = "sdwa-f32-subword", Likely:
        "byte or word selector for a binary32 source",
        "the bits, zero-extended, are the pattern",
        "-";

    ConstantBus = "constant-bus", Likely:
        "vector ALU (no compare) with several scalar values (overlapping SGPRs are one; V_WRITELANE may add M0)",
        "executed",
        "AMD, LLVM forbid it";
    CvtIntClamp = "cvt-int-clamp", Likely:
        "CLAMP or OMOD in a conversion from float to integer",
        "ignored",
        "LLVM accepts it";
    IntClamp = "int-clamp", Likely:
        "CLAMP of integers, but in ADD, SUB, ADDC, SUBB, DOT",
        "saturates the exact result to its type; V_PK_MUL_LO_U16 ignores it",
        "CLRX, for ADD, SUB";
    MacF16Hi16 = "mac-f16-hi16", Likely:
        "V_MAC, V_MADMK, V_MADAK of F16, 1.4+",
        "upper half of VDST kept",
        "LLVM, ACO; CDNA: 0";
    CvtI16Hi16 = "cvt-i16-hi16", Likely:
        "V_CVT_U16_F16, V_CVT_I16_F16, V_CVT_NORM_*_F16, V_SAT_PK_U8_I16, writing a whole register",
        "upper half 0",
        "other 16-bit results";
    OpselPromoted = "opsel-promoted", Likely:
        "1.4+: OP_SEL of 16-bit operands in VOP3 forms of VOP1, VOP2, or in 16-bit V_MAD_LEGACY, V_FMA_LEGACY, \
         V_DIV_FIXUP_LEGACY",
        "obeyed; the other half of VDST is kept",
        "CDNA; not LLVM";
    MixRound = "mix-round", Likely:
        "V_MAD_MIXLO, _MIXHI; V_FMA_MIXLO, _MIXHI",
        "two roundings (binary32, binary16); one",
        "later GPUs; LLVM: two";
    Dot2Rounding = "dot2-rounding", Unknown:
        "V_DOT2_F32_F16",
        "two binary32 FMAs, low halves first",
        "-";
    MadI64Carry = "mad-i64-carry", Likely:
        "V_MAD_I64_I32",
        "SDST: bit 64 of the exact signed sum",
        "as V_MAD_U64_U32";
    Mullit = "mullit", Likely:
        "V_MULLIT_F32 (1.0, 1.1)",
        "-FLT_MAX if S2 <= 0 or NaN, or S1 = -FLT_MAX, -infinity, NaN; else V_MUL_LEGACY",
        "CLRX";
    TranscendentalApprox = "transcendental-approx", Likely:
        "V_RCP, V_RSQ, V_SQRT, V_EXP, V_LOG, V_SIN, V_COS of all types",
        "correctly rounded, to nearest even",
        "no public tables (0.51 to 2 ulp, F64 2^29)";
    DivScaleVccGfx6 = "div-scale-vcc-gfx6", Likely:
        "V_DIV_SCALE_F64 on 1.0",
        "flag as on later generations",
        "LLVM: hardware is wrong";
    QsadOverlap = "qsad-overlap", Unknown:
        "V_QSAD_*, V_MQSAD_*, destination overlaps a source",
        "sources are read first",
        "compilers forbid it";
    ValuDstM0 = "valu-dst-m0", Likely:
        "V_READLANE, V_READFIRSTLANE into M0",
        "M0 is written",
        "AMD does not list it";
    LaneSelVgpr = "lane-sel-vgpr", Unknown:
        "VGPR as lane number of V_READLANE, V_WRITELANE, or value of V_WRITELANE",
        "its lane 0",
        "AMD: illegal";
    UndocOp = "undoc-op", Unknown:
        "V_MOV_PRSV_B32, V_WRITELANE_REGWR_B32, V_READLANE_REGRD_B32, V_MAC_LEGACY_F32 (1.2+)",
        "unsupported",
        "CLRX: names";

    TrigRange = "trig-range", Likely:
        "V_SIN, V_COS of a finite number beyond +-256",
        "before 1.4 sin 0, cos 1; then reduced",
        "AMD, LLVM";
    SqrtNegZero = "sqrt-neg-zero", Likely:
        "V_SQRT of -0 or of a negative denormal that is flushed",
        "-0",
        "IEEE, later GPUs";
    TrigPreopTail = "trig-preop-tail", Likely:
        "V_TRIG_PREOP_F64 of a NaN, or with a shift of 1120 or more",
        "bits of 2/pi up to 1183 count; a NaN by its exponent",
        "later GPUs; LLVM differs";
    FractGfx6 = "fract-gfx6", Unknown:
        "V_FRACT on 1.0 of a negative number, result just below 1",
        "as later",
        "LLVM: a bug gives 1";
    FrexpNonfiniteGfx6 = "frexp-nonfinite-gfx6", Unknown:
        "V_FREXP_* of an infinity or NaN on 1.0",
        "as later",
        "LLVM: hardware is wrong";
    DivScaleS0 = "div-scale-s0", Unknown:
        "V_DIV_SCALE, S0 equal to neither S1 nor S2 (bits, flushed as MODE asks)",
        "the formula as it is",
        "AMD: must be one";
    NanPayload = "nan-payload", Likely:
        "sum, product or both (MAD, MAC, FMA, DIV_FMAS, packed, MIX, DOT2) of different NaNs",
        "first of S0, S1, S2",
        "as x86";
    NanQuiet = "nan-quiet", Likely:
        "IEEE = 0, result a signalling NaN (not of moves, V_CNDMASK, V_PACK, MIN, MAX, MED3)",
        "stays so; narrowing conversions make it quiet",
        "measured on 1.1";
    MinmaxTwoNans = "minmax-two-nans", Unknown:
        "V_MIN, V_MAX, or a step of V_MIN3, V_MAX3, V_MED3, of different NaNs (IEEE = 1: quiet ones)",
        "S1",
        "CDNA; later GPUs: S0";
    Med3Nan = "med3-nan", Likely:
        "float V_MED3, S2 the only NaN, or a signalling NaN and IEEE = 1",
        "V_MIN3",
        "CDNA, CLRX, LLVM (once V_MAX3)";
    MadF16Denorm = "mad-f16-denorm", Likely:
        "V_MAD, V_MAC, V_MADMK, V_MADAK of F16: denormal source, product or sum, MODE[7:6] not 0",
        "flushed",
        "as binary32";
    MadMixDenorm = "mad-mix-denorm", Likely:
        "V_MAD_MIX*: denormal binary32 source, product or sum, MODE[5:4] not 0",
        "flushed",
        "as V_MAD_F32";
    MixF16Denorm = "mix-f16-denorm", Likely:
        "denormal binary16: source or result of V_MAD_MIX*, source of V_DOT2_F32_F16, if MODE[7:6] keeps it; source of \
         V_FMA_MIX*",
        "V_MAD_MIX*, V_DOT2: flushed; V_FMA_MIX*: as MODE[6] says",
        "Mesa, LLVM; FMA_MIX, DOT2 of a later GPU";
    CvtF16Denorm = "cvt-f16-denorm", Likely:
        "1.2+, MODE[7:6] not 3: binary16 denormal in V_CVT_F32_F16, V_CVT_F16_F32, V_CVT_PKRTZ_F16_F32",
        "flushed, as MODE asks",
        "CLRX, LLVM; not Vega";
    CvtF16Round = "cvt-f16-round", Likely:
        "V_CVT_F16_F32, _U16, _I16, MODE[1:0] and MODE[3:2] different",
        "by MODE[1:0], 1.2+ by MODE[3:2]",
        "CLRX";
    Fp16Ovfl = "fp16-ovfl", Likely:
        "MODE[23]: overflow of a binary16 result of finite sources (1.4+)",
        "+-65504, not infinity",
        "AMD";
    Hi16New9 = "hi16-new9", Likely:
        "1.4+: 16-bit V_MIN3, V_MAX3, V_MED3 (OP_SEL[3] = 0), V_ADD_I16, V_SUB_I16 over a VDST whose other half is \
         not 0",
        "becomes 0; ADD, SUB: kept",
        "LLVM; CLRX for ADD, SUB";
    PkU8Round = "pk-u8-round", Likely:
        "V_CVT_PK_U8_F32, V_CVT_PKACCUM_U8_F32, MODE[1:0] not 0",
        "rounds by MODE",
        "CLRX";
    MqsadSaturate = "mqsad-saturate", Likely:
        "V_MQSAD_U32_U8 with a sum above 32 bits",
        "wraps",
        "CLRX: saturates";
    CubeNan = "cube-nan", Unknown:
        "V_CUBE* with a NaN source in an active lane",
        "comparisons as written: false",
        "-";
    DppInactiveSrc = "dpp-inactive-src", Likely:
        "DPP from an inactive lane in range",
        "as out of range",
        "ACO";
    GpridxRange = "gpridx-range", Unknown:
        "GPR-index mode moves a vector ALU operand past the last VGPR",
        "source v0 (v[0:1]), write dropped",
        "AMD, for sources";
    GpridxMac = "gpridx-mac", Unknown:
        "GPR-index mode with M0[15] at V_MAC, V_FMAC",
        "accumulator read from the moved destination",
        "-";
    GpridxOdd = "gpridx-odd", Unknown:
        "GPR-index mode at lane moves, V_MOVREL*; at SDWA, DPP",
        "not indexed; indexed",
        "-";
    KernargGuessed = "kernarg-guessed", Likely:
        "dispatch of an object without metadata",
        "natural alignment, then hidden ones of code object v2 if there is room",
        "compilers";
    DynamicStack = "dynamic-stack", Unknown:
        "kernel whose stack grows at run time",
        "16 KiB more scratch for each work-item",
        "drivers choose it";

    LaneOrder = "lane-order", Unknown:
        "active lanes store different bytes in one place, or overlap in a returning atomic",
        "ascending: the highest lane's bytes stay",
        "AMD, for DS_PERMUTE";
    VmemAlignGfx6 = "vmem-align-gfx6", Likely:
        "misaligned untyped vector memory access on 1.0",
        "address bit 0 (16-bit data) or bits 1:0 dropped",
        "CLRX, LLVM";
    FormatAlign = "format-align", Likely:
        "formatted access misaligned to its element or to 4, the less of both (1.0: element)",
        "made at the byte address",
        "CDNA, ACO: may hang";
    AtomicAlign = "atomic-align", Likely:
        "misaligned atomic (on LDS: 1.4+)",
        "memory fault",
        "a violation on 1.4; older modes drop bits";
    RegRange = "reg-range", Likely:
        "VGPR past the wave's allocation, or in memory instructions a tuple past v255, with active lanes",
        "source v0, no write; with such a destination a memory or LDS instruction does nothing",
        "CDNA";
    AtomicFminmax = "atomic-fminmax", Likely:
        "DS float MIN, MAX of a NaN or of zeros of both signs; buffer, FLAT FMIN, FMAX of a NaN or denormal",
        "DS: numbers beat NaNs, of two NaNs the old one stays (made quiet), -0 < +0. Others: plain compare, no \
         flushing",
        "CDNA, LLVM";
    LdsFloatDenorm = "lds-float-denorm", Likely:
        "DS float operation on denormals (ADD: or a denormal sum), MODE flushes",
        "compares see 0; MIN, MAX store the source unflushed; CMPST, ADD flush",
        "CDNA";
    SmemStoreOffsetReg = "smem-store-offset-reg", Likely:
        "offset register of a scalar store or atomic is not M0",
        "used",
        "LLVM; AMD: M0 only";
    SmemUnaligned = "smem-unaligned", Likely:
        "scalar access, several of base, constant and register offset misaligned",
        "each loses its low bits; with a descriptor the sum of offsets does",
        "CDNA";
    SmemNegativeOffset = "smem-negative-offset", Likely:
        "scalar access, constant and register offset negative in sum",
        "added; with a descriptor out of range",
        "AMD: undefined";
    SmemScratchAlign = "smem-scratch-align", Unknown:
        "S_SCRATCH_* with bits 1:0 of the offset register set",
        "dropped, then times 64",
        "CLRX";
    SmemMisalignedReg = "smem-misaligned-reg", Likely:
        "scalar access, data or descriptor at an odd register (4 dwords and more: no multiple of 4); GLOBAL with \
         odd SADDR",
        "registers as encoded",
        "LLVM refuses it";
    Memtime = "memtime", Unknown:
        "S_MEMTIME, S_MEMREALTIME",
        "number of instructions completed by the wave",
        "runs are deterministic";
    BufferHeap = "buffer-heap", Unknown:
        "buffer descriptor with bit 122 (heap), before 1.4",
        "ignored",
        "-";
    BufferType = "buffer-type", Unknown:
        "buffer descriptor with a type (bits 127:126) other than 0",
        "taken as a buffer",
        "-";
    BufferInvalidFormat = "buffer-invalid-format", Likely:
        "buffer descriptor with data format 0 (not part of the stride), but not all 0",
        "no buffer: loads give 0, stores and atomics are dropped",
        "CDNA";
    BufferOffsetWidth = "buffer-offset-width", Unknown:
        "linear buffer access with index * stride + offset of 2^32 or more",
        "not wrapped",
        "-";
    BufferSwizzleWide = "buffer-swizzle-wide", Likely:
        "swizzled access with more bytes than its element has left (bits 116:115)",
        "each dword has its own address; a formatted element stays whole",
        "AMD forbids it";
    Addr64Offen = "addr64-offen", Likely:
        "ADDR64 with OFFEN or IDXEN",
        "these are ignored",
        "none allows both";
    BufferOobSoffset = "buffer-oob-soffset", Likely:
        "SOFFSET decides a range check in bytes",
        "it counts: the limit is num_records - SOFFSET, at least 0",
        "shipped convolutions, LLVM's code, drivers; AMD before 1.4";
    BufferOobPartial = "buffer-oob-partial", Likely:
        "some of several dwords out of range",
        "each dword by itself",
        "LLVM, CDNA";
    BufferOobTail = "buffer-oob-tail", Likely:
        "component that begins in range and ends beyond the limit",
        "in range",
        "only starts count before GFX11";
    BufferOobGfx9Stride0 = "buffer-oob-gfx9-stride0", Likely:
        "1.4+: IDXEN with stride 0",
        "no range check",
        "RADV";
    BufferOobGfx9Other = "buffer-oob-gfx9-other", Unknown:
        "1.4+: swizzled buffer with neither IDXEN nor lane number; with both",
        "checked by bytes; by index",
        "not in AMD's tables";
    BufferOobStrideNoidx = "buffer-oob-stride-noidx", Likely:
        "before 1.2: a stride with neither IDXEN nor lane number",
        "index 0 is checked, the offset is not",
        "CLRX";
    FormatInvalid = "format-invalid", Unknown:
        "data format 0 (in the instruction) or 15; number format 6 (1.2+), FLOAT of 8 or 2 bits",
        "loads give 0, stores are dropped; as UINT",
        "undefined";
    FormatDstSel = "format-dst-sel", Unknown:
        "selector 2 or 3 of a formatted access; two selectors for one stored component",
        "0, not stored; the lower wins",
        "-";
    FormatScaledStore = "format-scaled-store", Unknown:
        "store in USCALED, SSCALED, SNORM_OGL of less than 32 bits",
        "clamped, to nearest even",
        "for reading only";
    FormatIntStore = "format-int-store", Likely:
        "store in UINT, SINT of a value that does not fit",
        "clamped",
        "D3D";
    FormatF16Store = "format-f16-store", Likely:
        "store in FLOAT of 16, 11, 10 bits of a value that does not fit",
        "toward zero, at most the largest number; 11, 10 bits: negative gives 0",
        "D3D";
    Format2bit = "format-2bit", Likely:
        "load of 10_10_10_2 in SNORM, SSCALED, SINT",
        "component X (two bits) unsigned before 1.4, then signed",
        "Mesa, of W in 2_10_10_10";
    Format101111Gfx6 = "format-10-11-11-gfx6", Likely:
        "formats 10_11_11, 11_11_10 on 1.0",
        "as later",
        "CLRX doubts it";
    FormatD16Round = "format-d16-round", Unknown:
        "formatted D16 load of a float that binary16 does not hold",
        "to nearest even",
        "-";
    D16UnpackedHigh = "d16-unpacked-high", Unknown:
        "formatted D16 load on 1.2",
        "upper halves 0",
        "-";
    BufferLdsOffset = "buffer-lds-offset", Likely:
        "buffer access to or from LDS with an OFFSET",
        "added to both addresses",
        "CDNA, LLVM; CLRX: to one";
    FlatLdsTransfer = "flat-lds-transfer", Likely:
        "GLOBAL, SCRATCH with the LDS bit",
        "as MUBUF: LDS[M0 + OFFSET + 4 * lane], no VGPR written",
        "CDNA, LLVM";
    Tfe = "tfe", Likely:
        "load or returning atomic with TFE",
        "VGPR behind the result 0: resident",
        "AMD";
    FlatOffsetAperture = "flat-offset-aperture", Likely:
        "OFFSET moves a FLAT address into or out of an aperture",
        "the sum counts",
        "-";
    ScratchOob = "scratch-oob", Likely:
        "access outside scratch or the lane's share (before 1.4: FLAT_SCRATCH_LO bytes)",
        "memory fault",
        "hardware: late violation";
    LoadPastEnd = "load-past-end", Likely:
        "load past the end of memory: pieces as large as its alignment begin inside",
        "bytes behind the end read 0",
        "compilers rely on whole pages";
    ScratchNegativeOffset = "scratch-negative-offset", Likely:
        "SCRATCH with SADDR and a negative OFFSET",
        "executed",
        "LLVM: faults";
    LdsPartialOob = "lds-partial-oob", Unknown:
        "DS access that ends beyond the limit",
        "wholly out of range",
        "-";
    LdsNegativeBase = "lds-negative-base", Likely:
        "1.0: OFFSET brings a DS address with bit 31 into range",
        "out of range",
        "LLVM";
    LdsMisaligned = "lds-misaligned", Likely:
        "misaligned DS access before 1.4",
        "low address bits dropped",
        "CLRX, LLVM";
    DsEqualOffsets = "ds-equal-offsets", Likely:
        "DS instruction of two addresses with equal offsets",
        "one access with DATA0; both results are the old value",
        "CDNA, for stores";
    DsSrc2 = "ds-src2", Likely:
        "DS_*_SRC2_* with an address out of range",
        "no effect",
        "-";
    Gds = "gds", Likely:
        "DS instruction with GDS",
        "as LDS, base M0[31:16], size M0[15:0]; 64 KiB, zeros for each dispatch",
        "AMD";
    GroupsOverlap = "groups-overlap", Unknown:
        "a group writes a byte that another group accesses",
        "as on one thread, groups in order",
        "-";
    DsAppendM0 = "ds-append-m0", Likely:
        "DS_APPEND, DS_CONSUME on LDS",
        "address OFFSET; M0 is no part of it",
        "shipped code, whose M0 is -1, 0x1ffff, 0x2ffc0 or not set";
    MimgDmask0 = "mimg-dmask0", Unknown:
        "image load, store, sample, get_lod or get_resinfo with DMASK = 0",
        "one data register; results are 0, a store writes zeros",
        "ACO, LLVM: one register";
    MimgStoreDmask = "mimg-store-dmask", Likely:
        "image store that does not write all channels of the format (`_pck`: all dwords of the texel)",
        "the others become 0",
        "-";
    TfeResident = "tfe-resident", Likely:
        "image instruction with TFE or LWE",
        "all is resident: the status register becomes 0",
        "-";
    ImageCompressed = "image-compressed", Likely:
        "image with COMPRESSION_EN (1.2+)",
        "unsupported",
        "AMD, Mesa: DCC, HTILE";
    ImageInvalid = "image-invalid", Unknown:
        "image of a type below 8, or of an unknown format; store that converts to BC or 5_9_9_9",
        "as the null descriptor",
        "-";
    ImageOutside = "image-outside", Likely:
        "integer coordinates or level outside an image",
        "loads return 0 in all components, get_resinfo 0 as sizes; stores and atomics are dropped",
        "alpha too: -";
    ImageCoordinate = "image-coordinate", Unknown:
        "NaN or infinite coordinates, derivatives or levels of a sample; coordinates beyond 2^23 texels",
        "NaN is 0, the others are far outside",
        "-";
    ImageDa = "image-da", Likely:
        "DA contradicts the type of the image",
        "DA decides about the coordinate of the slice; without, it is BASE_ARRAY; volumes have three in any case",
        "Mesa, AMD";
    ImagePck = "image-pck", Likely:
        "image load or store without conversion (`_pck`)",
        "dwords of the texel, chosen by DMASK",
        "CLRX";
    MipLayout = "mip-layout", Likely:
        "texel of a level above 0 of a linear image before 1.4",
        "levels one behind the other, each padded as a surface of its own; with POW2_PAD to powers of two",
        "addrlib";
    MsaaLayout = "msaa-layout", Unknown:
        "layer or fragment above 0 of an image of several fragments",
        "planes of fragments one behind the other",
        "no linear ones exist";
    TiledAsLinear = "tiled-as-linear", Unknown:
        "image with another tiling than linear",
        "as linear, with PITCH",
        "needs AMD's tables";
    BorderColorTable = "border-color-table", Unknown:
        "sampler whose border colour is an entry of a table",
        "(0, 0, 0, 0)",
        "up to the driver";
    SamplePrecision = "sample-precision", Likely:
        "sample with a linear filter; level of detail from derivatives, of several levels",
        "coordinates and weights in 1/256, the blend rounded once",
        "Mesa";
    SrgbTable = "srgb-table", Likely:
        "load or sample of an sRGB format; store to one",
        "the curve, rounded correctly; stores encode by its inverse",
        "hardware has a table";
    BcPrecision = "bc-precision", Likely:
        "texel of BC1 to BC5",
        "between end points weights of thirds, fifths or sevenths, rounded once",
        "-";
    CubeSeam = "cube-seam", Likely:
        "footprint across the edge of a face of a cube",
        "texels of the neighbouring face; at a corner the mean of the other three (gather: the face's own)",
        "the usual choice";
    AnisoIgnored = "aniso-ignored", Likely:
        "anisotropic filter",
        "isotropic",
        "quality only";
    QuadInactive = "quad-inactive", Unknown:
        "level of detail from a quad whose lanes 0 to 2 are not all on, where it matters",
        "what their registers hold",
        "-";
    InterpLds = "interp-lds", Likely:
        "interpolation",
        "attributes lie in LDS as M0 says, 48 bytes for each primitive",
        "CLRX";
    InterpRounding = "interp-rounding", Likely:
        "V_INTERP_P1_F32, V_INTERP_P2_F32",
        "as V_MAD_F32",
        "AMD";
    InterpF16 = "interp-f16", Likely:
        "interpolation in 16 bits",
        "the product rounded to binary32, the sum to the type of the result",
        "-";
    LdsDirect = "lds-direct", Likely:
        "LDS_DIRECT as a source",
        "the element at M0[15:0], of the type M0[18:16], for all lanes",
        "AMD";
    ExportUndef = "export-undef", Unknown:
        "EXP with a reserved target",
        "recorded as it is",
        "-";
    ExportsCut = "exports-cut", Likely:
        "wave of more than 16,384 exports or messages",
        "the others are counted only",
        "limit of gcnsim";
    DsGws = "ds-gws", Likely:
        "DS_GWS_*",
        "no effect: nothing shows a resource, and a wave that would wait goes on",
        "-";
    DsOrderedCount = "ds-ordered-count", Likely:
        "DS_ORDERED_COUNT",
        "waves are in order: the dword of GDS at M0[31:16] + OFFSET[7:0] is changed at once, by the first active lane",
        "Mesa";
    Synthetic = "synthetic", Unknown:
        "run in the synthetic environment",
        "inputs are made up: memory, registers, attributes and images (docs/use/corpora.md)",
        "gcnsim";
    StageGuessed = "stage-guessed", Unknown:
        "shader whose file does not name its stage",
        "exports of positions are of a vertex shader, other exports and interpolation of a pixel shader, else compute",
        "gcnsim";
    SyntheticImageDim = "synthetic-image-dim", Unknown:
        "image instruction in the synthetic environment, with a resource that names no type of image",
        "three coordinates if DA is set, otherwise two",
        "gcnsim";
    SyntheticFunction = "synthetic-function", Unknown:
        "device function in the synthetic environment",
        "arguments are made up, and its return ends the wave",
        "gcnsim";
    SyntheticCodePointer = "synthetic-code-pointer", Unknown:
        "jump in the synthetic environment to an address where there is no code",
        "the run ends there as a fault",
        "gcnsim";
}

const _: () = assert!(Note::ALL.len() <= 64 * Notes::WORDS);

// Notes that the words of a core instruction decide come first, for [`CoreNotes`]; those of SDWA and DPP forms need
// not.
const _: () = assert!((Note::IdleField as u32) < u32::BITS);

/// A set of notes that the words of a core instruction decide, in fewer bits than [`Notes`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct CoreNotes(pub(crate) u32);

impl CoreNotes {
    /// No note.
    pub const NONE: CoreNotes = CoreNotes(0);

    /// Adds a note if `condition` holds. The note must be one of the first 32.
    pub fn insert_if(&mut self, condition: bool, note: Note) {
        debug_assert!((note as u32) < u32::BITS);
        self.0 |= (condition as u32) << note as u8;
    }

    /// Union.
    #[must_use]
    pub const fn or(self, other: CoreNotes) -> CoreNotes {
        CoreNotes(self.0 | other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl From<CoreNotes> for Notes {
    fn from(notes: CoreNotes) -> Notes {
        Notes::of_low_words([notes.0 as u64, 0])
    }
}

/// A set of notes: bit n of word m stands for note 64m + n.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Notes(pub [u64; Notes::WORDS]);

impl Notes {
    /// No note.
    pub const NONE: Notes = Notes([0; Notes::WORDS]);

    /// Number of words of a set.
    pub const WORDS: usize = 3;

    /// The set of one note.
    pub const fn of(note: Note) -> Notes {
        let mut words = [0; Notes::WORDS];
        words[note as usize / 64] = 1 << (note as u8 % 64);
        Notes(words)
    }

    /// The set whose first two words are `low`. Vector ALU instructions raise no others.
    pub const fn of_low_words(low: [u64; 2]) -> Notes {
        Notes([low[0], low[1], 0])
    }

    /// The first two words of the set, which must be all of it.
    pub const fn low_words(self) -> [u64; 2] {
        debug_assert!(self.0[2] == 0);
        [self.0[0], self.0[1]]
    }

    /// Adds a note.
    pub fn insert(&mut self, note: Note) {
        self.insert_if(true, note);
    }

    /// Adds a note if `condition` holds.
    pub fn insert_if(&mut self, condition: bool, note: Note) {
        self.0[note as usize / 64] |= (condition as u64) << (note as u8 % 64);
    }

    /// Whether the note is in the set.
    pub const fn contains(self, note: Note) -> bool {
        self.0[note as usize / 64] >> (note as u8 % 64) & 1 == 1
    }

    /// Union.
    pub const fn or(self, other: Notes) -> Notes {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Notes([a | d, b | e, c | f])
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        let [a, b, c] = self.0;
        a | b | c == 0
    }

    /// The notes in fewer bits. None but the first 32 may be in the set.
    pub const fn core(self) -> CoreNotes {
        debug_assert!(self.0[0] >> u32::BITS == 0 && self.0[1] == 0 && self.0[2] == 0);
        CoreNotes(self.0[0] as u32)
    }

    /// The notes of this set that are not in another one.
    pub const fn without(self, other: Notes) -> Notes {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Notes([a & !d, b & !e, c & !f])
    }

    /// The notes in the set, in order of their bits.
    pub fn iter(self) -> impl Iterator<Item = Note> {
        self.bits().filter_map(|bit| Note::ALL.get(bit).copied())
    }

    /// The numbers of the bits that are set, ascending.
    pub fn bits(self) -> impl Iterator<Item = usize> {
        let Notes(mut words) = self;
        std::iter::from_fn(move || {
            let word = words.iter().position(|word| *word != 0)?;
            let bit = words[word].trailing_zeros() as usize;
            words[word] &= words[word] - 1;
            Some(64 * word + bit)
        })
    }

    /// The codes, sorted.
    pub fn codes(self) -> Vec<&'static str> {
        let mut codes: Vec<_> = self.iter().map(Note::code).collect();
        codes.sort_unstable();
        codes
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.codes()).finish()
    }
}
