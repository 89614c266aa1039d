//! The waves of a group, which run in turns.

use gcnsim_machine::Wave;

/// Most instructions that a wave executes in its turn.
pub const TURN: u64 = 1_000_000;

/// Whether a wave can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The wave can run.
    Ready,
    /// The wave waits at a barrier.
    Waits,
    /// The program of the wave has ended.
    Ended,
}

/// A wave of a group.
#[derive(Clone, Debug)]
pub struct Member {
    /// The wave.
    pub wave: Wave,
    /// Whether the wave can run.
    pub status: Status,
    /// In a relay, the region and the entry where the wave goes on.
    #[cfg(feature = "jit")]
    pub(crate) next: Option<(usize, usize)>,
}

impl Member {
    /// Returns a wave that can run.
    pub fn new(wave: Wave) -> Member {
        Member {
            wave,
            status: Status::Ready,
            #[cfg(feature = "jit")]
            next: None,
        }
    }
}

/// The wave at which a run of groups stopped.
#[derive(Clone, Debug)]
pub struct StoppedWave {
    /// The group.
    pub group: [u32; 3],
    /// Number of the wave in the group.
    pub index: u32,
    /// The state of the wave at that time.
    pub wave: Wave,
}

/// The waves of a group. They have their turns in the order of their numbers, the first after the last. When none can
/// run, those that wait are let go on, and the turn passes to the next.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The waves by number.
    pub members: Vec<Member>,
    /// Number of instructions that all of them together may still execute.
    pub left: u64,
    /// Number of the wave whose turn comes next.
    turn: usize,
}

impl Group {
    /// A group of which wave 0 has the first turn.
    pub fn new(members: Vec<Member>, left: u64) -> Group {
        Group { members, left, turn: 0 }
    }

    /// Begins again with the turn of wave 0.
    pub fn begin(&mut self, left: u64) {
        (self.left, self.turn) = (left, 0);
    }

    /// Returns the number of the wave that has the next turn; `None` if none can run.
    #[inline]
    pub fn next_turn(&mut self) -> Option<usize> {
        let first = self.turn;
        loop {
            let index = self.turn;
            self.turn = self.after(index);
            if self.members.get(index)?.status == Status::Ready {
                return Some(index);
            }
            if self.turn == first {
                break;
            }
        }
        self.turn = self.after(first);
        None
    }

    /// Whether the program of a wave has not ended.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.members.iter().any(|member| member.status != Status::Ended)
    }

    /// Lets all waves go on that wait at a barrier. Returns whether there are any.
    pub fn release(&mut self) -> bool {
        let mut any = false;
        for member in self.members.iter_mut().filter(|member| member.status == Status::Waits) {
            (member.status, any) = (Status::Ready, true);
        }
        any
    }

    /// Gives the next turn to the wave after wave `index`.
    #[cfg(feature = "jit")]
    pub(crate) fn turn_was_of(&mut self, index: usize) {
        self.turn = self.after(index);
    }

    /// The number of the wave after wave `index`.
    #[inline]
    pub(crate) fn after(&self, index: usize) -> usize {
        if index + 1 >= self.members.len() { 0 } else { index + 1 }
    }
}
