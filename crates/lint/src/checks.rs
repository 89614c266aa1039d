//! Rules about places. Each has code of its own, which runs once over the settled states.

use gcnsim_isa::table::{Access, Has, Share, Transfer};
use gcnsim_isa::{Encoding, Opcode, RegSet, Sopc, Sopp, Src, VgprSet, Vop1};
use gcnsim_loader::Stage;

use crate::Context;
use crate::facts::{Facts, Kind, M0, VCC, common, has_impossible_waits, waits};
use crate::lanes;
use crate::nops;
use crate::rules::{Class, Place, generation, of_place};
use crate::state::{Flags, NOTHING, Pending, State};
use crate::walk::{Hit, Walk};

/// Number of memory instructions of a run that are looked back on.
const RUN: usize = 5;

/// Facts that are known only within a block.
#[derive(Default)]
pub(crate) struct Local {
    /// The run of memory instructions of one kind that ends before the instruction.
    run: Vec<u32>,
    /// VGPRs with known values, in all lanes that EXEC has.
    constants: Vec<(u8, u32)>,
    /// Whether S_SET_GPR_IDX_ON was executed, and S_SET_GPR_IDX_OFF was not: M0 may move destinations.
    is_indexed: bool,
}

/// The tests of an instruction, before it is applied to `state`.
pub(crate) struct Tests<'a> {
    pub walk: &'a Walk<'a>,
    pub context: &'a Context,
    pub state: &'a State,
    pub facts: &'a Facts,
    pub i: u32,
    pub hits: &'a mut Vec<Hit>,
}

