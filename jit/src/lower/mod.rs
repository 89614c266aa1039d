//! Lowering: a region's plan to Cranelift IR. Scalar instructions have a function each, with the name of the mnemonic,
//! in files by encoding in the order of the tables (read them beside the interpreter's).
//!
//! Shape of the function:
//!
//! ```text
//! entry:  load what is live; to the entry that the caller chose
//! block:  instructions; fuel -= their number
//!         branch; on backward edges: fuel < need? -> cold exit
//! exit:   store what is dirty, PC, fuel, notes; return the exit code
//! ```

/// Makes `lower` from the rows of an encoding. It calls the function that has the name of the mnemonic: a row without
/// one does not compile. Instructions that end their block are in `flow.rs`; S_SETHALT does so unless it does nothing.
macro_rules! lowerings {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident {
        op: $op:tt, dst: $dst:ident, src: $src:tt, fx: $fx:tt,
        kind: $kind:ident, flow: $flow:ident, $($unknown:ident)? $meaning:literal
    })*) => {
        pub(super) fn lower(l: &mut $crate::lower::Lower<'_, '_>, op: gcnsim_isa::$Enum, inst: &gcnsim_isa::Inst) {
            match op {
                $(gcnsim_isa::$Enum::$Variant => lowerings!(@ $flow $($unknown)? $name(l, inst)),)*
            }
        }
    };
    (@ Next $name:ident($l:ident, $inst:ident)) => { $name($l, $inst) };
    (@ Next unknown $name:ident($l:ident, $inst:ident)) => { $crate::lower::unreachable_inst($inst) };
    // S_TRAP 3: compiled code leaves the other ids to the interpreter.
    (@ Trap $name:ident($l:ident, $inst:ident)) => {{}};
    (@ Halt $name:ident($l:ident, $inst:ident)) => {{}};
    (@ $flow:ident $name:ident($l:ident, $inst:ident)) => { $crate::lower::unreachable_inst($inst) };
}

mod charge;
mod circulate;
mod convert;
mod entry;
mod exits;
mod flow;
mod fuse;
mod interpolation;
mod memory;
#[cfg(target_arch = "x86_64")]
mod moves;
mod operands;
mod plant;
pub(crate) mod products;
#[cfg_attr(not(target_arch = "x86_64"), path = "no_segments.rs")]
mod segments;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
#[cfg(target_arch = "x86_64")]
mod strips;
mod sums;
mod switch;
mod valu;
mod values;
mod vector;
mod vopc;

pub(crate) use flow::is_call;
pub(crate) use fuse::fused_registers;

