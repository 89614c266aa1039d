//! Finds names for the values and blocks of a function.
//!
//! Values get labels where lowering reads the variable of a register ([`crate::regs`]). At the start of a block such a
//! value is a block parameter that holds the register. A block that only passes a register on reads nothing. There the
//! name comes from its successors: if a block does not write a register, the value that it passes to a parameter for
//! this register holds the register, too. A block that reads or stores a register may have no parameter for it, because
//! only one way leads to it. Then the value is a parameter of an earlier block on that way.

use std::collections::HashMap;

use cranelift_codegen::ir::{self, Block, BlockArg, Function, InstructionData, Value, ValueDef, types};
use gcnsim_isa::{Arch, RegSet, reg, scalar_register_name};

use crate::abi::offset;
use crate::region::Plan;

/// The content of a block parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holds {
    Register(u8),
    /// This register and the next one.
    Pair(u8),
    Scc,
    Mode,
    Fuel,
}

/// The label for [`cranelift_frontend::FunctionBuilder::set_val_label`] of a register, or of a pair.
pub(crate) fn value_label(code: u8, pair: bool) -> ir::ValueLabel {
    ir::ValueLabel::from_u32(code as u32 | (pair as u32) << 8)
}

impl Holds {
    /// The register or pair of a [`value_label`].
    fn of_label(label: ir::ValueLabel) -> Holds {
        let code = label.as_u32() as u8;
        if label.as_u32() >> 8 == 0 { Holds::Register(code) } else { Holds::Pair(code) }
    }

    /// The name in a listing.
    fn name(self, arch: Arch) -> String {
        match self {
            Holds::Register(code) => scalar_register_name(arch, code),
            Holds::Pair(code) => match scalar_register_name(arch, code).strip_suffix("_lo") {
                Some(name) => name.to_owned(),
                None => format!("s[{code}:{}]", code + 1),
            },
            Holds::Scc => "scc".into(),
            Holds::Mode => "mode".into(),
            Holds::Fuel => "fuel".into(),
        }
    }

    /// Whether the register is among `writes`. Every block writes the fuel.
    fn is_written(self, writes: &RegSet) -> bool {
        match self {
            Holds::Register(code) => writes.sgprs >> code & 1 == 1,
            Holds::Pair(code) => writes.sgprs >> code & 3 != 0,
            Holds::Scc => writes.scc,
            Holds::Mode => writes.mode,
            Holds::Fuel => true,
        }
    }
}

/// Names for a listing.
pub(crate) struct Names {
    /// Labels of the plan's blocks, as [`Listing::labels`](super::Listing::labels).
    pub labels: Vec<String>,
    /// For each block of the function that begins a block of the plan, the number of the latter.
    pub blocks: HashMap<Block, usize>,
    /// Names of the guest registers that block parameters hold.
    pub params: HashMap<Value, String>,
    /// Registers that the function loads when it is entered.
    pub loaded: RegSet,
}

/// Number of digits of addresses in the listing of a plan.
pub(crate) fn address_width(plan: &Plan) -> usize {
    let last = plan.blocks.iter().flat_map(|block| &block.insts).map(|(pc, _)| *pc).max().unwrap_or(0);
    format!("{last:x}").len().max(4)
}

/// Labels of blocks: `L` and the address, and a number from the second block at the same address on.
pub(crate) fn block_labels(plan: &Plan) -> Vec<String> {
    let width = address_width(plan);
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let label = |block: &crate::region::Block| {
        let count = seen.entry(block.pc).or_insert(0);
        *count += 1;
        let address = format!("L{:0width$x}", block.pc);
        if *count == 1 { address } else { format!("{address}.{count}") }
    };
    plan.blocks.iter().map(label).collect()
}

/// A value that lowering read from the variable of a register.
pub(crate) struct Read {
    value: Value,
    holds: Holds,
    /// Number of the guest instruction that was being lowered.
    number: Option<usize>,
}

/// Takes the labels of values out of a function whose aliases are not resolved yet.
pub(crate) fn take_reads(func: &mut Function) -> Vec<Read> {
    let base = func.params.base_srcloc();
    let mut reads = Vec::new();
    for (value, assigned) in func.dfg.values_labels.take().unwrap_or_default() {
        let ir::ValueLabelAssignments::Starts(starts) = assigned else { continue };
        for start in starts {
            let location = start.from.expand(base);
            let number = if location.is_default() { None } else { (location.bits() as usize).checked_sub(1) };
            reads.push(Read { value: func.dfg.resolve_aliases(value), holds: Holds::of_label(start.label), number });
        }
    }
    reads
}

impl Names {
    /// Names for a function that was lowered from a plan. Its aliases are resolved.
    pub fn new(func: &Function, plan: &Plan, arch: Arch, reads: &[Read]) -> Names {
        let blocks = plan_blocks(func, plan);
        let params = Params::new(func, plan, &blocks).find(reads);
        Names {
            labels: block_labels(plan),
            params: params.into_iter().map(|(value, holds)| (value, holds.name(arch))).collect(),
            loaded: loaded(func),
            blocks,
        }
    }
}

