//! How the active lanes of a memory instruction lie to each other, found without executing it: for profiles.

use gcnsim_isa::{Mode, Notes};
use gcnsim_machine::{Access, Context};

use super::lanes::lanes_of;
use super::{Action, Machine, MemoryOp};
use crate::Wave;

/// How the addresses of lanes lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    /// All lanes access one address.
    Uniform,
    /// Each lane accesses what follows the data of the lane before it, as if inactive lanes took part.
    Consecutive,
    /// Anything else.
    Random,
}

impl MemoryOp {
    /// The kind of access of a vector memory or DS instruction. `None` of scalar memory, and where lanes have no
    /// address of their own.
    pub(crate) fn access(&self) -> Option<Access> {
        match &self.action {
            Action::Scalar(_) => None,
            Action::Flat(op) => Some(op.access()),
            Action::Buffer(op) => op.access(),
            Action::Share(op) => op.access(),
        }
    }

    /// How the addresses lie that it would access now; `None` if it would access none. Lanes out of range do not
    /// count.
    pub(crate) fn pattern(&self, wave: &mut Wave, context: &mut Context) -> Option<Pattern> {
        let exec = wave.state.exec();
        if wave.state.mode & Mode::VSKIP != 0 || exec == 0 {
            return None;
        }
        let (arch, state, vgprs) = (self.arch, &wave.state, wave.vgprs.regs_mut());
        let mut machine = Machine { arch, state, vgprs, context, notes: Notes::NONE };
        let located = match &self.action {
            Action::Scalar(_) => return None,
            Action::Flat(op) => op.located(&mut machine),
            Action::Buffer(op) => op.located(&mut machine),
            Action::Share(op) => op.located(&mut machine),
        };
        let places = lanes_of(exec).zip(&located).filter_map(|(lane, pieces)| Some((lane, *pieces.iter().next()?)));
        let mut places = places.map(|(lane, piece)| (lane as u64, piece.address, piece.bytes as u64));
        let (first_lane, first, bytes) = places.next()?;
        let (mut is_uniform, mut is_consecutive) = (true, true);
        for (lane, address, _) in places {
            is_uniform &= address == first;
            is_consecutive &= address == first.wrapping_add((lane - first_lane) * bytes);
        }
        Some(match (is_uniform, is_consecutive) {
            (true, _) => Pattern::Uniform,
            (_, true) => Pattern::Consecutive,
            _ => Pattern::Random,
        })
    }
}
