//! The facts of an instruction: what it reads, writes and decides. They are found once.

use std::ops::Range;

use gcnsim_interp::MemoryOp;
use gcnsim_isa::table::{Access as Moves, Fx, Part, Share, Store, Transfer};
use gcnsim_isa::{Inst, RegSet, Src, reg};

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// In a lane, the result is defined if all sources are defined in it.
    Lanes,
    /// All lanes of the result are defined if any lane of the sources is: lanes are exchanged.
    Mixed,
    /// The result is always defined.
    Defined,
    /// The rule of V_CNDMASK: the mask and the selected source count.
    Select,
    /// The rule of V_READLANE and V_READFIRSTLANE: the lane that is read counts.
    ReadLane,
    /// The rule of V_WRITELANE: the lane that is written is as the source is.
    WriteLane,
    /// The results of a scalar instruction are defined if all sources are.
    Scalar,
    /// The rule of S_CSELECT: SCC and the selected source count.
    ScalarSelect,
    /// The rule of a scalar operation on bits: each bit of the result counts alone.
    Bits(Bits),
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
    /// Whether it copies a VGPR or a scalar register.
    pub is_copy: bool,
    /// VGPR that the first result does not depend on: the high half of a source that is added or shifted left.
    pub high_source: Option<u8>,
    /// VGPR with the low half of a source that is shifted right, and the index of the source that is the shift (0 or
    /// 1). The second result does not depend on this half; nor does the first if the shift is 32 or more.
    pub low_source: Option<(u8, usize)>,
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
        if matches!(rule, Rule::Lanes | Rule::Mixed | Rule::Select) && !names_m0 {
            reads.sgprs &= !(1u128 << reg::M0);
        }
        let transfer = inst.transfer();
        let moves = inst.mem_shape().map(|shape| shape.kind).or_else(|| transfer.and_then(moves_of_ds));
        let moves = moves.or_else(|| inst.image_shape().map(|shape| shape.kind));
        let (address, data) = operands(&inst, moves);
        let glc = inst.flat_access().is_some_and(|access| access.glc)
            || inst.buffer_access().is_some_and(|access| access.glc);
        let mnemonic = inst.desc().mnemonic;
        let condition = match mnemonic {
            "s_cbranch_scc0" | "s_cbranch_scc1" => Some(Condition::Scc),
            "s_cbranch_vccz" | "s_cbranch_vccnz" => Some(Condition::Vcc),
            _ => None,
        };
        Site {
            memory: MemoryOp::new(&inst),
            moves,
            glc,
            rule,
            reads: Registers::of(&reads),
            is_copy: mnemonic == "v_mov_b32" && inst.sdwa().is_none() && inst.dpp().is_none(),
            high_source: high_source(&inst),
            low_source: low_source(&inst),
            reads_scc: reads.scc,
            mask,
            writes: Registers::of(&writes),
            writes_scc: writes.scc,
            writes_exec: writes.sgprs >> reg::EXEC_LO & 3 != 0,
            address,
            data,
            condition,
            jumps: matches!(mnemonic, "s_setpc_b64" | "s_swappc_b64"),
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
        let is_flat = self.inst.flat_access().is_some() && !self.inst.desc().mnemonic.starts_with("global");
        is_flat || self.inst.buffer_access().is_some()
    }

    /// Whether its data are at two places for each lane (two offsets).
    pub fn has_two_places(&self) -> bool {
        let two = |share| matches!(share, Share::Read2(..) | Share::Write2(..) | Share::Exchange2(..));
        matches!(self.inst.transfer(), Some(Transfer::Share(share)) if two(share))
    }

    /// The bytes of a register (0 to 3) that it stores, if it stores one or two.
    pub fn stored_part(&self) -> Option<Range<usize>> {
        match self.inst.transfer() {
            Some(Transfer::Store(Store { bytes: bytes @ 1..=2, high })) => {
                let first = if high { 2 } else { 0 };
                Some(first..first + usize::from(bytes))
            }
            _ => None,
        }
    }

    /// Whether it stores bytes from the high half of a register.
    pub fn stores_high(&self) -> bool {
        matches!(self.inst.transfer(), Some(Transfer::Store(store)) if store.high)
    }

    /// Whether it loads one half of a register and keeps the other.
    pub fn loads_part(&self) -> bool {
        matches!(self.inst.transfer(), Some(Transfer::Load(load)) if load.part != Part::Whole)
    }
}

