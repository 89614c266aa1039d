//! Buffers to which no group stores: their loads need no marks.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// Limit for the number of buffers in a list.
const MOST: usize = 16;

/// Some buffers: ranges of a mapping, in bytes. Only one thread adds at a time.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    list: [[AtomicU64; 2]; MOST],
    count: AtomicUsize,
}

impl Buffers {
    /// All buffers.
    pub fn all(&self) -> impl Iterator<Item = Range<u64>> {
        let count = self.count.load(Relaxed).min(MOST);
        self.list[..count].iter().map(|[start, end]| start.load(Relaxed)..end.load(Relaxed))
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Whether one of the buffers holds the range.
    #[inline(always)]
    pub fn hold(&self, range: &Range<u64>) -> bool {
        self.all().any(|buffer| buffer.start <= range.start && range.end <= buffer.end)
    }

    /// Adds a buffer unless one holds it. Returns false if there is no room.
    pub fn add(&self, range: &Range<u64>) -> bool {
        if self.hold(range) {
            return true;
        }
        let count = self.count.load(Relaxed);
        let Some([start, end]) = self.list.get(count) else { return false };
        start.store(range.start, Relaxed);
        end.store(range.end, Relaxed);
        self.count.store(count + 1, Relaxed);
        true
    }

    /// Removes all buffers.
    pub fn clear(&self) {
        self.count.store(0, Relaxed);
    }
}
