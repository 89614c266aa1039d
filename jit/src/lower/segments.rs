//! Vector segments of a region: which instructions they take, and their calls.

use std::collections::HashMap;

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Inst, Kind, Opcode};

use super::{Lower, LowerOptions};
use crate::abi::offset;
use crate::compile::is_special_mode;
use crate::region::{Block, Plan};
use crate::segments::{Draft, Explained, Features, Input, Options, Segment, may_stand_between};

/// The segments of a plan.
#[derive(Default)]
pub(crate) struct Segments {
    all: Vec<Segment>,
    /// By block and number of the first instruction in it: the segment, and how many instructions of the block it
    /// stands for.
    places: HashMap<(usize, usize), (usize, usize)>,
    /// The options that the segments were made for.
    options: Option<Options>,
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
    /// Compiles the lane-wise instructions of a plan; none where the level has none, or MODE is special.
    pub fn of_plan(plan: &Plan, options: &LowerOptions) -> Segments {
        let insts = || plan.blocks.iter().flat_map(|block| &block.insts).map(|(_, inst)| inst);
        if !insts().any(|inst| is_vector(inst) || is_share(inst)) {
            return Segments::default();
        }
        let is_special = is_special_mode(options.mode) || insts().any(super::sets_special_mode);
        let is_wanted = options.segments && !is_special;
        let Some(features) = Features::of(options.level).filter(|_| is_wanted) else { return Segments::default() };
        let mode = (!insts().any(|inst| inst.writes().mode)).then_some(options.mode);
        let (plant, options) = (options.plant, Options { features, mode });
        let (mut drafts, mut places) = (Vec::new(), HashMap::new());
        for (number, block) in plan.blocks.iter().enumerate() {
            for Found { at, len, draft } in block_segments(block, &options, plant) {
                places.insert((number, at), (drafts.len(), len));
                drafts.push(draft);
            }
        }
        match Segment::seal(drafts) {
            Some(all) => Segments { all, places, options: Some(options) },
            None => Segments::default(),
        }
    }

    /// All segments of the plan, in order: compiled again, for people.
    pub fn explained(&self, plan: &Plan) -> Vec<ExplainedPlace> {
        let Some(options) = self.options else { return Vec::new() };
        let mut places: Vec<_> = self.places.iter().map(|(&(block, at), &(_, len))| (block, at, len)).collect();
        places.sort_unstable();
        let explain = |(block, at, len): (usize, usize, usize)| {
            let all = &plan.blocks[block].insts;
            let insts: Vec<usize> = (at..at + len).filter(|&i| !is_nothing(&all[i].1)).collect();
            let members: Vec<Inst> = insts.iter().map(|&i| all[i].1).collect();
            Some(ExplainedPlace { block, insts, explained: Draft::explained(&members, &options)? })
        };
        places.into_iter().filter_map(explain).collect()
    }

    /// Number of VGPRs that a wave must have for those that read LDS.
    pub fn vgpr_count(&self) -> usize {
        self.all.iter().map(Segment::vgpr_count).max().unwrap_or(0)
    }

    /// One of them reads LDS.
    pub fn read_share(&self) -> bool {
        self.all.iter().any(|segment| segment.vgpr_count() > 0)
    }

    /// MODE matters to one of them.
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

/// The segments of a block. Instructions that do nothing, and scalar ones, may stand between theirs.
fn block_segments(block: &Block, options: &Options, plant: Option<Opcode>) -> Vec<Found> {
    let is_member = |inst: &Inst| (is_vector(inst) || is_share(inst)) && Some(inst.opcode) != plant;
    let some = block.insts.iter().enumerate().filter(|(_, (_, inst))| !is_nothing(inst));
    let (places, insts): (Vec<usize>, Vec<Inst>) = some.map(|(i, (_, inst))| (i, *inst)).unzip();
    let mut found = Vec::new();
    let mut first = 0;
    while first < insts.len() {
        if !is_member(&insts[first]) {
            first += 1;
            continue;
        }
        let rest = &insts[first..];
        let planted = plant.and_then(|plant| rest.iter().position(|inst| inst.opcode == plant));
        let Some(draft) = Draft::new(&rest[..planted.unwrap_or(rest.len())], options) else {
            first += 1;
            continue;
        };
        let (at, next) = (places[first], first + draft.len());
        // A compare by itself is faster as a call of its helper, which returns the mask in a register.
        if insts[first..next].iter().any(|inst| inst.desc().kind == Kind::Valu || is_share(inst)) {
            found.push(Found { at, len: places[next - 1] + 1 - at, draft });
        }
        first = next;
    }
    found
}

fn is_vector(inst: &Inst) -> bool {
    matches!(inst.desc().kind, Kind::Valu | Kind::Vcmp)
}

/// Might it be a read of LDS that segments take?
fn is_share(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Ds(_))
}

fn is_nothing(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Sopp(Sopp::SNop | Sopp::SWaitcnt))
}

impl Lower<'_, '_> {
    /// If a segment begins with an instruction of the current block, its call; how many instructions it stands for.
    /// `memory` is the number of memory instructions in the block before it, and is raised by those it has.
    pub(super) fn segment(&mut self, index: usize, memory: &mut usize) -> Option<usize> {
        let &(number, len) = self.segments.places.get(&(self.current, index))?;
        let segment = &self.segments.all[number];
        let (inputs, writes, function) = (segment.inputs().to_vec(), segment.writes(), segment.function());
        let stored = self.before_segment(index, len, &inputs, memory);
        self.set_position(self.current, index);
        let frame = self.pointer_at(self.frame, offset::SEGMENT as i64);
        self.call_host(function as *const u8 as usize, &[self.vgprs, frame], None);
        self.load_written(writes);
        self.regs.store(self.b, stored & writes);
        let block = &self.plan.blocks[self.current];
        if let Some(first) = (index..index + len).find(|&i| is_share(&block.insts[i].1)) {
            self.static_notes(block, first, index + len);
        }
        Some(len)
    }

    /// Scalar instructions among those that a segment stands for, and its operands where they are read first. Returns a
    /// bit for each scalar register that is no longer dirty after reads of LDS: lane masks that the segment writes
    /// before these have to be stored after it.
    fn before_segment(&mut self, index: usize, len: usize, mut inputs: &[Input], memory: &mut usize) -> u128 {
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
                if is_share(inst) {
                    // What is dirty is known by instructions that may stop a run. This one does not.
                    let dirty = self.flow.flushed[self.current][*memory];
                    self.store_current(dirty);
                    stored |= dirty.sgprs;
                    *memory += 1;
                }
                let (here, later) = inputs.split_at(inputs.partition_point(|input| input.at <= number));
                self.store_inputs(here);
                inputs = later;
            }
            (i, number) = (i + count, number + count);
        }
        stored
    }

    /// Stores operands to the segment's frame.
    fn store_inputs(&mut self, mut inputs: &[Input]) {
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
    fn load_written(&mut self, registers: u128) {
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
