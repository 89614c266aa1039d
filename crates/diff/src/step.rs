//! Runs a wave instruction by instruction and shows each one to an observer, with the registers before and after it.

use gcnsim_interp::Interp;
use gcnsim_isa::table::Fx;
use gcnsim_isa::{Inst, LANES, Mode, Program, RegSet, VgprSet, WaveState};
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{Context, Wave, Write};

/// A wave, by the number of its group and its number in the group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct WaveId {
    /// Number of the group, in order of execution.
    pub group: u32,
    /// Number of the wave in its group.
    pub wave: u32,
}

/// The lanes of a vector register.
pub(crate) type Lanes = [u32; LANES];

/// The registers that an instruction reads, as they are before it.
pub(crate) struct Before {
    pub state: WaveState,
    /// The VGPRs that it reads or writes; all VGPRs if a computed number can name any.
    vgprs: Vec<(u8, Lanes)>,
}

impl Before {
    /// Returns VGPR `n` before the instruction, if the instruction reads or writes it.
    pub fn vgpr(&self, n: u8) -> Option<&Lanes> {
        self.vgprs.iter().find(|(number, _)| *number == n).map(|(_, lanes)| lanes)
    }
}

/// An executed instruction.
pub(crate) struct Step<'a> {
    pub id: WaveId,
    pub pc: u64,
    pub inst: Inst,
    pub before: &'a Before,
    pub after: &'a Wave,
    /// The writes outside the wave.
    pub writes: &'a [Write],
    /// The context after the instruction.
    pub context: &'a Context,
    /// The registers that it may write.
    pub written: RegSet,
    /// The registers that it may read.
    pub read: RegSet,
}

impl Step<'_> {
    /// Returns EXEC before the instruction.
    pub fn exec(&self) -> u64 {
        self.before.state.exec()
    }

    /// Returns VGPR `n` after the instruction; `None` if the wave has no such register.
    pub fn vgpr_after(&self, n: u8) -> Option<&Lanes> {
        self.after.vgprs.regs().get(n as usize).map(|vgpr| &vgpr.0)
    }
}

/// An observer of each instruction of each wave.
pub(crate) trait Observer {
    /// Called after an instruction.
    fn step(&mut self, step: &Step<'_>);
}

/// Runs a wave for at most `max` instructions, as the interpreter does, and shows each instruction to `observer`.
pub(crate) fn run(
    observer: &mut dyn Observer,
    id: WaveId,
    (wave, context): (&mut Wave, &mut Context),
    max: u64,
    interp: &mut Interp,
    program: &Program,
) -> Outcome {
    let end = wave.executed.saturating_add(max);
    loop {
        if wave.executed >= end {
            return Outcome::Budget;
        }
        let pc = wave.state.pc & !3;
        let Ok(inst) = program.fetch(pc) else { return interp.run_in(wave, context, 1) };
        let (read, written) = (inst.reads(), inst.writes());
        let before = before(&inst, wave, read.vgprs, written.vgprs);
        let count = wave.executed;
        context.start_recording();
        let outcome = interp.run_in(wave, context, 1);
        let journal = context.stop_recording();
        if wave.executed != count {
            let writes = journal.writes();
            let (before, after) = (&before, &*wave);
            observer.step(&Step { id, pc, inst, before, after, writes, context, written, read });
        }
        if outcome != Outcome::Budget {
            return outcome;
        }
    }
}

/// Returns the registers that an instruction is about to read or write.
fn before(inst: &Inst, wave: &Wave, read: VgprSet, written: VgprSet) -> Before {
    let desc = inst.desc();
    let is_indexed = wave.state.mode & Mode::GPR_IDX_EN != 0 && desc.encoding.name().starts_with('V');
    let is_computed = desc.fx.has(Fx::RVGPRS.or(Fx::WVGPRS));
    let mut wanted = if is_indexed || is_computed { VgprSet::ALL } else { read };
    wanted.union(written);
    let regs = wave.vgprs.regs();
    let take = |n: u8| Some((n, regs.get(n as usize)?.0));
    let vgprs = if wanted.is_empty() { Vec::new() } else { wanted.iter().filter_map(take).collect() };
    Before { state: wave.state.clone(), vgprs }
}
