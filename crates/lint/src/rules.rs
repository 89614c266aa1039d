//! The rules, one row each. The text of a row is in [docs/use/lint.md](../../../docs/use/lint.md), too.
//!
//! A row of a wait or of wait states is all that such a rule needs. Rules about places ([`Place`]) have code of their
//! own beside the row.

use gcnsim_isa::Arch;

/// A rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name in findings, for example `vmcnt-read`.
    pub id: &'static str,
    /// The test that finds what breaks it.
    pub test: Test,
    /// The generations on which it is tested.
    pub on: Generations,
    /// How bad a finding is.
    pub level: Level,
    /// The evidence for the rule.
    pub basis: Basis,
    /// The mistake, in one sentence.
    pub text: &'static str,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// The code is wrong.
    Error,
    /// The code may be wrong; something that the code does not tell decides it.
    Suspicious,
    /// The code is not wrong, or correct code breaks the rule. Findings are shown on request only.
    Info,
}

impl Level {
    /// All levels, the worst first.
    pub const ALL: [Level; 3] = [Level::Error, Level::Suspicious, Level::Info];

    /// Its name in findings.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Suspicious => "suspicious",
            Level::Info => "info",
        }
    }
}

/// The evidence for a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The manuals say it, or two compilers obey it.
    Certain,
    /// One compiler obeys it.
    Likely,
    /// Somebody says it, but compiled code breaks it.
    Unknown,
}

impl Basis {
    /// Its name in findings.
    pub const fn name(self) -> &'static str {
        match self {
            Basis::Certain => "certain",
            Basis::Likely => "likely",
            Basis::Unknown => "unknown",
        }
    }
}

/// A set of generations: bit n is gfx(6 + n).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generations(pub u8);

/// gfx6 to gfx9.
pub const ALL: Generations = Generations(0b1111);
const GFX6: Generations = Generations(0b0001);
const GFX6_7: Generations = Generations(0b0011);
const GFX6_8: Generations = Generations(0b0111);
const GFX7_9: Generations = Generations(0b1110);
const GFX8_9: Generations = Generations(0b1100);
const GFX9: Generations = Generations(0b1000);

/// Returns the index of a generation in [`Generations`] and in [`Test::States`].
pub const fn generation(arch: Arch) -> usize {
    match arch.generation() {
        Arch::Gcn10 => 0,
        Arch::Gcn11 => 1,
        Arch::Gcn12 | Arch::Gfx810 => 2,
        Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => 3,
    }
}

impl Generations {
    /// Whether the set has the generation of `arch`.
    pub const fn has(self, arch: Arch) -> bool {
        self.0 >> generation(arch) & 1 == 1
    }

    /// Returns the generations in words, for example `gfx8, gfx9`; `all` for all.
    pub fn text(self) -> String {
        if self == ALL {
            return "all".into();
        }
        let names = ["gfx6", "gfx7", "gfx8", "gfx9"].into_iter().enumerate();
        names.filter(|(n, _)| self.0 >> n & 1 == 1).map(|(_, name)| name).collect::<Vec<_>>().join(", ")
    }
}

/// The test of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// A register is used while an operation of one of the classes has not read it or not written it.
    Wait(&'static [Class], Use),
    /// Fewer wait states lie between two instructions than these numbers, by generation from gfx6 on.
    States(Producer, Consumer, [u8; 4]),
    /// Code of its own tests the rule.
    Place(Place),
}

/// The counters of S_WAITCNT.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Counter {
    Vm,
    Exp,
    Lgkm,
}

impl Counter {
    /// All counters; index with `counter as usize`.
    pub const ALL: [Counter; 3] = [Counter::Vm, Counter::Exp, Counter::Lgkm];

    /// Its name in assembly.
    pub const fn name(self) -> &'static str {
        match self {
            Counter::Vm => "vmcnt",
            Counter::Exp => "expcnt",
            Counter::Lgkm => "lgkmcnt",
        }
    }

    /// Returns the most operations that it counts. An operation has finished if that many younger ones of its class
    /// were issued.
    pub const fn most(self, arch: Arch) -> u8 {
        match self {
            Counter::Vm if arch.is_gcn14_or_later() => 63,
            Counter::Vm | Counter::Lgkm => 15,
            Counter::Exp => 7,
        }
    }
}

