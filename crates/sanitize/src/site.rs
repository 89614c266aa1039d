//! The facts of an instruction: what it reads, writes and decides. They are found once.

use gcnsim_interp::MemoryOp;
use gcnsim_isa::Opcode::{self, Sop1, Sop2, Sopc, Sopk, Sopp, Vop1, Vop2, Vop3};
use gcnsim_isa::table::{Access as Moves, Encoding, Fx, Has, Load, Share, Store, Transfer};
use gcnsim_isa::table::{
    Sop1 as S1, Sop2 as S2, Sopc as Sc, Sopk as Sk, Sopp as Sp, Vop1 as V1, Vop2 as V2, Vop3 as V3,
};
use gcnsim_isa::{Inst, RegSet, Src, reg};

use crate::operation::{self, Apply, Compare, Operation};
use crate::shadow::Use;

/// A set of registers, as lists.
#[derive(Clone, Default, Debug)]
pub struct Registers {
    /// VGPRs.
    pub vgprs: Vec<u8>,
    /// Operand codes of scalar registers.
    pub sgprs: Vec<u8>,
}

impl Registers {
    fn of(set: &RegSet) -> Registers {
        Registers { vgprs: set.vgprs.iter().collect(), sgprs: sgprs(set) }
    }

    fn of_range(first: u8, count: u32) -> Vec<u8> {
        (0..count).map(|n| first.wrapping_add(n as u8)).collect()
    }
}

/// Returns the scalar registers of a set, except EXEC.
fn sgprs(set: &RegSet) -> Vec<u8> {
    (0..reg::EXEC_LO).filter(|code| set.sgprs >> code & 1 == 1).collect()
}

/// The condition of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// SCC.
    Scc,
    /// Whether VCC is 0.
    Vcc,
}

/// How a result is defined by the sources of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// In a lane, the result is defined if all sources are defined in it.
    Lanes,
    /// As [`Rule::Lanes`], for each half of a packed result.
    Packed,
    /// In a lane, each bit of the result counts alone.
    Values(Operation),
    /// In a lane, the result is defined if the undefined bits of the sources cannot change it.
    Compare(Compare),
    /// All lanes of the result are defined if any lane of the sources is: lanes are exchanged.
    Mixed,
    /// The result is always defined.
    Defined,
    /// The rule of V_READLANE and V_READFIRSTLANE: the lane that is read counts.
    ReadLane,
    /// The rule of V_WRITELANE: the lane that is written is as the source is.
    WriteLane,
    /// The results of a scalar instruction are defined if all sources are.
    Scalar,
    /// The rule of S_CSELECT: SCC and the selected source count.
    ScalarSelect,
    /// The rule of a scalar operation of logic: each bit of the result counts alone.
    Bits(Bits),
    /// The rule of other scalar operations on bits, and of sums: each bit of the result counts alone.
    ScalarValues(Apply),
    /// The rule of scalar compares of integers: SCC is defined if the undefined bits cannot change it.
    ScalarCompare(Compare),
    /// The rule of S_BITCMP: the bit that is compared counts.
    ScalarBit,
    /// The rule of a memory instruction, by what it loads.
    Memory,
}

/// An operation on bits, whose sources may be inverted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    /// How it combines the bits.
    pub by: By,
    /// Whether the first source is inverted.
    pub inverts_first: bool,
    /// Whether the second source is inverted.
    pub inverts_second: bool,
    /// Whether the result is inverted.
    pub inverts_result: bool,
    /// Says that EXEC is the second source, and that the result is the new EXEC. The destination gets the old EXEC or
    /// the new one.
    pub exec: Option<OldOrNew>,
}

/// What the destination of an instruction on EXEC gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OldOrNew {
    /// The old EXEC.
    Old,
    /// The new EXEC.
    New,
}

/// How bits are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The bits of the first source.
    Move,
    /// Bits that both sources have.
    And,
    /// Bits that a source has.
    Or,
    /// Bits that exactly one source has.
    Xor,
}

