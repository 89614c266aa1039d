//! Atomics on located elements, which are aligned.

use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

use gcnsim_isa::{LANES, Notes};

use super::super::atomics::{Atomic, Operation};
use super::super::host::Lanes;
use super::{Located, Pattern, each_lane};

/// What the lanes do: the registers of the first data value, and those of the second, low halves first.
pub(in super::super) struct Update<'a> {
    pub operation: Operation,
    pub first: [&'a Lanes; 2],
    pub second: [&'a Lanes; 2],
    /// No other thread reaches the elements.
    pub is_alone: bool,
}

/// Values of an atomic.
trait Word: Copy + PartialEq {
    fn join(low: u32, high: u32) -> Self;
    fn halves(self) -> [u32; 2];
    fn apply(operation: &Operation, old: Self, data: [Self; 2], notes: &mut Notes) -> Self;
    /// # Safety
    /// The place is aligned, and in a living segment. So of the others.
    unsafe fn load(from: *mut u8) -> Self;
    unsafe fn store(to: *mut u8, value: Self);
    /// Replaces it at once, and returns the old value.
    unsafe fn replace(at: *mut u8, new: impl FnMut(Self) -> Self) -> Self;
}

macro_rules! word {
    ($word:ty, $atomic:ty, $join:expr, $halves:expr) => {
        impl Word for $word {
            #[inline(always)]
            fn join(low: u32, high: u32) -> $word {
                $join(low, high)
            }

            #[inline(always)]
            fn halves(self) -> [u32; 2] {
                $halves(self)
            }

            #[inline(always)]
            fn apply(operation: &Operation, old: $word, data: [$word; 2], notes: &mut Notes) -> $word {
                let operation = Operation { bytes: size_of::<$word>() as u8, ..*operation };
                operation.apply(old.into(), data.map(u64::from), notes) as $word
            }

            #[inline(always)]
            unsafe fn load(from: *mut u8) -> $word {
                // SAFETY: the caller's promise.
                <$word>::from_le(unsafe { <$atomic>::from_ptr(from.cast()) }.load(Relaxed))
            }

            #[inline(always)]
            unsafe fn store(to: *mut u8, value: $word) {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(to.cast()) }.store(value.to_le(), Relaxed);
            }

            #[inline(always)]
            unsafe fn replace(at: *mut u8, mut new: impl FnMut($word) -> $word) -> $word {
                // SAFETY: the caller's promise.
                let place = unsafe { <$atomic>::from_ptr(at.cast()) };
                let mut found = place.load(SeqCst);
                loop {
                    let stored = new(<$word>::from_le(found)).to_le();
                    match place.compare_exchange_weak(found, stored, SeqCst, SeqCst) {
                        Ok(_) => return <$word>::from_le(found),
                        Err(other) => found = other,
                    }
                }
            }
        }
    };
}

word!(u32, AtomicU32, |low, _| low, |value| [value, 0]);
word!(u64, AtomicU64, |low, high| u64::from(low) | u64::from(high) << 32, |value| [value as u32, (value >> 32) as u32]);

impl Located {
    /// Are elements of so many bytes aligned in host memory, if their distances are multiples of that?
    #[inline(always)]
    pub fn is_aligned(&self, bytes: u32) -> bool {
        (self.first as usize).is_multiple_of(bytes as usize)
    }

    /// Executes an atomic lane by lane, ascending. Returns the old values of the lanes, low halves first.
    #[inline(never)]
    pub fn update(&self, update: &Update<'_>, notes: &mut Notes) -> [Lanes; 2] {
        let mut old = [[0; LANES]; 2];
        match update.operation.bytes {
            4 => self.update_words::<u32>(update, &mut old, notes),
            _ => self.update_words::<u64>(update, &mut old, notes),
        }
        old
    }

