//! Runs groups one after the other, on one thread: the waves of a group in turns.
//!
//! Waves of a group have [turns](gcnsim_engine::Group) in the order of their numbers.

use std::time::Instant;

use gcnsim_engine::{
    EngineError, Group, GroupEnd, Member, Observers, Run, Scene, Session, Show, Status, StoppedWave, Watched,
};
use gcnsim_isa::{LANES, Vgpr, WaveState};
use gcnsim_machine::{ClassCounts, Context, Meeting, VgprFile, Wave};

use super::abi::WaveSetup;
use super::place::Placed;

/// How groups start and end.
pub trait Groups {
    /// Sets the waves of a group, LDS and scratch to their initial state.
    fn start(&mut self, id: [u32; 3], group: &mut Group, context: &mut Context);

    /// Function that prepares a context for the turn of a wave.
    fn show(&self) -> Option<impl Fn(&mut Context, usize)>;

    /// A group has ended, or the run has stopped.
    fn end(&mut self, _id: [u32; 3], _group: &mut Group, _end: &GroupEnd) {}
}

/// Runs groups, one after the other, on one thread.
pub struct Runner<'a, 'o, G> {
    /// How groups start and end.
    pub groups: G,
    session: &'a mut Session,
    context: &'a mut Context,
    watched: Option<(&'a Scene, &'a mut Observers<'o>)>,
    /// Waves of the last group, whose memory the next group reuses.
    group: Group,
    /// Number of instructions that all groups together may still execute.
    pub left: u64,
    run: Run,
    overlap: Meeting,
}

impl<'a, 'o, G: Groups> Runner<'a, 'o, G> {
    /// A runner of groups that together execute at most `left` instructions.
    pub fn new(groups: G, session: &'a mut Session, context: &'a mut Context, left: u64) -> Runner<'a, 'o, G> {
        let group = Group::default();
        let (run, overlap) = (Run::default(), Meeting::No);
        Runner { groups, session, context, watched: None, group, left, run, overlap }
    }

    /// Shows the run to observers.
    pub fn show(&mut self, scene: &'a Scene, observers: &'a mut Observers<'o>) {
        self.watched = Some((scene, observers));
    }

    /// Limits each wave to `each` instructions.
    pub fn limit_waves(&mut self, each: u64) {
        self.group.each = each;
    }

    /// Number of instructions of all groups so far.
    pub fn instructions(&self) -> u64 {
        self.run.instructions
    }

    /// Runs a group. Returns whether all of its waves ended. No group may follow one that did not.
    pub fn group(&mut self, id: [u32; 3]) -> bool {
        if self.session.is_stopped() {
            self.run.outcome = Err(EngineError::Interrupted);
            return false;
        }
        let Runner { groups, session, context, watched, group, run, .. } = self;
        groups.start(id, group, context);
        group.begin(self.left);
        let watched = watched.as_mut().map(|(scene, observers)| Watched { scene, group: id, observers });
        let end = {
            let show = groups.show();
            let show = show.as_ref().map(|show| show as Show<'_>);
            session.run_waves(group, context, show, watched, &mut run.stats)
        };
        match &end {
            GroupEnd::Ended => {}
            GroupEnd::Interrupted => run.outcome = Err(EngineError::Interrupted),
            GroupEnd::Stopped(index, outcome) => {
                let wave = group.members[*index].wave.clone();
                run.outcome = outcome.clone();
                run.stopped = Some(Box::new(StoppedWave { group: id, index: *index as u32, wave }));
            }
        }
        run.instructions += self.left - group.left;
        self.left = group.left;
        group.members.iter().for_each(|member| run.add_wave(&member.wave));
        groups.end(id, group, &end);
        end == GroupEnd::Ended
    }

    /// Ends the marks of a group that has ended. Returns whether the next group may run: not if it is not known whether
    /// groups overlap.
    pub fn end_group(&mut self) -> bool {
        match self.context.end_group() {
            Meeting::No => {}
            Meeting::Maybe => self.overlap = Meeting::Maybe,
            // Groups overlap, so the marks have nothing more to show.
            Meeting::Yes => {
                self.overlap = Meeting::Yes;
                self.context.drop_marks();
            }
        }
        self.overlap != Meeting::Maybe
    }

    /// Ends the marks of a group that has ended. Returns whether it may be that no groups overlap.
    pub fn end_group_alone(&mut self) -> bool {
        self.overlap = self.context.end_group();
        self.overlap == Meeting::No
    }

    /// Ends the run, which began at `start`.
    pub fn finish(mut self, start: Instant) -> (Run, G) {
        self.run.stats.add_run_time(start, 0);
        (self.run, self.groups)
    }

    /// Whether a group wrote a byte that another group accessed, as far as marks show it.
    pub fn overlap(&self) -> Meeting {
        self.overlap
    }
}

/// The groups of a kernel.
pub(crate) struct Kernel<'a> {
    placed: &'a Placed,
    setup: &'a WaveSetup,
    /// Number of work-items of the last group in each dimension.
    size: [u32; 3],
    /// The state in which each wave of a group of that size starts.
    starts: Vec<Start>,
}

/// The state in which a wave starts, but for the id of its group.
struct Start {
    state: WaveState,
    /// Local ids of the work-items.
    ids: Vec<Vgpr>,
}

impl<'a> Kernel<'a> {
    /// The groups of a kernel that is placed, whose waves start as `setup` says.
    pub fn new(placed: &'a Placed, setup: &'a WaveSetup) -> Kernel<'a> {
        Kernel { placed, setup, size: [0; 3], starts: Vec::new() }
    }

