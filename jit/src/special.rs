//! What is known of VSKIP and GPR-index mode at each instruction of a region.
//!
//! Compiled code tests MODE at vector instructions only where it has to: where instructions before, on all ways from
//! the entries, leave open whether a mode is on. At the entries it is known if the region takes no wave with
//! [special](is_special_mode) MODE.

use gcnsim_isa::table::{Sopc, Sopk, Sopp};
use gcnsim_isa::{HwReg, Inst, Mode, Opcode, Src, hwreg, reg};

use crate::compile::{FLOAT_MODE, is_special_mode};
use crate::region::{Edge, End, Plan};

/// What is known of GPR-index mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indexing {
    /// It is off.
    Off,
    /// It is on, and M0\[15:12\] has these operands: bits 0 to 2 for SRC0 to SRC2, bit 3 for the destination.
    On(u8),
    /// Nothing.
    Unknown,
}

/// What is known of VSKIP and GPR-index mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Special {
    /// Whether VSKIP may be on.
    pub may_skip: bool,
    /// GPR-index mode.
    pub indexing: Indexing,
}

impl Special {
    /// Both are off.
    pub const OFF: Special = Special { may_skip: false, indexing: Indexing::Off };
    /// Nothing is known.
    const ANY: Special = Special { may_skip: true, indexing: Indexing::Unknown };

    /// What is known at entries of a region that is compiled for MODE `mode`.
    fn at_entries(mode: u32) -> Special {
        if is_special_mode(mode) { Special::ANY } else { Special::OFF }
    }

    /// What holds if one or the other does.
    fn or(self, other: Special) -> Special {
        Special {
            may_skip: self.may_skip || other.may_skip,
            indexing: if self.indexing == other.indexing { self.indexing } else { Indexing::Unknown },
        }
    }

    /// What is known after an instruction.
    pub fn after(self, inst: &Inst) -> Special {
        match inst.opcode {
            Opcode::Sopc(Sopc::SSetGprIdxOn) => {
                Special { indexing: Indexing::On(inst.ssrc1_field() as u8 & 15), ..self }
            }
            Opcode::Sopp(Sopp::SSetGprIdxOff) => Special { indexing: Indexing::Off, ..self },
            Opcode::Sopp(Sopp::SSetGprIdxMode) => match self.indexing {
                Indexing::On(_) => Special { indexing: Indexing::On(inst.simm16() as u8 & 15), ..self },
                Indexing::Off | Indexing::Unknown => self,
            },
            Opcode::Sopc(Sopc::SSetvskip) => {
                let (from, bit) = (inst.src(0), inst.src(1));
                let off = matches!((from, bit), (Src::Imm(from), Src::Imm(bit)) if from >> (bit & 31) & 1 == 0);
                Special { may_skip: !off, ..self }
            }
            Opcode::Sopk(Sopk::SSetregB32 | Sopk::SSetregImm32B32) => match mode_field(inst) {
                Some(bits) => Special {
                    may_skip: self.may_skip || bits & Mode::VSKIP != 0,
                    indexing: if bits & Mode::GPR_IDX_EN != 0 { Indexing::Unknown } else { self.indexing },
                },
                None => self,
            },
            _ if inst.writes().mode => Special::ANY,
            _ if matches!(self.indexing, Indexing::On(_)) && writes_operands_of_index(inst) => {
                Special { indexing: Indexing::Unknown, ..self }
            }
            _ => self,
        }
    }

    /// What is known at each instruction of a plan that is compiled for MODE `mode`, block after block.
    pub fn of_plan(plan: &Plan, mode: u32) -> Vec<Special> {
        let at_blocks = Special::of_blocks(plan, mode);
        let mut all = Vec::with_capacity(plan.inst_count);
        for (block, at_block) in plan.blocks.iter().zip(at_blocks) {
            let mut special = at_block;
            for (_, inst) in &block.insts {
                all.push(special);
                special = special.after(inst);
            }
        }
        all
    }

    /// What is known where each block begins.
    fn of_blocks(plan: &Plan, mode: u32) -> Vec<Special> {
        let at_entries = Special::at_entries(mode);
        let changes = |inst: &Inst| inst.writes().mode;
        if at_entries == Special::OFF && !plan.blocks.iter().flat_map(|block| &block.insts).any(|(_, i)| changes(i)) {
            return vec![Special::OFF; plan.blocks.len()];
        }
        let mut known: Vec<Option<Special>> = vec![None; plan.blocks.len()];
        let behind = plan.blocks.iter().filter_map(|block| match block.end {
            End::Barrier(Edge::Block(next)) => Some(next),
            _ => None,
        });
        let mut work: Vec<usize> = plan.entries().chain(behind).collect();
        work.iter().for_each(|&entry| known[entry] = Some(at_entries));
        while let Some(b) = work.pop() {
            let Some(start) = known[b] else { continue };
            let block = &plan.blocks[b];
            let end = block.insts.iter().fold(start, |special, (_, inst)| special.after(inst));
            let targets = if block.end.is_computed() { &plan.targets[..] } else { &[] };
            for next in plan.direct_successors(b).chain(targets.iter().copied()) {
                let both = known[next].map_or(end, |before| before.or(end));
                if known[next] != Some(both) {
                    known[next] = Some(both);
                    work.push(next);
                }
            }
        }
        known.into_iter().map(|special| special.unwrap_or(Special::ANY)).collect()
    }
}

/// The bits of MODE that an S_SETREG writes; `None` if it writes another register.
fn mode_field(inst: &Inst) -> Option<u32> {
    let field = HwReg::from_simm16(inst.simm16() as u16);
    (field.id == hwreg::MODE).then(|| field.mask() << field.offset)
}

/// Whether the instruction may write bits of M0 that say which operands GPR-index mode moves.
fn writes_operands_of_index(inst: &Inst) -> bool {
    use gcnsim_isa::table::Sop1;
    inst.opcode != Opcode::Sop1(Sop1::SSetGprIdxIdx) && inst.writes().sgprs >> reg::M0 & 1 == 1
}

/// Whether the instruction may change bits of MODE that float instructions depend on.
pub fn changes_float_mode(inst: &Inst) -> bool {
    match inst.opcode {
        Opcode::Sopc(Sopc::SSetGprIdxOn | Sopc::SSetvskip) | Opcode::Sopp(Sopp::SSetGprIdxOff) => false,
        Opcode::Sopk(Sopk::SSetregB32 | Sopk::SSetregImm32B32) => {
            mode_field(inst).is_some_and(|bits| bits & FLOAT_MODE != 0)
        }
        _ => inst.writes().mode,
    }
}