/// Facts about an instruction.
pub struct Site {
    /// The instruction.
    pub inst: Inst,
    /// Its accesses to memory.
    pub memory: Option<MemoryOp>,
    /// The kind of its accesses.
    pub moves: Option<Moves>,
    /// Whether it reads past caches (GLC).
    pub glc: bool,
    /// How its results are defined.
    pub rule: Rule,
    /// Source registers, without those of `mask`.
    pub reads: Registers,
    /// VGPRs among them, each with the bits that the result depends on.
    pub needs: Vec<(u8, u32)>,
    /// Whether SCC is a source.
    pub reads_scc: bool,
    /// Operand code of a source that has a bit for each lane.
    pub mask: Option<u8>,
    /// Registers of the results.
    pub writes: Registers,
    /// Whether SCC is a result.
    pub writes_scc: bool,
    /// Whether EXEC is a result.
    pub writes_exec: bool,
    /// Registers of its address.
    pub address: Registers,
    /// Registers of the data that it stores.
    pub data: Registers,
    /// The condition, if it is a branch with two ways.
    pub condition: Option<Condition>,
    /// Whether it jumps to an address in registers.
    pub jumps: bool,
}

impl Site {
    /// Finds the facts of an instruction.
    pub fn new(inst: Inst) -> Site {
        let (mut reads, writes) = (inst.reads(), inst.writes());
        let rule = rule(&inst);
        let is_partial = inst.reads_vdst() && !inst.desc().fx.has(Fx::RDST);
        if let (true, Some(vdst)) = (is_partial, inst.vdst()) {
            let first = vdst;
            (0..inst.desc().dst.dwords()).for_each(|n| remove(&mut reads, first.wrapping_add(n as u8)));
        }
        let mask = inst.mask_src();
        if let Some(code) = mask {
            reads.sgprs &= !(3u128 << code);
        }
        // Vector instructions need M0 in GPR-index mode only.
        let names_m0 = (0..inst.src_count()).any(|i| inst.src(i) == Src::Sgpr(reg::M0));
        let is_vector = matches!(rule, Rule::Lanes | Rule::Packed | Rule::Values(_) | Rule::Compare(_) | Rule::Mixed);
        if is_vector && !names_m0 {
            reads.sgprs &= !(1u128 << reg::M0);
        }
        let transfer = inst.transfer();
        let moves = inst.mem_shape().map(|shape| shape.kind).or_else(|| transfer.and_then(moves_of_ds));
        let moves = moves.or_else(|| inst.image_shape().map(|shape| shape.kind));
        let (address, data) = operands(&inst, moves);
        let glc = inst.flat_access().is_some_and(|access| access.glc)
            || inst.buffer_access().is_some_and(|access| access.glc);
        let opcode = inst.desc().opcode;
        let condition = match opcode {
            Sopp(Sp::SCbranchScc0 | Sp::SCbranchScc1) => Some(Condition::Scc),
            Sopp(Sp::SCbranchVccz | Sp::SCbranchVccnz) => Some(Condition::Vcc),
            _ => None,
        };
        Site {
            memory: MemoryOp::new(&inst),
            moves,
            glc,
            rule,
            reads: Registers::of(&reads),
            needs: reads.vgprs.iter().map(|number| (number, needed(&inst, number))).collect(),
            reads_scc: reads.scc,
            mask,
            writes: Registers::of(&writes),
            writes_scc: writes.scc,
            writes_exec: writes.sgprs >> reg::EXEC_LO & 3 != 0,
            address,
            data,
            condition,
            jumps: matches!(opcode, Sop1(S1::SSetpcB64 | S1::SSwappcB64)),
            inst,
        }
    }

    /// Returns how it uses the bytes that it accesses; `None` if it accesses none.
    pub fn how(&self) -> Option<Use> {
        match self.moves? {
            Moves::Load if self.glc => Some(Use::ReadThrough),
            Moves::Load => Some(Use::Read),
            Moves::Store => Some(Use::Write),
            Moves::Atomic => Some(Use::Atomic),
            _ => None,
        }
    }

    /// Whether its accesses can lie outside of a buffer, of LDS or of scratch: it has addresses of its own.
    pub fn needs_bounds(&self) -> bool {
        self.moves.is_some() && (!self.is_of_lds() || !self.address.vgprs.is_empty())
    }

    /// Whether it is a DS instruction.
    pub fn is_of_lds(&self) -> bool {
        self.inst.ds_access().is_some()
    }

