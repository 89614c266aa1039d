//! Marks that are made when the first access is marked: of many mappings, a dispatch reaches few.

use std::sync::{Mutex, OnceLock};

use super::{Grain, Marks, Meeting};

/// Marks of dispatches that have ended, without places. A dispatch that takes them needs no new memory of the host.
static SPARE: Mutex<Vec<(Grain, Marks)>> = Mutex::new(Vec::new());

/// Most of them.
const MOST_SPARE: usize = 8;

/// Greatest mapping whose marks become spare.
const LARGEST: u64 = 32 << 20;

/// The marks of a mapping, once something is marked.
#[derive(Debug)]
pub struct LazyMarks {
    /// Size of the mapping in bytes.
    bytes: u64,
    grain: Grain,
    /// `None` in it if the host had no memory for them.
    made: OnceLock<Option<Marks>>,
}

impl LazyMarks {
    /// Marks for a mapping of `bytes` bytes, with nothing marked.
    pub fn new(bytes: u64, grain: Grain) -> LazyMarks {
        LazyMarks { bytes, grain, made: OnceLock::new() }
    }

    /// The marks, for an access. `None` if the host has no memory for them: then it is not known whether groups meet.
    #[inline(always)]
    pub fn get(&self) -> Option<&Marks> {
        match self.made.get() {
            Some(made) => made.as_ref(),
            None => self.make(),
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&self) -> Option<&Marks> {
        self.made.get_or_init(|| self.spare().or_else(|| Marks::new(self.bytes, self.grain))).as_ref()
    }

    /// Takes spare marks. Nobody waits for them: in a process that was forked, a lock may stay closed.
    fn spare(&self) -> Option<Marks> {
        let mut spare = SPARE.try_lock().ok()?;
        let fitting = |(grain, marks): &(Grain, Marks)| (*grain, marks.bytes) == (self.grain, self.bytes);
        let at = spare.iter().position(fitting)?;
        Some(spare.swap_remove(at).1)
    }

    /// Ends a group. Returns whether it meets one before it.
    #[inline]
    pub fn end_group(&self) -> Meeting {
        match self.made.get() {
            None => Meeting::No,
            Some(made) => made.as_ref().map_or(Meeting::Maybe, Marks::end_group),
        }
    }

    /// Whether anything was to be marked.
    pub fn is_used(&self) -> bool {
        self.made.get().is_some()
    }

    /// Adds the groups of another thread. Both threads have marked something. Returns whether groups of the two meet.
    pub fn join(&self, other: &LazyMarks) -> Meeting {
        match (self.get(), other.get()) {
            (Some(one), Some(other)) => one.join(other),
            _ => Meeting::Maybe,
        }
    }
}

impl Drop for LazyMarks {
    fn drop(&mut self) {
        if let Some(Some(mut marks)) = self.made.take().filter(|_| self.bytes <= LARGEST) {
            marks.reset(self.grain);
            if let Ok(mut spare) = SPARE.try_lock() {
                // The oldest ones go: they fit no mapping any more.
                if spare.len() == MOST_SPARE {
                    spare.remove(0);
                }
                spare.push((self.grain, marks));
            }
        }
    }
}
