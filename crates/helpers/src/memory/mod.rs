//! Memory instructions as compiled code executes them (docs/gcn/memory.md): SMRD, SMEM, FLAT, GLOBAL, SCRATCH, MUBUF,
//! MTBUF, MIMG, DS; EXP, which is lowered like them.
//!
//! A region has a [`MemoryOp`] for each memory instruction in it, made when it is compiled. Compiled code stores the
//! scalar operands to [`Scalars`] in the frame and calls the op's [helper](MemoryOp::helper). The helper checks the
//! accesses of all active lanes before any takes effect. One that memory does not allow returns [`REFUSED`] and has
//! changed nothing: compiled code leaves the region before the instruction, and the interpreter executes it and names
//! the fault.
//!
//! Modules by encoding: `scalar`, `flat`, `buffer`, `image`, `ds`. The operations of atomics are in `atomics`.

mod atomics;
mod buffer;
mod buffer_fast;
mod buffer_format;
mod convert;
mod descriptor;
mod ds;
mod element;
mod exchange;
mod export;
mod fast;
mod flat;
mod format;
mod format_fast;
mod image;
mod registers;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod site;
mod untyped;

use std::cell::Cell;

use gcnsim_isa::{Arch, Inst, Note, Notes, Opcode, Vgpr};
use gcnsim_machine::{Context, Guess, Observed};

use crate::Level;
use crate::frame::Frame;
use crate::host::lanes::lanes;
use crate::host::{Host, by_level};
pub use export::send_message;
pub use image::ImageCache;
#[cfg(target_arch = "x86_64")]
pub use site::SiteLoad;

/// The return value of a helper that has executed its instruction.
pub const DONE: u32 = 0;
/// The return value of a helper if memory refuses an access. Nothing has changed then.
pub const REFUSED: u32 = 1;

/// Scalar operands, as they are before the instruction. Compiled code stores those that [`MemoryOp::uses`] asks
/// for.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct Scalars {
    /// EXEC; no lanes if VSKIP skips the instruction.
    pub exec: u64,
    /// The address pair or the buffer descriptor: registers from the base on.
    pub base: [u32; 4],
    /// The image descriptor.
    pub image: [u32; 8],
    /// The sampler descriptor.
    pub sampler: [u32; 4],
    /// The scalar offset: the offset register of SMEM, SOFFSET of MUBUF, SADDR of SCRATCH.
    pub offset: u32,
    /// M0.
    pub m0: u32,
    /// FLAT_SCRATCH, the low register first.
    pub flat_scratch: [u32; 2],
    /// MODE.
    pub mode: u32,
    /// Number of instructions that the wave completed before this one (S_MEMTIME).
    pub completed: u64,
    /// In: data that a scalar store or atomic takes. Out: the result of a scalar load or atomic, 0 in registers it does
    /// not write.
    pub data: [u32; 16],
}

/// The [`Scalars`] that an instruction reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// First register of the base, and the number of registers (0, 2 or 4).
    pub base: Option<(u8, u8)>,
    /// First register of the image descriptor, and the number of registers (0, 4 or 8).
    pub image: Option<(u8, u8)>,
    /// First register of the sampler descriptor, and the number of registers (0 or 4).
    pub sampler: Option<(u8, u8)>,
    /// The scalar offset (see [`Scalars::offset`]).
    pub offset: Option<gcnsim_isa::Src>,
    /// M0.
    pub m0: bool,
    /// FLAT_SCRATCH.
    pub flat_scratch: bool,
    /// MODE.
    pub mode: bool,
    /// The clock.
    pub completed: bool,
    /// First register of the data that a scalar instruction takes, and the number of registers.
    pub data: Option<(u8, u8)>,
    /// First register of the result of a scalar instruction, and the number of registers.
    pub result: Option<(u8, u8)>,
}

/// A memory instruction, ready to be executed.
#[derive(Debug)]
pub struct MemoryOp {
    action: Action,
    arch: Arch,
    /// The mapping that the instruction reached last.
    guess: Guess,
    /// The site that a load tells what it reaches, and the helper that loads.
    site: Option<(Helper, u8)>,
    /// Whether a scalar load is executed before its turn.
    is_ahead: bool,
}

/// The place that an instruction reached last, in this thread. It is only a hint.
#[derive(Default, Debug)]
pub(crate) struct Walk(Cell<u32>);

/// Walks of instructions. Some share one: then what is fetched ahead is of no use.
#[derive(Default, Debug)]
pub struct Walks([Walk; 16]);

impl Walks {
    /// The walk of an instruction.
    #[inline(always)]
    fn of(&self, op: &MemoryOp) -> &Walk {
        &self.0[std::ptr::from_ref(op).addr() / size_of::<MemoryOp>() % self.0.len()]
    }
}

