//! Compiling: from a program and an address to a region.

mod turns;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, ir};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gcnsim_isa::{Inst, Kind, Mode, Note, Opcode, Program, WaveState};
use gcnsim_machine::{ClassCounts, Context as MachineContext, Observed, VgprFile};

use crate::abi::{CLASS_WORDS, ExitCode, Frame, UNCOUNTED_CLASS};
use crate::code::Code;
use crate::dataflow::cyclic;
use crate::explain::{HostCode, HostRange, Listing, Names, take_reads};
use crate::lower::{LowerOptions, Lowered, Segments, convertible, counted_classes, lower};
use crate::region::{End, Jump, Plan};
use crate::regs::Computed;
use gcnsim_helpers::Level;
use gcnsim_helpers::memory::MemoryOp;

pub use turns::{Stay, Turn, Turns};

/// Failures of ours; no guest program should cause one.
#[derive(Debug, thiserror::Error)]
pub enum JitError {
    /// Cranelift does not know the host.
    #[error("no JIT on this host: {0}")]
    Host(String),
    /// Cranelift rejected or could not compile a region.
    #[error("compiling the region at {pc:#x}: {message}")]
    Compile {
        /// Entry of the region.
        pc: u64,
        /// The message of Cranelift.
        message: String,
    },
    /// Compiled code returned what is no exit code.
    #[error("the region at {pc:#x} returned exit code {raw}")]
    Exit {
        /// Address at which the region was entered.
        pc: u64,
        /// The exit code that the region returned.
        raw: u32,
    },
}

/// Settings of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CompileOptions {
    /// Most instructions in a region, 1..=[`MAX_REGION`].
    pub region_max: usize,
    /// Count executed instructions by class.
    pub count_classes: bool,
    /// Level of the helpers to call.
    pub level: Level,
    /// Test hook: plants a wrong lowering of this instruction, to prove that checks catch it.
    pub plant: Option<Opcode>,
    /// Compile lane-wise instructions in segments, if the host has AVX-512 or AVX2. Otherwise all vector instructions
    /// are calls of helpers.
    pub segments: bool,
    /// Number of waves that will run the code, as far as it is known. For few, code without loops is compiled quickly.
    pub waves: u64,
    /// Hook for benches, to measure what counting costs: leaves out the fuel. Such code says that it executed nothing,
    /// and an endless loop in it cannot be stopped.
    #[doc(hidden)]
    pub uncounted: bool,
}

/// Upper limit of [`CompileOptions::region_max`], so that compile time and memory of a region are bounded.
pub const MAX_REGION: usize = 4_000;

/// Largest number of blocks times registers in a region. Registers are SSA values that meet wherever ways join, so the
/// time to compile grows with this product (docs/measured/performance-code.md#large-programs).
const MAX_VALUES: usize = 16_000;

impl CompileOptions {
    /// The plan of the region of a key, within the limits on size; `None` if compiled code cannot start there. A plan
    /// with too many values is made again with fewer instructions.
    fn discover(&self, program: &Program, at: &RegionKey<'_>) -> Option<Plan> {
        let mut most = self.region_max.clamp(1, MAX_REGION);
        let mut plan = loop {
            let plan = Plan::discover(program, at.pc, most, at.observed).ok()??;
            let values = values(&plan);
            if values <= MAX_VALUES || plan.inst_count == 1 {
                break plan;
            }
            most = (plan.inst_count.min(most) * MAX_VALUES / values).max(1);
        };
        plan.predict(at.predictable);
        Some(plan)
    }

    /// Addresses, in order, of the branches that [`Compiler::compile`] would convert in the region of a key, and of its
    /// computed jumps, which may be converted once their targets are known; none unless it has only scalar instructions
    /// that reach no memory. It is worth knowing which of them are easy to predict.
    pub fn convertible(&self, program: &Program, at: &RegionKey<'_>) -> Vec<u64> {
        let Some(plan) = self.discover(program, at) else { return Vec::new() };
        let scalar = |inst: &Inst| matches!(inst.desc().kind, Kind::Salu | Kind::Scmp | Kind::Branch | Kind::System);
        if !insts(&plan).all(|inst| scalar(inst) && !inst.desc().is_memory()) {
            return Vec::new();
        }
        let jumps = plan.blocks.iter().filter(|block| matches!(block.end, End::Indirect { .. }));
        let jumps = jumps.filter_map(|block| block.insts.last()).map(|&(pc, _)| pc);
        let mut all: Vec<u64> = jumps.chain(convertible(&plan)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            region_max: 1000,
            count_classes: false,
            level: Level::best(),
            plant: None,
            segments: true,
            waves: 1,
            uncounted: false,
        }
    }
}

