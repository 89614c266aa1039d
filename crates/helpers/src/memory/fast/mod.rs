//! Loads, stores and atomics of all lanes at once, where the elements of all lanes lie in one mapping, or in LDS: one
//! behind the other, in one place, or anywhere. Other accesses are declined before anything has changed, and go
//! [lane by lane](super::exchange).
//!
//! The moves of a [`Host`] check nothing, and this module is their only user. It passes places of [`Located`] elements:
//! [`Shape::of`] has compared the place of each lane of the mask with bounds, which are those of one mapping that
//! allows the access ([`locate`]), or of LDS. [`read`] finds its dwords in a mapping. A [`Region`] compares distances
//! with its end. Atomics make references to elements only where these are aligned in host memory.
#![allow(unsafe_code)]

mod load;
mod store;
mod update;

use gcnsim_isa::{LANES, Vgpr};
use gcnsim_machine::{Access, Backing, Marks};

use super::Machine;
pub(super) use crate::host::Room;
use crate::host::lanes::{self, are_equal, are_within, is_ramp, lanes_of};
use crate::host::{self, Host, Lanes};
pub(super) use load::{blend, load};
pub(super) use update::Update;

/// The 64-bit addresses of all lanes: `origin + low`.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    /// The part of the addresses that all lanes share.
    pub origin: u64,
    /// The distance of each lane's address from `origin`.
    pub low: &'a Lanes,
    /// The active lanes with an element. The others load 0 and store nothing.
    pub mask: u64,
    /// Whether the dwords of an element lie 256 bytes apart (scratch).
    pub in_rows: bool,
    /// The addresses of the buffer among which the elements are most likely; empty if it is not known.
    pub buffer: (u64, u64),
}

/// The elements of the lanes of a mask in host memory.
pub(super) struct Located<'a, H> {
    origin: *mut u8,
    pattern: Pattern<'a>,
    mask: u64,
    /// Lanes whose elements may be read, if elements are scattered: those of the mask, or all.
    readable: u64,
    host: H,
}

#[derive(Clone, Copy)]
enum Pattern<'a> {
    /// The element of lane i is the i-th from this pointer on.
    Consecutive(*mut u8),
    /// All lanes have the element at this pointer.
    Uniform(*mut u8),
    /// The elements lie at these distances from the origin.
    Scattered(&'a Lanes),
}

/// The distances of consecutive elements of `step` bytes from the first one.
#[inline(always)]
fn ramp(step: u32, room: &mut Room) -> &Lanes {
    room.write(lanes_of!(lane => step * lane as u32))
}

/// Converts private offsets `low + offset` (32 bits) to bytes from the start of the wave's scratch, where the
/// dwords of the lanes lie side by side. Returns `None` unless elements consist of whole dwords or lie within one,
/// and are near enough.
#[inline(always)]
pub(super) fn interleave(low: &Lanes, offset: u32, mask: u64, bytes: u8) -> Option<Lanes> {
    let places = lanes_of!(lane => low[lane].wrapping_add(offset));
    let all = lanes::union(&places, mask);
    let is_split = match bytes {
        1 => false,
        2 => all & 1 != 0,
        _ => all & 3 != 0,
    };
    let behind = lanes_of!(lane => (places[lane] >> 2 << 8) + 4 * lane as u32 + (places[lane] & 3));
    (!is_split && all >> 24 == 0).then_some(behind)
}

/// Reads `N` dwords of guest memory to the scalar data; `None` if they are not mapped.
#[inline(always)]
pub(super) fn read<const N: usize>(m: &mut Machine<'_>, address: u64) -> Option<()> {
    read_unmarked::<N>(m, address).or_else(|| read_marked::<N>(m, address))
}

/// Reads as [`read`]; `None` also if the load has to be marked.
#[inline(always)]
pub(super) fn read_unmarked<const N: usize>(m: &mut Machine<'_>, address: u64) -> Option<()> {
    const { assert!(N <= 16) };
    let region = region(m, address, 4 * N as u64)?;
    let to = m.scalars.data.as_mut_ptr().cast();
    // SAFETY: the region has these bytes, and there is room for them.
    unsafe { host::copy_element::<N>(to, region.start) };
    Some(())
}

