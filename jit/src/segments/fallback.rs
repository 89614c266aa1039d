//! Segments by helpers, one instruction after the other: for chunks in which the host's instructions do not do what the
//! notes say.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use gcnsim_isa::{Fx, Inst, LANES, Notes, Opcode, Pred, Src, Vgpr, reg};

use super::encode::Width;
use super::lower::Moved;
use super::segment::may_stand_between;
use gcnsim_helpers::Level;
use gcnsim_helpers::memory::{Helper, MemoryOp};
use gcnsim_helpers::segment_frame::{Input, SegmentFrame};
use gcnsim_helpers::valu::{self, Chosen, Control, sdwa};

/// The way in which an instruction is executed.
#[derive(Debug)]
enum Step {
    /// A helper computes lanes or a mask.
    Lanes(Chosen),
    /// A compare whose result is known.
    Constant(bool),
    /// A helper reads LDS or guest memory. The probe of the segment has found that it is not refused.
    Memory(Box<MemoryOp>, Helper),
    /// Nothing is executed: V_NOP, and scalar instructions.
    Nothing,
}

/// The instructions of a segment.
#[derive(Debug)]
pub(super) struct Fallback {
    insts: Vec<Inst>,
    /// Operands that have a slot other than that of their register.
    moved: Vec<Input>,
    /// Operands whose numbers the caller has computed.
    moves: Vec<Moved>,
    mode: u32,
    /// Number of lanes of a chunk.
    width: Width,
    /// The steps, made when the fallback first runs, which is seldom.
    steps: OnceLock<Vec<Step>>,
}

/// Scalars as helpers take them: bit 0 of their address is free.
#[repr(align(16))]
struct Scalar([u32; 4]);

/// The selector of a whole register.
const DWORD: u8 = 6;

/// The part of source `i` that an SDWA form selects, or the source.
///
/// # Safety
///
/// `from` is a source of a helper; in SDWA forms it has one dword.
unsafe fn part(inst: &Inst, i: usize, from: *const u32, room: &mut Vgpr) -> *const u32 {
    let Some(selectors) = inst.sdwa() else { return from };
    let (select, is_signed) = (selectors.src_sel[i & 1], selectors.sext[i & 1]);
    if select == DWORD {
        return from;
    }
    // SAFETY: the caller's promise.
    unsafe { sdwa::prepare_sdwa(from, room.0.as_mut_ptr(), select as u32 | if is_signed { sdwa::SEXT } else { 0 }) };
    room.0.as_ptr()
}

impl Fallback {
    /// The fallback of a segment of `insts`.
    pub fn new(insts: &[Inst], inputs: &[Input], moves: &[Moved], mode: u32, width: Width) -> Fallback {
        let moved = inputs.iter().copied().filter(|input| input.slot != input.code).collect();
        Fallback { insts: insts.to_vec(), moved, moves: moves.to_vec(), mode, width, steps: OnceLock::new() }
    }

    fn steps(&self) -> &[Step] {
        self.steps.get_or_init(|| {
            let step = |inst: &Inst| match inst.opcode {
                Opcode::Vopc(op) if op.cmp().pred == Pred::F => Step::Constant(false),
                Opcode::Vopc(op) if op.cmp().pred == Pred::Tru => Step::Constant(true),
                Opcode::Ds(_) | Opcode::Flat(_) | Opcode::Global(_) => {
                    MemoryOp::new(inst).map_or(Step::Nothing, |op| {
                        let helper = op.helper(Level::best());
                        Step::Memory(Box::new(op), helper)
                    })
                }
                _ if may_stand_between(inst) => Step::Nothing,
                // (A test sees that only V_NOP has none.)
                _ => valu::helper(Level::best(), inst).map_or(Step::Nothing, Step::Lanes),
            };
            self.insts.iter().map(step).collect()
        })
    }

