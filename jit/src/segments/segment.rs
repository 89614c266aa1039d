//! Segments: drafts of code, and code in memory.

mod strip;

use std::ops::Range;
use std::time::Instant;

use gcnsim_isa::{Inst, LANES, Note, reg};

use super::allocate::{Allocator, BIAS, Layout, OutOfRoom, fixed_registers, follow_rows};
use super::encode::{Encoder, Gpr, Joint, Masking, Rm, Width};
use super::fallback::{Fallback, resolve};
use super::list::{List, Node};
use super::lower::{Lowering, Moved, Mxcsr, changes_index, is_passenger};
use super::memory::{Code, DECLINED, SegmentFn};
use super::ops::Op;
use super::plan::{Plan, Uses, plan, probe};
use super::trace::{Explained, NO_INST, Trace};
use crate::special::Special;
use gcnsim_helpers::Level;
use gcnsim_helpers::segment_frame::{Input, offset};
pub(crate) use strip::{Ending, Rounds};

/// The instruction sets that code may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// The lanes of a host register: [`Level::Avx512`] has 16, [`Level::Avx2`] eight.
    pub width: Width,
    /// Whether the host counts bits of lanes (AVX512_VPOPCNTDQ).
    pub count: bool,
    /// Whether the host shifts over two registers (AVX512_VBMI2).
    pub funnel: bool,
    /// Whether the host permutes the bytes of a register (AVX512_VBMI).
    pub bytes: bool,
}

impl Features {
    /// The best features of this machine; `None` if it has not even AVX2.
    pub fn detect() -> Option<Features> {
        Features::of(Level::best())
    }

    /// The features of a level of this machine; `None` if it has no segments.
    pub fn of(level: Level) -> Option<Features> {
        match level {
            Level::Avx512 => level.is_available().then(|| Features {
                width: Width::Zmm,
                count: is_x86_feature_detected!("avx512vpopcntdq"),
                funnel: is_x86_feature_detected!("avx512vbmi2"),
                bytes: is_x86_feature_detected!("avx512vbmi"),
            }),
            Level::Avx2 => level.is_available().then_some(Features {
                width: Width::Ymm,
                count: false,
                funnel: false,
                bytes: false,
            }),
            Level::Portable => None,
        }
    }

    /// The features of all levels of this machine.
    pub fn available() -> impl Iterator<Item = Features> {
        Level::available().filter_map(Features::of)
    }
}

/// The machine and the options that code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The instruction sets of the machine.
    pub features: Features,
    /// MODE where the segment runs, if that is known: [`MODE_BITS`] of it count. Without it no instruction is taken
    /// that depends on MODE.
    pub mode: Option<u32>,
}

/// Bits of MODE that segments depend on: rounding, denormals, DX10_CLAMP, IEEE, FP16_OVFL.
pub const MODE_BITS: u32 = crate::FLOAT_MODE;

/// Whether a segment takes `inst` in its form.
pub fn is_lane_wise(inst: &Inst, options: &Options) -> bool {
    !is_passenger(inst) && Lowering::new(options, 1).add(inst).is_some()
}

/// Whether `inst` is a scalar instruction that may stand between instructions of a segment. The caller executes it
/// before the segment.
pub fn may_stand_between(inst: &Inst) -> bool {
    is_passenger(inst) || changes_index(inst)
}

/// Number of instructions that the lists of a draft have space for at first.
const USUAL: usize = 64;

/// The code of a segment before it is in memory.
#[derive(Debug)]
pub struct Draft {
    bytes: Vec<u8>,
    fallback: Option<Box<Fallback>>,
    len: usize,
    inputs: Vec<Input>,
    writes: u128,
    uses_mode: bool,
    vgpr_count: usize,
    sites: Range<u8>,
    moves: Vec<Moved>,
    conflict_slot: Option<u8>,
    /// What a strip wants of its caller; `None` if the draft is no strip.
    rounds: Option<Rounds>,
}

impl Draft {
    /// Compiles as many instructions as the first ones make a segment; `None` if the first one does not.
    ///
    /// A segment ends before an instruction that is not [lane-wise](is_lane_wise), that reads as a scalar what an
    /// instruction of the segment writes as a lane mask, or that wants denormals treated in another way. Scalar
    /// instructions [may stand between](may_stand_between) others.
    pub fn new(insts: &[Inst], options: &Options) -> Option<Draft> {
        Draft::traced(insts, options, 0..0, None, &mut None)
    }

