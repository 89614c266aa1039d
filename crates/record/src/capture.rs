//! What a dispatch accessed, before and after.
//!
//! Bytes that it did not load are 0 before, and bytes that it did not access are 0 after: so what a recording has does
//! not depend on what else lies in memory, and equal inputs are one content.

use std::ops::Range;

use gcnsim_device::{Accessed, Dispatch};
use gcnsim_machine::Access;

use crate::About;
use crate::code::Reached;

/// Most bytes between two accesses that one piece of memory has.
const MOST_GAP: u64 = 4096;
/// Most pieces of memory. If there would be more, larger gaps are taken in.
const MOST_PIECES: usize = 512;

/// Accesses near each other, in one mapping, and in one allocation or outside of all.
#[derive(Debug)]
pub struct Piece {
    /// Guest address.
    pub base: u64,
    /// Whether kernels may write the memory.
    pub writable: bool,
    /// Index of the allocation that has it.
    pub allocation: Option<usize>,
    /// Bytes before the run.
    pub before: Vec<u8>,
    /// Number of bytes that were loaded.
    pub loaded: u64,
    /// Bytes after the run, if any were stored.
    pub after: Option<Vec<u8>>,
    /// The bytes that were stored, from the first to the last one.
    pub stored: Range<usize>,
}

impl Piece {
    /// Returns the number of bytes.
    pub fn len(&self) -> u64 {
        self.before.len() as u64
    }

    /// Whether all bytes are among so many from an address on.
    pub fn is_in(&self, base: u64, size: u64) -> bool {
        let at = self.base.wrapping_sub(base);
        at < size && size - at >= self.len()
    }

    /// Returns the part that lies in a range of addresses; `None` if nothing does.
    pub fn part(&self, addresses: &Range<u64>) -> Option<Piece> {
        let (start, end) = (addresses.start.max(self.base), addresses.end.min(self.base + self.len()));
        let inside = (start.checked_sub(self.base)? as usize)..(end.checked_sub(self.base)? as usize);
        if inside.is_empty() {
            return None;
        }
        let stored = self.stored.start.max(inside.start)..self.stored.end.min(inside.end);
        let is_stored = stored.start < stored.end;
        Some(Piece {
            base: start,
            writable: self.writable,
            allocation: self.allocation,
            before: self.before[inside.clone()].to_vec(),
            loaded: self.loaded.min(inside.len() as u64),
            after: self.after.as_ref().filter(|_| is_stored).map(|after| after[inside.clone()].to_vec()),
            stored: if is_stored { stored.start - inside.start..stored.end - inside.start } else { 0..0 },
        })
    }

    /// Whether any byte is among so many from an address on.
    pub fn meets(&self, base: u64, size: u64) -> bool {
        self.base < base.saturating_add(size) && base < self.base.saturating_add(self.len())
    }
}

/// What a dispatch accessed.
#[derive(Debug, Default)]
pub struct Capture {
    /// The pieces of memory, by address.
    pub pieces: Vec<Piece>,
    /// The allocations: address and size, ascending. They do not overlap.
    pub allocations: Vec<(u64, u64)>,
    /// Bytes of the kernarg segment, as many as the kernel states.
    pub kernarg: Vec<u8>,
    /// Number of dimensions that the dispatch packet states; 0 if there is none.
    pub dimensions: u32,
    /// Why it cannot be recorded by registers.
    pub refusal: Option<String>,
}

impl Capture {
    /// Takes what a run accessed from memory, and the kernarg segment of so many bytes. Nobody may run a dispatch on it meanwhile.
    pub fn new(
        dispatch: &Dispatch,
        about: &About<'_>,
        kernarg_size: usize,
        code: &Reached,
        accessed: &[Accessed],
    ) -> Capture {
        let mut capture = Capture { allocations: sorted(about.allocations), ..Capture::default() };
        let mut gap = MOST_GAP;
        // Each access by itself, the finest way to see it.
        let parts: Vec<Vec<Part>> = accessed.iter().map(|one| capture.parts(one, code)).collect();
        let code_range = code.range();
        let count = |gap: u64| parts.iter().map(|parts| joined(parts, gap, &code_range).count()).sum::<usize>();
        while count(gap) > MOST_PIECES && gap < 1 << 40 {
            gap *= 16;
        }
        for (one, parts) in accessed.iter().zip(&parts) {
            for part in joined(parts, gap, &code_range) {
                capture.pieces.push(piece(one, &part));
            }
        }
        let code = code_range;
        let writes_code = |one: &Accessed| {
            let is_code = |stored: &Range<u64>| {
                one.mapping.base + stored.start < code.end && code.start < one.mapping.base + stored.end
            };
            one.stored.iter().any(is_code)
        };
        if accessed.iter().any(writes_code) {
            capture.refusal = Some("it writes its own code".to_owned());
        }
        let read = |address: u64, len: usize| {
            let (mapping, at) = dispatch.space().find(address, len as u64, Access::Load).filter(|_| len > 0)?;
            let mut bytes = vec![0; len];
            mapping.backing.read_into(at, &mut bytes);
            Some(bytes)
        };
        let packet = about.packet.and_then(|packet| read(packet, 4));
        capture.dimensions = packet.map_or(0, |packet| u32::from(packet[2] & 3));
        capture.kernarg = about.kernarg.and_then(|kernarg| read(kernarg, kernarg_size)).unwrap_or_default();
        capture
    }