impl Tests<'_> {
    /// Adds a hit if the rule about `place` is tested.
    fn hit(&mut self, place: Place, producer: Option<u32>, regs: RegSet) {
        if !self.walk.active.has(place) {
            return;
        }
        if let Some(rule) = of_place(place) {
            let (needed, found, class) = (None, None, None);
            let producer = producer.filter(|&i| i != NOTHING);
            self.hits.push(Hit { rule, producer, consumer: self.i, regs, class, needed, found });
        }
    }

    fn plain(&mut self, place: Place) {
        self.hit(place, None, RegSet::default());
    }

    /// Returns an operation of a class that may be in flight.
    fn flight(&self, class: Class) -> Option<u32> {
        Some(self.state.flight[class as usize]).filter(|&i| i != NOTHING)
    }

    pub fn all(&mut self, local: &mut Local) {
        match self.facts.kind {
            Kind::Scalar => self.scalar(),
            Kind::Vmem | Kind::Ds | Kind::Smem => self.memory(local),
            Kind::Export => self.export(),
            Kind::Valu | Kind::Interpolation => {}
        }
        self.replay(local);
        self.allocation();
        self.alignment();
        self.unwritten();
        self.track(local);
    }

    fn scalar(&mut self) {
        match self.facts.sopp() {
            Some(Sopp::SBarrier) => self.barrier(),
            Some(Sopp::SWaitcnt) => self.wait(),
            Some(Sopp::SNop) => self.nop(),
            Some(Sopp::SIcacheInv) if !nops::is_safe_behind(self.walk, self.i) => self.plain(Place::IcacheInv),
            Some(Sopp::SCbranchVccz | Sopp::SCbranchVccnz) => {
                if self.state.flags.has(Flags::VCCZ_SMEM) {
                    self.plain(Place::VcczSmem);
                }
                if self.state.flags.has(Flags::VCCZ_PARTIAL) {
                    self.plain(Place::VcczPartial);
                }
            }
            Some(Sopp::SSendmsg | Sopp::SSendmsghalt) if self.facts.inst.simm16() & 15 == 3 => {
                if let Some(i) = self.flight(Class::Vmem) {
                    self.hit(Place::GsDoneVm, Some(i), RegSet::default());
                }
            }
            Some(Sopp::SEndpgm | Sopp::SEndpgmSaved | Sopp::SEndpgmOrderedPsDone) => self.end(),
            Some(Sopp::STrap) => self.plain(Place::TrapInShader),
            Some(Sopp::SSethalt) if self.facts.inst.simm16() & 1 == 1 => self.plain(Place::Sethalt),
            _ if self.walk.code.is_return(self.facts) => {
                let mut classes = Class::ALL.into_iter().filter(|&class| class != Class::Flat);
                if let Some(i) = classes.find_map(|class| self.flight(class)) {
                    self.hit(Place::AbiReturnWait, Some(i), RegSet::default());
                }
            }
            _ => {}
        }
    }

    /// Tests a barrier. In a group of one wave a barrier waits for nobody.
    fn barrier(&mut self) {
        if self.context.has_one_wave {
            return;
        }
        if self.state.narrowed != NOTHING {
            self.hit(Place::BarrierDivergent, Some(self.state.narrowed), RegSet::default());
        }
        if let Some(i) = self.flight(Class::Lds) {
            self.hit(Place::BarrierLdsPending, Some(i), RegSet::default());
        }
        self.lds_dma();
    }

    /// Reports a load into LDS that may be in flight.
    fn lds_dma(&mut self) {
        let insts = &self.walk.code.insts;
        let is_it = |entry: &&Pending| insts[entry.inst as usize].is_lds_dma;
        if let Some(entry) = self.state.pending.iter().find(is_it) {
            self.hit(Place::LdsDmaPending, Some(entry.inst), RegSet::default());
        }
    }

    fn nop(&mut self) {
        if self.walk.active.has(Place::WaitUnneeded)
            && !nops::is_needed(self.walk, self.state, self.i, self.context.may_replay)
        {
            self.plain(Place::WaitUnneeded);
        }
    }

    fn wait(&mut self) {
        if has_impossible_waits(&self.facts.inst) {
            self.plain(Place::WaitImpossible);
        }
        let limits = waits(&self.facts.inst);
        let limit = |class: Class| limits[class.counter() as usize];
        let is_done = |entry: &Pending| match (limit(entry.class), entry.class.is_ordered()) {
            (Some(limit), true) => limit <= entry.age,
            (Some(limit), false) => limit == 0,
            (None, _) => false,
        };
        let waits_for_class = |class: Class| limit(class) == Some(0) && self.flight(class).is_some();
        let is_needed = self.state.pending.iter().any(is_done) || Class::ALL.into_iter().any(waits_for_class);
        // A function waits at its entry for what its callers left in flight.
        let is_entry = self.i == self.walk.code.blocks[self.walk.code.order[0] as usize].first;
        let is_expected = is_needed || is_entry && self.walk.code.returns;
        if !is_expected {
            self.plain(Place::WaitUnneeded);
        }
    }

    fn end(&mut self) {
        let flags = self.state.flags;
        if flags.has(Flags::SCALAR_STORE) {
            self.plain(Place::SmemStoreNoWb);
        }
        if self.context.stage == Some(Stage::Pixel) && flags.has(Flags::NO_COLOUR_DONE) {
            self.plain(Place::PsNoDone);
        }
        // The copy shader of a geometry shader exports no position for streams that are only stored.
        let is_vertex = matches!(self.context.stage, Some(Stage::Vertex | Stage::Evaluation));
        if is_vertex && flags.has(Flags::NO_POSITION_DONE) {
            self.plain(Place::VsNoPosDone);
        }
    }

    fn memory(&mut self, local: &Local) {
        match self.facts.kind {
            Kind::Vmem if self.facts.access() == Some(Access::Invalidate) => {
                if let Some(i) = self.flight(Class::Vmem) {
                    self.hit(Place::Wbinvl1Pending, Some(i), RegSet::default());
                }
            }
            Kind::Vmem => self.scratch(),
            Kind::Ds if self.facts.is(Class::Lds) => self.lds(local),
            _ => {}
        }
    }

    fn scratch(&mut self) {
        if !self.context.lacks_scratch {
            return;
        }
        let through_descriptor = self.facts.inst.buffer_access().is_some_and(|access| access.srsrc == 0)
            && self.context.has_private_descriptor
            && self.state.written_sgprs & 0b1100 == 0;
        if self.facts.inst.desc().encoding == Encoding::Scratch || through_descriptor {
            self.plain(Place::ScratchOff);
        }
    }

    fn lds(&mut self, local: &Local) {
        let moves_lanes = self.facts.inst.transfer().is_some_and(|transfer| transfer.is_among_lanes());
        if moves_lanes {
            return;
        }
        if !self.facts.writes.vgprs.is_empty() {
            self.lds_dma();
        }
        if self.is_unwritten_m0() && generation(self.walk.active.arch) < 3 {
            self.plain(Place::LdsM0Uninit);
        }
        let (Some(access), Some(shape), Some(bytes)) =
            (self.facts.inst.ds_access(), self.facts.inst.ds_shape(), self.context.lds_bytes)
        else {
            return;
        };
        let address = local.constants.iter().find(|(register, _)| shape.addr && *register == access.addr);
        if let Some((_, value)) = address
            && shape.offset == gcnsim_isa::table::DsOffset::One
            && u64::from(*value) + u64::from(access.offset) + lds_size(shape.moves) > bytes.into()
        {
            self.plain(Place::LdsOver);
        }
    }

    fn is_unwritten_m0(&self) -> bool {
        self.context.live_sgprs.is_some() && self.facts.reads.sgprs & M0 != 0 && self.state.written_sgprs & M0 == 0
    }

    fn export(&mut self) {
        let Some(export) = self.facts.inst.export_access() else { return };
        let flags = self.state.flags;
        let after = self.facts.is(Class::ExportColour) && flags.has(Flags::COLOUR_DONE)
            || self.facts.is(Class::ExportPosition) && flags.has(Flags::POSITION_DONE);
        if after {
            self.plain(Place::ExportAfterDone);
        }
        let is_last = self.facts.is(Class::ExportColour) && export.done;
        if self.context.stage == Some(Stage::Pixel) && is_last && !export.vm {
            self.plain(Place::PsNoVm);
        }
    }

    /// Tests a run of scalar memory or of vector memory, which may be replayed with XNACK.
    fn replay(&mut self, local: &mut Local) {
        if !self.context.may_replay {
            return;
        }
        let insts = &self.walk.code.insts;
        let is_in_run = matches!(self.facts.kind, Kind::Smem | Kind::Vmem);
        let is_same = |&i: &u32| insts[i as usize].kind == self.facts.kind;
        if !is_in_run || !local.run.last().is_none_or(is_same) {
            local.run.clear();
        }
        if !is_in_run {
            return;
        }
        // A run of stores alone writes no register, so it may be replayed.
        let writes = |facts: &Facts| facts.writes.sgprs != 0 || !facts.writes.vgprs.is_empty();
        let first = local.run.iter().copied().find(|&i| writes(&insts[i as usize]));
        let stores = matches!(self.facts.access(), Some(Access::Store | Access::Atomic));
        let found = first.and_then(|first| {
            if stores {
                return Some((first, RegSet::default()));
            }
            let own = local.run.iter().map(|&i| (i, &insts[i as usize])).chain([(self.i, self.facts)]);
            let pairs = own.clone().flat_map(|(_, writer)| own.clone().map(move |(i, reader)| (i, writer, reader)));
            let mut spoilt = pairs.filter_map(|(i, writer, reader)| {
                let sgprs = writer.writes.sgprs & reader.reads.sgprs;
                let vgprs = common(writer.writes.vgprs, reader.reads.vgprs);
                let is_spoilt = sgprs != 0 || !vgprs.is_empty();
                is_spoilt.then_some((i, RegSet { sgprs, vgprs, ..RegSet::default() }))
            });
            spoilt.next()
        });
        if let Some((i, regs)) = found {
            self.hit(Place::XnackClause, Some(i), regs);
            local.run.clear();
        }
        if local.run.len() == RUN {
            local.run.remove(0);
        }
        local.run.push(self.i);
    }

    fn allocation(&mut self) {
        let mut all = self.facts.writes;
        // Exports may name registers that the wave does not have.
        if self.facts.kind != Kind::Export {
            all.union(self.facts.reads);
        }
        if let Some(count) = self.context.vgprs {
            let mut allowed = VgprSet::default();
            allowed.insert(0, count);
            let vgprs = all.vgprs.without(allowed);
            if !vgprs.is_empty() {
                self.hit(Place::VgprOverAlloc, None, RegSet { vgprs, ..RegSet::default() });
            }
        }
        if let Some(count) = self.context.sgprs {
            // VCC and other registers follow the ordinary SGPRs.
            let ordinary = (1u128 << 102) - 1;
            let sgprs = all.sgprs & ordinary & !((1u128 << count.min(102)) - 1);
            if sgprs != 0 {
                self.hit(Place::SgprOverAlloc, None, RegSet { sgprs, ..RegSet::default() });
            }
        }
    }

    fn alignment(&mut self) {
        let inst = &self.facts.inst;
        let is_ordinary = |code: u8| code < 104;
        let mut odd = None;
        let mut align = |code: u8, to: u8| {
            if is_ordinary(code) && !code.is_multiple_of(to) {
                odd = Some(code);
            }
        };
        match inst.scalar_access() {
            Some(access) => {
                let shape = inst.mem_shape();
                let count = shape.map_or(0, |shape| shape.data);
                align(access.data, count.clamp(1, 4));
                let is_buffer = shape.is_some_and(|shape| shape.base == gcnsim_isa::table::Base::Buffer);
                align(access.base, if is_buffer { 4 } else { 2 });
                let last = if inst.arch.is_gcn12_or_later() { 101 } else { 103 };
                // FLAT_SCRATCH and other registers follow the last SGPR.
                if access.data <= last && access.data + count > last + 1 {
                    odd = Some(access.data);
                }
            }
            None if !inst.desc().is_memory() => {
                for i in 0..inst.src_count() {
                    if inst.src_code(i).is_some()
                        && inst.src_type(i).is_wide()
                        && let Src::Sgpr(code) = inst.src(i)
                    {
                        align(code, 2);
                    }
                }
                let wide = inst.dst().filter(|_| inst.desc().dst.is_wide());
                [wide, inst.mask_dst(), inst.mask_src()].into_iter().flatten().for_each(|code| align(code, 2));
            }
            None => {}
        }
        if let Some(code) = odd {
            self.hit(Place::SgprAlign, None, RegSet { sgprs: 1 << code, ..RegSet::default() });
        }
    }

    /// Tests whether the instruction reads registers that nothing has written.
    fn unwritten(&mut self) {
        let Some(live) = self.context.live_sgprs else { return };
        let facts = self.facts;
        // Others set FLAT_SCRATCH, XNACK_MASK and trap registers; EXEC is set at the start.
        let ordinary = ((1u128 << 102) - 1) | VCC;
        let missing = facts.reads.sgprs & ordinary & !(live | self.state.written_sgprs);
        let descriptor = match facts.kind {
            Kind::Vmem => facts.consumed(crate::rules::Consumer::VmemScalar).sgprs,
            Kind::Smem => facts.reads.sgprs,
            _ => 0,
        };
        let regs = |sgprs: u128| RegSet { sgprs, ..RegSet::default() };
        if missing & descriptor != 0 {
            self.hit(Place::UninitDescriptor, None, regs(missing & descriptor));
        } else if missing != 0 {
            self.hit(Place::UninitSgpr, None, regs(missing));
        }
        if self.is_unwritten_m0() && !facts.is(Class::Lds) {
            self.hit(Place::UninitM0, None, regs(M0));
        }
        if let Some(mut known) = self.context.live_vgprs {
            known.union(self.state.written_vgprs);
            let vgprs = facts.reads.vgprs.without(known);
            if !vgprs.is_empty() && facts.kind != Kind::Export {
                self.hit(Place::UninitVgpr, None, RegSet { vgprs, ..RegSet::default() });
            }
        }
    }

    /// Updates the constants in VGPRs. A move writes only lanes of EXEC, so constants are forgotten where EXEC may gain
    /// lanes, and where M0 may move a destination to any VGPR.
    fn track(&self, local: &mut Local) {
        let facts = self.facts;
        match facts.inst.opcode {
            Opcode::Sopc(Sopc::SSetGprIdxOn) => local.is_indexed = true,
            Opcode::Sopp(Sopp::SSetGprIdxOff) => local.is_indexed = false,
            _ => {}
        }
        let written = if local.is_indexed { VgprSet::ALL } else { facts.inst.writes().vgprs };
        if lanes::may_add(facts) || written == VgprSet::ALL {
            local.constants.clear();
        }
        if written.is_empty() || local.is_indexed {
            return;
        }
        local.constants.retain(|(register, _)| !written.contains(*register));
        let is_move = facts.inst.opcode == Opcode::Vop1(Vop1::VMovB32) && facts.inst.sdwa().is_none();
        if is_move
            && facts.inst.dpp().is_none()
            && !facts.inst.desc().has.any(Has::SDST)
            && let (Src::Imm(value), Some(vdst)) = (facts.inst.src(0), facts.inst.vdst())
        {
            local.constants.push((vdst, value as u32));
        }
    }
}

/// Returns the number of bytes that an access to LDS with one offset touches, at least.
fn lds_size(moves: Transfer) -> u64 {
    match moves {
        Transfer::Load(load) => load.bytes.into(),
        Transfer::Store(store) => store.bytes.into(),
        Transfer::Atomic(_, width) | Transfer::Share(Share::AtomicReturn(_, width) | Share::Source2(_, width)) => {
            width.bytes().into()
        }
        _ => 1,
    }
}
