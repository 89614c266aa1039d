//! Runs groups on one thread: the waves of a group in turns, and one group after the other as long as none waits.
//!
//! Waves of a group have [turns](gcnsim_engine::WaveGroup) in the order of their numbers. A group whose waves all wait
//! for other groups is set aside, and the next one begins, up to as many as a chip holds. When none can begin, the one
//! goes on that was set aside first, of those for which something has changed; if there is none, the first of all.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use gcnsim_engine::observe::Entry;
use gcnsim_engine::{
    Code, EngineError, GroupEnd, Lease, Member, Observers, Run, Scene, Session, Show, Status, StoppedWave, Watched,
    WaveGroup,
};
use gcnsim_isa::{LANES, Vgpr, WaveState};
use gcnsim_machine::outcome::{Detail, Outcome};
use gcnsim_machine::{Backing, ClassCounts, Context, Lds, Meeting, MemoryFault, VgprFile, Wave};

use super::dispatch::Dispatch;
use super::occupancy::groups_on_chip;

/// How groups start and end.
pub trait Groups {
    /// Most groups of the run that may have begun and not ended: 1 if it has only one.
    fn at_once(&self) -> usize;

    /// Whether a run ends, as if its budget was used up, in which all groups wait for what no other one brings about.
    fn ends_in_vain(&self) -> bool {
        false
    }

    /// Sets the waves of a group, LDS and scratch to their initial state.
    fn start(&mut self, id: [u32; 3], group: &mut WaveGroup, context: &mut Context);

    /// Function that prepares a context for the turn of a wave.
    fn show(&self) -> Option<impl Fn(&mut Context, usize)>;

    /// Returns a session of more code than what is known of that of `session`: also what lies at `pc`, to which a wave has
    /// come. `None` if nothing more is to be known. Observers are shown the scene.
    fn more(&mut self, _session: &Session, _pc: u64) -> Option<More> {
        None
    }

    /// Maps what is missing at an address in a context. Returns whether the access that has failed there can succeed now.
    fn map(&mut self, _fault: &MemoryFault, _context: &mut Context) -> bool {
        false
    }

    /// A group has ended, or the run has stopped: in another group if this one is set aside ([`GroupEnd::Waits`]).
    fn end(&mut self, _id: [u32; 3], _group: &mut WaveGroup, _end: &GroupEnd) {}
}

/// A session of more code than what was known at the beginning of a run.
pub struct More {
    /// The session.
    pub session: Lease,
    /// The scene of a run of that code.
    pub scene: Scene,
}

/// Runs groups on one thread.
pub struct Runner<'a, 'o, G: Groups> {
    /// How groups start and end.
    pub groups: G,
    session: &'a mut Session,
    /// What runs in place of the session since a wave has come to code that was not known.
    more: Option<More>,
    context: &'a mut Context,
    watched: Option<(&'a Scene, &'a mut Observers<'o>)>,
    /// The group that runs, or waves of the last one, whose memory the next group reuses.
    group: WaveGroup,
    /// The groups that are set aside, the first one at the front.
    aside: VecDeque<Aside>,
    /// What groups that have ended left behind, for those that will be set aside.
    spare: Vec<Aside>,
    /// Number of groups in a row that have gone on although nothing had changed for them.
    in_vain: usize,
    /// Whether marks are wanted for themselves, and not only to find out whether groups overlap.
    pub keeps_marks: bool,
    /// Number of instructions that all groups together may still execute.
    pub left: u64,
    run: Run,
    overlap: Meeting,
}

/// A group that waits for others.
struct Aside {
    id: [u32; 3],
    group: WaveGroup,
    room: Room,
}

/// What the waves of a group share and no other group reaches.
struct Room {
    lds: Lds,
    scratch: Option<Arc<Backing>>,
}

impl Room {
    /// A room as large as that of the group in a context; `None` if the host has no memory for it.
    fn like(context: &mut Context) -> Option<Room> {
        let scratch = match context.space.moving() {
            Some(scratch) => Some(Arc::new(Backing::zeroed(scratch.backing.len())?)),
            None => None,
        };
        Some(Room { lds: Lds::zeroed(context.lds.len()), scratch })
    }