/// Reads as [`read`], where the load is marked.
#[cold]
#[inline(never)]
fn read_marked<const N: usize>(m: &mut Machine<'_>, address: u64) -> Option<()> {
    let (mapping, at) = m.context.space.find_again(m.guess, address, 4 * N as u64, Access::Load)?;
    mapping.marks().into_iter().for_each(|marks| marks.mark(Access::Load, address - mapping.base, 4 * N as u64));
    let to = m.scalars.data.as_mut_ptr().cast();
    // SAFETY: as in `read`.
    unsafe { host::copy_element::<N>(to, mapping.backing.as_ptr().wrapping_add(at)) };
    Some(())
}

/// A range of one mapping that may be read, and whose loads are not marked.
pub(super) struct Region {
    start: *const u8,
    bytes: u32,
}

/// Finds the region of `bytes` bytes of guest memory, at most 2^32 - 1.
#[inline(always)]
pub(super) fn region(m: &Machine<'_>, address: u64, bytes: u64) -> Option<Region> {
    let (mapping, at) = m.context.space.find_again(m.guess, address, bytes, Access::Load)?;
    if mapping.marks().is_some_and(|marks| marks.wants(Access::Load)) {
        return None;
    }
    let start = mapping.backing.as_ptr().wrapping_add(at);
    Some(Region { start, bytes: u32::try_from(bytes).ok()? })
}

impl Region {
    /// The dwords of the elements of all lanes at the distances `at` from the first byte, if all are inside. The low
    /// bits of the first dword are those of an element of fewer than four bytes.
    #[inline(always)]
    pub fn texels<H: Host>(&self, host: H, at: &Lanes, bytes: u8) -> Option<[Vgpr; 4]> {
        let mut to = [Vgpr([0; LANES]); 4];
        match bytes {
            1 | 2 => {
                // The dword at the end has the last element in its upper bits.
                let last = self.bytes.checked_sub(4)?;
                if !are_within(at, 0, self.bytes - bytes as u32, !0) {
                    return None;
                }
                let start = lanes_of!(lane => at[lane].min(last));
                self.dwords::<_, 1>(host, &start, &mut to)?;
                let dwords = &to[0].0;
                to[0].0 = lanes_of!(lane => dwords[lane] >> ((8 * at[lane].wrapping_sub(start[lane])) & 31));
            }
            4 => self.dwords::<_, 1>(host, at, &mut to)?,
            8 => self.dwords::<_, 2>(host, at, &mut to)?,
            12 => self.dwords::<_, 3>(host, at, &mut to)?,
            _ => self.dwords::<_, 4>(host, at, &mut to)?,
        }
        Some(to)
    }

    /// The dwords of all lanes at the distances `at` from the first byte, if all are inside.
    #[inline(always)]
    pub fn dwords_at<H: Host>(&self, host: H, at: &Lanes) -> Option<Lanes> {
        let mut to = [Vgpr([0; LANES]); 4];
        self.dwords::<_, 1>(host, at, &mut to)?;
        Some(to[0].0)
    }

    /// `N` dwords of all lanes.
    #[inline(always)]
    fn dwords<H: Host, const N: usize>(&self, host: H, at: &Lanes, to: &mut [Vgpr; 4]) -> Option<()> {
        let last = self.bytes.checked_sub(4 * N as u32)?;
        let to = to.first_chunk_mut::<N>()?;
        if !are_within(at, 0, last, !0) {
            return None;
        }
        // SAFETY: all distances have been compared with the region's end, and it is in a living backing.
        unsafe { host.gather::<N>(to, self.start, at, !0, !0) };
        Some(())
    }
}

/// The upper half of the addresses, which `values` holds, if it is the same in all lanes of `mask`.
#[inline(always)]
pub(super) fn high(values: &Lanes, mask: u64) -> Option<u64> {
    let value = values[mask.trailing_zeros() as usize % LANES];
    are_equal(values, value, mask).then_some((value as u64) << 32)
}

