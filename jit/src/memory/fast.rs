//! Loads, stores and atomics of all lanes at once, where the elements of all lanes lie in one mapping, or in LDS: one
//! behind the other, in one place, or anywhere. What is neither is declined, before anything has changed, and goes
//! [lane by lane](super::exchange).
#![allow(unsafe_code)]

mod load;
mod store;
mod update;

use gcnsim_isa::LANES;
use gcnsim_machine::{Access, Context};

use super::host::{self, Host, Lanes, expanded};
use super::lanes;
pub(super) use load::{blend, load};
pub(super) use update::Update;

/// Addresses: `origin + low` by lane, with 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    /// What all lanes add.
    pub origin: u64,
    /// By lane.
    pub low: &'a Lanes,
    /// The active lanes that access something. The others load 0 and store nothing.
    pub mask: u64,
    /// Each dword of an element lies 256 bytes behind the one before (scratch).
    pub in_rows: bool,
}

/// Where the elements of the lanes of a mask are in host memory.
pub(super) struct Located {
    first: *mut u8,
    pattern: Pattern,
    mask: u64,
}

#[allow(clippy::large_enum_variant, reason = "there is one at a time, on the stack")]
enum Pattern {
    /// Lane i's element is the i-th from the first.
    Consecutive,
    /// All are the first.
    Uniform,
    /// So many bytes behind the first.
    Scattered(Lanes),
}

/// Calls `f` for the lanes of a mask, ascending.
#[inline(always)]
pub(super) fn each_lane(mask: u64, mut f: impl FnMut(usize)) {
    if mask == !0 {
        return (0..LANES).for_each(f);
    }
    // An iterator would be called here, not inlined.
    let mut rest = mask;
    while rest != 0 {
        f(rest.trailing_zeros() as usize % LANES);
        rest &= rest - 1;
    }
}

/// The greatest value of the lanes of a mask.
#[inline(always)]
pub(super) fn greatest(values: &Lanes, mask: u64) -> u64 {
    let active = expanded(mask);
    let mut greatest = 0;
    for lane in 0..LANES {
        greatest = greatest.max(values[lane] & active[lane]);
    }
    greatest as u64
}

/// Private offsets `low + offset` (of 32 bits) to bytes behind the wave's scratch, where dwords of the lanes lie side
/// by side. Only where elements lie in whole dwords or within one, and near enough.
#[inline(always)]
pub(super) fn interleave<H: Host>(low: &Lanes, offset: u32, mask: u64, bytes: u8) -> Option<Lanes> {
    let places = low.map(|low| low.wrapping_add(offset));
    let all = union::<H>(&places, mask);
    let is_split = match bytes {
        1 => false,
        2 => all & 1 != 0,
        _ => all & 3 != 0,
    };
    let behind = std::array::from_fn(|lane| (places[lane] >> 2 << 8) + 4 * lane as u32 + (places[lane] & 3));
    (!is_split && all >> 24 == 0).then_some(behind)
}

/// The bits that some lanes of a mask have.
#[inline(always)]
pub(super) fn union<H: Host>(values: &Lanes, mask: u64) -> u32 {
    // SAFETY: whoever calls with `H` has such a processor.
    unsafe { H::union(values, mask) }
}

/// The lanes whose value is not 0.
#[inline(always)]
pub(super) fn nonzero<H: Host>(values: &Lanes) -> u64 {
    // SAFETY: as above.
    unsafe { H::nonzero(values) }
}

/// For each lane, the value of the lane whose number the low bits of `from` are; 0 if the mask has not that lane.
#[inline(always)]
pub(super) fn permuted<H: Host>(values: &Lanes, from: &Lanes, mask: u64) -> Lanes {
    // SAFETY: as above.
    unsafe { H::permuted(values, from, mask) }
}

/// Reads `N` dwords of guest memory; `None` if they are not mapped.
#[inline(always)]
pub(super) fn read<const N: usize>(context: &Context, address: u64, to: &mut [u32; 16]) -> Option<()> {
    const { assert!(N <= 16) };
    let (mapping, at) = context.space.find(address, 4 * N as u64, Access::Load)?;
    // SAFETY: the mapping has these bytes, and there is room for them.
    unsafe { host::copy_element::<N>(to.as_mut_ptr().cast(), mapping.segment.as_ptr().wrapping_add(at)) };
    Some(())
}