    /// Changes places with the room in a context.
    fn swap(&mut self, context: &mut Context) {
        mem::swap(&mut self.lds, &mut context.lds);
        if let (Some(own), Some(scratch)) = (&mut self.scratch, context.space.moving()) {
            mem::swap(own, &mut scratch.backing);
        }
    }
}

impl<'a, 'o, G: Groups> Runner<'a, 'o, G> {
    /// A runner of groups that together execute at most `left` instructions.
    pub fn new(groups: G, session: &'a mut Session, context: &'a mut Context, left: u64) -> Runner<'a, 'o, G> {
        let mut group = WaveGroup::default();
        group.has_others = groups.at_once() > 1;
        let (aside, spare, run) = (VecDeque::new(), Vec::new(), Run::default());
        Runner {
            groups,
            session,
            more: None,
            context,
            watched: None,
            group,
            aside,
            spare,
            in_vain: 0,
            keeps_marks: false,
            left,
            run,
            overlap: Meeting::No,
        }
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

    /// Runs groups until all have ended or one stops. `goes_on` is called after each that has ended, and says whether
    /// the run goes on.
    pub fn all(&mut self, ids: impl IntoIterator<Item = [u32; 3]>, mut goes_on: impl FnMut(&mut Self) -> bool) {
        let mut ids = ids.into_iter().fuse();
        loop {
            let has_room = self.aside.len() < self.groups.at_once();
            let next = if has_room { ids.next() } else { None };
            let next = next.map(|id| (id, self.begin(id))).or_else(|| self.take_up());
            let Some((id, mut end)) = next else { return };
            while end == GroupEnd::Waits && !self.set_aside(id) {
                self.group.go_on_anyway(self.left);
                end = self.go(id, Entry::GoesOn);
            }
            let goes_on = match end {
                GroupEnd::Ended => {
                    self.in_vain = 0;
                    goes_on(self)
                }
                GroupEnd::Waits => true,
                GroupEnd::Stopped(..) | GroupEnd::Lost(..) | GroupEnd::Interrupted => false,
            };
            if !goes_on {
                return self.stop_aside();
            }
        }
    }

    /// Runs a group. Returns whether all of its waves ended. No group may follow one that did not. A group that waits
    /// for others overlaps with them.
    pub fn group(&mut self, id: [u32; 3]) -> bool {
        let end = self.begin(id);
        if end == GroupEnd::Waits {
            self.overlap = Meeting::Yes;
        }
        end == GroupEnd::Ended
    }

    fn begin(&mut self, id: [u32; 3]) -> GroupEnd {
        if self.session.is_stopped() {
            self.run.outcome = Err(EngineError::Interrupted);
            return GroupEnd::Interrupted;
        }
        self.groups.start(id, &mut self.group, self.context);
        self.group.begin(self.left);
        self.go(id, Entry::Begins)
    }

    /// Runs the group in the context.
    fn go(&mut self, id: [u32; 3], entry: Entry) -> GroupEnd {
        let mut end = self.go_as_known(id, entry);
        while let GroupEnd::Lost(index, outcome) = end {
            end = if self.help(index, &outcome) {
                self.group.give_turn(index);
                self.go_as_known(id, Entry::GoesOn)
            } else {
                self.stop(id);
                GroupEnd::Stopped(index, Ok(outcome))
            };
        }
        self.run.instructions += self.left - self.group.left;
        self.left = self.group.left;
        self.leave(id, end)
    }

    /// Takes in how the group in the context has left it.
    fn leave(&mut self, id: [u32; 3], end: GroupEnd) -> GroupEnd {
        let Runner { groups, group, run, .. } = self;
        match &end {
            GroupEnd::Waits => return end,
            GroupEnd::Ended | GroupEnd::Lost(..) => {}
            GroupEnd::Interrupted => run.outcome = Err(EngineError::Interrupted),
            GroupEnd::Stopped(index, outcome) => {
                let wave = group.members[*index].wave.clone();
                run.outcome = outcome.clone();
                run.stopped = Some(Box::new(StoppedWave { group: id, index: *index as u32, wave }));
            }
        }
        group.members.iter().for_each(|member| run.add_wave(&member.wave));
        groups.end(id, group, &end);
        end
    }

    /// Gets what the wave with this number lacks: code, or memory. Returns whether it can go on.
    fn help(&mut self, index: usize, outcome: &Outcome) -> bool {
        let Runner { groups, session, more, context, group, .. } = self;
        if let Outcome::Fault(Detail { memory: Some(fault), .. }) = outcome {
            return groups.map(fault, context);
        }
        let session = more.as_ref().map_or(&**session, |more| &more.session);
        let found = groups.more(session, group.members[index].wave.state.pc);
        found.map(|found| self.replace(found)).is_some()
    }

    /// Runs the group in the context as far as its code is known.
    fn go_as_known(&mut self, id: [u32; 3], entry: Entry) -> GroupEnd {
        let Runner { groups, session, more, context, watched, group, run, .. } = self;
        let (session, known) = match more {
            Some(More { session, scene }) => (&mut **session, Some(&*scene)),
            None => (&mut **session, None),
        };
        let watched = watched.as_mut().map(|(scene, observers)| {
            let scene = known.unwrap_or(scene);
            Watched { scene, group: id, entry, observers }
        });
        let show = groups.show();
        let show = show.as_ref().map(|show| show as Show<'_>);
        session.run_waves(group, context, show, watched, &mut run.stats)
    }

    /// Goes on with more code.
    fn replace(&mut self, more: More) {
        #[cfg(feature = "jit")]
        if let Some(before) = self.more.take() {
            self.run.regions.extend(before.session.profile());
        }
        self.more = Some(more);
    }

    /// Shows observers the waves of the group in the context that have not ended when the run stops.
    fn stop(&mut self, id: [u32; 3]) {
        let Runner { groups, more, context, watched, group, .. } = self;
        let Some((scene, observers)) = watched else { return };
        let scene = more.as_ref().map_or(&**scene, |more| &more.scene);
        let show = groups.show();
        let mut watched = Watched { scene, group: id, entry: Entry::GoesOn, observers };
        watched.stop(group, context, show.as_ref().map(|show| show as Show<'_>));
    }

    /// Sets the group in the context aside. It overlaps with those that run meanwhile, so marks have nothing more to
    /// show. Returns whether the host has memory for that.
    fn set_aside(&mut self, id: [u32; 3]) -> bool {
        let Runner { context, group, spare, .. } = self;
        let fresh = |room| Aside { id, group: group.another(), room };
        let Some(mut aside) = spare.pop().or_else(|| Room::like(context).map(fresh)) else { return false };
        aside.id = id;
        mem::swap(group, &mut aside.group);
        aside.room.swap(context);
        self.aside.push_back(aside);
        if context.is_marked() {
            self.overlap = Meeting::Yes;
            if !self.keeps_marks {
                context.drop_marks();
            }
        }
        true
    }

    /// Goes on with a group that was set aside, if there is one.
    fn take_up(&mut self) -> Option<([u32; 3], GroupEnd)> {
        let Runner { groups, context, group, aside, spare, in_vain, left, .. } = self;
        let found = aside.iter().position(|aside| aside.group.may_go_on(context));
        *in_vain = if found.is_some() { 0 } else { *in_vain + 1 };
        let is_over = *in_vain > aside.len() && groups.ends_in_vain();
        let mut aside = aside.remove(found.unwrap_or(0))?;
        let id = aside.id;
        mem::swap(group, &mut aside.group);
        aside.room.swap(context);
        spare.push(aside);
        if let (true, Some(index)) = (is_over, group.members.iter().position(|wave| wave.status == Status::Ready)) {
            self.stop(id);
            return Some((id, self.leave(id, GroupEnd::Stopped(index, Ok(Outcome::Budget)))));
        }
        match found {
            Some(_) => group.go_on(*left),
            None => group.go_on_anyway(*left),
        }
        Some((id, self.go(id, Entry::GoesOn)))
    }

    /// Ends the groups that are set aside when the run has stopped.
    fn stop_aside(&mut self) {
        self.run.waiting = self.aside.len() as u64;
        for Aside { id, group, mut room } in mem::take(&mut self.aside) {
            room.swap(self.context);
            self.group = group;
            if let Some((scene, observers)) = &mut self.watched {
                let scene = self.more.as_ref().map_or(&**scene, |more| &more.scene);
                observers.enter(scene, id, Entry::GoesOn);
            }
            self.stop(id);
            room.swap(self.context);
            let Runner { groups, group, run, .. } = self;
            group.members.iter().for_each(|member| run.add_wave(&member.wave));
            groups.end(id, group, &GroupEnd::Waits);
        }
    }

    /// Ends the marks of a group that has ended. They have nothing more to show once groups overlap, or may overlap.
    pub fn end_group(&mut self) {
        let meeting = self.context.end_group();
        if meeting != Meeting::No {
            self.overlap = self.overlap.max(meeting);
            if !self.keeps_marks {
                self.context.drop_marks();
            }
        }
    }

    /// Ends the marks of a group that has ended. Returns whether it may be that no groups overlap.
    pub fn end_group_alone(&mut self) -> bool {
        self.overlap = self.context.end_group();
        self.overlap == Meeting::No
    }

    /// Ends the run, which began at `start`.
    pub fn finish(mut self, start: Instant) -> (Run, G) {
        self.run.stats.add_run_time(start, 0);
        #[cfg(feature = "jit")]
        if let Some(more) = self.more.take() {
            self.run.regions.extend(more.session.profile());
        }
        (self.run, self.groups)
    }

    /// Whether a group wrote a byte that another group accessed, as far as marks show it.
    pub fn overlap(&self) -> Meeting {
        self.overlap
    }
}

/// The groups of a kernel.
pub(crate) struct Kernel<'a> {
    dispatch: &'a Dispatch,
    at_once: usize,
    /// Number of work-items of the last group in each dimension.
    size: [u32; 3],
    /// The state in which each wave of a group of that size starts.
    starts: Vec<Start>,
    /// The code, if more of it is known than at the beginning.
    code: Option<Code>,
}

/// The state in which a wave starts, but for the id of its group.
struct Start {
    state: WaveState,
    /// Local ids of the work-items.
    ids: Vec<Vgpr>,
}

impl<'a> Kernel<'a> {
    /// The groups of a dispatch.
    pub fn new(dispatch: &'a Dispatch) -> Kernel<'a> {
        let registers = dispatch.waves.registers();
        let waves = dispatch.waves.waves(registers.grid.start);
        let at_once = groups_on_chip(waves, dispatch.waves.vgprs(), registers.lds_bytes, dispatch.group_scratch());
        let at_once = usize::try_from(registers.grid.count()).unwrap_or(usize::MAX).min(at_once);
        Kernel { dispatch, at_once, size: [0; 3], starts: Vec::new(), code: None }
    }

    /// Prepares for groups of `size` work-items, of which `id` is one.
    fn resize(&mut self, id: [u32; 3], size: [u32; 3], group: &mut WaveGroup) {
        let setup = &self.dispatch.waves;
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
    fn at_once(&self) -> usize {
        self.at_once
    }

    fn start(&mut self, id: [u32; 3], group: &mut WaveGroup, context: &mut Context) {
        let (dispatch, setup) = (self.dispatch, &self.dispatch.waves);
        let size = setup.group_size(id);
        if size != self.size || group.members.len() != self.starts.len() {
            self.resize(id, size, group);
        }
        // To fill no bytes at their made-up address takes the processor 90 ns.
        if !context.lds.is_empty() {
            context.lds.fill(0);
        }
        let is_clear = setup.wave_scratch() == 0 || dispatch.renew_scratch(context);
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
                dispatch.show_scratch(context, index);
                dispatch.clear_scratch(context);
            }
        }
    }

    fn more(&mut self, session: &Session, pc: u64) -> Option<More> {
        let code = self.dispatch.more_code(self.code.as_ref().unwrap_or(&self.dispatch.code), pc)?;
        let scene = Scene { program: code.program().clone(), ..self.dispatch.scene() };
        let session = self.dispatch.session_of(&code, session.options());
        self.code = Some(code);
        Some(More { session, scene })
    }

    fn map(&mut self, fault: &MemoryFault, context: &mut Context) -> bool {
        self.dispatch.map_late(fault, &mut context.space)
    }

    fn show(&self) -> Option<impl Fn(&mut Context, usize)> {
        let dispatch = self.dispatch;
        let show = move |context: &mut Context, index: usize| dispatch.show_scratch(context, index as u32);
        (dispatch.waves.wave_scratch() > 0).then_some(show)
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