    /// The common operations are known when this is compiled.
    fn update_words<W: Word>(&self, update: &Update<'_>, old: &mut [Lanes; 2], notes: &mut Notes) {
        macro_rules! known {
            ($($name:ident)*) => {
                match update.operation.atomic {
                    $(Atomic::$name => {
                        let operation = Operation { atomic: Atomic::$name, ..update.operation };
                        self.update_all::<W>(&Update { operation, ..*update }, old, notes);
                    })*
                    _ => self.update_all::<W>(update, old, notes),
                }
            };
        }
        known!(Add Sub Smin Umin Smax Umax And Or Xor Swap Cmpswap);
    }

    #[inline(always)]
    fn update_all<W: Word>(&self, update: &Update<'_>, old: &mut [Lanes; 2], notes: &mut Notes) {
        let Update { operation, first, second, is_alone } = update;
        let has_second = matches!(
            operation.atomic,
            Atomic::Cmpswap | Atomic::Mskor | Atomic::Wrap | Atomic::Fcmpswap | Atomic::ShareFcmpswap
        );
        let apply = |found: W, lane: usize, notes: &mut Notes| {
            let data = W::join(first[0][lane], first[1][lane]);
            let other = if has_second { W::join(second[0][lane], second[1][lane]) } else { data };
            W::apply(operation, found, [data, other], notes)
        };
        let mut keep = |lane: usize, found: W| {
            let [low, high] = found.halves();
            old[0][lane] = low;
            if size_of::<W>() == 8 {
                old[1][lane] = high;
            }
        };
        if matches!(self.pattern, Pattern::Uniform) {
            // All lanes' changes at once.
            let mut noted = Notes::NONE;
            // SAFETY: the place has been located, and is aligned.
            unsafe {
                W::replace(self.first, |mut value| {
                    noted = Notes::NONE;
                    each_lane(self.mask, |lane| {
                        keep(lane, value);
                        value = apply(value, lane, &mut noted);
                    });
                    value
                })
            };
            *notes = notes.or(noted);
        } else if *is_alone {
            self.each_element(size_of::<W>(), |lane, at| {
                // SAFETY: as above.
                unsafe {
                    let found = W::load(at);
                    keep(lane, found);
                    W::store(at, apply(found, lane, notes));
                }
            });
        } else {
            self.each_element(size_of::<W>(), |lane, at| {
                let mut noted = Notes::NONE;
                // SAFETY: as above.
                let found = unsafe {
                    W::replace(at, |found| {
                        noted = Notes::NONE;
                        apply(found, lane, &mut noted)
                    })
                };
                keep(lane, found);
                *notes = notes.or(noted);
            });
        }
    }

    /// Do two lanes have one place? Elements have so many bytes, and are aligned.
    pub fn lanes_meet(&self, bytes: u32) -> bool {
        match &self.pattern {
            Pattern::Consecutive => false,
            Pattern::Uniform => self.mask.count_ones() > 1,
            Pattern::Scattered(at) => do_meet(at, self.mask, bytes.trailing_zeros()),
        }
    }
}

/// Do two lanes of a mask have one number? Low bits do not differ.
fn do_meet(numbers: &Lanes, mask: u64, low_bits: u32) -> bool {
    const SLOTS: usize = 4096;
    // The last lane of each slot; what no lane has written is not read.
    let mut last = [MaybeUninit::<u8>::uninit(); SLOTS];
    let slot = |lane: usize| (numbers[lane] >> low_bits) as usize % SLOTS;
    each_lane(mask, |lane| {
        last[slot(lane)].write(lane as u8);
    });
    let (mut meet, mut is_shared) = (false, false);
    each_lane(mask, |lane| {
        // SAFETY: this lane has written it.
        let other = usize::from(unsafe { last[slot(lane)].assume_init() });
        is_shared |= other != lane;
        meet |= other != lane && numbers[other] == numbers[lane];
    });
    meet || is_shared && have_equals(numbers, mask)
}

/// The same, whatever the numbers.
#[cold]
fn have_equals(numbers: &Lanes, mask: u64) -> bool {
    let mut sorted: Vec<u32> = super::lanes(mask).map(|lane| numbers[lane]).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
