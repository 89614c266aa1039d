//! Finds out whether a wave waits for something that only others can change.
//!
//! A wave waits if a backward branch comes round twice, and both rounds do the same outside the wave: they access the
//! same places in the same order, with the same bytes behind them, the second one changes nothing, and they read or
//! write something at all. A store or atomic that leaves the bytes as they were is no change: that is what a spin on a
//! lock does. Registers do not count, so a round may count its tries; nor does scratch, where unoptimised code keeps
//! what others keep in registers.

use std::slice;

use gcnsim_interp::{Effect, MemoryOp, Touch};
use gcnsim_machine::{Access, Context, Outcome, Place, Wave};

use super::Steps;
use crate::EngineError;

/// Most accesses that a probe keeps.
const MOST_ACCESSES: usize = 1 << 12;

/// What a wave does in each round while it waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The accesses of a round, in order.
    accesses: Vec<Seen>,
}

/// An access outside the wave.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Seen {
    /// Address of the instruction.
    pc: u64,
    /// The places, by lane.
    touches: Vec<Touch>,
    /// The bytes there after the instruction.
    bytes: Vec<u8>,
}

impl Wait {
    /// Whether all places that a round accesses have the bytes that they had.
    pub fn holds(&self, context: &Context) -> bool {
        self.accesses.iter().all(|seen| seen.bytes == bytes_at(context, &seen.touches))
    }

    /// Whether this is so for all places that other groups reach, too. `context` may be that of another group.
    pub fn holds_outside(&self, context: &Context) -> bool {
        self.accesses.iter().all(|seen| {
            let mut rest = &seen.bytes[..];
            seen.touches.iter().all(|touch| {
                let (before, behind) = rest.split_at(touch.bytes.into());
                rest = behind;
                touch.place == Place::Lds || bytes_at(context, slice::from_ref(touch)) == before
            })
        })
    }
}

/// What a probe has found.
pub(super) enum Found {
    /// The wave waits.
    Waits(Wait),
    /// The wave does not wait, as far as the probe shows.
    GoesOn,
    /// The wave has stopped, or cannot be run further.
    Stopped(Outcome),
}

/// The length of a probe.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// Most instructions.
    pub most: u64,
    /// Whether the probe ends as soon as two rounds of a loop differ.
    pub is_hasty: bool,
}

/// Runs a wave for some instructions, to find out whether it waits.
pub(super) fn probe(steps: &mut dyn Steps, wave: &mut Wave, patience: Patience) -> Result<Found, EngineError> {
    let end = wave.executed.saturating_add(patience.most);
    let mut rounds = Rounds::default();
    while wave.executed < end && rounds.accesses.len() < MOST_ACCESSES {
        let (pc, executed) = (wave.state.pc & !3, wave.executed);
        let sent = sent(wave);
        let look = Look::before(steps, wave);
        match steps.step(wave)? {
            Outcome::Budget if wave.executed > executed => {}
            outcome => return Ok(Found::Stopped(outcome)),
        }
        let goes_on = match look {
            Look::Nothing => false,
            Look::Other => true,
            Look::At(seen, before) => {
                rounds.add(Seen { bytes: bytes_at(steps.context(), &seen.touches), ..seen }, before)
            }
        };
        if goes_on || self::sent(wave) != sent {
            return Ok(Found::GoesOn);
        }
        if wave.state.pc <= pc {
            match rounds.arrive((pc, wave.state.pc)) {
                Some(Ok(wait)) => return Ok(Found::Waits(wait)),
                Some(Err(Differ)) if patience.is_hasty => return Ok(Found::GoesOn),
                Some(Err(Differ)) | None => {}
            }
        }
    }
    Ok(Found::GoesOn)
}

/// Number of exports and messages that a wave has sent.
fn sent(wave: &Wave) -> [u64; 2] {
    [wave.observed.export_count(), wave.observed.message_count()]
}

/// What the next instruction of a wave is about to do outside it.
enum Look {
    /// Nothing that others could see or change.
    Nothing,
    /// Something that cannot be followed.
    Other,
    /// An access, without its bytes yet. If it may write, the bytes before it follow.
    At(Seen, Option<Vec<u8>>),
}

impl Look {
    fn before(steps: &mut dyn Steps, wave: &mut Wave) -> Look {
        let pc = wave.state.pc & !3;
        let Some(op) = steps.program().fetch(pc).ok().as_ref().and_then(MemoryOp::new) else { return Look::Nothing };
        let context = steps.context();
        let writes = match if context.allows_all() { op.effect_in_world() } else { op.effect() } {
            Effect::Nothing => return Look::Nothing,
            Effect::Other => return Look::Other,
            Effect::Reads => false,
            Effect::Writes => true,
        };
        let mut touches = op.touches(wave, context);
        touches.retain(|touch| touch.place != Place::Memory || !context.is_scratch(touch.address));
        if touches.is_empty() {
            return Look::Nothing;
        }
        let before = writes.then(|| {
            // The instruction makes these pages of a world in any case. Without them there are no bytes to compare.
            for touch in touches.iter().filter(|touch| touch.place == Place::Memory) {
                context.touch(touch.address, u32::from(touch.bytes), Access::Store);
            }
            bytes_at(context, &touches)
        });
        Look::At(Seen { pc, touches, bytes: Vec::new() }, before)
    }
}

fn bytes_at(context: &Context, touches: &[Touch]) -> Vec<u8> {
    let mut bytes = vec![0; touches.iter().map(|touch| usize::from(touch.bytes)).sum()];
    let mut rest = &mut bytes[..];
    for touch in touches {
        let (these, behind) = rest.split_at_mut(touch.bytes.into());
        context.peek(touch.place, touch.address, these);
        rest = behind;
    }
    bytes
}

/// Two rounds of a loop are not the same.
struct Differ;

/// The rounds of a probe so far.
#[derive(Default)]
struct Rounds {
    accesses: Vec<Seen>,
    /// Address and target of each backward branch that was taken, and the number of accesses before it.
    arrivals: Vec<((u64, u64), usize)>,
    /// Addresses of instructions that have changed something, and the number of accesses up to it.
    changes: Vec<(u64, usize)>,
}

impl Rounds {
    /// Adds an access. Returns whether it shows that the wave does not wait: an instruction has changed something for
    /// the second time.
    fn add(&mut self, seen: Seen, before: Option<Vec<u8>>) -> bool {
        let has_changed = before.is_some_and(|before| before != seen.bytes);
        let is_again = has_changed && self.changes.iter().any(|(pc, _)| *pc == seen.pc);
        if has_changed {
            self.changes.push((seen.pc, self.accesses.len() + 1));
        }
        self.accesses.push(seen);
        is_again
    }

    /// A backward branch was taken. If it was taken before, compares its last two rounds, unless they access nothing.
    fn arrive(&mut self, branch: (u64, u64)) -> Option<Result<Wait, Differ>> {
        let now = self.accesses.len();
        let mut earlier = self.arrivals.iter().rev().filter(|(other, _)| *other == branch).map(|(_, at)| *at);
        let (last, first) = (earlier.next(), earlier.next());
        self.arrivals.push((branch, now));
        let (last, first) = (last?, first?);
        let rounds = [&self.accesses[first..last], &self.accesses[last..]];
        if rounds[0].is_empty() && rounds[1].is_empty() {
            return None;
        }
        let has_changed = self.changes.last().is_some_and(|(_, at)| *at > last);
        let is_same = rounds[0] == rounds[1] && !has_changed;
        Some(if is_same { Ok(Wait { accesses: rounds[1].to_vec() }) } else { Err(Differ) })
    }
}
