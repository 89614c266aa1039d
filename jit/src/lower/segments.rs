//! Vector segments of a region: which instructions they take, and their calls.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::AtomicU32;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Inst, Kind, Opcode};

use super::convert::is_plain;
use super::strips::strip_of;
use super::{Lower, LowerOptions, NO_ARGS};
use crate::abi::offset;
use crate::region::Plan;
use crate::segments::{Draft, Explained, Features, Input, Moved, Options, Segment, SegmentFrame, may_stand_between};
use crate::special::{Indexing, Special, changes_float_mode};
use gcnsim_helpers::memory::SiteLoad;
use gcnsim_helpers::segment_frame::{self, MOST_DECLINES, REGION_SITES};

/// The segments of a plan.
#[derive(Default)]
pub(crate) struct Segments {
    all: Vec<Segment>,
    /// By block and number of the first instruction in it: the segment, and how many instructions of the block it
    /// stands for.
    places: HashMap<(usize, usize), (usize, usize)>,
    /// The segments that are executed where one with loads declines, by the same keys.
    substitutes: HashMap<(usize, usize), (usize, usize)>,
    /// The strip of each block that has one: the segment, and how often it declined of late.
    strips: HashMap<usize, (usize, Box<AtomicU32>)>,
    /// The sites of loads that no segment but a strip takes, by block and number in it.
    own_sites: HashMap<(usize, usize), u8>,
    /// The sites of loads that the region may have.
    sites: Range<u8>,
    /// The options that the segments were made for.
    options: Option<Options>,
    /// What is known of VSKIP and GPR-index mode at the first instruction of each block.
    specials: Vec<Special>,
}

/// A segment of a plan, for people.
pub(crate) struct ExplainedPlace {
    /// Number of the block.
    pub block: usize,
    /// Numbers in the block of the instructions that the segment has, with the scalar ones between.
    pub insts: Vec<usize>,
    pub explained: Explained,
}

impl Segments {
    /// Compiles the lane-wise instructions of a plan; none where the level has none. `specials` is what is known of
    /// VSKIP and GPR-index mode at each instruction, block after block. `stored` are registers that stay in memory.
    pub fn of_plan(plan: &Plan, options: &LowerOptions, specials: &[Special], stored: u128) -> Segments {
        let insts = || plan.blocks.iter().flat_map(|block| &block.insts).map(|(_, inst)| inst);
        if !insts().any(|inst| is_vector(inst) || is_share(inst)) {
            return Segments::default();
        }
        let Some(features) = Features::of(options.level).filter(|_| options.segments) else {
            return Segments::default();
        };
        let mode = (!insts().any(changes_float_mode)).then_some(options.mode);
        let (plant, options) = (options.plant, Options { features, mode });
        let (mut drafts, mut places, mut substitutes) = (Vec::new(), HashMap::new(), HashMap::new());
        let (mut strips, mut own_sites) = (HashMap::new(), HashMap::new());
        let first = SegmentFrame::first_site(plan.blocks[0].pc);
        let (all_sites, mut sites) = (first..first + REGION_SITES, first..first + REGION_SITES);
        let mut later = specials;
        let mut at_blocks = Vec::with_capacity(plan.blocks.len());
        for (number, block) in plan.blocks.iter().enumerate() {
            let insts = &block.insts[..];
            let here;
            (here, later) = later.split_at(insts.len());
            at_blocks.push(here[0]);
            let mut of_loads = HashMap::new();
            for Found { at, len, draft } in block_segments(insts, here, &options, plant, (&mut sites, stored)) {
                let loads = !draft.sites().is_empty();
                let loaded = (at..at + len).filter(|&i| SiteLoad::of(&insts[i].1).is_some());
                of_loads.extend(loaded.zip(draft.sites()));
                places.insert((number, at), (drafts.len(), len));
                drafts.push(draft);
                let substituted = if loads { at..at + len } else { at..at };
                let rest = (&insts[substituted.clone()], &here[substituted]);
                for found in block_segments(rest.0, rest.1, &options, plant, (&mut (0..0), stored)) {
                    substitutes.insert((number, at + found.at), (drafts.len(), found.len));
                    drafts.push(found.draft);
                }
            }
            let is_known = here.iter().all(|special| *special == Special::OFF) && plant.is_none();
            // Loads that no segment takes get sites of their own.
            let loads = || (0..insts.len()).filter(|&i| SiteLoad::of(&insts[i].1).is_some());
            let mut free = sites.clone();
            let of_load = |i: usize| of_loads.get(&i).copied().or_else(|| free.next());
            let of_strip: Vec<u8> = loads().map_while(of_load).collect();
            let strip = || strip_of(block, number, &options, of_strip.clone(), stored);
            if let Some(draft) = is_known.then(strip).flatten() {
                strips.insert(number, (drafts.len(), Box::default()));
                drafts.push(draft);
                let others = loads().zip(&of_strip).filter(|(i, _)| !of_loads.contains_key(i));
                own_sites.extend(others.map(|(i, &site)| ((number, i), site)));
                sites = free;
            }
        }
        match Segment::seal(drafts) {
            Some(all) => {
                let (sites, options) = (all_sites.start..sites.start, Some(options));
                Segments { all, places, substitutes, strips, own_sites, sites, options, specials: at_blocks }
            }
            None => Segments::default(),
        }
    }