/// Finds the elements of a form in guest memory. The mask of the form is not empty.
#[inline(always)]
pub(super) fn locate<'a, H: Host>(
    host: H,
    m: &Machine<'_>,
    form: &Form<'_>,
    bytes: u32,
    access: Access,
    room: &'a mut Room,
) -> Option<Located<'a, H>> {
    let low = form.low[form.mask.trailing_zeros() as usize % LANES];
    let (step, rows) = if form.in_rows { (bytes.min(4), bytes.div_ceil(4)) } else { (bytes, 1) };
    let all = 256 * (rows as u64 - 1) + step as u64;
    let address = form.origin.wrapping_add(low as u64);
    let (mapping, at) = m.context.space.find_again(m.guess, address, all, access)?;
    let before = address - mapping.base;
    let around = Around { before, behind: mapping.len - before - all };
    let origin = mapping.backing.as_ptr().wrapping_add(at).wrapping_sub(low as usize);
    let shape = Shape::of(origin, form.low, low, form.mask, around, step)?;
    if access != Access::Load && mapping.backing.is_kept() {
        keep(&mapping.backing, at, [step, rows], form.low, &shape);
    }
    if let Some(marks) = mapping.marks()
        && marks.wants(access)
        && !(access == Access::Load && is_quiet(marks, form, (mapping.base, mapping.len), &shape, step))
        && !(rows == 1 && shape.is_full_row() && marks.mark_again(access, before, LANES as u64 * step as u64))
    {
        let joined = match shape.kind {
            Kind::Scattered => joined(host, form.low, step),
            Kind::Consecutive(_) | Kind::Uniform(_) => 0,
        };
        mark(marks, access, before, [step, rows], form.low, joined, &shape);
    }
    Some(shape.with(host, form.low, room))
}

/// The lanes whose value is that of the lane before, or `step` more.
#[inline(always)]
pub(super) fn joined(host: impl Host, values: &Lanes, step: u32) -> u64 {
    let before = lanes::before(values);
    let [joined] = host.masks::<u32, 1>(|lane| {
        let behind = before[lane].wrapping_add(step);
        // A sum that wraps is less than `step`.
        [(values[lane] == before[lane]) | ((values[lane] == behind) & (behind >= step))]
    });
    joined & !1
}

/// Whether loads of elements of `step` bytes need no marks, because nobody stores to their buffer. If that is not
/// known, the marks see the buffer. The mapping has its address and size.
#[inline(always)]
fn is_quiet(marks: &Marks, form: &Form<'_>, (base, len): (u64, u64), shape: &Shape, step: u32) -> bool {
    let (start, bytes) = form.buffer;
    if bytes < step.into() || start < base || !marks.has_quiet() {
        return false;
    }
    let first = start - base;
    let buffer = first..first.saturating_add(bytes).min(len);
    if buffer.end < first.saturating_add(step.into()) {
        return false;
    }
    // Distances are those from the form's origin, which may lie before or in the buffer.
    let least = start.saturating_sub(form.origin);
    let most =
        base.saturating_add(buffer.end).saturating_sub(form.origin).saturating_sub(step.into()).min(u32::MAX.into());
    least <= most && are_within(form.low, least as u32, (most - least) as u32, shape.mask) && marks.is_quiet(&buffer)
}

/// Keeps the pages for snapshots to which an instruction is about to store. `first` is the place of the element of the
/// lowest lane in the backing.
#[cold]
#[inline(never)]
fn keep(backing: &Backing, first: usize, size: [u32; 2], low: &Lanes, shape: &Shape) {
    let [step, rows] = size.map(|size| size as usize);
    let lowest = shape.mask.trailing_zeros();
    for row in 0..rows {
        let at = first + 256 * row;
        match shape.kind {
            Kind::Consecutive(_) => {
                let lanes = 64 - shape.mask.leading_zeros() - lowest;
                backing.before_store(at, lanes as usize * step);
            }
            Kind::Uniform(_) => backing.before_store(at, step),
            Kind::Scattered => {
                let origin = at.wrapping_sub(low[lowest as usize % LANES] as usize);
                let least = !(lanes::greatest(&lanes_of!(lane => !low[lane]), shape.mask) as u32);
                let reach = lanes::greatest(low, shape.mask) as usize - least as usize + step;
                if backing.has_kept(origin.wrapping_add(least as usize), reach) {
                    continue;
                }
                for lane in (0..LANES).filter(|lane| shape.mask >> lane & 1 == 1) {
                    backing.before_store(origin.wrapping_add(low[lane] as usize), step);
                }
            }
        }
    }
}

/// Marks the elements that an instruction is about to access. `first` is the offset of the first one in the
/// mapping, in bytes. Lanes in `joined` have their elements where those of the lanes before are, or right behind them.
#[cold]
#[inline(never)]
fn mark(marks: &Marks, access: Access, first: u64, size: [u32; 2], low: &Lanes, joined: u64, shape: &Shape) {
    let [step, rows] = size;
    for row in 0..rows as u64 {
        let at = first + 256 * row;
        match shape.kind {
            Kind::Consecutive(_) => marks.mark_row(access, at, step, shape.mask),
            Kind::Uniform(_) => marks.mark(access, at, step.into()),
            Kind::Scattered => marks.mark_lanes(access, at, step, low, joined, shape.mask),
        }
    }
}