    /// Compiles instructions as [`Draft::new`] does. They may load guest memory, from the [sites](Segment::sites) whose
    /// numbers `sites` has, and [move](Segment::moves) lanes. `special` is what is known of VSKIP and GPR-index mode at
    /// the first one.
    pub(crate) fn with_sites(insts: &[Inst], options: &Options, sites: Range<u8>, special: Special) -> Option<Draft> {
        Draft::traced(insts, options, sites, Some(special), &mut None)
    }

    /// Compiles instructions, all of which must be taken, and keeps what `gcnsim explain` shows.
    pub(crate) fn explained(
        insts: &[Inst],
        options: &Options,
        sites: Range<u8>,
        special: Special,
    ) -> Option<Explained> {
        let mut trace = Some(Trace::default());
        let draft = Draft::traced(insts, options, sites.clone(), Some(special), &mut trace)
            .filter(|draft| draft.len() == insts.len())?;
        // This compiles once more, without the explanation, to measure the time.
        let start = Instant::now();
        Draft::with_sites(insts, options, sites, special)?;
        trace?.finish(draft, start.elapsed())
    }

    fn traced(
        insts: &[Inst],
        options: &Options,
        sites: Range<u8>,
        special: Option<Special>,
        trace: &mut Option<Trace>,
    ) -> Option<Draft> {
        let mut lowering = Lowering::new(options, insts.len().min(USUAL)).with_sites(sites.clone());
        if let Some(special) = special {
            lowering = lowering.with_moves(special);
        }
        let mut add = |inst: &&Inst| {
            let taken = lowering.add(inst).is_some();
            if let Some(trace) = trace.as_mut().filter(|_| taken) {
                trace.wrote(&lowering, inst);
            }
            taken
        };
        let len = insts.iter().take_while(&mut add).count();
        let len = insts[..len].iter().rposition(|inst| !may_stand_between(inst))? + 1;
        let insts = &insts[..len];
        match Draft::finish(lowering, insts, options, sites.start, trace) {
            Some(draft) => Some(draft),
            // The values do not fit the registers: try fewer instructions.
            None if len > 1 => {
                *trace = trace.take().map(|_| Trace::default());
                Draft::traced(&insts[..len / 2], options, sites, special, trace)
            }
            None => None,
        }
    }