    /// Returns the index of the allocation that has the byte at an address.
    pub fn allocation_at(&self, address: u64) -> Option<usize> {
        let behind = self.allocations.partition_point(|(base, _)| *base <= address);
        let index = behind.checked_sub(1)?;
        let (base, size) = self.allocations[index];
        (address - base < size).then_some(index)
    }

    /// Returns the accesses to a mapping, ascending, cut where allocations begin and end. What lies in the code is left
    /// out: it is there anyway.
    fn parts(&self, accessed: &Accessed, code: &Reached) -> Vec<Part> {
        let mapping = &accessed.mapping;
        let mut cuts: Vec<u64> = vec![code.range().start, code.range().end];
        cuts.extend(self.allocations.iter().flat_map(|(base, size)| [*base, base + size]));
        cuts.retain(|cut| mapping.base < *cut && cut - mapping.base < mapping.len);
        cuts.sort_unstable();
        let mut parts = Vec::new();
        for range in union(&accessed.loaded, &accessed.stored) {
            let (mut start, end) = (mapping.base + range.start, mapping.base + range.end);
            while start < end {
                let cut = cuts[cuts.partition_point(|cut| *cut <= start)..].first().copied().unwrap_or(end).min(end);
                if !code.range().contains(&start) {
                    parts.push(Part { range: start..cut, allocation: self.allocation_at(start) });
                }
                start = cut;
            }
        }
        parts
    }
}

/// A range of addresses that lies in an allocation as a whole, or outside of all.
#[derive(Clone, Debug)]
struct Part {
    range: Range<u64>,
    allocation: Option<usize>,
}

/// Joins parts with at most `gap` bytes between them, but not over the code.
fn joined(parts: &[Part], gap: u64, code: &Range<u64>) -> impl Iterator<Item = Part> {
    let mut parts = parts.iter().cloned().peekable();
    std::iter::from_fn(move || {
        let mut part = parts.next()?;
        // Without an allocation, another one may lie between two parts.
        while let Some(next) = parts.next_if(|next| {
            let near = if part.allocation.is_some() { gap } else { gap.min(MOST_GAP) };
            let is_over_code = part.range.end <= code.start && code.start < next.range.start;
            next.allocation == part.allocation && next.range.start - part.range.end <= near && !is_over_code
        }) {
            part.range.end = next.range.end;
        }
        Some(part)
    })
}

fn piece(accessed: &Accessed, part: &Part) -> Piece {
    let mapping = &accessed.mapping;
    let (start, len) = (part.range.start - mapping.base, (part.range.end - part.range.start) as usize);
    let end = start + len as u64;
    let (mut before, mut after) = (vec![0; len], vec![0; len]);
    accessed.read_before(start, &mut before);
    accessed.read_after(start, &mut after);
    let [loaded, stored] = [&accessed.loaded, &accessed.stored].map(|ranges| within(ranges, start..end));
    // What is not stored is not seen to change: who else writes memory is not part of the dispatch.
    let mut expected = vec![0; len];
    let mut read = vec![0; len];
    let copy = |to: &mut [u8], from: &[u8], ranges: &[Range<usize>]| {
        ranges.iter().for_each(|range| to[range.clone()].copy_from_slice(&from[range.clone()]));
    };
    copy(&mut read, &before, &loaded);
    copy(&mut expected, &before, &loaded);
    copy(&mut expected, &after, &stored);
    let hull = match (stored.first(), stored.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    };
    Piece {
        base: part.range.start,
        writable: mapping.writable,
        allocation: part.allocation,
        before: read,
        loaded: loaded.iter().map(|range| range.len() as u64).sum(),
        after: (!stored.is_empty()).then_some(expected),
        stored: hull,
    }
}

/// Returns the parts of ranges that lie in a range, from its start on.
fn within(ranges: &[Range<u64>], all: Range<u64>) -> Vec<Range<usize>> {
    let first = ranges.partition_point(|range| range.end <= all.start);
    let inside = ranges[first..].iter().take_while(|range| range.start < all.end);
    let cut = |range: &Range<u64>| {
        (range.start.max(all.start) - all.start) as usize..(range.end.min(all.end) - all.start) as usize
    };
    inside.map(cut).collect()
}

/// Returns ranges that have what one of two lists has. Both ascend.
fn union(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut all: Vec<Range<u64>> = one.iter().chain(other).cloned().collect();
    all.sort_unstable_by_key(|range| range.start);
    let mut found: Vec<Range<u64>> = Vec::new();
    for range in all {
        match found.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => found.push(range),
        }
    }
    found
}

/// Returns allocations by address. One that overlaps another one is left out.
fn sorted(allocations: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut all = allocations.to_vec();
    all.sort_unstable();
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (base, size) in all.into_iter().filter(|(base, size)| *size > 0 && base.checked_add(*size).is_some()) {
        if found.last().is_none_or(|(last, size)| last + size <= base) {
            found.push((base, size));
        }
    }
    found
}
