//! Memory instructions: SMRD, SMEM, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF and DS (docs/gcn/memory.md); EXP. MIMG begins
//! here, too; what it does is in [`crate::image`].
//!
//! An instruction is predecoded into a [`MemoryOp`]: the function of its encoding, and what that wants to know of the
//! words. Every encoding's module makes an `Action` of what the row moves ([`gcnsim_isa::table::Transfer`]), and says
//! how an address is made. What is common is here and in three modules: [`lanes`] makes the accesses of all lanes,
//! [`transfer`] says what registers hold of narrow and wide data, [`atomics`] what atomics compute. [`format`] converts
//! between memory and registers for formatted buffer accesses, [`lane_exchange`] has the DS instructions that touch no
//! memory.
//!
//! All active lanes are checked before any of them takes effect, and all sources are read before anything is written:
//! an access that memory does not allow leaves everything as it was.

pub(super) mod atomics;
mod buffer;
mod ds;
mod export;
mod flat;
pub(super) mod format;
mod lane_exchange;
pub(super) mod lanes;
mod pattern;
mod smem;
#[cfg(test)]
mod tests;
pub(super) mod transfer;

use gcnsim_isa::{Arch, Inst, Mode, Note, Notes, Opcode, Vgpr, WaveState};
use gcnsim_machine::{Answers, Context, MemoryFault};

use super::image::ImageOp;
use super::op::{Env, Exit, Op};
use gcnsim_machine::Wave;

pub use pattern::{Effect, Footprint, Pattern, Touch};
pub(super) use smem::{is_clock, read_clock};

/// A predecoded memory instruction.
#[derive(Clone, Copy)]
pub struct MemoryOp {
    action: Action,
    arch: Arch,
    /// Notes that its words decide.
    notes: Notes,
}

/// The instruction, by encoding.
#[derive(Clone, Copy)]
enum Action {
    Scalar(smem::ScalarOp),
    Share(ds::ShareOp),
    Flat(flat::FlatOp),
    Buffer(buffer::BufferOp),
    Image(ImageOp),
    Export(export::ExportOp),
}

/// An access that memory does not allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refused {
    pub fault: MemoryFault,
    /// The case that made it a fault, if that is a choice of ours.
    pub note: Option<Note>,
}

impl From<MemoryFault> for Refused {
    fn from(fault: MemoryFault) -> Refused {
        Refused { fault, note: None }
    }
}

/// The state that a vector memory or DS instruction works on.
pub(super) struct Machine<'a> {
    pub arch: Arch,
    pub state: &'a WaveState,
    pub vgprs: &'a mut [Vgpr],
    pub context: &'a mut Context,
    /// Notes met so far. They are the wave's when the instruction completes.
    pub notes: Notes,
}

impl MemoryOp {
    /// Predecodes an instruction; `None` if it is no memory instruction, or one that is not executed like this.
    pub fn new(inst: &Inst) -> Option<MemoryOp> {
        let action = match inst.opcode {
            Opcode::Smrd(_) | Opcode::Smem(_) => Action::Scalar(smem::ScalarOp::new(inst)?),
            Opcode::Ds(_) => Action::Share(ds::ShareOp::new(inst)?),
            Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => Action::Flat(flat::FlatOp::new(inst)?),
            Opcode::Mubuf(_) | Opcode::Mtbuf(_) => Action::Buffer(buffer::BufferOp::new(inst)?),
            Opcode::Mimg(_) => Action::Image(ImageOp::new(inst)?),
            Opcode::Exp(_) => Action::Export(export::ExportOp::new(inst)?),
            _ => return None,
        };
        Some(MemoryOp { action, arch: inst.arch, notes: inst.static_notes() })
    }

    /// The instruction at an address.
    pub(super) fn at(mut self, pc: u64) -> MemoryOp {
        if let Action::Export(op) = &mut self.action {
            op.pc = pc;
        }
        self
    }