fn remove(set: &mut RegSet, vgpr: u8) {
    set.vgprs.0[vgpr as usize / 64] &= !(1 << (vgpr % 64));
}

/// Returns the VGPR with the high half of a source, on which the low half of the result does not depend.
fn high_source(inst: &Inst) -> Option<u8> {
    let source = match inst.desc().mnemonic {
        "v_mad_u64_u32" | "v_mad_i64_i32" => 2,
        "v_lshlrev_b64" => 1,
        "v_lshl_b64" => 0,
        _ => return None,
    };
    match inst.src(source) {
        Src::Vgpr(low) => low.checked_add(1),
        _ => None,
    }
}

/// Returns the VGPR with the low half of a source that is shifted right, and the index of the source that is the shift.
fn low_source(inst: &Inst) -> Option<(u8, usize)> {
    let (source, shift) = match inst.desc().mnemonic {
        "v_lshrrev_b64" | "v_ashrrev_i64" => (1, 0),
        "v_lshr_b64" | "v_ashr_i64" => (0, 1),
        _ => return None,
    };
    match inst.src(source) {
        Src::Vgpr(low) => Some((low, shift)),
        _ => None,
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
        address.vgprs = Registers::of_range(access.addr, shape.addr as u32);
        for k in 0..2 {
            data.vgprs.extend(Registers::of_range(access.data[k], shape.data[k] as u32));
        }
    } else if let (Some(access), Some(shape)) = (inst.flat_access(), inst.mem_shape()) {
        address.vgprs = Registers::of_range(access.addr, if access.saddr.is_some() { 1 } else { 2 });
        address.sgprs = access.saddr.map(|code| Registers::of_range(code, 2)).unwrap_or_default();
        if inst.desc().mnemonic.starts_with("scratch") {
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
    let name = desc.mnemonic;
    // By its row it reads SCC and VCC, which only STATUS shows.
    if name == "s_getreg_b32" {
        return Rule::Defined;
    }
    if let Some(rest) = name.strip_prefix("s_") {
        return match bits(rest) {
            Some(bits) => Rule::Bits(bits),
            None if rest.starts_with("cselect") => Rule::ScalarSelect,
            None => Rule::Scalar,
        };
    }
    match name {
        "v_cndmask_b32" if inst.dpp().is_none() => Rule::Select,
        "v_readlane_b32" | "v_readfirstlane_b32" => Rule::ReadLane,
        "v_writelane_b32" => Rule::WriteLane,
        "v_xor_b32" | "v_sub_u32" | "v_sub_i32" if inst.src(0) == inst.src(1) => Rule::Defined,
        _ if inst.dpp().is_some() => Rule::Mixed,
        _ => Rule::Lanes,
    }
}

/// Returns the operation on bits whose mnemonic, without `s_`, is `name`.
fn bits(name: &str) -> Option<Bits> {
    let name = name.strip_suffix("_b64").or_else(|| name.strip_suffix("_b32"))?;
    let (name, exec) = match (name.strip_suffix("_saveexec"), name.strip_suffix("_wrexec")) {
        (Some(name), _) => (name, Some(OldOrNew::Old)),
        (_, Some(name)) => (name, Some(OldOrNew::New)),
        (None, None) => (name, None),
    };
    let bits = |by, inverts_first, inverts_second, inverts_result| {
        Some(Bits { by, inverts_first, inverts_second, inverts_result, exec })
    };
    match name {
        "mov" => bits(By::Move, false, false, false),
        "not" => bits(By::Move, false, false, true),
        "and" => bits(By::And, false, false, false),
        "or" => bits(By::Or, false, false, false),
        "xor" => bits(By::Xor, false, false, false),
        "andn2" => bits(By::And, false, true, false),
        "orn2" => bits(By::Or, false, true, false),
        "andn1" => bits(By::And, true, false, false),
        "orn1" => bits(By::Or, true, false, false),
        "nand" => bits(By::And, false, false, true),
        "nor" => bits(By::Or, false, false, true),
        "xnor" => bits(By::Xor, false, false, true),
        _ => None,
    }
}