    /// The blocks that have a strip, and the bytes of its code and constants.
    pub fn strip_sizes(&self) -> BTreeMap<usize, usize> {
        self.strips.iter().map(|(&block, &(number, _))| (block, self.all[number].bytes().len())).collect()
    }

    /// The site of load `index` of a block, if only the block's strip takes it.
    pub(super) fn own_site(&self, block: usize, index: usize) -> Option<u8> {
        self.own_sites.get(&(block, index)).copied()
    }

    /// The strip of a block, and the place of the number that tells how often it declined of late.
    pub(super) fn strip(&self, block: usize) -> Option<(&Segment, &AtomicU32)> {
        self.strips.get(&block).map(|(number, missed)| (&self.all[*number], &**missed))
    }

    /// The first site of the segments' loads; `None` if they have no loads.
    pub fn first_site(&self) -> Option<u8> {
        (!self.sites.is_empty()).then_some(self.sites.start)
    }

    /// Returns all segments of the plan, in order. They are compiled again, for people.
    pub fn explained(&self, plan: &Plan) -> Vec<ExplainedPlace> {
        let Some(options) = self.options else { return Vec::new() };
        let mut places: Vec<_> = self.places.iter().map(|(&(block, at), &(_, len))| (block, at, len)).collect();
        places.sort_unstable();
        let explain = |(block, at, len): (usize, usize, usize)| {
            let sites = self.all[self.places[&(block, at)].0].sites();
            let all = &plan.blocks[block].insts;
            let insts: Vec<usize> = (at..at + len).filter(|&i| !is_nothing(&all[i].1)).collect();
            let members: Vec<Inst> = insts.iter().map(|&i| all[i].1).collect();
            let special = all[..at].iter().fold(self.specials[block], |special, (_, inst)| special.after(inst));
            Some(ExplainedPlace { block, insts, explained: Draft::explained(&members, &options, sites, special)? })
        };
        places.into_iter().filter_map(explain).collect()
    }

    /// Number of VGPRs that a wave must have for those that read LDS or guest memory.
    pub fn vgpr_count(&self) -> usize {
        self.all.iter().map(Segment::vgpr_count).max().unwrap_or(0)
    }

    /// Whether a segment reads LDS or guest memory.
    pub fn read_share(&self) -> bool {
        self.all.iter().any(|segment| segment.vgpr_count() > 0)
    }

    /// Whether MODE matters to a segment.
    pub fn use_mode(&self) -> bool {
        self.all.iter().any(Segment::uses_mode)
    }
}

/// A segment of a block.
struct Found {
    /// Number of its first instruction.
    at: usize,
    /// Number of instructions of the block that the segment covers.
    len: usize,
    draft: Draft,
}

