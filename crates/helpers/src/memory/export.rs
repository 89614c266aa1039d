//! EXP: an observation of the wave (docs/gcn/graphics.md#exp); messages.

use gcnsim_isa::{ExportAccess, Inst, LANES, Mode, Note, Notes};
use gcnsim_machine::{Export, Message};

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
        // VSKIP.
        Uses { mode: true, ..Uses::default() }
    }

    /// Adds the export to those of the wave, also if no lane is active.
    #[inline(always)]
    pub fn execute(&self, m: &mut Machine<'_>) {
        if m.scalars.mode & Mode::VSKIP != 0 {
            return;
        }
        let (access, exec) = (self.access, m.scalars.exec);
        let mut values = Box::new([[0; LANES]; 4]);
        for (component, values) in values.iter_mut().enumerate().filter(|(n, _)| access.en >> n & 1 == 1) {
            let number = usize::from(access.sources[component]);
            m.notes.insert_if(number >= m.vgprs.len(), Note::RegRange);
            let Some(register) = m.vgprs.get(number).or(m.vgprs.first()) else { continue };
            let (shift, bits) = match (access.compr, component & 1) {
                (false, _) => (0, u32::MAX),
                (true, half) => (16 * half as u32, 0xffff),
            };
            for (half, exec) in [exec as u32, (exec >> 32) as u32].into_iter().enumerate() {
                let from = LANES / 2 * half;
                for lane in 0..LANES / 2 {
                    let active = (exec >> lane & 1).wrapping_neg();
                    values[from + lane] = register.0[from + lane] >> shift & bits & active;
                }
            }
        }
        let Some(observed) = m.observed.as_deref_mut() else { return };
        let is_kept = observed.export(Export { access, exec, pc: self.pc, values });
        m.notes.insert_if(!is_kept, Note::ExportsCut);
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