    /// Prepares for groups of `size` work-items, of which `id` is one.
    fn resize(&mut self, id: [u32; 3], size: [u32; 3], group: &mut Group) {
        let setup = self.setup;
        let start = |index| Start { state: setup.state_in_any(size, index), ids: setup.local_ids(size, index) };
        self.size = size;
        self.starts = (0..setup.waves(id)).map(start).collect();
        let count = self.starts.len();
        let states = self.starts.iter().map(|start| &start.state).skip(group.members.len());
        let wave =
            |state: &WaveState| Wave { vgprs: VgprFile::with_count(setup.vgprs()), ..Wave::from_state(state.clone()) };
        group.members.extend(states.map(|state| Member::new(wave(state))));
        group.members.truncate(count);
    }
}

impl Groups for Kernel<'_> {
    fn start(&mut self, id: [u32; 3], group: &mut Group, context: &mut Context) {
        let Kernel { setup, placed, .. } = *self;
        let size = setup.group_size(id);
        if size != self.size {
            self.resize(id, size, group);
        }
        // To fill no bytes at their made-up address takes the processor 90 ns.
        if !context.lds.is_empty() {
            context.lds.fill(0);
        }
        let is_clear = setup.wave_scratch() == 0 || placed.renew_scratch(context);
        for (index, (member, start)) in (0..).zip(group.members.iter_mut().zip(&self.starts)) {
            let Member { wave, status, .. } = member;
            let Wave { state, vgprs, executed, classes, last_pc, observed } = wave;
            state.clone_from(&start.state);
            setup.set_group(id, state);
            let vgprs = vgprs.regs_mut();
            let (first, rest) = vgprs.split_at_mut(start.ids.len().min(vgprs.len()));
            copy(&start.ids, first);
            clear(rest);
            (*executed, *classes, *last_pc) = (0, ClassCounts::default(), None);
            observed.clear();
            *status = Status::Ready;
            if !is_clear {
                placed.show_scratch(context, index);
                placed.clear_scratch(context);
            }
        }
    }

    fn show(&self) -> Option<impl Fn(&mut Context, usize)> {
        let placed = self.placed;
        let show = move |context: &mut Context, index: usize| placed.show_scratch(context, index as u32);
        (self.setup.wave_scratch() > 0).then_some(show)
    }
}

/// Sets registers to zero, four at a time: for 2 KiB and more at once the C library has an instruction of the processor
/// store them, which takes 50 ns to begin.
fn clear(vgprs: &mut [Vgpr]) {
    // The compiler must not see how many: it would join the pieces.
    let count = std::hint::black_box(4);
    for piece in vgprs.chunks_mut(count) {
        piece.fill(Vgpr([0; LANES]));
    }
}

/// Copies the registers that both slices have.
fn copy(from: &[Vgpr], to: &mut [Vgpr]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