use cranelift_codegen::ir::{self, BlockArg, InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use gcnsim_isa::table::Sop2;
use gcnsim_isa::{Arch, Inst, Note, Notes, Opcode, OperandType};

use crate::abi::offset;
use crate::compile::{EqualMaxima, FLOAT_MODE, Modes, is_special_mode};
use crate::dataflow::Dataflow;
use crate::region::{End, Plan};
use crate::regs::{Computed, Regs, Window, wide_pairs};
use crate::special::Special;
use charge::Charges;
pub(crate) use charge::counted_classes;
use convert::Conversion;
pub(crate) use convert::convertible;
use exits::Exits;
use gcnsim_helpers::Level;
use gcnsim_helpers::memory::MemoryOp;
pub(crate) use segments::{ExplainedPlace, Segments};

/// Inputs of a lowering besides the plan.
#[derive(Clone, Copy, Debug)]
pub struct LowerOptions {
    /// Generation of the code.
    pub arch: Arch,
    /// Vector helpers to call.
    pub level: Level,
    /// MODE on entry.
    pub mode: u32,
    /// What is known of maxima.
    pub maxima: EqualMaxima,
    /// Keep the class counters.
    pub count_classes: bool,
    /// Test hook: plants a wrong result in the lowering of one instruction.
    pub plant: Option<Opcode>,
    /// Hook for benches: leave out the fuel.
    pub uncounted: bool,
    /// Compile vector segments, where the host can.
    pub segments: bool,
}

/// A region in the course of lowering.
pub(crate) struct Lower<'a, 'b> {
    pub b: &'a mut FunctionBuilder<'b>,
    pub plan: &'a Plan,
    pub options: LowerOptions,
    pub regs: Regs,
    /// Pointer to the `WaveState`.
    pub state: Value,
    /// Pointer to the vector registers.
    pub vgprs: Value,
    /// Pointer to the `Frame`.
    pub frame: Value,
    pointer: Type,
    call_conv: CallConv,
    /// CLIF block of each block of the plan.
    blocks: Vec<ir::Block>,
    /// For each block the conversion of its branch (see `convert.rs`).
    conversions: Vec<Option<Conversion>>,
    /// Where edges from outside a loop enter it: for each header a block that does nothing but go there. Values that
    /// the loop does not change meet in it and not in the header, so that Cranelift sees that they do not change.
    preheaders: Vec<Option<ir::Block>>,
    scc_var: Option<Variable>,
    scc: Option<Value>,
    scc_dirty: bool,
    mode_var: Option<Variable>,
    /// Whether a maximum of equal operands was executed (an I64 that is not 0), if the region has maxima.
    had_equal_max: Option<Variable>,
    charges: Charges,
    /// What is known of VSKIP and GPR-index mode at each instruction, counted over the plan.
    specials: Vec<Special>,
    /// What is known of them at the instruction that is being lowered.
    pub special: Special,
    /// Shared compare chain of computed jumps, if the region needs it: its block takes the address.
    dispatch: Option<ir::Block>,
    /// Number of blocks that end in a computed jump.
    computed_sites: usize,
    /// Whether there are other blocks with the code of each block.
    has_copies: Vec<bool>,
    /// Number of the first instruction of each block, counted over the plan.
    first_insts: Vec<usize>,
    /// The registers that movrels are expected to name; empty if all registers are in memory.
    windows: Vec<Window>,
    /// Registers that the region loads and stores.
    flow: Dataflow,
    /// Address of the instruction that is being lowered.
    pc: u64,
    /// Block of the plan that is being lowered.
    current: usize,
    exits: Exits,
    /// Address of the last instruction of the block before, if the region has a block that begins with an instruction
    /// that may stop the run.
    last_pc: Option<Variable>,
    /// Memory instructions of the region. The list never grows beyond its capacity, because compiled code has their
    /// addresses.
    memory_ops: Vec<MemoryOp>,
    /// Vector segments of the region.
    segments: Segments,
    /// How long values of the current block take.
    depths: sums::Depths,
}

/// Results of a lowering besides the function.
pub(crate) struct Lowered {
    /// States with which the code can run.
    pub modes: Modes,
    /// What is known of maxima; `None` if there are none.
    pub maxima: Option<EqualMaxima>,
    /// Data whose addresses are in the code.
    pub memory_ops: Vec<MemoryOp>,
    /// Vector segments that the code calls.
    pub segments: Segments,
}

/// Lowers a plan into an empty function with the signature of [`crate::abi::RegionFn`].
pub(crate) fn lower(b: &mut FunctionBuilder<'_>, plan: &Plan, options: LowerOptions, call_conv: CallConv) -> Lowered {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let [state, vgprs, frame] = b.block_params(entry)[..] else { unreachable!("three parameters") };
    let pointer = b.func.dfg.value_type(state);

    let fuel = b.ins().load(types::I64, MemFlagsData::trusted(), frame, offset::FUEL);
    let fuel_var = b.declare_var(types::I64);
    b.def_var(fuel_var, fuel);
    let specials = Special::of_plan(plan, options.mode);
    let pairs = wide_pairs(plan);
    let computed = Computed::of(plan);
    let memory = computed.in_memory;
    let flow = Dataflow::new(plan, &specials, pairs, &computed);
    let regs = Regs::enter(&flow, pairs, memory, b, state);
    let blocks = plan.blocks.iter().map(|_| b.create_block()).collect();
    let conversions = convert::conversions(plan, memory);
    let mut is_part = vec![false; plan.blocks.len()];
    conversions.iter().flatten().flat_map(|c| c.ways.iter().flatten()).for_each(|&block| is_part[block] = true);
    let charges = Charges::new(fuel_var, plan, &conversions, &is_part);
    let first_insts = plan.blocks.iter().scan(0, |first, block| {
        let this = *first;
        *first += block.insts.len();
        Some(this)
    });
    let first_insts = first_insts.collect();
    let memory_count = plan.blocks.iter().flat_map(|b| &b.insts).filter(|(_, i)| i.desc().is_memory()).count();
    let preheaders = plan.blocks.iter().map(|block| block.is_header.then(|| b.create_block())).collect();
    let mut lower = Lower {
        b,
        plan,
        options,
        regs,
        state,
        vgprs,
        frame,
        pointer,
        call_conv,
        blocks,
        conversions,
        preheaders,
        scc_var: None,
        scc: None,
        scc_dirty: false,
        mode_var: None,
        had_equal_max: None,
        charges,
        special: Special::OFF,
        flow,
        pc: 0,
        current: 0,
        dispatch: None,
        has_copies: has_copies(plan),
        computed_sites: plan.blocks.iter().filter(|b| b.end.is_computed()).count(),
        first_insts,
        windows: computed.windows,
        exits: Exits::default(),
        last_pc: None,
        // Strips execute scalar loads ahead.
        memory_ops: Vec::with_capacity(2 * memory_count),
        segments: Segments::of_plan(plan, &options, &specials, memory),
        depths: sums::Depths::default(),
        specials,
    };
    lower.enter_special_registers();
    lower.enter_last_pc();
    lower.enter_blocks();
    for index in (0..plan.blocks.len()).filter(|&index| !is_part[index]) {
        lower.block(index);
    }
    lower.b.set_srcloc(ir::SourceLoc::default());
    lower.finish_dispatch();
    lower.finish_preheaders();
    lower.finish_exits();
    let Lower { memory_ops, segments, .. } = lower;
    let special = is_special_mode(options.mode);
    let float = segments.use_mode().then_some(options.mode & FLOAT_MODE);
    let maxima = has_maxima(plan).then_some(options.maxima);
    let noted = maxima == Some(EqualMaxima::Noted);
    let lowered = Lowered { modes: Modes { special, float, noted }, maxima, memory_ops, segments };
    b.seal_all_blocks();
    lowered
}

/// Whether there are other blocks with the code of each block of a plan.
fn has_copies(plan: &Plan) -> Vec<bool> {
    let mut pcs: Vec<u64> = plan.blocks.iter().map(|block| block.pc).collect();
    pcs.sort_unstable();
    let is_several = |pc: u64| {
        let at = pcs.partition_point(|&other| other < pc);
        pcs.get(at + 1) == Some(&pc)
    };
    plan.blocks.iter().map(|block| is_several(block.pc)).collect()
}

/// Whether an instruction of the region is a maximum.
fn has_maxima(plan: &Plan) -> bool {
    let is_max = |inst: &Inst| matches!(inst.opcode, Opcode::Sop2(Sop2::SMaxI32 | Sop2::SMaxU32));
    plan.blocks.iter().flat_map(|block| &block.insts).any(|(_, inst)| is_max(inst))
}

impl Lower<'_, '_> {
    /// Lowers block `index` of the plan.
    fn block(&mut self, index: usize) {
        let plan = self.plan;
        let block = &plan.blocks[index];
        self.b.switch_to_block(self.blocks[index]);
        self.regs.start_block();
        self.depths = sums::Depths::default();
        self.scc = None;
        self.scc_dirty = false;
        self.current = index;
        self.start_charging(index);
        self.set_position(index, 0);
        let mut memory = 0;
        self.static_notes(block, 0, 0);
        self.strip(index);
        let last = block.insts.len() - 1;
        let falls = matches!(block.end, End::Goto(_)) && block.insts[last].1.flow() == gcnsim_isa::Flow::Next;
        let straight = if falls { last + 1 } else { last };
        let circulating = self.circulating(index);
        let mut i = 0;
        while i < straight {
            let (pc, inst) = &block.insts[i];
            self.set_position(index, i);
            if let Some(len) = self.segment(i, &mut memory) {
                i += len;
                continue;
            }
            if inst.desc().is_memory() {
                let site = self.segments.own_site(index, i);
                self.memory(inst, *pc, (i, memory), site);
                memory += 1;
                self.static_notes(block, i, i + 1);
                i += 1;
                continue;
            }
            let fused = self.fuse_wide_addition(&block.insts[i..straight]);
            if fused.is_none() {
                self.inst(inst, *pc);
            }
            let next = i + fused.unwrap_or(1);
            self.pin_circulating(&circulating, i..next);
            i = next;
        }
        if self.conversions[index].is_none() {
            self.charge(block);
        }
        self.set_position(index, last);
        if self.last_pc.is_some() {
            let pc = self.const64(block.insts[last].0);
            self.set_last_pc(pc);
        }
        self.end(block);
    }

    /// Marks the code that follows as that of instruction `i` of `block`.
    fn set_position(&mut self, block: usize, i: usize) {
        let number = self.first_insts[block] + i;
        self.special = self.specials[number];
        self.b.set_srcloc(ir::SourceLoc::new((number + 1) as u32));
    }

    /// Raises the notes of the instructions of `block` from `first` on, up to the first one from `next` on that may
    /// stop the run.
    fn static_notes(&mut self, block: &crate::region::Block, first: usize, next: usize) {
        let stop = block.insts[next..].iter().position(|(_, inst)| inst.desc().is_memory());
        let certain = &block.insts[first..stop.map_or(block.insts.len(), |stop| next + stop)];
        let mut notes = certain.iter().fold(Notes::NONE, |notes, (_, inst)| notes.or(inst.static_notes()));
        notes.insert_if(block.interior && first == 0 && !certain.is_empty(), Note::JumpIntoLiteral);
        self.raise(notes);
    }

    fn raise(&mut self, notes: Notes) {
        for (word, bits) in notes.0.into_iter().enumerate() {
            if bits != 0 {
                let at = offset::NOTES + 8 * word as i32;
                let old = self.load(types::I64, at);
                let new = self.b.ins().bor_imm_u(old, bits as i64);
                self.store(new, at);
            }
        }
    }

    /// Raises a note if `condition` (I8) is not 0, off the main path.
    pub fn note_if(&mut self, condition: Value, note: Note) {
        let (noting, on) = (self.cold_block(), self.b.create_block());
        self.b.ins().brif(condition, noting, NO_ARGS, on, NO_ARGS);
        self.b.seal_block(noting);
        self.b.switch_to_block(noting);
        self.raise(Notes::of(note));
        self.b.ins().jump(on, NO_ARGS);
        self.b.seal_block(on);
        self.b.switch_to_block(on);
    }

    /// Has the note on a maximum of equal operands raised if `condition` (I8) is not 0. Where operands are seldom equal
    /// that is a branch. Otherwise a branch may be hard to predict, and exits raise the note.
    /// [Pinning](Lower::pinned) keeps Cranelift from computing that for all copies of a loop at their end.
    fn note_equal_max(&mut self, condition: Value) {
        match self.options.maxima {
            EqualMaxima::Noted => return,
            EqualMaxima::Seldom => return self.note_if(condition, Note::SmaxEqualScc),
            EqualMaxima::Unknown => {}
        }
        let Some(var) = self.had_equal_max else { unreachable!("the region has maxima") };
        let before = self.b.use_var(var);
        // A pointer is not 0.
        let after = self.b.ins().select(condition, self.state, before);
        let after = self.pinned(after);
        self.b.def_var(var, after);
    }

    /// An I64 that is computed here.
    fn pinned(&mut self, value: Value) -> Value {
        circulate::pin(self.b, value)
    }

    /// Lowers an instruction that does not end a block.
    fn inst(&mut self, inst: &Inst, pc: u64) {
        self.pc = pc;
        match inst.opcode {
            Opcode::Sop1(op) => sop1::lower(self, op, inst),
            Opcode::Sop2(op) => sop2::lower(self, op, inst),
            Opcode::Sopc(op) => sopc::lower(self, op, inst),
            Opcode::Sopk(op) => sopk::lower(self, op, inst),
            Opcode::Sopp(op) => sopp::lower(self, op, inst),
            Opcode::Vopc(op) => vopc::lower(self, op, inst),
            _ if inst.attribute_access().is_some() => interpolation::lower(self, inst),
            Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) => valu::lower(self, inst),
            // Memory instructions may stop the run: `memory` lowers them, with their place in the block.
            Opcode::Smrd(_) | Opcode::Smem(_) | Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => {
                unreachable_inst(inst)
            }
            Opcode::Mubuf(_) | Opcode::Mtbuf(_) | Opcode::Ds(_) => unreachable_inst(inst),
            Opcode::Vintrp(_) | Opcode::Mimg(_) | Opcode::Exp(_) => unreachable_inst(inst),
        }
        if self.options.plant == Some(inst.opcode) {
            self.plant(inst);
        }
    }

    // Small pieces of IR.

    /// An I32 constant.
    pub fn const32(&mut self, value: u32) -> Value {
        self.b.ins().iconst(types::I32, value as i64)
    }

    /// An I64 constant.
    pub fn const64(&mut self, value: u64) -> Value {
        self.b.ins().iconst(types::I64, value as i64)
    }

    /// Loads from the state.
    pub fn load(&mut self, ty: Type, offset: i32) -> Value {
        self.b.ins().load(ty, MemFlagsData::trusted(), self.state, offset)
    }

    /// Stores to the state.
    pub fn store(&mut self, value: Value, offset: i32) {
        self.b.ins().store(MemFlagsData::trusted(), value, self.state, offset);
    }

    fn cold_block(&mut self) -> ir::Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    /// Calls a host function with C calling convention at an absolute address.
    pub fn call_host(&mut self, address: usize, args: &[Value], result: Option<Type>) -> Option<Value> {
        let mut signature = ir::Signature::new(self.call_conv);
        for &arg in args {
            signature.params.push(ir::AbiParam::new(self.b.func.dfg.value_type(arg)));
        }
        signature.returns.extend(result.map(ir::AbiParam::new));
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(self.pointer, address as i64);
        let call = self.b.ins().call_indirect(signature, callee, args);
        self.b.inst_results(call).first().copied()
    }

    /// The pointer `base` plus a constant.
    pub fn pointer_at(&mut self, base: Value, offset: i64) -> Value {
        if offset == 0 { base } else { self.b.ins().iadd_imm_s(base, offset) }
    }

    /// Brings all variables up to date at the end of a block.
    fn end_block(&mut self) {
        self.regs.end_block(self.b);
        if let (Some(var), Some(scc), true) = (self.scc_var, self.scc, self.scc_dirty) {
            self.b.def_var(var, scc);
        }
        self.scc_dirty = false;
    }
}

fn unreachable_inst(inst: &Inst) -> ! {
    unreachable!("{} ends its block or is not executed", inst.desc().mnemonic)
}

fn dst_code(inst: &Inst) -> u8 {
    inst.dst().unwrap_or_else(|| unreachable!("{} has no destination", inst.desc().mnemonic))
}

/// No arguments for a block.
const NO_ARGS: &[BlockArg] = &[];

/// Width of an operand as a CLIF type.
fn clif_type(ty: OperandType) -> Type {
    if ty.is_wide() { types::I64 } else { types::I32 }
}
