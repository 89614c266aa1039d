//! EXP: an observation of the wave (docs/gcn/graphics.md#exp); messages.

use gcnsim_isa::{ExportAccess, Inst, LANES, Mode, Note, Notes};
use gcnsim_machine::Message;

use super::{Machine, Uses};
use crate::frame::Frame;

/// An EXP instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExportOp {
    access: ExportAccess,
    /// Address of the instruction.
    pub pc: u64,
}

impl ExportOp {
    pub fn new(inst: &Inst) -> Option<ExportOp> {
        Some(ExportOp { access: inst.export_access()?, pc: 0 })
    }

    pub fn uses(&self) -> Uses {
        // VSKIP is in MODE.
        Uses { mode: true, ..Uses::default() }
    }

    /// Adds the export to those of the wave, also if no lane is active.
    #[inline(always)]
    pub fn execute(&self, m: &mut Machine<'_>) {
        if m.scalars.mode & Mode::VSKIP != 0 {
            return;
        }
        let (access, exec) = (self.access, m.scalars.exec);
        let registers = access.sources.map(usize::from);
        let is_missing = |n: &usize| access.en >> n & 1 == 1 && registers[*n] >= m.vgprs.len();
        m.notes.insert_if((0..4).any(|n| is_missing(&n)), Note::RegRange);
        let Some(observed) = m.observed.as_deref_mut() else { return };
        let Some(values) = observed.export_with(access, exec, self.pc) else {
            m.notes.insert(Note::ExportsCut);
            return;
        };
        for (n, values) in values.iter_mut().enumerate().filter(|(n, _)| access.en >> n & 1 == 1) {
            let Some(register) = m.vgprs.get(registers[n]).or(m.vgprs.first()) else { continue };
            match (exec, access.compr) {
                (u64::MAX, false) => *values = register.0,
                (_, false) => component(values, &register.0, exec, 0, u32::MAX),
                (_, true) => component(values, &register.0, exec, 16 * (n as u32 & 1), 0xffff),
            }
        }
    }
}

/// Writes `bits` of a register, from bit `shift` on, in the lanes of `exec`, and 0 in others.
#[inline(always)]
fn component(values: &mut [u32; LANES], register: &[u32; LANES], exec: u64, shift: u32, bits: u32) {
    for (half, exec) in [exec as u32, (exec >> 32) as u32].into_iter().enumerate() {
        let from = LANES / 2 * half;
        for lane in 0..LANES / 2 {
            let active = (exec >> lane & 1).wrapping_neg();
            values[from + lane] = register[from + lane] >> shift & bits & active;
        }
    }
}

/// Adds a message to those of the wave.
///
/// # Safety
/// The pointers are to the wave's notes and the frame, whose `observed` is there; nothing else uses them during the
/// call.
pub unsafe extern "C" fn send_message(notes: *mut Notes, frame: *mut Frame, message: u32, m0: u32, exec: u64, pc: u64) {
    // SAFETY: the caller's promise.
    let (notes, observed) = unsafe { (&mut *notes, &mut *(*frame).observed) };
    let is_kept = observed.message(Message { message: message as u16, m0, exec, pc });
    notes.insert_if(!is_kept, Note::ExportsCut);
}