/// The segments of a block. Instructions that do nothing, and scalar ones, may stand between theirs. Loads of guest
/// memory get `sites`, from which they are taken. Registers of `stored` are written to memory at once. `specials` is
/// what is known of VSKIP and GPR-index mode at each instruction.
fn block_segments(
    insts: &[(u64, Inst)],
    specials: &[Special],
    options: &Options,
    plant: Option<Opcode>,
    (sites, stored): (&mut Range<u8>, u128),
) -> Vec<Found> {
    let has_sites = sites.start < sites.end;
    let may_load = |inst: &Inst| has_sites && SiteLoad::of(inst).is_some();
    let is_member = |inst: &Inst| (is_vector(inst) || is_share(inst) || may_load(inst)) && Some(inst.opcode) != plant;
    let are_members: Vec<bool> =
        insts.iter().filter(|(_, inst)| !is_nothing(inst)).map(|(_, i)| is_member(i)).collect();
    let some = insts.iter().enumerate().filter(|(_, (_, inst))| !is_nothing(inst));
    let (places, insts): (Vec<usize>, Vec<Inst>) = some.map(|(i, (_, inst))| (i, *inst)).unzip();
    let mut found = Vec::new();
    let mut first = 0;
    while first < insts.len() {
        let special = specials[places[first]];
        let is_known = !special.may_skip && special.indexing != Indexing::Unknown;
        if !are_members[first] || !is_known {
            first += 1;
            continue;
        }
        let rest = &insts[first..];
        let planted = plant.and_then(|plant| rest.iter().position(|inst| inst.opcode == plant));
        let taken = &rest[..planted.unwrap_or(rest.len())];
        let draft_of = |taken: &[Inst]| Draft::with_sites(taken, options, sites.clone(), special);
        let draft = draft_of(taken).and_then(|draft| {
            // If the segment declines, its scalar instructions run once more; and a load before them may fault.
            let is_bad = |inst: &Inst| may_stand_between(inst) && !is_plain(inst, stored);
            let bad = taken[..draft.len()].iter().position(is_bad).filter(|_| !draft.sites().is_empty());
            bad.map_or(Some(draft), |bad| draft_of(&taken[..bad]))
        });
        let Some(draft) = draft else {
            first += 1;
            continue;
        };
        let (at, next) = (places[first], first + draft.len());
        // A compare by itself is faster as a call of its helper, which returns the mask in a register.
        if insts[first..next].iter().any(|inst| inst.desc().kind != Kind::Vcmp && !may_stand_between(inst)) {
            sites.start += draft.sites().len() as u8;
            found.push(Found { at, len: places[next - 1] + 1 - at, draft });
        }
        first = next;
    }
    found
}

fn is_vector(inst: &Inst) -> bool {
    matches!(inst.desc().kind, Kind::Valu | Kind::Vcmp)
}

/// Whether the instruction may be a read of LDS that segments take.
pub(super) fn is_share(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Ds(_))
}

pub(super) fn is_nothing(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Sopp(Sopp::SNop | Sopp::SWaitcnt))
}

impl Lower<'_, '_> {
    /// If a segment begins with an instruction of the current block, its call; how many instructions it stands for.
    /// `memory` is the number of memory instructions in the block before it, and is raised by those it has.
    pub(super) fn segment(&mut self, index: usize, memory: &mut usize) -> Option<usize> {
        let &(number, len) = self.segments.places.get(&(self.current, index))?;
        if self.segments.all[number].sites().is_empty() {
            self.plain_segment(number, index, len, memory);
        } else {
            self.loading_segment(number, index, len, memory);
        }
        Some(len)
    }