/// The distances, in bytes, that elements may have below and above the element of the first lane of a mask. All
/// bytes in between are in a living backing, or in LDS.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub before: u64,
    pub behind: u64,
}

/// The arrangement of elements that are within bounds.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    origin: *mut u8,
    kind: Kind,
    mask: u64,
    /// Lanes whose elements are within bounds: those of the mask, or all.
    readable: u64,
}

#[derive(Clone, Copy)]
enum Kind {
    Consecutive(*mut u8),
    Uniform(*mut u8),
    Scattered,
}

impl Shape {
    /// The shape of elements at the distances `at` from the origin, if those of the lanes of `mask`, which is not
    /// empty, are within bounds. The element of the first lane of the mask is at `start` and within bounds; the
    /// next consecutive one would be `step` bytes after it.
    #[inline(always)]
    pub fn of(origin: *mut u8, at: &Lanes, start: u32, mask: u64, around: Around, step: u32) -> Option<Shape> {
        let (lowest, highest) = (mask.trailing_zeros() % 64, (63 - mask.leading_zeros()) % 64);
        let first = origin.wrapping_add(start as usize);
        // Distances have 32 bits: those of a ramp that wraps are not one behind the other.
        let reached = step * (highest - lowest);
        let last = at[highest as usize];
        // The last lane tells most of what is no ramp, and what is not in one place.
        if last == start.wrapping_add(reached) && is_ramp(at, start.wrapping_sub(step * lowest), step, mask) {
            let is_within = reached as u64 <= around.behind && start.checked_add(reached).is_some();
            let kind = Kind::Consecutive(first.wrapping_sub((step * lowest) as usize));
            return is_within.then_some(Shape { origin, kind, mask, readable: mask });
        }
        if last == start && are_equal(at, start, mask) {
            return Some(Shape { origin, kind: Kind::Uniform(first), mask, readable: mask });
        }
        let least = start.saturating_sub(u32::try_from(around.before).unwrap_or(u32::MAX));
        let span = start.saturating_add(u32::try_from(around.behind).unwrap_or(u32::MAX)) - least;
        let readable = if are_within(at, least, span, !0) {
            !0
        } else if mask != !0 && are_within(at, least, span, mask) {
            mask
        } else {
            return None;
        };
        Some(Shape { origin, kind: Kind::Scattered, mask, readable })
    }

    /// Whether all lanes access elements, one after the other.
    #[inline(always)]
    fn is_full_row(&self) -> bool {
        self.mask == !0 && matches!(self.kind, Kind::Consecutive(_))
    }

    /// The elements of the shape, at the distances that it was [made of](Shape::of). The distances are copied,
    /// because an instruction may overwrite the register that holds them.
    #[inline(always)]
    pub fn with<'a, H: Host>(self, host: H, at: &Lanes, room: &'a mut Room) -> Located<'a, H> {
        let pattern = match self.kind {
            Kind::Consecutive(first) => Pattern::Consecutive(first),
            Kind::Uniform(first) => Pattern::Uniform(first),
            Kind::Scattered => Pattern::Scattered(room.write(*at)),
        };
        Located { origin: self.origin, pattern, mask: self.mask, readable: self.readable, host }
    }
}

impl<'a, H: Host> Located<'a, H> {
    /// The elements `bytes` bytes after these.
    #[inline(always)]
    pub fn behind(&self, bytes: usize) -> Located<'a, H> {
        let behind = |place: *mut u8| place.wrapping_add(bytes);
        let pattern = match self.pattern {
            Pattern::Consecutive(first) => Pattern::Consecutive(behind(first)),
            Pattern::Uniform(first) => Pattern::Uniform(behind(first)),
            Pattern::Scattered(at) => Pattern::Scattered(at),
        };
        Located { origin: behind(self.origin), pattern, ..*self }
    }

    /// The last lane of the mask. If several lanes store to one place, its value stays.
    #[inline(always)]
    fn last(&self) -> usize {
        (63 - self.mask.leading_zeros() as usize) % LANES
    }
}