/// Whether MODE `mode` is special: it has VSKIP or GPR-index mode on, which a region that is compiled for other values
/// of MODE does not test.
pub fn is_special_mode(mode: u32) -> bool {
    mode & (Mode::VSKIP | Mode::GPR_IDX_EN) != 0
}

/// States with which a region can be entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modes {
    /// Whether MODE may be [special](is_special_mode).
    pub special: bool,
    /// The value that the bits [`FLOAT_MODE`] of MODE must have; `None` if they may have any.
    pub float: Option<u32>,
    /// The note on maxima of equal operands must have been raised: the region does not look for it.
    pub noted: bool,
}

/// Bits of MODE that float instructions depend on: rounding, denormals, DX10_CLAMP, IEEE, FP16_OVFL.
pub const FLOAT_MODE: u32 = 0x0080_03ff;

impl Modes {
    /// Whether MODE may be `mode` in a state that has the note on maxima of equal operands or not (`noted`).
    pub fn has(self, mode: u32, noted: bool) -> bool {
        (self.special || !is_special_mode(mode))
            && self.float.is_none_or(|float| float == mode & FLOAT_MODE)
            && (!self.noted || noted)
    }

    /// Whether a state may be any that `others` allow.
    pub fn include(self, others: Modes) -> bool {
        (self.special || !others.special)
            && (self.float.is_none() || self.float == others.float)
            && (!self.noted || others.noted)
    }
}

/// Whether a state has the note on maxima of equal operands.
pub fn has_equal_max(state: &WaveState) -> bool {
    state.notes.contains(Note::SmaxEqualScc)
}

/// How often maxima have equal operands ([`Note::SmaxEqualScc`]), as far as it is known when a region is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum EqualMaxima {
    /// It is not known.
    #[default]
    Unknown,
    /// The wave has executed many instructions, and none of its maxima had.
    Seldom,
    /// The wave has the note. Only waves that have it can enter the region.
    Noted,
}

impl EqualMaxima {
    /// Number of instructions after which it is known that a wave without the note gets it seldom.
    const MANY: u64 = 4096;

    /// What is known from a wave that has executed so many instructions.
    pub fn of(state: &WaveState, executed: u64) -> EqualMaxima {
        match () {
            () if has_equal_max(state) => EqualMaxima::Noted,
            () if executed >= EqualMaxima::MANY => EqualMaxima::Seldom,
            () => EqualMaxima::Unknown,
        }
    }
}

/// The region to compile.
#[derive(Clone, Copy, Debug)]
pub struct RegionKey<'a> {
    /// Entry address.
    pub pc: u64,
    /// MODE on entry.
    pub mode: u32,
    /// Computed jumps that the program was seen to take, in order.
    pub observed: &'a [Jump],
    /// What is known of maxima.
    pub maxima: EqualMaxima,
    /// Addresses of conditional branches that were seen to be easy to predict, in order. They stay branches.
    pub predictable: &'a [u64],
}

/// What Cranelift takes its time for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    /// The best code.
    Full,
    /// Code without common expressions, in five sixths of the time. Code that mostly calls is as fast.
    Calls,
    /// Half the time to compile. Code with calls takes up to a tenth more.
    Quick,
}

/// Most instructions of loops for each vector instruction among them, in code that mostly calls.
const MOST_PER_CALL: usize = 4;

/// Fewest waves that execute code without loops so often that the time to compile it well is earned.
pub const MANY_WAVES: u64 = 4096;

impl Effort {
    /// The effort for a region. Vector instructions are calls, alone or as segments. A region of a kernel without loops
    /// is executed once by each of `waves` waves.
    fn new(plan: &Plan, waves: u64) -> Effort {
        let calls = |inst: &Inst| matches!(inst.desc().kind, Kind::Valu | Kind::Vcmp) || is_vector_memory(inst);
        if !insts(plan).any(calls) {
            return Effort::Full;
        }
        if plan.is_straight() {
            return if waves < MANY_WAVES { Effort::Quick } else { Effort::Full };
        }
        let cyclic = cyclic(plan);
        let mut in_loops = 0;
        let mut calls_in_loops = 0;
        for (b, block) in plan.blocks.iter().enumerate().filter(|(b, _)| cyclic[*b]) {
            let count = block.insts.iter().filter(|(_, inst)| calls(inst)).count();
            if count == 0 && plan.direct_successors(b).any(|next| next == b) {
                return Effort::Full;
            }
            (in_loops, calls_in_loops) = (in_loops + block.insts.len(), calls_in_loops + count);
        }
        let mostly_calls = in_loops <= MOST_PER_CALL * calls_in_loops;
        if mostly_calls { Effort::Calls } else { Effort::Full }
    }
}

