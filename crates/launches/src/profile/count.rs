//! Counts the instructions that a dispatch executes.

use std::collections::HashMap;
use std::mem;

use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Flow, Inst, Kind, Mode, Opcode, Program, WaveState};
use gcnsim_machine::{Access, Context};

use gcnsim_engine::observe::{At, Entry, Needs, Observer, Scene, Step};
use gcnsim_interp::{Footprint, MemoryOp, Pattern};
use gcnsim_machine::ClassCounts;
use gcnsim_machine::Wave;

/// Watches a dispatch and counts by instruction.
#[derive(Default)]
pub struct Counter {
    /// Counts by dword of the code; `None` where nothing was executed.
    sites: Vec<Option<Box<CountedSite>>>,
    /// Number of lanes that each wave of the group began with.
    lanes: Vec<u32>,
    /// The same of groups that are set aside.
    aside: HashMap<[u32; 3], Vec<u32>>,
    /// Address of the first dword, as the file states it.
    base: u64,
    /// Facts about the instruction that runs.
    before: Option<Before>,
}

/// An instruction with its counts.
pub struct CountedSite {
    /// The instruction.
    pub inst: Inst,
    memory: Option<MemoryOp>,
    /// Number of executions.
    pub executed: u64,
    /// Sum of the active lanes over all executions.
    pub lanes: u64,
    /// Counts of the instruction's accesses.
    pub accesses: Accesses,
    /// Number of executions that took the branch.
    pub taken: u64,
    /// Number of executions of a branch in which lanes disagreed.
    pub split: u64,
}

/// Counts of accesses by their pattern, and of the memory that they touch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Accesses {
    /// Number of accesses in which each lane's data follow those of the lane before.
    pub consecutive: u64,
    /// Number of accesses in which all lanes have one address.
    pub uniform: u64,
    /// Number of all other accesses.
    pub random: u64,
    /// Number of 64-byte lines that an access to memory touches.
    pub lines: Spread,
    /// Number of cycles that an access to LDS takes.
    pub cycles: Spread,
    /// Number of these cycles that bank conflicts cause.
    pub conflicts: Spread,
}

/// Statistics of a number that each access has.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spread {
    /// Number of accesses.
    pub count: u64,
    /// Sum of the numbers of all accesses.
    pub sum: u64,
    /// The largest number.
    pub max: u32,
}

impl Spread {
    fn add(&mut self, number: u32) {
        self.count += 1;
        self.sum += u64::from(number);
        self.max = self.max.max(number);
    }

    fn add_all(&mut self, other: Spread) {
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }
}

impl Accesses {
    fn add(&mut self, footprint: Footprint) {
        let count = match footprint.pattern {
            Pattern::Consecutive => &mut self.consecutive,
            Pattern::Uniform => &mut self.uniform,
            Pattern::Random => &mut self.random,
        };
        *count += 1;
        footprint.lines.into_iter().for_each(|lines| self.lines.add(lines));
        if let Some(banks) = footprint.banks {
            self.cycles.add(banks.cycles);
            self.conflicts.add(banks.conflicts);
        }
    }

    /// Adds other counts.
    pub fn add_all(&mut self, other: Accesses) {
        self.consecutive += other.consecutive;
        self.uniform += other.uniform;
        self.random += other.random;
        self.lines.add_all(other.lines);
        self.cycles.add_all(other.cycles);
        self.conflicts.add_all(other.conflicts);
    }
}

/// Facts about an instruction that are taken before it is executed.
struct Before {
    lanes: u32,
    footprint: Option<Footprint>,
    is_split: bool,
    next: u64,
}

impl CountedSite {
    fn new(inst: Inst) -> CountedSite {
        let memory = MemoryOp::new(&inst).filter(|op| op.access().is_some());
        CountedSite { inst, memory, executed: 0, lanes: 0, accesses: Accesses::default(), taken: 0, split: 0 }
    }

    /// Returns the kind of the instruction's access to memory or LDS by lanes, if it has one.
    pub fn access(&self) -> Option<Access> {
        self.memory.as_ref()?.access()
    }

    /// Whether the instruction is a branch with two ways.
    pub fn is_branch(&self) -> bool {
        self.inst.flow() == Flow::CondBranch
    }

