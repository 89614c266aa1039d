//! Turns: entries of a region with one wave of a group after the other.

use std::marker::PhantomData;
use std::ptr::null_mut;

use gcnsim_isa::{Vgpr, WaveState};
use gcnsim_machine::{Context, Observed, VgprFile, Wave};

use super::{Entry, JitError, Region};
use crate::abi::{CLASS_WORDS, ExitCode, Frame, MAX_CLASS_FUEL};

/// A stay in a region: it is entered once or more, in one context, with any waves.
pub struct Stay<'a> {
    region: &'a Region,
    /// The frame of the entries.
    pub frame: &'a mut Frame,
    /// After [`ExitCode::Barrier`]: number of the entry where the wave goes on, if it does so in the region.
    pub next: Option<usize>,
    /// The context, whose address is in the frame.
    context: PhantomData<&'a mut Context>,
}

impl<'a> Stay<'a> {
    #[inline(always)]
    pub(super) fn new(region: &'a Region, context: &'a mut Context, frame: &'a mut Frame) -> Stay<'a> {
        #[cfg(target_arch = "x86_64")]
        {
            frame.segment.reach(Some(context));
            if let Some((number, first)) = region.sites {
                frame.segment.claim(first, number, context.space.version());
            }
        }
        frame.context = context;
        Stay { region, frame, next: None, context: PhantomData }
    }

    /// Runs waves in turns from barrier to barrier, beginning with wave 0. All turns together execute at most `left`
    /// instructions, each turn at most `most`. The first turn that does not lead to a barrier is the last. Before that,
    /// it ends where the next turn cannot be taken: its wave goes on outside the region, has another MODE than `mode`,
    /// or has too little fuel.
    ///
    /// # Errors
    /// As [`Region::run`], with the index of the wave.
    ///
    /// # Panics
    /// If there are no waves, if a wave has too few VGPRs, or if their numbers differ.
    pub fn take_turns(
        &mut self,
        turns: &mut [Turn<'_>],
        mode: u32,
        mut left: u64,
        most: u64,
    ) -> Result<Turns, (usize, JitError)> {
        let Stay { region, frame, .. } = self;
        let entries = region.entries();
        let vgpr_count = turns[0].vgpr_count;
        assert!(turns.iter().all(|turn| turn.vgpr_count == vgpr_count) && vgpr_count >= region.vgpr_count);
        frame.vgpr_count = vgpr_count as u64;
        frame.classes = [0; CLASS_WORDS];
        let count = turns.len();
        let most = if region.counted_classes.is_some() { most.min(MAX_CLASS_FUEL) } else { most };
        let (mut at, mut ready, mut entered) = (0, count, 0);
        let exit = loop {
            let turn = &mut turns[at];
            let Wave { state, executed, classes, last_pc, observed, .. } = &mut *turn.wave;
            let fuel = left.min(most);
            let Some(&Entry { pc, need }) = entries.get(turn.entry) else { break None };
            if fuel < need || state.mode != mode || state.pc != pc {
                break None;
            }
            debug_assert!(
                region.modes.has(mode, super::has_equal_max(state)),
                "turns are of waves that the region takes"
            );
            frame.entry = turn.entry as u32;
            frame.fuel = fuel;
            frame.clock_end = executed.saturating_add(fuel);
            frame.observed = observed;
            let raw = region.code.run(state, turn.lanes, frame);
            state.notes = state.notes.or(frame.take_notes());
            let used = fuel - frame.fuel;
            *executed += used;
            if region.counted_classes.is_some() {
                region.count_classes(classes, frame, used);
                frame.classes = [0; CLASS_WORDS];
            }
            left -= used;
            entered += 1;
            let code = ExitCode::from_raw(raw);
            if code != Some(ExitCode::Barrier) {
                frame.observed = null_mut();
                let exit = code.ok_or((at, JitError::Exit { pc, raw }))?;
                if used != 0 && exit != ExitCode::Fuel {
                    *last_pc = Some(frame.last_pc);
                }
                break Some((exit, used));
            }
            *last_pc = Some(frame.last_pc);
            turn.entry = ExitCode::entry_of(raw).unwrap_or(usize::MAX);
            ready -= 1;
            (at, ready) = match ready {
                0 => (turn.after_release, count),
                _ => (if at + 1 == count { 0 } else { at + 1 }, ready),
            };
        };
        frame.observed = null_mut();
        Ok(Turns { at, ready, entered, left, exit })
    }

    /// Enters the region like [`Region::run`], but the fuel must suffice for the entry, and the wave must have at least
    /// [`Region::vgpr_count`] VGPRs.
    ///
    /// # Errors
    /// As [`Region::run`].
    ///
    /// # Panics
    /// If there is no such entry, with less fuel, or with fewer VGPRs.
    #[inline(always)]
    pub fn enter(
        &mut self,
        entry: usize,
        state: &mut WaveState,
        vgprs: &mut VgprFile,
        observed: &mut Observed,
    ) -> Result<ExitCode, JitError> {
        let Stay { region, frame, .. } = self;
        let Entry { pc, need } = region.entries[entry];
        debug_assert_eq!(state.pc, pc);
        debug_assert!(region.modes.has(state.mode, super::has_equal_max(state)));
        let count = vgprs.regs().len();
        assert!(frame.fuel >= need && count >= region.vgpr_count);
        frame.classes = [0; CLASS_WORDS];
        frame.entry = entry as u32;
        frame.vgpr_count = count as u64;
        // Registers stay shared between waves until one may write them.
        let lanes = if region.writes_vgprs { vgprs.regs_mut().as_mut_ptr() } else { vgprs.regs().as_ptr().cast_mut() };
        frame.observed = observed;
        let raw = region.code.run(state, lanes, frame);
        frame.observed = null_mut();
        state.notes = state.notes.or(frame.take_notes());
        self.next = ExitCode::entry_of(raw);
        ExitCode::from_raw(raw).ok_or(JitError::Exit { pc, raw })
    }
}

impl Drop for Stay<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.frame.context = null_mut();
        #[cfg(target_arch = "x86_64")]
        self.frame.segment.reach(None);
    }
}