/// Cranelift's code generator for the host's CPU.
fn host_isa(effort: Effort) -> Result<OwnedTargetIsa, JitError> {
    let host = |message: &dyn std::fmt::Display| JitError::Host(message.to_string());
    let mut flags = settings::builder();
    let boolean = |value| if value { "true" } else { "false" };
    let (opt_level, regalloc_algorithm) = match effort {
        Effort::Full => ("speed", "backtracking"),
        Effort::Calls => ("none", "backtracking"),
        Effort::Quick => ("none", "single_pass"),
    };
    for (name, value) in [
        ("opt_level", opt_level),
        ("regalloc_algorithm", regalloc_algorithm),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        // Frames of large regions are larger than the page that guards a stack.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("unwind_info", "false"),
        ("enable_verifier", boolean(cfg!(debug_assertions))),
        ("machine_code_cfg_info", "true"),
    ] {
        flags.set(name, value).map_err(|e| host(&e))?;
    }
    let isa = cranelift_native::builder().map_err(|e| host(&e))?;
    isa.finish(settings::Flags::new(flags)).map_err(|e| host(&e))
}

/// The number of the last region that has sites.
static LAST_REGION: AtomicU64 = AtomicU64::new(0);

/// A compiler of regions. It can be used again and again; each thread has its own.
pub struct Compiler {
    /// Code generators for [`Effort::Full`], [`Effort::Calls`] and [`Effort::Quick`].
    isas: [OwnedTargetIsa; 3],
    options: CompileOptions,
    context: Context,
    builder_context: FunctionBuilderContext,
}

impl Compiler {
    /// A compiler for the host's CPU.
    ///
    /// # Errors
    /// [`JitError::Host`] if Cranelift does not support it.
    pub fn new(options: CompileOptions) -> Result<Compiler, JitError> {
        let isas = [host_isa(Effort::Full)?, host_isa(Effort::Calls)?, host_isa(Effort::Quick)?];
        Ok(Compiler { isas, options, context: Context::new(), builder_context: FunctionBuilderContext::new() })
    }

    /// The settings.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Compiles the region of a key; `None` if compiled code does not execute the instruction at its entry.
    ///
    /// # Errors
    /// [`JitError::Compile`] if Cranelift fails.
    pub fn compile(&mut self, program: &Program, at: &RegionKey<'_>) -> Result<Option<Region>, JitError> {
        let RegionKey { pc, .. } = *at;
        let start = Instant::now();
        let Some(plan) = self.options.discover(program, at) else { return Ok(None) };
        let Lowered { modes, maxima, memory_ops, segments } = self.build(program, &plan, at);
        let code = Code::compile(self.isa(&plan).clone(), &mut self.context)
            .map_err(|error| JitError::Compile { pc, message: error.to_string() });
        self.context.clear();
        let code = code?;
        Ok(Some(Region {
            entries: plan.entries().map(|i| &plan.blocks[i]).map(|b| Entry { pc: b.pc, need: b.need as u64 }).collect(),
            inst_count: plan.inst_count,
            vgpr_count: insts(&plan).map(vgpr_count).max().unwrap_or(0).max(segments.vgpr_count()),
            writes_vgprs: insts(&plan).any(|inst| inst.vdst().is_some() || is_vector_memory(inst)),
            reaches_memory: !memory_ops.is_empty() || segments.read_share() || insts(&plan).any(reads_share),
            modes,
            maxima,
            counted_classes: self.options.count_classes.then(|| counted_classes(&plan)),
            compile_ns: start.elapsed().as_nanos() as u64,
            code,
            sites: segments.first_site().map(|first| (LAST_REGION.fetch_add(1, Relaxed) + 1, first)),
            _memory_ops: memory_ops,
            _segments: segments,
        }))
    }