/// The upper halves of addresses, in place, if the lanes of a mask have the same.
#[inline(always)]
pub(super) fn high<H: Host>(values: &Lanes, mask: u64) -> Option<u64> {
    let value = values[mask.trailing_zeros() as usize % LANES];
    // SAFETY: whoever calls with `H` has such a processor.
    unsafe { H::are_within(values, value, 0, mask) }.then_some((value as u64) << 32)
}

/// Finds elements of so many bytes in guest memory. The mask of the form is not empty.
#[inline(always)]
pub(super) fn locate<H: Host>(context: &Context, form: &Form<'_>, bytes: u32, access: Access) -> Option<Located> {
    let low = form.low[form.mask.trailing_zeros() as usize % LANES];
    let (step, rows) = if form.in_rows { (bytes.min(4), bytes.div_ceil(4)) } else { (bytes, 1) };
    let all = 256 * (rows as u64 - 1) + step as u64;
    let address = form.origin.wrapping_add(low as u64);
    let (mapping, at) = context.space.find(address, all, access)?;
    let before = address - mapping.base;
    let behind = mapping.len - before - all;
    let bounds = Bounds {
        least: low.saturating_sub(u32::try_from(before).unwrap_or(u32::MAX)),
        most: low.saturating_add(u32::try_from(behind).unwrap_or(u32::MAX)),
    };
    let origin = mapping.segment.as_ptr().wrapping_add(at).wrapping_sub(low as usize);
    Located::new::<H>(origin, form.low, form.mask, bounds, step)
}

/// What elements may be behind an origin: those in between, too, are in a living segment, or in LDS.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub least: u32,
    pub most: u32,
}

impl Located {
    /// Elements `low` bytes behind the origin, if those of the lanes of a mask, which is not empty, are within bounds.
    /// The element of the next lane would be `step` bytes behind.
    #[inline(always)]
    pub fn new<H: Host>(origin: *mut u8, low: &Lanes, mask: u64, bounds: Bounds, step: u32) -> Option<Located> {
        let (lowest, highest) = (mask.trailing_zeros() % 64, (63 - mask.leading_zeros()) % 64);
        let start = low[lowest as usize];
        // SAFETY: whoever calls with `H` has such a processor.
        let [is_row, is_one] = unsafe {
            let is_row = H::is_ramp(low, start.wrapping_sub(step * lowest), step, mask);
            [is_row, !is_row && H::are_within(low, start, 0, mask)]
        };
        let (first, pattern) = if is_row {
            let last = start as u64 + (step * (highest - lowest)) as u64;
            if start < bounds.least || last > bounds.most as u64 {
                return None;
            }
            let before = (step * lowest) as usize;
            (origin.wrapping_add(start as usize).wrapping_sub(before), Pattern::Consecutive)
        } else if is_one {
            if start < bounds.least || start > bounds.most {
                return None;
            }
            (origin.wrapping_add(start as usize), Pattern::Uniform)
        } else {
            let span = bounds.most.checked_sub(bounds.least)?;
            // SAFETY: as above.
            if !unsafe { H::are_within(low, bounds.least, span, mask) } {
                return None;
            }
            (origin, Pattern::Scattered(*low))
        };
        Some(Located { first, pattern, mask })
    }

    /// Calls `f` with the lanes, ascending, and the places of their elements of so many bytes.
    #[inline(always)]
    fn each_element(&self, bytes: usize, mut f: impl FnMut(usize, *mut u8)) {
        match &self.pattern {
            Pattern::Consecutive => each_lane(self.mask, |lane| f(lane, self.first.wrapping_add(lane * bytes))),
            Pattern::Uniform => each_lane(self.mask, |lane| f(lane, self.first)),
            Pattern::Scattered(at) => each_lane(self.mask, |lane| f(lane, self.first.wrapping_add(at[lane] as usize))),
        }
    }

    /// The last lane: of all that store to one place, it is the one whose value stays.
    #[inline(always)]
    fn last(&self) -> usize {
        (63 - self.mask.leading_zeros() as usize) % LANES
    }
}