    /// Whether its address may be one of scratch or, by an aperture, one of LDS.
    pub fn may_reach_scratch(&self) -> bool {
        let is_flat = self.inst.flat_access().is_some() && self.inst.desc().encoding != Encoding::Global;
        is_flat || self.inst.buffer_access().is_some()
    }

    /// Whether its data are at two places for each lane (two offsets).
    pub fn has_two_places(&self) -> bool {
        let two = |share| matches!(share, Share::Read2(..) | Share::Write2(..) | Share::Exchange2(..));
        matches!(self.inst.transfer(), Some(Transfer::Share(share)) if two(share))
    }

    /// The bits of a register that it stores, if it stores one or two bytes.
    pub fn stored_part(&self) -> Option<u32> {
        match self.inst.transfer() {
            Some(Transfer::Store(Store { bytes: bytes @ 1..=2, high })) => {
                let bits = if bytes == 1 { 0xff } else { 0xffff };
                Some(if high { bits << 16 } else { bits })
            }
            _ => None,
        }
    }

    /// The first bit of a register that it stores.
    pub fn first_bit(&self) -> u8 {
        if matches!(self.inst.transfer(), Some(Transfer::Store(store)) if store.high) { 16 } else { 0 }
    }

    /// Whether its data go through a format, so that bytes of memory are not those of registers.
    pub fn is_formatted(&self) -> bool {
        matches!(self.inst.transfer(), Some(Transfer::LoadFormat(..) | Transfer::StoreFormat(..)))
    }

    /// The load of one or two bytes to a register.
    pub fn narrow_load(&self) -> Option<Load> {
        match self.inst.transfer() {
            Some(Transfer::Load(load)) if load.bytes < 4 => Some(load),
            _ => None,
        }
    }
}

fn remove(set: &mut RegSet, vgpr: u8) {
    set.vgprs.0[vgpr as usize / 64] &= !(1 << (vgpr % 64));
}

/// Returns the bits of the VGPR `number` that the result of a vector instruction depends on.
fn needed(inst: &Inst, number: u8) -> u32 {
    let mut bits = 0;
    for i in 0..inst.src_count() {
        if let Src::Vgpr(first) = inst.src(i)
            && (0..inst.src_type(i).dwords()).any(|n| first.wrapping_add(n as u8) == number)
        {
            bits |= part_of(inst, i);
        }
    }
    let is_accumulator = inst.desc().fx.has(Fx::RDST) && inst.vdst() == Some(number);
    if bits == 0 || is_accumulator { !0 } else { bits }
}

/// Returns the bits of a register that source `i` takes.
fn part_of(inst: &Inst, i: usize) -> u32 {
    if let Some(part) = inst.sdwa().and_then(|sdwa| sdwa.src_sel.get(i).copied()) {
        return selected_bits(part);
    }
    let desc = inst.desc();
    let takes_pairs = desc.encoding == Encoding::Vop3p && !desc.has.any(Has::MIX);
    match desc.opcode {
        Vop1(V1::VCvtF32Ubyte0) => 0xff,
        Vop1(V1::VCvtF32Ubyte1) => 0xff00,
        Vop1(V1::VCvtF32Ubyte2) => 0xff_0000,
        Vop1(V1::VCvtF32Ubyte3) => 0xff00_0000,
        Vop2(V2::VMulI32I24 | V2::VMulU32U24 | V2::VMulHiI32I24 | V2::VMulHiU32U24) => 0xff_ffff,
        Vop3(V3::VMadI32I24 | V3::VMadU32U24) if i < 2 => 0xff_ffff,
        _ if inst.src_type(i).bits() == 16 && !takes_pairs => 0xffff << (16 * (inst.op_sel() >> i & 1)),
        _ => !0,
    }
}

/// Returns the bits that a selector of SDWA chooses.
pub fn selected_bits(selector: u8) -> u32 {
    match selector {
        0..=3 => 0xff << (8 * selector),
        4 => 0xffff,
        5 => 0xffff_0000,
        _ => !0,
    }
}