    /// A listing of what [`Compiler::compile`] makes of a key, for people to read; `None` as there. This is slow.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn listing(&mut self, program: &Program, at: &RegionKey<'_>) -> Result<Option<Listing>, JitError> {
        let RegionKey { pc, .. } = *at;
        let Some(plan) = self.options.discover(program, at) else { return Ok(None) };
        self.context.func.dfg.collect_debug_info();
        let lowered = self.build(program, &plan, at);
        // The labels are taken out, so that the code is the same as without them.
        let reads = take_reads(&mut self.context.func);
        self.context.func.dfg.resolve_all_aliases();
        let names = Names::new(&self.context.func, &plan, program.arch(), &reads);
        let clif = self.context.func.display().to_string();
        self.context.set_disasm(cfg!(not(target_arch = "x86_64")));
        let isa = self.isa(&plan).clone();
        let compiled = self.context.compile(&*isa, &mut ControlPlane::default());
        let listing = match compiled {
            Ok(code) => {
                let locations = code.buffer.get_srclocs_sorted().iter().filter(|l| !l.loc.is_default());
                let ranges: Vec<_> = locations
                    .map(|l| HostRange { start: l.start as usize, end: l.end as usize, location: l.loc.bits() })
                    .collect();
                let vcode = code.vcode.as_deref().unwrap_or_default();
                let host =
                    HostCode { bytes: code.code_buffer(), block_starts: &code.bb_starts, ranges: &ranges, vcode };
                let places = lowered.segments.explained(&plan);
                let strips = lowered.segments.strip_sizes();
                Ok(Some(Listing::new(plan, &clif, &names, &host).with_segments(&places).with_strips(strips)))
            }
            Err(error) => Err(JitError::Compile { pc, message: format!("{:?}", error.inner) }),
        };
        self.context.clear();
        listing
    }

    /// The code generator for a plan.
    fn isa(&self, plan: &Plan) -> &OwnedTargetIsa {
        &self.isas[Effort::new(plan, self.options.waves) as usize]
    }

    /// Lowers a plan into the context's function.
    fn build(&mut self, program: &Program, plan: &Plan, at: &RegionKey<'_>) -> Lowered {
        // All are of the host, and have its conventions.
        let [isa, ..] = &self.isas;
        let pointer = ir::AbiParam::new(isa.pointer_type());
        let call_conv = isa.default_call_conv();
        let mut signature = ir::Signature::new(call_conv);
        signature.params.extend([pointer; 3]);
        signature.returns.push(ir::AbiParam::new(ir::types::I32));
        self.context.func.signature = signature;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder_context);
        let options = LowerOptions {
            arch: program.arch(),
            level: self.options.level,
            mode: at.mode,
            maxima: at.maxima,
            count_classes: self.options.count_classes,
            plant: self.options.plant,
            uncounted: self.options.uncounted,
            segments: self.options.segments,
        };
        let lowered = lower(&mut builder, plan, options, call_conv);
        builder.finalize(isa.frontend_config());
        lowered
    }
}

/// An upper bound of the number of blocks times the number of registers that are SSA values.
fn values(plan: &Plan) -> usize {
    let registers = u128::BITS as usize;
    if plan.blocks.len() * registers <= MAX_VALUES {
        // The bound holds whichever of the registers are used.
        return plan.blocks.len() * registers;
    }
    let insts = plan.blocks.iter().flat_map(|block| &block.insts);
    let registers = insts.fold(0, |set, (_, inst)| set | inst.reads().sgprs | inst.writes().sgprs);
    plan.blocks.len() * (registers & !Computed::of(plan).in_memory).count_ones() as usize
}

/// The instructions of all blocks.
fn insts(plan: &Plan) -> impl Iterator<Item = &Inst> {
    plan.blocks.iter().flat_map(|block| &block.insts).map(|(_, inst)| inst)
}

/// Whether the instruction moves data between memory or LDS and VGPRs. Its helper takes all VGPRs as a slice that it
/// may write, even if it only reads them.
fn is_vector_memory(inst: &Inst) -> bool {
    inst.desc().is_memory() && !inst.desc().is_scalar_memory()
}

/// Whether the instruction has a source in LDS, but is no memory instruction.
fn reads_share(inst: &Inst) -> bool {
    inst.attribute_access().is_some() || inst.reads_lds_directly()
}

/// 1 more than the highest number of a VGPR that the instruction names; 0 if it names none.
fn vgpr_count(inst: &Inst) -> usize {
    let end = |i| Some(u32::from(inst.src_vgpr(i)?) + inst.src_type(i).dwords());
    let sources = (0..inst.src_count()).filter_map(end);
    let destination = inst.vdst().map(|n| n as u32 + inst.desc().dst.dwords());
    sources.chain(destination).max().unwrap_or(0) as usize
}