    fn finish(
        mut lowering: Lowering<'_>,
        insts: &[Inst],
        options: &Options,
        first_site: u8,
        trace: &mut Option<Trace>,
    ) -> Option<Draft> {
        let sites = first_site..first_site + lowering.list.loads;
        lowering.list.inst = NO_INST;
        let (results, masks) = (lowering.results(), lowering.mask_results());
        let has_tests = lowering.list.has_tests;
        let exec = [reg::EXEC_LO, reg::EXEC_LO + 1].map(|code| Input { at: 0, code, slot: code });
        let mut inputs: Vec<Input> = lowering.inputs.iter().copied().filter(|input| input.at < insts.len()).collect();
        // An instruction that was not taken may have left operands in the list. `inputs` does not have them.
        let missing = exec.into_iter().filter(|exec| !inputs.iter().any(|input| input.slot == exec.slot));
        inputs.extend(missing.collect::<Vec<_>>());
        inputs.sort_by_key(|input| (input.at, input.slot));
        let width = options.features.width;
        let moves = lowering.moved_operands_of(insts.len());
        let can_conflict = moves.iter().any(|moved| !moved.conflicts.is_empty());
        let conflict_slot = lowering.moves.conflict_slot.filter(|_| can_conflict);
        let fallback = (has_tests || can_conflict)
            .then(|| Box::new(Fallback::new(insts, &inputs, &moves, options.mode.unwrap_or(0), width)));
        let writes = masks.iter().fold(0, |codes, (code, _)| codes | 3u128 << code);
        let mut probe_list = (!sites.is_empty()).then(|| lowering.list.clone());
        let Plan { nodes, uses, next } =
            plan(&mut lowering.list, &results, &masks, &lowering.moves.stores, &lowering.initial);
        let mxcsr = lowering.mxcsr.special();
        // With AVX2 reads of lanes one by one need a register.
        let is_taken = lowering.list.is_narrow && (!sites.is_empty() || !lowering.list.bounds.is_empty());
        let joints = Joint::ALL.into_iter().take(if is_taken { 1 } else { 2 });
        let shape = Shape {
            width,
            mxcsr: mxcsr.map(|value| [value, Mxcsr::DEFAULT].map(|value| push_dword(&mut lowering.list, value))),
            layout: Layout::new(&lowering.list),
            has_tables: !lowering.list.tables.is_empty(),
            has_compare: lowering.has_compare,
            has_tests,
            joints: masks.iter().map(|&(code, _)| code).zip(joints).collect(),
        };
        if let (Some(trace), Some(inst)) = (trace.as_mut(), insts.first()) {
            trace.start(inst.arch, &lowering.list, &inputs, &next, results.iter().map(|&(n, _)| n));
        }
        let (list, initial, layout, joints) = (&mut lowering.list, &lowering.initial, shape.layout, &shape.joints[..]);
        // AVX2 stores in some lanes by a load and two more operations, so it has code for all lanes, too.
        let alone = (width == Width::Ymm).then(|| (list.values.clone(), next.clone()));
        let mut allocator = Allocator::new(list, initial, next, layout, joints);
        allocator.trace = trace.take();
        shape.prologue(&mut allocator, conflict_slot.zip(fallback.as_deref()));
        let some = alone.is_some().then(|| {
            allocator.all_are_active = true;
            allocator.code.jump_unless_ones(offset::sgpr(reg::EXEC_LO))
        });
        let mut declines = Vec::new();
        let (plan, ends) = ((&nodes[..], &uses[..]), (fallback.as_deref(), !sites.is_empty()));
        shape.probe(&mut allocator, probe_list.as_mut(), sites.clone(), &mut declines)?;
        let done = shape.chunks(&mut allocator, plan, ends);
        *trace = allocator.trace.take();
        let (mut code, [start, end]) = (std::mem::replace(&mut allocator.code, Encoder::new(width, 0)), done.ok()?);
        if let (Some(some), Some((values, next))) = (some, alone) {
            let place = code.bytes.len();
            code.land(some, place);
            list.values = values;
            let mut allocator = Allocator::new(list, initial, next, layout, joints);
            allocator.code = code;
            shape.probe(&mut allocator, probe_list.as_mut(), sites.clone(), &mut declines)?;
            shape.chunks(&mut allocator, plan, ends).ok()?;
            code = allocator.code;
        }
        shape.decline(&mut code, &declines, DECLINED);
        if let Some(trace) = trace {
            trace.set_ends([start, end, code.bytes.len()]);
        }
        let named = (0..=255).rfind(|&n| lowering.names(n));
        let reads_memory = !lowering.list.bounds.is_empty() || !sites.is_empty();
        let vgpr_count = if reads_memory { named.map_or(0, |n| n as usize + 1) } else { 0 };
        let mut bytes = finished(code, &lowering.list, &shape.layout);
        bytes.shrink_to_fit();
        let (len, uses_mode) = (insts.len(), lowering.uses_mode);
        Some(Draft {
            bytes,
            fallback,
            len,
            inputs,
            writes,
            uses_mode,
            vgpr_count,
            sites,
            moves,
            conflict_slot,
            rounds: None,
        })
    }

    /// Number of instructions, with the scalar ones between.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The sites of its loads in the frame.
    pub fn sites(&self) -> Range<u8> {
        self.sites.clone()
    }