/// Returns the kind of a DS instruction's accesses to LDS.
fn moves_of_ds(transfer: Transfer) -> Option<Moves> {
    Some(match transfer {
        Transfer::Load(_) | Transfer::Share(Share::Read2(..) | Share::ReadAddtid) => Moves::Load,
        Transfer::Store(_) | Transfer::Share(Share::Write2(..) | Share::WriteAddtid) => Moves::Store,
        Transfer::Atomic(..)
        | Transfer::Share(
            Share::AtomicReturn(..)
            | Share::Source2(..)
            | Share::Exchange2(..)
            | Share::CondExchange
            | Share::Append
            | Share::Consume,
        ) => Moves::Atomic,
        _ => return None,
    })
}

/// Returns the registers of the address and those of the stored data of a memory instruction or an export. An image
/// instruction has no address VGPRs here, because nothing tells them from its other registers.
fn operands(inst: &Inst, moves: Option<Moves>) -> (Registers, Registers) {
    let (mut address, mut data) = (Registers::default(), Registers::default());
    if inst.export_access().is_some() {
        data.vgprs = inst.reads().vgprs.iter().collect();
        return (address, data);
    }
    let reads = inst.reads();
    let stores = matches!(moves, Some(Moves::Store | Moves::Atomic));
    if let (Some(access), Some(shape)) = (inst.ds_access(), inst.ds_shape()) {
        // What DS_SWIZZLE and the permutes exchange is moved between registers. A swizzle has no address.
        let share = inst.transfer();
        if share != Some(Transfer::Share(Share::Swizzle)) {
            address.vgprs = Registers::of_range(access.addr, shape.addr as u32);
        }
        let is_exchange = matches!(share, Some(Transfer::Share(Share::Swizzle | Share::Permute | Share::Bpermute)));
        for k in (0..2).filter(|_| !is_exchange) {
            data.vgprs.extend(Registers::of_range(access.data[k], shape.data[k] as u32));
        }
    } else if let (Some(access), Some(shape)) = (inst.flat_access(), inst.mem_shape()) {
        address.vgprs = Registers::of_range(access.addr, if access.saddr.is_some() { 1 } else { 2 });
        address.sgprs = access.saddr.map(|code| Registers::of_range(code, 2)).unwrap_or_default();
        if inst.desc().encoding == Encoding::Scratch {
            (address.vgprs, address.sgprs) = Default::default();
        }
        data.vgprs = Registers::of_range(access.data, shape.data as u32);
    } else if let (Some(access), Some(shape)) = (inst.buffer_access(), inst.mem_shape()) {
        let count = if access.addr64 { 2 } else { access.offen as u32 + access.idxen as u32 };
        address.vgprs = Registers::of_range(access.vaddr, count);
        address.sgprs = Registers::of_range(access.srsrc, 4);
        if let Src::Sgpr(code) = access.soffset {
            address.sgprs.push(code);
        }
        if stores {
            data.vgprs = Registers::of_range(access.vdata, shape.data_dwords(inst.arch));
        }
    } else if let (Some(access), Some(shape)) = (inst.scalar_access(), inst.mem_shape()) {
        address.sgprs = Registers::of_range(access.base, shape.base.dwords() as u32);
        address.sgprs.extend(access.offset_register);
        if stores {
            data.sgprs = Registers::of_range(access.data, shape.data as u32);
        }
    } else if inst.image_access().is_some() {
        address.sgprs = sgprs(&reads);
    }
    (address, data)
}