/// Number of the guest instruction that an instruction was lowered from.
fn guest_number(func: &Function, inst: ir::Inst) -> Option<usize> {
    let location = func.srcloc(inst);
    if location.is_default() { None } else { (location.bits() as usize).checked_sub(1) }
}

/// For each block of the plan: the first block of the function, in its order, that has code of it.
fn plan_blocks(func: &Function, plan: &Plan) -> HashMap<Block, usize> {
    let owners = owners(plan);
    let mut taken = vec![false; plan.blocks.len()];
    let mut found = HashMap::new();
    for block in func.layout.blocks() {
        let first = func.layout.block_insts(block).find_map(|inst| guest_number(func, inst));
        if let Some(&owner) = first.and_then(|number| owners.get(number))
            && !std::mem::replace(&mut taken[owner], true)
        {
            found.insert(block, owner);
        }
    }
    found
}

/// The number of the block that each instruction of the plan lies in.
fn owners(plan: &Plan) -> Vec<usize> {
    plan.blocks.iter().enumerate().flat_map(|(i, block)| vec![i; block.insts.len()]).collect()
}

/// The branches to successors at the end of a block, with the arguments for the parameters there.
fn calls(func: &Function, block: Block) -> &[ir::BlockCall] {
    match func.layout.last_inst(block) {
        Some(last) => func.dfg.insts[last].branch_destination(&func.dfg.jump_tables, &func.dfg.exception_tables),
        None => &[],
    }
}

/// The register at an offset of the state: a pair if `ty` is I64.
fn register_at(state_offset: i32, ty: ir::Type) -> Option<Holds> {
    match state_offset {
        offset::SCC => Some(Holds::Scc),
        offset::MODE => Some(Holds::Mode),
        at if (0..=offset::sgpr(reg::EXEC_HI)).contains(&at) && at % 4 == 0 => {
            let code = (at / 4) as u8;
            Some(if ty == types::I64 { Holds::Pair(code) } else { Holds::Register(code) })
        }
        _ => None,
    }
}

/// Registers that the entry block loads.
fn loaded(func: &Function) -> RegSet {
    let mut set = RegSet::default();
    let Some(entry) = func.layout.entry_block() else { return set };
    let state = func.dfg.block_params(entry).first();
    for inst in func.layout.block_insts(entry) {
        let InstructionData::Load { arg, offset, .. } = func.dfg.insts[inst] else { continue };
        let ty = func.dfg.value_type(func.dfg.first_result(inst));
        match register_at(offset.into(), ty).filter(|_| Some(&arg) == state) {
            Some(Holds::Register(code)) => set.insert(code),
            Some(Holds::Pair(code)) => set.insert_pair(code),
            Some(Holds::Scc) => set.scc = true,
            Some(Holds::Mode) => set.mode = true,
            Some(Holds::Fuel) | None => {}
        }
    }
    set
}

/// The search for the content of block parameters.
struct Params<'f> {
    func: &'f Function,
    plan: &'f Plan,
    blocks: &'f HashMap<Block, usize>,
    /// For each block of the plan: the block where it begins.
    starts: Vec<Option<Block>>,
    /// The predecessor of each block; `None` if there are several.
    only_pred: HashMap<Block, Option<Block>>,
    /// Registers that the guest instructions of each block may write.
    writes: HashMap<Block, RegSet>,
    /// The content of parameters, as far as it is known.
    held: HashMap<Value, Holds>,
}

