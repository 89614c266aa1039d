//! Atomics on located elements, which are aligned.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

use gcnsim_isa::table::Atomic;
use gcnsim_isa::{LANES, Notes, Vgpr};

use super::super::atomics::Operation;
use super::{Located, Pattern, ramp};
use crate::host::lanes::{each_lane, lanes_of};
use crate::host::{Host, Lanes, Room};

/// The operation of the lanes, the registers of the first data operand and those of the second, low halves first.
pub(crate) struct Update<'a> {
    pub operation: Operation,
    pub first: [&'a Lanes; 2],
    pub second: [&'a Lanes; 2],
    /// Whether no other thread reaches the elements.
    pub is_alone: bool,
}

/// A type of values that atomics work on.
trait Word: Copy + PartialEq {
    fn join(low: u32, high: u32) -> Self;
    fn apply(operation: &Operation, old: Self, data: [Self; 2], notes: &mut Notes) -> Self;
    /// # Safety
    /// The place is aligned, and in a living backing or LDS. The same holds for the other functions.
    unsafe fn load(from: *mut u8) -> Self;
    unsafe fn store(to: *mut u8, value: Self);
    /// Replaces the value atomically, and returns the old one.
    unsafe fn replace(at: *mut u8, new: impl FnMut(Self) -> Self) -> Self;
}

macro_rules! word {
    ($word:ty, $atomic:ty, $join:expr) => {
        impl Word for $word {
            #[inline(always)]
            fn join(low: u32, high: u32) -> $word {
                $join(low, high)
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

word!(u32, AtomicU32, |low, _| low);
word!(u64, AtomicU64, |low, high| u64::from(low) | u64::from(high) << 32);

/// A receiver of old values.
trait Keep<W> {
    fn keep(&mut self, lane: usize, value: W);
}

/// The receiver that drops old values.
impl<W> Keep<W> for () {
    #[inline(always)]
    fn keep(&mut self, _: usize, _: W) {}
}

/// The receiver that keeps old values by lane.
impl<W> Keep<W> for &mut [W; LANES] {
    #[inline(always)]
    fn keep(&mut self, lane: usize, value: W) {
        self[lane] = value;
    }
}

/// Calls a closure with a function that applies an operation. The common operations are constants when it is
/// compiled.
macro_rules! with_applied {
    ($word:ty, $operation:expr, |$apply:ident| $body:expr, else $other:expr) => {
        with_applied!(@ $word, $operation, $apply, $body, $other,
            Add Sub Smin Umin Smax Umax And Or Xor Swap Cmpswap Cmpst)
    };
    (@ $word:ty, $operation:expr, $apply:ident, $body:expr, $other:expr, $($name:ident)*) => {
        match $operation.atomic {
            $(Atomic::$name => {
                let $apply = |found: $word, data: [$word; 2], notes: &mut Notes| {
                    <$word>::apply(&Operation { atomic: Atomic::$name, ..$operation }, found, data, notes)
                };
                $body
            })*
            _ => $other,
        }
    };
}

impl<H: Host> Located<'_, H> {
    /// Whether elements of `bytes` bytes are aligned in host memory, given that their distances are multiples of
    /// `bytes`.
    #[inline(always)]
    pub fn is_aligned(&self, bytes: u32) -> bool {
        let first = match self.pattern {
            Pattern::Consecutive(first) | Pattern::Uniform(first) => first,
            Pattern::Scattered(_) => self.origin,
        };
        (first as usize).is_multiple_of(bytes as usize)
    }

    /// Executes an atomic lane by lane, in ascending order. `old` receives the old values of the lanes, low halves
    /// first.
    #[inline(always)]
    pub fn update(&self, update: &Update<'_>, old: Option<&mut [Lanes; 2]>, notes: &mut Notes) {
        if let Pattern::Consecutive(first) = self.pattern
            && update.is_alone
            && update.operation.bytes == 4
            && let Some(found) = self.update_dwords(update, first)
        {
            if let Some([old, _]) = old {
                *old = found;
            }
            return;
        }
        let mut room = Room::uninit();
        let (origin, at, one) = match self.pattern {
            Pattern::Consecutive(first) => (first, ramp(update.operation.bytes.into(), &mut room), None),
            Pattern::Uniform(place) => (place, &[0; LANES], Some(place)),
            Pattern::Scattered(at) => (self.origin, at, None),
        };
        let places = Places { origin, at, mask: self.mask };
        match (update.operation.bytes, old) {
            (4, None) => places.update_words::<u32, _>(update, one, (), notes),
            (4, Some([old, _])) => places.update_words::<u32, _>(update, one, old, notes),
            (_, None) => places.update_words::<u64, _>(update, one, (), notes),
            (_, Some([low, high])) => {
                let mut old = [0; LANES];
                places.update_words::<u64, _>(update, one, &mut old, notes);
                *low = lanes_of!(lane => old[lane] as u32);
                *high = lanes_of!(lane => (old[lane] >> 32) as u32);
            }
        }
    }

    /// Executes a common atomic on consecutive dwords that no other thread reaches. Returns the old values; 0 for
    /// lanes without an element.
    #[inline(always)]
    fn update_dwords(&self, update: &Update<'_>, first: *mut u8) -> Option<Lanes> {
        let operation = update.operation;
        let mut found = [Vgpr([0; LANES])];
        // SAFETY: all elements have been located.
        unsafe { self.host.load_elements::<1>(&mut found, first, self.mask) };
        let [Vgpr(found)] = found;
        let new: Lanes = with_applied!(
            u32,
            operation,
            |apply| lanes_of!(lane => {
                // None of these operations takes notes.
                apply(found[lane], [update.first[0][lane], update.second[0][lane]], &mut { Notes::NONE })
            }),
            else return None
        );
        // SAFETY: as above.
        unsafe { self.host.store_elements::<1>(first, [&new], self.mask) };
        Some(found)
    }

    /// Whether two lanes have one place. Elements have `bytes` bytes, and are aligned.
    #[inline(always)]
    pub fn lanes_meet(&self, bytes: u32) -> bool {
        match self.pattern {
            Pattern::Consecutive(_) => false,
            Pattern::Uniform(_) => self.mask.count_ones() > 1,
            Pattern::Scattered(at) => do_meet(at, self.mask, bytes.trailing_zeros()),
        }
    }
}

/// The elements of [`Located`], without a host level.
struct Places<'a> {
    origin: *mut u8,
    at: &'a Lanes,
    mask: u64,
}

impl Places<'_> {
    /// Executes an atomic on words; `one` is the place of all lanes, if they share one.
    #[inline(never)]
    fn update_words<W: Word, K: Keep<W>>(&self, update: &Update<'_>, one: Option<*mut u8>, old: K, notes: &mut Notes) {
        let operation = update.operation;
        with_applied!(
            W,
            operation,
            |apply| self.update_all(update, one, old, notes, apply),
            else self.update_all(update, one, old, notes, |found, data, notes| W::apply(&operation, found, data, notes))
        );
    }

    #[inline(always)]
    fn update_all<W: Word, K: Keep<W>>(
        &self,
        update: &Update<'_>,
        one: Option<*mut u8>,
        mut old: K,
        notes: &mut Notes,
        apply: impl Fn(W, [W; 2], &mut Notes) -> W,
    ) {
        if let Some(place) = one {
            // The changes of all lanes are made in one replacement. It may be tried again, so notes begin anew.
            let mut noted = Notes::NONE;
            let change = |mut value: W| {
                noted = Notes::NONE;
                each_lane!(self.mask, lane, {
                    old.keep(lane, value);
                    value = apply(value, update.data(lane), &mut noted);
                });
                value
            };
            // SAFETY: the place has been located, and is aligned.
            unsafe { W::replace(place, change) };
            *notes = notes.or(noted);
        } else if update.is_alone {
            each_lane!(self.mask, lane, {
                let place = self.origin.wrapping_add(self.at[lane] as usize);
                // SAFETY: as above.
                let found = unsafe { W::load(place) };
                old.keep(lane, found);
                // SAFETY: as above.
                unsafe { W::store(place, apply(found, update.data(lane), notes)) };
            });
        } else {
            each_lane!(self.mask, lane, {
                let mut noted = Notes::NONE;
                let change = |found| {
                    noted = Notes::NONE;
                    apply(found, update.data(lane), &mut noted)
                };
                // SAFETY: as above.
                let found = unsafe { W::replace(self.origin.wrapping_add(self.at[lane] as usize), change) };
                old.keep(lane, found);
                *notes = notes.or(noted);
            });
        }
    }
}

impl Update<'_> {
    /// Both data operands of `lane`.
    #[inline(always)]
    fn data<W: Word>(&self, lane: usize) -> [W; 2] {
        [self.first, self.second].map(|[low, high]| W::join(low[lane], high[lane]))
    }
}

/// Whether two lanes of `mask` have equal numbers. All numbers agree in their `low_bits` low bits.
fn do_meet(numbers: &Lanes, mask: u64, low_bits: u32) -> bool {
    // A bit for each value of twelve bits of a number: set if an earlier lane had it.
    let (mut had, mut shared) = ([0_u64; 64], 0);
    each_lane!(mask, lane, {
        let slot = numbers[lane] >> low_bits;
        let (word, bit) = (&mut had[(slot / 64 % 64) as usize], 1 << (slot % 64));
        shared |= *word & bit;
        *word |= bit;
    });
    shared != 0 && have_equals(numbers, mask)
}

/// Whether two lanes of `mask` have equal numbers, for numbers of any size.
#[cold]
fn have_equals(numbers: &Lanes, mask: u64) -> bool {
    let mut sorted: Vec<u32> = super::super::lanes(mask).map(|lane| numbers[lane]).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
