//! Fidelity notes: cases whose outcome depends on a choice of ours, because no source settles them.
//!
//! A run collects the codes of the cases that it met. `docs/fidelity.md` lists the case, the source and our choice for
//! each code. [`Inst::static_notes`](crate::Inst::static_notes) raises a note if the words of the instruction decide on
//! it. Otherwise both engines raise it when they meet the case.
//!
//! Cases that depend on operands are met only in lanes that take part in the instruction. Values are those after source
//! modifiers; results are those before OMOD and CLAMP.

use std::fmt;

macro_rules! notes {
    ($($(#[doc = $doc:literal])* $Variant:ident = $code:literal,)*) => {
        /// A case. Its code is stable.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Note { $($(#[doc = $doc])* $Variant,)* }

        impl Note {
            /// All notes, in order of their bits in [`Notes`].
            pub const ALL: &'static [Note] = &[$(Note::$Variant),*];

            /// The code in results, for example `smax-equal-scc`.
            pub const fn code(self) -> &'static str {
                match self { $(Note::$Variant => $code),* }
            }

            /// The case and our choice, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Note::$Variant => concat!($($doc),*)),* }
            }
        }
    };
}

notes! {
    /// A 64-bit operand at an odd SGPR: taken as the pair n, n+1.
    OddSgprPair = "odd-sgpr-pair",
    /// S_MAX_* of equal operands: SCC = 0.
    SmaxEqualScc = "smax-equal-scc",
    /// A save-exec or write-exec instruction with SDST = EXEC: EXEC is written first, then SDST.
    SaveexecSdstExec = "saveexec-sdst-exec",
    /// A jump target with a low bit set: the two low bits are masked off.
    PcLowBits = "pc-low-bits",
    /// A jump target above 48 bits: kept as it is.
    PcHighBits = "pc-high-bits",
    /// S_MOVREL out of the SGPRs or at an odd pair, V_MOVREL out of the VGPRs: a source reads register 0, a write is
    /// dropped.
    MovrelRange = "movrel-range",
    /// S_RFE_B64 or S_RFE_RESTORE_B64 outside a trap handler: PC = S0.
    RfeOutsideTrap = "rfe-outside-trap",
    /// S_GETREG or S_SETREG of PC_LO or PC_HI: reads the address of the next instruction, the write is dropped.
    HwregPc = "hwreg-pc",
    /// S_GETREG or S_SETREG of INST_DW0, INST_DW1, IB_DBG0 or IB_DBG1: reads 0, the write is dropped.
    HwregDebug = "hwreg-debug",
    /// S_GETREG or S_SETREG of a register with no known meaning: reads 0, the write is dropped.
    HwregUnknown = "hwreg-unknown",
    /// S_GETREG or S_SETREG with offset + size > 32: the excess reads 0 and is not written.
    HwregOverrun = "hwreg-overrun",
    /// The eighth fork, or a join of the empty stack: MODE.CSP wraps in its three bits.
    CspWrap = "csp-wrap",
    /// S_SETKILL: no effect.
    Setkill = "setkill",
    /// A VOP3 compare with SDST = EXEC: EXEC is written.
    VcmpSdstExec = "vcmp-sdst-exec",
    /// A vector compare with EXEC = 0: the destination becomes 0.
    VcmpExecZero = "vcmp-exec-zero",
    /// A GPR-indexed source of a vector compare past the last VGPR: reads VGPR0.
    GprIdxRange = "gpr-idx-range",
    /// An aperture register as a source: reads 0.
    ApertureRead = "aperture-read",
    /// Execution entered a dword inside an instruction: it executes what decodes there.
    JumpIntoLiteral = "jump-into-literal",
    /// OP_SEL bits in a VOP3 compare: ignored.
    OpselIgnored = "opsel-ignored",
    /// A float inline constant in a 16-bit integer operand: the low half of the binary32 pattern.
    I16FloatInline = "i16-float-inline",
    /// A float compare whose result depends on MODE's flushing of denormal inputs: MODE is obeyed.
    CmpDenormFlush = "cmp-denorm-flush",
    /// Before GCN 1.4, a literal in a 64-bit operand whose extension matters: sign for I64, zero for B64 and U64, high
    /// half for F64.
    Literal64 = "literal-64",
    /// VCCZ, EXECZ or SCC as a 64-bit source: zero-extended.
    BoolSource64 = "bool-source-64",
    /// S_BFE with a width above the operand's: the bits there are, as for the full width.
    BfeWide = "bfe-wide",
    /// S_ABSDIFF_I32 whose exact difference leaves the signed range: the wrapped difference counts.
    AbsdiffWrap = "absdiff-wrap",
    /// SCC of S_SUB_I32 on GCN 1.0: signed overflow, as later.
    SubI32Scc = "sub-i32-scc",
    /// S_MOV_FED_B32 or V_MOV_FED_B32: a plain move.
    MovFed = "mov-fed",
    /// 1/(2 pi) as the mask of V_CMP_CLASS_F16: the binary16 pattern.
    ClassF16Inline = "class-f16-inline",
    /// S_CBRANCH_CDBG*: not taken, since no debugger sets the flags.
    CdbgBranch = "cdbg-branch",
    /// A vector compare in DPP form, which LLVM does not know: executed; lanes that do not take part give 0.
    DppVopc = "dpp-vopc",
    /// CLAMP in a vector compare in SDWA form (GCN 1.2): no effect.
    SdwaVopcClamp = "sdwa-vopc-clamp",
    /// A binary32 source of an SDWA form with a byte or word selector: the selected bits, zero-extended, are the
    /// pattern.
    SdwaF32Subword = "sdwa-f32-subword",

    /// A vector ALU instruction (no compare) that reads more than one scalar value: executed as written.
    ConstantBus = "constant-bus",
    /// CLAMP or OMOD in a conversion from float to integer: ignored.
    CvtIntClamp = "cvt-int-clamp",
    /// Integer CLAMP in another instruction than ADD, SUB, ADDC, SUBB and DOT: the exact result saturates;
    /// V_PK_MUL_LO_U16 ignores it.
    IntClamp = "int-clamp",
    /// V_MAC_F16, V_MADMK_F16 or V_MADAK_F16 from GCN 1.4 on: the other half of VDST is kept.
    MacF16Hi16 = "mac-f16-hi16",
    /// V_CVT_U16_F16, V_CVT_I16_F16, V_CVT_NORM_* or V_SAT_PK_U8_I16: the upper half of VDST becomes 0.
    CvtI16Hi16 = "cvt-i16-hi16",
    /// From GCN 1.4 on, OP_SEL in the VOP3 form of a 16-bit VOP1 or VOP2 instruction: obeyed.
    OpselPromoted = "opsel-promoted",
    /// V_MAD_MIXLO, V_MAD_MIXHI: two roundings, to binary32 and to binary16. V_FMA_MIXLO, V_FMA_MIXHI: one.
    MixRound = "mix-round",
    /// V_DOT2_F32_F16: two binary32 FMAs, S0.lo * S1.lo + S2 first.
    Dot2Rounding = "dot2-rounding",
    /// SDST of V_MAD_I64_I32: bit 64 of the exact sum.
    MadI64Carry = "mad-i64-carry",
    /// V_MULLIT_F32: the formula of the notes.
    Mullit = "mullit",
    /// An instruction that is approximate on hardware: the correctly rounded value.
    TranscendentalApprox = "transcendental-approx",
    /// V_DIV_SCALE_F64 on GCN 1.0, whose VCC is wrong on hardware: computed as on later generations.
    DivScaleVccGfx6 = "div-scale-vcc-gfx6",
    /// V_QSAD_* or V_MQSAD_* whose destination overlaps a source: all sources are read first.
    QsadOverlap = "qsad-overlap",
    /// V_READLANE or V_READFIRSTLANE into M0: M0 is written.
    ValuDstM0 = "valu-dst-m0",
    /// A VGPR as lane number of V_READLANE or V_WRITELANE, or as value of V_WRITELANE: its lane 0.
    LaneSelVgpr = "lane-sel-vgpr",
    /// An opcode of which only the name is known: refused.
    UndocOp = "undoc-op",

    /// V_SIN or V_COS of a finite number above 256 in magnitude: before GCN 1.4 sin = 0 and cos = 1, from 1.4 on
    /// reduced.
    TrigRange = "trig-range",
    /// V_SQRT of -0, which a flushed negative denormal is too: -0.
    SqrtNegZero = "sqrt-neg-zero",
    /// V_TRIG_PREOP_F64 of a NaN or with a shift of 1120 or more: bits of 2/pi up to 1183 count, a NaN by its exponent
    /// field.
    TrigPreopTail = "trig-preop-tail",
    /// V_FRACT on GCN 1.0 of a negative number, with the greatest value below 1 as result (hardware may give 1): as
    /// later.
    FractGfx6 = "fract-gfx6",
    /// V_FREXP_* of an infinity or a NaN on GCN 1.0, wrong on hardware: as on later generations.
    FrexpNonfiniteGfx6 = "frexp-nonfinite-gfx6",
    /// V_DIV_SCALE whose S0, flushed as MODE says, has neither the bits of S1 nor those of S2: the formula as it is.
    DivScaleS0 = "div-scale-s0",
    /// Two NaN sources with different bits in an addition, a multiplication or both (MIN, MAX, MED3, DIV_FIXUP apart):
    /// the first counts.
    NanPayload = "nan-payload",
    /// With IEEE = 0, a float result other than that of a move, MIN, MAX or MED3 is a signalling NaN: it stays one.
    NanQuiet = "nan-quiet",
    /// MIN or MAX (each step of MIN3 and MAX3) of two NaNs with different bits, neither signalling under IEEE = 1: S1.
    MinmaxTwoNans = "minmax-two-nans",
    /// V_MED3 of floats where S2 is the only NaN, or with a signalling NaN under IEEE = 1: MIN3 of the sources.
    Med3Nan = "med3-nan",
    /// With MODE bits 7:6 not 0, a denormal source, product or sum in V_MAD_F16, V_MAC_F16, V_MADMK_F16 or V_MADAK_F16:
    /// flushed.
    MadF16Denorm = "mad-f16-denorm",
    /// With MODE bits 5:4 not 0, a denormal binary32 source, product or sum in V_MAD_MIX*: flushed.
    MadMixDenorm = "mad-mix-denorm",
    /// From GCN 1.2 on with MODE bits 7:6 not 3, a binary16 denormal in V_CVT_F32_F16, V_CVT_F16_F32 or V_CVT_PKRTZ:
    /// MODE is obeyed.
    CvtF16Denorm = "cvt-f16-denorm",
    /// V_CVT_F16_F32, V_CVT_F16_U16 or V_CVT_F16_I16 where MODE bits 1:0 differs from MODE bits 3:2: the former before
    /// GCN 1.2, then the latter.
    CvtF16Round = "cvt-f16-round",
    /// MODE bit 23 turns an infinite binary16 result of finite sources into 65504 with its sign (GCN 1.4).
    Fp16Ovfl = "fp16-ovfl",
    /// From GCN 1.4 on, an old upper half other than 0 under V_MIN3, V_MAX3, V_MED3 of 16 bits (becomes 0), V_ADD_I16,
    /// V_SUB_I16 (is kept).
    Hi16New9 = "hi16-new9",
    /// V_CVT_PK_U8_F32 or V_CVT_PKACCUM_U8_F32 with MODE bits 1:0 other than 0: rounds by MODE.
    PkU8Round = "pk-u8-round",
    /// V_MQSAD_U32_U8 with a sum above 32 bits: it wraps.
    MqsadSaturate = "mqsad-saturate",
    /// V_CUBE* with a NaN among its sources: the comparisons as they are written.
    CubeNan = "cube-nan",
    /// DPP from a lane that is in range and inactive: as from a lane out of range.
    DppInactiveSrc = "dpp-inactive-src",
    /// GPR-index mode moves an operand of a vector ALU instruction past the last VGPR: a source reads VGPR0, a write is
    /// dropped.
    GpridxRange = "gpridx-range",
    /// GPR-index mode moves the destination of V_MAC or V_FMAC: the accumulator is read there too.
    GpridxMac = "gpridx-mac",
    /// GPR-index mode with V_READLANE, V_WRITELANE, V_READFIRSTLANE or V_MOVREL* (not indexed), SDWA or DPP (indexed).
    GpridxOdd = "gpridx-odd",
    /// A kernel without metadata: arguments were placed at their natural alignment.
    KernargGuessed = "kernarg-guessed",
    /// A kernel whose stack grows at run time: 16 KiB more of scratch for each work-item.
    DynamicStack = "dynamic-stack",

    /// Overlapping stores of different data, or overlapping returning atomics, of two lanes of one instruction: lanes
    /// take effect in ascending order.
    LaneOrder = "lane-order",
    /// A misaligned untyped vector memory access on GCN 1.0: the low bits of the address are dropped.
    VmemAlignGfx6 = "vmem-align-gfx6",
    /// A misaligned formatted access: made at the byte address.
    FormatAlign = "format-align",
    /// A misaligned atomic: a memory fault.
    AtomicAlign = "atomic-align",
    /// A memory instruction names a register past the wave's allocation: a source reads register 0, a destination makes
    /// it do nothing.
    RegRange = "reg-range",
    /// An atomic float minimum or maximum with a NaN, with zeros of different sign (DS) or with a denormal (VMEM): as
    /// the notes say.
    AtomicFminmax = "atomic-fminmax",
    /// A DS float operation with a denormal while MODE flushes: compares see 0, MIN and MAX store the source as it is,
    /// CMPST and ADD flush.
    LdsFloatDenorm = "lds-float-denorm",
    /// A scalar store or atomic with a register other than M0 as its offset: that register is used.
    SmemStoreOffsetReg = "smem-store-offset-reg",
    /// A scalar access with two or more misaligned parts of its address: each is aligned by itself (in buffers the
    /// offset as a whole).
    SmemUnaligned = "smem-unaligned",
    /// A scalar access whose constant and register offset have a negative sum: added as it is.
    SmemNegativeOffset = "smem-negative-offset",
    /// S_SCRATCH_* with low bits in the offset register: dropped before the multiplication by 64.
    SmemScratchAlign = "smem-scratch-align",
    /// Data, base or SADDR at a register that is no multiple of what the rules ask: the registers as encoded.
    SmemMisalignedReg = "smem-misaligned-reg",
    /// S_MEMTIME or S_MEMREALTIME: the number of instructions that the wave completed before it.
    Memtime = "memtime",
    /// The heap bit of a buffer descriptor: ignored.
    BufferHeap = "buffer-heap",
    /// A buffer descriptor whose type is not 0: taken as one of a buffer.
    BufferType = "buffer-type",
    /// A buffer descriptor with data format 0 and any other bit set: as if no buffer were bound.
    BufferInvalidFormat = "buffer-invalid-format",
    /// Index times stride plus offset of 2^32 or more: not wrapped.
    BufferOffsetWidth = "buffer-offset-width",
    /// A swizzled buffer access that crosses an element: each dword has an address of its own.
    BufferSwizzleWide = "buffer-swizzle-wide",
    /// ADDR64 with OFFEN or IDXEN: these are ignored.
    Addr64Offen = "addr64-offen",
    /// SOFFSET decides a range check: before GCN 1.4 it counts, from then on it does not.
    BufferOobSoffset = "buffer-oob-soffset",
    /// A buffer access of several dwords of which some are out of range: each by itself.
    BufferOobPartial = "buffer-oob-partial",
    /// A component that begins in range and ends beyond it: in range.
    BufferOobTail = "buffer-oob-tail",
    /// IDXEN with stride 0 from GCN 1.4 on: no range check.
    BufferOobGfx9Stride0 = "buffer-oob-gfx9-stride0",
    /// From GCN 1.4 on, a swizzled buffer without index, or the lane number added to one: checked as raw, resp. by
    /// index.
    BufferOobGfx9Other = "buffer-oob-gfx9-other",
    /// Before GCN 1.2, a stride without an index: out of range only if there are no records.
    BufferOobStrideNoidx = "buffer-oob-stride-noidx",
    /// A reserved data or number format, or FLOAT of 8 or 2 bits: loads give 0 and stores are dropped, resp. taken as
    /// UINT.
    FormatInvalid = "format-invalid",
    /// A reserved selector of a descriptor, or two that name one component of a store: 0, resp. the lower one wins.
    FormatDstSel = "format-dst-sel",
    /// A store in USCALED, SSCALED or SNORM_OGL: clamped and rounded to nearest even.
    FormatScaledStore = "format-scaled-store",
    /// A store in UINT or SINT of a value that does not fit: clamped.
    FormatIntStore = "format-int-store",
    /// A store in FLOAT of 16, 11 or 10 bits of a value that they do not hold: rounded toward zero.
    FormatF16Store = "format-f16-store",
    /// Component X of 10_10_10_2 in a signed format: unsigned before GCN 1.4, as component W of 2_10_10_10.
    Format2bit = "format-2bit",
    /// 10_11_11 or 11_11_10 on GCN 1.0: as later.
    Format101111Gfx6 = "format-10-11-11-gfx6",
    /// A formatted D16 load whose float is not exact in binary16: rounded to nearest even.
    FormatD16Round = "format-d16-round",
    /// A formatted D16 load on GCN 1.2: the upper halves become 0.
    D16UnpackedHigh = "d16-unpacked-high",
    /// A buffer access to or from LDS with an OFFSET: added to both addresses.
    BufferLdsOffset = "buffer-lds-offset",
    /// GLOBAL or SCRATCH with the LDS bit: as MUBUF.
    FlatLdsTransfer = "flat-lds-transfer",
    /// TFE: the status VGPR becomes 0, all resident.
    Tfe = "tfe",
    /// OFFSET moves a FLAT address into or out of an aperture: the sum counts.
    FlatOffsetAperture = "flat-offset-aperture",
    /// A private access beyond the lane's share: a memory fault.
    ScratchOob = "scratch-oob",
    /// SCRATCH with SADDR and a negative OFFSET: executed.
    ScratchNegativeOffset = "scratch-negative-offset",
    /// A DS access that begins in range and ends beyond the limit: wholly out of range.
    LdsPartialOob = "lds-partial-oob",
    /// On GCN 1.0, a negative DS address that an offset brings into range: out of range.
    LdsNegativeBase = "lds-negative-base",
    /// A misaligned DS access before GCN 1.4: the low bits of the address are dropped.
    LdsMisaligned = "lds-misaligned",
    /// A DS instruction with two equal offsets: one access, with the first data.
    DsEqualOffsets = "ds-equal-offsets",
    /// DS_*_SRC2_* with one of its addresses out of range: no effect.
    DsSrc2 = "ds-src2",
    /// A DS instruction on the global data share: base and size in M0, 64 KiB of zeros for a dispatch.
    Gds = "gds",
    /// DS_APPEND or DS_CONSUME on LDS with M0\[31:16\] not 0: the address is M0\[15:0\] + OFFSET.
    DsAppendM0 = "ds-append-m0",
}