/// Binary logarithm of the number of steps between what an instruction reaches and what is fetched ahead.
pub const STEPS_AHEAD: u8 = 2;

impl Walk {
    /// Goes on to another place. Returns the distance from there to the place that is reached in a few steps, if the
    /// next ones are as long as this one.
    #[inline(always)]
    fn ahead(&self, place: *const u8) -> isize {
        let place = place as usize as u32;
        let before = self.0.replace(place);
        ((place.wrapping_sub(before) as i32) << STEPS_AHEAD) as isize
    }
}

/// The instruction, by encoding.
#[derive(Clone, Copy, Debug)]
enum Action {
    Scalar(scalar::ScalarOp),
    Share(ds::ShareOp),
    Flat(flat::FlatOp),
    Buffer(buffer::BufferOp),
    Image(image::ImageOp),
    Export(export::ExportOp),
}

/// Executes the instruction for the lanes of [`Scalars::exec`]. Returns [`DONE`] or [`REFUSED`].
///
/// # Safety
/// The pointers are to the op, the wave's notes, its VGPRs (as many as [`Frame::vgpr_count`] says) and the frame, whose
/// context is there, and for an export [`Frame::observed`]; nothing else uses them during the call.
pub type Helper = unsafe extern "C" fn(*const MemoryOp, *mut Notes, *mut Vgpr, *mut Frame) -> u32;

/// An access that memory does not allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refused;

/// The state that an instruction works on.
pub(crate) struct Machine<'a> {
    pub arch: Arch,
    pub scalars: &'a mut Scalars,
    pub vgprs: &'a mut [Vgpr],
    pub context: &'a mut Context,
    /// Exports of the wave, for an export.
    pub observed: Option<&'a mut Observed>,
    /// The mapping that the instruction reached last.
    pub guess: &'a Guess,
    /// The place that it reached last.
    pub walk: &'a Walk,
    /// Images that instructions have met.
    pub images: &'a mut ImageCache,
    /// Notes raised so far. They become the wave's when the instruction completes.
    pub notes: Notes,
    /// Notes that the wave had before. Work that could only raise these is skipped.
    pub noted: Notes,
}

impl MemoryOp {
    /// The op of an instruction; `None` if compiled code does not execute the instruction.
    pub fn new(inst: &Inst) -> Option<MemoryOp> {
        let action = match inst.opcode {
            Opcode::Smrd(_) | Opcode::Smem(_) => Action::Scalar(scalar::ScalarOp::new(inst)?),
            Opcode::Ds(_) => Action::Share(ds::ShareOp::new(inst)?),
            Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => Action::Flat(flat::FlatOp::new(inst)?),
            Opcode::Mubuf(_) | Opcode::Mtbuf(_) => Action::Buffer(buffer::BufferOp::new(inst)?),
            Opcode::Mimg(_) => Action::Image(image::ImageOp::new(inst)?),
            Opcode::Exp(_) => Action::Export(export::ExportOp::new(inst)?),
            _ => return None,
        };
        Some(MemoryOp { action, arch: inst.arch, guess: Guess::default(), site: None, is_ahead: false })
    }

    /// The op with the address of its instruction.
    pub fn at(mut self, pc: u64) -> MemoryOp {
        if let Action::Export(op) = &mut self.action {
            op.pc = pc;
        }
        self
    }

    /// The op of a load that tells a site what it reaches. `level` is as in [`MemoryOp::helper`].
    pub fn at_site(mut self, site: u8, level: Level) -> MemoryOp {
        self.site = Some((self.helper(level), site));
        self
    }

    /// The op of a scalar load that is executed before its turn, which may not come. So nobody may see it: where it
    /// would raise a note, be marked, or reach what is not mapped, it is refused.
    pub fn ahead(mut self) -> MemoryOp {
        self.is_ahead = true;
        self
    }

    /// The scalars that the instruction needs.
    pub fn uses(&self) -> Uses {
        match &self.action {
            Action::Scalar(op) => op.uses(),
            Action::Share(op) => op.uses(),
            Action::Flat(op) => op.uses(),
            Action::Buffer(op) => op.uses(),
            Action::Image(op) => op.uses(),
            Action::Export(op) => op.uses(),
        }
    }

    /// The helper for a level; for the host's own level if the host lacks it.
    pub fn helper(&self, level: Level) -> Helper {
        if self.site.is_some() {
            return site::load_and_learn;
        }
        match &self.action {
            Action::Scalar(op) if self.is_ahead => op.helper_ahead(),
            Action::Scalar(op) => op.helper(),
            Action::Share(op) => op.helper(level),
            Action::Flat(op) => op.helper(level),
            Action::Buffer(op) => op.helper(level),
            Action::Image(op) => op.helper(level),
            Action::Export(_) => on_level::<Exported>(level),
        }
    }