    /// Executes all instructions in the active lanes of chunks. Masks are written in all lanes of these.
    ///
    /// # Safety
    ///
    /// `vgprs` and `frame` are as [`SegmentFn`](super::SegmentFn) wants them.
    pub unsafe fn run(&self, vgprs: *mut Vgpr, frame: *mut SegmentFrame, chunks: u64) {
        // SAFETY: the caller's promise. Helpers of memory instructions get the frame that this one is a part of, so no
        // reference to it is kept.
        let slots = unsafe { (*frame).sgpr };
        let lanes = chunks & (slots[126] as u64 | (slots[127] as u64) << 32);
        let sgpr = std::array::from_fn(|code| slots[code]);
        let mut state = State { sgpr, lanes, mode: self.mode, notes: Notes::NONE };
        let mut moved = self.moved.iter().peekable();
        for (at, (inst, step)) in self.insts.iter().zip(self.steps()).enumerate() {
            while let Some(input) = moved.next_if(|input| input.at <= at) {
                state.sgpr[input.code as usize & 127] = slots[input.slot as usize];
            }
            let mask = match step {
                Step::Lanes(chosen) => {
                    let distances = [false, true].map(|is_destination| {
                        let is_wanted = |moved: &&Moved| moved.at == at && moved.is_destination == is_destination;
                        let slot = self.moves.iter().find(is_wanted)?.slot as usize;
                        Some(slots[slot] as i64 | (slots[slot + 1] as i64) << 32)
                    });
                    // SAFETY: the caller's promise.
                    unsafe { state.run(vgprs, inst, chosen, distances) }
                }
                Step::Constant(bit) => lanes * *bit as u64,
                Step::Memory(op, helper) => {
                    // SAFETY: the caller's promise.
                    unsafe { state.run_memory(vgprs, frame, op, *helper) };
                    continue;
                }
                Step::Nothing => continue,
            };
            let code = if matches!(inst.opcode, Opcode::Vopc(_)) { inst.dst() } else { inst.mask_dst() };
            if let Some(code) = code.map(|code| code as usize & 127) {
                let set = |registers: &mut [u32; 128], shift: u32| {
                    let (keep, bits) = (!(chunks >> shift) as u32, (mask >> shift) as u32);
                    let register = &mut registers[(code + (shift / 32) as usize) & 127];
                    *register = *register & keep | bits;
                };
                // SAFETY: the caller's promise.
                for registers in [&mut state.sgpr, unsafe { &mut (*frame).masks }] {
                    set(registers, 0);
                    set(registers, 32);
                }
            }
        }
        // The region raises the notes that the words decide.
        let of_words = self.insts.iter().fold(Notes::NONE, |notes, inst| notes.or(inst.static_notes()));
        let notes = state.notes.without(of_words).low_words();
        // SAFETY: the caller's promise.
        unsafe { (*frame).notes.iter_mut().zip(notes).for_each(|(word, more)| *word |= more) };
    }
}

/// The wave in the course of a segment.
struct State {
    sgpr: [u32; 128],
    lanes: u64,
    mode: u32,
    notes: Notes,
}

impl State {
    fn scalar(&self, inst: &Inst, i: usize) -> [u32; 4] {
        match inst.src(i) {
            Src::Sgpr(code) => std::array::from_fn(|i| self.sgpr[(code as usize + i) & 127]),
            Src::Imm(value) => [value as u32, (value >> 32) as u32, 0, 0],
            // No segment takes the other sources.
            _ => [0; 4],
        }
    }

    /// # Safety
    ///
    /// As for [`Fallback::run`].
    unsafe fn run_memory(&mut self, vgprs: *mut Vgpr, frame: *mut SegmentFrame, op: &MemoryOp, helper: Helper) {
        // SAFETY: the caller's promise; the frame is a part of the whole one, whose context is there.
        unsafe {
            if let Some(whole) = SegmentFrame::whole(frame) {
                ((*whole).memory.exec, (*whole).memory.m0) = (self.lanes, self.sgpr[reg::M0 as usize]);
                if let Some((code, _)) = op.uses().base {
                    let base = self.pair(code);
                    ((*whole).memory.base[0], (*whole).memory.base[1]) = (base as u32, (base >> 32) as u32);
                }
                helper(op, &mut self.notes, vgprs, whole);
            }
        }
    }