    /// The code and its constants. Addresses of host functions are in it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Adds a constant that no node uses. Returns its number.
fn push_dword(list: &mut List, bits: u32) -> u16 {
    list.dwords.push(bits);
    (list.dwords.len() - 1) as u16
}

/// The code, padded to a cache line, and its constants: vectors, tables, qwords, dwords.
pub(super) fn finished(mut code: Encoder, list: &List, layout: &Layout) -> Vec<u8> {
    let copies = layout.copies as usize;
    let has_lines = !list.vectors.is_empty() || !list.tables.is_empty();
    let constants = code.bytes.len().next_multiple_of(if has_lines { 64 } else { 8 });
    code.resolve(constants);
    let mut bytes = code.bytes;
    bytes.resize(constants, 0xcc);
    let vectors = list.vectors.iter().flatten().chain(list.tables.iter().flatten());
    bytes.extend(vectors.flat_map(|dword| dword.to_le_bytes()));
    for qword in &list.qwords {
        bytes.extend(std::iter::repeat_n(qword.to_le_bytes(), copies.div_ceil(2)).flatten());
    }
    for dword in &list.dwords {
        bytes.extend(std::iter::repeat_n(dword.to_le_bytes(), copies).flatten());
    }
    bytes
}

/// Size of the code of [`leave_to`].
const LEAVE_BYTES: u8 = 22;

/// Emits the jump that leaves the chunks in EDX to helpers.
fn leave_to(code: &mut Encoder, fallback: &Fallback) {
    // mov rcx, fallback; mov rax, resolve; jmp rax
    code.raw(&[0x48, 0xb9]);
    code.raw(&(std::ptr::from_ref(fallback) as u64).to_le_bytes());
    code.raw(&[0x48, 0xb8]);
    code.raw(&(resolve as *const () as u64).to_le_bytes());
    code.raw(&[0xff, 0xe0]);
}

/// Code before and after the chunk.
struct Shape {
    width: Width,
    /// Numbers of the constants for MXCSR in the segment and after it.
    mxcsr: Option<[u16; 2]>,
    layout: Layout,
    has_tables: bool,
    has_compare: bool,
    has_tests: bool,
    /// The first lane masks that are results. Their chunks are joined in registers, because a load of all lanes would
    /// wait long for stores of chunks.
    joints: Vec<(u8, Joint)>,
}

impl Shape {
    fn load_mxcsr(&self, code: &mut Encoder, which: usize) {
        if let Some(numbers) = self.mxcsr {
            code.raw_constant(&[0x0f, 0xae, 0x15], self.layout.dword(numbers[which]));
        }
    }

    /// Emits the code before the chunks.
    fn prologue(&self, allocator: &mut Allocator<'_>, conflict: Option<(u8, &Fallback)>) {
        allocator.bounds();
        let code = &mut allocator.code;
        if self.has_compare {
            // cmp qword [exec], 0; jne over; bts qword [notes], note
            code.raw_imm32(&[0x48, 0x83, 0xbe], offset::sgpr(reg::EXEC_LO) as u32);
            code.raw(&[0, 0x75, 9]);
            code.raw_imm32(&[0x48, 0x0f, 0xba, 0xae], offset::NOTES as u32);
            code.raw(&[Note::VcmpExecZero as u8]);
        }
        if let Some((slot, fallback)) = conflict {
            // cmp dword [conflict], 0; je over
            code.raw_imm32(&[0x83, 0xbe], offset::sgpr(slot) as u32);
            code.raw(&[0, 0x74, LEAVE_BYTES + 5]);
            // mov edx, all chunks
            code.raw_imm32(&[0xba], (2 << (LANES / self.width.lanes())) - 2);
            leave_to(code, fallback);
        }
        self.load_mxcsr(code, 0);
        // add rdi, BIAS; mov r8, rsi; mov ecx, chunks
        code.raw_imm32(&[0x48, 0x81, 0xc7], BIAS as u32);
        code.raw(&[0x49, 0x89, 0xf0, 0xb9, (LANES / self.width.lanes()) as u8, 0, 0, 0]);
        if self.has_tables {
            // lea r9, [tables]
            code.raw_constant(&[0x4c, 0x8d, 0x0d], self.layout.tables);
        }
        if self.has_tests {
            // xor eax, eax
            code.raw(&[0x31, 0xc0]);
        }
    }

