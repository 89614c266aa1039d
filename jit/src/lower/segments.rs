//! Vector segments of a region: which instructions they take, and their calls.

use std::collections::HashMap;

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Inst, Kind, Opcode};

use super::{Lower, LowerOptions};
use crate::abi::offset;
use crate::compile::is_special_mode;
use crate::kernels::Level;
use crate::region::{Block, Plan};
use crate::vector::{Draft, Features, Options, Segment};

/// The segments of a plan.
#[derive(Default)]
pub(crate) struct Segments {
    all: Vec<Segment>,
    /// By block and number of the first instruction in it: the segment, and how many instructions of the block it
    /// stands for.
    places: HashMap<(usize, usize), (usize, usize)>,
}

impl Segments {
    /// Compiles the lane-wise instructions of a plan; none where the host has no AVX-512, or MODE is special.
    pub fn of_plan(plan: &Plan, options: &LowerOptions) -> Segments {
        let insts = || plan.blocks.iter().flat_map(|block| &block.insts).map(|(_, inst)| inst);
        let is_special = is_special_mode(options.mode) || insts().any(super::sets_special_mode);
        let features = Features::detect().filter(|_| options.level == Level::Avx512 && options.segments && !is_special);
        let Some(features) = features else { return Segments::default() };
        let mode = (!insts().any(|inst| inst.writes().mode)).then_some(options.mode);
        let (plant, options) = (options.plant, Options { features, mode });
        let (mut drafts, mut places) = (Vec::new(), HashMap::new());
        for (number, block) in plan.blocks.iter().enumerate() {
            let mut at = 0;
            while at < block.insts.len() {
                let Some((draft, len)) = draft(block, at, &options, plant) else {
                    at += 1;
                    continue;
                };
                places.insert((number, at), (drafts.len(), len));
                drafts.push(draft);
                at += len;
            }
        }
        match Segment::seal(drafts) {
            Some(all) => Segments { all, places },
            None => Segments::default(),
        }
    }

    /// MODE matters to one of them.
    pub fn use_mode(&self) -> bool {
        self.all.iter().any(Segment::uses_mode)
    }
}

/// The segment that begins with an instruction of a block, and how many instructions it takes. Those that do nothing
/// may stand between.
fn draft(block: &Block, at: usize, options: &Options, plant: Option<Opcode>) -> Option<(Draft, usize)> {
    let is_vector = |inst: &Inst| is_vector(inst) && Some(inst.opcode) != plant;
    if !is_vector(&block.insts[at].1) {
        return None;
    }
    let rest = block.insts[at..].iter().enumerate();
    let run = rest.take_while(|(_, (_, inst))| is_vector(inst) || is_nothing(inst));
    let (places, insts): (Vec<usize>, Vec<Inst>) =
        run.filter(|(_, (_, inst))| is_vector(inst)).map(|(i, (_, inst))| (i, *inst)).unzip();
    let draft = Draft::new(&insts, options)?;
    // A compare by itself is faster as a call of its kernel, which returns the mask in a register.
    if insts[..draft.len()].iter().all(|inst| inst.desc().kind == Kind::Vcmp) {
        return None;
    }
    let len = places[draft.len() - 1] + 1;
    Some((draft, len))
}

fn is_vector(inst: &Inst) -> bool {
    matches!(inst.desc().kind, Kind::Valu | Kind::Vcmp)
}

fn is_nothing(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Sopp(Sopp::SNop | Sopp::SWaitcnt))
}

impl Lower<'_, '_> {
    /// If a segment begins with an instruction of the current block, its call; how many instructions it stands for.
    pub(super) fn segment(&mut self, index: usize) -> Option<usize> {
        let &(number, len) = self.segments.places.get(&(self.current, index))?;
        let segment = &self.segments.all[number];
        let (reads, writes, function) = (segment.reads(), segment.writes(), segment.function());
        self.store_read(reads);
        let frame = self.pointer_at(self.frame, offset::SEGMENT as i64);
        self.call_host(function as *const u8 as usize, &[self.vgprs, frame], None);
        self.load_written(writes);
        Some(len)
    }

    /// Stores registers to the segment's frame.
    fn store_read(&mut self, registers: u128) {
        let mut code = 0u8;
        while code < 128 {
            let at = offset::SEGMENT_SGPR + 4 * code as i32;
            if registers >> code & 3 == 3 && code.is_multiple_of(2) && self.regs.is_whole(code) {
                let pair = self.regs.read64(self.b, code);
                self.b.ins().store(MemFlagsData::trusted(), pair, self.frame, at);
                code += 2;
                continue;
            }
            if registers >> code & 1 == 1 {
                let value = self.register(code);
                self.b.ins().store(MemFlagsData::trusted(), value, self.frame, at);
            }
            code += 1;
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