    fn pair(&self, code: u8) -> u64 {
        let [low, high] = [0, 1].map(|i| self.sgpr[(code as usize + i) & 127] as u64);
        low | high << 32
    }

    /// Executes an instruction, and returns its mask. `distances` are those of source 0 and of the destination from
    /// VGPR 0, in bytes, where the number of the register is computed.
    ///
    /// # Safety
    ///
    /// As for [`Fallback::run`].
    unsafe fn run(&mut self, vgprs: *mut Vgpr, inst: &Inst, chosen: &Chosen, distances: [Option<i64>; 2]) -> u64 {
        let lanes_of = |n: u8, distance: Option<i64>| match distance {
            Some(distance) => vgprs.wrapping_byte_offset(distance as isize).cast::<u32>(),
            None => vgprs.wrapping_add(n as usize).cast::<u32>(),
        };
        let destination = lanes_of(inst.vdst().unwrap_or_default(), distances[1]);
        let count = inst.src_count();
        let scalars: [Scalar; 3] =
            std::array::from_fn(|i| Scalar(if i < count { self.scalar(inst, i) } else { [0; 4] }));
        let mut parts = [Vgpr([0; LANES]); 2];
        let mut sources = [vgprs.cast::<u32>().cast_const(); 3];
        for (i, source) in sources.iter_mut().enumerate().take(count) {
            *source = match inst.src(i) {
                Src::Vgpr(n) => lanes_of(n, distances[0].filter(|_| i == 0)),
                _ => scalars[i].0.as_ptr().wrapping_byte_add(1),
            };
            // SAFETY: a register or a scalar, and room for a register.
            *source = unsafe { part(inst, i, *source, &mut parts[i & 1]) };
        }
        if inst.desc().fx.has(Fx::RDST) {
            sources[count.min(2)] = destination;
        }
        let mut control = Control {
            flags: chosen.flags.map_or(0, |flags| flags.0),
            mask_in: inst.mask_src().map_or(0, |code| self.pair(code)),
            mode: self.mode,
            arch: inst.arch as u32,
            fast: chosen.fast.flatten(),
            notes: [0; 2],
        };
        let [s0, s1, s2] = sources;
        let placed = inst.sdwa().filter(|selectors| selectors.dst_sel != DWORD);
        let mut results = Vgpr([0; LANES]);
        let d = if placed.is_some() { results.0.as_mut_ptr() } else { destination };
        // SAFETY: the caller's promise; scalars and parts outlive the call.
        let mask = unsafe { (chosen.helper)(d, s0, s1, s2, self.lanes, &mut control) };
        if let Some(selectors) = placed {
            let how = selectors.dst_sel as u32 | (selectors.dst_unused as u32) << 3;
            // SAFETY: the caller's promise.
            unsafe { sdwa::finish_sdwa(destination, results.0.as_ptr(), self.lanes, how) };
        }
        self.notes = self.notes.or(Notes::of_low_words(control.notes));
        if chosen.complement { self.lanes & !mask } else { mask }
    }
}

/// Executes a segment in chunks that its code has left, and returns 0. Bit `chunks - n` of `left` is that of chunk n.
///
/// # Safety
///
/// The promise is that of [`SegmentFn`](super::SegmentFn), and `fallback` is that of the segment.
pub(super) unsafe extern "sysv64" fn resolve(
    vgprs: *mut Vgpr,
    frame: *mut SegmentFrame,
    left: u32,
    fallback: *const Fallback,
) -> u32 {
    // SAFETY: the caller's promise.
    let fallback = unsafe { &*fallback };
    // SAFETY: the caller's promise.
    unsafe { (*frame).left_chunks += left.count_ones() as u64 };
    let width = fallback.width.lanes();
    let (count, all) = (LANES / width, (1 << width) - 1);
    let chunks = (0..count).filter(|chunk| left >> (count - chunk) & 1 == 1);
    let lanes = chunks.fold(0, |lanes, chunk| lanes | all << (width * chunk));
    // SAFETY: the caller's promise.
    unsafe { fallback.run(vgprs, frame, lanes) };
    0
}