fn rule(inst: &Inst) -> Rule {
    let desc = inst.desc();
    if inst.desc().is_memory() || inst.export_access().is_some() {
        return match inst.transfer() {
            Some(Transfer::Share(Share::Swizzle | Share::Permute | Share::Bpermute)) => Rule::Mixed,
            _ => Rule::Memory,
        };
    }
    if desc.fx.has(Fx::RVGPRS.or(Fx::WVGPRS).or(Fx::RSGPRS).or(Fx::WSGPRS)) {
        return Rule::Defined;
    }
    let opcode = desc.opcode;
    match opcode {
        // By its row it reads SCC and VCC, which only STATUS shows.
        Sopk(Sk::SGetregB32) => Rule::Defined,
        Sop2(S2::SCselectB32 | S2::SCselectB64) => Rule::ScalarSelect,
        Sopc(Sc::SBitcmp0B32 | Sc::SBitcmp1B32 | Sc::SBitcmp0B64 | Sc::SBitcmp1B64) => Rule::ScalarBit,
        Sop1(_) | Sop2(_) | Sopc(_) | Sopk(_) | Sopp(_) => {
            let values = || operation::of_scalar(opcode).map(Rule::ScalarValues);
            let compare = || Compare::of(opcode).map(Rule::ScalarCompare);
            Bits::of(opcode).map(Rule::Bits).or_else(values).or_else(compare).unwrap_or(Rule::Scalar)
        }
        Vop1(V1::VReadfirstlaneB32) | Vop2(V2::VReadlaneB32) | Vop3(V3::VReadlaneB32) => Rule::ReadLane,
        Vop2(V2::VWritelaneB32) | Vop3(V3::VWritelaneB32) => Rule::WriteLane,
        Vop2(V2::VXorB32 | V2::VSubU32 | V2::VSubU32Carry | V2::VSubI32) | Vop3(V3::VSubI32)
            if inst.src(0) == inst.src(1) =>
        {
            Rule::Defined
        }
        _ if inst.dpp().is_some() => Rule::Mixed,
        _ if desc.has.any(Has::PK) => Rule::Packed,
        _ => {
            let compare = || Compare::of(opcode).map(Rule::Compare);
            operation::of_vector(opcode).map(Rule::Values).or_else(compare).unwrap_or(Rule::Lanes)
        }
    }
}

impl Bits {
    const fn new(by: By) -> Bits {
        Bits { by, inverts_first: false, inverts_second: false, inverts_result: false, exec: None }
    }

    const fn inverting_first(self) -> Bits {
        Bits { inverts_first: true, ..self }
    }

    const fn inverting_second(self) -> Bits {
        Bits { inverts_second: true, ..self }
    }

    const fn inverting_result(self) -> Bits {
        Bits { inverts_result: true, ..self }
    }

    const fn on_exec(self, destination: OldOrNew) -> Bits {
        Bits { exec: Some(destination), ..self }
    }

    /// Returns the operation on bits of a scalar instruction.
    fn of(opcode: Opcode) -> Option<Bits> {
        const MOVE: Bits = Bits::new(By::Move);
        const AND: Bits = Bits::new(By::And);
        const OR: Bits = Bits::new(By::Or);
        const XOR: Bits = Bits::new(By::Xor);
        use OldOrNew::{New, Old};
        Some(match opcode {
            Sop1(S1::SMovB32 | S1::SMovB64) => MOVE,
            Sop1(S1::SNotB32 | S1::SNotB64) => MOVE.inverting_result(),
            Sop2(S2::SAndB32 | S2::SAndB64) => AND,
            Sop2(S2::SOrB32 | S2::SOrB64) => OR,
            Sop2(S2::SXorB32 | S2::SXorB64) => XOR,
            Sop2(S2::SAndn2B32 | S2::SAndn2B64) => AND.inverting_second(),
            Sop2(S2::SOrn2B32 | S2::SOrn2B64) => OR.inverting_second(),
            Sop2(S2::SNandB32 | S2::SNandB64) => AND.inverting_result(),
            Sop2(S2::SNorB32 | S2::SNorB64) => OR.inverting_result(),
            Sop2(S2::SXnorB32 | S2::SXnorB64) => XOR.inverting_result(),
            Sop1(S1::SAndSaveexecB64) => AND.on_exec(Old),
            Sop1(S1::SOrSaveexecB64) => OR.on_exec(Old),
            Sop1(S1::SXorSaveexecB64) => XOR.on_exec(Old),
            Sop1(S1::SAndn1SaveexecB64) => AND.inverting_first().on_exec(Old),
            Sop1(S1::SAndn2SaveexecB64) => AND.inverting_second().on_exec(Old),
            Sop1(S1::SOrn1SaveexecB64) => OR.inverting_first().on_exec(Old),
            Sop1(S1::SOrn2SaveexecB64) => OR.inverting_second().on_exec(Old),
            Sop1(S1::SNandSaveexecB64) => AND.inverting_result().on_exec(Old),
            Sop1(S1::SNorSaveexecB64) => OR.inverting_result().on_exec(Old),
            Sop1(S1::SXnorSaveexecB64) => XOR.inverting_result().on_exec(Old),
            Sop1(S1::SAndn1WrexecB64) => AND.inverting_first().on_exec(New),
            Sop1(S1::SAndn2WrexecB64) => AND.inverting_second().on_exec(New),
            _ => return None,
        })
    }
}