/// A wave that has its turns in [`Stay::take_turns`].
pub struct Turn<'a> {
    wave: &'a mut Wave,
    /// The wave's vector registers, which no other wave shares.
    lanes: *mut Vgpr,
    /// Number of the wave's vector registers.
    vgpr_count: usize,
    /// Number of the entry where the wave goes on; too large if it goes on outside the region.
    pub entry: usize,
    /// Index of the wave that has the next turn if this wave is the last one that comes to the barrier. Otherwise the
    /// next wave in the list has it, and after the last wave the first.
    pub after_release: usize,
}

impl<'a> Turn<'a> {
    /// The turns of `wave`, which goes on at entry number `entry`.
    pub fn new(entry: usize, after_release: usize, wave: &'a mut Wave) -> Turn<'a> {
        let vgprs = wave.vgprs.regs_mut();
        let (vgpr_count, lanes) = (vgprs.len(), vgprs.as_mut_ptr());
        Turn { wave, lanes, vgpr_count, entry, after_release }
    }
}

/// The state at the end of [`Stay::take_turns`].
pub struct Turns {
    /// Index of the wave whose turn it is.
    pub at: usize,
    /// Number of waves that have not come to the barrier yet: wave `at` and those after it. The others, which are those
    /// before `at`, wait at the barrier. (The first wave follows the last one.)
    pub ready: usize,
    /// Number of turns that entered the region.
    pub entered: u64,
    /// Number of instructions that may still execute.
    pub left: u64,
    /// The exit of wave `at`, and the number of instructions that it executed in this turn; `None` if the turn has not
    /// begun.
    pub exit: Option<(ExitCode, u64)>,
}