const _: () = assert!(Note::ALL.len() <= 128);

// Notes that the words of a core instruction decide come first, for [`CoreNotes`].
const _: () = assert!((Note::SdwaF32Subword as u32) < u32::BITS);

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
        Notes(notes.0 as u128)
    }
}

/// A set of notes: bit n stands for note n. Compiled code treats it as two 64-bit words, the low one first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Notes(pub u128);

impl Notes {
    /// No note.
    pub const NONE: Notes = Notes(0);

    /// The set of one note.
    pub const fn of(note: Note) -> Notes {
        Notes(1 << note as u8)
    }

    /// Adds a note.
    pub fn insert(&mut self, note: Note) {
        self.0 |= Notes::of(note).0;
    }

    /// Adds a note if `condition` holds.
    pub fn insert_if(&mut self, condition: bool, note: Note) {
        self.0 |= (condition as u128) << note as u8;
    }

    /// Whether the note is in the set.
    pub const fn contains(self, note: Note) -> bool {
        self.0 & Notes::of(note).0 != 0
    }

    /// Union.
    pub const fn or(self, other: Notes) -> Notes {
        Notes(self.0 | other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notes in fewer bits. None but the first 32 may be in the set.
    pub const fn core(self) -> CoreNotes {
        debug_assert!(self.0 >> u32::BITS == 0);
        CoreNotes(self.0 as u32)
    }

    /// The notes of this set that are not in another one.
    pub const fn without(self, other: Notes) -> Notes {
        Notes(self.0 & !other.0)
    }

    /// The notes in the set, in order of their bits.
    pub fn iter(self) -> impl Iterator<Item = Note> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let note = Note::ALL.get(bits.trailing_zeros() as usize).copied();
            bits &= bits.wrapping_sub(1);
            note
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