impl<'f> Params<'f> {
    fn new(func: &'f Function, plan: &'f Plan, blocks: &'f HashMap<Block, usize>) -> Params<'f> {
        let mut starts = vec![None; plan.blocks.len()];
        blocks.iter().for_each(|(&block, &i)| starts[i] = Some(block));
        let mut only_pred = HashMap::new();
        for block in func.layout.blocks() {
            for call in calls(func, block) {
                let pred = only_pred.entry(call.block(&func.dfg.value_lists)).or_insert(Some(block));
                *pred = pred.filter(|&pred| pred == block);
            }
        }
        let mut params = Params { func, plan, blocks, starts, only_pred, writes: HashMap::new(), held: HashMap::new() };
        params.writes = func.layout.blocks().map(|block| (block, params.writes(block))).collect();
        params
    }

    /// Finds what parameters hold, from `reads`, from stores and from what is passed on.
    fn find(mut self, reads: &[Read]) -> HashMap<Value, Holds> {
        let func = self.func;
        let entry = func.layout.entry_block();
        for block in func.layout.blocks().filter(|&block| Some(block) != entry) {
            for &param in func.dfg.block_params(block).iter().filter(|&&p| func.dfg.value_type(p) == types::I8) {
                // Only the variable of SCC has the type I8.
                self.held.insert(param, Holds::Scc);
            }
        }
        let owners = owners(self.plan);
        for read in reads {
            // The value that was read from the variable existed at the start of the plan's block.
            let block = read.number.and_then(|number| self.starts[*owners.get(number)?]);
            let of = self.param_block(read.value);
            if let (Some(block), Some(of)) = (block, of)
                && (block == of || self.only_pred(block).is_some_and(|pred| self.stays(pred, of, read.holds)))
            {
                self.held.insert(read.value, read.holds);
            }
        }
        self.seed_by_stores();
        while self.pass_back() {}
        self.held
    }

    /// The block that a value is a parameter of, unless it is a parameter of the function.
    fn param_block(&self, value: Value) -> Option<Block> {
        match self.func.dfg.value_def(value) {
            ValueDef::Param(of, _) if Some(of) != self.func.layout.entry_block() => Some(of),
            _ => None,
        }
    }

    /// The predecessor of a block, if it has only one.
    fn only_pred(&self, block: Block) -> Option<Block> {
        self.only_pred.get(&block).copied().flatten()
    }

    /// Whether the value that a block leaves in a register comes from the start of block `of`, along the only path from
    /// there.
    fn stays(&self, mut block: Block, of: Block, holds: Holds) -> bool {
        // A loop without another entry is unreachable; this bound ends the search there.
        for _ in 0..=self.writes.len() {
            if self.writes.get(&block).is_none_or(|writes| holds.is_written(writes)) {
                return false;
            }
            if block == of {
                return true;
            }
            match self.only_pred(block) {
                Some(pred) => block = pred,
                None => return false,
            }
        }
        false
    }

    /// The parameter that holds a register, given that a block leaves `value` in it. `None` if that cannot be seen.
    fn param_of(&self, block: Block, value: Value, holds: Holds) -> Option<Value> {
        // Every block subtracts constants from the fuel, and nothing else.
        let value = if holds == Holds::Fuel { self.without_constants(value) } else { value };
        let of = self.param_block(value)?;
        (holds == Holds::Fuel || self.stays(block, of, holds)).then_some(value)
    }

    /// Names parameters that exits store: the place in the state tells the register.
    fn seed_by_stores(&mut self) {
        let func = self.func;
        let Some(entry) = func.layout.entry_block() else { return };
        let [state, _, frame] = func.dfg.block_params(entry) else { return };
        for block in func.layout.blocks() {
            for inst in func.layout.block_insts(block).filter(|&inst| guest_number(func, inst).is_none()) {
                let InstructionData::Store { args: [value, to], offset, .. } = func.dfg.insts[inst] else { continue };
                let at: i32 = offset.into();
                let holds = match to {
                    to if to == *state => register_at(at, func.dfg.value_type(value)),
                    to if to == *frame && at == offset::FUEL => Some(Holds::Fuel),
                    _ => None,
                };
                if let Some(holds) = holds
                    && let Some(param) = self.param_of(block, value, holds)
                {
                    self.held.entry(param).or_insert(holds);
                }
            }
        }
    }

    /// Registers that the guest instructions of a block may write.
    fn writes(&self, block: Block) -> RegSet {
        let insts: Vec<_> = self.plan.blocks.iter().flat_map(|block| &block.insts).collect();
        let mut set = RegSet::default();
        if let Some(&i) = self.blocks.get(&block) {
            // A guest move leaves no code in the function, so the instructions of the plan's block are added.
            self.plan.blocks[i].insts.iter().for_each(|(_, inst)| set.union(inst.writes()));
        }
        for inst in self.func.layout.block_insts(block) {
            if let Some((_, inst)) = guest_number(self.func, inst).and_then(|number| insts.get(number)) {
                set.union(inst.writes());
            }
        }
        set
    }

    /// Names parameters after the parameters that they are passed on to. Returns whether any was named.
    fn pass_back(&mut self) -> bool {
        let func = self.func;
        let mut named = Vec::new();
        for block in func.layout.blocks() {
            for call in calls(func, block) {
                let params = func.dfg.block_params(call.block(&func.dfg.value_lists));
                for (arg, param) in call.args(&func.dfg.value_lists).zip(params) {
                    let (BlockArg::Value(value), Some(&holds)) = (arg, self.held.get(param)) else { continue };
                    let source = self.param_of(block, value, holds);
                    named.extend(source.filter(|source| !self.held.contains_key(source)).map(|source| (source, holds)));
                }
            }
        }
        let any = !named.is_empty();
        self.held.extend(named);
        any
    }

    /// The value that remains if additions of constants are undone.
    fn without_constants(&self, mut value: Value) -> Value {
        let dfg = &self.func.dfg;
        loop {
            let ValueDef::Result(inst, _) = dfg.value_def(value) else { return value };
            match dfg.insts[inst] {
                InstructionData::Binary { opcode: ir::Opcode::Iadd, args: [of, by] } if self.is_constant(by) => {
                    value = of
                }
                _ => return value,
            }
        }
    }

    fn is_constant(&self, value: Value) -> bool {
        let dfg = &self.func.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(value) else { return false };
        matches!(dfg.insts[inst], InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, .. })
    }
}