    /// Executes it. VSKIP skips all but scalar memory.
    fn execute(&self, wave: &mut Wave, context: &mut Context) -> Result<Notes, Refused> {
        if let Action::Scalar(op) = &self.action {
            return op.execute(&mut wave.state, context);
        }
        if let Action::Export(op) = &self.action {
            return Ok(op.execute(wave));
        }
        if wave.state.mode & Mode::VSKIP != 0 || wave.state.exec() == 0 {
            return Ok(Notes::NONE);
        }
        let (arch, state, vgprs) = (self.arch, &wave.state, wave.vgprs.regs_mut());
        let mut machine = Machine { arch, state, vgprs, context, notes: Notes::NONE };
        match &self.action {
            Action::Scalar(_) | Action::Export(_) => {}
            Action::Share(op) => op.execute(&mut machine)?,
            Action::Flat(op) => op.execute(&mut machine)?,
            Action::Buffer(op) => op.execute(&mut machine)?,
            Action::Image(op) => op.execute(&mut machine)?,
        }
        Ok(machine.notes)
    }

    /// The note that says why this simulator does not execute it with the operands that it has now.
    fn unsupported(&self, wave: &Wave, context: &Context) -> Option<Note> {
        match &self.action {
            Action::Image(_) if context.world().is_some() => None,
            Action::Image(op) => op.unsupported(self.arch, &wave.state),
            Action::Scalar(_) | Action::Share(_) | Action::Flat(_) => None,
            Action::Buffer(_) | Action::Export(_) => None,
        }
    }
}

impl MemoryOp {
    /// Executes an instruction that memory has refused, and that has changed nothing, in a world: makes the pages that
    /// it needs. Outside a world, and where a world has no room, it is refused.
    #[cold]
    #[inline(never)]
    fn touch(&self, wave: &mut Wave, context: &mut Context, refused: Refused) -> Result<Notes, Refused> {
        let mut done = Err(refused);
        while let Err(Refused { fault, .. }) = &done
            && context.touch(fault.address, fault.bytes, fault.access)
        {
            done = self.execute(wave, context);
        }
        done
    }

    /// Executes an instruction that memory has refused, and that has changed nothing, with the context's peripheral.
    /// The peripheral is asked for all lanes before it does anything.
    #[cold]
    #[inline(never)]
    fn ask_peripheral(&self, wave: &mut Wave, context: &mut Context, refused: Refused) -> Result<Notes, Refused> {
        if context.peripheral.is_none() {
            return Err(refused);
        }
        context.peripheral_answers = Answers::Asks;
        let asked = self.execute(&mut wave.clone(), context);
        context.peripheral_answers = Answers::Yes;
        let done = asked.and_then(|_| self.execute(wave, context));
        context.peripheral_answers = Answers::Never;
        done
    }
}

/// Executes a memory instruction. Where memory does not allow it, the run stops before it: only a note that explains
/// the fault is left.
pub(super) fn run_memory(wave: &mut Wave, ops: &[Op], scc: bool, env: &mut Env) -> Exit {
    let [op, rest @ ..] = ops else { return Exit::end(scc) };
    env.make_ready();
    if let Some(memory) = env.tables.accesses.get(op.imm[0] as usize) {
        // SCC may be a source of the instruction.
        wave.state.scc = scc as u32;
        if let Some(note) = memory.unsupported(wave, env.context) {
            wave.state.notes.insert(note);
            (env.context.fault, env.context.unsupported) = (None, Some(note.code()));
            env.stopped = Some(ops.len());
            return Exit::end(scc);
        }
        let done = memory.execute(wave, env.context).or_else(|refused| memory.touch(wave, env.context, refused));
        match done.or_else(|refused| memory.ask_peripheral(wave, env.context, refused)) {
            Ok(notes) => wave.state.notes = wave.state.notes.or(memory.notes).or(notes),
            Err(refused) => {
                refused.note.into_iter().for_each(|note| wave.state.notes.insert(note));
                (env.context.fault, env.context.unsupported) = (Some(refused.fault), None);
                env.stopped = Some(ops.len());
                return Exit::end(scc);
            }
        }
    }
    (op.next)(wave, rest, scc, env)
}