    /// The call of a segment with loads of guest memory, and what is executed if it declines.
    fn loading_segment(&mut self, number: usize, index: usize, len: usize, memory: &mut usize) {
        let (plan, segment) = (self.plan, &self.segments.all[number]);
        let (inputs, writes, function) = (segment.inputs().to_vec(), segment.writes(), segment.function());
        let first_site = segment.sites().start;
        let insts = &plan.blocks[self.current].insts[index..index + len];
        let before = (self.regs.save(), self.scc, self.scc_dirty, *memory);
        let [wanted, whole, instead, on] = [(); 4].map(|()| self.b.create_block());

        // Scalar instructions have no effect but values. Those of here serve both ways.
        self.before_segment(index, len, &inputs, (&[], None), None);
        self.set_position(self.current, index);
        let after = (self.regs.save(), self.scc, self.scc_dirty);
        let is_wanted = self.may_try(first_site);
        self.b.ins().brif(is_wanted, wanted, NO_ARGS, instead, NO_ARGS);
        self.b.seal_block(wanted);
        self.b.switch_to_block(wanted);
        let frame = self.pointer_at(self.frame, offset::SEGMENT as i64);
        let declined = self.call_host(function as *const u8 as usize, &[self.vgprs, frame], Some(types::I32));
        let declined = declined.unwrap_or_else(|| unreachable!("segments with loads return whether they declined"));
        self.b.ins().brif(declined, instead, NO_ARGS, whole, NO_ARGS);
        self.b.seal_block(whole);
        self.b.seal_block(instead);

        self.b.switch_to_block(whole);
        self.load_written(writes);
        // Code behind takes for granted that registers are stored which were dirty at a memory instruction. Nothing is
        // stored before: a substitute may stop where a later instruction has not written its register yet.
        for _ in insts.iter().filter(|(_, inst)| inst.desc().is_memory()) {
            self.store_current(self.flow.flushed[self.current][*memory]);
            *memory += 1;
        }
        let block = &plan.blocks[self.current];
        if let Some(first) = (index..index + len).find(|&i| block.insts[i].1.desc().is_memory()) {
            self.static_notes(block, first, index + len);
        }
        let results = self.values(writes);
        let ty = |(code, is_pair, _): &(u8, bool, _)| (*code, if *is_pair { types::I64 } else { types::I32 });
        let kinds: Vec<_> = results.iter().map(ty).collect();
        let args =
            |values: Vec<(u8, bool, Value)>| values.into_iter().map(|(.., value)| value.into()).collect::<Vec<_>>();
        self.b.ins().jump(on, &args(results));

        self.b.switch_to_block(instead);
        (self.scc, self.scc_dirty, *memory) = (before.1, before.2, before.3);
        self.regs.restore(before.0);
        self.substitute(index, len, first_site, memory);
        let results = self.values(writes);
        self.b.ins().jump(on, &args(results));

        self.b.seal_block(on);
        self.b.switch_to_block(on);
        (self.scc, self.scc_dirty) = (after.1, after.2);
        self.regs.restore(after.0);
        // A write may join halves, and parameters must precede all instructions.
        let results: Vec<_> =
            kinds.into_iter().map(|(code, ty)| (code, ty, self.b.append_block_param(on, ty))).collect();
        for (code, ty, value) in results {
            if ty == types::I64 {
                self.regs.write64(self.b, code, value);
            } else {
                self.regs.write32(self.b, code, value);
            }
        }
    }

