//! Shows each instruction of a run, with the registers before and after it.

use std::collections::HashMap;

use gcnsim_engine::observe::{self, At, Needs, Observer};
use gcnsim_isa::table::Fx;
use gcnsim_isa::{Inst, LANES, Mode, RegSet, VgprSet, WaveState};
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

/// Sees each instruction of each wave.
pub(crate) trait Follow {
    /// Called after an instruction.
    fn step(&mut self, step: &Step<'_>);
}

/// Observes a run, and shows each instruction to who follows it.
pub(crate) struct Shown<'f> {
    follower: &'f mut dyn Follow,
    /// Numbers of the groups, in the order in which they begin.
    pub groups: HashMap<[u32; 3], u32>,
    /// The instruction that runs, the registers before it, and those that it may read and write.
    pending: Option<(Inst, Before, [RegSet; 2])>,
}

impl<'f> Shown<'f> {
    /// Shows each instruction to `follower`.
    pub fn new(follower: &'f mut dyn Follow) -> Shown<'f> {
        Shown { follower, groups: HashMap::new(), pending: None }
    }
}

impl Observer for Shown<'_> {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        Needs::WRITES
    }

    fn before(&mut self, at: &At<'_>, wave: &mut Wave, _context: &mut Context) {
        self.pending = at.scene.program.fetch(wave.state.pc & !3).ok().map(|inst| {
            let (read, written) = (inst.reads(), inst.writes());
            let before = before(&inst, wave, read.vgprs, written.vgprs);
            (inst, before, [read, written])
        });
    }

    fn after(&mut self, at: &At<'_>, step: &observe::Step<'_>, wave: &Wave, context: &Context) {
        let Some((inst, before, [read, written])) = self.pending.take().filter(|_| step.executed > 0) else { return };
        let next = self.groups.len() as u32;
        let id = WaveId { group: *self.groups.entry(at.group).or_insert(next), wave: at.index };
        let (pc, writes, after) = (step.pc & !3, step.writes, wave);
        self.follower.step(&Step { id, pc, inst, before: &before, after, writes, context, written, read });
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