/// Classes of operations that a counter counts. Operations of a class finish in the order of issue, except for scalar
/// memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Vector memory, including FLAT.
    Vmem,
    /// LDS.
    Lds,
    /// GDS and GWS.
    Gds,
    /// Scalar memory, which finishes in no order.
    Smem,
    /// FLAT, for its part in LGKM_CNT.
    Flat,
    /// Messages.
    Message,
    /// Exports to colours, depth and null.
    ExportColour,
    /// Exports of positions.
    ExportPosition,
    /// Exports of parameters.
    ExportParameter,
    /// GDS and GWS, until they have read their registers.
    GdsData,
    /// Stores and atomics of gfx6, until they have read their data.
    StoreData,
}

impl Class {
    /// Number of classes.
    pub const COUNT: usize = 11;

    /// All classes; index with `class as usize`.
    pub const ALL: [Class; Class::COUNT] = [
        Class::Vmem,
        Class::Lds,
        Class::Gds,
        Class::Smem,
        Class::Flat,
        Class::Message,
        Class::ExportColour,
        Class::ExportPosition,
        Class::ExportParameter,
        Class::GdsData,
        Class::StoreData,
    ];

    /// Returns the counter that counts the class.
    pub const fn counter(self) -> Counter {
        match self {
            Class::Vmem => Counter::Vm,
            Class::Lds | Class::Gds | Class::Smem | Class::Flat | Class::Message => Counter::Lgkm,
            Class::ExportColour | Class::ExportPosition | Class::ExportParameter => Counter::Exp,
            Class::GdsData | Class::StoreData => Counter::Exp,
        }
    }

    /// Whether its operations finish in the order of issue.
    pub const fn is_ordered(self) -> bool {
        !matches!(self, Class::Smem | Class::Flat)
    }

    /// Whether the class is about operations that have not read their registers; otherwise they have not written their
    /// results.
    pub const fn is_reading(self) -> bool {
        matches!(self.counter(), Counter::Exp)
    }
}

/// How an instruction uses a register that an operation in flight needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// It reads a register that the operation has not written yet.
    Read,
    /// It writes a register that the operation has not written, or not read, yet.
    Overwrite,
    /// It writes as [`Use::Overwrite`]. Both are vector memory; one has a sampler and the other has none, and one of
    /// them is FLAT, GLOBAL or SCRATCH.
    OtherKind,
    /// It writes EXEC, which the operation has not read yet.
    Exec,
}

/// The earlier instruction of a pair with wait states between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Producer {
    /// Vector ALU that writes a scalar register, VCC among them, but not EXEC.
    ValuSgpr,
    ValuVcc,
    ValuExec,
    /// Vector ALU or VINTRP that writes a VGPR.
    ValuVgpr,
    InterpolationVgpr,
    /// A store of more than 64 bits that reads its data late.
    WideStore,
    SaluSgpr,
    SaluM0,
    /// S_SETREG of any register; S_SETVSKIP, which writes MODE.
    HwRegister,
    Setreg,
    /// S_SETREG of TRAPSTS.
    SetregTrapsts,
    /// S_SETVSKIP, or S_SETREG of MODE\[28\].
    Vskip,
    ScalarStore,
    /// Vector or scalar ALU that writes VCC, or that writes the SGPRs behind VCC by their other name.
    VccAlias,
}

/// The later instruction of a pair with wait states between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Consumer {
    /// Vector memory that reads descriptors, an offset or an address in scalar registers.
    VmemScalar,
    /// V_READLANE and V_WRITELANE, by their lane number.
    LaneNumber,
    DivFmas,
    Dpp,
    /// A DPP form, by its source 0.
    DppSource,
    /// Vector ALU that reads VCCZ as a source.
    VcczSource,
    /// Vector ALU that reads EXECZ as a source.
    ExeczSource,
    /// Vector ALU or VINTRP that writes a VGPR.
    VectorWrite,
    ScalarLoad,
    /// S_BUFFER_LOAD, by its descriptor.
    ScalarBuffer,
    /// V_READLANE and V_READFIRSTLANE.
    LaneRead,
    /// S_SENDMSG, S_SENDMSGHALT, S_TTRACEDATA, GDS, GWS.
    Message,
    /// Instructions that address LDS by M0: ADDTID, loads and stores between LDS and memory, VINTRP, LDS_DIRECT.
    LdsByM0,
    /// S_MOVRELS and S_MOVRELD.
    Movrel,
    Getreg,
    Setreg,
    /// Vector ALU, vector memory, DS, EXP and VINTRP.
    Vector,
    /// S_RFE and S_RFE_RESTORE.
    Rfe,
    ScalarMemory,
    /// Vector ALU that reads a scalar register as a source.
    ScalarSource,
}