    fn run(&self, machine: &mut Machine<'_>) -> Result<(), Refused> {
        match &self.action {
            Action::Scalar(op) => op.execute(machine),
            Action::Share(op) => op.execute(machine),
            Action::Flat(op) => op.execute(machine),
            Action::Buffer(op) => op.execute(machine),
            Action::Image(op) => op.execute(machine),
            Action::Export(op) => {
                op.execute(machine);
                Ok(())
            }
        }
    }
}

/// The function of a helper.
trait Body {
    fn run<H: Host>(host: H, op: &MemoryOp, machine: &mut Machine<'_>) -> Result<(), Refused>;
}

/// The function of rows without a faster helper.
struct Any;

impl Body for Any {
    fn run<H: Host>(_: H, op: &MemoryOp, machine: &mut Machine<'_>) -> Result<(), Refused> {
        op.run(machine)
    }
}

/// The function of exports.
struct Exported;

impl Body for Exported {
    #[inline(always)]
    fn run<H: Host>(_: H, op: &MemoryOp, machine: &mut Machine<'_>) -> Result<(), Refused> {
        if let Action::Export(op) = &op.action {
            op.execute(machine);
        }
        Ok(())
    }
}

by_level! {
    /// The helper for a level, where its vector instructions help.
    fn on_level, execute[B: Body][B] -> Helper:
    extern "C" fn(op: *const MemoryOp, notes: *mut Notes, vgprs: *mut Vgpr, frame: *mut Frame) -> u32
        = |host| call::<B, _>(host, op, notes, vgprs, frame)
}

/// The common function of the helpers of all levels.
///
/// # Safety
/// See [`Helper`].
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn call<B: Body, H: Host>(
    host: H,
    op: *const MemoryOp,
    notes: *mut Notes,
    vgprs: *mut Vgpr,
    frame: *mut Frame,
) -> u32 {
    // SAFETY: the caller's promise.
    let (op, notes, frame) = unsafe { (&*op, &mut *notes, &mut *frame) };
    // SAFETY: the caller's promise; the wave has this many.
    let vgprs = unsafe { std::slice::from_raw_parts_mut(vgprs, frame.vgpr_count as usize) };
    // SAFETY: the context is the run's, and compiled code does not touch it otherwise.
    let context = unsafe { &mut *frame.context };
    let (scalars, images) = (&mut frame.memory, &mut frame.images);
    let observed = match op.action {
        // SAFETY: it is the wave's, and compiled code does not touch it otherwise.
        Action::Export(_) => Some(unsafe { &mut *frame.observed }),
        _ => None,
    };
    if !matches!(op.action, Action::Scalar(_) | Action::Export(_)) && scalars.exec == 0 {
        return DONE;
    }
    let (guess, walk) = (&op.guess, frame.walks.of(op));
    let (arch, noted) = (op.arch, *notes);
    let mut machine =
        Machine { arch, scalars, vgprs, context, observed, guess, walk, images, notes: Notes::NONE, noted };
    match B::run(host, op, &mut machine) {
        Ok(()) => {
            if !machine.notes.is_empty() {
                *notes = notes.or(machine.notes);
            }
            DONE
        }
        Err(Refused) => REFUSED,
    }
}

#[cfg(test)]
impl<'a> Machine<'a> {
    /// A machine for tests, without notes or a mapping reached before.
    fn of_test(
        arch: Arch,
        scalars: &'a mut Scalars,
        vgprs: &'a mut [Vgpr],
        context: &'a mut Context,
        guess: &'a Guess,
    ) -> Machine<'a> {
        let (observed, notes, noted) = (None, Notes::NONE, Notes::NONE);
        let (walk, images) = (Box::leak(Box::default()), Box::leak(Box::default()));
        Machine { arch, scalars, vgprs, context, observed, guess, walk, images, notes, noted }
    }
}

impl Machine<'_> {
    /// The value of `lane` in VGPR `first + n` as a source. A register that the wave does not have is v0.
    pub fn vgpr(&mut self, first: u8, n: u8, lane: usize) -> u32 {
        let number = first as usize + n as usize;
        self.notes.insert_if(number >= self.vgprs.len(), Note::RegRange);
        self.vgprs.get(number).or(self.vgprs.first()).map_or(0, |register| register.0[lane])
    }

    /// Whether the wave has all registers of a destination. If not, the instruction does nothing.
    pub fn has_destination(&mut self, first: u8, count: u8) -> bool {
        let has_all = count == 0 || first as usize + count as usize <= self.vgprs.len();
        self.notes.insert_if(!has_all, Note::RegRange);
        has_all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_go_on_in_equal_steps() {
        let walk = Walk::default();
        let ahead = [0x1000, 0x1100, 0x1200, 0x0c00, 0x0c00].map(|at: usize| walk.ahead(at as *const u8));
        assert_eq!(ahead[1..], [1024, 1024, -0x1800, 0]);
    }
}