    fn before(&self, wave: &mut Wave, context: &mut Context, all_lanes: u32) -> Before {
        let is_skipped = wave.state.mode & Mode::VSKIP != 0;
        Before {
            lanes: if is_skipped { 0 } else { wave.state.exec().count_ones() },
            footprint: self.memory.as_ref().and_then(|memory| memory.footprint(wave, context)),
            is_split: self.is_branch() && is_split(self.inst.opcode, &wave.state, all_lanes),
            next: wave.state.pc.wrapping_add(u64::from(self.inst.size())),
        }
    }

    fn after(&mut self, before: &Before, pc: u64) {
        self.executed += 1;
        self.lanes += u64::from(before.lanes);
        self.split += u64::from(before.is_split);
        self.taken += u64::from(self.is_branch() && pc != before.next);
        if let Some(footprint) = before.footprint {
            self.accesses.add(footprint);
        }
    }
}

/// Whether some lanes want to take a branch and others do not. On a branch on EXEC all lanes vote that the wave began
/// with, on a branch on VCC the active lanes. On other branches no lanes vote.
fn is_split(opcode: Opcode, state: &WaveState, all_lanes: u32) -> bool {
    let exec = state.exec();
    let voters = state.vcc() & exec;
    match opcode {
        Opcode::Sopp(Sopp::SCbranchExecz | Sopp::SCbranchExecnz) => exec != 0 && exec.count_ones() < all_lanes,
        Opcode::Sopp(Sopp::SCbranchVccz | Sopp::SCbranchVccnz) => voters != 0 && voters != exec,
        _ => false,
    }
}

impl Counter {
    /// Returns the executed instructions in order, each with its address as the file states it.
    pub fn sites(&self) -> impl Iterator<Item = (u64, &CountedSite)> {
        let numbered = self.sites.iter().enumerate();
        numbered.filter_map(|(i, site)| Some((self.base.wrapping_add(4 * i as u64), site.as_deref()?)))
    }

    /// Returns the number of executed instructions by class.
    pub fn classes(&self) -> ClassCounts {
        let mut classes = ClassCounts::default();
        self.sites().for_each(|(_, site)| classes.add(site.inst.desc().kind, site.executed));
        classes
    }

    /// Returns the instruction at an address as the file states it, if it was executed.
    pub fn at(&self, pc: u64) -> Option<&CountedSite> {
        self.sites.get((pc.checked_sub(self.base)? / 4) as usize)?.as_deref()
    }

    fn site(&mut self, program: &Program, pc: u64) -> Option<&mut CountedSite> {
        let index = program.word_index(pc & !3)?;
        if self.sites.len() <= index {
            self.sites.resize_with(index + 1, || None);
        }
        let place = &mut self.sites[index];
        if place.is_none() {
            *place = Some(Box::new(CountedSite::new(program.fetch(pc & !3).ok()?)));
        }
        place.as_deref_mut()
    }
}

impl Observer for Counter {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        Needs::STEPS
    }

    fn enter(&mut self, _scene: &Scene, group: [u32; 3], entry: Entry) {
        if entry == Entry::GoesOn {
            self.lanes = self.aside.remove(&group).unwrap_or_default();
        }
    }

    fn set_aside(&mut self, group: [u32; 3]) {
        self.aside.insert(group, mem::take(&mut self.lanes));
    }

    fn before(&mut self, at: &At<'_>, wave: &mut Wave, context: &mut Context) {
        let program = &at.scene.program;
        self.base = at.scene.address_of_file(program.base());
        let index = at.index as usize;
        self.lanes.resize(self.lanes.len().max(index + 1), 0);
        if wave.executed == 0 {
            self.lanes[index] = wave.state.exec().count_ones();
        }
        let all_lanes = self.lanes[index];
        self.before = self.site(program, wave.state.pc).map(|site| site.before(wave, context, all_lanes));
    }

    fn after(&mut self, at: &At<'_>, step: &Step<'_>, wave: &Wave, _context: &Context) {
        let Some(before) = self.before.take().filter(|_| step.executed > 0) else { return };
        if let Some(site) = self.site(&at.scene.program, step.pc) {
            site.after(&before, wave.state.pc);
        }
    }
}

/// Whether instructions of a class work on lanes.
pub(super) fn has_lanes(kind: Kind) -> bool {
    use Kind::{Branch, Export, Image, Lds, Other, Salu, Scmp, Smem, System, Valu, Vcmp, Vmem};
    match kind {
        Vcmp | Valu | Vmem | Lds | Image | Export | Other => true,
        Salu | Scmp | Branch | System | Smem => false,
    }
}