    /// Whether a site was not declined too often (I8).
    fn may_try(&mut self, site: u8) -> Value {
        let at = offset::SEGMENT + segment_frame::offset::site_declines(site);
        let declines = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.frame, at);
        self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, declines, i64::from(MOST_DECLINES))
    }

    /// Instructions of a segment that declined, one after the other or in segments without loads. Its loads tell their
    /// sites, of which `site` is the first, what they reach.
    fn substitute(&mut self, index: usize, len: usize, mut site: u8, memory: &mut usize) {
        let block = &self.plan.blocks[self.current];
        let (mut i, end) = (index, index + len);
        while i < end {
            let (pc, inst) = &block.insts[i];
            self.set_position(self.current, i);
            if let Some(&(number, count)) = self.segments.substitutes.get(&(self.current, i)) {
                self.plain_segment(number, i, count, memory);
                i += count;
                continue;
            }
            if inst.desc().is_memory() {
                let of = SiteLoad::of(inst).map(|_| site);
                site += of.is_some() as u8;
                self.memory(inst, *pc, (i, *memory), of);
                *memory += 1;
                self.static_notes(block, i, i + 1);
            } else if !is_nothing(inst) {
                self.inst(inst, *pc);
            }
            i += 1;
        }
    }

    /// The call of a segment without loads of guest memory.
    fn plain_segment(&mut self, number: usize, index: usize, len: usize, memory: &mut usize) {
        let segment = &self.segments.all[number];
        let (inputs, writes, function) = (segment.inputs().to_vec(), segment.writes(), segment.function());
        let (moves, conflict_slot) = (segment.moves().to_vec(), segment.conflict_slot());
        let stored = self.before_segment(index, len, &inputs, (&moves, conflict_slot), Some(memory));
        self.set_position(self.current, index);
        let frame = self.pointer_at(self.frame, offset::SEGMENT as i64);
        self.call_host(function as *const u8 as usize, &[self.vgprs, frame], None);
        self.load_written(writes);
        self.regs.store(self.b, stored & writes);
        let block = &self.plan.blocks[self.current];
        if let Some(first) = (index..index + len).find(|&i| is_share(&block.insts[i].1)) {
            self.static_notes(block, first, index + len);
        }
    }

    /// Scalar instructions among those that a segment stands for, and its operands where they are read first. With
    /// `memory`, registers are stored that are dirty at reads of LDS. Returns a bit for each scalar register that is no
    /// longer dirty then: lane masks that the segment writes before these have to be stored after it.
    fn before_segment(
        &mut self,
        index: usize,
        len: usize,
        mut inputs: &[Input],
        (mut moves, conflict_slot): (&[Moved], Option<u8>),
        mut memory: Option<&mut usize>,
    ) -> u128 {
        let mut conflicts = Vec::new();
        let plan = self.plan;
        let insts = &plan.blocks[self.current].insts[index..index + len];
        let (mut i, mut number, mut stored) = (0, 0, 0);
        while i < len {
            let (pc, inst) = &insts[i];
            if is_nothing(inst) {
                i += 1;
                continue;
            }
            let mut count = 1;
            if may_stand_between(inst) {
                self.set_position(self.current, index + i);
                match self.fuse_wide_addition(&insts[i..]) {
                    Some(fused) => count = fused,
                    None => self.inst(inst, *pc),
                }
            } else {
                if is_share(inst)
                    && let Some(memory) = &mut memory
                {
                    // What is dirty is known by instructions that may stop a run. This one does not.
                    let dirty = self.flow.flushed[self.current][**memory];
                    self.store_current(dirty);
                    stored |= dirty.sgprs;
                    **memory += 1;
                }
                let (here, later) = inputs.split_at(inputs.partition_point(|input| input.at <= number));
                self.store_inputs(here);
                inputs = later;
                let (here, later) = moves.split_at(moves.partition_point(|moved| moved.at <= number));
                if !here.is_empty() {
                    self.set_position(self.current, index + i);
                    conflicts.extend(here.iter().filter_map(|moved| self.move_operand(inst, moved)));
                }
                moves = later;
            }
            (i, number) = (i + count, number + count);
        }
        if let Some(slot) = conflict_slot {
            self.store_conflicts(slot, &conflicts);
        }
        stored
    }

    /// Stores operands to the segment's frame.
    pub(super) fn store_inputs(&mut self, mut inputs: &[Input]) {
        while let [Input { code, slot, .. }, rest @ ..] = inputs {
            let at = offset::SEGMENT_SGPR + 4 * *slot as i32;
            let is_pair = rest.first().is_some_and(|next| (next.code, next.slot) == (code + 1, slot + 1));
            if is_pair && code.is_multiple_of(2) && self.regs.is_whole(*code) {
                let pair = self.regs.read64(self.b, *code);
                self.b.ins().store(MemFlagsData::trusted(), pair, self.frame, at);
                inputs = &rest[1..];
                continue;
            }
            let value = self.register(*code);
            self.b.ins().store(MemFlagsData::trusted(), value, self.frame, at);
            inputs = rest;
        }
    }

    /// Loads lane masks that a segment wrote.
    pub(super) fn load_written(&mut self, registers: u128) {
        let mut code = 0u8;
        while code < 128 {
            let at = offset::SEGMENT_MASKS + 4 * code as i32;
            if registers >> code & 3 == 3 && code.is_multiple_of(2) {
                let mask = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.frame, at);
                self.regs.write64(self.b, code, mask);
                code += 2;
                continue;
            }
            if registers >> code & 1 == 1 {
                let half = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.frame, at);
                self.regs.write32(self.b, code, half);
            }
            code += 1;
        }
    }
}