/// The rules that code of their own tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Place {
    AbiEntryWait,
    AbiReturnWait,
    BarrierLdsPending,
    BarrierDivergent,
    LdsDmaPending,
    Wbinvl1Pending,
    SmemStoreNoWb,
    GsDoneVm,
    VcczSmem,
    VcczPartial,
    XnackClause,
    BranchTarget,
    FallsOffEnd,
    Illegal,
    VgprOverAlloc,
    SgprOverAlloc,
    SgprAlign,
    ScratchOff,
    UninitSgpr,
    UninitVgpr,
    UninitM0,
    UninitDescriptor,
    LdsM0Uninit,
    LdsOver,
    PsNoDone,
    VsNoPosDone,
    ExportAfterDone,
    PsNoVm,
    DeadCode,
    WaitUnneeded,
    WaitImpossible,
    TrapInShader,
    Sethalt,
    IcacheInv,
}

/// Returns the numbers of wait states of a pair that needs `n` on all generations.
const fn same(n: u8) -> [u8; 4] {
    [n; 4]
}

macro_rules! rules {
    ($($id:literal $on:ident $level:ident $basis:ident: $test:expr, $text:literal;)*) => {
        /// All rules, in the order of the documentation.
        pub static RULES: &[Rule] = &[$(Rule {
            id: $id,
            test: $test,
            on: $on,
            level: Level::$level,
            basis: Basis::$basis,
            text: $text,
        }),*];
    };
}

use Class::*;
use Test::{Place as At, States, Wait};

/// The classes of exports, which read registers and EXEC late, as GDS does.
const EXPORTS: &[Class] = &[ExportColour, ExportPosition, ExportParameter, GdsData];