/// An address at which a region can be entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Guest address.
    pub pc: u64,
    /// Least fuel with which the region makes progress from here.
    pub need: u64,
}

/// A compiled region. It owns its code.
pub struct Region {
    entries: Vec<Entry>,
    inst_count: usize,
    vgpr_count: usize,
    writes_vgprs: bool,
    reaches_memory: bool,
    modes: Modes,
    maxima: Option<EqualMaxima>,
    counted_classes: Option<Vec<Kind>>,
    compile_ns: u64,
    code: Code,
    /// A number that no other region has, and the first site of loads in segments, if it has some.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    sites: Option<(u64, u8)>,
    /// Memory instructions, whose addresses are in the code.
    _memory_ops: Vec<MemoryOp>,
    /// Segments, which the code calls.
    _segments: Segments,
}

impl Region {
    /// Entries of the region: the address it was compiled for, then its loop headers.
    #[inline]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Number of guest instructions in the region.
    pub fn inst_count(&self) -> usize {
        self.inst_count
    }

    /// Number of VGPRs that a wave must have to enter the region: 1 more than the highest number that an instruction
    /// names.
    #[inline]
    pub fn vgpr_count(&self) -> usize {
        self.vgpr_count
    }

    /// Whether the region has instructions that reach memory or LDS. If so, the context must be ready
    /// ([`MachineContext::is_ready`]).
    #[inline]
    pub fn reaches_memory(&self) -> bool {
        self.reaches_memory
    }

    /// Size of the machine code in bytes.
    pub fn code_size(&self) -> usize {
        self.code.size()
    }

    /// Time to compile the region, in nanoseconds.
    pub fn compile_ns(&self) -> u64 {
        self.compile_ns
    }

    /// The states with which the region can be entered.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// What was known of maxima when the region was compiled; `None` if it has none.
    pub fn maxima(&self) -> Option<EqualMaxima> {
        self.maxima
    }

    /// The classes whose instructions the region counts in [`Frame::classes`], in the order of the counters; `None` if
    /// it does not count. All other instructions are of [`UNCOUNTED_CLASS`](crate::abi::UNCOUNTED_CLASS).
    #[inline]
    pub fn counted_classes(&self) -> Option<&[Kind]> {
        self.counted_classes.as_deref()
    }

    /// Adds to a wave's `classes` what an entry executed, `executed` instructions, if the region counts classes.
    #[inline]
    pub fn count_classes(&self, classes: &mut ClassCounts, frame: &Frame, executed: u64) {
        let Some(counted) = &self.counted_classes else { return };
        let mut rest = executed;
        for (i, &kind) in counted.iter().enumerate() {
            let n = frame.class(i);
            classes.add(kind, n);
            rest -= n;
        }
        classes.add(UNCOUNTED_CLASS, rest);
    }

    /// Enters the region at entry number `entry`, for at most `frame.fuel` instructions. The wave's PC must be there,
    /// and the region must take the wave's MODE. Afterwards `frame.fuel` is what is left over, and the state is exact.
    /// Nothing happens with less fuel than the entry needs ([`ExitCode::Fuel`]) or with fewer VGPRs than
    /// [`Region::vgpr_count`] ([`ExitCode::Leave`]).
    ///
    /// # Errors
    /// [`JitError::Exit`] if the code returns no exit code.
    ///
    /// # Panics
    /// If there is no such entry.
    #[inline]
    pub fn run(
        &self,
        entry: usize,
        state: &mut WaveState,
        vgprs: &mut VgprFile,
        observed: &mut Observed,
        context: &mut MachineContext,
        frame: &mut Frame,
    ) -> Result<ExitCode, JitError> {
        if frame.fuel < self.entries[entry].need {
            frame.classes = [0; CLASS_WORDS];
            return Ok(ExitCode::Fuel);
        }
        if vgprs.regs().len() < self.vgpr_count {
            frame.classes = [0; CLASS_WORDS];
            return Ok(ExitCode::Leave);
        }
        self.stay(context, frame).enter(entry, state, vgprs, observed)
    }

    /// Prepares for one or more entries in `context`, with `frame`.
    #[inline(always)]
    pub fn stay<'a>(&'a self, context: &'a mut MachineContext, frame: &'a mut Frame) -> Stay<'a> {
        Stay::new(self, context, frame)
    }
}