    /// Emits the probe of a list that loads, for the lanes of `main`. Jumps of chunks that decline are added to
    /// `declines`.
    fn probe(
        &self,
        main: &mut Allocator<'_>,
        list: Option<&mut List>,
        sites: Range<u8>,
        declines: &mut Vec<usize>,
    ) -> Option<()> {
        let Some(list) = list else { return Some(()) };
        let Plan { nodes, uses, next } = probe(list);
        let mut allocator = Allocator::new(list, main.initial, next, self.layout, &[]);
        allocator.all_are_active = main.all_are_active;
        std::mem::swap(&mut allocator.code, &mut main.code);
        let start = self.load_exec(&mut allocator.code, main.all_are_active);
        allocator.run(&nodes, &uses).ok()?;
        declines.append(&mut allocator.declines);
        std::mem::swap(&mut allocator.code, &mut main.code);
        let code = &mut main.code;
        self.next_chunk(code, start);
        let lanes = self.width.lanes();
        // sub rdi, 256; mov r8, rsi; mov ecx, chunks
        code.raw_imm32(&[0x48, 0x81, 0xef], 4 * LANES as u32);
        code.raw(&[0x49, 0x89, 0xf0, 0xb9, (LANES / lanes) as u8, 0, 0, 0]);
        if self.has_tables {
            // sub r9, 256
            code.raw_imm32(&[0x49, 0x81, 0xe9], 4 * LANES as u32);
        }
        follow_rows(code, sites);
        Some(())
    }

    /// Emits what a probe or a strip does if it declines: it returns `result`.
    fn decline(&self, code: &mut Encoder, declines: &[usize], result: u32) {
        if declines.is_empty() {
            return;
        }
        let place = code.bytes.len();
        declines.iter().for_each(|&jump| code.land(jump, place));
        self.load_mxcsr(code, 1);
        // vzeroupper; mov eax, result; ret
        code.raw_imm32(&[0xc5, 0xf8, 0x77, 0xb8], result);
        code.raw(&[0xc3]);
    }

    /// Emits the load of the mask of active lanes: once if these are all lanes, else for each chunk. Returns the place
    /// where the loop over chunks begins.
    fn load_exec(&self, code: &mut Encoder, all_are_active: bool) -> usize {
        let (exec, at) = (fixed_registers(self.width)[0], offset::sgpr(reg::EXEC_LO));
        let before = code.bytes.len();
        match self.width {
            Width::Zmm => code.k_load(exec, Gpr::R8, at),
            Width::Ymm if all_are_active => {
                code.op(Op::EqualI32, exec, exec, Rm::Register(exec), Masking::default(), 0);
                return code.bytes.len();
            }
            Width::Ymm => code.load_signs(exec, Gpr::R8, at, 0),
        }
        before
    }

    /// Emits the loop over chunks, what is behind it, and the detours. `ends` are those of [`Shape::epilogue`]. Returns
    /// the places where a chunk begins and ends.
    fn chunks(
        &self,
        allocator: &mut Allocator<'_>,
        (nodes, uses): (&[Node], &[Uses]),
        (fallback, returns): (Option<&Fallback>, bool),
    ) -> Result<[usize; 2], OutOfRoom> {
        let start = self.start(&mut allocator.code, allocator.all_are_active);
        allocator.run(nodes, uses)?;
        let (leave, detours) = (allocator.leave.take(), std::mem::take(&mut allocator.detours));
        let code = &mut allocator.code;
        let end = code.bytes.len();
        self.epilogue(code, start, leave, fallback, returns);
        Allocator::detours(code, &detours, self.width, fixed_registers(self.width)[1]);
        Ok([start, end])
    }

    /// Emits the beginning of a chunk. Returns the place where the loop begins.
    fn start(&self, code: &mut Encoder, all_are_active: bool) -> usize {
        let [exec, ok] = fixed_registers(self.width);
        let start = self.load_exec(code, all_are_active);
        match self.width {
            _ if !self.has_tests => {}
            Width::Zmm => code.k_copy(ok, exec),
            Width::Ymm => code.op(Op::Copy, ok, 0, Rm::Register(exec), Masking::default(), 0),
        }
        self.joints.iter().for_each(|&(_, joint)| code.join_next(joint));
        start
    }

    /// Emits the end of a loop over chunks that begins at `start`.
    fn next_chunk(&self, code: &mut Encoder, start: usize) {
        let lanes = self.width.lanes() as u8;
        // add rdi, 4 * lanes; add r8, lanes / 8
        code.raw(&[0x48, 0x83, 0xc7, 4 * lanes, 0x49, 0x83, 0xc0, lanes / 8]);
        if self.has_tables {
            // add r9, 4 * lanes
            code.raw(&[0x49, 0x83, 0xc1, 4 * lanes]);
        }
        // dec ecx; jnz start
        let back = start.wrapping_sub(code.bytes.len() + 8) as u32;
        code.raw(&[0xff, 0xc9]);
        code.raw_imm32(&[0x0f, 0x85], back);
    }

