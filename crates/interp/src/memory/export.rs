//! EXP: an observation of the wave (docs/gcn/graphics.md#exp).

use gcnsim_isa::{ExportAccess, Inst, LANES, Mode, Note, Notes};
use gcnsim_machine::{Export, Wave};

/// A predecoded export.
#[derive(Clone, Copy)]
pub(super) struct ExportOp {
    access: ExportAccess,
    /// Address of the instruction.
    pub pc: u64,
}

impl ExportOp {
    pub fn new(inst: &Inst) -> Option<ExportOp> {
        Some(ExportOp { access: inst.export_access()?, pc: 0 })
    }

    /// Adds the export to those of the wave, also if no lane is active. Under VSKIP there is none.
    pub fn execute(&self, wave: &mut Wave) -> Notes {
        let mut notes = Notes::NONE;
        if wave.state.mode & Mode::VSKIP != 0 {
            return notes;
        }
        let (access, exec, vgprs) = (self.access, wave.state.exec(), wave.vgprs.regs());
        let mut values = [[0; LANES]; 4];
        for (component, values) in values.iter_mut().enumerate() {
            if access.en >> component & 1 == 0 {
                continue;
            }
            let number = usize::from(access.sources[component]);
            notes.insert_if(number >= vgprs.len(), Note::RegRange);
            let Some(register) = vgprs.get(number).or(vgprs.first()) else { continue };
            for (lane, value) in values.iter_mut().enumerate() {
                let dword = register.0[lane];
                let is_active = exec >> lane & 1 == 1;
                *value = match (is_active, access.compr) {
                    (false, _) => 0,
                    (true, false) => dword,
                    (true, true) => dword >> (16 * (component & 1)) & 0xffff,
                };
            }
        }
        let is_kept = wave.observed.export(Export { access, exec, pc: self.pc, values });
        notes.insert_if(!is_kept, Note::ExportsCut);
        notes
    }
}