rules! {
    // Waits.
    "vmcnt-read" ALL Error Certain: Wait(&[Vmem], Use::Read),
        "a result of vector memory is read before it is there";
    "vmcnt-overwrite" ALL Error Certain: Wait(&[Vmem], Use::Overwrite),
        "a register is written before vector memory writes its result there";
    "waw-vm-kind" ALL Suspicious Certain: Wait(&[Vmem], Use::OtherKind),
        "vector memory with a sampler and FLAT, GLOBAL or SCRATCH write one register in no order";
    "lgkmcnt-read" ALL Error Certain: Wait(&[Lds, Gds, Smem], Use::Read),
        "a result of LDS, GDS or scalar memory is read before it is there";
    "lgkmcnt-overwrite" ALL Error Certain: Wait(&[Lds, Gds, Smem], Use::Overwrite),
        "a register is written before LDS, GDS or scalar memory writes its result there";
    "flat-lgkm" GFX7_9 Info Likely: Wait(&[Flat], Use::Read),
        "a result of FLAT is read, and LGKM_CNT has not been waited for: the address may be in LDS";
    "flat-lgkm-overwrite" GFX7_9 Info Likely: Wait(&[Flat], Use::Overwrite),
        "a result of FLAT is overwritten, and LGKM_CNT has not been waited for: the address may be in LDS";
    "expcnt-overwrite" ALL Error Certain: Wait(EXPORTS, Use::Overwrite),
        "a register is written before an export or GDS has read it";
    "expcnt-exec" ALL Error Likely: Wait(EXPORTS, Use::Exec),
        "EXEC is written before an export or GDS has read it";
    "store-data" GFX6 Error Certain: Wait(&[StoreData], Use::Overwrite),
        "a register is written before a store or an atomic has read its data there";

    // Wait states.
    "valu-sgpr-vmem" GFX8_9 Error Certain: States(Producer::ValuSgpr, Consumer::VmemScalar, same(5)),
        "vector memory reads a scalar register that the vector ALU wrote";
    "valu-sgpr-lanesel" ALL Error Certain: States(Producer::ValuSgpr, Consumer::LaneNumber, same(4)),
        "a lane number is in a scalar register that the vector ALU wrote";
    "valu-vcc-divfmas" ALL Error Certain: States(Producer::ValuVcc, Consumer::DivFmas, same(4)),
        "V_DIV_FMAS reads VCC that the vector ALU wrote";
    "valu-exec-dpp" GFX8_9 Error Certain: States(Producer::ValuExec, Consumer::Dpp, same(5)),
        "a DPP form follows a vector instruction that wrote EXEC";
    "valu-vgpr-dpp" GFX8_9 Error Certain: States(Producer::ValuVgpr, Consumer::DppSource, same(2)),
        "a DPP form reads a VGPR that the vector ALU wrote";
    "valu-vcc-vccz" ALL Error Likely: States(Producer::ValuVcc, Consumer::VcczSource, same(5)),
        "the vector ALU reads VCCZ, and it wrote VCC";
    "valu-exec-execz" ALL Error Likely: States(Producer::ValuExec, Consumer::ExeczSource, same(5)),
        "the vector ALU reads EXECZ, and it wrote EXEC";
    "store-data-overwrite" GFX7_9 Error Certain: States(Producer::WideStore, Consumer::VectorWrite, same(1)),
        "the data of a store of more than 64 bits are overwritten";
    "valu-sgpr-smrd" GFX6 Error Certain: States(Producer::ValuSgpr, Consumer::ScalarLoad, same(4)),
        "scalar memory reads a scalar register that the vector ALU wrote";
    "salu-sgpr-sbuffer" GFX6 Error Likely: States(Producer::SaluSgpr, Consumer::ScalarBuffer, same(4)),
        "S_BUFFER_LOAD reads a descriptor that the scalar ALU wrote";
    "vintrp-readlane" GFX6 Error Certain: States(Producer::InterpolationVgpr, Consumer::LaneRead, same(1)),
        "V_READLANE or V_READFIRSTLANE reads a VGPR that VINTRP wrote";
    "salu-m0-msg" GFX8_9 Error Certain: States(Producer::SaluM0, Consumer::Message, same(1)),
        "a message, GDS or GWS reads M0 that the scalar ALU wrote";
    "salu-m0-lds" GFX9 Error Certain: States(Producer::SaluM0, Consumer::LdsByM0, same(1)),
        "LDS is addressed by M0 that the scalar ALU wrote";
    "salu-m0-movrel" GFX9 Error Certain: States(Producer::SaluM0, Consumer::Movrel, same(1)),
        "S_MOVREL reads M0 that the scalar ALU wrote";
    "setreg-getreg" ALL Error Certain: States(Producer::HwRegister, Consumer::Getreg, same(2)),
        "S_GETREG reads a hardware register that S_SETREG wrote";
    "setreg-setreg" ALL Error Likely: States(Producer::Setreg, Consumer::Setreg, [1, 1, 2, 2]),
        "S_SETREG writes a hardware register that S_SETREG wrote";
    "vskip-vector" ALL Error Likely: States(Producer::Vskip, Consumer::Vector, same(2)),
        "a vector instruction follows a change of VSKIP";
    "vcc-alias" ALL Info Unknown: States(Producer::VccAlias, Consumer::ScalarSource, same(1)),
        "the vector ALU reads VCC, or the SGPRs behind it, that were written under the other name";
    "setreg-rfe" GFX8_9 Error Likely: States(Producer::SetregTrapsts, Consumer::Rfe, same(1)),
        "a return from the trap handler follows a change of TRAPSTS";

    // Calls and returns.
    "abi-entry-wait" ALL Error Likely: At(Place::AbiEntryWait),
        "a function does not begin with S_WAITCNT 0, which its callers rely on";
    "abi-return-wait" ALL Error Likely: At(Place::AbiReturnWait),
        "a function returns with operations in flight";

    // The order of memory.
    "barrier-lds-pending" ALL Suspicious Likely: At(Place::BarrierLdsPending),
        "a barrier is reached with LDS operations in flight";
    "barrier-divergent" ALL Info Unknown: At(Place::BarrierDivergent),
        "a barrier is reached where EXEC may lack lanes: all waves of a group have to come here";
    "lds-dma-pending" ALL Suspicious Likely: At(Place::LdsDmaPending),
        "a load into LDS is in flight where a barrier or an LDS read may need its data";
    "wbinvl1-pending" ALL Suspicious Likely: At(Place::Wbinvl1Pending),
        "the vector cache is invalidated with vector memory in flight";
    "smem-clause-store" GFX8_9 Suspicious Likely: States(Producer::ScalarStore, Consumer::ScalarMemory, same(1)),
        "scalar memory follows a scalar store directly";
    "smem-store-no-wb" GFX8_9 Suspicious Likely: At(Place::SmemStoreNoWb),
        "the wave ends after scalar stores without S_DCACHE_WB";
    "gs-done-vm" ALL Suspicious Likely: At(Place::GsDoneVm),
        "the message GS_DONE is sent with vector memory in flight";

    // VCCZ.
    "vccz-smem" GFX6_7 Error Certain: At(Place::VcczSmem),
        "VCCZ may be wrong after scalar loads; VCC has not been written since";
    "vccz-partial" ALL Error Certain: At(Place::VcczPartial),
        "VCCZ is old: only half of VCC has been written";

    // XNACK.
    "xnack-clause" GFX8_9 Error Likely: At(Place::XnackClause),
        "a run of memory instructions cannot be replayed: one writes what another one reads";

    // Other mistakes.
    "branch-target" ALL Error Certain: At(Place::BranchTarget),
        "a branch leads out of the code or into the middle of an instruction";
    "falls-off-end" ALL Error Certain: At(Place::FallsOffEnd),
        "control runs past the last instruction";
    "illegal" ALL Error Certain: At(Place::Illegal),
        "these dwords are no instruction";
    "vgpr-over-alloc" ALL Error Certain: At(Place::VgprOverAlloc),
        "a VGPR is past those that the descriptor allocates";
    "sgpr-over-alloc" ALL Error Certain: At(Place::SgprOverAlloc),
        "an SGPR is past those that the descriptor allocates";
    "sgpr-align" ALL Error Certain: At(Place::SgprAlign),
        "a group of scalar registers is not aligned, or runs past the last one";
    "scratch-off" ALL Suspicious Certain: At(Place::ScratchOff),
        "scratch is used, and the descriptor has none";
    "uninit-m0" ALL Suspicious Certain: At(Place::UninitM0),
        "M0 is read, and nothing has written it";
    "uninit-descriptor" ALL Suspicious Certain: At(Place::UninitDescriptor),
        "a descriptor or a base is in scalar registers that nothing has written";
    "uninit-sgpr" ALL Info Certain: At(Place::UninitSgpr),
        "a scalar register is read, and nothing has written it";
    "uninit-vgpr" ALL Info Certain: At(Place::UninitVgpr),
        "a VGPR is read, and nothing has written it";
    "lds-m0-uninit" GFX6_8 Error Certain: At(Place::LdsM0Uninit),
        "LDS is used, and nothing has written M0, which limits its addresses";
    "lds-over" ALL Suspicious Certain: At(Place::LdsOver),
        "a constant address is past the LDS that the descriptor allocates";
    "ps-no-done" ALL Error Certain: At(Place::PsNoDone),
        "a pixel shader ends without an export with DONE";
    "vs-no-pos-done" ALL Error Certain: At(Place::VsNoPosDone),
        "a vertex shader ends without an export of a position with DONE";
    "export-after-done" ALL Error Certain: At(Place::ExportAfterDone),
        "an export follows one of its class with DONE";
    "ps-no-vm" ALL Suspicious Certain: At(Place::PsNoVm),
        "the export with DONE of a pixel shader lacks VM";
    "wait-impossible" ALL Suspicious Certain: At(Place::WaitImpossible),
        "bits of S_WAITCNT are set that no counter has";
    "wait-unneeded" ALL Info Certain: At(Place::WaitUnneeded),
        "nothing is in flight that this S_WAITCNT waits for, or no rule needs the states of this S_NOP";
    "icache-inv" ALL Info Unknown: At(Place::IcacheInv),
        "neither 16 S_NOP nor a jump follow S_ICACHE_INV: old instructions may be executed";
    "dead-code" ALL Info Certain: At(Place::DeadCode),
        "no path leads to this code";
    "trap-in-shader" ALL Info Certain: At(Place::TrapInShader),
        "the trap handler is entered";
    "sethalt" ALL Info Certain: At(Place::Sethalt),
        "the wave is halted";
}

/// Returns the rule with an id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Returns the rule about `place`.
pub(crate) fn of_place(place: Place) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.test == Test::Place(place))
}