    /// Emits the code after the chunk. With `returns` the function returns 0.
    fn epilogue(
        &self,
        code: &mut Encoder,
        start: usize,
        leave: Option<usize>,
        fallback: Option<&Fallback>,
        returns: bool,
    ) {
        let next = code.bytes.len();
        self.next_chunk(code, start);
        self.joints.iter().for_each(|&(mask, joint)| code.store_joint(joint, offset::mask(mask)));
        self.load_mxcsr(code, 1);
        // vzeroupper
        code.raw(&[0xc5, 0xf8, 0x77]);
        let (Some(leave), Some(fallback)) = (leave, fallback) else {
            if returns {
                // xor eax, eax
                code.raw(&[0x31, 0xc0]);
            }
            code.raw(&[0xc3]);
            return;
        };
        // test eax, eax; jnz over; ret
        code.raw(&[0x85, 0xc0, 0x75, 1, 0xc3]);
        // sub rdi, ...; mov edx, eax
        code.raw_imm32(&[0x48, 0x81, 0xef], BIAS as u32 + 256);
        code.raw(&[0x89, 0xc2]);
        leave_to(code, fallback);
        // bts eax, ecx; jmp next
        let left = code.bytes.len();
        code.raw(&[0x0f, 0xab, 0xc8]);
        let back = next.wrapping_sub(code.bytes.len() + 5) as u32;
        code.raw_imm32(&[0xe9], back);
        code.bytes[leave - 4..leave].copy_from_slice(&((left - leave) as u32).to_le_bytes());
    }
}

/// A segment that can be called.
#[derive(Debug)]
pub struct Segment {
    draft: Draft,
    code: Code,
}

impl Segment {
    /// Compiles instructions, all of which must be [taken](Draft::new).
    pub fn compile(insts: &[Inst], options: &Options) -> Option<Segment> {
        let draft = Draft::new(insts, options).filter(|draft| draft.len() == insts.len())?;
        Segment::seal(vec![draft])?.pop()
    }

    /// Puts drafts into memory, which they share. `None` if there is no memory.
    pub fn seal(drafts: Vec<Draft>) -> Option<Vec<Segment>> {
        let parts: Vec<&[u8]> = drafts.iter().map(Draft::bytes).collect();
        let codes = Code::seal(&parts)?;
        Some(drafts.into_iter().zip(codes).map(|(draft, code)| Segment { draft, code }).collect())
    }

    /// The function. It may be called while the segment exists.
    pub fn function(&self) -> SegmentFn {
        self.code.function()
    }

    /// Number of instructions.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.draft.len
    }

    /// The code and its constants.
    pub fn bytes(&self) -> &[u8] {
        &self.draft.bytes
    }

    /// The operands that the frame must have, in the order of instructions: sources, lane masks, EXEC.
    pub fn inputs(&self) -> &[Input] {
        &self.draft.inputs
    }

    /// Scalar registers that it writes, a bit for each operand code: whole pairs of lane masks.
    pub fn writes(&self) -> u128 {
        self.draft.writes
    }

    /// Whether it depends on MODE. If so, it may run only where [`MODE_BITS`] of MODE are those of its [`Options`].
    pub fn uses_mode(&self) -> bool {
        self.draft.uses_mode
    }

    /// The sites of its loads in the frame.
    pub fn sites(&self) -> Range<u8> {
        self.draft.sites.clone()
    }

    /// Operands whose numbers the caller computes, in the order of instructions. A destination that is dropped may be
    /// at any distance from VGPR 0 where there is room for a VGPR.
    pub fn moves(&self) -> &[Moved] {
        &self.draft.moves
    }

    /// The slot that tells whether an operand of [`Segment::moves`] is among its conflicts: 0 if none is. `None` if
    /// none can be.
    pub fn conflict_slot(&self) -> Option<u8> {
        self.draft.conflict_slot
    }

    /// Number of VGPRs that it needs, if it reads LDS or guest memory; otherwise 0.
    pub fn vgpr_count(&self) -> usize {
        self.draft.vgpr_count
    }

    /// Whether it can leave chunks to helpers.
    pub fn has_fallback(&self) -> bool {
        self.draft.fallback.is_some()
    }
}
